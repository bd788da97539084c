package dapclient

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// role is the command that starts this test binary in a role of main_test.go.
func role(t testing.TB, name string, args ...string) Command {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	// Otherwise a program built with -race sleeps for a second at its end.
	env := append(os.Environ(), roleVariable+"="+name, "GORACE=atexit_sleep_ms=0")
	return Command{Path: exe, Args: args, Env: env}
}

// patience is the time limit for what takes milliseconds, on a very busy machine.
const patience = 30 * time.Second

func waitExited(t *testing.T, p *Process) {
	t.Helper()
	select {
	case <-p.Exited():
	case <-time.After(patience):
		t.Fatal("the process did not end")
	}
}

func startStdio(t *testing.T, cmd Command) (*Process, io.ReadWriteCloser) {
	t.Helper()
	p, stream, err := StartStdio(cmd)
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Kill()
		p.Stop(0)
		stream.Close()
	})
	return p, stream
}

func TestStartStdio(t *testing.T) {
	p, stream := startStdio(t, role(t, "echo"))
	assert.Positive(t, p.Pid())
	assert.Empty(t, p.ExitStatus())
	select {
	case <-p.Exited():
		t.Fatal("it has ended")
	default:
	}
	_, err := stream.Write([]byte("hello\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(stream).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "hello\n", line)

	p.Stop(patience)
	assert.Equal(t, "exit status 0", p.ExitStatus())
	_, err = stream.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
	_, err = stream.Write([]byte("x"))
	assert.Error(t, err)
}

func TestStartArguments(t *testing.T) {
	cmd := role(t, "environment", "one", "two words", `"`)
	cmd.Dir = t.TempDir()
	cmd.Env = append(cmd.Env, "BREAKWIRE_TEST_VALUE=7")
	p, stream := startStdio(t, cmd)
	out, err := io.ReadAll(stream)
	require.NoError(t, err)
	waitExited(t, p)
	dir, err := filepath.EvalSymlinks(cmd.Dir)
	require.NoError(t, err)
	parts := strings.Split(strings.TrimSpace(string(out)), "|")
	require.Len(t, parts, 3)
	got, err := filepath.EvalSymlinks(parts[0])
	require.NoError(t, err)
	assert.Equal(t, dir, got)
	assert.Equal(t, []string{`one,two words,"`, "7"}, parts[1:])
}

func TestStartMissing(t *testing.T) {
	_, _, err := StartStdio(Command{Path: "no-such-debug-adapter"})
	assert.ErrorIs(t, err, exec.ErrNotFound)
	assert.ErrorContains(t, err, "start no-such-debug-adapter")

	_, _, err = StartStdio(Command{Path: filepath.Join(t.TempDir(), "absent")})
	assert.ErrorIs(t, err, fs.ErrNotExist)

	// A missing directory must not be reported as a missing adapter.
	cmd := role(t, "echo")
	cmd.Dir = filepath.Join(t.TempDir(), "absent")
	_, _, err = StartStdio(cmd)
	require.ErrorContains(t, err, "working directory")
	assert.NotErrorIs(t, err, fs.ErrNotExist)

	cmd.Dir = cmd.Path
	_, _, err = StartStdio(cmd)
	assert.ErrorContains(t, err, "is not a directory")
}

func TestDiesAtStart(t *testing.T) {
	var log lockedBuffer
	cmd := role(t, "die")
	cmd.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p, stream := startStdio(t, cmd)
	_, err := io.ReadAll(stream)
	require.NoError(t, err)
	waitExited(t, p)
	assert.Equal(t, "exit status 3", p.ExitStatus())
	assert.Equal(t, "libicu is missing\nsecond \uFFFD line\nno line end", p.StderrTail())
	assert.Contains(t, log.String(), `stream=stderr line="libicu is missing"`)
	assert.Contains(t, log.String(), `level=DEBUG`)
}

func TestCrash(t *testing.T) {
	p, stream := startStdio(t, role(t, "crash"))
	_, err := stream.Write([]byte("x"))
	require.NoError(t, err)
	waitExited(t, p)
	assert.Equal(t, "exit status 2", p.ExitStatus())
	assert.Contains(t, p.StderrTail(), "internal error of the adapter")
}

// An adapter whose stderr is not read would block at 64 KiB.
func TestStderrIsDrained(t *testing.T) {
	p, stream := startStdio(t, role(t, "flood"))
	_, err := stream.Write([]byte("still there\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(stream).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "still there\n", line)
	p.Stop(patience)
	tail := p.StderrTail()
	assert.True(t, strings.HasSuffix(tail, "line 19999 of the flood"), tail)
	assert.Equal(t, tailLines, strings.Count(tail, "\n")+1)
}

func TestStopKillsDeafProcess(t *testing.T) {
	p, stream := startStdio(t, role(t, "deaf"))
	_, err := bufio.NewReader(stream).ReadString('\n')
	require.NoError(t, err)
	p.CloseStdin()
	p.CloseStdin()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			p.Stop(10 * time.Millisecond)
			assert.NotEmpty(t, p.ExitStatus())
		})
	}
	all.Wait()
	p.Stop(time.Hour) // returns at once
	assertKilled(t, p)
}

// The adapter's output after our close must not end it with SIGPIPE before it has ended its debuggee.
func TestCloseLetsTheAdapterFinish(t *testing.T) {
	p, stream := startStdio(t, role(t, "talker"))
	line, err := bufio.NewReader(stream).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	require.NoError(t, stream.Close())
	require.NoError(t, stream.Close())
	waitExited(t, p)
	assert.Equal(t, "exit status 0", p.ExitStatus())
	assert.Equal(t, "debuggee ended", p.StderrTail())
	_, err = stream.Read(make([]byte, 1))
	assert.ErrorIs(t, err, os.ErrClosed)
}

func TestCloseInterruptsRead(t *testing.T) {
	_, stream := startStdio(t, role(t, "echo"))
	began, ended := make(chan struct{}), make(chan error)
	go func() {
		close(began)
		_, err := stream.Read(make([]byte, 1))
		ended <- err
	}()
	<-began
	stream.Close()
	select {
	case err := <-ended:
		assert.Error(t, err) // io.EOF when the adapter was faster
	case <-time.After(patience):
		t.Fatal("read goes on")
	}
}

// startParent starts an adapter with a child and returns the child's pid.
func startParent(t *testing.T) (*Process, io.ReadWriteCloser, *bufio.Reader, int) {
	t.Helper()
	p, stream := startStdio(t, role(t, "parent"))
	r := bufio.NewReader(stream)
	var lines []string
	for range 2 { // the child's "ready" and its pid, in either order
		line, err := r.ReadString('\n')
		require.NoError(t, err, p.StderrTail())
		lines = append(lines, strings.TrimSpace(line))
	}
	if lines[0] == "ready" {
		lines[0] = lines[1]
	}
	pid, err := strconv.Atoi(lines[0])
	require.NoError(t, err)
	return p, stream, r, pid
}

func TestGrandchildDoesNotHoldUpTheEnd(t *testing.T) {
	p, _, r, pid := startParent(t)
	child, err := FindProcess(pid)
	require.NoError(t, err)
	p.CloseStdin()
	waitExited(t, p) // although stderr is still open
	assert.Equal(t, "exit status 0", p.ExitStatus())
	_, err = r.ReadByte()
	assert.ErrorIs(t, err, io.EOF) // although stdout is still open

	p.Stop(0)
	assert.True(t, Alive(pid, child.Start), "Stop leaves alone what an adapter that ended by itself left")
	killLeftover(t, p, child)
}

func TestKillReachesTheGroup(t *testing.T) {
	p, _, _, pid := startParent(t)
	child, err := FindProcess(pid)
	require.NoError(t, err)
	p.Kill()
	waitExited(t, p)
	assertKilled(t, p)
	waitGone(t, child)
	p.Kill() // with nothing left to kill
}

func waitGone(t *testing.T, info ProcInfo) {
	t.Helper()
	require.Eventually(t, func() bool { return !Alive(info.Pid, info.Start) }, patience, 5*time.Millisecond)
}

var announcement = regexp.MustCompile(`^DAP server listening at: (\S+)`)

func TestStartAnnounced(t *testing.T) {
	p, conn, err := StartAnnounced(t.Context(), role(t, "listener"), announcement)
	require.NoError(t, err)
	defer conn.Close()
	defer p.Stop(0)
	_, err = conn.Write([]byte("over TCP\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "over TCP\n", line)
	require.Eventually(t, func() bool {
		return strings.Contains(p.StderrTail(), "a line before it\nDAP server listening at: ") &&
			strings.Contains(p.StderrTail(), "accepted one")
	}, patience, time.Millisecond)

	// Our close is not the end of its input; our end is.
	conn.Close()
	assert.Empty(t, p.ExitStatus())
	p.Stop(patience)
	assert.Equal(t, "exit status 0", p.ExitStatus())
}

func TestStartAnnouncedFails(t *testing.T) {
	ctx := t.Context()
	late, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	_, _, err := StartAnnounced(late, role(t, "mute"), announcement)
	require.ErrorIs(t, err, ErrNotAnnounced)
	assert.ErrorIs(t, err, context.DeadlineExceeded)

	_, _, err = StartAnnounced(ctx, role(t, "die"), announcement)
	require.ErrorIs(t, err, ErrNotAnnounced)
	assert.ErrorContains(t, err, "exit status 3")
	assert.ErrorContains(t, err, "libicu is missing")

	_, _, err = StartAnnounced(ctx, Command{Path: "no-such-debug-adapter"}, announcement)
	assert.ErrorIs(t, err, exec.ErrNotFound)

	_, _, err = StartAnnounced(ctx, role(t, "echo"), regexp.MustCompile("listening"))
	assert.ErrorContains(t, err, "no submatch")

	cancelled, cancelNow := context.WithCancelCause(ctx)
	cancelNow(fmt.Errorf("no longer wanted"))
	_, _, err = StartAnnounced(cancelled, role(t, "echo"), announcement)
	assert.ErrorContains(t, err, "no longer wanted")

	// An address where no process listens.
	_, _, err = StartAnnounced(ctx, role(t, "elsewhere"), announcement)
	assert.ErrorContains(t, err, "connect to debug adapter")

	// Its output on stdout before it ended, however late we read it.
	_, _, err = StartAnnounced(ctx, role(t, "environment", "usage: adapter --listen"), announcement)
	require.ErrorIs(t, err, ErrNotAnnounced)
	assert.ErrorContains(t, err, "exit status 0")
	assert.ErrorContains(t, err, "usage: adapter --listen")
}

// The whole: a connection over a child's stdio, whose end all waiting calls get.
func TestConnOverProcess(t *testing.T) {
	p, stream := startStdio(t, role(t, "crash"))
	ended := make(chan error, 1)
	conn := NewConn(stream, Options{OnClose: func(err error) { ended <- err }})
	_, err := conn.Call(t.Context(), patience, "initialize", nil)
	assert.ErrorIs(t, err, ErrClosed)
	waitExited(t, p)
	assert.ErrorIs(t, <-ended, io.EOF)
	assert.Contains(t, p.StderrTail(), "internal error")
	<-conn.Done()
}

func TestTail(t *testing.T) {
	long := strings.Repeat("é", maxLogLine) // twice as many bytes
	many := strings.Repeat("x\n", 100)
	tests := []struct {
		name, in string
		check    func(t *testing.T, lines []string)
	}{
		{"nothing", "", func(t *testing.T, lines []string) { assert.Equal(t, []string{""}, lines) }},
		{"one line", "a\n", func(t *testing.T, lines []string) { assert.Equal(t, []string{"a"}, lines) }},
		{"CRLF and no end", "a\r\nb", func(t *testing.T, lines []string) { assert.Equal(t, []string{"a", "b"}, lines) }},
		{"last 40 lines", many, func(t *testing.T, lines []string) { assert.Len(t, lines, tailLines) }},
		{"a long line comes in pieces at runes", long, func(t *testing.T, lines []string) {
			assert.Equal(t, long, strings.Join(lines, ""))
			assert.Greater(t, len(lines), 1)
		}},
		{"a long line with an end", long + "\nz\n", func(t *testing.T, lines []string) {
			assert.Equal(t, long+"z", strings.Join(lines, ""))
			assert.Equal(t, "z", lines[len(lines)-1])
		}},
		{"bytes that are no UTF-8", strings.Repeat("\x80", 5*maxLogLine), func(t *testing.T, lines []string) {
			assert.NotEmpty(t, lines)
		}},
		{"most is 8 KiB", strings.Repeat(strings.Repeat("y", 1000)+"\n", 30), func(t *testing.T, lines []string) {
			assert.Len(t, lines, 8)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var tl tail
			logged := 0
			drain(oneByOne{strings.NewReader(tt.in)}, &tl, streamStderr, func(s string) {
				logged++
				assert.LessOrEqual(t, len(s), 3*maxLogLine)
			})
			got := tl.String()
			assert.True(t, utf8.ValidString(got))
			assert.LessOrEqual(t, len(got), tailBytes)
			tt.check(t, strings.Split(got, "\n"))
		})
	}
}

func TestTailShowsUnfinishedLine(t *testing.T) {
	var tl tail
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		drain(r, &tl, streamStderr, func(string) {})
		close(done)
	}()
	w.Write([]byte("password: "))
	w.Write(nil) // returns when drain reads again
	assert.Equal(t, "password: ", tl.String())
	tl.line(streamStdout, "of the other stream")
	assert.Equal(t, "of the other stream\npassword: ", tl.String())
	w.Close()
	<-done
}

// oneByOne reads a byte at a time.
type oneByOne struct{ r io.Reader }

func (o oneByOne) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

// lockedBuffer is a buffer for several writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
