package daptest

import (
	"slices"
	"strings"

	"breakwire/dapclient/internal/rawjson"
)

// GoRuntime is an Eval of a Go program. It answers the session's questions about the runtime's variables. alone
// answers whether only one goroutine runs.
func GoRuntime(alone func(EvalCall) Var) func(EvalCall) (Var, bool) {
	return func(c EvalCall) (Var, bool) {
		switch {
		case c.Expression == "runtime.gomaxprocs":
			return Var{Value: "2"}, true
		case strings.HasPrefix(c.Expression, "uintptr(&runtime."):
			return Var{Value: "5984192 = 0x5b4fc0"}, true
		case AsksWhetherAlone(c.Expression):
			return alone(c), true
		}
		return Var{}, false
	}
}

// AsksWhetherAlone reports whether an expression asks if only one goroutine runs.
func AsksWhetherAlone(expression string) bool {
	return strings.HasPrefix(expression, "runtime.curg.m.p")
}

// Evaluated returns the expressions sent to the adapter for which fits is true.
func (a *Adapter) Evaluated(fits func(expression string) bool) []string {
	var list []string
	for _, m := range a.Requests("evaluate") {
		list = append(list, rawjson.String(m.Arguments, "expression"))
	}
	return slices.DeleteFunc(list, func(x string) bool { return !fits(x) })
}
