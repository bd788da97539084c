package expression

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// oracle judges texts: ok, or the unsafe part of each. It uses no code of Safe.
type oracle func(t testing.TB, texts []string) []string

// startOracle starts a program that reads texts, one JSON string per line, and answers each with a line. It ends with
// the test and with its input.
func startOracle(t testing.TB, name string, args ...string) oracle {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "PYTHONUTF8=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	return func(t testing.TB, texts []string) []string {
		go func() {
			for _, text := range texts {
				line, _ := json.Marshal(text)
				_, _ = in.Write(append(line, '\n'))
			}
		}()
		verdicts := make([]string, len(texts))
		for i := range texts {
			line, err := lines.ReadString('\n')
			require.NoError(t, err, "%q", texts[i])
			verdicts[i] = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		}
		return verdicts
	}
}

// pythonWith returns a Python that has a module; Debian's modules work only with Debian's Python. It skips the test
// without one.
func pythonWith(t testing.TB, module string) string {
	for _, python := range []string{os.Getenv("DEBUGPY_PYTHON"), "python3", "python", "/usr/bin/python3"} {
		if python != "" && exec.Command(python, "-c", "import "+module).Run() == nil {
			return python
		}
	}
	t.Skipf("no Python here has the module %s", module)
	return ""
}

func pythonOracle(t testing.TB) oracle {
	return startOracle(t, pythonWith(t, "ast"), filepath.Join("testdata", "oracle.py"), "python")
}

func cOracle(t testing.TB) oracle {
	return startOracle(t, pythonWith(t, "pycparser"), filepath.Join("testdata", "oracle.py"), "c")
}

// roslyn runs testdata/verdict.cs with the command in BREAKWIRE_ROSLYN, if set.
func roslyn(t testing.TB) oracle {
	command := strings.Fields(os.Getenv("BREAKWIRE_ROSLYN"))
	if len(command) == 0 {
		return nil
	}
	return startOracle(t, command[0], command[1:]...)
}

// delveCommand matches what Delve's adapter takes for a command instead of an expression.
var delveCommand = regexp.MustCompile(`^\s*(?:dlv|call)\s+\S+`)

func goOracle(_ testing.TB, texts []string) []string {
	verdicts := make([]string, len(texts))
	for i, text := range texts {
		verdicts[i] = goVerdict(text)
	}
	return verdicts
}

func goVerdict(text string) string {
	if delveCommand.MatchString(text) {
		return "command"
	}
	set := token.NewFileSet()
	file, err := goparser.ParseFile(set, "", goFrame+strings.TrimSpace(text)+"\n",
		goparser.ParseComments)
	if err != nil {
		return err.Error()
	}
	if len(file.Decls) != 1 || len(file.Comments) > 0 {
		return "more than an expression"
	}
	verdict := "ok"
	ast.Inspect(file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.FuncType, *ast.ChanType, *ast.StructType, *ast.InterfaceType,
			*ast.KeyValueExpr, *ast.IndexListExpr:
			verdict = fmt.Sprintf("%T", n)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				verdict = "receive"
			}
		case *ast.CallExpr:
			f := source(set, text, n.Fun)
			pointer := goPointer.MatchString(f) && len(n.Args) == 1 && isInt(n.Args[0])
			if !goHarmless.MatchString(f) && !pointer || n.Ellipsis.IsValid() {
				verdict = "call of " + f
			}
		}
		return verdict == "ok"
	})
	return verdict
}

var (
	goHarmless = regexp.MustCompile(`^(?:(?:\[\])?(?:bool|byte|rune|string|u?int(?:8|16|32|64)?|uintptr|` +
		`float(?:32|64)|complex(?:64|128))|len|cap|real|imag|complex|min|max)$`)
	goPointer = regexp.MustCompile(`^\(\*(?:"[^"]*"|` + "`[^`]*`" + `|[\[\]\w.*\p{L}]+)\)$`)
)

func isInt(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.INT
}

// source returns the text of a node without its blanks. In the file goFrame precedes the text.
func source(set *token.FileSet, text string, n ast.Node) string {
	part := (goFrame + strings.TrimSpace(text))[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset]
	return strings.Join(strings.Fields(part), "")
}

const goFrame = "package p\nvar _ = "

// sent returns a text as it is sent to the debugger of its language.
func sent(lang Language, text string) string {
	if lang == CSharp {
		return ForNetcoredbg(text)
	}
	return text
}

// judge passes the texts that Safe accepts to an oracle, and returns their number.
func judge(t testing.TB, lang Language, o oracle, texts []string) int {
	accepted := texts[:0:0]
	for _, text := range texts {
		if Safe(lang, text) == nil {
			accepted = append(accepted, text)
		}
	}
	for i, text := range accepted {
		accepted[i] = sent(lang, text)
		if r := Safe(lang, accepted[i]); r != nil {
			t.Errorf("%s: %q is sent as %q, which is not safe: %s", lang, text, accepted[i], r.Offending)
		}
	}
	for i, verdict := range o(t, accepted) {
		if verdict != "ok" {
			t.Errorf("%s: %q is taken for safe, and holds %s", lang, accepted[i], verdict)
		}
	}
	return len(accepted)
}

// written returns the texts of a seed.
func written(lang Language, seed uint64, count int) []string {
	w := newWriter(lang, seed)
	texts := make([]string, count)
	for i := range texts {
		texts[i] = w.text()
	}
	return texts
}

// hidden are texts that hide an effect from a reader of another language.
var hidden = map[Language][]string{
	Python: {
		`"""\""" + """ + str(f()) #"""`, `1and'2+'+str(f())#' '`, `f"{f()}"`, `rb"\"" + f() + rb"\""`, "a@LINE@f()",
		"f (x)", "(a, f)[1](x)", "a if b else f(x)",
		"[x for x in y]", "(x := 1)", "lambda: 0", "(yield)", "await x", "*x", "{**x}", "a\nf()", "x #'\n+ f(x) #'",
	},
	C: {
		`1 /*'*/ + f(1) //'`, `"??/" + f(1) + "`, "f<1>(2)", "x and_eq 1", "(x)or_eq -1", "(Node)x", "x, y", "x = 1",
		"*p++", "(int){f(1)}", "f(x)", "1'0 + f('0')",
		"-exec -gdb-exit", "`quit", "(struct P)x", "a < b && c > (d)", "\"x\"_s", `R"(")" + f("()"`, "x \\\n(y)",
	},
	Go: {
		"call f", "call -x", "dlv -x", " dlv config", "f(x)", "f[int](x)", "func() {}()", "<-c", "T{}", "make(T)",
		"(*f)(x)", "(f)(1)", "x /* */ (y)", "[]T(x)", "append(a, b)",
		"f\n(x)", "len(a...)", "x; y", "x = f()",
	},
	CSharp: {
		`@""" " + f() + @" """`, `$"{f()}"`, `"""a""" + f() + """b"""`, "f<int>(x)", "a < b > (c)", "x is (1, 2)",
		"x is T t", "new T()", "x = 1", "x++", "x => x", "await x",
		"1 /*'*/ + f() /*'*/", "#if X\nf()\n#endif", `\u0066(x)`, "[1, 2]", "x with { a = 1 }",
		"x switch { _ => f() }", `'"' + f('"')`, "f!(x)", "x?.f()", "(T t, U u)", "(a, System < x > list)",
		"(System<x> list, a)", "(b, a < c, d > e)",
	},
}

// TestSafeIsWhatItsLanguageReads has the language's own parser judge the accepted ones of ten thousand texts of each
// language.
func TestSafeIsWhatItsLanguageReads(t *testing.T) {
	for lang, start := range map[Language]func(testing.TB) oracle{
		Python: pythonOracle, C: cOracle, Go: func(testing.TB) oracle { return goOracle },
		CSharp: func(testing.TB) oracle { return csharpOracle }, unknown: allOracles,
	} {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			o := start(t)
			for _, text := range hidden[lang] {
				require.NotNil(t, Safe(lang, text), text)
			}
			for i, verdict := range o(t, hidden[lang]) {
				require.NotEqual(t, "ok", verdict, "%q must not pass for harmless", hidden[lang][i])
			}
			accepted := judge(t, lang, o, written(lang, 1, 10_000))
			t.Logf("%d of 10000 accepted", accepted)
			require.Greater(t, accepted, 1000, "too few are accepted to say anything")
		})
	}
}

// allOracles accepts a text only if it is harmless in all languages.
func allOracles(t testing.TB) oracle {
	all := []oracle{pythonOracle(t), cOracle(t), goOracle, csharpOracle}
	return func(t testing.TB, texts []string) []string {
		verdicts := make([]string, len(texts))
		for i := range verdicts {
			verdicts[i] = "ok"
		}
		for _, o := range all {
			for i, verdict := range o(t, texts) {
				if strings.Contains(texts[i], "&&") || strings.Contains(texts[i], "||") {
					continue // not in Python's grammar
				}
				if verdict != "ok" {
					verdicts[i] = verdict
				}
			}
		}
		return verdicts
	}
}

// fuzzSafe judges the fuzzed text, and two hundred texts of a seed.
func fuzzSafe(f *testing.F, lang Language, o oracle) {
	for i, text := range hidden[lang] {
		f.Add(uint64(i), text)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		judge(t, lang, o, append(written(lang, seed, 200), text))
	})
}

func FuzzSafePython(f *testing.F) { fuzzSafe(f, Python, pythonOracle(f)) }

func FuzzSafeC(f *testing.F) { fuzzSafe(f, C, cOracle(f)) }

func FuzzSafeGo(f *testing.F) { fuzzSafe(f, Go, goOracle) }

func FuzzSafeCSharp(f *testing.F) {
	o := roslyn(f)
	if o == nil {
		o = csharpOracle // it is stricter than C#: fuzzing for long finds texts that only it refuses
	}
	fuzzSafe(f, CSharp, o)
}
