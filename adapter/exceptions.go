package adapter

import (
	"slices"
	"strings"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/dotnet"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// exceptions is the state of the session's exceptions.
type exceptions struct {
	asked exceptionFilters
	bases map[string][]string // full names of base types, by type
	cpp   map[string]*cppType // by the address of the type_info
	// raised is the last exception of Python, by thread; of C++ the last one that was reported when it was thrown.
	raised map[int]raised
	ending bool // a stop was at an exception that ends the program
}

// exceptionFilters are the filters that the debugger was asked to stop for (DAP, setExceptionBreakpoints).
type exceptionFilters struct {
	filters []string
	options []dap.ExceptionFilterOptions
	failed  string // why the request failed
}

// syncExceptions sends the filters for the exception breakpoints; without any, the debugger's default filters.
func (s *Session) syncExceptions(t *turn) bool {
	if len(s.debugger.capabilities.ExceptionBreakpointFilters) == 0 {
		return true
	}
	want := s.wantedFilters()
	if s.start.done && slices.Equal(want.filters, s.exceptions.asked.filters) &&
		slices.Equal(want.options, s.exceptions.asked.options) {
		s.rebind()
		return true
	}
	s.exceptions.asked = want
	args := dapclient.SetExceptionBreakpointsArguments{Filters: want.filters, FilterOptions: want.options}
	replies, ok := t.ask(limits{total: bindTimeout}, question{"setExceptionBreakpoints", args})
	if !ok {
		return false
	}
	s.exceptions.asked.failed = ""
	if replies[0].err != nil {
		s.exceptions.asked.failed = inspect.Explained(replies[0].err)
	}
	s.rebind()
	return true
}

// wantedFilters maps exception breakpoints to the debugger's filters. Exact type names become a condition of a filter
// where the debugger takes one (netcoredbg). Otherwise the filter asks for all exceptions, and the session selects.
func (s *Session) wantedFilters() exceptionFilters {
	want := exceptionFilters{filters: []string{}}
	var types []string
	any, all, uncaught := false, false, false
	for _, bp := range s.manager.registry.ForSession(s.id) {
		if bp.Spec.Kind != breakpoint.Exception || !bp.Enabled || !s.tellsType(bp.Spec.ExceptionType) {
			continue
		}
		any = true
		uncaught = uncaught || bp.Spec.SecondChance
		if !bp.Spec.FirstChance {
			continue
		}
		if s.filterNamed(bp.Spec.ExceptionType) != "" {
			want.add(bp.Spec.ExceptionType)
			continue
		}
		if bp.Spec.ExceptionType == "*" || bp.Spec.IncludeSubtypes ||
			!s.debugger.capabilities.SupportsExceptionFilterOptions {
			all = true
			continue
		}
		types = append(types, bp.Spec.ExceptionType)
	}
	first := s.filterNamed("all", "raised", "cpp_throw")
	switch {
	case !any:
		for _, f := range s.debugger.capabilities.ExceptionBreakpointFilters {
			if f.Default {
				want.add(f.Filter)
			}
		}
	case all && first != "":
		want.add(first)
	case len(types) > 0 && first != "":
		want.options = append(want.options, dap.ExceptionFilterOptions{FilterId: first, Condition: strings.Join(types, ",")})
	}
	if uncaught {
		for _, f := range s.debugger.capabilities.ExceptionBreakpointFilters {
			// The default filters are those for unhandled exceptions.
			if f.Default && f.Filter != first {
				want.add(f.Filter)
			}
		}
	}
	return want
}

// add adds a filter once.
func (f *exceptionFilters) add(name string) {
	if !slices.Contains(f.filters, name) {
		f.filters = append(f.filters, name)
	}
}

func (s *Session) filterNamed(names ...string) string {
	for _, name := range names {
		for _, f := range s.debugger.capabilities.ExceptionBreakpointFilters {
			if f.Filter == name {
				return name
			}
		}
	}
	return ""
}

// bindException sets the state of an exception breakpoint.
func (s *Session) bindException(bp *breakpoint.Breakpoint, b *breakpoint.Binding) {
	switch {
	case len(s.debugger.capabilities.ExceptionBreakpointFilters) == 0 && s.start.done:
		b.State, b.Message = breakpoint.Failed, s.profile.Name+" offers no exception breakpoints"
	case !s.tellsType(bp.Spec.ExceptionType):
		b.State, b.Message = breakpoint.Failed, s.profile.Name+" does not tell the types of exceptions; "+s.typeHint()
	case s.exceptions.asked.failed != "":
		b.State, b.Message = breakpoint.Failed, s.exceptions.asked.failed
	case s.start.done:
		b.State = breakpoint.Bound
		if e := s.panicEntry(bp); e != nil && !e.Verified && e.Message != "" {
			b.Message = "recovered panics do not stop: " + e.Message
		}
		if s.profile.Language == dapclient.JavaScript && bp.Spec.FirstChance && s.hidesLibraries() {
			b.Message = "what node_modules throws and somebody catches does not stop: launch with just_my_code=false for that"
		}
	}
}

// hidesLibraries reports whether the session was started with just_my_code.
func (s *Session) hidesLibraries() bool {
	return s.origin.launch != nil && s.origin.launch.JustMyCode || s.origin.attach != nil && s.origin.attach.JustMyCode
}

// tellsType reports whether the debugger can name exceptions of this type.
func (s *Session) tellsType(typ string) bool {
	return typ == "*" || s.profile.ExceptionTypes == nil || slices.Contains(s.profile.ExceptionTypes, typ)
}

// typeHint returns the types that may be asked for.
func (s *Session) typeHint() string {
	return "there are * and " + strings.Join(s.profile.ExceptionTypes, ", ")
}

// thrown is what is known of the exception that a stop is about.
type thrown struct {
	state     exceptionState
	exception *ExceptionStop
	told      bool     // the debugger has said which one it is
	bases     []string // full names of its base types, when a breakpoint needs them
	baseless  bool     // a breakpoint needs them, and they were not told
	note      string   // what was not told in time
}

// examineException asks which exception was thrown (DAP, exceptionInfo), and for its base types when a breakpoint
// includes subtypes. Where the stop's text has the type, an exception that nobody wants costs no question.
func (s *Session) examineException(t *turn, v *pendingStop) bool {
	if v.panicked != nil {
		return s.examinePanic(t, v)
	}
	e, told := s.exceptionOfText(v.primary())
	v.thrown = thrown{state: examined, exception: e, told: told}
	if !s.debugger.capabilities.SupportsExceptionInfoRequest {
		return true
	}
	if told {
		if s.needsBases(e) && !s.askBases(t, v) {
			return false
		}
		if e.IsFirstChance && !s.mayHalt(v) {
			return true
		}
	}
	replies, ok := t.ask(limits{total: lookTimeout},
		question{"exceptionInfo", dap.ExceptionInfoArguments{ThreadId: v.thread()}})
	if !ok {
		return false
	}
	if replies[0].err == nil {
		body, err := dapclient.DecodeBody[struct {
			dap.ExceptionInfoResponseBody
			BaseTypes []string `json:"baseTypes"` // not of DAP
		}](replies[0].m)
		if err == nil {
			e := inspect.ExceptionOf(s.profile, body.ExceptionInfoResponseBody)
			v.thrown.exception, v.thrown.told = &ExceptionStop{Exception: e}, true
			if body.BaseTypes != nil {
				v.thrown.bases = body.BaseTypes
			}
		}
	} else if told {
		v.thrown.note = inspect.JoinNotes(v.thrown.note, s.profile.Name+" did not tell its message in time")
	}
	switch {
	case s.profile.CppExceptions:
		return s.examineCpp(t, v)
	case s.profile.Language == dapclient.Python && (s.wantsExceptions() || !v.thrown.exception.IsFirstChance):
		return s.askPython(t, v)
	case s.profile.Language == dapclient.DotNet && !told && s.needsBases(v.thrown.exception):
		return s.askBases(t, v)
	}
	return true
}

// exceptionOfText returns what the stop itself says of an exception. told is set when that is its full type.
func (s *Session) exceptionOfText(ev *dapclient.Stopped) (e *ExceptionStop, told bool) {
	if m := s.profile.ExceptionThrown.Find(ev.Text); m != "" {
		return &ExceptionStop{Exception: inspect.Exception{Type: m, IsFirstChance: true, BreakMode: "always"}}, true
	}
	if m := s.profile.ExceptionUnhandled.Find(ev.Text); m != "" {
		return &ExceptionStop{Exception: inspect.Exception{Type: m, BreakMode: "unhandled"}}, true
	}
	e = &ExceptionStop{Exception: inspect.Exception{Type: ev.Description, Message: ev.Text}}
	if e.Type == "" {
		e.Type = "exception"
	}
	return e, false
}

// needsBases reports whether an exception breakpoint that includes subtypes may be about an exception whose type it
// does not name.
func (s *Session) needsBases(e *ExceptionStop) bool {
	return slices.ContainsFunc(s.manager.registry.ForSession(s.id), func(bp *breakpoint.Breakpoint) bool {
		return bp.Enabled && bp.Spec.Kind == breakpoint.Exception && bp.Spec.IncludeSubtypes &&
			bp.Spec.ExceptionType != "*" && !e.is(bp) &&
			(e.IsFirstChance && bp.Spec.FirstChance || !e.IsFirstChance && bp.Spec.SecondChance)
	})
}

// mayHalt reports whether the program may have to stop for an exception whose type is known.
func (s *Session) mayHalt(v *pendingStop) bool {
	return v.thrown.baseless || !s.wantsExceptions() || len(s.stops.pausing) > 0 ||
		slices.ContainsFunc(s.manager.registry.ForSession(s.id), func(bp *breakpoint.Breakpoint) bool {
			return bp.Enabled && bp.Spec.Kind == breakpoint.Exception && v.thrown.exception.matches(bp, v.thrown.bases)
		})
}

// maxBaseTypes bounds the base types that are asked for.
const maxBaseTypes = 21

// askBases finds the base types of a .NET exception, once for each type: those of the program by evaluation, two at a
// time, since each has two above it, and those of the runtime from a table.
func (s *Session) askBases(t *turn, v *pendingStop) bool {
	typ := v.thrown.exception.Type
	bases, known := s.exceptions.bases[typ]
	if !known {
		bases, known = dotnet.BasesOf(typ)
	}
	var frame *dap.StackFrame
	if named := v.named(); named != nil {
		frame = named.frame
	}
	for of := "$exception.GetType().BaseType"; !known && len(bases) < maxBaseTypes; of += ".BaseType.BaseType" {
		a := s.send(limits{total: testTimeout}, s.evaluation(of+`.FullName + "|" + `+of+`.BaseType.FullName`, frame))
		replies, ok := t.wait(a)
		if !ok {
			return false
		}
		s.noteLate(a, func(int) lateEvaluation {
			return lateEvaluation{expression: "the base types of " + typ, thread: v.thread()}
		})
		body, err := evaluated(replies[0])
		first, second, ok := strings.Cut(strings.Trim(body.Result, `"`), "|")
		if err != nil || !ok {
			v.thrown.baseless = true
			v.thrown.note = "its base types were not told, so it is not certain that a breakpoint asks for it"
			return true
		}
		for _, base := range []string{first, second} {
			var rest []string
			if rest, known = dotnet.BasesOf(base); base != "System.Object" {
				bases = append(append(bases, base), rest...)
			}
			if known = known || base == "System.Object"; known {
				break
			}
		}
	}
	if s.exceptions.bases == nil {
		s.exceptions.bases = map[string][]string{}
	}
	s.exceptions.bases[typ] = bases
	v.thrown.bases = bases
	return true
}

func evaluated(r reply) (dap.EvaluateResponseBody, error) {
	if r.err != nil {
		return dap.EvaluateResponseBody{}, r.err
	}
	return dapclient.DecodeBody[dap.EvaluateResponseBody](r.m)
}

func (s *Session) wantsSubtypes() bool {
	for _, bp := range s.manager.registry.ForSession(s.id) {
		if bp.Enabled && bp.Spec.Kind == breakpoint.Exception && bp.Spec.IncludeSubtypes && bp.Spec.ExceptionType != "*" {
			return true
		}
	}
	return false
}

func (s *Session) wantsExceptions() bool {
	return slices.ContainsFunc(s.manager.registry.ForSession(s.id), func(bp *breakpoint.Breakpoint) bool {
		return bp.Enabled && bp.Spec.Kind == breakpoint.Exception
	})
}

// judgeException decides whether a breakpoint asks for an exception. Without any exception breakpoint for this debugger
// everything that it reports halts, but for the ends of programs (sys.exit). A debugger may report more than it was
// asked for: netcoredbg and Delve report each unhandled exception.
func (s *Session) judgeException(v *pendingStop) {
	e := v.thrown.exception
	v.thrown.state = wanted
	if e.passing && len(s.stops.pausing) == 0 {
		v.thrown.state = nobodys
		return
	}
	exits := s.exits(e, v.thrown.bases)
	unasked, hits := exits, 0
	for _, bp := range s.manager.registry.ForSession(s.id) {
		if bp.Spec.Kind != breakpoint.Exception || !bp.Enabled || !s.tellsType(bp.Spec.ExceptionType) {
			continue
		}
		unasked = true
		binding := s.held.Bindings[bp.ID]
		if binding == nil || !e.matches(bp, v.thrown.bases) || exits && !e.is(bp) {
			continue
		}
		h := &hit{thread: v.named(), bp: bp, binding: binding, entry: &breakpoint.Entry{}}
		if h.thread == nil {
			h.thread = &stoppedThread{id: v.thread()}
		}
		h.counted()
		v.stops = append(v.stops, h)
		hits++
	}
	if (hits > 0 || !unasked) && e.object != "" && e.IsFirstChance {
		if s.exceptions.raised == nil {
			s.exceptions.raised = map[int]raised{}
		}
		s.exceptions.raised[v.thread()] = raised{object: e.object}
	}
	signal := s.profile.SignalType != "" && e.Type == s.profile.SignalType
	// An exception whose base types could not be read may be one that is asked for.
	unknown := v.thrown.baseless || s.profile.Language != dapclient.DotNet && !e.IsFirstChance && !exits &&
		len(v.thrown.bases) == 0 && s.profile.ExceptionTypes == nil && s.wantsSubtypes()
	if hits == 0 && unasked && v.thrown.told && !signal && !unknown && len(s.stops.pausing) == 0 {
		v.thrown.state = nobodys
		if run := s.stepOf(v); run != nil && run.thread == v.thread() && !e.IsFirstChance {
			v.thrown.state = endsThread
		}
	}
}

// exits reports whether an exception that nobody caught only ends the program: sys.exit raises SystemExit.
func (s *Session) exits(e *ExceptionStop, bases []string) bool {
	return s.profile.ExitException != "" && !e.IsFirstChance && (e.Type == s.profile.ExitException ||
		slices.ContainsFunc(bases, func(b string) bool { return sameType(b, s.profile.ExitException) }))
}

// is reports whether an exception breakpoint is about exactly this type, or about the debugger's filter.
func (e *ExceptionStop) is(bp *breakpoint.Breakpoint) bool {
	want := bp.Spec.ExceptionType
	return sameType(e.Type, want) || sameType(e.fullName, want) || e.filter != "" && e.filter == want
}

// matches reports whether an exception breakpoint is about this exception.
func (e *ExceptionStop) matches(bp *breakpoint.Breakpoint, bases []string) bool {
	chance := e.IsFirstChance && bp.Spec.FirstChance || !e.IsFirstChance && bp.Spec.SecondChance
	if !chance && e.filter != inspect.PanicType { // nobody knows yet whether a panic of Rust is caught
		return false
	}
	want := bp.Spec.ExceptionType
	if strings.HasSuffix(e.filter, "_catch") { // only for who asks for it, since the throw was told
		return e.filter == want
	}
	if want == "*" || e.is(bp) {
		return true
	}
	return bp.Spec.IncludeSubtypes && slices.ContainsFunc(bases, func(b string) bool { return sameType(b, want) })
}

// sameType reports whether two type names are equal. A name without a namespace matches in any namespace.
func sameType(have, want string) bool {
	if have == want {
		return true
	}
	return !strings.ContainsAny(want, ".:") && (strings.HasSuffix(have, "."+want) || strings.HasSuffix(have, "::"+want))
}

// ExceptionWarning returns what the user should know about the cost of an exception breakpoint. "" means nothing.
func (m *Manager) ExceptionWarning(typ string, first, subtypes bool) string {
	hasTypes := slices.ContainsFunc(m.Sessions(), func(s *Session) bool { return s.profile.ExceptionTypes == nil })
	if !first || !subtypes || typ == "*" || !hasTypes && len(m.Sessions()) > 0 {
		return ""
	}
	return "with include_subtypes every thrown exception stops the program for a moment, until its base types are " +
		"known; include_subtypes=false stops only for " + typ + " itself"
}
