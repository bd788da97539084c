package adapter

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"strings"

	"breakwire/adapter/program"
	"breakwire/dapclient"
)

// findNodeStart makes a launch of TypeScript, or of a package's script, one that node can do. What was said of the
// runtime stays as it is.
func (m *Manager) findNodeStart(ctx context.Context, p *LaunchParams) error {
	if dapclient.IsPage(p.Program) || p.Program == "" || p.Extra["runtimeExecutable"] != nil ||
		p.Extra["runtimeArgs"] != nil ||
		runsTypeScript(p.Env["NODE_OPTIONS"]) {
		return nil
	}
	start, err := program.FindNodeStart(ctx, program.NodeQuery{Program: p.Program, Args: p.Args, Node: "node"})
	if err != nil {
		return err
	}
	for _, file := range start.Uses {
		if err := m.mayUse(file); err != nil {
			return err
		}
	}
	p.Program, p.Args, p.Ran, p.Cwd = start.Program, start.Args, cmp.Or(p.Ran, start.Ran), cmp.Or(start.Cwd, p.Cwd)
	if start.Warning != "" {
		p.Warnings = append(p.Warnings, start.Warning)
	}
	p.Extra = maps.Clone(p.Extra)
	if p.Extra == nil {
		p.Extra = map[string]any{}
	}
	if start.Runtime != "" {
		p.Extra["runtimeExecutable"] = start.Runtime
	}
	if len(start.Options) > 0 {
		p.Extra["runtimeArgs"] = start.Options
	}
	if len(start.Skip) > 0 {
		p.Extra["skipScripts"] = start.Skip
	}
	return nil
}

// runsTypeScript reports whether options of node load what runs TypeScript.
func runsTypeScript(options *string) bool {
	return options != nil && (strings.Contains(*options, "tsx") || strings.Contains(*options, "ts-node"))
}

// mayUse checks a file that runs with a program: where only certain programs may be started, a pattern must name it.
func (m *Manager) mayUse(file string) error {
	perm := &m.opts.Permissions
	if !perm.restricted() {
		return nil
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil || !perm.names(real, true) {
		return perm.refuse(file)
	}
	return nil
}
