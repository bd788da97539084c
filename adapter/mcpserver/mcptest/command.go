package mcptest

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Command is a Client of a server in a process of its own.
type Command struct {
	*Client
	cmd   *exec.Cmd
	log   logBuffer
	ended chan struct{} // closed when the process was reaped
	err   error         // of the process, after that
}

// Run starts a server's executable and does the handshake. The server ends with the test.
func Run(tb testing.TB, executable string, args ...string) *Command {
	tb.Helper()
	c := Spawn(tb, executable, args...)
	c.handshake()
	return c
}

// Spawn is Run without the handshake.
func Spawn(tb testing.TB, executable string, args ...string) *Command {
	tb.Helper()
	serverIn, clientOut, err := os.Pipe()
	require.NoError(tb, err)
	clientIn, serverOut, err := os.Pipe()
	require.NoError(tb, err)
	c := &Command{Client: newClient(tb, clientOut, clientIn), cmd: exec.Command(executable, args...),
		ended: make(chan struct{})}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = serverIn, serverOut, &c.log
	// A child of the server that keeps the log's pipe open must not delay the end of the test.
	c.cmd.WaitDelay = time.Second
	err = c.cmd.Start()
	serverIn.Close()
	serverOut.Close()
	if err != nil {
		clientOut.Close()
	}
	require.NoError(tb, err)
	go func() {
		defer close(c.ended)
		c.err = c.cmd.Wait()
	}()
	tb.Cleanup(func() {
		c.Close()
		select {
		case <-c.ended:
		case <-time.After(Patience):
			tb.Errorf("the server's process did not end")
			_ = c.cmd.Process.Kill()
			<-c.ended
		}
		if tb.Failed() {
			tb.Logf("the server's log:\n%s", c.log.String())
		}
	})
	return c
}

// Pid returns the server's process id.
func (c *Command) Pid() int { return c.cmd.Process.Pid }

// Signal sends a signal to the server.
func (c *Command) Signal(s os.Signal) {
	c.tb.Helper()
	require.NoError(c.tb, c.cmd.Process.Signal(s))
}

// Ended waits for the end of the process and returns its state.
func (c *Command) Ended() *os.ProcessState {
	c.tb.Helper()
	select {
	case <-c.ended:
	case <-time.After(Patience):
		c.tb.Fatalf("the server did not end; received:\n%s", c.dump())
	}
	return c.cmd.ProcessState
}

// Log returns what the server has written to standard error.
func (c *Command) Log() string { return c.log.String() }

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
