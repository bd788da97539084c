package mcpserver_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/mapping"
)

// The test binary runs as these adapters and debuggees (mcpserver.Roles).
func init() {
	for name, role := range map[string]func() int{
		"die": func() int {
			fmt.Fprintln(os.Stderr, "libicu is missing")
			return 3
		},
		// deaf reads everything and answers nothing, until its input ends.
		"deaf": func() int {
			io.Copy(io.Discard, os.Stdin)
			return 0
		},
		// talk is a Delve that launches a real process, without faults.
		"talk": func() int { return talk() },
		// dieAtLaunch answers initialize, and ends at the launch request.
		"dieAtLaunch": func() int {
			return talk(func(a *daptest.Adapter) {
				a.OnRequest("launch", func(*dapclient.Message) daptest.Action {
					fmt.Fprintln(os.Stderr, "no ptrace for you")
					os.Exit(4)
					return daptest.Action{}
				})
			})
		},
		// hangUp closes its output at the launch request, and ends shortly after its input.
		"hangUp": func() int {
			return talk(func(a *daptest.Adapter) {
				a.OnRequest("launch", func(*dapclient.Message) daptest.Action {
					os.Stdout.Close()
					io.Copy(io.Discard, os.Stdin)
					os.Exit(4)
					return daptest.Action{}
				})
			})
		},
		// sleeper is a debuggee that runs until it is killed.
		"sleeper": func() int {
			fmt.Println("asleep")
			return outlive()
		},
		// teller prints its arguments, reads its input to the end, and runs on.
		"teller": func() int {
			fmt.Println("args", strings.Join(os.Args[1:], "|"))
			fmt.Println("set", os.Getenv("BREAKWIRE_TEST_SET"))
			fmt.Println("unset", os.Getenv("BREAKWIRE_TEST_UNSET"))
			fmt.Println("pid", os.Getpid())
			fmt.Fprintln(os.Stderr, "complaint")
			io.Copy(io.Discard, os.Stdin)
			fmt.Println("input over")
			fmt.Println("told")
			return outlive()
		},
	} {
		mcpserver.Roles[name] = role
	}
}

// outlive runs longer than any test. An empty select would be a deadlock, at which Go ends the program.
func outlive() int {
	time.Sleep(10 * time.Minute)
	return 0
}

// debuggeeOfTalk is the argument by which tests find the debuggees of talk.
const debuggeeOfTalk = "debuggee-of-talk"

// talk serves an adapter on the standard streams. Its debuggee runs for ever and has a real process.
func talk(setup ...func(*daptest.Adapter)) int {
	debuggee := exec.Command(os.Args[0], debuggeeOfTalk)
	debuggee.Env = append(os.Environ(), mcpserver.RoleVariable+"=sleeper")
	if err := debuggee.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := loop(3)
	p.PID = debuggee.Process.Pid
	p.Eval = func(c daptest.EvalCall) (daptest.Var, bool) {
		return daptest.Var{Gate: make(chan struct{})}, c.Expression == "slow"
	}
	p.Threads[0].Code = daptest.Seq(
		daptest.Lines(daptest.Step{File: source, Line: 1, Func: "main.main",
			Stdout: fmt.Sprintf("pid=%d unset=%s\n", os.Getpid(), os.Getenv("BREAKWIRE_TEST_UNSET"))}),
		p.Threads[0].Code,
		daptest.Lines(daptest.Step{File: source, Line: 30, Func: "main.main", Gate: make(chan struct{})}),
	)
	err := daptest.Serve(daptest.Stdio(), daptest.Delve(), p, setup...)
	debuggee.Process.Kill()
	debuggee.Wait()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// played is a server whose backend is this test binary in a role, with the generic profile.
func played(t testing.TB, role string, options ...func(*adapter.Options)) *session {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	p := *dapclient.ProfileByName("dlv")
	p.Sources = nil // it plays the same program as the other fakes
	p.Name, p.Announce, p.Env = "played", nil, map[string]string{mcpserver.RoleVariable: role}
	elsewhere, err := mapping.ParsePathMap("/elsewhere=/nowhere") // sources need not be on this disk
	require.NoError(t, err)
	o := adapter.Options{PathMap: elsewhere,
		Backends: adapter.BackendOptions{Default: "played", Custom: map[string]adapter.Backend{
			"played": {Profile: &p, Local: true, Open: adapter.Spawn(&p, exe, nil)},
		}}}
	for _, change := range options {
		change(&o)
	}
	return &session{Client: mcptest.Serve(t, adapter.NewManager(o), mcpserver.Options{})}
}

// adapterPid is the process of the role "talk".
func (s *session) adapterPid(t testing.TB) int {
	t.Helper()
	waitUntil(t, func() bool { return len(s.events("output")) > 0 })
	var pid int
	_, err := fmt.Sscanf(s.events("output")[0].String("text"), "pid=%d", &pid)
	require.NoError(t, err)
	return pid
}

// alive reports whether a process with this pid exists.
func alive(pid int) bool {
	_, err := dapclient.FindProcess(pid)
	return err == nil
}

// somePid returns the pid of a process that has ended.
func somePid(t testing.TB) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, cmd.Run())
	return cmd.Process.Pid
}
