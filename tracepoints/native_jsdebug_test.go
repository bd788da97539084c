package tracepoints

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseJSDebug(t *testing.T) {
	for _, test := range []struct {
		name, output string
		want         Record
		ok           bool
	}{
		{"no values", "\x1eTtp-1\x1e\n", Record{ID: "tp-1"}, true},
		{"values", "\x1eTtp-1\x1fs\"a \\u001f\"\x1fv-0\x1f (2) [1, 2] \x1fe\"TypeError: no\"\x1e\n", Record{ID: "tp-1",
			Values: []Value{{Text: "a \x1f"}, {Text: "-0"}, {Text: "(2) [1, 2]"}, {Err: "TypeError: no"}}}, true},
		{"a condition that failed", "\x1eTtp-1\x1fc\"ReferenceError: x\"\x1fv1\x1e\n", Record{ID: "tp-1",
			ConditionError: "ReferenceError: x", Values: []Value{{Text: "1"}}}, true},
		{"the program's own", "\x1eTtp-1\x1fv1\n", Record{}, false},
		{"text", "hello\n", Record{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := ParseJSDebug(test.output)
			require.Equal(t, test.ok, ok)
			require.Equal(t, test.want, got)
		})
	}
}

// The expression as Node evaluates it.
func TestJSDebugInNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: there is no Node")
	}
	template, err := Parse(`{n} {s} {nothing} {big} {sym} {1 +} {nosuch} {"}" + '%d'} {0 * -1}`)
	require.NoError(t, err)
	run := func(condition string) string {
		expression, ok, why := JSDebug("tp-1", condition, template)
		require.True(t, ok, why)
		script := `const lines=[];require("inspector").console.log=(...a)=>lines.push(a.join(" "));` +
			`(n=>{const s="a\x1f%s\n",nothing=undefined,big=5n,sym=Symbol("y");return ` + expression +
			`})(7);process.stdout.write(lines.join("\n"))`
		out, err := exec.Command(node, "-e", script).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	got, ok := ParseJSDebug(run("n === 7") + "\n")
	require.True(t, ok)
	require.Equal(t, `7 a`+"\x1f%s\n"+` undefined 5n Symbol(y) <error: SyntaxError: Unexpected end of input> `+
		`<error: ReferenceError: nosuch is not defined> }%d -0`, template.Render(got.Values))
	require.Empty(t, run("n < 7"))
	got, ok = ParseJSDebug(run("nosuch"))
	require.True(t, ok)
	require.Equal(t, "ReferenceError: nosuch is not defined", got.ConditionError)
	_, ok, _ = JSDebug("tp 1", "", template)
	require.False(t, ok)
	require.False(t, strings.Contains(run(""), "%"), "the console would read it as a format")
}

// A plain path needs no eval, which js-debug is told of as a script.
func TestEvaluated(t *testing.T) {
	for expression, want := range map[string]string{
		"i": "i", " a.b[3].c ": "a.b[3].c", "this.x": "this.x", "$a": "$a",
		"i +": `eval("i +")`, "f()": `eval("f()")`, "class": `eval("class")`, "await": `eval("await")`,
		"newest": "newest", "a.b[i]": `eval("a.b[i]")`,
	} {
		if got := evaluated(expression); got != want {
			t.Errorf("%q: %s, want %s", expression, got, want)
		}
	}
}
