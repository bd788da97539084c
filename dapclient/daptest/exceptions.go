package daptest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// throw takes an exception of the current line one phase further. dead: the process has ended.
func (e *engine) throw(t *thread, ex *Exception) (h *halt, dead bool) {
	if t.phase == 0 {
		t.phase = 1
		if e.stopsOnThrow(ex) {
			return e.exceptionHalt(t, ex, false), false
		}
	}
	if !ex.Unhandled {
		return nil, false
	}
	if t.phase == 1 {
		t.phase = 2
		if e.stopsOnUnhandled(ex) {
			return e.exceptionHalt(t, ex, true), false
		}
	}
	code := map[Family]int{FamilyNetcoredbg: 134, FamilyDelve: 2, FamilyLLDB: 11}[e.shape.Family]
	if code == 0 {
		code = 1
	}
	e.exit(code)
	return nil, true
}

func (e *engine) stopsOnThrow(ex *Exception) bool {
	name := map[Family]string{FamilyNetcoredbg: "all", FamilyLLDB: "cpp_throw", FamilyDebugpy: "raised"}[e.shape.Family]
	types, on := e.filters[name]
	if !on {
		return false
	}
	types = strings.TrimSpace(types)
	if types == "" {
		return true
	}
	types, not := strings.CutPrefix(types, "!")
	for _, name := range strings.FieldsFunc(types, func(r rune) bool { return r == ',' || r == ' ' }) {
		if name == ex.Type {
			return !not
		}
	}
	return not
}

// fatalError is the type of an exception that Delve reports for an error of the Go runtime.
const fatalError = "fatal error"

// cppThrow is what lldb-dap says of each exception that is thrown.
const cppThrow = "C++ Throw"

func (e *engine) stopsOnUnhandled(ex *Exception) bool {
	name := map[Family]string{FamilyDelve: "unrecovered-panic", FamilyDebugpy: "uncaught"}[e.shape.Family]
	if e.shape.Family == FamilyDelve && ex.Type == fatalError {
		name = "runtime-fatal-throw"
	}
	if name == "" {
		return true // netcoredbg and lldb-dap always do
	}
	_, on := e.filters[name]
	return on
}

func (e *engine) exceptionHalt(t *thread, ex *Exception, unhandled bool) *halt {
	t.lastException, t.unhandled = ex, unhandled
	h := &halt{thread: t, reason: "exception"}
	switch e.shape.Family {
	case FamilyNetcoredbg:
		module := e.prog.Path[strings.LastIndexAny(e.prog.Path, `/\`)+1:]
		h.text = fmt.Sprintf("Exception thrown: '%s' in %s", ex.Type, strings.TrimSuffix(module, ".dll")+".exe")
		if unhandled {
			h.text = fmt.Sprintf("An unhandled exception of type '%s' occurred in %s", ex.Type,
				strings.TrimSuffix(module, ".dll")+".exe")
		}
	case FamilyDelve:
		h.description, h.text, h.ids = "panic", ex.Message, []int{-1}
	case FamilyDebugpy:
		h.description, h.text = ex.Message, ex.Type
	default:
		h.description = ex.Message
		if e.shape.Family == FamilyLLDB && !unhandled {
			h.description = cppThrow
		}
	}
	return h
}

// exceptionHere is the exception that t stands at.
func (t *thread) exceptionHere() *Exception {
	if t.phase > 0 && t.cur.Throws != nil && t.lastException == t.cur.Throws {
		return t.lastException
	}
	return nil
}

func (e *engine) setExceptionBreakpoints(m *dapclient.Message) {
	var args dap.SetExceptionBreakpointsArguments
	if err := json.Unmarshal(m.Arguments, &args); err != nil {
		e.fail(m, failure{why: whyArguments, detail: err.Error()})
		return
	}
	var caps struct {
		Filters []dap.ExceptionBreakpointsFilter `json:"exceptionBreakpointFilters"`
	}
	_ = json.Unmarshal([]byte(e.caps), &caps) // tests may announce nonsense
	known := func(name string) bool {
		for _, f := range caps.Filters {
			if f.Filter == name {
				return true
			}
		}
		return false
	}
	filters := make(map[string]string)
	for _, name := range args.Filters {
		filters[name] = ""
	}
	for _, o := range args.FilterOptions {
		filters[o.FilterId] = o.Condition
	}
	for name := range filters {
		if !known(name) {
			e.fail(m, failure{why: whyInvalid})
			return
		}
	}
	e.filters = filters
	switch e.shape.Family {
	case FamilyNetcoredbg:
		e.a.wire.response(m, true, "", []byte(`{}`))
	case FamilyDelve:
		e.a.wire.response(m, true, "",
			[]byte(`{"breakpoints":[{"id":-1,"verified":true,"source":{"name":"panic.go",`+
				`"path":"/usr/local/go/src/runtime/panic.go"},"line":1456},`+
				`{"id":-2,"verified":true,"source":{"name":"\u003cmultiple locations\u003e","path":"\u003cmultiple `+
				`locations\u003e"}}]}`))
	default:
		e.a.wire.response(m, true, "", nil)
	}
}

type exceptionDetails struct {
	EvaluateName         string             `json:"evaluateName,omitempty"`
	FormattedDescription string             `json:"formattedDescription,omitempty"`
	FullTypeName         string             `json:"fullTypeName,omitempty"`
	InnerException       []exceptionDetails `json:"innerException,omitempty"`
	Message              string             `json:"message"`
	Source               string             `json:"source"`
	StackTrace           string             `json:"stackTrace"`
	TypeName             string             `json:"typeName,omitempty"`
}

func (e *engine) exceptionInfo(m *dapclient.Message) {
	id, _ := rawjson.Int(m.Arguments, "threadId")
	t := e.threadByID(id)
	if e.state != stateStopped || t == nil || t.exceptionHere() == nil {
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	ex := t.exceptionHere()
	mode := "always"
	if t.unhandled {
		mode = "unhandled"
	}
	details := e.details(ex)
	details.StackTrace = e.stackText(t)
	body := map[string]any{"breakMode": mode, "exceptionId": ex.Type, "description": ex.Message, "details": details}
	switch e.shape.Family {
	case FamilyNetcoredbg:
		body["exceptionId"] = "CLR/" + ex.Type
		module := e.prog.Path[strings.LastIndexAny(e.prog.Path, `/\`)+1:]
		text := fmt.Sprintf("Exception thrown: '%s' in %s: '%s'", ex.Type, module, ex.Message)
		if t.unhandled {
			text = fmt.Sprintf("An unhandled exception of type '%s' occurred in %s: '%s'", ex.Type, module, ex.Message)
		}
		if len(ex.Inner) > 0 {
			text += "\n Inner exceptions found, see $exception in variables window for more details.\n Innermost " +
				"exception: " + innermost(ex).Type
		}
		body["description"] = text
	case FamilyDelve:
		if body["breakMode"] = ""; ex.Type != fatalError {
			body["exceptionId"] = "panic"
		}
		body["details"] = map[string]string{"stackTrace": details.StackTrace}
	case FamilyLLDB:
		body["exceptionId"] = "signal"
		if !t.unhandled {
			body["exceptionId"], body["description"] = "cpp_throw", cppThrow
		}
		delete(body, "details")
	case FamilyDebugpy:
	}
	e.a.wire.response(m, true, "", mustJSON(body))
}

func innermost(ex *Exception) *Exception {
	for len(ex.Inner) > 0 {
		ex = &ex.Inner[0]
	}
	return ex
}

func (e *engine) details(ex *Exception) exceptionDetails {
	d := exceptionDetails{Message: ex.Message, FullTypeName: ex.Type,
		TypeName: ex.Type[strings.LastIndexByte(ex.Type, '.')+1:]}
	if e.shape.Family == FamilyNetcoredbg {
		d.EvaluateName = "$exception"
		d.FormattedDescription = "**" + ex.Type + "** '" + ex.Message + "'"
	}
	for i := range ex.Inner {
		d.InnerException = append(d.InnerException, e.details(&ex.Inner[i]))
	}
	return d
}

func (e *engine) stackText(t *thread) string {
	var out strings.Builder
	for _, f := range e.frames(t) {
		if f.File == "" {
			continue
		}
		fmt.Fprintf(&out, "   at %s in %s:line %d\n", f.Func, f.File, f.Line)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// exceptionVar is the pseudo-variable $exception.
func exceptionVar(ex *Exception) Var {
	v := Var{Name: "$exception", Value: "{" + ex.Type + "}", Type: ex.Type}
	v.Children = []Var{{Name: "Message", Value: fmt.Sprintf("%q", ex.Message), Type: "string"}}
	inner := Var{Name: "InnerException", Value: "null", Type: "System.Exception"}
	if len(ex.Inner) > 0 {
		inner = exceptionVar(&ex.Inner[0])
		inner.Name = "InnerException"
	}
	v.Children = append(v.Children, inner)
	return v
}
