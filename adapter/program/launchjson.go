package program

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tailscale/hujson"

	"breakwire/adapter/fault"
	"breakwire/mapping"
)

// launchTypes maps VS Code's types to debuggers.
var launchTypes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"coreclr": "netcoredbg", "netcoredbg": "netcoredbg", "dotnet": "netcoredbg", "go": "dlv", "python": "debugpy",
		"debugpy": "debugpy",
		"node":    "js-debug", "pwa-node": "js-debug",
		"lldb": "lldb-dap", "lldb-dap": "lldb-dap", "cppdbg": "lldb-dap", "cppvsdbg": "lldb-dap", "codelldb": "lldb-dap",
	}
})

// editorOnly are members of a configuration that are not sent to a debugger: they are for the editor, or breakwire
// handles them.
var editorOnly = []string{
	"name", "type", "request", "program", "args", "cwd", "env", "environment", "envFile", "stopAtEntry", "stopOnEntry",
	"justMyCode", "console", "terminal",
	"preLaunchTask", "postDebugTask", "presentation", "internalConsoleOptions", "serverReadyAction",
	"launchSettingsProfile", "launchSettingsFilePath",
	"windows", "linux", "osx", "MIMode", "miDebuggerPath", "setupCommands", "externalConsole", "projectPath",
	"debugServer", "sourceFileMap",
	"suppressMultipleSessionWarning", "launchBrowser", "logging", "pipeTransport", "redirectOutput", "python",
	"pythonPath",
	"debugAdapterPython", "debugLauncherPython", "outputMode",
}

// launchJSON returns a configuration of .vscode/launch.json. When none has that name, it returns the names there are.
func launchJSON(file, root, name string) (names []string, c *Configuration, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fault.Errorf(fault.InvalidFile, "%s: %v", file, PathReason(err)).With("file", file)
	}
	plain, err := hujson.Standardize([]byte(strings.TrimPrefix(string(text), "\ufeff")))
	if err != nil {
		return nil, nil, fault.Errorf(fault.InvalidFile, "%s: %s", file, strings.TrimPrefix(err.Error(), "hujson: ")).
			With("file", file)
	}
	var doc struct {
		Configurations []map[string]any `json:"configurations"`
		Compounds      []compound       `json:"compounds"`
	}
	if err := json.Unmarshal(plain, &doc); err != nil {
		return nil, nil, fault.Errorf(fault.InvalidFile, "%s: %v", file, err).With("file", file)
	}
	for _, entry := range doc.Configurations {
		own, _ := entry["name"].(string)
		if own == name {
			c, err := (&launchEntry{file: file, root: root, name: name, all: entry}).configuration()
			return nil, c, err
		}
		if own != "" {
			names = append(names, own)
		}
	}
	for _, entry := range doc.Compounds {
		if entry.Name == name {
			c, err := entry.configuration(file, names)
			return nil, c, err
		}
		names = append(names, entry.Name)
	}
	return names, nil, nil
}

// compound is several configurations of launch.json that start together.
type compound struct {
	Name           string
	Configurations []any // a name, or an object with name and the folder of the workspace
	StopAll        bool
	PreLaunchTask  any
}

func (e compound) configuration(file string, known []string) (*Configuration, error) {
	c := &Configuration{Name: e.Name, File: file, StopAll: e.StopAll}
	for _, part := range e.Configurations {
		name, _ := part.(string)
		if object, ok := part.(map[string]any); ok {
			name, _ = object["name"].(string)
		}
		if !slices.Contains(known, name) {
			return nil, fault.Errorf(fault.InvalidParameter, "compound %q of %s starts %q, and there is no configuration of "+
				"that name", e.Name, file, name).With("parameter", "configuration").With("file", file).With("known", known)
		}
		c.Parts = append(c.Parts, name)
	}
	if len(c.Parts) == 0 {
		return nil, fault.Errorf(fault.InvalidParameter, "compound %q of %s names no configurations", e.Name, file).
			With("parameter", "configuration").With("file", file)
	}
	if task, _ := e.PreLaunchTask.(string); task != "" {
		c.Warnings = append(c.Warnings, fmt.Sprintf("preLaunchTask %q was not run; build with pre_build", task))
	}
	return c, nil
}

// launchEntry is a configuration of launch.json that is being read.
type launchEntry struct {
	file, root, name string
	all              map[string]any
	err              error
}

func (e *launchEntry) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fault.Errorf(fault.InvalidParameter, "configuration %q of %s: %s", e.name, e.file,
			fmt.Sprintf(format, args...)).
			With("parameter", "configuration").With("file", e.file)
	}
}

func (e *launchEntry) configuration() (*Configuration, error) {
	// Members for this system replace the general ones.
	if own, ok := e.all[map[string]string{"windows": "windows", "darwin": "osx",
		"linux": "linux"}[runtime.GOOS]].(map[string]any); ok {
		maps.Copy(e.all, own)
	}
	kind, _ := e.all["type"].(string)
	c := &Configuration{Name: e.name, File: e.file, Backend: launchTypes()[kind]}
	if c.Backend == "" {
		e.fail("type %q is not of a debugger that breakwire knows", kind)
	}
	c.Members = slices.Sorted(maps.Keys(e.all))
	c.Program = e.path("program")
	c.Cwd = e.path("cwd")
	c.Args = e.args()
	c.Env = e.env()
	c.Interpreter = e.interpreter()
	c.StopAtEntry = e.flag("stopAtEntry", "stopOnEntry")
	c.JustMyCode = e.flag("justMyCode")
	c.Extra = map[string]any{}
	request, _ := e.all["request"].(string)
	named := func(k string) bool { return request == "attach" && slices.Contains(attachMembers, k) }
	for _, k := range slices.Sorted(maps.Keys(e.all)) {
		if !slices.Contains(editorOnly, k) && !strings.HasPrefix(k, "$") && !named(k) {
			c.Extra[k] = e.expanded(e.all[k])
		}
	}
	if request == "attach" {
		e.attach(c)
		return c, e.err
	}
	if mode := c.Extra["mode"]; mode == "auto" {
		delete(c.Extra, "mode")
	} else if mode == "remote" {
		e.fail("mode remote connects to a debugger; that is request attach")
	}
	if c.Program == "" && c.Extra["module"] == nil {
		e.fail("it names no program")
	}
	if task, _ := e.all["preLaunchTask"].(string); task != "" {
		c.Warnings = append(c.Warnings, fmt.Sprintf("preLaunchTask %q was not run; build with pre_build", task))
	}
	return c, e.err
}

// editorVariable matches ${...}.
var editorVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}]*)\}`) })

// expand replaces variables by their values. It refuses those that only an editor knows.
func (e *launchEntry) expand(text string) string {
	return editorVariable().ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		switch {
		case name == "workspaceFolder" || name == "workspaceRoot" || name == "cwd":
			return e.root
		case name == "workspaceFolderBasename":
			return filepath.Base(e.root)
		case name == "pathSeparator" || name == "/":
			return string(filepath.Separator)
		case name == "userHome":
			home, _ := os.UserHomeDir()
			return home
		case strings.HasPrefix(name, "env:"):
			return os.Getenv(name[len("env:"):])
		case strings.HasPrefix(name, "workspaceFolder:"):
			if name[len("workspaceFolder:"):] == filepath.Base(e.root) {
				return e.root
			}
		}
		e.fail("%s is known to an editor only; give program, args or cwd in the call", found)
		return found
	})
}

func (e *launchEntry) expanded(v any) any {
	switch v := v.(type) {
	case string:
		return e.expand(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = e.expanded(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = e.expanded(v[k])
		}
		return out
	}
	return v
}

// path returns a member as a path, relative to the root of the workspace.
func (e *launchEntry) path(member string) string {
	text, given := e.all[member].(string)
	if !given || text == "" {
		return ""
	}
	if text = e.expand(text); !mapping.IsAbs(text) {
		text = filepath.Join(e.root, text)
	}
	return filepath.Clean(text)
}

// interpreter returns the command of a Python configuration: a path, a name on PATH, or a list with arguments. What the
// editor has selected is not known here, so it counts as none.
func (e *launchEntry) interpreter() []string {
	value, given := e.all["python"]
	if !given {
		value = e.all["pythonPath"]
	}
	var words []string
	switch v := value.(type) {
	case string:
		words = []string{v}
	case []any:
		for _, word := range v {
			words = append(words, fmt.Sprint(word))
		}
	}
	if len(words) == 0 || words[0] == "" || strings.HasPrefix(words[0], "${command:") ||
		strings.HasPrefix(words[0], "${config:") {
		return nil
	}
	for i := range words {
		words[i] = e.expand(words[i])
	}
	if strings.ContainsAny(words[0], `/\`) && !mapping.IsAbs(words[0]) {
		words[0] = filepath.Join(e.root, words[0])
	}
	return words
}

func (e *launchEntry) flag(members ...string) *bool {
	for _, m := range members {
		if on, ok := e.all[m].(bool); ok {
			return &on
		}
	}
	return nil
}

// args returns the arguments, from a list or a command line.
func (e *launchEntry) args() []string {
	switch v := e.all["args"].(type) {
	case string:
		words, err := mapping.SplitWords(e.expand(v))
		if err != nil {
			e.fail("args: %v", err)
		}
		return words
	case []any:
		args := make([]string, len(v))
		for i, a := range v {
			args[i] = e.expand(fmt.Sprint(a))
		}
		return args
	}
	return nil
}

// env returns the variables of envFile, then those of env or, for C++, environment.
func (e *launchEntry) env() map[string]*string {
	env := map[string]*string{}
	set := func(name, value string) { env[name] = &value }
	if file := e.path("envFile"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			e.fail("envFile %s: %v", file, PathReason(err))
		}
		for line := range strings.Lines(string(text)) {
			name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			if name = strings.TrimSpace(name); ok && name != "" && !strings.HasPrefix(name, "#") {
				value = strings.TrimSpace(value)
				if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
					value = value[1 : n-1]
				}
				set(name, value)
			}
		}
	}
	if list, ok := e.all["environment"].([]any); ok {
		for _, item := range list {
			if pair, ok := item.(map[string]any); ok {
				name, _ := pair["name"].(string)
				set(name, e.expand(fmt.Sprint(pair["value"])))
			}
		}
	}
	if m, ok := e.all["env"].(map[string]any); ok {
		for name, value := range m {
			if value == nil {
				env[name] = nil
				continue
			}
			set(name, e.expand(fmt.Sprint(value)))
		}
	}
	return env
}
