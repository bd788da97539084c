// Package python finds interpreters of Python, reads what its sources define, and has what debugpy's processes load at
// their start.
package python

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/program"
)

// interpreterName matches the file names of Python interpreters.
var interpreterName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:(python|pypy)(\d+(\.\d+)*)?[wt]?(-dbg)?(\.exe)?)$`)
})

// Is reports whether a file is a Python interpreter, by its name.
func Is(exe string) bool {
	return interpreterName().MatchString(filepath.Base(exe)) && program.IsExecutable(exe)
}

// OnPath returns the interpreters with one of the names in the folders of PATH, in its order. A second name of
// one in the same folder is left out.
func OnPath(names []string) []string {
	var patterns []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		for _, name := range names {
			if folder != "" {
				patterns = append(patterns, filepath.Join(folder, name))
			}
		}
	}
	return interpreters(patterns)
}

// interpreters returns the executables of a list of paths. ~ and a * for a folder's name are understood.
func interpreters(paths []string) []string {
	var found []string
	seen := map[string]bool{}
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				continue
			}
			path = filepath.Join(home, rest)
		}
		some := []string{path}
		if strings.Contains(path, "*") {
			some, _ = filepath.Glob(path)
			slices.Reverse(some) // the newest version first
		}
		for _, one := range some {
			exe, err := exec.LookPath(one)
			if err != nil {
				continue
			}
			if abs, err := filepath.Abs(exe); err == nil {
				exe = abs
			}
			// Links of the folder and of the file lead to one program, but each folder is an environment of its own.
			folder, _ := filepath.EvalSymlinks(filepath.Dir(exe))
			file, _ := filepath.EvalSymlinks(exe)
			if key := folder + "\x00" + file; !seen[key] {
				seen[key] = true
				found = append(found, exe)
			}
		}
	}
	return found
}

// FindDebugpy returns the first interpreter that has debugpy: one of these names on PATH, then one in these places.
// Else it returns where it looked and why it found none.
func FindDebugpy(ctx context.Context, names, places []string) (exe string, looked []string, why string) {
	silent := ""
	for _, exe := range append(OnPath(names), interpreters(places)...) {
		if slices.Contains(looked, exe) {
			continue
		}
		looked = append(looked, exe)
		real, err := AskDebugpy(ctx, exe)
		if err == nil {
			return real, nil, ""
		}
		if silent == "" && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
			silent = " (" + exe + " does not say whether it has it)"
		}
		if ctx.Err() != nil {
			break // no time is left for others
		}
	}
	switch len(looked) {
	case 0:
		return "", slices.Concat(names, places), silent + ": there is no Python on PATH"
	case 1:
		return "", looked, silent + ": " + looked[0] + " does not have it"
	}
	return "", looked, silent + ": neither of these has it: " + strings.Join(looked, ", ")
}

// For returns the interpreter of the program's own environment: a .venv or venv in its folder or a folder above,
// else the environment (venv or conda) that is active here or in the launch. It returns "" when there is none; the
// adapter's interpreter is then used. may reports whether an interpreter that was found in a folder may be run.
func For(folder string, env map[string]*string, may func(exe string) bool) string {
	home, _ := os.UserHomeDir()
	for ; ; folder = filepath.Dir(folder) {
		for _, name := range []string{".venv", "venv"} {
			if exe := InEnvironment(filepath.Join(folder, name)); exe != "" && may(exe) {
				return exe
			}
		}
		if folder == home || folder == filepath.Dir(folder) {
			break
		}
	}
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		active := os.Getenv(variable)
		if value, given := env[variable]; given && value == nil {
			active = ""
		} else if given {
			active = *value
		}
		if exe := InEnvironment(active); exe != "" {
			return exe
		}
	}
	return ""
}

// Fits caches which interpreters can run programs under which adapter.
type Fits struct{ known sync.Map } // [2]string to bool

// patience bounds a cold start of an interpreter.
const patience = 10 * time.Second

// command returns the command for a short run of an interpreter.
func command(ctx context.Context, exe string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.WaitDelay = 100 * time.Millisecond // for processes that it left running with its output open
	return cmd
}

// AskDebugpy asks an interpreter for its own path and for debugpy. A shim of a version manager answers with the path
// that it leads to. The error is the context's when there was no answer.
func AskDebugpy(ctx context.Context, exe string) (real string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := command(ctx, exe, "-c", "import debugpy, sys; print(sys.executable)").Output()
	if err != nil {
		return "", cmp.Or(ctx.Err(), err)
	}
	if real = strings.TrimSpace(string(out)); !program.IsExecutable(real) || !filepath.IsAbs(real) {
		real = exe
	}
	return real, nil
}

// Fit reports whether an interpreter can load the debugpy of the adapter's, with our sitecustomize in the archive path.
func (f *Fits) Fit(ctx context.Context, adapter, own, path string) bool {
	if ok, found := f.known.Load([2]string{adapter, own}); found {
		return ok.(bool)
	}
	file, err := command(ctx, adapter, "-c", "import debugpy; print(debugpy.__file__)").Output()
	ok := err == nil
	if ok {
		cmd := command(ctx, own, filepath.Dir(strings.TrimSpace(string(file))), "--version")
		if path != "" {
			cmd.Env = program.SetEnv(os.Environ(), "PYTHONPATH", BeforePath(path))
		}
		ok = cmd.Run() == nil
	}
	if ctx.Err() == nil {
		f.known.Store([2]string{adapter, own}, ok)
	}
	return ok
}

// InEnvironment returns the interpreter of a virtual or conda environment, "" when the folder is none.
func InEnvironment(folder string) string {
	if folder == "" {
		return ""
	}
	exe := filepath.Join(folder, "bin", "python")
	conda, _ := os.Stat(filepath.Join(folder, "conda-meta"))
	switch venv := program.IsFile(filepath.Join(folder, "pyvenv.cfg")); {
	case !venv && (conda == nil || !conda.IsDir()):
		return ""
	case runtime.GOOS == "windows" && venv:
		exe = filepath.Join(folder, "Scripts", "python.exe")
	case runtime.GOOS == "windows":
		exe = filepath.Join(folder, "python.exe")
	}
	if !program.IsExecutable(exe) {
		return ""
	}
	return exe
}
