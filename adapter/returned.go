package adapter

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-dap"

	"breakwire/adapter/golang"
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
	if here == nil || run.mode != "out" && here.FunctionName == from {
		return nil, true
	}
	switch s.profile.Returns {
	case "delve":
		value, ok = s.returnedInGo(t, run.from, named.frame)
	case "debugpy":
		value, ok = s.returnedInPython(t, from, named.frame)
	case "lldb":
		value, ok = s.returnedInNative(t, named.frame)
	default:
		return nil, true
	}
	if value != nil {
		value.Function, value.Value = from, mapping.Clip(value.Value, maxReturned)
	}
	return value, ok
}

// returnedInPython finds debugpy's variable (return) NAME. It stays in the frame, but is new when NAME has just been
// left.
func (s *Session) returnedInPython(t *turn, from string, frame *dap.StackFrame) (*Returned, bool) {
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
	for _, x := range list.Variables {
		if name, is := strings.CutPrefix(x.Name, "(return) "); is && (name == from || strings.HasSuffix(name, "."+from)) {
			return &Returned{Value: x.Value, Type: x.Type}, true
		}
	}
	return nil, true
}

// returnValue matches the line of lldb's thread info.
var returnValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\nReturn value: \((.*?)\) \$\d+ = (.*)$`)
})

func (s *Session) returnedInNative(t *turn, frame *dap.StackFrame) (*Returned, bool) {
	replies, ok := t.ask(limits{total: returnTimeout}, question{"evaluate", dapclient.EvaluateArguments{
		Expression: "`thread info", Context: "repl", FrameID: &frame.Id}})
	if !ok || replies[0].err != nil {
		return nil, ok
	}
	body, _ := evaluated(replies[0])
	m := returnValue().FindStringSubmatch(body.Result)
	if m == nil {
		return nil, true
	}
	return &Returned{Type: m[1], Value: strings.TrimSpace(m[2])}, true
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
