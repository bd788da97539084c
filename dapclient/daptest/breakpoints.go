package daptest

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// breakpoints are the breakpoints that the client has set.
type breakpoints struct {
	lines     map[string][]*lineBreakpoint
	functions []*funcBreakpoint
	nextID    int
	modules   []Module

	// Exception filters, with the condition of filterOptions.
	filters map[string]string
}

type entry struct {
	id                       int
	condition, hit, template string
	hits                     int
	verified                 bool
	message                  string
}

type lineBreakpoint struct {
	entry
	file        string
	line, bound int
}

type funcBreakpoint struct {
	entry
	name string
}

const pendingMessage = "The breakpoint is pending and will be resolved when debugging starts."

// bind returns the line to which a breakpoint binds, 0 if there is none.
func (e *engine) bind(file string, line int) int {
	if e.prog.Sources == nil && len(e.modules) == 0 {
		return line
	}
	if e.prog.Sources == nil && !slices.ContainsFunc(e.modules, func(m Module) bool { return m.Sources != nil }) {
		return line
	}
	find := func(sources map[string][]int) int {
		lines, ok := sources[file]
		if !ok && e.shape.Family == FamilyNetcoredbg && path.Base(file) == file {
			for name, l := range sources {
				if path.Base(name) == file {
					lines, ok = l, true
				}
			}
		}
		switch {
		case !ok:
			return 0
		case lines == nil:
			return line
		}
		i, exact := slices.BinarySearch(lines, line)
		if exact || i < len(lines) && e.shape.Family != FamilyDelve {
			return lines[i]
		}
		return 0
	}
	if bound := find(e.prog.Sources); bound > 0 {
		return bound
	}
	for _, m := range e.modules {
		if bound := find(m.Sources); bound > 0 {
			return bound
		}
	}
	return 0
}

// bindPending reports the breakpoints that a new module has bound.
func (e *engine) bindPending() {
	if !e.shape.Pending || !e.loaded {
		return
	}
	files := make([]string, 0, len(e.lines))
	for file := range e.lines {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		for _, b := range e.lines[file] {
			if b.verified {
				continue
			}
			if b.bound = e.bind(b.file, b.line); b.bound > 0 {
				b.verified, b.message = true, ""
				e.changed(&b.entry, b.file, b.bound)
			}
		}
	}
	for _, b := range e.functions {
		if !b.verified && e.knowsFunction(b.name) {
			b.verified = true
			e.changed(&b.entry, "", 0)
		}
	}
}

// changed sends a breakpoint event.
func (e *engine) changed(b *entry, file string, line int) {
	body := map[string]any{"reason": "changed", "breakpoint": e.breakpointBody(b, file, line)}
	e.a.wire.event("breakpoint", mustJSON(body))
}

// knowsFunction reports whether a function exists.
func (e *engine) knowsFunction(name string) bool {
	if e.prog.Functions == nil {
		return !strings.Contains(name, "NoSuch")
	}
	return slices.ContainsFunc(e.prog.Functions, func(f string) bool { return matchesFunction(f, name) })
}

func (e *engine) breakpointBody(b *entry, file string, line int) map[string]any {
	body := map[string]any{"verified": b.verified}
	if b.id >= 0 {
		body["id"] = b.id
	}
	if line > 0 || e.shape.Family == FamilyNetcoredbg {
		body["line"] = line
	}
	if b.message != "" {
		body["message"] = b.message
	}
	if b.verified {
		if file != "" {
			body["source"] = dap.Source{Name: path.Base(file), Path: file}
		}
		switch e.shape.Family {
		case FamilyNetcoredbg:
			body["endLine"] = line
		case FamilyLLDB:
			body["column"] = 1
			body["instructionReference"] = e.pc(file, line)
		}
	}
	return body
}

func (e *engine) setBreakpoints(m *dapclient.Message) {
	var args struct {
		Source      dap.Source
		Breakpoints []dap.SourceBreakpoint
	}
	if err := json.Unmarshal(m.Arguments, &args); err != nil {
		e.fail(m, failure{why: whyArguments, detail: "type must be number, but is string"})
		return
	}
	for _, key := range []string{"source", "breakpoints"} {
		if rawjson.Field(m.Arguments, key) == nil {
			e.fail(m, failure{why: whyArguments, detail: "key '" + key + "' not found"})
			return
		}
	}
	file := args.Source.Path
	old := e.lines[file]
	var now []*lineBreakpoint
	for _, want := range args.Breakpoints {
		now = append(now, e.newLine(file, want, old, now))
	}
	bodies := make([]map[string]any, len(now))
	for i, b := range now {
		line := b.bound
		if line == 0 {
			line = b.line
		}
		bodies[i] = e.breakpointBody(&b.entry, file, line)
	}
	e.lines[file] = slices.DeleteFunc(now, func(b *lineBreakpoint) bool { return b.id < 0 })
	e.a.wire.response(m, true, "", mustJSON(map[string]any{"breakpoints": bodies}))
}

func (e *engine) newLine(file string, want dap.SourceBreakpoint, old, now []*lineBreakpoint) *lineBreakpoint {
	b := &lineBreakpoint{file: file, line: want.Line}
	if e.shape.Conditions {
		b.condition = want.Condition
	}
	if e.shape.HitConditions {
		b.hit = want.HitCondition
	}
	if e.shape.LogPoints {
		b.template = want.LogMessage
	}
	same := func(o *lineBreakpoint) bool { return o.line == b.line }
	if i := slices.IndexFunc(now, same); i >= 0 {
		switch e.shape.Family {
		case FamilyNetcoredbg: // both have the same id
			b.id = now[i].id
		case FamilyDelve:
			b.id, b.message = -1, "breakpoint already exists"
			return b
		default: // the last wins
			b.id = now[i].id
			now[i].bound = 0
		}
	} else if i := slices.IndexFunc(old, same); i >= 0 && !e.shape.NewIDs {
		b.id, b.hits = old[i].id, old[i].hits
	} else {
		b.id = e.nextID
		e.nextID++
	}
	if b.hit != "" && e.shape.Family == FamilyDelve {
		if _, err := hitFilter(b.hit, 1); err != nil {
			b.id = -1
			b.message = fmt.Sprintf("unable to parse breakpoint hit condition: %q\nhit conditions should be of the "+
				"form \"number\" or \"OP number\"", b.hit)
			return b
		}
	}
	if e.shape.Pending && !e.loaded {
		b.message = pendingMessage
		return b
	}
	if b.bound = e.bind(file, want.Line); b.bound > 0 {
		b.verified = true
		return b
	}
	switch e.shape.Family {
	case FamilyNetcoredbg:
		b.message = "No symbols have been loaded for this document."
	case FamilyDelve:
		b.id = -1
		b.message = fmt.Sprintf("could not find statement at %s:%d, please use a line with a statement", file, want.Line)
	}
	return b
}

func (e *engine) setFunctionBreakpoints(m *dapclient.Message) {
	args, err := dapclient.DecodeArguments[dap.SetFunctionBreakpointsArguments](m)
	if err != nil {
		e.fail(m, failure{why: whyArguments, detail: err.Error()})
		return
	}
	old := e.functions
	e.functions = nil
	bodies := []map[string]any{}
	for _, want := range args.Breakpoints {
		b := &funcBreakpoint{name: want.Name}
		b.condition = want.Condition
		if e.shape.HitConditions {
			b.hit = want.HitCondition
		}
		if i := slices.IndexFunc(old, func(o *funcBreakpoint) bool { return o.name == want.Name }); i >= 0 &&
			!e.shape.NewIDs {
			b.id, b.hits = old[i].id, old[i].hits
		} else {
			b.id = e.nextID
			e.nextID++
		}
		b.verified = (e.loaded || !e.shape.Pending) && e.knowsFunction(b.name)
		if !b.verified && e.shape.Family == FamilyDelve {
			b.message = fmt.Sprintf("location %q not found", b.name)
		}
		e.functions = append(e.functions, b)
		var file string
		var line int
		if b.verified && e.shape.Family == FamilyDelve {
			file, line = e.beginning(b.name)
		}
		bodies = append(bodies, e.breakpointBody(&b.entry, file, line))
	}
	e.a.wire.response(m, true, "", mustJSON(map[string]any{"breakpoints": bodies}))
}

// beginning returns the first place of a function that a thread passes in its first steps, as Delve names it.
func (e *engine) beginning(function string) (file string, line int) {
	const searched = 1000
	for _, t := range e.prog.Threads {
		for i := range min(t.Code.Len, searched) {
			if s := t.Code.At(i); matchesFunction(s.Func, function) {
				return s.File, s.Line
			}
		}
	}
	return "", 0
}
