package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// printing lists the commands that print.
var printing = [][]string{
	{"version"}, {"help"}, {"help", "view"}, {"--help"}, {"serve", "--help"}, {"man"}, {"completion", "bash"},
	{"completion", "zsh"},
	{"completion", "fish"}, {"completion", "powershell"}, {"config", "--list"}, {"config", "codex"}, {"doctor"},
	{"doctor", "--json"},
	{"demo", "--backend", "replay"}, {"demo"}, {"__complete", ""},
	{"view", "--text", "RECORDING"}, {"view", "-o", "-", "RECORDING"},
	{"view", "--no-source", "-o", os.DevNull, "RECORDING"},
}

// printed runs breakwire with its own standard output, without debuggers.
func printed(t *testing.T, out *os.File, args ...string) (status int, errs string) {
	t.Helper()
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "RECORDING" {
			args[i] = fixtures.Transcript("netcoredbg", "tour-loop")
		}
	}
	var said bytes.Buffer
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stdout, cmd.Stderr = out, &said
	cmd.Env = append(os.Environ(), role+"=breakwire")
	cmd.Run()
	return cmd.ProcessState.ExitCode(), said.String()
}

// A failed write to the output is reported, also by the exit status, by every command.
func TestStandardOutputIsFull(t *testing.T) {
	noDebuggers(t)
	for _, args := range printing {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Skip("no /dev/full here")
			}
			defer full.Close()
			status, errs := printed(t, full, args...)
			assert.Equal(t, exitFailure, status)
			assert.Equal(t, 1, strings.Count(errs, "no space left on device"), errs)
		})
	}
}

// A reader that closes the pipe, as head does, causes no message, and no process is left.
func TestStandardOutputIsClosed(t *testing.T) {
	noDebuggers(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, args := range printing {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer w.Close()
			r.Close()
			status, errs := printed(t, w, args...)
			assert.NotEqual(t, exitOK, status)
			if args[0] != "config" && args[0] != "__complete" { // these report another error there
				assert.Empty(t, errs)
			}
			left, err := filepath.Glob(filepath.Join(temp, "*"))
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}
