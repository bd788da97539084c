package mcpserver_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// announced starts a command and returns the address that it prints. What keeps its input open is end.
func announced(t *testing.T, pattern string, name string, args ...string) (address string, end func() error) {
	t.Helper()
	cmd := exec.Command(name, args...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		io.Copy(io.Discard, out)
		cmd.Wait()
	})
	text, buf := "", make([]byte, 512)
	for {
		n, err := out.Read(buf)
		text += string(buf[:n])
		if found := regexp.MustCompile(pattern).FindStringSubmatch(text); found != nil {
			go io.Copy(io.Discard, out)
			return found[1], func() error {
				in.Close()
				return cmd.Wait()
			}
		}
		require.NoError(t, err, "%s", text)
	}
}

// The program of a dlv --headless for several clients is attached to, let go while it is paused, and attached to again.
func TestLiveHeadlessDelve(t *testing.T) {
	program, source := fixtures.BuildGo(t, "loop"), fixtures.GoSource("loop")
	address, _ := announced(t, `API server listening at: (\S+)`, fixtures.Delve(t), "exec", "--headless",
		"--listen=127.0.0.1:0", "--accept-multiclient", "--api-version=2", program, "--", "1000000000")
	c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 12})
	for range 2 {
		r := c.Settled(c.Do("debug_attach", mcptest.Args{"connect": address, "backend": "dlv"}))
		require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
		require.Equal(t, "int", c.Do("evaluate", mcptest.Args{"expression": "i"}).String("type"))
		c.Do("debug_disconnect", nil)
	}
	c.Do("breakpoint_remove", mcptest.Args{"id": "bp-1"})
	r := c.Do("debug_attach", mcptest.Args{"connect": address, "backend": "dlv"})
	require.Equal(t, "running", r.String("session.state"), "%s", r.Raw)
	require.True(t, c.Do("debug_disconnect", mcptest.Args{"terminate": true}).Bool("wasTerminated"))
}

// A gdbserver is reached through an lldb-dap of this machine.
func TestLiveGdbServer(t *testing.T) {
	lldbServer := ""
	for _, name := range []string{"lldb-server", "lldb-server-20", "lldb-server-19", "lldb-server-18"} {
		if path, err := exec.LookPath(name); err == nil {
			lldbServer = path
			break
		}
	}
	if lldbServer == "" {
		t.Skip("no lldb-server here")
	}
	t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
	port, told, err := os.Pipe()
	require.NoError(t, err)
	defer port.Close()
	cmd := exec.Command(lldbServer, "gdbserver", "--pipe", "3", "127.0.0.1:0", "--", fixtures.BuildC(t, "loop"))
	cmd.ExtraFiles = []*os.File{told}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	told.Close()
	text, err := bufio.NewReader(port).ReadString(0)
	require.True(t, err == nil || text != "", "%v", err)
	c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": fixtures.Program("c", "loop.c"), "line": 12})
	r := c.Settled(c.Do("debug_attach", mcptest.Args{"backend": "lldb-dap",
		"connect": "127.0.0.1:" + strings.Trim(text, "\x00\n")}))
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, 12, r.Int("stop.location.line"))
	c.Do("debug_disconnect", nil)
}

// The program behind debugpy --listen is attached to, and lives on.
func TestLiveListeningDebugpy(t *testing.T) {
	python := fixtures.Debugpy(t)
	file := filepath.Join(t.TempDir(), "app.py")
	require.NoError(t, os.WriteFile(file, []byte(`import debugpy, sys
print("at %s:%s " % debugpy.listen(("127.0.0.1", 0)), flush=True)
debugpy.wait_for_client()
n = 1
sys.stdin.readline()  # line 5
`), 0o600))
	address, end := announced(t, `at (\d\S+:\d+) `, python, file)
	c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 5})
	r := c.Settled(c.Do("debug_attach", mcptest.Args{"backend": "debugpy", "connect": address}))
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, "1", c.Do("evaluate", mcptest.Args{"expression": "n"}).String("value"))
	c.Do("debug_disconnect", nil)
	require.NoError(t, end(), "it lives until the end of its input")
}
