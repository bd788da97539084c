package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// A result without a name has no value before the function returns, so it is not listed.
func TestGoUnsetResults(t *testing.T) {
	n := daptest.Var{Name: "n", Type: "int", Value: "21"}
	result := daptest.Var{Name: "~r0", Type: "int", Value: "0"}
	named := daptest.Var{Name: "err", Type: "error", Value: "error nil"}
	s := serve(t, "dlv", daptest.Delve(), standing(n, result, named))
	s.launchTo(t, 10)
	r := s.Do("variables_get", nil)
	require.Equal(t, 2, r.Len("variables"), "%s", r.Raw)
	require.NotContains(t, string(r.Raw), "~r0")
}

// Bytes and durations are shown as people read them, in lists, among children and as results.
func TestGoValues(t *testing.T) {
	data := daptest.Var{Name: "data", Type: "[]uint8", Value: "[]uint8 len: 2, cap: 2, [104,105]"}
	wait := daptest.Var{Name: "wait", Type: "time.Duration", Value: "1500000000"}
	options := daptest.Var{Name: "options", Type: "main.Options", Value: "main.Options {...}",
		Children: []daptest.Var{wait}}
	s := serve(t, "dlv", daptest.Delve(), standing(data, wait, options))
	s.launchTo(t, 10)
	r := s.Do("variables_get", mcptest.Args{"names": []string{"data", "wait"}})
	require.Equal(t, data.Value+` "hi"`, r.String("variables.0.value"), "%s", r.Raw)
	require.Equal(t, "1.5s (1500000000 ns)", r.String("variables.1.value"))
	r = s.Do("variables_get", mcptest.Args{"expand": "options"})
	require.Equal(t, "1.5s (1500000000 ns)", r.String("variables.0.value"), "%s", r.Raw)
	r = s.Do("evaluate", mcptest.Args{"expression": "wait"})
	require.Equal(t, "1.5s (1500000000 ns)", r.String("value"), "%s", r.Raw)
}
