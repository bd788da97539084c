package dapclient

import (
	"fmt"
	"maps"
	"strings"
)

// codelldb is CodeLLDB, an adapter with an LLDB of its own. Measured against 1.11.8. It is taken by name only: lldb-dap
// is everywhere, and resumes at the same speed.
var codelldb = codeLLDB(*lldb)

// codeLLDB returns what differs from lldb-dap's profile.
func codeLLDB(p Profile) *Profile {
	p.Name, p.AdapterID, p.PathEnv = "codelldb", "lldb", "CODELLDB_PATH"
	p.Executables, p.WellKnown = []string{"codelldb"}, nil
	p.Install = "unpack codelldb-*.vsix of github.com/vadimcn/codelldb/releases, a zip file, and name " +
		"extension/adapter/codelldb in it"
	launch, attach := p.Launch, p.Attach
	p.Launch = func(r LaunchRequest) map[string]any {
		rust := r.RustFormatters != ""
		r.RustFormatters = "" // it brings its own
		a := launch(r)
		env := map[string]any{}
		for name, value := range setOnly(r.Env) {
			env[name] = value
		}
		a["env"] = env
		setCodeLLDBArguments(a, rust)
		return a
	}
	p.Attach = func(r AttachRequest) map[string]any {
		rust := r.RustFormatters != ""
		r.RustFormatters = ""
		a := attach(r)
		setCodeLLDBArguments(a, rust)
		return a
	}
	p.Locations = &Pattern{Text: `^Resolved locations: (\d+)$`}
	p.LaunchedText = &Pattern{Text: `^Launched process (\d+) from `}
	p.NoCondition = "1"
	p.Returns = "" // it lists the value itself
	p.ConnectsItself, p.Cores, p.ListsRaw = false, "", true
	return &p
}

// setCodeLLDBArguments sets what every start has: expressions as LLDB reads them, and no terminal of its own. Its
// formatters of Rust take all types, also those of C++, so only a Rust program gets them.
func setCodeLLDBArguments(a map[string]any, rust bool) {
	maps.Copy(a, map[string]any{"type": "lldb", "name": "breakwire", "expressions": "native", "terminal": "console"})
	commands, _ := a["initCommands"].([]any)
	for i, command := range commands {
		commands[i] = strings.TrimPrefix(fmt.Sprint(command), quietly)
	}
	if rust {
		a["sourceLanguages"] = []any{"rust"}
		a["preRunCommands"] = []any{rustCorrection()} // it has loaded the formatters by then
	}
}
