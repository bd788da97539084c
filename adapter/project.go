package adapter

import (
	"context"
	"maps"
	"slices"

	"breakwire/adapter/fault"
	"breakwire/adapter/program"
)

// Configuration returns a launch configuration of the project by name.
func (m *Manager) Configuration(name, project string) (*program.Configuration, error) {
	return program.FindConfiguration(m.opts.ProjectRoot, name, project)
}

// PreBuild runs a command in the project's folder before a launch.
func (m *Manager) PreBuild(ctx context.Context, command []string, project string, line func(string)) (*program.Build,
	error) {
	if m.opts.Permissions.restricted() {
		return nil, denied("this server runs no commands (it was started with --read-only or --allow-program); leave "+
			"pre_build out").With("parameter", "pre_build")
	}
	return program.RunBuild(ctx, m.opts.ProjectRoot, command, project, line)
}

// Configure sets what a launch does not set itself, from a configuration.
func (p *LaunchParams) Configure(c *program.Configuration, stop, mine *bool) error {
	if c.Attach {
		return fault.Errorf(fault.InvalidParameter, "configuration %q of %s attaches to a program; use debug_attach", c.Name,
			c.File).With("parameter", "configuration").With("file", c.File)
	}
	if p.Program == "" {
		p.Program = c.Program
	}
	if p.Args == nil {
		p.Args = c.Args
	}
	if p.Cwd == "" {
		p.Cwd = c.Cwd
	}
	if len(c.Env) > 0 {
		env := maps.Clone(c.Env)
		maps.Copy(env, p.Env)
		p.Env = env
	}
	if stop == nil && c.StopAtEntry != nil {
		p.StopAtEntry = *c.StopAtEntry
	}
	if mine == nil && c.JustMyCode != nil {
		p.JustMyCode = *c.JustMyCode
	}
	p.Extra, p.Members, p.Interpreter = c.Extra, c.Members, c.Interpreter
	return nil
}

// Configure sets what an attach does not set itself, from a configuration.
func (p *AttachParams) Configure(c *program.Configuration) error {
	if !c.Attach || c.Parts != nil {
		return fault.Errorf(fault.InvalidParameter, "configuration %q of %s launches a program; use debug_launch", c.Name,
			c.File).With("parameter", "configuration").With("file", c.File)
	}
	if p.Pid == 0 && p.Connect == "" {
		p.Pid, p.Connect = c.Pid, c.Connect
	}
	p.StopOnEntry = p.StopOnEntry || c.StopAtEntry != nil && *c.StopAtEntry
	p.JustMyCode = p.JustMyCode && (c.JustMyCode == nil || *c.JustMyCode)
	p.PathMap = slices.Concat(p.PathMap, c.PathMap)
	p.Extra, p.Members = c.Extra, c.Members
	return nil
}
