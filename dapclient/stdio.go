package dapclient

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// stdioStream is an adapter's stdin and stdout as one stream.
//
// Closing it closes stdin, at which the adapter ends, and makes reads return. What the adapter still writes is read
// and discarded: with a closed pipe it would get SIGPIPE and could die before it has ended its debuggee.
type stdioStream struct {
	stdin  *inPipe
	stdout *os.File

	ended chan struct{} // closed at the end of stdout
	end   sync.Once

	mu     sync.Mutex // held while reading
	once   sync.Once
	closed chan struct{}
	why    error // what Read returns after closed is closed
}

func newStdioStream(stdin *inPipe, stdout *os.File) *stdioStream {
	return &stdioStream{stdin: stdin, stdout: stdout, ended: make(chan struct{}), closed: make(chan struct{})}
}

// Read returns io.EOF when the adapter has closed its stdout or has ended, os.ErrClosed after Close.
func (s *stdioStream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed() {
		return 0, s.why
	}
	n, err := s.stdout.Read(p)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		s.end.Do(func() { close(s.ended) })
	case s.isClosed():
		err = s.why // interrupted
	}
	return n, err
}

func (s *stdioStream) Write(p []byte) (int, error) { return s.stdin.Write(p) }

func (s *stdioStream) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// Close may be called several times and while Read and Write are under way.
func (s *stdioStream) Close() error {
	s.shut(os.ErrClosed)
	return nil
}

func (s *stdioStream) shut(why error) {
	s.once.Do(func() {
		s.why = why
		close(s.closed)
		s.stdin.Close()
		if err := s.stdout.SetReadDeadline(time.Unix(1, 0)); errors.Is(err, os.ErrNoDeadline) {
			// No deadlines on pipes (Windows), and no SIGPIPE there.
			s.stdout.Close()
		}
		go s.discard()
	})
}

// discard reads the rest of stdout. It begins when no Read is under way that could miss the deadline. Later Reads
// must not wait for it, because stdout may never end.
func (s *stdioStream) discard() {
	s.mu.Lock()
	err := s.stdout.SetReadDeadline(time.Time{})
	s.mu.Unlock()
	if err == nil {
		io.Copy(io.Discard, s.stdout)
	}
	s.stdout.Close()
	s.end.Do(func() { close(s.ended) })
}

// inPipe is our end of a child's stdin. It can be closed several times.
type inPipe struct {
	*os.File
	once sync.Once
	err  error
}

// Close ends the child's input. A write under way returns with an error.
func (p *inPipe) Close() error {
	p.once.Do(func() { p.err = p.File.Close() })
	return p.err
}
