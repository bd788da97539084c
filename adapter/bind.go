package adapter

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/tracepoints"

	"github.com/google/go-dap"
)

// A logical breakpoint is ours. An entry is one line of a setBreakpoints request: one for each place that has at least
// one enabled logical breakpoint. Each request carries the whole list of a file (DAP, setBreakpoints).

// sync sends a file's current list to the debugger and returns when it is answered.
func (s *Session) sync(t *turn, file string) bool {
	return s.syncFile(t, file) && s.trySpellings(t, file) && s.share(t)
}

func (s *Session) syncFile(t *turn, file string) bool {
	set := s.held.files[file]
	if set == nil {
		set = &fileSet{}
		s.held.files[file] = set
	}
	return s.syncSet(t, set, func() []*entry { return s.wanted(file) }, func(entries []*entry) question {
		source := dap.Source{Name: path.Base(strings.ReplaceAll(file, `\`, "/")), Path: file}
		list := make([]dap.SourceBreakpoint, len(entries))
		for i, e := range entries {
			list[i] = dap.SourceBreakpoint{
				Line: e.line, Column: e.column, Condition: s.sentCondition(e), LogMessage: e.native,
			}
		}
		return question{"setBreakpoints", dapclient.SetBreakpointsArguments{Source: source, Breakpoints: list}}
	})
}

// syncFunctions does the same for function breakpoints.
func (s *Session) syncFunctions(t *turn) bool {
	return s.syncFunctionSet(t) && s.share(t)
}

func (s *Session) syncFunctionSet(t *turn) bool {
	if !s.debugger.capabilities.SupportsFunctionBreakpoints {
		s.rebind()
		return true
	}
	return s.syncSet(t, s.held.functions, s.wantedFunctions, func(entries []*entry) question {
		list := make([]dap.FunctionBreakpoint, len(entries))
		for i, e := range entries {
			list[i] = dap.FunctionBreakpoint{Name: cmp.Or(e.name, e.function), Condition: s.sentCondition(e)}
		}
		return question{"setFunctionBreakpoints", dapclient.SetFunctionBreakpointsArguments{Breakpoints: list}}
	})
}

// syncSet sends lists until one that contains all that is wanted now has been answered. When several turns want the
// same set, one of them sends.
func (s *Session) syncSet(t *turn, set *fileSet, wanted func() []*entry, ask func([]*entry) question) bool {
	set.wished++
	for wish := set.wished; set.answered < wish; {
		if set.busy {
			if !t.until(func() bool { return !set.busy }) {
				return false
			}
			continue
		}
		sent, next := set.wished, wanted()
		set.keepKnown(next)
		known := set.oneMore(next)
		partial := known < len(next)
		next = next[:known]
		set.busy, set.sent, s.held.all = true, next, nil
		s.held.remember(set.entries, next)
		replies, ok := t.ask(limits{total: bindTimeout}, ask(next))
		if !ok {
			return false
		}
		set.busy, set.sent, s.held.all = false, nil, nil
		set.entries = next
		s.placed(next, replies[0])
		for _, e := range next {
			e.asked = partial || set.wished > sent
		}
		s.rebind()
		if !partial {
			set.answered = sent
		}
	}
	return true
}

// wanted makes the entries of one file from the registry.
func (s *Session) wanted(file string) []*entry {
	var entries []*entry
	for _, bp := range s.all() {
		spec := bp.Spec
		if at, ok := s.held.byLine[spec.Function]; ok && bp.Enabled && at.file == file && spec.Kind == Function {
			entries = addTo(entries, &entry{file: file, line: at.line}, bp)
		}
		if !bp.Enabled || !spec.isFile() || s.fileOf(spec) != file {
			continue
		}
		entries = addTo(entries, &entry{file: file, real: s.realOf(spec), line: spec.Line, column: spec.Column}, bp)
	}
	s.push(entries)
	return entries
}

func (s *Session) wantedFunctions() []*entry {
	var entries []*entry
	for _, bp := range s.all() {
		if _, ok := s.held.byLine[bp.Spec.Function]; bp.Enabled && bp.Spec.Kind == Function && !ok {
			for _, name := range s.functionNames(bp.Spec.Function) {
				entries = addTo(entries, &entry{function: bp.Spec.Function, name: name}, bp)
			}
		}
		if s.wantsGoPanics(bp) {
			entries = addTo(entries, &entry{function: s.profile.PanicFunction}, bp)
		}
	}
	if s.wantsPanics() {
		entries = addTo(entries, &entry{function: panicFunction}, s.held.panics)
	}
	s.push(entries)
	return entries
}

// push decides what the debugger does itself: the condition of a breakpoint that is alone at its place, and log points.
func (s *Session) push(entries []*entry) {
	for _, e := range entries {
		if len(e.logicals) != 1 {
			continue
		}
		bp := e.logicals[0]
		// The session has to check the answer of a suspicious condition.
		suspect := s.profile.Language == dapclient.DotNet && inspect.Suspicious(bp.Spec.Condition)
		if s.debugger.capabilities.SupportsConditionalBreakpoints && !s.profile.NoConditions && !suspect {
			e.condition = bp.Spec.Condition
		}
		s.pushNative(e, bp)
		s.pushFilter(e, bp)
	}
}

// sentCondition returns the condition of an entry as the debugger gets it.
func (s *Session) sentCondition(e *entry) string {
	if e.filter != "" {
		return e.filter
	}
	return cmp.Or(inspect.Spoken(s.profile.Language, e.condition), s.profile.NoCondition)
}

// all returns the breakpoints of this session, the temporary ones last.
func (s *Session) all() []*Breakpoint {
	mine := slices.DeleteFunc(s.manager.registry.forSession(s.id), func(bp *Breakpoint) bool {
		return !s.concerns(bp.Spec)
	})
	return append(s.harmless(mine), s.held.temps...)
}

// concerns reports whether a breakpoint may be of this session's program. The debugger of a Go program is not asked
// about a Python file, so its refusal says nothing about it.
func (s *Session) concerns(spec Spec) bool {
	return (spec.Session == "" || spec.Session == s.id) && s.MayKnow(spec.File)
}

// MayKnow reports whether the program may contain a source file; "" is a breakpoint without one.
func (s *Session) MayKnow(file string) bool { return file == "" || s.profile.MayKnow(file) }

// current returns the present version of a breakpoint, nil when it was removed or disabled.
func (s *Session) current(bp *Breakpoint) *Breakpoint {
	if bp.temporary {
		if slices.Contains(s.held.temps, bp) || bp == s.held.panics && s.wantsPanics() {
			return bp
		}
		return nil
	}
	now := s.manager.registry.lookup(bp.ID)
	if now == nil || !now.Enabled {
		return nil
	}
	return now
}

// rebind makes the bindings from the entries and publishes the changes.
func (s *Session) rebind() {
	next := maps.Clone(s.held.bindings)
	seen := map[string]bool{}
	for _, bp := range s.manager.registry.forSession(s.id) {
		seen[bp.ID] = true
		b := s.bindingOf(bp)
		if old := s.held.bindings[bp.ID]; old == nil || *old != *b {
			next[bp.ID] = b
			if old != nil && s.start.done && (old.State != b.State || old.BoundLine != b.BoundLine || old.Message != b.Message ||
				old.Elsewhere != b.Elsewhere && b.counts.Hits() == 0) {
				s.note(journal.TypeBreakpoint, bp.ID, &BreakpointChange{Change: "changed", Breakpoint: bp.info(b)})
			}
		}
	}
	for id := range next {
		if !seen[id] {
			delete(next, id)
		}
	}
	s.held.bindings = next
	s.publish()
}

// bindingOf returns the present state of one breakpoint.
func (s *Session) bindingOf(bp *Breakpoint) *Binding {
	b := &Binding{State: BreakpointPending}
	if old := s.held.bindings[bp.ID]; old != nil {
		b.counts = old.counts
	} else {
		b.counts = &tracepoints.State{Filter: tracepoints.Filter{Multiple: bp.Spec.Multiple, Max: bp.Spec.Max}}
	}
	if !bp.Enabled {
		b.State = BreakpointDisabled
		return b
	}
	if bp.Spec.Kind == Exception {
		s.bindException(bp, b)
		return b
	}
	e := s.held.entryOf(bp)
	if bp.Spec.Kind == Watchpoint {
		s.bindWatch(bp, e, b)
		return b
	}
	if e == nil {
		if bp.Spec.Kind == Function && s.canSync() && !s.debugger.capabilities.SupportsFunctionBreakpoints {
			b.State, b.Message = BreakpointFailed, notSupported(s, "functionBreakpoints", "", functionHint).Message
		}
		return b
	}
	b.Message = e.message
	if e.verified {
		s.sources.named.see(cmp.Or(e.source, e.file))
	}
	if bp.Spec.Kind == Tracepoint {
		b.Strategy = "stop"
		if e.native != "" {
			b.Strategy = "native"
		} else if e.notNative != "" && b.Message == "" {
			b.Message = "not native: " + e.notNative
		}
	}
	bare := e.function[strings.LastIndexByte(e.function, '.')+1:]
	switch {
	case e.verified && s.profile.BareFunctions && bare != e.function:
		// It verifies every name.
		b.State = BreakpointFailed
		b.Message = fmt.Sprintf("%s knows functions by their last name only: "+
			"set it on %s, with a condition where others are named so too, or on a line of it",
			s.profile.Name, bare)
	case e.verified:
		b.State, b.BoundLine, b.Elsewhere = BreakpointBound, e.bound, s.held.elsewhere
	case s.profile.FinalRefusal && e.message != "":
		b.State, b.why, b.nearest = BreakpointFailed, e.why, e.next
		b.Message += e.why
	case bp.Spec.Kind == Function && s.modulesRead():
		s.judgeFunction(bp.Spec, b)
	case e.hasID || e.message != "":
		s.judgeLine(bp, b)
	}
	if bp.Spec.Kind == Function && (e.verified || e.hasID || e.message != "") {
		s.judgeName(bp.Spec, b)
	}
	if b.State == BreakpointPending {
		b.Message = cmp.Or(s.flawAt(bp.Spec), b.Message)
	}
	if old := s.held.bindings[bp.ID]; old != nil && old.State == BreakpointFailed && s.public.info.Wedged {
		b.State, b.Message = old.State, old.Message
	}
	return b
}

// judgeLine fails a breakpoint that the debugger has answered but not bound, when the symbols say that its line has no
// code.
func (s *Session) judgeLine(bp *Breakpoint, b *Binding) {
	nearest, refused := s.sources.symbols.refusal(s.clientPath(s.fileOf(bp.Spec)), bp.Spec.Line, s.public.state == Paused)
	if !refused {
		return
	}
	b.State, b.refused, b.nearest = BreakpointFailed, true, nearest
	b.Message = fmt.Sprintf("line %d has no code", bp.Spec.Line)
	if nearest > 0 {
		b.Message += fmt.Sprintf("; the nearest line that has some is %d", nearest)
	}
}

// bind changes one binding. It does nothing when the breakpoint was removed meanwhile.
func (s *Session) bind(id string, change func(*Binding)) {
	old := s.held.bindings[id]
	if old == nil {
		return
	}
	next, b := maps.Clone(s.held.bindings), *old
	change(&b)
	next[id] = &b
	s.held.bindings = next
	s.publish()
}

// placed takes the answer to a setBreakpoints request.
func (s *Session) placed(entries []*entry, r reply) {
	if r.err != nil {
		for _, e := range entries {
			e.verified, e.message = false, inspect.Explained(r.err)
		}
		return
	}
	body, err := dapclient.DecodeBody[struct {
		Breakpoints []heldBreakpoint `json:"breakpoints"`
	}](r.m)
	if err != nil {
		s.log.Warn("answer to setBreakpoints not understood", "error", err)
	}
	s.held.placed(entries, body.Breakpoints)
}

// onBreakpoint handles a breakpoint event (DAP, Breakpoint event): late binding, another line, a failed condition.
func (s *Session) onBreakpoint(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[struct {
		Reason     string         `json:"reason"`
		Breakpoint heldBreakpoint `json:"breakpoint"`
	}](m)
	if err != nil || body.Reason == "removed" || body.Breakpoint.ID == nil {
		return
	}
	s.held.changed(*body.Breakpoint.ID, body.Breakpoint)
	s.rebind()
}
