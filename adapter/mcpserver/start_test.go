package mcpserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"

	"github.com/stretchr/testify/require"
)

// What cannot be started is refused before a debugger starts, each case with its own code, and leaves no session.
func TestStartRefused(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(text, []byte("no program\n"), 0o644))
	exe, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("DLV_PATH", exe) // found but never started
	library := filepath.Join(dir, "library")
	for file, text := range map[string]string{
		"x.go": "package x\n", "x_test.go": "package x\n", "gen.go": "//go:build ignore\n\npackage main\n",
		"cmd/app/main.go": "package main\n", "testdata/p/main.go": "package main\n",
	} {
		file = filepath.Join(library, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	app, err := json.Marshal(filepath.Join(library, "cmd", "app"))
	require.NoError(t, err)
	below := "such as in " + string(app[1:len(app)-1])
	s := played(t, "talk")
	for _, test := range []struct {
		name string
		tool string
		args mcptest.Args
		code fault.Code
		says string
	}{
		{"missing program", "debug_launch", mcptest.Args{"program": filepath.Join(dir, "nosuch")}, fault.InvalidPath,
			"nosuch"},
		{"program in a missing folder", "debug_launch", mcptest.Args{"program": filepath.Join(dir, "a", "b")},
			fault.InvalidPath, "program"},
		{"missing cwd", "debug_launch", mcptest.Args{"program": exe, "cwd": filepath.Join(dir, "nosuch")},
			fault.InvalidPath, "cwd"},
		{"cwd is a file", "debug_launch", mcptest.Args{"program": exe, "cwd": text}, fault.InvalidPath, "not a folder"},
		{"not a program", "debug_launch", mcptest.Args{"program": text, "backend": "auto"}, fault.LaunchFailed,
			"notes.txt"},
		{"unknown backend", "debug_launch", mcptest.Args{"program": exe, "backend": "netcoredb"},
			fault.InvalidParameter, "did you mean netcoredbg"},
		{"folder of a Go library", "debug_launch", mcptest.Args{"program": library, "backend": "auto"},
			fault.InvalidPath, "holds package x; what can be launched is a package main, " + below},
		{"folder of a Go library with tests", "debug_launch", mcptest.Args{"program": library, "backend": "auto"},
			fault.InvalidPath, "its tests are launched by one of their files: "},
		{"folder without Go", "debug_launch", mcptest.Args{"program": filepath.Join(library, "cmd"), "backend": "auto"},
			fault.InvalidPath, "holds no Go files; what can be launched is a package main, " + below},
		{"file of a Go library", "debug_launch", mcptest.Args{"program": filepath.Join(library, "x.go"),
			"backend": "dlv"}, fault.InvalidPath, "is a file of package x; what can be launched is a package main, " + below},
		{"no program", "debug_launch", mcptest.Args{}, fault.InvalidParameter, `\"program\" is required`},
		{"unknown argument", "debug_launch", mcptest.Args{"program": exe, "stop_on_entry": true},
			fault.InvalidParameter, `did you mean \"stop_at_entry\"?`},
		{"args of the wrong type", "debug_launch", mcptest.Args{"program": exe, "args": "a b"},
			fault.InvalidParameter, `\"args\" must be a list`},
		{"env of the wrong type", "debug_launch", mcptest.Args{"program": exe, "env": map[string]any{"N": 1}},
			fault.InvalidParameter, `\"env\"`},
		{"NUL in args", "debug_launch", mcptest.Args{"program": exe, "args": []string{"a", "b\x00c"}},
			fault.InvalidParameter, "args[1]"},
		{"timeout of the wrong type", "debug_launch", mcptest.Args{"program": exe, "timeout_ms": "soon"},
			fault.InvalidParameter, `\"timeout_ms\"`},
		{"pid that does not exist", "debug_attach", mcptest.Args{"pid": somePid(t)}, fault.ProcessNotFound, "no process"},
		{"our own pid", "debug_attach", mcptest.Args{"pid": os.Getpid(), "backend": "dlv"}, fault.AttachFailed,
			"breakwire server itself"},
		{"pid and name", "debug_attach", mcptest.Args{"pid": 1, "process_name": "x"}, fault.InvalidParameter, "exclude"},
		{"neither", "debug_attach", nil, fault.InvalidParameter, "pid"},
		{"no such name", "debug_attach", mcptest.Args{"process_name": "no-such-process-here"}, fault.ProcessNotFound,
			"no-such-process-here"},
		{"pid 0", "debug_attach", mcptest.Args{"pid": -4}, fault.InvalidParameter, `\"pid\"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := s.Refused(test.code, test.tool, test.args)
			require.Contains(t, string(r.Raw), test.says)
			require.Equal(t, "disconnected", s.state())
		})
	}
	require.Empty(t, s.Notifications("debugger/sessionStateChanged"))
}

func TestAdapterNotInstalled(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	missing := filepath.Join(t.TempDir(), "dlv")

	t.Run("by its variable", func(t *testing.T) {
		t.Setenv("DLV_PATH", missing)
		s := &session{Client: mcptest.Serve(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{})}
		r := s.Refused(fault.BackendNotFound, "debug_launch", mcptest.Args{"program": exe, "backend": "dlv"})
		require.Contains(t, r.String("error.message"), "go install", "how to get it")
		require.Contains(t, r.Strings("error.details.looked"), missing)
	})
	t.Run("nowhere on PATH", func(t *testing.T) {
		t.Setenv("DLV_PATH", "")
		t.Setenv("PATH", t.TempDir())
		t.Setenv("HOME", t.TempDir())
		s := &session{Client: mcptest.Serve(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{})}
		r := s.Refused(fault.BackendNotFound, "debug_launch", mcptest.Args{"program": exe, "backend": "dlv"})
		require.Contains(t, r.String("error.message"), "DLV_PATH")
	})
	t.Run("its executable has gone", func(t *testing.T) {
		p := dapclient.Generic("gone")
		s := &session{Client: mcptest.Serve(t, adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{
			Default: "gone",
			Custom:  map[string]adapter.Backend{"gone": {Profile: p, Local: true, Open: adapter.Spawn(p, missing, nil)}},
		}}), mcpserver.Options{})}
		s.Refused(fault.BackendNotFound, "debug_launch", mcptest.Args{"program": exe})
		require.Equal(t, "terminated", s.state())
		require.Equal(t, "start_failed", s.Do("debug_state", nil).String("session.endReason"))
	})
}

// An interpreter that hangs when asked for debugpy does not delay a launch beyond its time limit.
func TestInterpreterThatHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	hangs, script := filepath.Join(dir, "python3"), filepath.Join(dir, "a.py")
	require.NoError(t, os.Symlink(exe, hangs))
	require.NoError(t, os.WriteFile(script, nil, 0o600))
	t.Setenv("DEBUGPY_PYTHON", "")
	t.Setenv("PATH", dir)
	t.Setenv(mcpserver.RoleVariable, "sleeper")
	s := &session{Client: mcptest.Serve(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{})}
	r := s.Refused(fault.BackendNotFound, "debug_launch", mcptest.Args{"program": script, "timeout_ms": 100})
	require.Contains(t, r.String("error.message"), hangs+" does not say")
	all, err := dapclient.Processes()
	require.NoError(t, err)
	for _, p := range all {
		require.NotContains(t, p.Args, hangs, "it is left running")
	}
}

// An adapter that ends during its start is reported with its exit status and its last output.
func TestAdapterDiesAtStart(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	for _, test := range []struct {
		role string
		says []string
	}{
		{"die", []string{"exit status 3", "libicu is missing"}},
		{"dieAtLaunch", []string{"exit status 4", "no ptrace for you"}},
	} {
		t.Run(test.role, func(t *testing.T) {
			s := played(t, test.role)
			began := time.Now()
			r := s.Refused(fault.BackendStartFailed, "debug_launch", mcptest.Args{"program": exe})
			require.Less(t, time.Since(began), mcptest.Patience)
			for _, says := range test.says {
				require.Contains(t, r.String("error.message"), says)
			}
			require.Equal(t, "terminated", s.state())
			s.Refused(fault.NoSession, "debug_continue", nil)
			require.Eventually(t, func() bool { // also what it had launched without a report
				all, err := dapclient.Processes()
				require.NoError(t, err)
				return !slices.ContainsFunc(all, func(p dapclient.ProcInfo) bool {
					return slices.Equal(p.Args, []string{exe, debuggeeOfTalk})
				})
			}, mcptest.Patience, 10*time.Millisecond)
		})
	}
}

// An adapter whose connection ends first has a moment to end by itself, because its exit status gives the reason.
func TestConnectionEndsAtStart(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	attempts(t, func(t *testing.T) bool { // the moment is short for a busy machine
		s := played(t, "hangUp")
		r := s.Refused(fault.BackendStartFailed, "debug_launch", mcptest.Args{"program": exe})
		return strings.Contains(r.String("error.message"), "exit status 4")
	})
}

func TestAdapterSaysNothing(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	s := played(t, "deaf")
	r := s.Refused(fault.Timeout, "debug_launch", mcptest.Args{"program": exe, "timeout_ms": 100})
	require.Contains(t, r.String("error.message"), "played")
	require.Equal(t, "terminated", s.state())
}

// A start that times out is answered at once, whatever it waits for. Cleanup follows in the background; the next
// start waits for it.
func TestStartThatHangs(t *testing.T) {
	ignored := func(*dapclient.Message) daptest.Action { return daptest.Action{Swallow: true} }
	for _, stuck := range []string{"initialize", "attach", "setBreakpoints", "configurationDone"} {
		t.Run(stuck, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hangs := true
				var first *daptest.Adapter
				m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), loop(1), func(a *daptest.Adapter) {
					if hangs {
						a.OnRequest(stuck, ignored)
						a.OnRequest("disconnect", ignored)
						first = a
						return
					}
					synctest.Wait()
					select {
					case <-first.Done():
					default:
						t.Error("the next debugger is started beside the one that hangs")
					}
				})
				defer m.Close()
				_, _, err := m.SetBreakpoint(t.Context(), breakpoint.Spec{Kind: breakpoint.Blocking, File: source, Line: 10})
				require.NoError(t, err)
				began := time.Now()
				_, err = m.Attach(t.Context(), "", adapter.AttachParams{AttachRequest: adapter.AttachRequest{Pid: 4242},
					Timeout: time.Second})
				require.Equal(t, fault.Timeout, fault.CodeOf(err), "%v", err)
				require.ErrorContains(t, err, "dlv did not answer within 1s")
				require.Equal(t, time.Second, time.Since(began))
				require.Empty(t, m.Sessions())
				last, err := m.Readable("")
				require.NoError(t, err)
				require.Equal(t, adapter.EndStartFailed, last.Snapshot().EndReason)

				hangs = false
				_, err = m.Attach(t.Context(), "", adapter.AttachParams{AttachRequest: adapter.AttachRequest{Pid: 4242},
					Timeout: time.Second})
				require.Equal(t, fault.Timeout, fault.CodeOf(err), "it has no time to wait for the first")
				require.ErrorContains(t, err, "still being ended")
				_, err = m.Attach(t.Context(), "", adapter.AttachParams{AttachRequest: adapter.AttachRequest{Pid: 4242},
					Timeout: 5 * time.Second})
				require.NoError(t, err)
				require.NotSame(t, first, fakes.Last())
				require.Less(t, time.Since(began), 5*time.Second)
			})
		})
	}
}

// A start that is ended while the adapter initializes launches nothing.
func TestDisconnectDuringInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ready, answer := daptest.Gate()
		defer answer()
		m, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), loop(1), func(a *daptest.Adapter) {
			a.Once("initialize", daptest.Action{Until: ready, Aside: true})
			a.OnRequest("disconnect", func(*dapclient.Message) daptest.Action { return daptest.Swallow() })
		})
		defer m.Close()
		started, ended := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := m.Attach(t.Context(), "", adapter.AttachParams{AttachRequest: adapter.AttachRequest{Pid: 4242},
				Timeout: time.Second})
			started <- err
		}()
		synctest.Wait()
		s, err := m.Session("")
		require.NoError(t, err)
		go func() {
			_, err := s.Disconnect(t.Context(), nil)
			ended <- err
		}()
		synctest.Wait()
		answer()
		synctest.Wait()
		require.Equal(t, 1, fakes.Last().Count("disconnect"))
		require.Zero(t, fakes.Last().Count("attach"))
		require.Error(t, <-started)
		require.Empty(t, m.Sessions(), "the start is answered when its session has ended, also where its time is over before")
		require.NoError(t, <-ended)
	})
}

// The reason of a failed start comes in a different answer with each adapter.
func TestLaunchFails(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		p := loop(1)
		p.LaunchError = "0x80070002"
		if name != "netcoredbg" {
			p.LaunchError = "could not launch process: not an executable file"
		}
		s := serve(t, name, shape, p)
		r := s.Refused(fault.LaunchFailed, "debug_launch", mcptest.Args{"program": program})
		require.Equal(t, 1, strings.Count(string(r.Raw), p.LaunchError), "%s", r.Raw)
		require.Equal(t, name, r.String("error.details.backend"))
		if name == "netcoredbg" {
			require.Contains(t, r.String("error.message"), "dotnet", "the code is explained")
		}
		require.Equal(t, "terminated", s.state())
		require.Equal(t, "start_failed", s.Do("debug_state", nil).String("session.endReason"))
		<-s.adapter().Done()

		s = serve(t, name, shape, p)
		r = s.Refused(fault.AttachFailed, "debug_attach", mcptest.Args{"pid": 4242})
		require.Equal(t, 4242, r.Int("error.details.processId"))
	})
}

// A program that ends before debug_launch answers is reported in its result.
func TestProgramThatEndsAtOnce(t *testing.T) {
	quick := daptest.Program{ExitCode: 3, Threads: []daptest.Thread{{Code: daptest.Lines(
		daptest.Step{File: source, Line: 1, Func: "main.main", Stdout: "out of quick\n"},
		daptest.Step{File: source, Line: 2, Func: "main.main", Stderr: "err of quick\n"},
	)}}}
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, quick)
		r := s.launch(t)
		require.Equal(t, "terminated", r.String("session.state"))
		require.Equal(t, "exited", r.String("session.endReason"))
		require.Equal(t, 3, r.Int("exitCode"))
		require.Equal(t, 3, r.Int("session.exitCode"))
		tail := strings.ReplaceAll(r.String("outputTail"), "\r", "") // lldb-dap reads from a terminal
		require.Contains(t, tail, "out of quick\n")
		require.Contains(t, tail, "err of quick\n")
		require.False(t, r.Has("stop"))
		// The end is returned only once.
		s.Refused(fault.NoSession, "breakpoint_wait", nil)
		<-s.adapter().Done()
	})
}

// Setting a variable works everywhere. Unsetting works where the adapter can, or where we start the adapter and omit
// the variable from its environment.
func TestEnvironment(t *testing.T) {
	env := map[string]any{"SET": "1", "GONE": nil}
	t.Run("dlv takes null", func(t *testing.T) {
		s := serve(t, "dlv", daptest.Delve(), loop(1))
		s.Do("debug_launch", mcptest.Args{"program": program, "env": env, "stop_at_entry": false})
		var sent struct{ Env map[string]*string }
		require.NoError(t, json.Unmarshal(s.adapter().Requests("launch")[0].Arguments, &sent))
		require.Equal(t, "1", *sent.Env["SET"])
		require.Contains(t, sent.Env, "GONE")
		require.Nil(t, sent.Env["GONE"])
	})
	t.Run("netcoredbg never gets a null, and does not ignore it", func(t *testing.T) {
		s := netcoredbg(t, loop(1))
		r := s.Refused(fault.NotSupported, "debug_launch",
			mcptest.Args{"program": program, "env": env, "stop_at_entry": false})
		require.Contains(t, r.String("error.message"), "GONE")
		s.Do("debug_launch", mcptest.Args{"program": program, "env": map[string]any{"SET": "1"}, "stop_at_entry": false})
		var sent struct{ Env map[string]*string }
		require.NoError(t, json.Unmarshal(s.adapter().Requests("launch")[0].Arguments, &sent))
		require.Len(t, sent.Env, 1)
	})
	t.Run("an adapter that we start is started without it", func(t *testing.T) {
		t.Setenv("BREAKWIRE_TEST_UNSET", "still here")
		exe, err := os.Executable()
		require.NoError(t, err)
		seen := func(env map[string]any) string {
			s := played(t, "talk", func(o *adapter.Options) {
				b := o.Backends.Custom["played"]
				p := *b.Profile
				p.NoEnvNull = true
				b.Profile = &p
				o.Backends.Custom["played"] = b
			})
			s.Do("debug_launch", mcptest.Args{"program": exe, "env": env, "stop_at_entry": false})
			defer s.Do("debug_disconnect", nil)
			return s.events("output")[0].String("text")
		}
		require.Contains(t, seen(nil), "unset=still here\n")
		require.Contains(t, seen(map[string]any{"BREAKWIRE_TEST_UNSET": nil}), "unset=\n")
	})
}

// events returns the events of one type from the journal.
func (s *session) events(kind string) []mcptest.Result {
	r := s.Do("events_query", mcptest.Args{"types": []string{kind}, "limit": 1000,
		"max_bytes": 1 << 18})
	out := make([]mcptest.Result, r.Len("events"))
	for i := range out {
		out[i] = r.At("events." + itoa(i))
	}
	return out
}

// Breakpoints that did not bind are listed by debug_launch with the reason.
func TestLaunchListsWhatIsNotBound(t *testing.T) {
	t.Run("pending", func(t *testing.T) {
		p := loop(2)
		p.Sources = map[string][]int{source: {9, 10, 11, 21, 22}}
		s := netcoredbg(t, p)
		bad := s.breakAt(500)
		s.breakAt(10)
		r := s.launch(t)
		require.Equal(t, 1, r.Len("breakpoints"), "%s", r.Raw)
		require.Equal(t, bad, r.String("breakpoints.0.id"))
		require.Equal(t, "pending", r.String("breakpoints.0.state"))
		require.NotEmpty(t, r.String("breakpoints.0.message"))
	})
	t.Run("failed", func(t *testing.T) {
		p := loop(2)
		p.Sources = map[string][]int{source: {9, 10, 11, 21, 22}}
		s := serve(t, "dlv", daptest.Delve(), p)
		bad := s.breakAt(500)
		s.breakAt(10)
		r := s.launch(t)
		require.Equal(t, bad, r.String("breakpoints.0.id"), "%s", r.Raw)
		require.Equal(t, "failed", r.String("breakpoints.0.state"))
		require.NotEmpty(t, r.String("breakpoints.0.message"))
		// In a live session a final refusal by the backend is an error, and no breakpoint stays.
		before := s.Do("breakpoint_list", nil).Int("count")
		e := s.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": source, "line": 501})
		require.True(t, strings.Contains(e.String("error.message"), "501"))
		require.Equal(t, before, s.Do("breakpoint_list", nil).Int("count"))
	})
}

func TestBreakpointInAMissingFile(t *testing.T) {
	s := &session{Client: mcptest.Serve(t, adapter.NewManager(adapter.Options{}), mcpserver.Options{})}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.go")
	require.NoError(t, os.WriteFile(file, []byte("one\ntwo\n"), 0o644))
	s.Refused(fault.InvalidFile, "breakpoint_set", mcptest.Args{"file": filepath.Join(dir, "b.go"), "line": 1})
	s.Refused(fault.InvalidFile, "breakpoint_set", mcptest.Args{"file": dir, "line": 1})
	r := s.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": file, "line": 3})
	require.Equal(t, 2, r.Int("error.details.totalLines"))
	s.Refused(fault.InvalidParameter, "breakpoint_set", mcptest.Args{"file": file, "line": 0})
	s.Refused(fault.InvalidCondition, "breakpoint_set", mcptest.Args{"file": file, "line": 1, "condition": " "})
	s.Refused(fault.InvalidCondition, "breakpoint_set", mcptest.Args{"file": file, "line": 1, "hit_condition": "often"})
	s.Refused(fault.BreakpointNotFound, "breakpoint_remove", mcptest.Args{"id": "bp-99"})
	s.Refused(fault.BreakpointNotFound, "breakpoint_enable", mcptest.Args{"id": "bp-99"})
	require.Equal(t, 0, s.Do("breakpoint_list", nil).Int("count"))
	require.Equal(t, "pending", s.Do("breakpoint_set", mcptest.Args{"file": file, "line": 2}).String("breakpoint.state"))
}
