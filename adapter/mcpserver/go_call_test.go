package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// goCalls answers calls as Delve does: refused without its prefix, and else with the returned values as children.
func goCalls(call daptest.EvalCall) (daptest.Var, bool) {
	returned := func(shown string, values ...daptest.Var) (daptest.Var, bool) {
		return daptest.Var{Value: shown, Children: values}, true
	}
	switch call.Expression {
	case "double(21)", "pair(2)", "boom()", "none()":
		return daptest.Var{Err: "function calls not allowed without using 'call'"}, true
	case "call double(21)":
		return returned("42", daptest.Var{Name: "~r0", Value: "42", Type: "int"})
	case "call pair(2)":
		return returned(`2, "a"`, daptest.Var{Name: "~r0", Value: "2", Type: "int"},
			daptest.Var{Name: "~r1", Value: `"a"`, Type: "string"})
	case "call boom()":
		return returned("", daptest.Var{Name: "~panic", Value: `interface {}(string) "boom"`, Type: "interface {}"})
	case "call none()":
		return returned("")
	}
	return daptest.Var{}, false
}

// A call is a call with or without Delve's prefix, and its answer has the value and type of what was returned.
func TestGoCalls(t *testing.T) {
	p := standing(daptest.Var{Name: "i", Type: "int", Value: "7"})
	p.Eval = goCalls
	s := serve(t, "dlv", daptest.Delve(), p)
	s.launchTo(t, 10)
	for _, text := range []string{"double(21)", "call double(21)"} {
		r := s.Do("evaluate", mcptest.Args{"expression": text})
		require.Equal(t, "42", r.String("value"), "%s", r.Raw)
		require.Equal(t, "int", r.String("type"))
		require.False(t, r.Bool("hasChildren"))
	}
	r := s.Do("evaluate", mcptest.Args{"expression": "pair(2)"})
	require.Equal(t, "(int, string)", r.String("type"), "%s", r.Raw)
	children := s.Do("variables_get", mcptest.Args{"expand": r.String("path")})
	require.Equal(t, `"a"`, children.String("variables.1.value"), "%s", children.Raw)
	r = s.Do("evaluate", mcptest.Args{"expression": "none()"})
	require.Equal(t, "void", r.String("type"), "%s", r.Raw)
	refused := s.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "boom()"})
	require.Contains(t, refused.String("error.message"), "boom")
	s.Refused(fault.EvalRejected, "evaluate", mcptest.Args{"expression": "double(21)", "safe": true})
}
