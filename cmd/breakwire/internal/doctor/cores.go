package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// keptCores says where a system keeps the core files of programs that crash. pattern is Linux's core_pattern. allowed
// reports whether this user's programs may leave any.
func keptCores(system, pattern string, allowed bool) finding {
	f := finding{Level: fine}
	switch pattern = strings.TrimSpace(pattern); {
	case system == "windows":
		return finding{fine, "core files: Windows writes none; `debug_attach` with `core` reads those of other systems", ""}
	case system == "darwin":
		f.Text = "core files: in /cores"
	case system != "linux" || pattern == "":
		return finding{fine, "core files: nobody knows where this system keeps them", ""}
	case strings.Contains(pattern, "systemd-coredump"):
		f.Text, f.Next = "core files: kept by systemd", "coredumpctl dump -o core PID"
		return f // it does not mind the limit
	case strings.HasPrefix(pattern, "|"):
		f.Text = "core files: passed to " + strings.Fields(pattern[1:] + " ?")[0]
	case filepath.IsAbs(pattern):
		f.Text = "core files: " + pattern
	default:
		f.Text = "core files: " + pattern + " in the program's working folder"
	}
	if !allowed {
		f.Text += "; the limit of this user is 0, so none is written"
		f.Next = "ulimit -c unlimited"
	}
	return f
}

func examineCores() finding {
	pattern, _ := os.ReadFile("/proc/sys/kernel/core_pattern")
	return keptCores(runtime.GOOS, string(pattern), coresAllowed())
}

// watching reports whether the processor stops a program at watched memory. problem is what a trial has shown.
func watching(trial error) finding {
	if trial == nil {
		return finding{fine, "memory can be watched: watchpoints stop programs", ""}
	}
	return finding{warning, "watchpoints do not work here: " + trial.Error(), ""}
}
