package dapclient

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// jsDebug is VS Code's debugger for JavaScript and TypeScript, behind a bridge (package jsdebug). Measured against
// 1.112 on Node 20.
var jsDebug = &Profile{
	Name: "js-debug", AdapterID: "pwa-node", Language: JavaScript, Bridge: "js-debug",
	Returns: "js-debug",
	Sources: []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"},
	PathEnv: "JS_DEBUG_PATH",
	Install: "install Visual Studio Code, whose debugger it is, or unpack js-debug-dap of " +
		"github.com/microsoft/vscode-js-debug/releases",
	Launch: func(r LaunchRequest) map[string]any {
		if IsPage(r.Program) {
			return launchPage(r)
		}
		a := map[string]any{
			"type": "pwa-node", "request": "launch", "program": r.Program, "args": args(r.Args),
			"stopOnEntry": r.StopAtEntry, "skipFiles": skipFiles(r.JustMyCode, r.Program),
		}
		if r.Cwd != "" {
			a["cwd"] = r.Cwd
		}
		if len(r.Env) > 0 {
			a["env"] = r.Env
		}
		if r.Stdin != "" {
			a["stdin"] = r.Stdin
		}
		if folder := workspace(r.Program, r.Cwd); folder != "" {
			a["__workspaceFolder"] = folder
			a["outFiles"] = []any{folder + "/**/*.(m|c|)js", "!**/node_modules/**"}
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		a := map[string]any{"type": "pwa-node", "request": "attach", "skipFiles": skipFiles(r.JustMyCode, "")}
		if r.Pid > 0 {
			a["processId"] = r.Pid
		}
		if host, port, err := net.SplitHostPort(r.Address); err == nil {
			a["address"], a["port"] = host, port
			if n, err := strconv.Atoi(port); err == nil {
				a["port"] = n
			}
		}
		return a
	},
	Harmless:       among("skipFiles", "smartStep", "sourceMaps", "showAsyncStacks", "timeout"),
	ConnectsItself: true,
	OutlivesInput:  true, TakesStdin: true, DetachKillsLaunched: true, NegativeSignals: true, LocalSources: true,
	Statements: true, RecheckConditions: true, LogPoints: "js-debug",
}

// skipFiles are the files that steps leave out. A program in node_modules is none of them: js-debug would pass over the
// stop at its first line.
func skipFiles(justMyCode bool, program string) []any {
	list := []any{"<node_internals>/**"}
	if justMyCode {
		list = append(list, "**/node_modules/**")
		if _, own, ok := strings.Cut(filepath.ToSlash(program), "/node_modules/"); ok {
			list = append(list, "!**/node_modules/"+own)
		}
	}
	return list
}

// workspace returns the folder of a program's project: the nearest one above it that has a package.json or a
// tsconfig.json, else the program's own. Source maps are looked for there. A program in node_modules, such as a test
// runner, runs the project that has it.
func workspace(program, cwd string) string {
	if program == "" {
		return cwd
	}
	own := filepath.Dir(program)
	if project, _, ok := strings.Cut(filepath.ToSlash(own), "/node_modules/"); ok {
		own = filepath.FromSlash(project)
	}
	for dir := own; ; dir = filepath.Dir(dir) {
		for _, name := range []string{"package.json", "tsconfig.json"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return own
		}
	}
}
