package adapter

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"breakwire/adapter/journal"
	"breakwire/adapter/scratch"
)

// A debugger that gives the program one terminal for all its output makes standard error look like standard output.
// There the program's standard error is a pipe of ours. The profile says how (LaunchRequest.Stderr).

// drainGrace bounds how long an end waits for the last output, when another process has the pipe open too.
const drainGrace = 100 * time.Millisecond

// stderrPipe is our end of the program's standard error.
type stderrPipe struct {
	pipe *scratch.Output
	read chan struct{} // closed when nothing more is read
}

// openStderr prepares the program's standard error, just before the launch.
func (s *Session) openStderr() {
	if s.origin.launch == nil {
		return
	}
	s.origin.launch.Stderr = ""
	if !s.backend.Local || s.backend.Exe == "" || !s.profile.TakesStderr {
		return
	}
	path, pipe, err := scratch.NewOutput(s.folder)
	if err != nil {
		level := slog.LevelWarn
		if errors.Is(err, errors.ErrUnsupported) {
			level = slog.LevelDebug // it is always so on this system
		}
		s.log.Log(context.Background(), level, "no standard error of its own for the program", "error", err)
		return
	}
	p := &stderrPipe{pipe: pipe, read: make(chan struct{})}
	s.origin.launch.Stderr, s.made.stderr = path, p
	context.AfterFunc(s.life.ctx, func() {
		pipe.Opened()
		pipe.Close()
	})
	go s.readStderr(p)
}

// readStderr passes the program's standard error on to the loop. It waits for the loop, and so does the program when
// the pipe is full.
func (s *Session) readStderr(p *stderrPipe) {
	defer close(p.read)
	buf := make([]byte, outputPiece)
	for {
		n, err := p.pipe.Read(buf)
		if n > 0 {
			taken := make(chan struct{})
			text := string(buf[:n])
			s.post(func() {
				s.wrote(journal.Stderr, text)
				close(taken)
			})
			select {
			case <-taken:
			case <-s.life.ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// drainStderr waits until the last output of a program that has ended is in the journal.
func (s *Session) drainStderr(t *turn) bool {
	p := s.made.stderr
	if p == nil {
		return true
	}
	p.pipe.Opened()
	p.pipe.ReadUntil(time.Now().Add(drainGrace))
	return t.outside(func() { <-p.read })
}
