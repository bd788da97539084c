package adapter

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/scratch"
	"breakwire/dapclient"
)

// DAP has no standard input of the program. Where the adapter runs on this machine, the program reads a pipe of ours
// instead, or the null device. The profile says how (LaunchRequest.Stdin).

// inputPatience is how long a write waits for a program that does not read.
const inputPatience = 5 * time.Second

// openStdin prepares the program's input: before the debugger starts, where its command line needs it, else just before
// the launch.
func (s *Session) openStdin() {
	if s.origin.launch == nil {
		return
	}
	s.origin.launch.Stdin, s.origin.launch.Adapter = "", s.backend.Exe
	if !s.backend.Local || s.backend.Exe == "" || !s.profile.TakesStdin {
		return
	}
	s.origin.launch.Stdin = os.DevNull
	path, p, err := scratch.NewInput(s.folder)
	if err != nil {
		level := slog.LevelWarn
		if errors.Is(err, errors.ErrUnsupported) {
			level = slog.LevelDebug // it is always so on this system
		}
		s.log.Log(context.Background(), level, "no standard input for the program", "error", err)
		return
	}
	if s.origin.launch.NoStdin {
		p.Close()
		p.Unlink()
	} else {
		s.origin.launch.Stdin = path
	}
	s.made.stdin.Store(p)
	context.AfterFunc(s.life.ctx, func() {
		p.Close()
		p.Unlink()
	})
}

// programSeen is called with every event. The first event that only a running program can cause means that the program
// has opened its input.
func (s *Session) programSeen(m *dapclient.Message) {
	switch m.Name {
	case "stopped", "thread", "module", "continued", "exited", "terminated":
		s.made.files.Remove()
		s.inputOpened()
	}
}

// inputOpened removes the names of the program's pipes.
func (s *Session) inputOpened() {
	if s.made.stderr != nil {
		s.made.stderr.pipe.Opened()
	}
	if p := s.made.stdin.Load(); p != nil {
		p.Unlink()
	}
}

// WriteInput writes data to the program's standard input and returns the number of bytes written. closeAfter closes the
// input.
func (s *Session) WriteInput(ctx context.Context, data string, closeAfter bool) (written int, closed bool, err error) {
	if err := s.mayChange("writing to its input"); err != nil {
		return 0, false, err
	}
	if err := s.checkRuns(); err != nil {
		return 0, false, err
	}
	p := s.made.stdin.Load()
	if p == nil {
		return 0, false, s.noStdin()
	}
	deadline := time.Now().Add(inputPatience)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	written, err = p.Write(data, closeAfter, deadline, ctx, s.life.ctx)
	switch {
	case err == nil:
	case errors.Is(err, os.ErrClosed):
		return 0, true, fault.Errorf(fault.StdinClosed,
			"the program's standard input is closed; launch it again with stdin=true "+
				"to write to it").With("sessionId", s.id)
	case ctx.Err() != nil:
		return written, false, fault.OfContext(ctx)
	case !s.Snapshot().State.Live():
		return written, false, s.died()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return written, false, fault.Errorf(fault.Timeout,
			"%d of %d bytes were written: the program does not read its input "+
				"(the pipe is full); let it run, then write the rest", written, len(data)).
			With("bytesWritten", written).With("sessionId", s.id)
	default:
		return written, false, fault.Errorf(fault.Internal, "the program's standard input: %v", err).
			With("bytesWritten", written).
			With("sessionId", s.id)
	}
	return written, closeAfter, nil
}

// noStdin returns why there is no standard input to write to.
func (s *Session) noStdin() *fault.Error {
	why, hint := s.profile.Name+" offers no standard input of the program over DAP",
		"let the program read a file or its arguments instead"
	switch {
	case s.Snapshot().Attached:
		why, hint = "an attached program keeps the standard input it was started with", "use debug_launch"
	case !s.backend.Local || s.backend.Exe == "":
		why = "the debugger was not started by breakwire, so the program's standard input is out of reach"
	case runtime.GOOS == "windows":
		why = "standard input needs named pipes of Linux or macOS"
	}
	return fault.Errorf(fault.NotSupported, "%s; %s", why, hint).
		With("feature", "process_write_input").With("missingCapability", "stdin").With("backend", s.profile.Name).
		With("hint", hint).With("sessionId", s.id)
}
