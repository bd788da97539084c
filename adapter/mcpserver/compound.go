package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/program"
)

// startedPart is one session that a compound configuration has started.
type startedPart struct {
	Configuration string `json:"configuration"`
	startResult
}

// ofOnePart returns a parameter of a launch that cannot be one of several programs, "" when there is none.
func (in *launchArgs) ofOnePart() string {
	for _, p := range []struct {
		name  string
		given bool
	}{
		{"program", in.Program != ""}, {"test", in.Test != ""}, {"module", in.Module != ""}, {"args", in.Args != nil},
		{"cwd", in.Cwd != ""}, {"env", in.Env != nil}, {"backend", in.Backend != ""}, {"path_map", in.PathMap != nil},
		{"in_container", in.Container != ""}, {"in_pod", in.Pod != ""}, {"wait", in.Wait != nil && *in.Wait},
	} {
		if p.given {
			return p.name
		}
	}
	return ""
}

// launchCompound starts all parts of a compound configuration, in its order, or none.
func (s *Server) launchCompound(ctx context.Context, in launchArgs, c *program.Configuration) (_ any, err error) {
	if name := in.ofOnePart(); name != "" {
		return nil, fault.Errorf(fault.InvalidParameter, "%q starts %s; %s would be that of one of them: leave it out, or "+
			"start one of them", c.Name, strings.Join(c.Parts, ", "), name).With("parameter", name)
	}
	set, undo, err := s.presetBreakpoints(ctx, in.Breakpoints)
	if err != nil {
		return nil, err
	}
	var sessions []*adapter.Session
	defer func() {
		if err == nil {
			return
		}
		undo()
		for _, session := range sessions {
			_, _ = session.Disconnect(context.WithoutCancel(ctx), nil)
		}
	}()
	result := startResult{Warning: strings.Join(c.Warnings, "; ")}
	if in.PreBuild != nil {
		result.Warning = ""
		if result.Build, err = s.manager.PreBuild(ctx, in.PreBuild, "", func(string) {}); err != nil {
			return nil, err
		}
	}
	group := &adapter.Group{StopAll: c.StopAll}
	for _, name := range c.Parts {
		session, err := s.startPart(ctx, in, name, group)
		if err != nil {
			e := fault.AsError(err)
			e.Message = fmt.Sprintf("configuration %q of %q: %s; none of the compound runs", name, c.Name, e.Message)
			return nil, e.With("configuration", name)
		}
		sessions = append(sessions, session)
	}
	by := time.Now().Add(milliseconds(in.Timeout))
	for i, session := range sessions {
		r, err := s.started(ctx, session, by, in.Wait, in.Locals, set...)
		if err != nil {
			return nil, err
		}
		result.Parts = append(result.Parts, startedPart{c.Parts[i], r})
	}
	result.Session = result.Parts[0].Session
	return result, nil
}

// startPart starts one part of a compound.
func (s *Server) startPart(ctx context.Context, in launchArgs, name string, group *adapter.Group) (*adapter.Session,
	error) {
	c, err := s.manager.Configuration(name, "")
	if err != nil {
		return nil, err
	}
	if c.Attach {
		return s.attachOne(ctx, attachArgs{Config: name, JustMyCode: in.JustMyCode == nil || *in.JustMyCode,
			Timeout: in.Timeout}, group)
	}
	one := &launching{config: c, group: group, done: func() {}, launchArgs: launchArgs{Config: name,
		StopAtEntry: in.StopAtEntry, JustMyCode: in.JustMyCode, Stdin: in.Stdin, Timeout: in.Timeout}}
	session, err := s.launchOne(ctx, one)
	one.done()
	return session, err
}
