package jsdebug

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maybeFirstLine is how long a program that was attached to may take to its first line: it may wait (--inspect-brk),
// and nobody tells.
const maybeFirstLine = 300 * time.Millisecond

// A relay copies between js-debug and Node's inspector. Both write small pieces without TCP_NODELAY and wait for each
// other's acknowledgement, which Linux delays by 40 ms; the relay acknowledges at once. It also reads, in passing,
// whether an exception is caught: js-debug does not tell.
type relay struct {
	listener net.Listener
	target   string
	waits    bool          // the program waits for us, and stops at its first line
	hit      func(string)  // takes the hits of native log points, which js-debug does not get then
	again    time.Duration // after which it is told again to run
	paused   latch         // it has stopped, or has gone
	uncaught atomic.Bool   // the last exception that the inspector reported has no handler

	mu     sync.Mutex
	conns  []net.Conn
	closed bool
}

// newRelay listens on a free port of this machine for connections to target.
func newRelay(target string, waits bool, hit func(string)) (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{listener: l, target: target, waits: waits, hit: hit, again: runAgain, paused: newLatch()}
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
		r.runUntilPaused(to)
	} else {
		within(maybeFirstLine, r.paused.ch)
	}
	_ = passMended(to, input)
}

// toDebugger copies what the inspector says, and reads it.
func (r *relay) toDebugger(to, from net.Conn) {
	defer hangUp(to, from)
	defer r.paused.set()
	see := r.watch()
	input := bufio.NewReaderSize(from, 64<<10)
	start := func() error { return passHeader(to, input) }
	if r.waits {
		start = func() error { return r.passStart(to, input, from) }
	}
	for err := start(); err == nil; {
		var raw, text []byte
		if raw, text, err = readMessage(input); err != nil {
			return
		}
		if bytes.HasPrefix(text, []byte(ownAnswer)) {
			continue
		}
		if hit, ok := loggedHit(text); ok && r.hit != nil {
			r.hit(hit)
			continue
		}
		see(text)
		_, err = to.Write(raw)
	}
}

// consoleName is how the inspector begins to tell what was written to its console.
var consoleName = []byte(`{"method":"Runtime.consoleAPICalled",`)

// hitMark is the first and the last character of the hit of a native log point.
const hitMark = "\x1e"

// loggedHit returns the text of a native log point's hit that holds no objects. js-debug would take a millisecond for
// each.
func loggedHit(message []byte) (text string, ok bool) {
	if !bytes.HasPrefix(message, consoleName) {
		return "", false
	}
	var m struct {
		Params struct {
			Args []struct {
				Type  string `json:"type"`
				Value any    `json:"value"`
			} `json:"args"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || len(m.Params.Args) != 1 {
		return "", false
	}
	text, ok = m.Params.Args[0].Value.(string)
	return text, ok && len(text) > 1 && strings.HasPrefix(text, hitMark) && strings.HasSuffix(text, hitMark)
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
