// Package sourcefile reads files whose paths are not trusted: they come from the debugged program or from a
// recording. Such a path may lead to a device, a named pipe, or into /proc, which has the server's environment. The
// checks apply to the opened file, not only to its name. The package starts no goroutine.
package sourcefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrRefused is the error for a path that does not lead to a file that may be read.
var ErrRefused = errors.New("not a source file that may be read")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// Reader defines which files may be read. All must be regular files, with no part of their path in /proc, /sys or
// /dev.
type Reader struct {
	Most    int64    // maximum size in bytes
	Sources bool     // only files with the name and the content of a source file
	Limited bool     // only files below Below
	Below   []string // folders; links in them are followed
}

// Read returns the content of a file. The error wraps ErrRefused, or is the system's.
func (r Reader) Read(path string) ([]byte, fs.FileInfo, error) {
	if r.Sources && !IsSource(path) {
		return nil, nil, refused("%s is no source file by its name", path)
	}
	if r.Limited && !isBelow(path, r.Below) && !isBelow(path, resolved(r.Below)) {
		return nil, nil, refused("%s is outside of the folders that may be read", path) // without any access to the disk
	}
	real, err := Follow(path)
	if err != nil {
		return nil, nil, err
	}
	if r.Sources && !IsSource(real) {
		return nil, nil, refused("%s is no source file by its name", real)
	}
	if r.Limited && !isBelow(real, resolved(r.Below)) {
		return nil, nil, refused("%s leads out of the folders that may be read", path)
	}
	file, info, err := open(real)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if info.Size() > r.Most {
		return nil, nil, refused("%s is larger than %d bytes", path, r.Most)
	}
	text, err := io.ReadAll(io.LimitReader(file, r.Most+1))
	switch {
	case err != nil:
		return nil, nil, err
	case int64(len(text)) > r.Most:
		return nil, nil, refused("%s is larger than %d bytes", path, r.Most)
	case r.Sources && !isText(text):
		return nil, nil, refused("%s does not hold text", path)
	}
	return text, info, nil
}

// open opens a path without links, and checks that it was not replaced meanwhile. It does not block on a named pipe.
func open(real string) (*os.File, fs.FileInfo, error) {
	info, err := os.Lstat(real)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, refused("%s is not a regular file", real) // opening a device may have an effect
	}
	file, err := openFile(real)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = checkOpened(file, info, real)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// checkOpened compares the open file with the file that its path leads to now. They differ if a folder was replaced
// by a link meanwhile.
func checkOpened(file *os.File, info fs.FileInfo, real string) error {
	if !info.Mode().IsRegular() || onSpecialSystem(file) {
		return refused("%s is not a regular file", real)
	}
	again, err := filepath.EvalSymlinks(real)
	if err != nil {
		return err
	}
	now, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if again != real || !os.SameFile(now, info) {
		return refused("%s was changed while it was opened", real)
	}
	return nil
}

// mostLinks is the maximum number of links in a path.
const mostLinks = 100

// Follow returns the path with all links resolved. It refuses a path that enters /proc, /sys or /dev, even if it
// leaves them again.
func Follow(path string) (string, error) {
	switch {
	case !filepath.IsAbs(path):
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} // a path of another system
	case runtime.GOOS == "windows" && isDevice(path):
		return "", refused("%s is a device", path)
	case runtime.GOOS == "windows":
		return filepath.EvalSymlinks(path)
	case isSpecial(path):
		return "", refused("%s is not on a disk", path)
	}
	done, rest, links := "/", strings.Split(path, "/"), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == "." {
			continue
		}
		next := filepath.Join(done, part) // done has no links, so .. is its parent
		if isSpecial(next) {
			return "", refused("%s leads into %s", path, next)
		}
		info, err := os.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > mostLinks {
			return "", refused("%s leads through too many links", path)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(target, "/") {
			done = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return done, nil
}

// isSpecial reports whether a path is in a folder that the system generates. It ignores case, because some systems
// do.
func isSpecial(path string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(filepath.Clean(path), "/"), "/")
	return strings.EqualFold(first, "proc") || strings.EqualFold(first, "sys") || strings.EqualFold(first, "dev")
}

// deviceNames are the device names of Windows, valid in every folder and with any extension.
var deviceNames = []string{"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}

// isDevice reports whether a Windows path names a device (\\.\, \\?\, NUL.txt, COM1) or an alternate stream of a file
// (a.c:b).
func isDevice(path string) bool {
	path = strings.ToLower(strings.ReplaceAll(path, "/", `\`))
	if strings.HasPrefix(path, `\\.\`) || strings.HasPrefix(path, `\\?\`) || strings.HasPrefix(path, `\??\`) {
		return true
	}
	if len(path) >= 2 && path[1] == ':' {
		path = path[2:]
	}
	if strings.Contains(path, ":") {
		return true
	}
	return slices.ContainsFunc(strings.Split(path, `\`), func(part string) bool {
		name, _, _ := strings.Cut(part, ".")
		name = strings.TrimRight(name, " ")
		if slices.Contains(deviceNames, name) {
			return true
		}
		rest, port := strings.CutPrefix(name, "com")
		if !port {
			rest, port = strings.CutPrefix(name, "lpt")
		}
		return port && len([]rune(rest)) == 1 && strings.ContainsAny(rest, "0123456789¹²³")
	})
}

func resolved(folders []string) []string {
	var out []string
	for _, folder := range folders {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			out = append(out, real)
		}
	}
	return out
}

func isBelow(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		rest, err := filepath.Rel(folder, path)
		return err == nil && rest != "." && filepath.IsLocal(rest)
	})
}

// endings are the extensions of source files.
var endings = []string{
	".asm", ".c", ".cc", ".cjs", ".cpp", ".cs", ".cshtml", ".cts", ".cxx", ".d", ".f90", ".fs", ".go", ".h", ".hh",
	".hpp", ".hxx", ".inl", ".java",
	".js", ".jsx", ".kt", ".lua", ".m", ".mjs", ".mm", ".mts", ".pas", ".py", ".pyx", ".razor", ".rb", ".rs", ".s",
	".scala", ".swift", ".ts", ".tsx",
	".vb", ".zig",
}

// IsSource reports whether the name of a file has the extension of a source file.
func IsSource(name string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(name)))
}

func isText(text []byte) bool {
	return utf8.Valid(text) && !slices.Contains(text, 0)
}
