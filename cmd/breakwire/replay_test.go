package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/transcript"
	"breakwire/fixtures"
)

// served is a client of a server with the given flags.
type served struct {
	*mcptest.Client
	end func()
}

// Close ends the server. Then its recordings are complete.
func (s served) Close() {
	s.Client.Close()
	s.end()
}

// serveFor starts a server with these flags and a client.
func serveFor(t *testing.T, change func(*config)) served {
	t.Helper()
	cfg := newConfig()
	cfg.backend, cfg.traceLimit, cfg.notify, cfg.logLevel = "auto", 2000, "all", "error"
	change(cfg)
	require.NoError(t, cfg.check())
	m, closeManager, err := newManager(cfg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(closeManager)
	return served{mcptest.Serve(t, m, mcpserver.Options{}), closeManager}
}

// loopSession debugs the Go loop program and returns the results of all calls.
func loopSession(c served, program string) (results []mcptest.Result) {
	source := fixtures.GoSource("loop")
	for _, call := range []struct {
		tool string
		args mcptest.Args
	}{
		{"breakpoint_set", mcptest.Args{"file": source, "line": 27, "hit_condition": "2"}},
		{"tracepoint_set", mcptest.Args{"file": source, "line": 12, "log_message": "{i} makes {square}",
			"max_notifications": 3}},
		{"debug_launch", mcptest.Args{"program": program, "args": []string{"6"}}},
		{"debug_continue", mcptest.Args{"wait": true}},
		{"stacktrace_get", nil},
		{"variables_get", nil},
		{"evaluate", mcptest.Args{"expression": "i + sum"}},
		{"evaluate", mcptest.Args{"expression": "nosuch"}},
		{"debug_step", mcptest.Args{"mode": "in"}},
		{"debug_step", mcptest.Args{}},
		{"variables_get", nil},
		{"debug_step", mcptest.Args{"mode": "out"}},
		{"debug_run_to", mcptest.Args{"file": source, "line": 28}},
		{"breakpoint_list", nil},
		{"debug_continue", mcptest.Args{"wait": true}},
		{"breakpoint_list", nil},
		{"process_read_output", mcptest.Args{"tail_lines": 20}},
	} {
		results = append(results, c.Call(call.tool, call.args))
	}
	return results
}

// varying are members that depend on the moment or on this machine, so a recording does not have them: about the
// process and its input, and which variables are arguments, from the program's symbols.
var varying = []string{
	"seq", "lastSeq", "timestamp", "attachedAt", "executablePath", "workingDirectory", "processName", "backendReason",
	"scope", "stdin",
}

// steady removes them.
func steady(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range varying {
			delete(v, key)
		}
		for _, x := range v {
			steady(x)
		}
	case []any:
		for _, x := range v {
			steady(x)
		}
	}
	return v
}

func texts(results []mcptest.Result) (texts []string) {
	for _, r := range results {
		raw, _ := json.Marshal(steady(r.Get("")))
		texts = append(texts, string(raw))
	}
	return texts
}

// logged returns the messages of the received tracepoint hits.
func logged(c served) (messages []string) {
	for _, n := range c.Notifications("debugger/breakpointHit") {
		if n.String("type") == "tracepoint" {
			messages = append(messages, n.String("logMessage"))
		}
	}
	return messages
}

// TestReplayIsLikeTheLiveSession checks that the same calls get the same answers from a recording as from Delve,
// whether the server or the proxy recorded it.
func TestReplayIsLikeTheLiveSession(t *testing.T) {
	dlv, program := fixtures.Delve(t), fixtures.BuildGo(t, "loop")
	cases := []struct {
		name string
		live func(t *testing.T, cfg *config, file string)
	}{
		{"serve --record", func(_ *testing.T, cfg *config, file string) {
			cfg.backend, cfg.backendPath, cfg.record = "dlv", dlv, file
		}},
		{"record", func(t *testing.T, cfg *config, file string) {
			t.Setenv(role, "breakwire")
			cfg.backend = "dlv"
			cfg.rawCmd = `"` + os.Args[0] + `" record --out "` + file + `" --listen 127.0.0.1:0 -- "` + dlv +
				`" dap --listen=127.0.0.1:0`
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "s.jsonl")
			live := serveFor(t, func(cfg *config) { c.live(t, cfg, file) })
			want := texts(loopSession(live, program))
			live.Close()
			require.Equal(t, []string{"0 makes 0", "1 makes 1", "2 makes 4"}, logged(live))

			rec, err := transcript.Open(file)
			require.NoError(t, err)
			require.Equal(t, "dlv", rec.Backend)
			rec.Close()
			replay := serveFor(t, func(cfg *config) { cfg.transcript, cfg.projectRoot = file, fixtures.Program("go") })
			got := texts(loopSession(replay, "/nowhere/"+filepath.Base(program)))
			replay.Close()
			require.Len(t, got, len(want))
			for i := range want {
				assert.JSONEq(t, want[i], got[i], "call %d", i+1)
			}
			assert.Equal(t, logged(live), logged(replay))
		})
	}
}

// TestRecordOneFileASession: a server writes each session to a file of its own.
func TestRecordOneFileASession(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	c := serveFor(t, func(cfg *config) {
		cfg.transcript, cfg.record = fixtures.Transcript("netcoredbg", "stop-at-entry"), file
	})
	for range 2 {
		require.Equal(t, "entry", c.Do("debug_launch", mcptest.Args{"program": "x.dll"}).String("stop.reason"))
		require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	}
	c.Close()
	for _, name := range []string{"s.jsonl", "s-2.jsonl"} {
		again := serveFor(t, func(cfg *config) { cfg.transcript = filepath.Join(filepath.Dir(file), name) })
		require.Equal(t, "entry", again.Do("debug_launch", mcptest.Args{"program": "y.dll"}).String("stop.reason"))
		require.Equal(t, 15, again.Do("debug_state", nil).Int("stop.location.line"))
		again.Close()
	}
}

func TestReplayTakesAnyStart(t *testing.T) {
	starts := []struct {
		tool string
		args mcptest.Args
	}{
		{"debug_launch", mcptest.Args{"program": "relative.exe", "cwd": "/no/such", "backend": "dlv",
			"env": map[string]any{"A": nil}}},
		{"debug_launch", mcptest.Args{"program": "/src", "backend": "auto", "just_my_code": false}},
		{"debug_attach", mcptest.Args{"pid": 1}},
		{"debug_attach", mcptest.Args{"process_name": "whatever"}},
	}
	for _, s := range starts {
		raw, _ := json.Marshal(s.args)
		t.Run(s.tool+string(raw), func(t *testing.T) {
			c := serveFor(t, func(cfg *config) { cfg.transcript = fixtures.Transcript("netcoredbg", "tour-loop") })
			r := c.Do(s.tool, s.args)
			require.Equal(t, "netcoredbg", r.String("session.backend"))
			require.Equal(t, 21, r.Int("stop.location.line"))
		})
	}
}

// TestReplayRefusals checks that a request that is not in the recording is refused with the next recorded one, and
// has no effect.
func TestReplayRefusals(t *testing.T) {
	c := serveFor(t, func(cfg *config) { cfg.transcript = fixtures.Transcript("netcoredbg", "tour-loop") })
	c.Do("debug_launch", mcptest.Args{"program": "x.dll", "stop_at_entry": false})
	cases := []struct {
		code fault.Code
		tool string
		args mcptest.Args
		want string
	}{
		{fault.EvalFailed, "evaluate", mcptest.Args{"expression": "w * 99"},
			`evaluate ("w * 99", frame 0) is not in the recording, next is continue (thread 3139)`},
		{fault.NotSupported, "debug_step", mcptest.Args{"mode": "over"},
			"next (thread 3139) is not in the recording, next is continue (thread 3139)"},
	}
	for _, x := range cases {
		r := c.Refused(x.code, x.tool, x.args)
		require.Contains(t, r.String("error.message"), x.want)
	}
	require.Equal(t, "paused", c.Do("debug_state", nil).String("session.state"))
	require.Equal(t, "breakpoint", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
}

// TestReplayOfNoRecording checks that a damaged, truncated or other file is refused with its line before the server
// starts.
func TestReplayOfNoRecording(t *testing.T) {
	good, err := os.ReadFile(fixtures.Transcript("netcoredbg", "stop-at-entry"))
	require.NoError(t, err)
	lines := bytes.SplitAfter(good, []byte("\n"))
	cases := []struct {
		name string
		text []byte
		want string
	}{
		{"cut", good[:len(bytes.Join(lines[:7], nil))-20], "line 7: damaged: the line is cut off"},
		{"damaged", bytes.Replace(good, []byte(`"dir": "recv"`), []byte(`"dir": recv"`), 1), "line 2: damaged: not JSON"},
		{"foreign JSON", []byte("{\"a\":1}\n"), `line 1: not a recorded message: no "dir"`},
		{"foreign", []byte("[package]\nname = \"x\"\n"), "line 1: damaged: not JSON"},
		{"empty", nil, "line 1: the recording is empty"},
		{"of the future", []byte("{\"breakwire\":99}\n"), "line 1: written by a newer breakwire"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "s.jsonl")
			require.NoError(t, os.WriteFile(file, c.text, 0o600))
			var out, said bytes.Buffer
			status := run(context.Background(), []string{"--backend", "replay", "--transcript", file},
				streams{in: strings.NewReader(""), out: &out, err: &said})
			assert.Equal(t, exitFailure, status)
			assert.Empty(t, out.String())
			assert.Contains(t, said.String(), file+": "+c.want)
		})
	}
	var said bytes.Buffer
	status := run(context.Background(), []string{"--transcript", filepath.Join(t.TempDir(), "none")},
		streams{in: strings.NewReader(""), out: io.Discard, err: &said})
	assert.Equal(t, exitFailure, status)
	assert.Contains(t, said.String(), "open the recording")
}
