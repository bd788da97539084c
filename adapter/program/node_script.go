package program

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"breakwire/adapter/fault"
	"breakwire/mapping"
)

// packageFolder returns the folder of a package that is given by it or by its package.json, else "".
func packageFolder(program string) string {
	if filepath.Base(program) == "package.json" {
		return filepath.Dir(program)
	}
	if info, err := os.Stat(program); err == nil && info.IsDir() && IsFile(filepath.Join(program, "package.json")) {
		return program
	}
	return ""
}

// HoldsPackage reports whether a program is a package of node, given by its folder or its package.json.
func HoldsPackage(program string) bool { return packageFolder(program) != "" }

// scriptStart returns how a script of a package is run: the first argument names it, also after run. The others are the
// script's. Without arguments it is start.
func scriptStart(folder string, q NodeQuery) (*NodeStart, error) {
	p, err := readPackage(folder)
	if err != nil {
		file := filepath.Join(folder, "package.json")
		return nil, fault.Errorf(fault.InvalidFile, "%s: %v", file, PathReason(err)).With("file", file)
	}
	args := q.Args
	if len(args) > 0 && (args[0] == "run" || args[0] == "run-script") {
		args = args[1:]
	}
	name := "start"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if _, ok := p.Scripts[name]; !ok {
		known := slices.Sorted(maps.Keys(p.Scripts))
		e := fault.Errorf(fault.InvalidParameter, "%s has no script %s; name one as the first of args: %s",
			filepath.Join(folder, "package.json"), name, strings.Join(known, ", ")).With("parameter", "args").
			With("scripts", known)
		if len(known) == 0 {
			e.Message = filepath.Join(folder, "package.json") + " has no scripts; give the file that node runs as program"
		} else if near := mapping.Nearest(name, known); near != "" {
			e.Message += "; did you mean " + near + "?"
		}
		return nil, e
	}
	manager := p.packageManager()
	runtime, err := exec.LookPath(manager)
	if err != nil && manager != "npm" {
		manager = "npm" // it runs the scripts of the others, too
		runtime, err = exec.LookPath(manager)
	}
	if err != nil {
		return nil, fault.Errorf(fault.LaunchFailed, "%s was not found on PATH, which runs the script %s; install it, or "+
			"give "+
			"the file that node runs as program", manager, name)
	}
	s := &NodeStart{Runtime: runtime, Options: []string{"run", name}, Args: args, Cwd: folder, Uses: []string{runtime}}
	if manager == "npm" && len(args) > 0 {
		s.Options = append(s.Options, "--")
	}
	s.Skip = preparing(p.Scripts, name)
	s.Ran = inFolder(quoted(slices.Concat([]string{manager}, s.Options, args)), folder)
	return s, nil
}

// runCommand matches the command that runs another script of a package.
var runCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:npm|pnpm|yarn)\s+(?:run(?:-script)?\s+)?([\w:.-]+)`)
})

// preparing returns the scripts that run before a script's program or after it: those of its hooks, and of the commands
// before its last one.
func preparing(scripts map[string]string, name string) []string {
	skip := []string{"pre" + name, "post" + name}
	commands := strings.Split(scripts[name], "&&")
	for i, command := range commands {
		m := runCommand().FindStringSubmatch(command)
		if m == nil || m[1] == name {
			continue
		}
		if i < len(commands)-1 {
			skip = append(skip, m[1])
		}
		skip = append(skip, "pre"+m[1], "post"+m[1])
	}
	return skip
}
