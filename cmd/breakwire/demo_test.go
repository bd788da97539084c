package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// noDebuggers hides every debugger of this machine.
func noDebuggers(t *testing.T) {
	t.Helper()
	for _, v := range []string{"NETCOREDBG_PATH", "DLV_PATH"} {
		t.Setenv(v, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
}

func TestDemoOfARecording(t *testing.T) {
	cases := []struct {
		name string
		args []string
		set  func(t *testing.T)
		why  string
	}{
		{"asked for", []string{"demo", "--backend", "replay"}, noDebuggers, "Why a recording: asked for."},
		{"nothing installed", []string{"demo"}, noDebuggers, "Why a recording: no debugger can be used: "},
		{"a debugger that cannot start anything", []string{"demo"}, func(t *testing.T) {
			t.Setenv("NETCOREDBG_PATH", os.DevNull)
			t.Setenv("DLV_PATH", os.Args[0])
			t.Setenv(role, "refuse")
		}, "operation not permitted"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.set(t)
			var out, said bytes.Buffer
			status := run(context.Background(), c.args, streams{in: strings.NewReader(""), out: &out, err: &said})
			assert.Equal(t, exitOK, status, "%s%s", out.String(), said.String())
			assert.Empty(t, said.String())
			for _, want := range []string{c.why, "pass 3: the sum is 5", "i + sum is 11", "sum is 41", "exit code 0",
				"| done sum=57", "mcpServers"} {
				assert.Contains(t, out.String(), want)
			}
		})
	}
}

func TestDemoOfAMissingDebugger(t *testing.T) {
	noDebuggers(t)
	var out, said bytes.Buffer
	status := run(context.Background(), []string{"demo", "--backend", "netcoredbg"},
		streams{in: strings.NewReader(""), out: &out, err: &said})
	assert.Equal(t, exitFailure, status, "what was asked for by name is not replaced")
	assert.Contains(t, said.String(), "netcoredbg was not found")
}
