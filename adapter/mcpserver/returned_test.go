package mcpserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// The value is told at the end of the step that leaves the function, and only there.
func TestReturned(t *testing.T) {
	says := func(result string, answers map[string]string) func(*daptest.Adapter) {
		return func(a *daptest.Adapter) {
			a.OnRequest("evaluate", func(m *dapclient.Message) daptest.Action {
				asked, err := dapclient.DecodeArguments[dapclient.EvaluateArguments](m)
				result, known := result, err == nil && asked.Expression == "`thread info"
				for part, answer := range answers {
					if strings.HasPrefix(asked.Expression, "`expression -- "+part) {
						result, known = answer, true
					}
				}
				if !known {
					return daptest.Action{}
				}
				return daptest.Raw(fmt.Sprintf(`{"seq":0,"type":"response","request_seq":$seq,"success":true,`+
					`"command":"evaluate","body":{"result":%q,"variablesReference":0}}`, result))
			})
		}
	}
	for _, test := range []struct {
		name, text string
		answers    map[string]string
		want       map[string]string
	}{
		{"a number", "(lldb) thread info\nthread #1: x, stop reason = step out\nReturn value: (int) $0 = 9\n\n\n",
			nil, map[string]string{"value": "9", "type": "int"}},
		{"a struct", "x\nReturn value: (pair) $12 = {\n  a = 1\n}\n",
			map[string]string{"sizeof($12)": "(int) $13 = 1\n", "$12": "(pair) $12 = (a = 1)\n"},
			map[string]string{"value": "(a = 1)", "type": "pair"}},
		{"a struct with a destructor", "x\nReturn value: (H) $0 = (v = -6972)\n",
			map[string]string{"sizeof($0)": "(int) $1 = 2\n", "*(__typeof__($0)*)$rax": "(typeof ($0)) $2 = (v = 11)\n"},
			map[string]string{"value": "(v = 11)", "type": "H"}},
		{"a struct that lldb reads wrongly", "x\nReturn value: (D) $0 = {\n  Pt = (x = 0, y = 0)\n}\n",
			map[string]string{"sizeof($0)": "(int) $1 = 0\n", "$0": "(D) $0 = {}\n"}, nil},
		{"a bit field has no address", "x\nReturn value: (B) $0 = (a = 0, b = 0)\n",
			map[string]string{"sizeof($0)": "error: address of bit-field requested\n", "$0": "(B) $0 = (a = 0, b = 0)"}, nil},
		{"nothing", "(lldb) thread info\nthread #1: x, stop reason = step out\n\n", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, "lldb-dap", daptest.LLDB(), loop(3), says(test.text, test.answers))
			s.launchTo(t, 10)
			r := s.Do("debug_step", mcptest.Args{"mode": "over"})
			require.False(t, r.Has("stop.returned"), "%s", r.Raw)
			r = s.Do("debug_step", mcptest.Args{"mode": "out"})
			require.Equal(t, test.want != nil, r.Has("stop.returned"), "%s", r.Raw)
			for name, want := range test.want {
				require.Equal(t, want, r.String("stop.returned."+name))
			}
			if test.want != nil {
				require.Contains(t, r.String("stop.returned.function"), "Work")
			}
			require.False(t, s.Do("debug_step", mcptest.Args{"mode": "over"}).Has("stop.returned"))
		})
	}
}

// A debugger that does not answer delays the end of a step, and no more.
func TestReturnedIsRefused(t *testing.T) {
	for _, profile := range []string{"lldb-dap", "debugpy", "dlv"} {
		shape := map[string]daptest.Shape{"lldb-dap": daptest.LLDB(), "debugpy": daptest.Debugpy(), "dlv": daptest.Delve()}
		s := serve(t, profile, shape[profile], loop(3), func(a *daptest.Adapter) {
			a.OnRequest("scopes", func(*dapclient.Message) daptest.Action { return daptest.Fail("no") })
		})
		s.launchTo(t, 10)
		r := s.Do("debug_step", mcptest.Args{"mode": "out"})
		require.Equal(t, "step", r.String("stop.reason"), "%s: %s", profile, r.Raw)
		require.False(t, r.Has("stop.returned"), profile)
	}
}

func TestLiveReturned(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"app.py": "def work(n):\n    m = n * 2\n    return m\n\n\nfor i in range(3):\n    x = work(21)\nprint(x)\n",
		"raise.py": "def work(n):\n    m = n // (n - 1)\n    return m\n\n\nfor i in range(3):\n" +
			"    try:\n        x = work(1)\n    except ZeroDivisionError:\n        x = 1\nprint(x)\n",
	})
	goFile := writeGo(t, folder, "package main\n\nfunc name(n int) (s string, err error) {\n"+
		"\ts = \"abc\"[:n]\n\treturn\n}\n\n"+
		"func half(n int) float64 { return float64(n) / 4 }\n\nfunc main() {\n\tprintln(name(2))\n\tprintln(half(5))\n"+
		"\tprintln(saved(nil))\n}\n\nfunc saved(p *int) (r int) {\n\tdefer func() {\n\t\trecover()\n\t\tr = 1\n\t}()\n"+
		"\tr = *p\n\treturn r\n}\n")
	for _, test := range []struct {
		name, program, file string
		line                int
		mode                string
		value, typ          string
		need                func(t *testing.T)
	}{
		{"go", folder, goFile, 5, "out", `("ab", nil)`, "(string, error)", nil},
		{"go over", folder, goFile, 5, "over", `("ab", nil)`, "(string, error)", nil},
		{"go float", folder, goFile, 8, "out", "1.25", "float64", nil},
		{"go, a deferred function before the caller", folder, goFile, 21, "out", "", "", nil},
		{"python", filepath.Join(folder, "app.py"), filepath.Join(folder, "app.py"), 3, "over", "42", "int",
			func(t *testing.T) { t.Setenv("DEBUGPY_PYTHON", fixtures.Debugpy(t)) }},
		{"python out", filepath.Join(folder, "app.py"), filepath.Join(folder, "app.py"), 2, "out", "42", "int",
			func(t *testing.T) { t.Setenv("DEBUGPY_PYTHON", fixtures.Debugpy(t)) }},
		{"python out by an exception", filepath.Join(folder, "raise.py"), filepath.Join(folder, "raise.py"), 2, "out", "", "",
			func(t *testing.T) { t.Setenv("DEBUGPY_PYTHON", fixtures.Debugpy(t)) }},
		{"python over an exception", filepath.Join(folder, "raise.py"), filepath.Join(folder, "raise.py"), 2, "over", "", "",
			func(t *testing.T) { t.Setenv("DEBUGPY_PYTHON", fixtures.Debugpy(t)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.need == nil {
				t.Setenv("DLV_PATH", fixtures.Delve(t))
				requireAMD64(t)
			} else {
				test.need(t)
			}
			c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
			c.Do("breakpoint_set", mcptest.Args{"file": test.file, "line": test.line})
			require.Equal(t, test.line, toFirstStop(c, test.program).Int("stop.location.line"))
			r := c.Do("debug_step", mcptest.Args{"mode": test.mode})
			require.Equal(t, test.value != "", r.Has("stop.returned"), "%s", r.Raw)
			require.Equal(t, test.value, r.String("stop.returned.value"), "%s", r.Raw)
			require.Equal(t, test.typ, r.String("stop.returned.type"))
			require.NotContains(t, string(c.Do("variables_get", nil).Raw), "(return)")
		})
	}
}

// V8 has a computed value where the function returns, to which a step over leads. The next step has it still.
func TestLiveReturnedInJavaScript(t *testing.T) {
	c := javascript(t)
	file := filepath.Join(writeFiles(t, map[string]string{"app.js": "function work(n) {\n  const m = n;\n" +
		"  return m * 2;\n}\nfunction twice() {\n  const x = work(21);\n  return x + x;\n}\n" +
		"console.log(\n  twice());\nconsole.log(1);\n"}), "app.js")
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 3})
	toFirstStop(c, file)
	for _, row := range []struct {
		mode, function, value string
	}{{"over", "work", "42"}, {"out", "work", "42"}, {"over", "twice", "84"}, {"out", "twice", "84"}, {"over", "", ""}} {
		r := c.Do("debug_step", mcptest.Args{"mode": row.mode})
		require.Equal(t, row.value, r.String("stop.returned.value"), "%s", r.Raw)
		require.Contains(t, r.String("stop.returned.function"), row.function, "%s", r.Raw)
		require.Equal(t, row.value != "", r.Has("stop.returned"), "%s", r.Raw)
	}
}

func TestLiveReturnedInC(t *testing.T) {
	t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
	program, file := fixtures.BuildC(t, "loop"), fixtures.Program("c", "loop.c")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	line := 1 + strings.Count(string(text[:strings.Index(string(text), "return result")]), "\n")
	c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": line})
	toFirstStop(c, program)
	want := c.Do("evaluate", mcptest.Args{"expression": "result"}).String("value")
	r := c.Do("debug_step", mcptest.Args{"mode": "out"})
	require.Equal(t, want, r.String("stop.returned.value"), "%s", r.Raw)
	require.Equal(t, "int", r.String("stop.returned.type"))
}

// requireAMD64 skips where the registers have other names.
func requireAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the registers of amd64")
	}
}
