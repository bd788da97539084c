package inspect

import (
	"strconv"
	"time"

	"breakwire/adapter/fault"
	"breakwire/tracepoints"
)

// statement runs a text that the debugger refused as an expression, if it is a statement: an assignment, an import, a
// loop. The text is compiled first, without running it, because running an expression may raise a syntax error too.
func (v *View) statement(text string, until time.Time, refused error) error {
	compiles := func(mode string) error {
		_, err := v.evaluate(v.Here, builtin+"compile("+strconv.QuoteToASCII(text)+", '<string>', '"+mode+"')",
			time.Until(until))
		return err
	}
	if err := compiles("eval"); err == nil || fault.CodeOf(err) != fault.SyntaxError {
		return refused
	}
	if err := compiles("exec"); err != nil {
		return refused
	}
	_, err := v.evaluateAs("repl", v.Here, text, time.Until(until))
	if e := fault.AsError(err); err != nil {
		if reason, ok := e.Details["backendMessage"].(string); ok {
			e.Message = text + ": " + tracepoints.ErrorText(reason)
			e.Code = fault.EvalFailed
		}
		return e
	}
	return nil
}
