package adapter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/program"
)

func values(env map[string]*string) map[string]string {
	out := map[string]string{}
	for name, value := range env {
		if out[name] = "(unset)"; value != nil {
			out[name] = *value
		}
	}
	return out
}

func TestConfigurationIsOverridden(t *testing.T) {
	text := func(s string) *string { return &s }
	no, yes := false, true
	c := &program.Configuration{Program: "/c", Args: []string{"c"}, Cwd: "/c",
		Env: map[string]*string{"A": text("c"), "B": text("c")}, StopAtEntry: &no, JustMyCode: &no}
	var p LaunchParams
	p.StopAtEntry, p.JustMyCode = true, true
	p.Configure(c, nil, nil)
	require.Equal(t, "/c", p.Program)
	require.Equal(t, []string{"c"}, p.Args)
	require.False(t, p.StopAtEntry)
	require.False(t, p.JustMyCode)

	p = LaunchParams{LaunchRequest: LaunchRequest{Program: "/own", Args: []string{}, Cwd: "/own",
		Env: map[string]*string{"A": nil}, StopAtEntry: true}}
	p.Configure(c, &yes, &yes)
	require.Equal(t, "/own", p.Program)
	require.Empty(t, p.Args)
	require.Equal(t, map[string]string{"A": "(unset)", "B": "c"}, values(p.Env))
	require.True(t, p.StopAtEntry)
	require.Equal(t, "c", *c.Env["A"], "the configuration stays as it is")
}
