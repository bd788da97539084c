package python

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPythonOfTheProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of Unix")
	}
	root := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("CONDA_PREFIX", "")
	program := write(t, "", root, "repo", "src", "a.py")
	any := func(string) bool { return true }
	require.Empty(t, For(filepath.Dir(program), nil, any))

	active := filepath.Join(root, "active")
	exe := write(t, "", active, "bin", "python")
	t.Setenv("VIRTUAL_ENV", active)
	require.Empty(t, For(filepath.Dir(program), nil, any), "without pyvenv.cfg it is no environment")
	write(t, "", active, "pyvenv.cfg")
	require.Equal(t, exe, For(filepath.Dir(program), nil, any))
	require.Empty(t, For(filepath.Dir(program), map[string]*string{"VIRTUAL_ENV": nil}, any))
	t.Setenv("VIRTUAL_ENV", "")
	require.Equal(t, exe, For(filepath.Dir(program), map[string]*string{"VIRTUAL_ENV": &active}, any))

	conda := filepath.Join(root, "conda")
	of := write(t, "", conda, "bin", "python")
	t.Setenv("CONDA_PREFIX", conda)
	require.Empty(t, For(filepath.Dir(program), nil, any), "without conda-meta it is no environment")
	write(t, "", conda, "conda-meta", "history")
	require.Equal(t, of, For(filepath.Dir(program), nil, any))

	above := write(t, "", root, "repo", ".venv", "bin", "python")
	write(t, "", root, "repo", ".venv", "pyvenv.cfg")
	require.Equal(t, above, For(filepath.Dir(program), map[string]*string{"VIRTUAL_ENV": &active}, any),
		"the project's own comes first")
	beside := write(t, "", root, "repo", "src", "venv", "bin", "python")
	write(t, "", root, "repo", "src", "venv", "pyvenv.cfg")
	require.Equal(t, beside, For(filepath.Dir(program), nil, any))
	require.Equal(t, above, For(filepath.Dir(program), nil, func(exe string) bool { return exe != beside }),
		"one that may be run")
}

// An interpreter that cannot load the adapter's debugpy is not used.
func TestPythonsFit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts of Unix")
	}
	dir := t.TempDir()
	adapter := write(t, "#!/bin/sh\necho "+dir+"/debugpy/__init__.py\n", dir, "adapter")
	able := write(t, "#!/bin/sh\ntest \"$*\" = '"+dir+"/debugpy --version'\n", dir, "able")
	taught := write(t, "#!/bin/sh\ntest \"$PYTHONPATH\" = /ours\n", dir, "taught")
	unable := write(t, "#!/bin/sh\nexit 1\n", dir, "unable")
	var p Fits
	require.True(t, p.Fit(t.Context(), adapter, able, ""))
	require.False(t, p.Fit(t.Context(), adapter, unable, ""))
	require.False(t, p.Fit(t.Context(), unable, able, ""))
	t.Setenv("PYTHONPATH", "")
	require.True(t, p.Fit(t.Context(), adapter, taught, "/ours"), "our sitecustomize finds the adapter's debugpy")
	require.NoError(t, os.Remove(able))
	require.True(t, p.Fit(t.Context(), adapter, able, ""), "asked once")
}

// Coroutines and generators are known by their lines, but not where an ordinary function has the name, too.
func TestResumedAt(t *testing.T) {
	source := `async def go(): pass
def plain():
    return "yield"  # yield 1
class A:
    def items(self,
            n=1,
    ):
        for i in range(n):
            yield i
    def go(self):
        x = yield
    async def both(self): pass
    def after(self): return 1
def both(): pass
`
	require.Equal(t, map[string]int{"go": 1, "plain": 0, "items": 5, "both": 0, "after": 0}, resumedAt([]byte(source)))
}

func TestSiteArchive(t *testing.T) {
	archive, err := SiteArchive()
	require.NoError(t, err)
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	f, err := r.Open("sitecustomize.py")
	require.NoError(t, err)
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, sitecustomize, text)
}

// write makes an executable file with its folders and returns its path.
func write(t *testing.T, text string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	return file
}
