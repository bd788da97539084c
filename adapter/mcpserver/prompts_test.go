package mcpserver_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// promptText gets a prompt.
func (p *peer) promptText(name string, args map[string]string) string {
	p.t.Helper()
	r := p.call(p.Client, "prompts/get", map[string]any{"name": name, "arguments": args})
	require.Nil(p.t, r.Error, "%s", name)
	return mcptest.NewResult(p.t, r.Result).String("messages.0.content.text")
}

// listed returns the names in a list: tools, prompts.
func (p *peer) listed(what string) []string {
	p.t.Helper()
	result := mcptest.NewResult(p.t, p.call(p.Client, what+"/list", nil).Result)
	var names []string
	for i := range result.Len(what) {
		names = append(names, result.String(what+"."+itoa(i)+".name"))
	}
	return names
}

func TestPrompts(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, loop(3))
		require.Equal(t, []string{"diagnose_exception", "find_bug_source", "find_deadlock",
			"inspect_runtime_state", "trace_data_flow"},
			p.listed("prompts"))
		tools := p.listed("tools")
		for name, args := range map[string][]map[string]string{
			"diagnose_exception": {nil, {"exception_type": "System.FormatException", "program": "/src/App.dll"}},
			"find_bug_source": {{"symptom": "the sum is wrong"},
				{"symptom": "x", "file": "/src/a.cs", "program": "/src/App.dll"}},
			"find_deadlock":         {nil, {"program": "/src/App.dll"}},
			"inspect_runtime_state": {nil, {"expression": "sum"}},
			"trace_data_flow": {{"expression": "sum"},
				{"expression": "sum", "file": "/src/a.cs", "breakpoint_id": "tp-1"}},
		} {
			for _, given := range args {
				text := p.promptText(name, given)
				for _, value := range given {
					require.Contains(t, text, value, name)
				}
				named := regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(text, -1)
				require.NotEmpty(t, named)
				for _, n := range named {
					require.True(t, slices.Contains(tools, n[1]), "%s names %s, which is no tool", name, n[1])
				}
				require.NotContains(t, text, "%!")
			}
		}
		for name, args := range map[string]map[string]string{
			"find_bug_source": nil, "trace_data_flow": {"expression": " "}, "diagnose_exception": {"typ": "x"},
		} {
			r := p.call(p.Client, "prompts/get", map[string]any{"name": name, "arguments": args})
			require.NotNil(t, r.Error, name)
			require.Equal(t, -32602, r.Error.Code)
			require.Equal(t, "INVALID_PARAMETER", mcptest.NewResult(t, r.Error.Data).String("code"))
		}
		require.NotNil(t, p.call(p.Client, "prompts/get", map[string]any{"name": "nothing"}).Error)
	})
}

// complete asks for completions and returns their values.
func (p *peer) complete(ref map[string]any, argument, typed string) []string {
	p.t.Helper()
	r := p.call(p.Client, "completion/complete", map[string]any{
		"ref": ref, "argument": map[string]any{"name": argument, "value": typed},
	})
	require.Nil(p.t, r.Error)
	var result struct {
		Completion struct {
			Values  []string
			Total   int
			HasMore bool
		}
	}
	require.NoError(p.t, json.Unmarshal(r.Result, &result))
	require.LessOrEqual(p.t, len(result.Completion.Values), 100)
	require.Equal(p.t, result.Completion.HasMore, result.Completion.Total > len(result.Completion.Values))
	return result.Completion.Values
}

func ofPrompt(name string) map[string]any  { return map[string]any{"type": "ref/prompt", "name": name} }
func ofTemplate(uri string) map[string]any { return map[string]any{"type": "ref/resource", "uri": uri} }

func TestCompletions(t *testing.T) {
	program := loop(3)
	first := program.Threads[0].Code
	program.Threads[0].Code = daptest.Seq(daptest.Lines(
		daptest.Step{File: "/src/LoopApp/Other.cs", Line: 3, Func: "Other()",
			Vars: []daptest.Var{{Name: "sum", Value: "1", Type: "int"}, {Name: "sumOfAll", Value: "2", Type: "int"},
				{Name: "n", Value: "3", Type: "int"}},
			Throws: &daptest.Exception{Type: "System.FormatException", Message: "bad"}},
	), first)
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, program)
		source := ofTemplate("debugger://source/{file}")
		require.Empty(t, p.complete(source, "file", ""), "nothing is debugged")
		require.Empty(t, p.complete(ofPrompt("trace_data_flow"), "expression", ""))
		bp := p.tool("breakpoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 10}).String("breakpoint.id")
		tp := p.tool("tracepoint_set", mcptest.Args{"file": "/src/LoopApp/Program.cs", "line": 9}).String("breakpoint.id")
		ebp := p.tool("breakpoint_set_exception", mcptest.Args{"exception_type": "System.IO.IOException"}).
			String("breakpoint.id")
		all := p.tool("breakpoint_set_exception", mcptest.Args{"exception_type": "*"}).String("breakpoint.id")
		p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})

		require.Equal(t, []string{bp, tp, ebp, all}, p.complete(ofPrompt("trace_data_flow"), "breakpoint_id", ""))
		require.Equal(t, []string{tp}, p.complete(ofPrompt("trace_data_flow"), "breakpoint_id", "T"))
		require.Equal(t, []string{"sum", "sumOfAll"}, p.complete(ofPrompt("inspect_runtime_state"), "expression", "SUM"))
		require.Contains(t, p.complete(source, "file", "oth"), "/src/LoopApp/Other.cs", "by its name")
		require.Contains(t, p.complete(ofPrompt("find_bug_source"), "file", "/src/l"), "/src/LoopApp/Other.cs")
		require.Contains(t, p.complete(ofTemplate("debugger://sessions/s1/source/{file}"), "file", ""),
			"/src/LoopApp/Other.cs")

		require.Equal(t, "exception", p.tool("debug_continue", mcptest.Args{"wait": true}).String("reason"))
		require.Equal(t, []string{"System.FormatException", "System.IO.IOException"},
			p.complete(ofPrompt("diagnose_exception"), "exception_type", ""), "seen before asked for")
		require.Equal(t, []string{"System.FormatException"},
			p.complete(ofPrompt("diagnose_exception"), "exception_type", "format"))

		for ref, argument := range map[string]string{"debugger://threads": "file", "debugger://source/{file}": "line",
			"foo://x": "file"} {
			require.Empty(t, p.complete(ofTemplate(ref), argument, ""))
		}
		require.Empty(t, p.complete(ofPrompt("nothing"), "x", ""))
		require.Empty(t, p.complete(ofPrompt("find_bug_source"), "symptom", ""))
	})
}
