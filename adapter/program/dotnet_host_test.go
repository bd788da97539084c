package program

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

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
