package mcpserver

import (
	"context"
	"path"
	"strings"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/toolargs"
)

// wholeSource is how many lines source_get returns without around_line.
const wholeSource = 1000

type sourceArgs struct {
	Session string `arg:"session_id"`
	File    string `arg:"file,required" alias:"path,sourcePath"`
	Around  int    `arg:"around_line" min:"1" alias:"line"`
	Context int    `arg:"context_lines" default:"20" min:"0" max:"1000"`
}

func (sourceArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"file":        "Path, or its end",
		"around_line": "Default the first 1000 lines",
	}
}

type modulesArgs struct {
	Session string `arg:"session_id"`
	Filter  string `arg:"name_filter"`
	System  bool   `arg:"include_system" default:"true"`
}

func (modulesArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"name_filter": "Part of a name, or a pattern with *",
	}
}

func (s *Server) addSourceTools() {
	addTool(s.mcp, Tool{
		Name: "modules_list", Title: "List modules", ReadOnly: true, Idempotent: true,
		Description: "The loaded modules, and whether they have symbols.",
	}, s.modules)
	addTool(s.mcp, Tool{
		Name: "source_get", Title: "Read source", ReadOnly: true, Idempotent: true,
		Description: "Lines of a source file that the program's symbols, frames or breakpoints name.",
	}, s.source)
}

func (s *Server) modules(ctx context.Context, in modulesArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	all, err := session.ListModules(ctx)
	if err != nil {
		return nil, err
	}
	r := modulesResult{Modules: []adapter.Module{}}
	for _, m := range all {
		if nameMatches(m.Name, in.Filter) && (in.System || !m.System()) {
			r.Modules = append(r.Modules, m)
		}
	}
	r.Count = len(r.Modules)
	return r, nil
}

// nameMatches reports whether a name matches a filter, without regard to case: a part of the name or, with *, a
// pattern for all of it.
func nameMatches(name, filter string) bool {
	name, filter = strings.ToLower(name), strings.ToLower(filter)
	if !strings.Contains(filter, "*") {
		return strings.Contains(name, filter)
	}
	ok, err := path.Match(filter, name)
	return ok && err == nil
}

type sourceResult struct {
	File       string   `json:"file"`
	StartLine  int      `json:"startLine"`
	Lines      []string `json:"lines"`
	TotalLines int      `json:"totalLines"`
}

func (s *Server) source(_ context.Context, in sourceArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	if blank(in.File) {
		return nil, fault.Errorf(fault.InvalidParameter, "file is empty").With("parameter", "file")
	}
	source, err := session.ReadSource(in.File)
	if err != nil {
		return nil, err
	}
	lines := splitLines(strings.ToValidUTF8(string(source.Text), "\ufffd"))
	r := sourceResult{File: source.File, StartLine: 1, Lines: lines[:min(len(lines), wholeSource)], TotalLines: len(lines)}
	if in.Around > 0 {
		if in.Around > len(lines) {
			return nil, fault.Errorf(fault.InvalidLine, "%s has %d lines; there is no line %d", source.File,
				len(lines), in.Around).
				With("file", source.File).With("line", in.Around).With("totalLines", len(lines))
		}
		first, last := max(1, in.Around-in.Context), min(len(lines), in.Around+in.Context)
		r.StartLine, r.Lines = first, lines[first-1:last]
	}
	return r, nil
}

// splitLines returns the lines without their line ends.
func splitLines(text string) []string {
	if text == "" {
		return []string{}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}
