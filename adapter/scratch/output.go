package scratch

import (
	"os"
	"time"
)

// Output is our end of a pipe that a program writes to.
type Output struct {
	file   *os.File
	opened func()
}

// NewOutput makes a pipe and returns the path under which a program can open it for writing. On Linux that is our open
// file, elsewhere a named pipe in the folder. On Windows the error is errors.ErrUnsupported.
func NewOutput(folder func() (string, error)) (path string, out *Output, err error) {
	return makeOutput(folder)
}

// Opened says that the program has the pipe open: its name goes, and its end comes when the program ends. It may be
// called again.
func (out *Output) Opened() { out.opened() }

// Read waits for what the program writes.
func (out *Output) Read(b []byte) (int, error) { return out.file.Read(b) }

// ReadUntil bounds the time of Read.
func (out *Output) ReadUntil(t time.Time) { _ = out.file.SetReadDeadline(t) }

// Close ends Read.
func (out *Output) Close() { out.file.Close() }
