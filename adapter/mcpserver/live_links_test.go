package mcpserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
	"breakwire/mapping"
)

// A folder has two paths, with and without a link. The debugger knows the program's files by one of them, and the
// client may use either, or both in one session.
func TestLiveFilesBehindLinks(t *testing.T) {
	type debuggee struct {
		backend, source, program string
		line, other              int // in a function that is called four times
		build                    func(t *testing.T, folder string) (inFolder string)
	}
	for _, d := range []debuggee{
		{"dlv", "main.go", "main.go", 4, 5, func(t *testing.T, folder string) string {
			t.Setenv("DLV_PATH", fixtures.Delve(t))
			writeGo(t, folder, "package main\n\nfunc f(i int) int {\n\tj := i + 1\n\treturn j\n}\n\nfunc main() "+
				"{\n\tfor i := 0; i < 4; i++ {\n\t\tprintln(f(i))\n\t}\n}\n")
			return folder
		}},
		{"debugpy", "program.py", "program.py", 2, 3, func(t *testing.T, folder string) string {
			t.Setenv("DEBUGPY_PYTHON", fixtures.Debugpy(t))
			text := "def f(i):\n    j = i + 1\n    return j\nfor i in range(4):\n    f(i)\n"
			require.NoError(t, os.WriteFile(filepath.Join(folder, "program.py"), []byte(text), 0o600))
			return folder
		}},
		{"lldb-dap", "main.c", "program", 2, 3, func(t *testing.T, folder string) string {
			t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
			writeC(t, folder, "int f(int i) {\n  int j = i + 1;\n  return j;\n}\nint main(void) {\n  for (int i = 0; "+
				"i < 4; i++) f(i);\n  return 0;\n}\n", "-g", "-O0")
			return folder
		}},
		{"netcoredbg", "Program.cs", "bin/LoopApp.dll", 21, 22, func(t *testing.T, folder string) string {
			t.Setenv("NETCOREDBG_PATH", fixtures.Netcoredbg(t))
			require.NoError(t, os.CopyFS(folder, os.DirFS(fixtures.Program("dotnet", "LoopApp"))))
			return folder
		}},
	} {
		t.Run(d.backend, func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			folder := filepath.Join(base, "real")
			require.NoError(t, os.Mkdir(folder, 0o755))
			folder = d.build(t, folder)
			var options adapter.Options
			if d.backend == "netcoredbg" { // the path in the symbols
				options.PathMap, err = mapping.ParsePathMap("/src/LoopApp=" + folder)
				require.NoError(t, err)
			}
			link := filepath.Join(base, "link")
			if err := os.Symlink(folder, link); err != nil {
				t.Skipf("SKIPPED: no links here: %v", err)
			}
			for _, launched := range []string{folder, link} {
				for _, set := range []string{folder, link} {
					c := mcptest.Serve(t, mcptest.Live(t, options), mcpserver.Options{})
					one := c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(set, d.source), "line": d.line,
						"hit_condition": "2"}).String("breakpoint.id")
					other := folder
					if set == folder {
						other = link
					}
					trace := c.Do("tracepoint_set",
						mcptest.Args{"file": filepath.Join(other, d.source), "line": d.other, "log_message": "here",
							"strategy": "stop"}).String("breakpoint.id")
					r := toFirstStop(c, filepath.Join(launched, d.program))
					require.Equal(t, []string{one}, r.Strings("stop.breakpointIds"), "launched by %s, set by %s: %s",
						launched, set, r.Raw)
					require.Equal(t, 2, r.Int("stop.hitCount"))
					require.Equal(t, d.line, r.Int("stop.location.line"))
					events := c.Do("events_query", mcptest.Args{"breakpoint_id": trace, "types": []string{"tracepoint"}})
					// without a value: lldb's first evaluation may take long
					require.Equal(t, "here", events.String("events.0.logMessage"), "%s", events.Raw)
					r = c.Do("debug_run_to", mcptest.Args{"file": filepath.Join(other, d.source), "line": d.other})
					require.True(t, r.Bool("reached"), "%s", r.Raw)
					c.Do("debug_disconnect", nil)
				}
			}
		})
	}
}
