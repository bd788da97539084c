package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// readOnly is a read-only session at its first stop.
func readOnly(t *testing.T, profile string, shape daptest.Shape) *session {
	t.Helper()
	_, fakes := mcptest.Fake(t, profile, shape, loop(3))
	permissions := adapter.Permissions{ReadOnly: true, Programs: []string{program}}
	m := adapter.NewManager(adapter.Options{Backends: fakes.Backends(profile), Permissions: permissions})
	s := &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}
	stand(t, s)
	return s
}

// TestHiddenEffects checks that every tool that evaluates refuses what hides a call from a reader of another
// language, or begins a debugger command. The debugger gets no request.
func TestHiddenEffects(t *testing.T) {
	for _, tc := range []struct {
		profile string
		shape   daptest.Shape
		file    string
		texts   []string
	}{
		{"netcoredbg", daptest.Netcoredbg(), "/src/a.cs", []string{
			`@""" " + System.IO.File.Create("x") + @" """`, `"""a""" + f() + """b"""`, `$"{f()}"`,
			"1 /*'*/ + f() /*'*/", `\u0066()`, "f<int>(i)",
			`"\x41"`, "i is (1, 2)",
		}},
		{"dlv", daptest.Delve(), "/src/a.go", []string{"call f", "call -i", "dlv -i", "dlv config", "i /* */ (1)",
			"f[int](i)", "1_000", `"\x41"`}},
		{"debugpy", daptest.Debugpy(), "/src/a.py", []string{
			`"""\""" + """ + str(f()) #"""`, `1and'2+'+str(f())#' '`, `f"{f()}"`, `rb"\"" + f()`, "i@LINE@f", "1_000",
			`"\N{SPACE}"`, "i #", "i\nf",
		}},
		{"lldb-dap", daptest.LLDB(), "/src/a.cpp", []string{
			`1 /*'*/ + f(1) //'`, `"??/" + f(1) + "`, "f<1>(2)", "(Node)i", "(i)and_eq -1", "`quit", "-exec -i",
			"1'000", `R"(")" + f()`, "i \\\n(1)",
		}},
		{"generic", daptest.LLDB(), "/src/a.rb", []string{"f(1)", `"#{f}" == i`, `"$(f)"`, "i /*'*/ + f(1) //'", "`f`",
			"i = 1"}},
	} {
		t.Run(tc.profile, func(t *testing.T) {
			s := readOnly(t, tc.profile, tc.shape)
			asked, set := s.adapter().Count("evaluate"), s.adapter().Count("setBreakpoints")
			refused := func(tool string, args mcptest.Args) {
				t.Helper()
				if tc.profile == "generic" { // an unknown language: nothing is evaluated
					require.True(t, s.Call(tool, args).IsError, "%s %v", tool, args)
				} else {
					s.Refused(fault.EvalRejected, tool, args)
				}
			}
			for _, text := range tc.texts {
				place := mcptest.Args{"file": tc.file, "line": 11, "condition": text}
				s.Refused(fault.EvalRejected, "breakpoint_set", place)
				s.Refused(fault.EvalRejected, "tracepoint_set", place)
				s.Refused(fault.EvalRejected, "breakpoint_set_function", mcptest.Args{"function": "Main", "condition": text})
				refused("evaluate", mcptest.Args{"expression": text, "safe": true})
				refused("evaluate", mcptest.Args{"expression": text})
				refused("object_summarize", mcptest.Args{"expression": text})
				refused("collection_analyze", mcptest.Args{"expression": text})
				refused("variables_get", mcptest.Args{"expand": text})
				refused("batch_evaluate", mcptest.Args{"experiments": []any{at(11, "condition", text)}})
			}
			s.Refused(fault.EvalRejected, "tracepoint_set",
				mcptest.Args{"file": tc.file, "line": 11, "log_message": "{i} {f(i)}"})
			require.Equal(t, asked, s.adapter().Count("evaluate"))
			require.Equal(t, set, s.adapter().Count("setBreakpoints"))
		})
	}
}

// TestExceptionTypeIsNoExpression: some debuggers take an exception breakpoint's type for a condition.
func TestExceptionTypeIsNotEvaluated(t *testing.T) {
	s := readOnly(t, "netcoredbg", daptest.Netcoredbg())
	for _, text := range []string{"f(i)", "i = 1", "`f`", "f`${i}`", `"x"`} {
		s.Refused(fault.EvalRejected, "breakpoint_set_exception", mcptest.Args{"exception_type": text})
	}
	s.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "App.Outer+Failed`1"})
}

// TestConditionOfAnotherLanguage: a condition without effect in the language of the file's name is not sent to a
// debugger that would read a call in it.
func TestConditionOfAnotherLanguage(t *testing.T) {
	s := readOnly(t, "lldb-dap", daptest.LLDB())
	r := s.Do("breakpoint_set", mcptest.Args{"file": "/src/a.go", "line": 3, "condition": "len(i) > 1"})
	require.Equal(t, "pending", r.String("breakpoint.state"), "%s", r.Raw)
	s.Do("breakpoint_set", mcptest.Args{"file": "/src/a.go", "line": 4, "condition": "i > 1"})
	told := ""
	for _, m := range s.adapter().Requests("setBreakpoints") {
		told += string(m.Arguments)
	}
	require.NotContains(t, told, "len(")
}
