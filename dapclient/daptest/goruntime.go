package daptest

import (
	"slices"
	"strings"

	"breakwire/dapclient/internal/rawjson"
)

// GoRuntime is an Eval of a Go program: it knows where the runtime keeps its numbers, and leaves to alone what the
// session asks of them, whether only one goroutine runs.
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

// AsksWhetherAlone tells the question whether only one goroutine runs.
func AsksWhetherAlone(expression string) bool {
	return strings.HasPrefix(expression, "runtime.curg.m.p")
}

// Evaluated lists the expressions that the adapter was asked for and that fit.
func (a *Adapter) Evaluated(fits func(expression string) bool) []string {
	var list []string
	for _, m := range a.Requests("evaluate") {
		list = append(list, rawjson.String(m.Arguments, "expression"))
	}
	return slices.DeleteFunc(list, func(x string) bool { return !fits(x) })
}
