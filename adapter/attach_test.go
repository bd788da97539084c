package adapter

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// The adapter looks for the process's pipes where the process has put them.
func TestVariablesOfTheProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the environment of a process can be read on Linux only")
	}
	netcoredbg, dlv := dapclient.ProfileByName("netcoredbg"), dapclient.ProfileByName("dlv")
	for _, c := range []struct{ set, want string }{{"TMPDIR=/else where", "/else where"}, {"OTHER=1", ""}} {
		cmd := exec.Command("cat")
		cmd.Env = []string{"A=b", c.set}
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = in.Write([]byte("x"))
		require.NoError(t, err)
		_, err = out.Read(make([]byte, 1)) // its environment is there when it has answered
		require.NoError(t, err)
		require.Equal(t, map[string]string{"TMPDIR": c.want}, sharedWith(netcoredbg, cmd.Process.Pid))
		require.Empty(t, sharedWith(dlv, cmd.Process.Pid))
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait())
		require.Empty(t, sharedWith(netcoredbg, cmd.Process.Pid), "it has ended")
	}
	require.NotNil(t, sharedWith(netcoredbg, os.Getpid()))
}
