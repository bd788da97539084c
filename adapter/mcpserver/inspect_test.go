package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// standing is a program that stops at line 10 with these variables.
func standing(vars ...daptest.Var) daptest.Program {
	step := daptest.Step{File: source, Line: 10, Func: "LoopApp.Program.Work()", Vars: vars}
	step.Callers = []daptest.Frame{{File: source, Line: 21, Func: "LoopApp.Program.Main()"}}
	return daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(step)}}}
}

// stand launches it and waits for its stop.
func stand(t testing.TB, s *session) {
	t.Helper()
	s.breakAt(10)
	r := s.Settled(s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false}))
	require.Equal(t, "paused", r.String("session.state"), "%s", r.Raw)
}

// crowdedStop is a stop with 200 locals, a text of 5,000 characters, an array of 2,500 elements and a cyclic graph.
func crowdedStop() []daptest.Var {
	big := daptest.Var{Name: "big", Type: "int[]", Value: "{int[2500]}"}
	for i := range 2500 {
		big.Children = append(big.Children, daptest.Var{Name: fmt.Sprintf("[%d]", i), Type: "int", Value: itoa(i * i)})
	}
	ring := daptest.Var{Name: "ring", Type: "App.Node", Value: "{App.Node}"}
	for range 40 {
		ring = daptest.Var{Name: "Next", Type: "App.Node", Value: "{App.Node}",
			Children: []daptest.Var{{Name: "Name", Type: "string", Value: `"ring"`}, ring}}
	}
	ring.Name = "ring"
	vars := []daptest.Var{{Name: "longText", Type: "string", Value: `"` + strings.Repeat("0123456789", 500) + `"`}, big,
		ring}
	for i := range 197 {
		vars = append(vars, daptest.Var{Name: fmt.Sprintf("local%d", i), Type: "int", Value: itoa(i)})
	}
	return vars
}

// Whatever a stop contains, an answer without a requested size stays small, and the rest can be read in pages.
func TestInspectionStaysSmall(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, standing(crowdedStop()...))
		stand(t, s)
		pages := func(args mcptest.Args) (names, values []string) {
			start := 0
			for {
				args["start"] = start
				r := s.Do("variables_get", args)
				require.Less(t, len(r.Raw), 4096, "%v", args)
				for i := range r.Len("variables") {
					names = append(names, r.String(fmt.Sprintf("variables.%d.name", i)))
					values = append(values, r.String(fmt.Sprintf("variables.%d.value", i)))
				}
				if start = r.Int("nextStart"); start == 0 {
					require.Equal(t, len(names), r.Int("total"))
					return names, values
				}
			}
		}
		names, _ := pages(mcptest.Args{})
		require.Len(t, names, 200)
		require.Equal(t, "local196", names[199])
		if name != "netcoredbg" {
			return // arrays and texts differ in their parts; the live tests check them
		}
		names, values := pages(mcptest.Args{"expand": "big"})
		require.Len(t, names, 2500)
		require.Equal(t, "[2499]", names[2499])
		require.Equal(t, itoa(2499*2499), values[2499])
		_, pieces := pages(mcptest.Args{"expand": "longText"})
		text := ""
		for _, p := range pieces {
			text += strings.Trim(p, `"`)
		}
		require.Equal(t, strings.Repeat("0123456789", 500), text)
		path := "ring"
		for range 20 {
			r := s.Do("variables_get", mcptest.Args{"expand": path})
			require.Equal(t, 2, r.Int("total"))
			path = r.String("variables.1.path")
		}
		require.Equal(t, 5, s.Do("variables_get", mcptest.Args{"count": 5}).Len("variables"))
		require.Len(t, s.Do("variables_get", mcptest.Args{"names": []string{"local7", "longText"}}).Get("variables"), 2)
		s.Refused(fault.VariableNotFound, "variables_get", mcptest.Args{"names": []string{"nosuch"}})
	})
}

// Safe evaluation refuses by grammar: no byte is sent to the debugger.
func TestSafeEvaluationSendsNothing(t *testing.T) {
	tests := []struct{ profile, expression, category string }{
		{"netcoredbg", "list.Clear()", "MethodCall"},
		{"netcoredbg", "new Node()", "ObjectCreation"},
		{"netcoredbg", "i = 2", "Assignment"},
		{"dlv", "call f(1)", "MethodCall"},
		{"debugpy", "os.remove('x')", "MethodCall"},
		{"debugpy", "(i := 2)", "Assignment"},
		{"lldb-dap", "exit(1)", "MethodCall"},
		{"lldb-dap", "i++", "Assignment"},
	}
	byName := map[string]daptest.Shape{}
	for _, s := range shapes {
		byName[s.name] = s.shape
	}
	for _, tt := range tests {
		t.Run(tt.profile+" "+tt.expression, func(t *testing.T) {
			s := serve(t, tt.profile, byName[tt.profile], standing(daptest.Var{Name: "i", Type: "int", Value: "7"}))
			stand(t, s)
			before := s.adapter().Count("evaluate")
			r := s.Refused(fault.EvalRejected, "evaluate", mcptest.Args{"expression": tt.expression, "safe": true})
			assert.Equal(t, tt.category, r.String("error.details.category"))
			assert.NotEmpty(t, r.String("error.details.offending"))
			assert.Equal(t, before, s.adapter().Count("evaluate"))
			assert.Equal(t, "7", s.Do("evaluate", mcptest.Args{"expression": "i", "safe": true}).String("value"))
		})
	}
}

// A syntax error is distinguished from a failed evaluation, by the texts of the debuggers of 2026.
func TestSyntaxErrors(t *testing.T) {
	const delve, clang = "Unable to evaluate expression: ", "error: <user expression 0>:"
	for backend, messages := range map[string]map[string]fault.Code{
		"dlv": {
			delve + "1:3: expected selector or type assertion, found 'EOF'": fault.SyntaxError, // i.
			delve + "1:4: expected operand, found 'EOF'":                    fault.SyntaxError, // i +
			delve + "1:3: expected ')', found newline":                      fault.SyntaxError, // (i
			delve + "1:1: string literal not terminated":                    fault.SyntaxError, // "abc
			delve + "1:1: rune literal not terminated":                      fault.SyntaxError, // 'a
			delve + "1:3: illegal character U+003F '?'":                     fault.SyntaxError, // i ? 1
			delve + "1:3: expected '==', found '='":                         fault.SyntaxError, // i =
			delve + "could not find symbol value for nosuch":                fault.EvalFailed,
			delve + "i (type int) has no member nosuch":                     fault.EvalFailed,
			delve + `expression "i" (int) does not support indexing`:        fault.EvalFailed,
		},
		"debugpy": {
			"SyntaxError: '(' was never closed (<string>, line 1)": fault.SyntaxError,
			"SyntaxError: invalid syntax (<string>, line 1)":       fault.SyntaxError,
			"NameError: name 'nosuch' is not defined":              fault.EvalFailed,
		},
		"lldb-dap": {
			clang + "2:1: expected unqualified-id\n    2 | ;": fault.SyntaxError, // i.
			clang + "2:1: expected ')'\n    2 | ;":            fault.SyntaxError, // (i
			clang + "2:1: expected expression\n    2 | ;":     fault.SyntaxError, // i +
			"error: <lldb wrapper suffix>:1:32: expected '}'": fault.SyntaxError, // {
			"warning: <user expression 4>:1:1: missing terminating '\"' character\nerror: <user expression 4>:1:1: " +
				"expected expression": fault.SyntaxError,
			clang + "1:1: use of undeclared identifier 'nosuch'":                        fault.EvalFailed,
			clang + "1:6: too few arguments to function call, expected 1, have 0":       fault.EvalFailed,
			clang + "1:2: member reference base type 'int' is not a structure or union": fault.EvalFailed,
		},
	} {
		t.Run(backend, func(t *testing.T) {
			message := ""
			s := serve(t, backend, daptest.Delve(), loop(3), func(a *daptest.Adapter) {
				a.OnRequest("evaluate", func(*dapclient.Message) daptest.Action { return daptest.Fail(message) })
			})
			s.launchTo(t, 10)
			for said, code := range messages {
				message = said
				s.Refused(code, "evaluate", mcptest.Args{"expression": "i"})
			}
		})
	}
}

// A statement is sent to be run only after it was compiled as one; no other debugger is asked.
func TestStatements(t *testing.T) {
	for _, tt := range []struct {
		profile string
		shape   daptest.Shape
		text    string
		code    fault.Code // "": it is run
		asked   []string   // the first word and the mode of each question, or its context
	}{
		{"debugpy", daptest.Debugpy(), "import m", "", []string{"watch import", "eval", "exec", "repl import"}},
		{"debugpy", daptest.Debugpy(), "expr()", fault.SyntaxError, []string{"watch expr()", "eval"}},
		{"debugpy", daptest.Debugpy(), "wrong =", fault.SyntaxError, []string{"watch wrong", "eval", "exec"}},
		{"dlv", daptest.Delve(), "import m", fault.SyntaxError, []string{"watch import"}},
	} {
		t.Run(tt.profile+" "+tt.text, func(t *testing.T) {
			var asked []string
			p := standing(daptest.Var{Name: "i", Type: "int", Value: "7"})
			p.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
				refused := daptest.Var{Err: "SyntaxError: invalid syntax"}
				fits := map[string]bool{"'eval'": strings.Contains(call.Expression, `"expr()"`),
					"'exec'": strings.Contains(call.Expression, `"import m"`)}
				for mode, fit := range fits {
					if strings.HasPrefix(call.Expression, "__import__('builtins').compile(") &&
						strings.Contains(call.Expression, mode) {
						if asked = append(asked, strings.Trim(mode, "'")); fit {
							return daptest.Var{Value: "<code>", Type: "code"}, true
						}
						return refused, true
					}
				}
				if call.Expression != tt.text {
					return daptest.Var{}, false
				}
				word, _, _ := strings.Cut(tt.text, " ")
				if asked = append(asked, call.Context+" "+word); call.Context == "repl" {
					return daptest.Var{}, true
				}
				return refused, true
			}
			s := serve(t, tt.profile, tt.shape, p)
			stand(t, s)
			if tt.code == "" {
				require.NotEmpty(t, s.Do("evaluate", mcptest.Args{"expression": tt.text}).String("note"))
			} else {
				s.Refused(tt.code, "evaluate", mcptest.Args{"expression": tt.text})
			}
			require.Equal(t, tt.asked, asked)
		})
	}
}

// While an evaluation after its deadline is unanswered, reads are refused, because a second request would only be
// cancelled. Afterwards reads work again.
func TestBusyUntilTheLateAnswer(t *testing.T) {
	gate, open := daptest.Gate()
	p := standing(daptest.Var{Name: "i", Type: "int", Value: "7"})
	p.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		if call.Expression == "Slow()" {
			return daptest.Var{Value: "1", Type: "int", Gate: gate}, true
		}
		return daptest.Var{}, false
	}
	s := netcoredbg(t, p)
	stand(t, s)
	s.Refused(fault.EvalTimeout, "evaluate", mcptest.Args{"expression": "Slow()", "timeout_ms": 50})
	s.Refused(fault.BackendBusy, "evaluate", mcptest.Args{"expression": "i"})
	s.Refused(fault.BackendBusy, "variables_get", nil)
	open()
	require.Eventually(t, func() bool {
		return !s.Call("evaluate", mcptest.Args{"expression": "i"}).IsError
	}, mcptest.Patience, 1e6)
}

// When the backend does not answer the requests about an exception, the result still has what the stop reported, and
// marks what is missing.
func TestExceptionContextIsPartial(t *testing.T) {
	throws := daptest.Step{
		File: source, Line: 10, Func: "LoopApp.Program.Work()", Vars: []daptest.Var{{Name: "i", Type: "int", Value: "7"}},
		Throws: &daptest.Exception{Type: "System.InvalidOperationException", Message: "first", Inner: []daptest.Exception{
			{Type: "System.ArgumentException", Message: "second",
				Inner: []daptest.Exception{{Type: "System.Exception", Message: "third"}}},
		}},
	}
	p := daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(throws)}}}
	s := netcoredbg(t, p)
	s.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"})
	s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false})
	r := s.Do("exception_get_context", nil)
	assert.Equal(t, "System.InvalidOperationException", r.String("exception.type"))
	assert.Equal(t, "third", r.String("innerExceptions.1.message"))
	assert.Equal(t, "7", r.String("frames.0.variables.0.value"))
	assert.False(t, r.Has("partial"), "%s", r.Raw)

	r = s.Do("exception_get_context", mcptest.Args{"max_inner_exceptions": 1})
	assert.Equal(t, 1, r.Len("innerExceptions"))
	assert.Equal(t, 1, r.Len("partial"))

	for _, command := range []string{"exceptionInfo", "scopes", "stackTrace"} {
		s.adapter().OnRequest(command, func(*dapclient.Message) daptest.Action { return daptest.Fail("broken") })
		r = s.Do("exception_get_context", nil)
		assert.Equal(t, "first", r.String("exception.message"))
		assert.NotZero(t, r.Len("partial"), "%s", r.Raw)
		s.adapter().OnRequest(command, nil)
	}
	s.Do("debug_disconnect", nil)
}

// Collections of .NET show their elements, from the fields that netcoredbg returns.
func TestCollections(t *testing.T) {
	num := func(name string, v int) daptest.Var { return daptest.Var{Name: name, Type: "int", Value: itoa(v)} }
	array := func(name, typ string, kids ...daptest.Var) daptest.Var {
		for i := range kids {
			kids[i].Name = fmt.Sprintf("[%d]", i)
		}
		return daptest.Var{Name: name, Type: typ + "[]", Value: fmt.Sprintf("{%s[%d]}", typ, len(kids)), Children: kids}
	}
	object := func(name, typ string, kids ...daptest.Var) daptest.Var {
		return daptest.Var{Name: name, Type: typ, Value: "{" + typ + "}", Children: kids}
	}
	ints := func(name string, vs ...int) daptest.Var {
		var kids []daptest.Var
		for _, v := range vs {
			kids = append(kids, num("", v))
		}
		return array(name, "int", kids...)
	}
	entry := func(next int, key, value string) daptest.Var {
		return object("", "Entry", num("hashCode", 1), num("next", next),
			daptest.Var{Name: "key", Type: "string", Value: key}, daptest.Var{Name: "value", Type: "int", Value: value})
	}
	const g = "System.Collections.Generic."
	vars := []daptest.Var{
		object("list", g+"List<int>", ints("_items", 1, 2, 3, 0), num("_size", 3)),
		object("stack", g+"Stack<int>", ints("_array", 1, 2, 3, 0), num("_size", 3)),
		object("queue", g+"Queue<int>", ints("_array", 30, 0, 10, 20), num("_head", 2), num("_size", 3)),
		object("dict", g+"Dictionary<string, int>",
			array("_entries", "Entry", entry(-1, `"one"`, "1"), entry(-5, "null", "0"), entry(0, `"three"`, "3")),
			num("_count", 3), num("_freeCount", 1)),
		object("empty", g+"List<int>", ints("_items"), num("_size", 0)),
		object("odd", g+"List<int>", num("_size", 3)),
	}
	s := netcoredbg(t, standing(vars...))
	stand(t, s)
	all := s.Do("variables_get", nil)
	for i, want := range []string{"Count = 3", "Count = 3", "Count = 3", "Count = 2", "Count = 0", "Count = 3"} {
		assert.Equal(t, want, all.String(fmt.Sprintf("variables.%d.value", i)))
	}
	elements := func(path string, args mcptest.Args) string {
		if args == nil {
			args = mcptest.Args{}
		}
		args["expand"] = path
		r := s.Do("variables_get", args)
		var out []string
		for i := range r.Len("variables") {
			at := fmt.Sprintf("variables.%d.", i)
			out = append(out, r.String(at+"name")+"="+r.String(at+"value"))
		}
		return strings.Join(out, " ")
	}
	assert.Equal(t, "[0]=1 [1]=2 [2]=3", elements("list", nil))
	assert.Equal(t, "[1]=2", elements("list", mcptest.Args{"start": 1, "count": 1}))
	assert.Equal(t, "[0]=3 [1]=2 [2]=1", elements("stack", nil))
	assert.Equal(t, "[1]=2 [2]=1", elements("stack", mcptest.Args{"start": 1}))
	assert.Equal(t, "[0]=10 [1]=20 [2]=30", elements("queue", nil))
	assert.Equal(t, `["one"]=1 ["three"]=3`, elements("dict", nil))
	assert.Equal(t, `["three"]=3`, elements("dict", mcptest.Args{"start": 1}))
	assert.Empty(t, elements("empty", nil))
	assert.Equal(t, "_size=3", elements("odd", nil), "fields are better than nothing")
}

// Where a program cannot get input, input is refused with the reason.
func TestInputNotAvailable(t *testing.T) {
	s := netcoredbg(t, standing())
	s.Refused(fault.NoSession, "process_write_input", mcptest.Args{"data": "x"})
	stand(t, s)
	r := s.Refused(fault.NotSupported, "process_write_input", mcptest.Args{"data": "x"})
	for _, key := range []string{"feature", "missingCapability", "backend", "hint"} {
		assert.NotEmpty(t, r.String("error.details."+key))
	}
}

// Environment values from a client are not returned to it.
func TestEnvironmentIsNotShown(t *testing.T) {
	s := netcoredbg(t, standing(daptest.Var{Name: "i", Type: "int", Value: "7"}))
	s.breakAt(10)
	s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false,
		"env": map[string]any{"API_TOKEN": "hunter2-secret"}})
	for _, tool := range []string{"debug_state", "variables_get", "stacktrace_get", "events_query", "modules_list",
		"process_read_output"} {
		s.Call(tool, nil)
	}
	s.Do("debug_disconnect", nil)
	for _, l := range s.Lines() {
		require.NotContains(t, string(l.Raw), "hunter2")
	}
}

// A call at a new stop requests only what is unknown: the stop has already requested its top frame, and on Delve all
// that stacktrace_get shows.
func TestFirstReadsUseFramesOfTheStop(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, standing(daptest.Var{Name: "i", Type: "int", Value: "1"}))
		stand(t, s)
		s.Do("debug_pause", nil) // handled after the stop's own requests
		asked := s.adapter().Count("stackTrace")
		s.Do("variables_get", nil)
		s.Do("evaluate", mcptest.Args{"expression": "i"})
		require.Equal(t, asked, s.adapter().Count("stackTrace"), "the top frame")
		first := s.Do("stacktrace_get", nil)
		if name == "dlv" {
			require.Equal(t, asked, s.adapter().Count("stackTrace"), "the stack")
		}
		require.Equal(t, first.Len("frames"), s.Do("stacktrace_get", mcptest.Args{"max_frames": 1000}).Len("frames"))
		part := s.Do("stacktrace_get", mcptest.Args{"start_frame": 1, "max_frames": 1, "fold": false})
		require.Equal(t, first.String("frames.1.function"), part.String("frames.0.function"))
		require.Equal(t, 1, part.Len("frames"))
		require.Equal(t, 0, s.Do("stacktrace_get", mcptest.Args{"start_frame": 7, "max_frames": 1}).Len("frames"))
	})
}

// A stop in code without source is shown at the program's own frame, which is not the top one. Without frame_index
// that frame is read. Frame 0 stays the top of the stack.
func TestLookAtAStopInALibrary(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		gate, open := daptest.Gate()
		defer open()
		in := func(name string) []daptest.Var { return []daptest.Var{{Name: name, Type: "int", Value: "1"}} }
		s := serve(t, name, shape, daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(daptest.Step{
			Func: "libc.wait", Gate: gate, Vars: in("inner"),
			Callers: []daptest.Frame{{File: source, Line: 21, Func: "App.Main", Vars: in("outer")}},
		})}}})
		s.launch(t)
		r := s.Do("debug_pause", nil)
		require.Equal(t, 21, r.Int("stop.location.line"), "%s", r.Raw)
		require.Equal(t, "outer", s.Do("variables_get", nil).String("variables.0.name"))
		require.Equal(t, "inner", s.Do("variables_get", mcptest.Args{"frame_index": 0}).String("variables.0.name"))
		require.Contains(t, s.Do("stacktrace_get", nil).String("frames.0.function"), "libc.wait")
		require.Equal(t, "outer", s.Do("variables_get", mcptest.Args{"frame_index": 1}).String("variables.0.name"))
		if name == "netcoredbg" { // netcoredbg cannot step there (measured)
			s.adapter().Once("next", daptest.Fail("Failed command 'next' : 0x80004005"))
			r = s.Refused(fault.NotSupported, "debug_step", nil)
			require.Contains(t, r.String("error.details.hint"), source+":21")
			require.Equal(t, "paused", s.state())
		}
	})
}

// netcoredbg refuses all members of an object because of one that the runtime cannot read (measured: the Task of an
// async method). The other members can be read.
func TestUnreadableMember(t *testing.T) {
	const lost = "Failed command 'variables' : 0x80131305"
	task := daptest.Var{Name: "task", Type: "App.Task", Value: "{App.Task}"}
	for i := range 20 {
		task.Children = append(task.Children, daptest.Var{Name: fmt.Sprintf("m%d", i), Type: "int", Value: itoa(i)})
	}
	s := netcoredbg(t, standing(task, daptest.Var{Name: "i", Type: "int", Value: "7"}))
	stand(t, s)
	bad := 11
	s.adapter().OnRequest("variables", func(m *dapclient.Message) daptest.Action {
		args, err := dapclient.DecodeArguments[dap.VariablesArguments](m)
		if err != nil || args.Count > 0 && (bad < args.Start || bad >= args.Start+args.Count) {
			return daptest.Action{}
		}
		return daptest.Fail(lost)
	})
	r := s.Do("variables_get", mcptest.Args{"expand": "task"})
	require.Equal(t, 20, r.Len("variables"), "%s", r.Raw)
	assert.Equal(t, "m10", r.String("variables.10.name"))
	assert.Equal(t, "<error: "+lost+">", r.String("variables.11.value"))
	assert.Equal(t, "m19", r.String("variables.19.name"))
	o := s.Do("object_summarize", mcptest.Args{"expression": "task"}).At("summary")
	assert.Equal(t, 20, o.Int("totalFieldCount"))
	assert.Equal(t, 1, o.Int("inaccessibleFieldCount"))

	s.adapter().OnRequest("variables", func(*dapclient.Message) daptest.Action { return daptest.Fail(lost) })
	r = s.Refused(fault.Internal, "variables_get", mcptest.Args{"expand": "task"})
	assert.Equal(t, lost, r.String("error.details.backendMessage"), "%s", r.Raw)
	assert.Contains(t, r.String("error.message"), "lost hold")
}
