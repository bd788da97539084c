package jsdebug

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A relay copies between js-debug and Node's inspector. Both write small pieces without TCP_NODELAY and wait for each
// other's acknowledgement, which Linux delays by 40 ms; the relay acknowledges at once. It also reads, in passing,
// whether an exception is caught: js-debug does not tell.
type relay struct {
	listener net.Listener
	target   string
	uncaught atomic.Bool // the last exception that the inspector reported has no handler

	mu     sync.Mutex
	conns  []net.Conn
	closed bool
}

// newRelay listens on a free port of this machine for connections to target.
func newRelay(target string) (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{listener: l, target: target}
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
		go r.copy(far, near, nil)
		go r.copy(near, far, r.watch())
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

// copy copies until one side ends, and ends the other.
func (r *relay) copy(to, from net.Conn, see func([]byte)) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		acknowledge(from)
		if n > 0 {
			if see != nil {
				see(buf[:n])
			}
			if _, bad := to.Write(buf[:n]); bad != nil {
				err = bad
			}
			acknowledge(to)
			acknowledge(from)
		}
		if err != nil {
			to.Close()
			from.Close()
			return
		}
	}
}

// Texts of the inspector's Debugger.paused. In JSON a quote inside a string has a backslash, so they are names.
var (
	uncaughtName = []byte(`"uncaught":`)
	trueText     = []byte("true")
)

// watch returns a function that reads what the inspector sends, in pieces of any length.
func (r *relay) watch() func([]byte) {
	var rest []byte
	longest := len(uncaughtName) + len(trueText)
	return func(piece []byte) {
		text := append(rest, piece...)
		for {
			i := bytes.Index(text, uncaughtName)
			if i < 0 || len(text) < i+longest {
				break
			}
			r.uncaught.Store(bytes.HasPrefix(text[i+len(uncaughtName):], trueText))
			text = text[i+longest:]
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
