package dapclient

import (
	"context"
	"fmt"
	"net"
	"time"
)

// dialPauses come between the tries of Dial: a server that was just started may print its
// address a moment before it listens.
var dialPauses = []time.Duration{50 * time.Millisecond, 250 * time.Millisecond}

// dialTry bounds one try to connect: a host that swallows packets would else take minutes.
const dialTry = 5 * time.Second

// Dial connects to an adapter that listens on TCP at addr (host:port). It tries three times with
// growing pauses, no longer than ctx. TCP_NODELAY is set: DAP is many small messages, each
// waited for.
func Dial(ctx context.Context, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTry}
	for try := 0; ; try++ {
		conn, err := d.DialContext(ctx, "tcp", addr)
		if err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				tcp.SetNoDelay(true)
			}
			return conn, nil
		}
		if try == len(dialPauses) {
			return nil, fmt.Errorf("connect to debug adapter: %w", err)
		}
		select {
		case <-time.After(dialPauses[try]):
		case <-ctx.Done(): // perhaps during the attempt, whose error does not say why
			return nil, fmt.Errorf("connect to debug adapter at %s: %w (last: %w)", addr, context.Cause(ctx), err)
		}
	}
}
