package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/mapping"
)

// Configuration is a named way to launch a program or to attach to one, from a file that other tools use.
type Configuration struct {
	Name, File  string
	Program     string
	Args        []string
	Cwd         string
	Env         map[string]*string
	StopAtEntry *bool
	JustMyCode  *bool
	Backend     string         // "" when the file names none
	Members     []string       // all member names in the file, also of members that are not sent to the debugger
	Interpreter []string       // the command of the interpreter; nil when the file names none
	Extra       map[string]any // launch arguments for this debugger only
	Warnings    []string

	Attach      bool // to the process, or at the address
	Pid         int
	ProcessName string
	Connect     string   // HOST:PORT
	PathMap     []string // FROM=TO

	Parts   []string // of a compound: the names of its configurations, which start together; it has nothing else
	StopAll bool     // the end of one part ends the others
}

// FindConfiguration returns a launch configuration by name: from .vscode/launch.json of the root, else from the
// Properties/launchSettings.json of .NET projects. program, when given, is the project whose settings are meant.
func FindConfiguration(root, name, program string) (*Configuration, error) {
	var known []string
	launch := filepath.Join(root, ".vscode", "launch.json")
	if IsFile(launch) {
		names, c, err := launchJSON(launch, root, name)
		if err != nil || c != nil {
			return c, err
		}
		known = append(known, names...)
	}
	files := settingsFiles(root, program)
	for _, file := range files {
		names, c, err := launchSettings(file, name)
		if err != nil || c != nil {
			return c, err
		}
		known = append(known, names...)
	}
	looked := append([]string{launch}, files...)
	if len(known) == 0 {
		return nil, fault.Errorf(fault.InvalidParameter,
			"there is no configuration %q: neither %s nor a Properties/launchSettings.json below %s has any; give "+
				"program instead", name, launch, root).
			With("parameter", "configuration").With("looked", looked)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	e := fault.Errorf(fault.InvalidParameter, "there is no configuration %q; there are %s", name,
		strings.Join(known, ", ")).
		With("parameter", "configuration").With("known", known).With("looked", looked)
	if near := mapping.Nearest(name, known); near != "" {
		e.Message += "; did you mean " + near + "?"
	}
	return nil, e
}

// settingsFiles returns the launch settings of a project, else those of all projects near the root.
func settingsFiles(root, program string) []string {
	const name = "Properties/launchSettings.json"
	if program != "" {
		folder := program
		if info, err := os.Stat(program); err != nil || !info.IsDir() {
			folder = filepath.Dir(program)
		}
		for range 5 { // an assembly is some folders below its project
			if file := filepath.Join(folder, name); IsFile(file) {
				return []string{file}
			}
			if folder == root || folder == filepath.Dir(folder) {
				break
			}
			folder = filepath.Dir(folder)
		}
	}
	var files []string
	for _, pattern := range []string{name, "*/" + name, "*/*/" + name, "*/*/*/" + name} {
		files = append(files, FilesIn(root, pattern)...)
	}
	return files
}
