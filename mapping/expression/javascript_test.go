package expression

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

var safeJavaScript = []string{
	"i", "this", "i + 1", "a.b.c", "a?.b", "a?.[0]", "a[i + 1]", "this.#secret", "$el.value", "a.default", "-1",
	"!a", "typeof a", "a === b", "a !== null", "a ?? b", "(a || b) && c", "a ** 2", "a >>> 1", "10n * b",
	"0x1F", "1.5e3", "'it'", `"a\n"`,
	"a ? b : c", "a ? .5 : b", "'k' in a", "e instanceof Error", "(a)", "a\n+ b", "undefined", "NaN",
	"a['x'].y", "~a", "x % 2",
}

var unsafeJavaScript = map[string]Category{
	"f()": MethodCall, "a.b(1)": MethodCall, "a?.()": MethodCall, "a?.b()": MethodCall, "a\n(b)": MethodCall,
	"new A": ObjectCreation, "[1]": ObjectCreation, "{}": ObjectCreation, "class {}": ObjectCreation,
	"a = 1": Assignment, "a.b += 1": Assignment, "a++": Assignment, "--a": Assignment, "a ||= b": Assignment,
	"a &&= b": Assignment, "a ??= b": Assignment, "a **= 2": Assignment, "a >>>= 1": Assignment,
	"x => x": Lambda, "function () {}": Lambda, "async x": Lambda, "await a": Other, "yield a": Other,
	"delete a.b": Other, "import('x')": Other, "throw a": Other, "a, b": ParseError, "`a`": ParseError, "f`a`": ParseError,
	"/a/": ParseError, "a /b/ g": "", "a // c": ParseError, "a /* c */": ParseError, "a <!-- b": ParseError,
	"a --> b": ParseError, "1_000": ParseError, "010": ParseError, "a;b": ParseError, "let": ParseError,
	"debugger": ParseError,
	"#x":       ParseError, "#x in a": ParseError, "a.": ParseError, "": ParseError, "a b": ParseError, "a: b": ParseError,
	`'\x41'`: ParseError, "'a": ParseError, "\u2028": ParseError, `\u0061`: ParseError, "...a": ParseError,
	"super.x": ParseError, "a @ b": ParseError, "void a": ParseError, "let\n[a]": ParseError,
}

func TestSafeJavaScript(t *testing.T) {
	for _, text := range safeJavaScript {
		require.Nil(t, Safe(JavaScript, text), "%s", text)
	}
	for text, category := range unsafeJavaScript {
		r := Safe(JavaScript, text)
		if category == "" {
			require.Nil(t, r, "%s", text)
			continue
		}
		require.NotNil(t, r, "%s", text)
		require.Equal(t, category, r.Category, "%s", text)
	}
}

// What is accepted has no effect when Node evaluates it: every name is an object that notes calls, assignments and
// deletions.
func TestSafeJavaScriptInNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: there is no Node")
	}
	operands := []string{"a", "a.b", "a[0]", "a?.b", "'s'", "1", "(a)", "typeof a", "-a", "a\n", "/", "`", "(", ")", "[",
		"++", "=", "=>", "new", "{", "}", "<!--", "-->", "//", "?.", "...", "\u2028", "await", "let"}
	var texts []string
	for _, x := range operands {
		for _, y := range operands {
			for _, op := range []string{"", " ", "+", "?.", ",", "(", "\n", "/", "<"} {
				if text := x + op + y; Safe(JavaScript, text) == nil {
					texts = append(texts, text)
				}
			}
		}
	}
	require.NotEmpty(t, texts)
	list, err := json.Marshal(texts)
	require.NoError(t, err)
	const script = `
		let effects = 0, bad = [];
		const note = () => { effects++; return true; };
		const a = new Proxy(function () {}, { get: (o, k) => k === Symbol.toPrimitive ? () => 1 : a, has: () => true,
			set: note, apply: note, construct: note, deleteProperty: note, defineProperty: note });
		const scope = new Proxy({}, { has: (o, k) => typeof k === 'string' && k !== 'undefined', get: (o, k) =>
			k === Symbol.unscopables ? undefined : a, set: note });
		for (const text of JSON.parse(process.argv[1])) {
			effects = 0;
			try { new Function('scope', 'with (scope) { return (' + text + '\n) }')(scope); } catch (e) {
				const known = /Invalid left-hand|Unary operator/.test(e.message);
				if (e instanceof SyntaxError && !known) bad.push(text + ': ' + e.message);
			}
			if (effects) bad.push(text + ' has an effect');
		}
		console.log(JSON.stringify(bad));`
	out, err := exec.Command(node, "-e", script, string(list)).Output()
	require.NoError(t, err)
	var bad []string
	require.NoError(t, json.Unmarshal(out, &bad))
	require.Empty(t, bad)
}
