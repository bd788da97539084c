package adapter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
)

// touch makes an executable file with its folders.
func touch(t *testing.T, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755))
	return file
}

func TestFindDotnet(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders of Unix")
	}
	for _, test := range []struct {
		name   string
		files  []string          // below the root
		env    map[string]string // values below the root
		want   string
		source string
		onPath bool
	}{
		{"nowhere", nil, nil, "", "", false},
		{"on PATH", []string{"bin/dotnet"}, map[string]string{"PATH": "bin"}, "bin/dotnet", "PATH", true},
		{"DOTNET_ROOT first", []string{"bin/dotnet", "sdk/dotnet"},
			map[string]string{"PATH": "bin", "DOTNET_ROOT": "sdk"}, "sdk/dotnet", "DOTNET_ROOT", false},
		{"DOTNET_ROOT that is also on PATH", []string{"sdk/dotnet"},
			map[string]string{"PATH": "sdk", "DOTNET_ROOT": "sdk"}, "sdk/dotnet", "DOTNET_ROOT", true},
		{"an empty DOTNET_ROOT counts for nothing", []string{"bin/dotnet"},
			map[string]string{"PATH": "bin", "DOTNET_ROOT": "sdk"}, "bin/dotnet", "PATH", true},
		{"PATH before folders", []string{"bin/dotnet", "usr/share/dotnet/dotnet"}, map[string]string{"PATH": "bin"},
			"bin/dotnet", "PATH", true},
		{"usual folder", []string{"usr/share/dotnet/dotnet"}, map[string]string{"PATH": "bin"},
			"usr/share/dotnet/dotnet", "the usual folder", false},
		{"home", []string{"me/.dotnet/dotnet"}, map[string]string{"HOME": "me"}, "me/.dotnet/dotnet",
			"the usual folder", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			for _, f := range test.files {
				touch(t, root, f)
			}
			host, looked := findDotnet(func(name string) string {
				if v := test.env[name]; v != "" {
					return filepath.Join(root, v)
				}
				return ""
			}, root)
			if test.want == "" {
				require.Empty(t, host.Path)
				require.Contains(t, looked, filepath.Join(root, "usr/share/dotnet/dotnet"))
				return
			}
			require.Equal(t, DotnetHost{filepath.Join(root, test.want), test.source, test.onPath}, host)
		})
	}
	t.Run("install location", func(t *testing.T) {
		root := t.TempDir()
		exe := touch(t, root, "somewhere", "dotnet")
		file := filepath.Join(root, "etc", "dotnet", "install_location")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(filepath.Dir(exe)+"\n"), 0o644))
		host, _ := findDotnet(func(string) string { return "" }, root)
		require.Equal(t, exe, host.Path)
		require.Equal(t, file, host.Source)
	})
}

func TestICU(t *testing.T) {
	root := t.TempDir()
	require.True(t, icuMissing("", root))
	touch(t, root, "usr/lib/x86_64-linux-gnu/libicuuc.so")
	require.True(t, icuMissing("", root), "only the name of a development package")
	own := touch(t, root, "own/libicuuc.so.72")
	require.False(t, icuMissing(filepath.Dir(own), root))
	touch(t, root, "usr/lib/x86_64-linux-gnu/libicuuc.so.72")
	require.False(t, icuMissing("", root))
}

func TestDotnetEnvironment(t *testing.T) {
	sep := string(os.PathListSeparator)
	dotnet := filepath.Join("opt", "net", "dotnet")
	folder := filepath.Dir(dotnet)
	for _, test := range []struct {
		name  string
		env   []string
		host  DotnetHost
		noICU bool
		want  []string
	}{
		{"nothing to do", []string{"PATH=/bin"}, DotnetHost{Path: dotnet, OnPath: true}, false, []string{"PATH=/bin"}},
		{"off PATH", []string{"PATH=/bin"}, DotnetHost{Path: dotnet}, false,
			[]string{"PATH=" + folder + sep + "/bin", "DOTNET_ROOT=" + folder}},
		{"no PATH", nil, DotnetHost{Path: dotnet}, false, []string{"PATH=" + folder, "DOTNET_ROOT=" + folder}},
		{"a root of the user's stays", []string{"DOTNET_ROOT=/mine"}, DotnetHost{Path: dotnet}, false,
			[]string{"DOTNET_ROOT=/mine", "PATH=" + folder}},
		{"no ICU", []string{"A=1"}, DotnetHost{}, true, []string{"A=1", invariant + "=1"}},
		{"no ICU, and the user has decided", []string{invariant + "=0"}, DotnetHost{}, true, []string{invariant + "=0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := append([]string(nil), test.env...)
			require.Equal(t, test.want, completeDotnet(test.env, test.host, test.noICU))
			require.Equal(t, before, append([]string(nil), test.env...))
		})
	}
}

// The adapter is started with the variables that it lacks. A process that it could not debug is refused before it is
// started.
func TestNetcoredbgIsStartedWithDotnet(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders of Unix")
	}
	exe := touch(t, t.TempDir(), "net", "dotnet")
	t.Setenv("DOTNET_ROOT", filepath.Dir(exe))
	t.Setenv("GONE", "1")
	ctx := context.WithValue(t.Context(), withoutKey{}, []string{"GONE"})
	env := adapterEnv(ctx, dapclient.ProfileByName("netcoredbg"))
	path, _ := lookEnv(env, "PATH")
	require.Equal(t, filepath.Dir(exe), filepath.SplitList(path)[0])
	_, found := lookEnv(env, "GONE")
	require.False(t, found)

	other, _ := lookEnv(adapterEnv(ctx, dapclient.ProfileByName("dlv")), "PATH")
	require.Equal(t, os.Getenv("PATH"), other, "nobody else needs dotnet")

	require.Equal(t, exe, dotnetFor(nil))
	another := touch(t, t.TempDir(), "net", "dotnet")
	root := filepath.Dir(another)
	require.Equal(t, another, dotnetFor(map[string]*string{"DOTNET_ROOT": &root}), "of the launch's own environment")
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
