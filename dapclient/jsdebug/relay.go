package jsdebug

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// maybeFirstLine is how long a program that was attached to may take to its first line: it may wait (--inspect-brk), and
// nobody tells.
const maybeFirstLine = 300 * time.Millisecond

// A relay copies between js-debug and Node's inspector. Both write small pieces without TCP_NODELAY and wait for each
// other's acknowledgement, which Linux delays by 40 ms; the relay acknowledges at once. It also reads, in passing,
// whether an exception is caught: js-debug does not tell.
type relay struct {
	listener net.Listener
	target   string
	waits    bool        // the program waits for us, and stops at its first line
	paused   latch       // it has stopped, or has gone
	uncaught atomic.Bool // the last exception that the inspector reported has no handler

	mu     sync.Mutex
	conns  []net.Conn
	closed bool
}

// newRelay listens on a free port of this machine for connections to target.
func newRelay(target string, waits bool) (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{listener: l, target: target, waits: waits, paused: newLatch()}
	go r.accept()
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) accept() {
	for {
		near, err := r.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.DialTimeout("tcp", r.target, 5*time.Second)
		if err != nil {
			near.Close()
			continue
		}
		if !r.keep(near, far) {
			return
		}
		r.listener.Close() // js-debug connects once
		go r.toProgram(quick{far}, quick{near})
		go r.toDebugger(quick{near}, quick{far})
		return
	}
}

// keep notes connections. It closes them when the relay is closed.
func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		for _, c := range conns {
			c.Close()
		}
		return false
	}
	r.conns = append(r.conns, conns...)
	return true
}

// toProgram copies what js-debug says.
func (r *relay) toProgram(to, from net.Conn) {
	defer hangUp(to, from)
	input := bufio.NewReaderSize(from, 64<<10)
	if passRun(to, input) != nil {
		return
	}
	if r.waits {
		<-r.paused.ch
	} else {
		within(maybeFirstLine, r.paused.ch)
	}
	_, _ = io.Copy(to, input)
}

// toDebugger copies what the inspector says, and reads it.
func (r *relay) toDebugger(to, from net.Conn) {
	defer hangUp(to, from)
	defer r.paused.set()
	see := r.watch()
	input := bufio.NewReaderSize(from, 64<<10)
	if r.waits && r.passStart(to, input, from) != nil {
		return
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := input.Read(buf)
		if n > 0 {
			see(buf[:n])
			if _, bad := to.Write(buf[:n]); bad != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func hangUp(conns ...net.Conn) {
	for _, c := range conns {
		c.Close()
	}
}

// quick is a connection that acknowledges at once.
type quick struct{ net.Conn }

func (q quick) Read(b []byte) (int, error) {
	n, err := q.Conn.Read(b)
	acknowledge(q.Conn)
	return n, err
}

func (q quick) Write(b []byte) (int, error) {
	n, err := q.Conn.Write(b)
	acknowledge(q.Conn)
	return n, err
}

// Texts of the inspector's Debugger.paused. In JSON a quote inside a string has a backslash, so they are names.
var (
	pausedName   = []byte(`"method":"Debugger.paused"`)
	uncaughtName = []byte(`"uncaught":`)
	trueText     = []byte("true")
)

// watch returns a function that reads what the inspector sends, in pieces of any length.
func (r *relay) watch() func([]byte) {
	var rest []byte
	longest := max(len(pausedName), len(uncaughtName)+len(trueText))
	return func(piece []byte) {
		text := append(rest, piece...)
		if bytes.Contains(text, pausedName) {
			r.paused.set()
		}
		for {
			_, after, found := bytes.Cut(text, uncaughtName)
			if !found || len(after) < len(trueText) {
				break
			}
			r.uncaught.Store(bytes.HasPrefix(after, trueText))
			text = after
		}
		rest = append(rest[:0:0], text[max(0, len(text)-longest+1):]...)
	}
}

func (r *relay) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.listener.Close()
	for _, c := range r.conns {
		c.Close()
	}
}
