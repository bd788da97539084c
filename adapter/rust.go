package adapter

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"breakwire/dapclient"
)

// The values of Rust's library are readable for LLDB only with the formatters that come with rustc. They are taken from
// a toolchain of this machine; no program is run to find it.

// rustScan bounds the part of an executable that is searched.
const rustScan = 256 << 20

// isRust reports whether an executable was built by rustc: the library's own source paths are in each.
func isRust(program string) bool {
	f, err := os.Open(program)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	in := io.LimitReader(f, rustScan)
	mark := []byte("/rustc/")
	buf := make([]byte, 1<<20)
	for kept := 0; ; {
		n, err := io.ReadFull(in, buf[kept:])
		if bytes.Contains(buf[:kept+n], mark) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(buf, buf[kept+n-len(mark)+1:kept+n])
	}
}

var defaultToolchain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^default_toolchain\s*=\s*"([^"/\\]+)"`)
})

// rustFormatters returns the folder with the formatters of rustc, "" without one: of rustup's default toolchain, of the
// rustc on PATH, or else the newest of rustup.
func rustFormatters(getenv func(string) string) string {
	var folders []string
	add := func(root string) { folders = append(folders, filepath.Join(root, "lib", "rustlib", "etc")) }
	home := getenv("RUSTUP_HOME")
	if user, err := os.UserHomeDir(); home == "" && err == nil {
		home = filepath.Join(user, ".rustup")
	}
	toolchains := filepath.Join(home, "toolchains")
	if name := getenv("RUSTUP_TOOLCHAIN"); name != "" && !strings.ContainsAny(name, `/\`) {
		add(filepath.Join(toolchains, name))
	}
	if settings, err := os.ReadFile(filepath.Join(home, "settings.toml")); err == nil {
		if m := defaultToolchain().FindSubmatch(settings); m != nil {
			add(filepath.Join(toolchains, string(m[1])))
		}
	}
	if rustc, err := exec.LookPath("rustc"); err == nil {
		if rustc, err = filepath.EvalSymlinks(rustc); err == nil {
			add(filepath.Dir(filepath.Dir(rustc)))
		}
	}
	if name := newestFolder(toolchains); name != "" {
		add(name)
	}
	for _, folder := range folders {
		if isRegular(filepath.Join(folder, "lldb_lookup.py")) && isRegular(filepath.Join(folder, "lldb_commands")) &&
			!strings.ContainsAny(folder, "\"\\\n") {
			return folder
		}
	}
	return ""
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// newestFolder returns the folder that was changed last.
func newestFolder(in string) (path string) {
	entries, _ := os.ReadDir(in)
	var newest time.Time
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.IsDir() && info.ModTime().After(newest) {
			newest, path = info.ModTime(), filepath.Join(in, e.Name())
		}
	}
	return path
}

// prepareRust sets the formatters of the start request, where the debugger takes some and the program needs them, and
// the breakpoint for panics.
func (s *Session) prepareRust() {
	if !s.profile.RustFormatters || !s.backend.Local {
		return
	}
	program, formatters := "", new(string)
	switch {
	case s.origin.launch != nil:
		program, formatters = s.origin.launch.Program, &s.origin.launch.RustFormatters
	case s.origin.attach != nil:
		formatters = &s.origin.attach.RustFormatters
		if info, err := dapclient.FindProcess(s.origin.attach.Pid); err == nil {
			program = info.Exe
		}
	}
	*formatters = ""
	if isRust(program) {
		s.held.Panics = panicBreakpoint()
		if *formatters = rustFormatters(os.Getenv); *formatters == "" {
			s.log.Info("no toolchain of Rust was found: values of its library are shown as they are stored")
		}
	}
}
