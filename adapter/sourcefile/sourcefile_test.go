package sourcefile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const most = 1000

func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func put(t *testing.T, text string, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

func link(t *testing.T, to string, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	if err := os.Symlink(to, name); err != nil {
		t.Skip("no symbolic links here")
	}
	return name
}

func TestRead(t *testing.T) {
	dir := folder(t)
	file := put(t, "text", dir, "src", "a.go")
	everywhere := Reader{Most: most}
	text, info, err := everywhere.Read(file)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	require.Equal(t, int64(4), info.Size())

	_, _, err = everywhere.Read(filepath.Join(dir, "src"))
	require.ErrorIs(t, err, ErrRefused, "a folder")
	_, _, err = everywhere.Read(put(t, strings.Repeat("x", most+1), dir, "large.go"))
	require.ErrorIs(t, err, ErrRefused)
	_, _, err = everywhere.Read(put(t, strings.Repeat("x", most), dir, "fits.go"))
	require.NoError(t, err)
	for _, path := range []string{filepath.Join(dir, "nothing.go"), "relative.go", "", filepath.Join(file,
		"below.go")} {
		_, _, err = everywhere.Read(path)
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrRefused, path)
	}
	_, _, err = everywhere.Read("relative.go")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReadSources(t *testing.T) {
	dir := folder(t)
	r := Reader{Most: most, Sources: true, Limited: true, Below: []string{filepath.Join(dir, "root")}}
	good := put(t, "text", dir, "root", "pkg", "A.GO")
	_, _, err := r.Read(good)
	require.NoError(t, err)
	for _, path := range []string{
		put(t, "text", dir, "root", "notes.txt"), put(t, "text", dir, "root", "id_rsa"), put(t, "te\x00t", dir, "root",
			"nul.go"),
		put(t, "te\xfft", dir, "root", "bytes.go"), put(t, "text", dir, "beside.go"), put(t, "text", dir, "root2",
			"a.go"),
		filepath.Join(dir, "root") + "/../beside.go", filepath.Join(dir, "root", "..", "root2", "a.go"),
	} {
		_, _, err := r.Read(path)
		require.ErrorIs(t, err, ErrRefused, path)
	}
	_, _, err = r.Read(filepath.Join(dir, "nothing.go"))
	require.ErrorIs(t, err, ErrRefused, "outside, whether there is such a file is not told")
	_, _, err = r.Read(filepath.Join(dir, "root", "nothing.go"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, _, err = Reader{Most: most, Limited: true}.Read(good)
	require.ErrorIs(t, err, ErrRefused, "no folder at all")

	for _, path := range []string{
		link(t, filepath.Join(dir, "beside.go"), dir, "root", "out.go"), link(t, dir, dir, "root", "up") + "/beside.go",
		link(t, filepath.Join(dir, "root", "notes.txt"), dir, "root", "renamed.go"),
	} {
		_, _, err := r.Read(path)
		require.ErrorIs(t, err, ErrRefused, path)
	}
	_, _, err = r.Read(link(t, good, dir, "root", "in.go"))
	require.NoError(t, err)
	r.Below = []string{link(t, filepath.Join(dir, "root"), dir, "linked")}
	for _, path := range []string{good, filepath.Join(dir, "linked", "pkg", "A.GO")} {
		_, _, err = r.Read(path)
		require.NoError(t, err, "the folder itself is a link")
	}
}

func TestSpecialFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are none")
	}
	dir := folder(t)
	put(t, "text", dir, "a.go")
	for _, path := range []string{
		"/proc/self/environ", "/proc/self/cwd/sourcefile.go", "/sys/kernel/mm/a.go", "/dev/null", "/dev/stdin",
		"/dev/fd/0", "/DEV/null", "//proc/self/environ",
		"/tmp/../proc/self/environ", "/./dev/zero", dir + "/../../../../../../../../proc/self/environ",
		link(t, "/proc/self/environ", dir, "environ.go"), link(t, "/dev/zero", dir, "zero.go"), link(t, "/proc/self",
			dir, "self") + "/environ",
		link(t, "/proc/self/root"+dir, dir, "root") + "/a.go", link(t, filepath.Join(dir, "environ.go"), dir,
			"twice.go"),
		link(t, "../../../../../../../../../../proc/self/environ", dir, "relative.go"), link(t, "loop.go", dir,
			"loop.go"),
		link(t, "/dev", dir, "devices") + "/null",
	} {
		_, _, err := Reader{Most: most}.Read(path)
		require.ErrorIs(t, err, ErrRefused, path)
	}
	for _, path := range []string{put(t, "text", dir, "proc", "a.go"), put(t, "text", dir, "dev", "a.go"), link(t,
		"a.go", dir, "fine.go")} {
		_, _, err := Reader{Most: most}.Read(path)
		require.NoError(t, err, path)
	}
}

// TestChangedWhileOpened: a path may be changed while it is opened.
func TestChangedWhileOpened(t *testing.T) {
	dir := folder(t)
	one, two := put(t, "one", dir, "pkg", "a.go"), put(t, "two", dir, "other", "a.go")
	file, err := os.Open(two)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	require.NoError(t, checkOpened(file, info, two))
	require.ErrorIs(t, checkOpened(file, info, one), ErrRefused, "another file")
	if runtime.GOOS == "windows" {
		return
	}
	link(t, filepath.Join(dir, "other"), dir, "linked")
	require.ErrorIs(t, checkOpened(file, info, filepath.Join(dir, "linked", "a.go")), ErrRefused,
		"a folder has become a link")
}

func TestDevicesOfWindows(t *testing.T) {
	for _, path := range []string{
		`\\.\pipe\x`, `\\.\PhysicalDrive0`, `//./pipe/x.cs`, `\\?\C:\a.cs`, `\??\C:\a.cs`, `C:\src\NUL`,
		`C:\src\nul.cs`, `C:/src/com1`, `C:\COM9.c`, `C:\lpt¹.c`,
		`C:\con\a.cs`, `C:\CONIN$`, `C:\src\aux .c`, `C:\src\a.cs:stream`, `C:\src\a.cs::$DATA`,
	} {
		require.True(t, isDevice(path), path)
	}
	for _, path := range []string{`C:\src\a.cs`, `c:/src/console.cs`, `C:\com10\a.c`, `C:\common\a.c`,
		`\\server\share\a.cs`, `C:\nullable.cs`, `C:\lpt\x.c`} {
		require.False(t, isDevice(path), path)
	}
}
