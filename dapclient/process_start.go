package dapclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"regexp"
	"time"
)

// Command describes how to start an adapter.
type Command struct {
	Path string       // a file, or a name to find on PATH
	Args []string     // without the name of the program
	Dir  string       // working directory; empty: ours
	Env  []string     // as "NAME=value"; nil: ours
	Log  *slog.Logger // receives what the adapter prints, at debug level; nil: none
	// Stderr receives all of its stderr unchanged, as it arrives; nil: none. Write errors are ignored.
	Stderr io.Writer
	// Guard is the command of a guard (Process.Guard) for an adapter that announces its address. Until a client has
	// connected, such an adapter waits for ever, even after the end of its input. nil: no guard.
	Guard []string
}

func (c Command) logger() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

func (c Command) failed(err error) error { return fmt.Errorf("start %s: %w", c.Path, err) }

// prepare makes the exec.Cmd. The error for a missing executable is exec.ErrNotFound or fs.ErrNotExist. For a missing
// directory it is neither, because it would be taken for a missing executable.
func (c Command) prepare() (*exec.Cmd, error) {
	if c.Dir != "" {
		if info, err := os.Stat(c.Dir); err != nil {
			return nil, fmt.Errorf("start %s: working directory: %v", c.Path, err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("start %s: working directory %s is not a directory", c.Path, c.Dir)
		}
	}
	cmd := exec.Command(c.Path, c.Args...)
	if cmd.Err != nil {
		return nil, c.failed(cmd.Err)
	}
	cmd.Dir, cmd.Env = c.Dir, c.Env
	return cmd, nil
}

// StartStdio starts an adapter that speaks DAP on its stdin and stdout, which are the returned stream. Closing the
// stream ends the adapter's input. Reads end with io.EOF soon after the process has ended, even when one of its
// children keeps stdout open.
func StartStdio(cmd Command) (*Process, io.ReadWriteCloser, error) {
	c, err := start(cmd)
	if err != nil {
		return nil, nil, err
	}
	s := newStdioStream(c.stdin, c.stdout)
	go func() {
		<-c.exited
		select {
		case <-s.ended:
		case <-time.After(lastFrames): // its last output may still be in the pipe
		}
		s.shut(io.EOF)
	}()
	return c.Process, s, nil
}

// ErrNotAnnounced is wrapped by the error of StartAnnounced when the adapter or the context ended before the adapter
// had printed its address.
var ErrNotAnnounced = errors.New("the debug adapter announced no address")

// StartAnnounced starts an adapter that listens on TCP and prints its address, and connects to it. announce is
// matched against each line of its stdout; the first submatch is the address as host:port (Delve: `DAP server
// listening at: 127.0.0.1:40943`). Its stdout goes to the log and to StderrTail.
//
// Its stdin is a pipe that we hold open until Stop, CloseStdin or our own end. ctx limits the start only; a start
// that fails leaves no process.
func StartAnnounced(ctx context.Context, cmd Command, announce *regexp.Regexp) (*Process, io.ReadWriteCloser, error) {
	if announce.NumSubexp() < 1 {
		return nil, nil, fmt.Errorf("start %s: the pattern %s has no submatch for the address", cmd.Path, announce)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, cmd.failed(context.Cause(ctx))
	}
	c, err := start(cmd)
	if err != nil {
		return nil, nil, err
	}
	address, drained := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(drained)
		defer c.stdout.Close()
		found := false
		c.drain(c.stdout, streamStdout, func(line string) {
			if m := announce.FindStringSubmatch(line); m != nil && !found {
				found = true
				address <- m[1]
			}
		})
	}()
	dismiss := func() {}
	if len(cmd.Guard) > 0 {
		if d, err := c.guardUntil(cmd.Guard); err != nil {
			c.log.Warn("nothing will end the debug adapter if we are killed while it starts", "error", err)
		} else {
			dismiss = d
		}
	}
	conn, err := c.connect(ctx, address)
	dismiss() // from here on the connection ends the adapter, or Stop does
	if err != nil {
		c.Stop(0)
		endedWithin(drained, lastWords) // its last output gives the reason
		if tail := c.StderrTail(); tail != "" {
			err = fmt.Errorf("%w; it printed:\n%s", err, tail)
		}
		return nil, nil, cmd.failed(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		return c.Process, endingConn{tcp}, nil
	}
	return c.Process, conn, nil
}

// endingConn closes the connection for the adapter too when a guard has it open as well.
type endingConn struct{ *net.TCPConn }

func (c endingConn) Close() error {
	_ = c.CloseWrite()
	return c.TCPConn.Close()
}

// connect waits for the address and connects to it.
func (c child) connect(ctx context.Context, address <-chan string) (net.Conn, error) {
	select {
	case addr := <-address:
		return Dial(ctx, addr)
	case <-c.exited:
		return nil, fmt.Errorf("%w: it ended with %s", ErrNotAnnounced, c.ExitStatus())
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrNotAnnounced, context.Cause(ctx))
	}
}
