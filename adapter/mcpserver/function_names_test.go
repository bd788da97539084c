package mcpserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// onThisMachine is a server on fakes of one shape whose programs are files of this machine.
func onThisMachine(t *testing.T, profile string, shape daptest.Shape, program daptest.Program) *mcptest.Client {
	_, fakes := mcptest.Fake(t, profile, shape, program)
	backends := fakes.Backends(profile)
	fake := backends.Custom["fake"]
	fake.Local = true
	backends.Custom["fake"] = fake
	m := adapter.NewManager(adapter.Options{Backends: backends, ProjectRoot: t.TempDir()})
	return mcptest.Serve(t, m, mcpserver.Options{})
}

// onlyMain is a program of one function.
func onlyMain(name string) daptest.Program {
	step := daptest.Step{File: "/src/main", Line: 3, Func: name}
	return daptest.Program{Functions: []string{name}, Threads: []daptest.Thread{{Code: daptest.Lines(step, step)}}}
}

const notHere = "no function of this name is in the program and its libraries so far"

// pythonTree writes a Python program of two files and returns its script.
func pythonTree(t *testing.T) string {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"program.py": "import helpers\nclass Cart:\n    def total(self): return 1\nasync def later(): pass\n" +
			"def work(i): return i\n\nfor i in range(3):\n    work(i)\n    helpers.scale(i)\n",
		"helpers.py":        "def scale(i): return i\n",
		".venv/lib/odd.py":  "def wrok(): pass\n",
		"notes.txt":         "def wrong(): pass\n",
		"node_modules/m.py": "def wrko(): pass\n",
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return filepath.Join(folder, "program.py")
}

// A name that no function has says so with the nearest names: in the answers of the launch and of setting it, in the
// list, and in the answer that ends the wait.
func TestUnknownFunctionNames(t *testing.T) {
	for _, tt := range []struct {
		backend string
		shape   daptest.Shape
		program func(*testing.T) string
		asked   string
		state   string
		message []string
	}{
		{"dlv", daptest.Delve(), goLoop, "main.wrok", "failed", []string{
			`location "main.wrok" not found; nearest names: main.Work`,
		}},
		{"dlv", daptest.Delve(), goLoop, "Wrok", "failed", []string{
			`location "Wrok" not found; nearest names: main.Work`,
		}},
		{"dlv", daptest.Delve(), goLoop, "main.Work[int]", "failed", []string{
			"; dlv takes a generic function without type arguments, for all its instances: main.Work",
		}},
		{"dlv", daptest.Delve(), goLoop, "xyzzyPlugh", "failed", []string{`location "xyzzyPlugh" not found`}},
		{"lldb-dap", daptest.LLDB(), cLoop, "wrok", "pending", []string{notHere + "; nearest names: work"}},
		{"lldb-dap", daptest.LLDB(), cLoop, "xyzzyPlugh", "pending", []string{notHere}},
		{"lldb-dap", daptest.LLDB(), noProgram, "wrok", "pending", []string{notHere}},
		{"debugpy", daptest.Debugpy(), pythonTree, "wrok", "pending", []string{
			"no def of this name is in the 2 source files of the program", "; nearest names: work",
		}},
		{"debugpy", daptest.Debugpy(), pythonTree, "scal", "pending", []string{"; nearest names: scale"}},
		{"debugpy", daptest.Debugpy(), pythonTree, "Cart.totl", "failed", []string{
			"set it on totl", "; nearest names: total",
		}},
	} {
		t.Run(tt.backend+" "+tt.asked, func(t *testing.T) {
			program := onlyMain("main")
			if tt.backend == "dlv" {
				program = onlyMain("main.main")
			}
			if tt.backend == "debugpy" {
				program.Functions = []string{tt.asked, "x" + tt.asked} // it verifies every name
			}
			c := onThisMachine(t, tt.backend, tt.shape, program)
			require.Equal(t, "pending", c.Do("breakpoint_set_function", mcptest.Args{"function": tt.asked}).
				String("breakpoint.state"))
			told := func(b mcptest.Result, at string) {
				t.Helper()
				require.Equal(t, tt.state, b.String(at+".state"), "%s", b.Raw)
				for _, part := range tt.message {
					require.Contains(t, b.String(at+".message"), part)
				}
				if !strings.Contains(strings.Join(tt.message, ""), "nearest") {
					require.NotContains(t, b.String(at+".message"), "nearest")
				}
			}
			told(c.Do("debug_launch", mcptest.Args{"program": tt.program(t)}), "breakpoints.0")
			told(c.Do("breakpoint_list", nil), "breakpoints.0")
			set := c.Do("breakpoint_set_function", mcptest.Args{"function": "x" + tt.asked, "condition": "1 == 1"})
			require.Equal(t, tt.state, set.String("breakpoint.state"), "%s", set.Raw)
			end := c.Do("debug_continue", mcptest.Args{"wait": true})
			require.Equal(t, "exited", end.String("reason"), "%s", end.Raw)
			told(end, "breakpoints.0")
		})
	}
}

func goLoop(t *testing.T) string { return fixtures.BuildGo(t, "loop") }

// noProgram is a file without symbols.
func noProgram(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(file, []byte("none"), 0o700))
	return file
}

// cLoop builds a program with a function work.
func cLoop(t *testing.T) string {
	_, program := writeC(t, t.TempDir(), "int work(int i) { return i + 1; }\nint main(void) { return work(-1); }\n", "-g")
	return program
}

// A function that is in the sources of a Python program is bound. One that is in none, since the program makes it when
// it runs, is bound when it is hit.
func TestPythonFunctionNames(t *testing.T) {
	program := loop(2)
	c := onThisMachine(t, "debugpy", daptest.Debugpy(), program)
	c.Do("breakpoint_set_function", mcptest.Args{"function": "Work"})
	r := c.Do("debug_launch", mcptest.Args{"program": pythonTree(t)})
	require.Equal(t, "pending", r.String("breakpoints.0.state"), "%s", r.Raw)
	for _, name := range []string{"work", "scale", "Cart", "total", "<lambda>"} {
		b := c.Do("breakpoint_set_function", mcptest.Args{"function": name})
		require.Equal(t, "bound", b.String("breakpoint.state"), "%s", b.Raw)
		require.False(t, b.Has("breakpoint.message"), "%s", b.Raw)
	}
	b := c.Do("breakpoint_set_function", mcptest.Args{"function": "later"})
	require.Equal(t, "pending", b.String("breakpoint.state"), "%s", b.Raw)
	require.Contains(t, b.String("breakpoint.message"),
		"a coroutine (async def) or generator of this name begins at program.py:4")
}

// Names are looked up on this disk for programs of this machine only.
func TestFunctionNamesOfPrograms(t *testing.T) {
	m, _ := mcptest.Fake(t, "debugpy", daptest.Debugpy(), loop(1))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set_function", mcptest.Args{"function": "wrok"})
	r := c.Do("debug_launch", mcptest.Args{"program": pythonTree(t)})
	require.False(t, r.Has("breakpoints"), "%s", r.Raw)
}

// Where the debugger has no function breakpoints, one that was set before the launch has failed and says so.
func TestFunctionBreakpointUnsupported(t *testing.T) {
	shape := daptest.Debugpy()
	shape.Capabilities = strings.Replace(shape.Capabilities, `"supportsFunctionBreakpoints":true,`, "", 1)
	s := serve(t, "debugpy", shape, loop(2))
	s.Do("breakpoint_set_function", mcptest.Args{"function": "work"})
	require.Equal(t, "pending", s.Do("breakpoint_list", nil).String("breakpoints.0.state"))
	r := s.launchTo(t, 10)
	require.NotEmpty(t, r.Raw)
	b := s.Do("breakpoint_list", nil)
	require.Equal(t, "failed", b.String("breakpoints.0.state"), "%s", b.Raw)
	require.Contains(t, b.String("breakpoints.0.message"), "set a line breakpoint in the function")
	s.Do("breakpoint_remove", mcptest.Args{"id": b.String("breakpoints.1.id")})
	end := s.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "exited", end.String("reason"), "%s", end.Raw)
	require.Contains(t, end.String("breakpoints.0.message"), "set a line breakpoint in the function", "%s", end.Raw)
}

// A condition that is no expression of Go is refused before anything is sent.
func TestGoConditionSyntax(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte("package main\n\nfunc main() {\n}\n"), 0o600))
	c := onThisMachine(t, "dlv", daptest.Delve(), onlyMain("main.main"))
	for _, tt := range []struct {
		condition, says string
		column          int
	}{
		{"i ===", "column 5: expected operand", 5},
		{"i = 3", "a condition does not assign: write == to compare", 3},
		{"i := 3", "a condition does not assign", 3},
		{"größe ==", "expected operand", 9},
		{" (i", "expected ')'", 4},
		{"call f(1", "call", 9},
	} {
		for tool, args := range map[string]mcptest.Args{
			"breakpoint_set": {}, "tracepoint_set": {"log_message": "{i}"},
		} {
			args["file"], args["line"], args["condition"] = file, 3, tt.condition
			r := c.Refused(fault.InvalidCondition, tool, args)
			require.Contains(t, r.String("error.message"), tt.says)
			require.Equal(t, tt.column, r.Int("error.details.column"), "%s", r.Raw)
		}
	}
	require.Zero(t, c.Do("breakpoint_list", nil).Int("count"))
	for _, good := range []string{
		"i == 3", `call f(1) == 2`, `s == "a\nb"`, `"encoding/json".x > 1`, "*(*int)(0xc000012345) == 2", "~r0 > 1",
		"a[1:2] == b && !c",
		"x.(main.T).a == 1 ", "runtime.curg.goid == 1", "m[\"k\"] != nil",
	} {
		c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 3, "condition": good})
	}
	// A function breakpoint is of a Go program where a Go program runs.
	c.Do("breakpoint_set_function", mcptest.Args{"function": "main.work", "condition": "i ==="})
	c.Do("debug_launch", mcptest.Args{"program": noProgram(t)})
	c.Refused(fault.InvalidCondition, "breakpoint_set_function",
		mcptest.Args{"function": "main.other", "condition": "i ==="})
	// C# and Python have other parsers.
	c.Do("breakpoint_set", mcptest.Args{"file": pythonTree(t), "line": 3, "condition": "i is not None"})
}

// An assignment is refused with the tool that sets a variable.
func TestAssignmentSaysVariableSet(t *testing.T) {
	s := serve(t, "dlv", daptest.Delve(), loop(3), func(a *daptest.Adapter) {
		a.OnRequest("evaluate", func(*dapclient.Message) daptest.Action {
			return daptest.Fail("Unable to evaluate expression: 1:3: expected '==', found '='")
		})
	})
	s.launchTo(t, 10)
	for _, text := range []string{"i = 7", "i := 3", "i++", "p.x += 2", "a[1] = 2", "*p = 3", "i <<= 1"} {
		r := s.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": text})
		require.Contains(t, r.String("error.message"), "variable_set changes a variable", text)
	}
	for _, text := range []string{"i ==", "i <= ", "i != ", `f("a = b"`, "i >= "} {
		r := s.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": text})
		require.NotContains(t, r.String("error.message"), "variable_set", text)
	}
}

func TestLiveUnknownFunctionGo(t *testing.T) {
	c := liveDelve(t)
	folder := t.TempDir()
	writeGo(t, folder, "package main\n\ntype T struct{}\n\nfunc (t *T) Method() int { return 1 }\n\nfunc work(i int) int "+
		"{\n\treturn i + 1\n}\n\nfunc main() {\n\tprintln(work(1), (&T{}).Method())\n}\n")
	c.Do("breakpoint_set_function", mcptest.Args{"function": "main.wrk"})
	r := c.Do("debug_launch", mcptest.Args{"program": folder, "backend": "dlv"})
	require.Contains(t, r.String("breakpoints.0.message"), "; nearest names: main.work", "%s", r.Raw)
	for asked, want := range map[string]string{
		"wrk": "main.work", "T.Metod": "main.(*T).Method", "(*T).Metod": "main.(*T).Method",
		"main.T.Metod": "main.(*T).Method",
		"fmt.Printl":   "",
	} {
		b := c.Do("breakpoint_set_function", mcptest.Args{"function": asked})
		require.Equal(t, "failed", b.String("breakpoint.state"), "%s", b.Raw)
		require.Contains(t, b.String("breakpoint.message"), want)
	}
	for _, right := range []string{"work", "main.work", "T.Method", "(*T).Method"} {
		b := c.Do("breakpoint_set_function", mcptest.Args{"function": right})
		require.Equal(t, "bound", b.String("breakpoint.state"), "%s", b.Raw)
	}
	for _, text := range []string{"work(1", "i = 7"} {
		c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": text})
	}
}

func TestLiveUnknownFunctionNative(t *testing.T) {
	c := liveLLDB(t)
	_, program := writeCpp(t, `namespace ns {
struct Shape { int a; int area() const { return a * a; } };
template <class T> T add(T a, T b) { return a + b; }
}
static int work(int i) { return i; }
int main() { ns::Shape s{2}; return s.area() + ns::add(1, 2) + work(1); }
`)
	for asked, want := range map[string]string{
		"ns::Shape::aera": "ns::Shape::area", "Shape::aera": "ns::Shape::area", "wrok": "work", "ns::ad": "ns::add",
	} {
		c.Do("breakpoint_set_function", mcptest.Args{"function": asked})
		r := c.Do("debug_launch", mcptest.Args{"program": program, "backend": "lldb-dap"})
		require.Equal(t, "pending", r.String("breakpoints.0.state"), "%s", r.Raw)
		require.Equal(t, notHere+"; nearest names: "+want, r.String("breakpoints.0.message"))
		b := c.Do("breakpoint_set_function", mcptest.Args{"function": want})
		require.Equal(t, "bound", b.String("breakpoint.state"), "%s", b.Raw)
		c.Do("breakpoint_remove", mcptest.Args{"id": b.String("breakpoint.id")})
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, notHere+"; nearest names: "+want, r.String("breakpoints.0.message"), "%s", r.Raw)
		c.Do("breakpoint_remove", mcptest.Args{"all": true})
	}
}

func TestLiveUnknownFunctionRust(t *testing.T) {
	rustc, err := exec.LookPath("rustc")
	if err != nil {
		t.Skip("SKIPPED: there is no rustc")
	}
	c := liveLLDB(t)
	source, program := filepath.Join(t.TempDir(), "shop.rs"), filepath.Join(t.TempDir(), "shop")
	require.NoError(t, os.WriteFile(source, []byte(`struct Cart { n: usize }
impl Cart { #[inline(never)] fn total(&self) -> usize { self.n + 1 } }
fn main() { let c = Cart { n: std::env::args().count() }; println!("{}", c.total()); }
`), 0o600))
	for _, flags := range [][]string{{"-g"}, {"-g", "-Csymbol-mangling-version=v0"}} {
		out, err := exec.Command(rustc, append(flags, "-o", program, source)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		c.Do("breakpoint_set_function", mcptest.Args{"function": "Cart::totl"})
		r := c.Do("debug_launch", mcptest.Args{"program": program, "backend": "lldb-dap"})
		require.Equal(t, notHere+"; nearest names: shop::Cart::total", r.String("breakpoints.0.message"), "%s", r.Raw)
		c.Do("debug_disconnect", nil)
		c.Do("breakpoint_remove", mcptest.Args{"all": true})
	}
}

func TestLiveUnknownFunctionPython(t *testing.T) {
	c, file := livePython(t, `import types
def work(i): return i
exec(compile("def made(i):\n    return i\n", __file__, "exec"))
work(1)
made(2)
`)
	wrong := c.Do("breakpoint_set_function", mcptest.Args{"function": "wrok"}).String("breakpoint.id")
	made := c.Do("breakpoint_set_function", mcptest.Args{"function": "made"}).String("breakpoint.id")
	r := toFirstStop(c, file)
	require.Equal(t, made, r.String("stop.breakpointIds.0"), "%s", r.Raw)
	list := c.Do("breakpoint_list", nil)
	require.Equal(t, "pending", list.String("breakpoints.0.state"), "%s", list.Raw)
	require.Contains(t, list.String("breakpoints.0.message"), "; nearest names: work")
	require.Equal(t, "bound", list.String("breakpoints.1.state"), "it was hit: %s", list.Raw)
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
	require.Equal(t, wrong, r.String("breakpoints.0.id"), "%s", r.Raw)
	require.Equal(t, 1, r.Len("breakpoints"))
}
