package dapclient

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"time"
)

// dialPauses are the pauses between the attempts of Dial: a new server may print its address shortly before it
// listens.
var dialPauses = []time.Duration{50 * time.Millisecond, 250 * time.Millisecond}

// dialTry limits one attempt to connect: a host that drops packets would otherwise take minutes.
const dialTry = 5 * time.Second

// Dial connects to an adapter that listens at addr: on TCP (host:port), or on a socket with a path. It tries three
// times with growing pauses, no longer than ctx. It sets TCP_NODELAY, because DAP has many small messages whose answers
// are waited for.
func Dial(ctx context.Context, addr string) (net.Conn, error) {
	d, network := net.Dialer{Timeout: dialTry}, "tcp"
	if filepath.IsAbs(addr) {
		network = "unix"
	}
	for try := 0; ; try++ {
		conn, err := d.DialContext(ctx, network, addr)
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
		case <-ctx.Done(): // perhaps during the attempt, whose error does not give the reason
			return nil, fmt.Errorf("connect to debug adapter at %s: %w (last: %w)", addr, context.Cause(ctx), err)
		}
	}
}
