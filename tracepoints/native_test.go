package tracepoints

import (
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	rs = "\x1e"
	us = "\x1f"
)

func mustParse(t *testing.T, message string) *Template {
	t.Helper()
	tpl, err := Parse(message)
	require.NoError(t, err)
	return tpl
}

func TestDelve(t *testing.T) {
	tests := []struct {
		name, message, want, why string
	}{
		{"no expression", "here", rs + "Ttp-2" + rs, ""},
		{"literal text is not sent", `100% {{ok}} \ {i}` + "\n", rs + "Ttp-2" + us + "{i}" + rs, ""},
		{"two", "i is {i}, {square}", rs + "Ttp-2" + us + "{i}" + us + "{square}" + rs, ""},
		{"twice is once", "{i}{i}", rs + "Ttp-2" + us + "{i}" + rs, ""},
		{"percent is not doubled in expressions", "{i % 7}", rs + "Ttp-2" + us + "{i % 7}" + rs, ""},
		{"braces in a string", `{f("}{")}`, rs + "Ttp-2" + us + `{f("\x7d\x7b")}` + rs, ""},
		{"balanced braces in a string too", `{m["{}"]}`, rs + "Ttp-2" + us + `{m["\x7b\x7d"]}` + rs, ""},
		{"brace after an escaped backslash", `{f("\\{")}`, rs + "Ttp-2" + us + `{f("\\\x7b")}` + rs, ""},
		{"brace as a rune", `{r == '{'}`, rs + "Ttp-2" + us + `{r == '\x7b'}` + rs, ""},
		{"brace in a raw string", "{f(`{\"\\`)}", rs + "Ttp-2" + us + `{f("\x7b\"\\")}` + rs, ""},
		{"raw string without braces stays", "{f(`a\\b`)}", rs + "Ttp-2" + us + "{f(`a\\b`)}" + rs, ""},
		{"braces of a composite literal stay", "{m[T{1}]}", rs + "Ttp-2" + us + "{m[T{1}]}" + rs, ""},
		{"a call by command is refused", "{call f()}", "", "Delve does not call functions in log points"},
		{"a name that begins so is not", "{callback}", rs + "Ttp-2" + us + "{callback}" + rs, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok, why := Delve("tp-2", "", mustParse(t, tt.message))
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.why == "", ok)
			assert.Equal(t, tt.why, why)
		})
	}
}

func TestDelveCondition(t *testing.T) {
	got, ok, _ := Delve("tp-2", `s == "}"`, mustParse(t, "i is {i}"))
	assert.True(t, ok)
	assert.Equal(t, rs+"Wtp-2"+us+`{s == "\x7d"}`+us+"{i}"+rs, got)
	_, ok, why := Delve("tp-2", "call f()", mustParse(t, "i is {i}"))
	assert.False(t, ok)
	assert.NotEmpty(t, why)
}

func TestParseDelve(t *testing.T) {
	tests := []struct {
		name, in string
		want     Record
		ok       bool
	}{
		{"none", "> [Go 1]: " + rs + "Ttp-2" + rs + "\n", Record{ID: "tp-2", Goroutine: 1, Values: []Value{}}, true},
		{"one", "> [Go 17]: " + rs + "Ttp-2" + us + "6" + rs + "\n",
			Record{ID: "tp-2", Goroutine: 17, Values: []Value{{Text: "6"}}}, true},
		{
			"quoted string, unsigned, empty string", "> [Go 1]: " + rs + "T7" + us + `"a\x1e\x1f\n"` + us + "5 = 0x5" +
				us + `""` + rs + "\n",
			Record{ID: "7", Goroutine: 1, Values: []Value{{Text: "a\x1e\x1f\n"}, {Text: "5"}, {}}}, true,
		},
		{
			"recorded from 1.27.2",
			"> [Go 1]: \x1eTtp-2\x1f0\x1f\"it's {a} \\x1e\\x1f\\n\"\x1fmain.T {A: 0, S: \"q\"}\x1f0 = 0x0\x1f{eval " +
				"err: &{%!e(string=could not find symbol value for f)}}\x1ftrue\x1f{eval err: &{%!e(string=t has no " +
				"member B)}}\x1e\n",
			Record{ID: "tp-2", Goroutine: 1, Values: []Value{
				{Text: "0"}, {Text: "it's {a} \x1e\x1f\n"}, {Text: `main.T {A: 0, S: "q"}`}, {Text: "0"},
				{Err: "could not find symbol value for f"}, {Text: "true"}, {Err: "t has no member B"},
			}}, true,
		},
		{
			"error in place", "> [Go 1]: " + rs + "Ttp-2" + us + "{eval err: &{%!e(string=could not find symbol " +
				"value for x)}}" + us + "1" + rs + "\n",
			Record{ID: "tp-2", Goroutine: 1, Values: []Value{{Err: "could not find symbol value for x"}, {Text: "1"}}}, true,
		},
		{
			"error of another shape", "> [Go 1]: " + rs + "Ttp-2" + us + "{eval err: odd}" + rs + "\n",
			Record{ID: "tp-2", Goroutine: 1, Values: []Value{{Err: "odd"}}}, true,
		},
		{
			"the condition is true", "> [Go 1]: " + rs + "Wtp-2" + us + "true" + us + "6" + rs + "\n",
			Record{ID: "tp-2", Goroutine: 1, Values: []Value{{Text: "6"}}}, true,
		},
		{
			"the condition is false", "> [Go 1]: " + rs + "Wtp-2" + us + "false" + us + "6" + rs + "\n",
			Record{ID: "tp-2", Goroutine: 1, Passed: true, Values: []Value{{Text: "6"}}}, true,
		},
		{"a condition without a value", "> [Go 1]: " + rs + "Wtp-2" + rs, Record{}, false},
		{"the program's own", "> [Go 1]: hello\n", Record{}, false},
		{"no prefix", rs + "Ttp-2" + rs + "\n", Record{}, false},
		{"cut off", "> [Go 1]: " + rs + "Ttp-2" + us + "6", Record{}, false},
		{"two in one", "> [Go 1]: " + rs + "Ttp-2" + rs + rs + "Ttp-2" + rs, Record{}, false},
		{"no id", "> [Go 1]: " + rs + "T" + us + "6" + rs, Record{}, false},
		{"odd id", "> [Go 1]: " + rs + "Tt p" + rs, Record{}, false},
		{"odd goroutine", "> [Go x]: " + rs + "Ttp-2" + rs, Record{}, false},
		{"negative goroutine", "> [Go -1]: " + rs + "Ttp-2" + rs, Record{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseDelve(tt.in)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

func FuzzParseDelve(f *testing.F) {
	f.Add("> [Go 17]: " + rs + "Ttp-2" + us + `"a"` + us + "{eval err: x}" + rs + "\n")
	f.Add("> [Go 1]: hello\n")
	f.Fuzz(func(t *testing.T, s string) {
		r, ok := ParseDelve(s)
		if !ok {
			require.Zero(t, r)
			return
		}
		require.True(t, validID(r.ID))
		require.GreaterOrEqual(t, r.Goroutine, 0)
		require.Len(t, r.Values, strings.Count(s, us))
	})
}

func TestDebugpyShape(t *testing.T) {
	nasty := `k)+(1`
	tpl := &Template{exprs: []string{"i", nasty, `d["}"]`, "größe\n"}}
	got, ok, why := Debugpy("tp-2", " i % 2 == 0 ", tpl)
	require.True(t, ok, why)
	assert.True(t, strings.HasPrefix(got, "{(lambda b,g,l:("))
	assert.Equal(t, 1, strings.Count(got, "{"), "debugpy pairs braces without looking at literals")
	assert.Equal(t, 1, strings.Count(got, "}"))
	assert.True(t,
		strings.HasSuffix(got, `("tp-2","i % 2 == 0",("i","k)+(1","d[\"\x7d\"]","gr\u00f6\u00dfe\n",),g,`+
			`l))(__import__("builtins"),__import__("builtins").globals(),__import__("builtins").locals())}`), got[len(got)-200:])
	for _, r := range got {
		require.True(t, r >= 0x20 && r < 0x7f, "%q", r)
	}

	got, ok, _ = Debugpy("tp-2", "", mustParse(t, "no expression"))
	require.True(t, ok)
	assert.Contains(t, got, `("tp-2","",(),g,l)`)
	assert.Contains(t, debugpyHelper, "b."+debugpyName+"=")
}

// recorded from debugpy 1.6.6 with this recipe
func TestParseDebugpy(t *testing.T) {
	tests := []struct {
		name, in string
		want     Record
		ok       bool
	}{
		{
			"recorded", rs + "Ttp-2" + us + `[2, "w0", null, [[1, "0"], [1, "it's {a} \u001e \u001f \u20ac\n"], [1, ` +
				`"[1, 2, 3]"], [0, "NameError: name 'nosuch' is not defined"]]]` + rs + "\n",
			Record{ID: "tp-2", Thread: 2, ThreadName: "w0", Values: []Value{
				{Text: "0"}, {Text: "it's {a} \x1e \x1f €\n"}, {Text: "[1, 2, 3]"},
				{Err: "NameError: name 'nosuch' is not defined"},
			}}, true,
		},
		{
			"condition failed", rs + "Ttp-2" + us + `[1, "MainThread", "NameError: name 'nosuch' is not defined", []]` +
				rs + "\n",
			Record{ID: "tp-2", Thread: 1, ThreadName: "MainThread",
				ConditionError: "NameError: name 'nosuch' is not defined", Values: []Value{}}, true,
		},
		{"Windows line end", rs + "Ttp-2" + us + `[1, "", null, []]` + rs + "\r\n",
			Record{ID: "tp-2", Thread: 1, Values: []Value{}}, true},
		{"the program's own", "hello\n", Record{}, false},
		{"not JSON", rs + "Ttp-2" + us + "x" + rs + "\n", Record{}, false},
		{"too short", rs + "Ttp-2" + us + "[1]" + rs + "\n", Record{}, false},
		{"too long", rs + "Ttp-2" + us + `[1, "", null, [], 5]` + rs + "\n", Record{}, false},
		{"odd value", rs + "Ttp-2" + us + `[1, "", null, [[1, 2]]]` + rs + "\n", Record{}, false},
		{"no field", rs + "Ttp-2" + rs + "\n", Record{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseDebugpy(tt.in)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

// TestDebugpyHelperRuns evaluates the message as debugpy does, in a Python without debugpy: -S excludes installed
// packages.
func TestDebugpyHelperRuns(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	run := func(condition string, exprs ...string) string {
		message, ok, why := Debugpy("tp-2", condition, &Template{exprs: exprs})
		require.True(t, ok, why)
		script := `
import sys
def frame(expr):
    i, name, d = 6, "it's {x}", {"}": [1, 2]}
    def bad(): raise KeyError("k")
    for n in range(2):
        out = repr("%s") and "%s" % (eval(expr, globals(), locals()),)
    return out
sys.stdout.write(frame(sys.argv[1]))
`
		out, err := exec.Command(python, "-S", "-c", script, message[1:len(message)-1]).Output()
		require.NoError(t, err)
		return string(out)
	}
	r, ok := ParseDebugpy(run("", "i", "name", `d["}"]`, "nosuch", "k)+(1", "[x*i for x in d['}']]", "bad()",
		"sys.exit(3)"))
	require.True(t, ok)
	assert.Equal(t, "MainThread", r.ThreadName)
	assert.Zero(t, r.Thread, "no debugpy to ask")
	require.Len(t, r.Values, 8)
	assert.Equal(t, []Value{{Text: "6"}, {Text: "it's {x}"}, {Text: "[1, 2]"},
		{Err: "NameError: name 'nosuch' is not defined"}}, r.Values[:4])
	assert.Contains(t, r.Values[4].Err, "SyntaxError")
	assert.Equal(t, []Value{{Text: "[6, 12]"}, {Err: "KeyError: 'k'"}, {Err: "SystemExit: 3"}}, r.Values[5:])

	assert.Empty(t, run("i == 5", "i"), "nothing is printed when the condition is false")
	r, ok = ParseDebugpy(run("i", "i"))
	require.True(t, ok, "any true value will do")
	assert.Equal(t, []Value{{Text: "6"}}, r.Values)
	r, ok = ParseDebugpy(run("nosuch > 1", "i"))
	require.True(t, ok)
	assert.Equal(t, "NameError: name 'nosuch' is not defined", r.ConditionError)
}

func TestLLDB(t *testing.T) {
	head := rs + "Ttp-2" + us + "{$fs_base}"
	tests := []struct {
		name, message, want, refused string
	}{
		{"no expression", `ends in \`, head + rs, ""},
		{"variable", "i={i}", head + us + "{i}" + rs, ""},
		{"members and elements", "{p->next.v[3]}", head + us + "{p->next.v[3]}" + rs, ""},
		{"call", "{f(i)}", "", "f(i)"},
		{"arithmetic", "{i+1}", "", "i+1"},
		{"register", "{$rax}", "", "$rax"},
		{"string", `{"{"}`, "", `"{"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok, why := LLDB("tp-2", mustParse(t, tt.message))
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.refused == "", ok)
			if tt.refused != "" {
				assert.True(t, strings.HasSuffix(why, "not for "+tt.refused), why)
			}
		})
	}
}

func TestParseLLDB(t *testing.T) {
	tests := []struct {
		name, in string
		want     Record
		ok       bool
	}{
		{
			"values", rs + "Ttp-2" + us + "139637976727360" + us + "6" + us + `0x0000555555556004 "hel\"lo"` + rs + "\n",
			Record{ID: "tp-2", ThreadKey: "139637976727360", Values: []Value{{Text: "6"}, {Text: `hel"lo`}}}, true,
		},
		{
			"recorded from 19",
			"\x1eTtp-2\x1f140737351849792\x1f0\x1f0x0000555555556004 \"hel\\\"lo {x}\"\x1f<error: error: <user " +
				"expression 1>:1:1: use of undeclared identifier 'nosuch'\n    1 | nosuch\n      | ^\n>\x1fint[3] @ " +
				"0x7fffffffe4d0\x1e\n",
			Record{ID: "tp-2", ThreadKey: "140737351849792", Values: []Value{
				{Text: "0"}, {Text: `hel"lo {x}`}, {Err: "use of undeclared identifier 'nosuch'"},
				{Text: "int[3] @ 0x7fffffffe4d0"},
			}}, true,
		},
		{
			"errors in place", rs + "Ttp-2" + us + "<error: error: no register>" + us +
				"<error: error: use of undeclared identifier 'x'\n>" + rs + "\n",
			Record{ID: "tp-2", Values: []Value{{Err: "use of undeclared identifier 'x'"}}}, true,
		},
		{"pty line end", rs + "Ttp-2" + us + "1" + rs + "\r\n", Record{ID: "tp-2", ThreadKey: "1", Values: []Value{}}, true},
		{"no thread field", rs + "Ttp-2" + rs + "\n", Record{}, false},
		{"the program's own", "i=6\n", Record{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseLLDB(tt.in)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestNativeRefusesOddIDs(t *testing.T) {
	tpl := mustParse(t, "{i}")
	for _, id := range []string{"", "a b", "{x}", "tp\x1f", "%d"} {
		for _, recipe := range []func(string, *Template) (string, bool, string){
			func(id string, t *Template) (string, bool, string) { return Delve(id, "", t) },
			LLDB, func(id string, t *Template) (string, bool, string) { return Debugpy(id, "", t) },
		} {
			_, ok, why := recipe(id, tpl)
			assert.False(t, ok)
			assert.Equal(t, whyID, why)
		}
	}
}

func TestParseDebugpyEnd(t *testing.T) {
	for in, want := range map[string]map[string]uint64{
		"\x1eEhits\x1f{\"tp-1\": 20000, \"tp-2\": 1}\x1e\n": {"tp-1": 20000, "tp-2": 1},
		"\x1eEhits\x1f{}\x1e\r\n":                           {},
		"\x1eEhits\x1f{\"tp-1\": -1}\x1e\n":                 nil,
		"\x1eEhits\x1f{\"tp-1\": 2\x1e\n":                   nil,
		"\x1eEhits\x1f{}\x1f{}\x1e\n":                       nil,
		"\x1eThits\x1f{}\x1e\n":                             nil,
		"Ehits":                                             nil,
	} {
		got, ok := ParseDebugpyEnd(in)
		if ok != (want != nil) || ok && !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v", in, got, ok)
		}
	}
}

func TestParseDebugpyPass(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Pass
		ok   bool
	}{
		{rs + "Hs1-bp-2" + us + "[3, 4, 5, null]" + rs + "\n",
			Pass{ID: "s1-bp-2", Halts: true, Thread: 3, Silent: 4, False: 5}, true},
		{rs + "Hs1-bp-2" + us + `[1, 0, 0, "NameError: name 'x' is not defined"]` + rs + "\r\n",
			Pass{ID: "s1-bp-2", Halts: true, Thread: 1, Error: "NameError: name 'x' is not defined"}, true},
		{rs + "Cs1-bp-2" + us + "[0, 299, 7, null]" + rs + "\n", Pass{ID: "s1-bp-2", Silent: 299, False: 7}, true},
		{rs + "Ttp-2" + us + "[1, 2, 3, null]" + rs + "\n", Pass{}, false},
		{rs + "Cs1-bp-2" + us + "[0, -1, 7, null]" + rs, Pass{}, false},
		{rs + "Cs1-bp-2" + us + "[0, 1]" + rs, Pass{}, false},
		{rs + "C" + us + "[0, 1, 2, null]" + rs, Pass{}, false},
		{"Hello\n", Pass{}, false},
	} {
		got, ok := ParseDebugpyPass(tt.in)
		assert.Equal(t, tt.ok, ok, "%q", tt.in)
		assert.Equal(t, tt.want, got, "%q", tt.in)
	}
}

// The helper decides, counts and reports, in a Python whose debugger is a stand-in.
func TestDebugpyConditionRuns(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	const script = `
import sys, types
told = []
class Point: condition = sys.argv[1]
point = Point()
class Debugger:
    breakpoints = {"/a.py": {3: point}}
    function_breakpoint_name_to_breakpoint = {}
    class writer: add_command = told.append
    class cmd_factory: make_io_message = staticmethod(lambda text, stream: text)
    def process_internal_commands(self): pass
    def dispose_and_kill_all_pydevd_threads(self): pass
debugger = Debugger()
for name in ("_pydevd_bundle", "_pydevd_bundle._debug_adapter"):
    sys.modules[name] = types.ModuleType(name)
constants = sys.modules["_pydevd_bundle.pydevd_constants"] = types.ModuleType("constants")
constants.get_global_debugger = lambda: debugger
constants.get_current_thread_id = lambda t: "one"
schema = sys.modules["_pydevd_bundle._debug_adapter.pydevd_base_schema"] = types.ModuleType("schema")
class BaseSchema: _translate_id_to_dap = staticmethod(lambda id: 7)
schema.BaseSchema = BaseSchema
halts = []
for i in range(10):
    if eval(point.condition, globals(), {"i": i}):
        halts.append(i)
assert not isinstance(point.condition, str), "compiled once"
debugger.process_internal_commands()
debugger.process_internal_commands()
sys.stdout.write(repr(halts) + "\n" + "".join(told))
`
	hits := func(text string) HitCondition {
		h, err := ParseHitCondition(text)
		require.NoError(t, err)
		return h
	}
	halt := func(silent, missed uint64, failure string) Pass {
		return Pass{ID: "s1-bp-2", Halts: true, Thread: 7, Silent: silent, False: missed, Error: failure}
	}
	rest := func(silent, missed uint64) Pass { return Pass{ID: "s1-bp-2", Silent: silent, False: missed} }
	const unknown = "NameError: name 'nosuch' is not defined"
	for _, tt := range []struct {
		name, condition string
		hits            HitCondition
		base            uint64
		halts           string
		told            []Pass
	}{
		{"condition", "i % 5 == 4", HitCondition{}, 0, "[4, 9]", []Pass{halt(0, 4, ""), halt(0, 8, "")}},
		{"any true value", "i and [i]", HitCondition{}, 0, "[1, 2, 3, 4, 5, 6, 7, 8, 9]", nil},
		{"never", "i > 10", HitCondition{}, 0, "[]", []Pass{rest(0, 10)}},
		{"hit condition", "", hits("3"), 0, "[2]", []Pass{halt(2, 0, ""), rest(9, 0)}},
		{"counted before", "", hits(">= 4"), 2, "[1, 2, 3, 4, 5, 6, 7, 8, 9]", nil},
		{"both", "i % 2", hits("%2"), 0, "[3, 7]", []Pass{halt(1, 2, ""), halt(2, 4, ""), rest(3, 5)}},
		{"an error halts, whatever the hit condition", "nosuch if i == 3 else i == 5", hits("9"), 0, "[3]",
			[]Pass{halt(0, 3, unknown), rest(1, 8)}},
		{"leaves the interpreter", "exit() if i == 8 else False", HitCondition{}, 0, "[8]", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, ok := DebugpyCondition("s1-bp-2", tt.condition, tt.hits, tt.base)
			require.True(t, ok)
			out, err := exec.Command(python, "-S", "-c", script, text).Output()
			require.NoError(t, err)
			lines := strings.SplitAfter(strings.ReplaceAll(string(out), "\r\n", "\n"), "\n")
			assert.Equal(t, tt.halts+"\n", lines[0])
			var told []Pass
			for _, line := range lines[1 : len(lines)-1] {
				p, ok := ParseDebugpyPass(line)
				require.True(t, ok, "%q", line)
				told = append(told, p)
			}
			if tt.told != nil {
				assert.Equal(t, tt.told, told)
			}
		})
	}
	_, ok := DebugpyCondition("s1/bp-2", "i", HitCondition{}, 0)
	assert.False(t, ok)
}

func TestPassed(t *testing.T) {
	var s State
	s.Passed(4, 10)
	s.Hit()
	s.Passed(4, 10) // told again
	s.Passed(6, 11)
	s.Passed(5, 3) // late
	s.Miss()
	assert.EqualValues(t, 7, s.Hits())
	assert.EqualValues(t, 12, s.Missed())
}
