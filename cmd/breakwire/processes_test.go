//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/cmd/breakwire/internal/doctor"
	"breakwire/fixtures"
)

// eachDebugger runs a test with Delve, and with lldb-dap where it is installed.
func eachDebugger(t *testing.T, f func(t *testing.T, d debuggee)) {
	t.Run("dlv", func(t *testing.T) { f(t, goDebuggee(t)) })
	t.Run("lldb-dap", func(t *testing.T) {
		t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
		// On a busy machine the Go runtime interrupts its threads with SIGURG, which lldb-dap reports as a stop.
		t.Setenv("GODEBUG", "asyncpreemptoff=1")
		d := goDebuggee(t)
		d.backend = "lldb-dap"
		f(t, d)
	})
}

// TestLiveKilledInEveryState: SIGKILL leaves breakwire no time. The debugger and its debuggee end all the same, and
// an attached program lives on.
func TestLiveKilledInEveryState(t *testing.T) {
	launch := func(c *mcptest.Command, d debuggee) {
		c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
	}
	for what, reach := range map[string]func(t *testing.T, c *mcptest.Command, d debuggee){
		"starting": func(t *testing.T, c *mcptest.Command, d debuggee) {
			c.BeginCall("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
			require.Eventually(t, func() bool { return len(children(t, c.Pid())) > 0 }, mcptest.Patience, 1)
		},
		"running": func(_ *testing.T, c *mcptest.Command, d debuggee) { launch(c, d) },
		"pausing": func(_ *testing.T, c *mcptest.Command, d debuggee) {
			launch(c, d)
			c.BeginCall("debug_pause", nil)
			c.Do("debug_state", nil)
		},
		"paused": func(_ *testing.T, c *mcptest.Command, d debuggee) {
			launch(c, d)
			c.Do("debug_pause", nil)
		},
		"stepping": func(_ *testing.T, c *mcptest.Command, d debuggee) {
			launch(c, d)
			c.Do("debug_pause", nil)
			c.BeginCall("debug_step", mcptest.Args{"mode": "out", "count": 100})
			c.Do("debug_state", nil)
		},
		"disconnecting": func(_ *testing.T, c *mcptest.Command, d debuggee) {
			launch(c, d)
			c.BeginCall("debug_disconnect", nil)
			c.Do("debug_state", nil)
		},
	} {
		t.Run(what, func(t *testing.T) {
			eachDebugger(t, func(t *testing.T, d debuggee) {
				c := mcptest.Run(t, fixtures.Breakwire(t))
				reach(t, c, d)
				below := children(t, c.Pid())
				c.Signal(os.Kill)
				c.Ended()
				for _, pid := range below {
					requireGone(t, pid)
				}
			})
		})
	}
}

// An adapter that ignores the end of its input has a guard, which ends it when we are killed. When we end the adapter
// ourselves, the guard ends too.
func TestAdapterThatOutlivesItsInput(t *testing.T) {
	for what, end := range map[string]func(c *mcptest.Command){
		"killed":       func(c *mcptest.Command) { c.Signal(os.Kill) },
		"end of input": func(c *mcptest.Command) { c.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			c := mcptest.Run(t, fixtures.Breakwire(t), "--backend-cmd", "sleep 600")
			c.BeginCall("debug_launch", mcptest.Args{"program": "/bin/true"})
			var below []int
			require.Eventually(t, func() bool {
				below = children(t, c.Pid())
				return len(below) == 2
			}, mcptest.Patience, time.Millisecond)
			end(c)
			c.Ended()
			for _, pid := range below {
				requireGone(t, pid)
			}
		})
	}
}

// TestLiveLeavesNoFiles: what a launch creates in the folder for temporary files has no name while the program runs,
// so nothing is left when we are killed.
func TestLiveLeavesNoFiles(t *testing.T) {
	eachDebugger(t, func(t *testing.T, d debuggee) {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		c := mcptest.Run(t, fixtures.Breakwire(t))
		c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
		// signals of the Go runtime stop it in lldb
		require.NotEqual(t, "terminated", c.Do("debug_state", nil).String("session.state"))
		left, err := filepath.Glob(filepath.Join(temp, "breakwire-*"))
		require.NoError(t, err)
		require.Empty(t, left)
		require.Equal(t, 3, c.Do("process_write_input", mcptest.Args{"data": "hi\n"}).Int("bytesWritten"),
			"it is open all the same")
	})
}

// Before the launch there is no name either: a debugger that is still starting when we are killed leaves no folder.
func TestKilledBeforeTheLaunchLeavesNoFiles(t *testing.T) {
	debugger := filepath.Join(t.TempDir(), "debugger")
	require.NoError(t, os.WriteFile(debugger, []byte("#!/bin/sh\nexec cat 3>&1 >/dev/null\n"), 0o755))
	for backend, path := range map[string]string{
		"dlv": "DLV_PATH", "lldb-dap": "LLDB_DAP_PATH", "debugpy": "DEBUGPY_PYTHON", "netcoredbg": "NETCOREDBG_PATH",
	} {
		t.Run(backend, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			t.Setenv(path, debugger)
			c := mcptest.Run(t, fixtures.Breakwire(t))
			c.BeginCall("debug_launch", mcptest.Args{"program": debugger, "backend": backend})
			var below []int
			require.Eventually(t, func() bool { below = children(t, c.Pid()); return len(below) > 0 }, mcptest.Patience,
				time.Millisecond)
			c.Signal(os.Kill)
			c.Ended()
			for _, pid := range below {
				requireGone(t, pid)
			}
			requireEmptyAtTheNextStart(t, temp)
		})
	}
}

// requireEmptyAtTheNextStart checks what a killed breakwire has left in the folder for temporary files: nothing on
// Linux, elsewhere nothing after the next start.
func requireEmptyAtTheNextStart(t *testing.T, temp string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		mcptest.Run(t, fixtures.Breakwire(t)).Close()
	}
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestLiveKilledDebuggerLeavesNoFiles: Delve builds the program and makes pipes for its output; a killed Delve
// removes neither. The session removes them, or the next start when breakwire is killed too.
func TestLiveKilledDebuggerLeavesNoFiles(t *testing.T) {
	d := goDebuggee(t)
	for what, both := range map[string]bool{"the debugger": false, "both": true} {
		t.Run(what, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			c := mcptest.Run(t, fixtures.Breakwire(t))
			r := c.Do("debug_launch", mcptest.Args{"program": filepath.Dir(d.longSource), "backend": "dlv",
				"stop_at_entry": false, "timeout_ms": 80000})
			program := r.Int("session.processId")
			below := children(t, c.Pid())
			require.Contains(t, below, program)
			left, err := filepath.Glob(filepath.Join(temp, "*", "*", "__debug_bin*"))
			require.NoError(t, err)
			require.Len(t, left, 1)
			if both {
				c.Signal(syscall.SIGSTOP) // otherwise it would clean up
			}
			for _, pid := range below {
				if pid != program {
					require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
				}
			}
			if both {
				c.Signal(os.Kill)
				c.Ended()
				require.NoError(t, syscall.Kill(program, syscall.SIGKILL)) // a guard is dismissed when we are connected
				c = mcptest.Run(t, fixtures.Breakwire(t))
			}
			c.Close()
			c.Ended()
			if left, err = filepath.Glob(filepath.Join(temp, "*")); runtime.GOOS != "linux" {
				left = slices.DeleteFunc(left, func(file string) bool { return len(filepath.Base(file)) == 8 }) // Delve's pipes
			}
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// TestLiveKilledWhileAttached checks that the program continues, paused or running.
func TestLiveKilledWhileAttached(t *testing.T) {
	for _, pause := range []bool{false, true} {
		eachDebugger(t, func(t *testing.T, d debuggee) {
			// from the system, not from the answer, which may be wrong because of a fault of ours
			if why := doctor.WhyNoAttach(); why != "" {
				t.Skipf("this machine lets nobody attach: %s", why)
			}
			pid, said := mcptest.RunLong(t, d.long...)
			c := mcptest.Run(t, fixtures.Breakwire(t))
			c.Do("debug_attach", mcptest.Args{"pid": pid, "backend": d.backend})
			if pause {
				c.Do("debug_pause", nil)
			}
			below := children(t, c.Pid())
			require.NotContains(t, below, pid)
			c.Signal(os.Kill)
			c.Ended()
			for _, p := range below {
				requireGone(t, p)
			}
			require.True(t, alive(pid))
			said()
		})
	}
}

// TestLiveEndedWhileStepping checks that an attached program lives on when the session ends during a step, in any
// way. Delve would leave a breakpoint instruction of the step in it.
func TestLiveEndedWhileStepping(t *testing.T) {
	for what, end := range map[string]func(c *mcptest.Command){
		"killed":       func(c *mcptest.Command) { c.Signal(os.Kill) },
		"disconnected": func(c *mcptest.Command) { c.Call("debug_disconnect", nil); c.Close() },
		"end of input": func(c *mcptest.Command) { c.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			d := goDebuggee(t)
			for range 3 {
				pid, said := mcptest.RunLong(t, d.long...)
				c := mcptest.Run(t, fixtures.Breakwire(t))
				c.Do("breakpoint_set", mcptest.Args{"file": d.longSource, "line": d.longHit})
				r := c.Settled(c.Do("debug_attach", mcptest.Args{"pid": pid, "backend": "dlv"}))
				require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
				c.BeginCall("debug_step", mcptest.Args{"count": 100})
				c.Do("debug_state", nil)
				below := children(t, c.Pid())
				end(c)
				c.Ended()
				for _, p := range below {
					requireGone(t, p)
				}
				require.True(t, alive(pid))
				said()
			}
		})
	}
}

// TestLivePythonKilledWhileAttached: without a guard, debugpy's adapter would run as long as the program.
func TestLivePythonKilledWhileAttached(t *testing.T) {
	python := fixtures.Debugpy(t)
	fixtures.PythonAttach(t)
	t.Setenv("DEBUGPY_PYTHON", python)
	script := filepath.Join(t.TempDir(), "app.py")
	require.NoError(t,
		os.WriteFile(script, []byte("import time\nwhile True:\n    print('x', flush=True)\n    time.sleep(0.1)\n"), 0o600))
	pid, said := mcptest.RunLong(t, python, script)
	said() // the interpreter has started
	c := mcptest.Run(t, fixtures.Breakwire(t))
	c.Do("debug_attach", mcptest.Args{"pid": pid, "backend": "debugpy", "timeout_ms": 60000})
	below := children(t, c.Pid())
	require.NotEmpty(t, below)
	c.Signal(os.Kill)
	c.Ended()
	for _, p := range below {
		requireGone(t, p)
	}
	require.True(t, alive(pid))
	said()
}

// TestLiveDebuggeeKilled checks that the session ends by itself, and the debugger with it.
func TestLiveDebuggeeKilled(t *testing.T) {
	eachDebugger(t, func(t *testing.T, d debuggee) {
		c := mcptest.Run(t, fixtures.Breakwire(t))
		r := c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
		pid := r.Int("session.processId")
		below := children(t, c.Pid())
		require.Contains(t, below, pid)
		wait := c.BeginCall("breakpoint_wait", mcptest.Args{"after_seq": r.Int("session.lastSeq")})
		c.Do("debug_state", nil)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		r = c.AwaitCall(wait)
		require.Contains(t, []string{"exited", "signal", "terminated", "backend_exited"}, r.String("reason"), "%s", r.Raw)
		for _, p := range below {
			requireGone(t, p)
		}
		c.Close()
	})
}

// A debuggee that is killed at a stop: Delve reports nothing until the next request, and then an exception. The
// session is over at the next call.
func TestLiveDebuggeeKilledAtAStop(t *testing.T) {
	for what, call := range map[string]func(c *mcptest.Command) mcptest.Result{
		"inspect": func(c *mcptest.Command) mcptest.Result { return c.Call("variables_get", nil) },
		"resume":  func(c *mcptest.Command) mcptest.Result { return c.Call("debug_continue", mcptest.Args{"wait": true}) },
	} {
		t.Run(what, func(t *testing.T) {
			eachDebugger(t, func(t *testing.T, d debuggee) {
				c := mcptest.Run(t, fixtures.Breakwire(t))
				r := c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend})
				if r.String("session.state") != "paused" { // lldb-dap finds no main in a Go program
					c.Do("debug_pause", nil)
				}
				pid := r.Int("session.processId")
				below := children(t, c.Pid())
				require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
				requireGone(t, pid)
				r = call(c)
				if what == "inspect" && !r.IsError { // lldb-dap answers with data it has read before
					r = c.Call("debug_continue", mcptest.Args{"wait": true})
				}
				if r.IsError {
					require.Equal(t, "NO_SESSION", r.String("error.code"), "%s", r.Raw)
				} else {
					require.Contains(t, []string{"exited", "signal"}, r.String("reason"), "%s", r.Raw)
				}
				require.Eventually(t, func() bool {
					return c.Do("debug_state", nil).String("session.state") == "terminated"
				}, mcptest.Patience, time.Millisecond)
				for _, p := range below {
					requireGone(t, p)
				}
				c.Close()
			})
		})
	}
}

// TestLiveKilledWhilePaused checks that the session ends without any call, launched or attached.
func TestLiveKilledWhilePaused(t *testing.T) {
	for what, attached := range map[string]bool{"launched": false, "attached": true} {
		t.Run(what, func(t *testing.T) {
			eachDebugger(t, func(t *testing.T, d debuggee) {
				c := mcptest.Run(t, fixtures.Breakwire(t))
				var r mcptest.Result
				if attached {
					pid, _ := mcptest.RunLong(t, d.long...)
					r = c.Do("debug_attach", mcptest.Args{"pid": pid, "backend": d.backend})
				} else {
					r = c.Do("debug_launch", mcptest.Args{"program": d.longProgram, "backend": d.backend, "stop_at_entry": false})
				}
				pid := r.Int("session.processId")
				stop := c.Do("debug_pause", nil)
				wait := c.BeginCall("breakpoint_wait", mcptest.Args{"after_seq": stop.Int("session.lastSeq")})
				c.Do("debug_state", nil)
				require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
				r = c.AwaitCall(wait)
				require.Contains(t, []string{"exited", "signal"}, r.String("reason"), "%s", r.Raw)
				r = c.Call("debug_continue", nil)
				require.Equal(t, "NO_SESSION", r.String("error.code"), "%s", r.Raw)
				if d.backend == "dlv" { // lldb-dap reports it by itself
					require.Contains(t, r.String("error.message"), "while it was paused")
				}
				c.Close()
			})
		})
	}
}

// TestLiveChildOfAnotherSession checks that the program's children end with it, also those that have left the
// debugger's group.
func TestLiveChildOfAnotherSession(t *testing.T) {
	lldb := fixtures.LLDB(t)
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("there is no setsid")
	}
	t.Setenv("LLDB_DAP_PATH", lldb)
	for what, end := range map[string]func(c *mcptest.Command){
		"disconnect":   func(c *mcptest.Command) { c.Do("debug_disconnect", nil); c.Close() },
		"end of input": func(c *mcptest.Command) { c.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			c := mcptest.Run(t, fixtures.Breakwire(t))
			c.Do("debug_launch", mcptest.Args{
				"program": "/bin/sh", "args": []string{"-c", setsid + " sleep 600 & exec sleep 600"},
				"backend": "lldb-dap", "stop_at_entry": false,
			})
			var below []int
			require.Eventually(t, func() bool {
				below = children(t, c.Pid())
				return slices.ContainsFunc(below, func(pid int) bool { sid, _ := unix.Getsid(pid); return sid == pid })
			}, mcptest.Patience, time.Millisecond)
			end(c)
			c.Ended()
			for _, pid := range below {
				requireGone(t, pid)
			}
		})
	}
}

// An interrupted demo ends its program and its debugger, and removes its folder.
func TestLiveDemoInterrupted(t *testing.T) {
	t.Setenv("DLV_PATH", fixtures.Delve(t))
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	cmd := exec.Command(fixtures.Breakwire(t), "demo", "--backend", "dlv")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "debug_launch") {
	}
	below := children(t, cmd.Process.Pid)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	for lines.Scan() { // drain the pipe, so that it cannot block the demo
	}
	require.Error(t, cmd.Wait())
	for _, pid := range below {
		requireGone(t, pid)
	}
	left, err := filepath.Glob(filepath.Join(temp, "breakwire-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
