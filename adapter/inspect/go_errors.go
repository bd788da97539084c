package inspect

import (
	"breakwire/mapping"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// panicValue is the value of a panic, in the frame of the function that panics call.
// When that function begins, the value is in registers, and Delve can read it only after it has read an interface from
// memory at the same stop: interfaceInMemory (measured 2026-11-29).
const (
	PanicValue        = "e.(data)"
	InterfaceInMemory = "runtime.memoryError"
)

// goChain adds the errors that the value of a panic wraps. They are stored in fields of type error and []error.
func (v *View) goChain(c *ExceptionContext, q ExceptionQuery) {
	frames, _, err := v.stack(c.ThreadID, 0, LocateDepth)
	at := slices.IndexFunc(frames, func(f dap.StackFrame) bool { return f.Name == v.Profile.PanicFunction })
	if err != nil || at < 0 {
		c.missing("innerExceptions: the value of the panic is not known", err)
		return
	}
	_, _ = v.evaluate(frames[at], InterfaceInMemory, evaluateTimeout)
	body, err := v.evaluate(frames[at], PanicValue, evaluateTimeout)
	if err != nil { // panic(nil), or a runtime that was built with optimisation
		return
	}
	v.wrappedErrors(evaluatedNode(PanicValue, body), c, q.Inner)
}

// wrappedErrors adds the errors that a value wraps, each followed by those that it wraps itself.
func (v *View) wrappedErrors(n node, c *ExceptionContext, most int) {
	fields, ok := v.fields(n)
	if !ok && n.VariablesReference > 0 {
		c.missing("innerExceptions: no time left", nil)
	}
	for _, f := range fields {
		if f.Type == "[]error" || f.Name == "" { // a pointer has one field without a name
			v.wrappedErrors(node{f, n.VariablesReference}, c, most)
			continue
		}
		if !strings.HasPrefix(f.Type, "error(") {
			continue
		}
		inside, _ := v.fields(node{f, n.VariablesReference})
		value, ok := childNamed(inside, "data", f.VariablesReference)
		if !ok {
			continue
		}
		if len(c.Inner) >= most {
			c.missing("innerExceptions: only the first "+strconv.Itoa(most), nil)
			return
		}
		text := strings.TrimPrefix(mapping.GoErrorText(value.Value), value.Type+" ")
		message := Displayed(v.Profile.Language, text, "string")
		c.Inner = append(c.Inner, ExceptionInner{Type: value.Type, Message: mapping.Clip(message, MaxValue)})
		v.wrappedErrors(value, c, most)
	}
}

// PanicType is the type of the exception that a panic of Go or Rust is.
const PanicType = "panic"
