package adapter

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"breakwire/adapter/breakpoint"
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
	set := s.held.Files[file]
	if set == nil {
		set = &breakpoint.Set{}
		s.held.Files[file] = set
	}
	wanted := func() []*breakpoint.Entry { return s.wanted(file) }
	return s.syncSet(t, set, wanted, func(entries []*breakpoint.Entry) question {
		source := dap.Source{Name: path.Base(strings.ReplaceAll(file, `\`, "/")), Path: file}
		list := make([]dap.SourceBreakpoint, len(entries))
		for i, e := range entries {
			list[i] = dap.SourceBreakpoint{
				Line: e.Line, Column: e.Column, Condition: s.sentCondition(e), LogMessage: e.Native,
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
	return s.syncSet(t, s.held.Functions, s.wantedFunctions, func(entries []*breakpoint.Entry) question {
		list := make([]dap.FunctionBreakpoint, len(entries))
		for i, e := range entries {
			list[i] = dap.FunctionBreakpoint{Name: cmp.Or(e.Name, e.Function), Condition: s.sentCondition(e)}
		}
		return question{"setFunctionBreakpoints", dapclient.SetFunctionBreakpointsArguments{Breakpoints: list}}
	})
}

// syncSet sends lists until one that contains all that is wanted now has been answered. When several turns want the
// same set, one of them sends.
func (s *Session) syncSet(t *turn, set *breakpoint.Set, wanted func() []*breakpoint.Entry,
	ask func([]*breakpoint.Entry) question) bool {
	set.Wished++
	for wish := set.Wished; set.Answered < wish; {
		if set.Busy {
			if !t.until(func() bool { return !set.Busy }) {
				return false
			}
			continue
		}
		sent, next := set.Wished, wanted()
		set.KeepKnown(next)
		known := set.OneMore(next)
		partial := known < len(next)
		next = next[:known]
		set.Busy, set.Sent, s.held.All = true, next, nil
		s.held.Remember(set.Entries, next)
		replies, ok := t.ask(limits{total: bindTimeout}, ask(next))
		if !ok {
			return false
		}
		set.Busy, set.Sent, s.held.All = false, nil, nil
		set.Entries = next
		s.placed(next, replies[0])
		for _, e := range next {
			e.Asked = partial || set.Wished > sent
		}
		s.rebind()
		if !partial {
			set.Answered = sent
		}
	}
	return true
}

// wanted makes the entries of one file from the registry.
func (s *Session) wanted(file string) []*breakpoint.Entry {
	var entries []*breakpoint.Entry
	for _, bp := range s.all() {
		spec := bp.Spec
		if at, ok := s.held.ByLine[spec.Function]; ok && bp.Enabled && at.File == file && spec.Kind == breakpoint.Function {
			entries = breakpoint.AddTo(entries, &breakpoint.Entry{File: file, Line: at.Line}, bp)
		}
		if !bp.Enabled || !spec.IsFile() || s.fileOf(spec) != file {
			continue
		}
		e := &breakpoint.Entry{File: file, Real: s.realOf(spec), Line: spec.Line, Column: spec.Column}
		entries = breakpoint.AddTo(entries, e, bp)
	}
	s.push(entries)
	return entries
}

func (s *Session) wantedFunctions() []*breakpoint.Entry {
	var entries []*breakpoint.Entry
	for _, bp := range s.all() {
		if _, ok := s.held.ByLine[bp.Spec.Function]; bp.Enabled && bp.Spec.Kind == breakpoint.Function && !ok {
			for _, name := range s.functionNames(bp.Spec.Function) {
				entries = breakpoint.AddTo(entries, &breakpoint.Entry{Function: bp.Spec.Function, Name: name}, bp)
			}
		}
		if s.wantsGoPanics(bp) {
			entries = breakpoint.AddTo(entries, &breakpoint.Entry{Function: s.profile.PanicFunction}, bp)
		}
	}
	if s.wantsPanics() {
		entries = breakpoint.AddTo(entries, &breakpoint.Entry{Function: panicFunction}, s.held.Panics)
	}
	s.push(entries)
	return entries
}

// push decides what the debugger does itself: the condition of a breakpoint that is alone at its place, and log points.
func (s *Session) push(entries []*breakpoint.Entry) {
	for _, e := range entries {
		if len(e.Logicals) != 1 {
			continue
		}
		bp := e.Logicals[0]
		// The session has to check the answer of a suspicious condition.
		suspect := s.profile.Language == dapclient.DotNet && inspect.Suspicious(bp.Spec.Condition)
		if s.debugger.capabilities.SupportsConditionalBreakpoints && !s.profile.NoConditions && !suspect {
			e.Condition = bp.Spec.Condition
		}
		s.pushNative(e, bp)
		s.pushFilter(e, bp)
	}
}

// sentCondition returns the condition of an entry as the debugger gets it.
func (s *Session) sentCondition(e *breakpoint.Entry) string {
	if e.Filter != "" {
		return e.Filter
	}
	return cmp.Or(inspect.Spoken(s.profile.Language, e.Condition), s.profile.NoCondition)
}

// all returns the breakpoints of this session, the temporary ones last.
func (s *Session) all() []*breakpoint.Breakpoint {
	mine := slices.DeleteFunc(s.manager.registry.ForSession(s.id), func(bp *breakpoint.Breakpoint) bool {
		return !s.concerns(bp.Spec)
	})
	return append(s.harmless(mine), s.held.Temps...)
}

// concerns reports whether a breakpoint may be of this session's program. The debugger of a Go program is not asked
// about a Python file, so its refusal says nothing about it.
func (s *Session) concerns(spec breakpoint.Spec) bool {
	return (spec.Session == "" || spec.Session == s.id) && s.MayKnow(spec.File) && !s.postMortem()
}

// MayKnow reports whether the program may contain a source file; "" is a breakpoint without one.
func (s *Session) MayKnow(file string) bool { return file == "" || s.profile.MayKnow(file) }

// current returns the present version of a breakpoint, nil when it was removed or disabled.
func (s *Session) current(bp *breakpoint.Breakpoint) *breakpoint.Breakpoint {
	if bp.Temporary {
		if slices.Contains(s.held.Temps, bp) || bp == s.held.Panics && s.wantsPanics() {
			return bp
		}
		return nil
	}
	now := s.manager.registry.Lookup(bp.ID)
	if now == nil || !now.Enabled {
		return nil
	}
	return now
}

// rebind makes the bindings from the entries and publishes the changes.
func (s *Session) rebind() {
	next := maps.Clone(s.held.Bindings)
	seen := map[string]bool{}
	for _, bp := range s.manager.registry.ForSession(s.id) {
		seen[bp.ID] = true
		b := s.bindingOf(bp)
		if old := s.held.Bindings[bp.ID]; old == nil || *old != *b {
			next[bp.ID] = b
			if old != nil && s.start.done && (old.State != b.State || old.BoundLine != b.BoundLine || old.Message != b.Message ||
				old.Elsewhere != b.Elsewhere && b.Counts.Hits() == 0) {
				s.note(journal.TypeBreakpoint, bp.ID, &breakpoint.Change{Change: "changed", Breakpoint: bp.Info(b)})
			}
		}
	}
	for id := range next {
		if !seen[id] {
			delete(next, id)
		}
	}
	s.held.Bindings = next
	s.publish()
}

// bindingOf returns the present state of one breakpoint.
func (s *Session) bindingOf(bp *breakpoint.Breakpoint) *breakpoint.Binding {
	b := &breakpoint.Binding{State: breakpoint.Pending}
	if old := s.held.Bindings[bp.ID]; old != nil {
		b.Counts = old.Counts
	} else {
		b.Counts = &tracepoints.State{Filter: tracepoints.Filter{Multiple: bp.Spec.Multiple, Max: bp.Spec.Max}}
	}
	if !bp.Enabled {
		b.State = breakpoint.Disabled
		return b
	}
	if bp.Spec.Kind == breakpoint.Exception {
		s.bindException(bp, b)
		return b
	}
	e := s.held.Of(bp)
	if bp.Spec.Kind == breakpoint.Watchpoint {
		s.bindWatch(bp, e, b)
		return b
	}
	if e == nil {
		if bp.Spec.Kind == breakpoint.Function && s.canSync() && !s.debugger.capabilities.SupportsFunctionBreakpoints {
			b.State, b.Message = breakpoint.Failed, notSupported(s, "functionBreakpoints", "", functionHint).Message
		}
		return b
	}
	b.Message = e.Message
	if e.Verified {
		s.sources.named.see(cmp.Or(e.Source, e.File))
	}
	if bp.Spec.Kind == breakpoint.Tracepoint {
		b.Strategy = "stop"
		if e.Native != "" {
			b.Strategy = "native"
		} else if e.NotNative != "" && b.Message == "" {
			b.Message = "not native: " + e.NotNative
		}
	}
	bare := e.Function[strings.LastIndexByte(e.Function, '.')+1:]
	switch {
	case e.Verified && s.profile.BareFunctions && bare != e.Function:
		// It verifies every name.
		b.State = breakpoint.Failed
		b.Message = fmt.Sprintf("%s knows functions by their last name only: "+
			"set it on %s, with a condition where others are named so too, or on a line of it",
			s.profile.Name, bare)
	case e.Verified:
		b.State, b.BoundLine, b.Elsewhere = breakpoint.Bound, e.Bound, s.held.Elsewhere
	case s.profile.FinalRefusal && e.Message != "":
		b.State, b.Why, b.Nearest = breakpoint.Failed, e.Why, e.Next
		b.Message += e.Why
	case bp.Spec.Kind == breakpoint.Function && s.modulesRead():
		s.judgeFunction(bp.Spec, b)
	case e.HasID || e.Message != "":
		s.judgeLine(bp, b)
	}
	if bp.Spec.Kind == breakpoint.Function && (e.Verified || e.HasID || e.Message != "") {
		s.judgeName(bp.Spec, b)
	}
	if b.State == breakpoint.Pending {
		b.Message = cmp.Or(s.flawAt(bp.Spec), b.Message)
	}
	if old := s.held.Bindings[bp.ID]; old != nil && old.State == breakpoint.Failed && s.public.info.Wedged {
		b.State, b.Message = old.State, old.Message
	}
	return b
}

// judgeLine fails a breakpoint that the debugger has answered but not bound, when the symbols say that its line has no
// code.
func (s *Session) judgeLine(bp *breakpoint.Breakpoint, b *breakpoint.Binding) {
	nearest, refused := s.sources.symbols.refusal(s.clientPath(s.fileOf(bp.Spec)), bp.Spec.Line, s.public.state == Paused)
	if !refused {
		return
	}
	b.State, b.Refused, b.Nearest = breakpoint.Failed, true, nearest
	b.Message = fmt.Sprintf("line %d has no code", bp.Spec.Line)
	if nearest > 0 {
		b.Message += fmt.Sprintf("; the nearest line that has some is %d", nearest)
	}
}

// bind changes one binding. It does nothing when the breakpoint was removed meanwhile.
func (s *Session) bind(id string, change func(*breakpoint.Binding)) {
	old := s.held.Bindings[id]
	if old == nil {
		return
	}
	next, b := maps.Clone(s.held.Bindings), *old
	change(&b)
	next[id] = &b
	s.held.Bindings = next
	s.publish()
}

// placed takes the answer to a setBreakpoints request.
func (s *Session) placed(entries []*breakpoint.Entry, r reply) {
	if r.err != nil {
		for _, e := range entries {
			e.Verified, e.Message = false, inspect.Explained(r.err)
		}
		return
	}
	body, err := dapclient.DecodeBody[struct {
		Breakpoints []breakpoint.Answer `json:"breakpoints"`
	}](r.m)
	if err != nil {
		s.log.Warn("answer to setBreakpoints not understood", "error", err)
	}
	s.held.Placed(entries, body.Breakpoints)
}

// onBreakpoint handles a breakpoint event (DAP, Breakpoint event): late binding, another line, a failed condition.
func (s *Session) onBreakpoint(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[struct {
		Reason     string            `json:"reason"`
		Breakpoint breakpoint.Answer `json:"breakpoint"`
	}](m)
	if err != nil || body.Reason == "removed" || body.Breakpoint.ID == nil {
		return
	}
	s.held.Changed(*body.Breakpoint.ID, body.Breakpoint)
	s.rebind()
}
