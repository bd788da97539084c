package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"breakwire/fixtures"
)

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// screen is a terminal with the text that was written to it.
type screen struct {
	terminal *os.File
	master   *os.File
	read     sync.WaitGroup

	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// newScreen opens a pseudo terminal of 100 columns.
func newScreen(t *testing.T) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100}))
	s := &screen{terminal: terminal, master: master}
	s.read.Go(func() { io.Copy(s, master) }) // ends with EIO when the terminal is closed
	return s
}

// said closes the terminal and returns all that was written to it.
func (s *screen) said() string {
	s.terminal.Close()
	s.read.Wait()
	s.master.Close()
	return s.String()
}

// onScreen runs the program with its standard output, its standard error or both on a terminal. It returns the text
// that each got.
func onScreen(t *testing.T, exe string, env []string, outThere, errThere bool, args ...string) (out, errs string) {
	t.Helper()
	cmd := exec.Command(exe, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), append([]string{"TERM=xterm", "NO_COLOR="}, env...)...)
	var outText, errText bytes.Buffer
	var outScreen, errScreen *screen
	cmd.Stdout, cmd.Stderr = &outText, &errText
	if outThere {
		outScreen = newScreen(t)
		cmd.Stdout = outScreen.terminal
	}
	if errThere {
		errScreen = newScreen(t)
		cmd.Stderr = errScreen.terminal
	}
	_ = cmd.Run() // the doctor's status depends on the machine
	out, errs = outText.String(), errText.String()
	if outThere {
		out = outScreen.said()
	}
	if errThere {
		errs = errScreen.said()
	}
	return out, errs
}

// Colours appear only on a terminal, and only if the user wants them.
func TestColoursOnATerminal(t *testing.T) {
	exe, recording := fixtures.Breakwire(t), fixtures.Transcript("netcoredbg", "tour-loop")
	fixtures.HideDebuggers(t)
	for _, c := range []struct {
		name     string
		env      []string
		terminal bool
		want     bool
	}{
		{"a terminal", nil, true, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, true, false},
		{"dumb", []string{"TERM=dumb"}, true, false},
		{"a pipe", nil, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, args := range [][]string{{"view", "--text", recording}, {"doctor"}, {"demo", "--backend", "replay"}} {
				out, _ := onScreen(t, exe, c.env, c.terminal, false, args...)
				require.NotEmpty(t, out, args)
				assert.Equal(t, c.want, strings.Contains(out, "\x1b["), "%v: %q", args, out)
			}
		})
	}
	out, _ := onScreen(t, exe, nil, true, false, "view", "--text", recording)
	for line := range strings.Lines(out) {
		assert.LessOrEqual(t, len([]rune(escapes.ReplaceAllString(strings.TrimSpace(line), ""))), 100,
			"%q fits the terminal", line)
	}
}

// A long task shows a line on a terminal, and erases it afterwards.
func TestProgressOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	s := newScreen(t)
	done := waiting(s.terminal, "asking")
	require.Eventually(t, func() bool { return s.String() != "" }, 20*time.Second, time.Millisecond)
	done()
	assert.Equal(t, "\rasking ...\r\x1b[K", s.said())

	s = newScreen(t)
	waiting(s.terminal, "asking")()
	assert.Empty(t, s.said(), "nothing is said of what is quick")

	s = newScreen(t)
	p := newProgress(s.terminal, "reading", 200)
	p.next = time.Time{}
	io.WriteString(p, strings.Repeat("x", 50))
	p.done()
	assert.Equal(t, "\rreading: 25 %\r\x1b[K", s.said())

	t.Setenv("TERM", "dumb")
	s = newScreen(t)
	p = newProgress(s.terminal, "reading", 200)
	p.next = time.Time{}
	io.WriteString(p, strings.Repeat("x", 50))
	p.done()
	assert.Empty(t, s.said())
}

// When a debugger takes long to answer, the doctor shows it only on standard error, and only on a terminal.
func TestDoctorSaysThatItWaits(t *testing.T) {
	exe := fixtures.Breakwire(t)
	slow := filepath.Join(t.TempDir(), "netcoredbg")
	require.NoError(t, os.WriteFile(slow, []byte("#!/bin/sh\nsleep 1\n"), 0o755))
	fixtures.HideDebuggers(t)
	env := []string{"NETCOREDBG_PATH=" + slow, "PATH=/usr/bin:/bin"}
	out, errs := onScreen(t, exe, env, false, true, "doctor")
	assert.Contains(t, errs, "\rasking the debuggers ...")
	assert.True(t, strings.HasSuffix(errs, "\r\x1b[K"), "%q", errs)
	assert.NotContains(t, out, "asking")
	_, errs = onScreen(t, exe, env, true, false, "doctor")
	assert.Empty(t, errs)
}
