package scratch

import (
	"context"
	"os"
	"sync"
	"time"
)

// Input is our end of a pipe that a program reads.
type Input struct {
	unlink func()   // removes the pipe's name; does not wait for a write
	file   *os.File // we write to it
	other  *os.File // the end that the program reads, where it is a separate file

	mu     sync.Mutex // held during a write, which may be long when the program does not read
	closed bool
}

// NewInput makes a pipe and returns the path under which a program can open it. On Linux that is our open file, which
// has no other name. Elsewhere it is a named pipe in the folder. On Windows the error is errors.ErrUnsupported.
func NewInput(folder func() (string, error)) (path string, in *Input, err error) {
	return makeInput(folder)
}

// Unlink removes the pipe's name, once the program has it open. It may be called again.
func (in *Input) Unlink() { in.unlink() }

// Close ends what the program reads. It waits for a write.
func (in *Input) Close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.shut()
}

// shut ends what the program reads. in.mu is held.
func (in *Input) shut() {
	in.closed = true
	in.file.Close()
	if in.other != nil {
		in.other.Close()
	}
}

// Write writes data until a time, or until one of the contexts ends: then the error is os.ErrDeadlineExceeded. It
// returns the number of bytes written. After all of them it closes the pipe when last is set. The error is os.ErrClosed
// when the pipe was closed before.
func (in *Input) Write(data string, last bool, until time.Time, while ...context.Context) (written int, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return 0, os.ErrClosed
	}
	if err := in.file.SetWriteDeadline(until); err != nil {
		return 0, err
	}
	for _, ctx := range while {
		defer context.AfterFunc(ctx, func() { _ = in.file.SetWriteDeadline(time.Now()) })()
	}
	if written, err = in.file.WriteString(data); err == nil && last {
		in.shut()
	}
	return written, err
}
