package dapclient

import (
	"encoding/json"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The bytes of the arguments: in each case go-dap's own structs lose a value.
func TestArguments(t *testing.T) {
	no, yes, zero := false, true, 0
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"the last breakpoint of a file is cleared", SetBreakpointsArguments{Source: dap.Source{Path: "/a.cs"},
			Breakpoints: []dap.SourceBreakpoint{}},
			`{"source":{"path":"/a.cs"},"breakpoints":[]}`},
		{"breakpoints", SetBreakpointsArguments{Source: dap.Source{Path: "/a.cs"},
			Breakpoints: []dap.SourceBreakpoint{{Line: 3, Condition: "i == 1"}}, SourceModified: true},
			`{"source":{"path":"/a.cs"},"breakpoints":[{"line":3,"condition":"i == 1"}],"sourceModified":true}`},
		{"no function breakpoints", SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{}},
			`{"breakpoints":[]}`},
		{"no exception filters", SetExceptionBreakpointsArguments{Filters: []string{}}, `{"filters":[]}`},
		{"exception filter options",
			SetExceptionBreakpointsArguments{Filters: []string{},
				FilterOptions: []dap.ExceptionFilterOptions{{FilterId: "all", Condition: "X"}}},
			`{"filters":[],"filterOptions":[{"filterId":"all","condition":"X"}]}`},
		{"disconnect by the adapter's default", DisconnectArguments{}, `{}`},
		{"detach", DisconnectArguments{TerminateDebuggee: &no, SuspendDebuggee: &no},
			`{"terminateDebuggee":false,"suspendDebuggee":false}`},
		{"terminate", DisconnectArguments{TerminateDebuggee: &yes}, `{"terminateDebuggee":true}`},
		{"evaluate in frame 0", EvaluateArguments{Expression: "a < b", FrameID: &zero, Context: "watch"},
			`{"expression":"a \u003c b","frameId":0,"context":"watch"}`},
		{"evaluate in no frame", EvaluateArguments{Expression: ""}, `{"expression":""}`},
		{"set expression in frame 0", SetExpressionArguments{Expression: "x", FrameID: &zero},
			`{"expression":"x","value":"","frameId":0}`},
		{"all frames", StackTraceArguments{ThreadID: 1}, `{"threadId":1,"startFrame":0,"levels":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.in)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
		})
	}
}

// go-dap's structs still lose these values. When this test fails, args.go can shrink.
func TestGoDapLosesArguments(t *testing.T) {
	tests := []struct {
		in   any
		want string
	}{
		{dap.SetBreakpointsArguments{Breakpoints: []dap.SourceBreakpoint{}}, `{"source":{}}`},
		{dap.DisconnectArguments{TerminateDebuggee: false}, `{}`},
		{dap.EvaluateArguments{Expression: "x", FrameId: 0}, `{"expression":"x"}`},
		{dap.SetFunctionBreakpointsArguments{}, `{"breakpoints":null}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(tt.in)
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(got))
	}
}
