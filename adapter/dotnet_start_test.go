package adapter

import (
	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/dapclient"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// The adapter is started with the variables that it lacks. A process that it could not debug is refused before it is
// started.
func TestNetcoredbgIsStartedWithDotnet(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders of Unix")
	}
	exe := touch(t, t.TempDir(), "net", "dotnet")
	t.Setenv("DOTNET_ROOT", filepath.Dir(exe))
	t.Setenv("GONE", "1")
	o := Opening{Without: []string{"GONE"}}
	env := o.environment(dapclient.ProfileByName("netcoredbg"))
	path, _ := program.LookEnv(env, "PATH")
	require.Equal(t, filepath.Dir(exe), filepath.SplitList(path)[0])
	_, found := program.LookEnv(env, "GONE")
	require.False(t, found)

	other, _ := program.LookEnv(o.environment(dapclient.ProfileByName("dlv")), "PATH")
	require.Equal(t, os.Getenv("PATH"), other, "nobody else needs dotnet")

	require.Equal(t, exe, program.DotnetFor(nil))
	another := touch(t, t.TempDir(), "net", "dotnet")
	root := filepath.Dir(another)
	require.Equal(t, another, program.DotnetFor(map[string]*string{"DOTNET_ROOT": &root}),
		"of the launch's own environment")
}

func TestProcessWithoutDotnet(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a process has loaded")
	}
	b := &Backend{Profile: dapclient.ProfileByName("netcoredbg"), Local: true}
	err := checkPid(b, os.Getppid())
	require.Equal(t, fault.AttachFailed, fault.CodeOf(err))
	require.ErrorContains(t, err, "does not run .NET")
	require.NoError(t, checkPid(&Backend{Profile: dapclient.ProfileByName("dlv")}, os.Getppid()))
	err = checkPid(&Backend{Profile: dapclient.ProfileByName("dlv")}, os.Getpid())
	require.ErrorContains(t, err, "itself")
	if os.Geteuid() != 0 { // process 1 belongs to root
		require.Equal(t, fault.PermissionDenied, fault.CodeOf(checkPid(b, 1)))
	}
}

// Other processes may have our name, so the answer may be any of them.
func TestFindPidExcludesOwnProcess(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	pid, err := NewManager(Options{}).FindPid(0, filepath.Base(exe))
	require.NotEqual(t, os.Getpid(), pid)
	if err != nil && runtime.GOOS == "linux" {
		require.NotContains(t, fmt.Sprint(fault.AsError(err).Details), fmt.Sprintf("pid:%d", os.Getpid()))
	}
}
