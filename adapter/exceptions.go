package adapter

import (
	"slices"
	"strings"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// exceptionFilters is what the backend has been asked to stop for.
type exceptionFilters struct {
	filters []string
	options []dap.ExceptionFilterOptions
	failed  string // why it could not be asked
}

// syncExceptions gives the backend the filters that the exception breakpoints ask for; without any, the backend's own defaults.
func (s *Session) syncExceptions(then func()) {
	if len(s.capabilities.ExceptionBreakpointFilters) == 0 {
		then()
		return
	}
	want := s.wantedFilters()
	if s.started && slices.Equal(want.filters, s.filters.filters) && slices.Equal(want.options, s.filters.options) {
		s.rebind()
		then()
		return
	}
	s.filters = want
	args := dapclient.SetExceptionBreakpointsArguments{Filters: want.filters, FilterOptions: want.options}
	s.ask(limits{total: bindTimeout}, func(replies []reply) {
		s.filters.failed = ""
		if replies[0].err != nil {
			s.filters.failed = explained(replies[0].err)
		}
		s.rebind()
		then()
	}, question{"setExceptionBreakpoints", args})
}

// wantedFilters maps exception breakpoints to the backend's filters. Exact type names are pushed down where
// the backend takes a condition on a filter (netcoredbg); everything else asks for all and is sifted by the session.
func (s *Session) wantedFilters() exceptionFilters {
	want := exceptionFilters{filters: []string{}}
	var types []string
	any, all := false, false
	for _, bp := range s.manager.registry.forSession(s.id) {
		if bp.Spec.Kind != Exception || !bp.Enabled {
			continue
		}
		any = true
		if !bp.Spec.FirstChance || !s.tellsType(bp.Spec.ExceptionType) {
			continue
		}
		if bp.Spec.ExceptionType == "*" || bp.Spec.IncludeSubtypes || !s.capabilities.SupportsExceptionFilterOptions {
			all = true
			continue
		}
		types = append(types, bp.Spec.ExceptionType)
	}
	first := s.filterNamed("all", "raised", "cpp_throw")
	switch {
	case !any:
		for _, f := range s.capabilities.ExceptionBreakpointFilters {
			if f.Default {
				want.filters = append(want.filters, f.Filter)
			}
		}
	case all && first != "":
		want.filters = append(want.filters, first)
	case len(types) > 0 && first != "":
		want.options = append(want.options, dap.ExceptionFilterOptions{FilterId: first, Condition: strings.Join(types, ",")})
	}
	if any {
		for _, f := range s.capabilities.ExceptionBreakpointFilters {
			// Unhandled ones always stop; filters that say so are kept.
			if f.Default && f.Filter != first {
				want.filters = append(want.filters, f.Filter)
			}
		}
	}
	return want
}

func (s *Session) filterNamed(names ...string) string {
	for _, name := range names {
		for _, f := range s.capabilities.ExceptionBreakpointFilters {
			if f.Filter == name {
				return name
			}
		}
	}
	return ""
}

// bindException is the state of an exception breakpoint.
func (s *Session) bindException(bp *Breakpoint, b *Binding) {
	switch {
	case len(s.capabilities.ExceptionBreakpointFilters) == 0 && s.started:
		b.State, b.Message = BreakpointFailed, s.profile.Name+" offers no exception breakpoints"
	case !s.tellsType(bp.Spec.ExceptionType):
		b.State, b.Message = BreakpointFailed, s.profile.Name+" does not tell the types of exceptions; "+s.typeHint()
	case s.filters.failed != "":
		b.State, b.Message = BreakpointFailed, s.filters.failed
	case s.started:
		b.State = BreakpointBound
	}
}

// tellsType tells whether an exception of this type can be known when it comes.
func (s *Session) tellsType(typ string) bool {
	return typ == "*" || s.profile.ExceptionTypes == nil || slices.Contains(s.profile.ExceptionTypes, typ)
}

// typeHint says what to ask for instead of a type.
func (s *Session) typeHint() string {
	return "there are * and " + strings.Join(s.profile.ExceptionTypes, ", ")
}

// examineException asks what was thrown, and decides whether it is one that somebody waits for.
func (s *Session) examineException(v *service) {
	s.service = v
	thread := v.thread()
	if !s.capabilities.SupportsExceptionInfoRequest {
		s.sift(v, exceptionOfText(v.primary()), nil)
		return
	}
	s.ask(limits{total: lookTimeout}, func(replies []reply) {
		if s.service != v {
			return
		}
		e := exceptionOfText(v.primary())
		if replies[0].err == nil {
			body, err := dapclient.DecodeBody[dap.ExceptionInfoResponseBody](replies[0].m)
			if err == nil {
				e = exceptionOf(body)
			}
		}
		s.withBases(v, e)
	}, question{"exceptionInfo", dap.ExceptionInfoArguments{ThreadId: thread}})
}

func exceptionOf(body dap.ExceptionInfoResponseBody) *ExceptionStop {
	e := &ExceptionStop{Type: body.ExceptionId, Message: body.Description, BreakMode: string(body.BreakMode)}
	if d := body.Details; d != nil {
		if d.FullTypeName != "" {
			e.Type = d.FullTypeName
		}
		if d.Message != "" {
			e.Message = d.Message
		}
	}
	if i := strings.IndexAny(e.Type, " \n"); i > 0 {
		e.Type = e.Type[:i] // debugpy adds a note once
	}
	e.IsFirstChance = e.BreakMode == "always" || e.BreakMode == "userUnhandled"
	return e
}

func exceptionOfText(ev *dapclient.Stopped) *ExceptionStop {
	e := &ExceptionStop{Type: ev.Description, Message: ev.Text}
	if e.Type == "" {
		e.Type = "exception"
	}
	return e
}

// withBases finds out the base types of an exception when a breakpoint waits for subtypes: a walk by evaluation, once for each
// type.
func (s *Session) withBases(v *service, e *ExceptionStop) {
	if s.profile.Language == dapclient.Python && s.wantsExceptions() {
		s.askPython(v, e)
		return
	}
	if !s.wantsSubtypes() || s.profile.Language != dapclient.DotNet {
		s.sift(v, e, nil)
		return
	}
	if known, ok := s.bases[e.Type]; ok {
		s.sift(v, e, known)
		return
	}
	var walk func(expression string, found []string)
	done := func(found []string) {
		if s.bases == nil {
			s.bases = map[string][]string{}
		}
		s.bases[e.Type] = found
		s.sift(v, e, found)
	}
	walk = func(expression string, found []string) {
		if len(found) > 20 {
			done(found)
			return
		}
		a := s.ask(limits{total: testTimeout}, func(replies []reply) {
			if s.service != v {
				return
			}
			body, err := evaluated(replies[0])
			name := strings.Trim(body.Result, `"`)
			if err != nil || name == "" || name == "null" {
				done(found)
				return
			}
			walk(expression+".BaseType", append(found, name))
		}, s.evaluation(expression+".FullName", s.frameOfService(v)))
		s.watchLate(a, func(int) (string, *dap.StackFrame) { return "", nil })
	}
	walk("$exception.GetType().BaseType", nil)
}

func (s *Session) frameOfService(v *service) *dap.StackFrame {
	if sp := v.spot(); sp != nil {
		return sp.frame
	}
	return nil
}

func evaluated(r reply) (dap.EvaluateResponseBody, error) {
	if r.err != nil {
		return dap.EvaluateResponseBody{}, r.err
	}
	return dapclient.DecodeBody[dap.EvaluateResponseBody](r.m)
}

func (s *Session) wantsSubtypes() bool {
	for _, bp := range s.manager.registry.forSession(s.id) {
		if bp.Enabled && bp.Spec.Kind == Exception && bp.Spec.IncludeSubtypes && bp.Spec.ExceptionType != "*" {
			return true
		}
	}
	return false
}

func (s *Session) wantsExceptions() bool {
	return slices.ContainsFunc(s.manager.registry.forSession(s.id), func(bp *Breakpoint) bool { return bp.Enabled && bp.Spec.Kind == Exception })
}

// sift makes an exception stop visible, or resumes what nobody waits for. What is not caught always stops.
func (s *Session) sift(v *service, e *ExceptionStop, bases []string) {
	if s.overtaken(v, func() { s.sift(v, e, bases) }) {
		return
	}
	hits := len(v.stops) // of other threads
	nobodys := func() {
		if hits > 0 {
			s.stopAt(v, StopBreakpoint)
			return
		}
		s.service = nil
		s.goOn(v)
	}
	if e.passing && len(s.pausing) == 0 {
		nobodys()
		return
	}
	interested := false
	for _, bp := range s.manager.registry.forSession(s.id) {
		if bp.Spec.Kind != Exception || !bp.Enabled {
			continue
		}
		interested = true
		if !bp.matches(e, bases) {
			continue
		}
		binding := s.bindings[bp.ID]
		if binding == nil {
			continue
		}
		h := &hit{spot: v.spot(), bp: bp, binding: binding, entry: &entry{}}
		if h.spot == nil {
			h.spot = &spot{thread: v.thread()}
		}
		h.counted()
		v.stops = append(v.stops, h)
	}
	signal := s.profile.SignalType != "" && e.Type == s.profile.SignalType
	if len(v.stops) == hits && interested && e.IsFirstChance && !signal && len(s.pausing) == 0 {
		nobodys()
		return
	}
	s.stopWith(v, StopException, e, v.primary().Text)
}

// matches tells whether an exception breakpoint is about this exception.
func (bp *Breakpoint) matches(e *ExceptionStop, bases []string) bool {
	if e.IsFirstChance && !bp.Spec.FirstChance || !e.IsFirstChance && !bp.Spec.SecondChance {
		return false
	}
	want := bp.Spec.ExceptionType
	if want == "*" || sameType(e.Type, want) || sameType(e.fullName, want) {
		return true
	}
	return bp.Spec.IncludeSubtypes && slices.ContainsFunc(bases, func(b string) bool { return sameType(b, want) })
}

// sameType compares type names; a name without a namespace stands for itself in any.
func sameType(have, want string) bool {
	if have == want {
		return true
	}
	return !strings.ContainsAny(want, ".") && strings.HasSuffix(have, "."+want)
}

// ExceptionWarning says what an exception breakpoint costs, where it costs something, and what it does not do.
func (m *Manager) ExceptionWarning(session, typ string, first, subtypes bool) string {
	for _, s := range m.Sessions() {
		if first && s.profile.PanicFunction != "" && (session == "" || session == s.id) {
			return s.profile.Name + " stops at what nobody recovers; to stop at each panic, also one that is recovered, set a function breakpoint on " + s.profile.PanicFunction
		}
	}
	if !first || !subtypes || typ == "*" {
		return ""
	}
	return "with include_subtypes every thrown exception stops the program for a moment, until its base types are known; " +
		"include_subtypes=false stops only for " + typ + " itself"
}
