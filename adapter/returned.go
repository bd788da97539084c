package adapter

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-dap"

	"breakwire/adapter/golang"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// Returned is what a function has returned to the frame of a stop.
type Returned struct {
	Function string `json:"function"`
	Value    string `json:"value"`
	Type     string `json:"type,omitempty"`
}

const (
	// returnTimeout bounds the questions for a returned value.
	returnTimeout = 2 * time.Second
	// maxReturned is the longest text of a returned value, in bytes.
	maxReturned = 500
	// stringRead is how many bytes of a returned string are read: what Delve shows of an array.
	stringRead = 64
)

// leaves returns the stop that a step starts from when its end may show a returned value.
func (s *Session) leaves(mode string, thread, count int) *Stop {
	from := s.stops.shown
	if mode == "in" || count != 1 || from.ThreadID != thread || from.FrameIndex != 0 || from.Location == nil {
		return nil
	}
	return from
}

// askReturned asks for what the step has returned from. It is nil when the step has not left its function for the
// caller, or when the value cannot be told. ok is false when the turn is dropped.
func (s *Session) askReturned(t *turn, v *pendingStop, reason string) (value *Returned, ok bool) {
	run, named := s.steps.run, v.named()
	if run == nil || run.from == nil || reason != StopStep ||
		named == nil || named.frame == nil || named.id != run.thread {
		return nil, true
	}
	from, here := run.from.Location.FunctionName, s.locationOf(named.frame)
	if here == nil {
		return nil, true
	}
	if s.profile.Returns == "js-debug" {
		return s.returnedInJavaScript(t, run.from, here, named.frame)
	}
	if run.mode != "out" && here.FunctionName == from {
		return nil, true
	}
	switch s.profile.Returns {
	case "delve":
		if value, ok = s.returnedInGo(t, run.from, named.frame); value == nil || here.FunctionName == from {
			break
		}
		var before bool
		if before, ok = s.deferredInGo(t, named.id, from); before {
			value = nil
		}
	case "debugpy":
		value, ok = s.returnedInPython(t, from, named.frame)
	case "lldb":
		value, ok = s.returnedInNative(t, run.from, named.frame)
	default:
		return nil, true
	}
	if value != nil {
		value.Function, value.Value = from, mapping.Clip(value.Value, maxReturned)
	}
	return value, ok
}

// innermost returns the variables of a frame's first scope.
func (s *Session) innermost(t *turn, frame *dap.StackFrame) ([]dap.Variable, bool) {
	replies, ok := t.ask(limits{total: returnTimeout}, question{"scopes", dap.ScopesArguments{FrameId: frame.Id}})
	if !ok || replies[0].err != nil {
		return nil, ok
	}
	scopes, err := dapclient.DecodeBody[dap.ScopesResponseBody](replies[0].m)
	if err != nil || len(scopes.Scopes) == 0 {
		return nil, true
	}
	replies, ok = t.ask(limits{total: returnTimeout}, question{"variables",
		dap.VariablesArguments{VariablesReference: scopes.Scopes[0].VariablesReference}})
	if !ok || replies[0].err != nil {
		return nil, ok
	}
	list, _ := dapclient.DecodeBody[dap.VariablesResponseBody](replies[0].m)
	return list.Variables, true
}

// hasRaised is Python that answers whether the function that a step has left, or is about to leave, has raised an
// exception: debugpy then lists None as its value. At the end of a step out the function is still on the stack.
const hasRaised = `
import dis, sys
at, inside = sys._getframe(), False
while at is not None:
    debugger = at.f_globals.get('__name__', '').startswith(('pydevd', '_pydev', 'debugpy'))
    if inside and not debugger:
        break
    at, inside = at.f_back, inside or debugger
answer = False
if at is not None and at.f_code.co_name == left and at.f_lineno != line:
    answer = not dis.opname[at.f_code.co_code[at.f_lasti]].startswith(('RETURN', 'YIELD', 'INSTRUMENTED'))
trace = sys.exc_info()[2]
while trace is not None:
    answer, trace = answer or trace.tb_frame.f_code.co_name == left, trace.tb_next
`

// returnedInPython finds debugpy's variable (return) NAME. It stays in the frame, but is new when NAME has just been
// left.
func (s *Session) returnedInPython(t *turn, from string, frame *dap.StackFrame) (*Returned, bool) {
	list, ok := s.innermost(t, frame)
	if !ok {
		return nil, false
	}
	for _, x := range list {
		name, is := strings.CutPrefix(x.Name, "(return) ")
		if !is || name != from && !strings.HasSuffix(name, "."+from) {
			continue
		}
		replies, ok := t.ask(limits{total: returnTimeout}, s.evaluation(fmt.Sprintf(
			"(lambda g: __import__('builtins').exec(%s, g) or g['answer'])({'left': %s, 'line': %d})",
			strconv.QuoteToASCII(hasRaised), strconv.QuoteToASCII(from), frame.Line), frame))
		if !ok {
			return nil, false
		}
		if body, err := evaluated(replies[0]); err == nil && body.Result == "True" {
			return nil, true
		}
		return &Returned{Value: x.Value, Type: x.Type}, true
	}
	return nil, true
}

// returnedInJavaScript finds js-debug's variable at the place where a function returns, to which a step over leads. At
// the caller it is that of the stop before.
func (s *Session) returnedInJavaScript(t *turn, from *Stop, here *inspect.Location,
	frame *dap.StackFrame) (*Returned, bool) {
	if here.FunctionName != from.Location.FunctionName {
		if from.Returned != nil && from.Returned.Function == from.Location.FunctionName {
			return from.Returned, true
		}
		return nil, true
	}
	list, ok := s.innermost(t, frame)
	for _, x := range list {
		if x.Name == "Return value" {
			return &Returned{here.FunctionName, mapping.Clip(x.Value, maxReturned), x.Type}, true
		}
	}
	return nil, ok
}

// deferredInGo reports whether a thread is in a function that was deferred: the function itself has called it, or the
// runtime has for a panic. The function has not returned yet.
func (s *Session) deferredInGo(t *turn, thread int, function string) (is, ok bool) {
	replies, ok := t.ask(limits{total: returnTimeout},
		question{"stackTrace", dapclient.StackTraceArguments{ThreadID: thread, Levels: 2}})
	if !ok || replies[0].err != nil {
		return true, ok
	}
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](replies[0].m)
	if err != nil || len(body.StackFrames) < 2 {
		return err != nil, true
	}
	caller := body.StackFrames[1].Name
	return caller == function || strings.HasPrefix(caller, "runtime.") && caller != "runtime.main" &&
		caller != "runtime.goexit", true
}

// returnedInGo reads the registers that hold the results, by the types in the function's source.
func (s *Session) returnedInGo(t *turn, from *Stop, frame *dap.StackFrame) (*Returned, bool) {
	text, err := s.manager.sources.read(s.reader(), from.Location.File)
	if err != nil {
		return nil, true
	}
	types, known := golang.Results(text, from.Location.Line)
	results := golang.Registers(types)
	values, told := make([]string, len(results)), false
	if !known || len(results) == 0 {
		return nil, true
	}
	for i, r := range results {
		values[i] = "…"
		if len(r.Registers) == 0 {
			continue
		}
		value, ok := s.goResult(t, r, frame)
		if !ok {
			return nil, false
		}
		if value != "" {
			values[i], told = value, true
		}
	}
	if !told {
		return nil, true
	}
	if len(results) == 1 {
		return &Returned{Value: values[0], Type: types[0]}, true
	}
	return &Returned{Value: "(" + strings.Join(values, ", ") + ")", Type: "(" + strings.Join(types, ", ") + ")"}, true
}

// goResult returns one result, "" when it cannot be told.
func (s *Session) goResult(t *turn, r golang.Returned, frame *dap.StackFrame) (value string, ok bool) {
	questions := make([]question, len(r.Registers))
	for i, register := range r.Registers {
		questions[i] = s.evaluation(register, frame)
	}
	replies, ok := t.ask(limits{total: returnTimeout}, questions...)
	if !ok {
		return "", false
	}
	first, err := evaluated(replies[0])
	if err != nil {
		return "", true
	}
	if strings.HasPrefix(r.Type, "float") {
		value, _ = golang.Float(first.Result, r.Type == "float32")
		return value, true
	}
	n, is := golang.Integer(first.Result)
	if !is {
		return "", true
	}
	if r.Type != "string" {
		value, _ = golang.Scalar(r.Type, n)
		return value, true
	}
	second, _ := evaluated(replies[1])
	length, is := golang.Integer(second.Result)
	if !is || length == 0 {
		return `""`, true
	}
	read := min(length, stringRead)
	replies, ok = t.ask(limits{total: returnTimeout},
		s.evaluation(fmt.Sprintf("*(*[%d]uint8)(uintptr(%d))", read, n), frame))
	if !ok {
		return "", false
	}
	body, err := evaluated(replies[0])
	if err != nil {
		return "", true
	}
	value = golang.Bytes(body.Result)
	if value = strconv.Quote(value); length > read {
		value += fmt.Sprintf("...+%d more", length-read)
	}
	return value, true
}
