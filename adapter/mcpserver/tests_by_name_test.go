package mcpserver_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// writeFiles writes files into a new folder, by their names in it.
func writeFiles(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	}
	return folder
}

var testedFiles = map[string]string{
	"go.mod": "module cart\n\ngo 1.21\n",
	"cart_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestCart(t *testing.T) {\n" +
		"\tt.Run(\"empty cart\", func(t *testing.T) {\n\t\tn := 2\n\t\tt.Log(n)\n\t})\n}\n",
	"py/test_u.py": "import unittest\n\n\nclass T(unittest.TestCase):\n" +
		"    def test_a(self):\n        n = 3\n        self.assertEqual(n, 3)\n",
	"py/svc.py":  "n = 20\nn += 1\nprint(n)\n",
	"Cargo.toml": "[package]\nname = \"cart\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"pt/sub/test_p.py": "import pytest\n\n\nclass TestCart:\n" +
		"    @pytest.mark.parametrize(\"a,b\", [(1, 2), (3, 4)])\n    def test_sum(self, a, b):\n" +
		"        n = a + b\n        assert n == a + b\n\ndef test_alone():\n    assert True\n",
	"cpp/gtest.cc": "#include <gtest/gtest.h>\nTEST(Cart, Empty) {\n  int n = 5;\n  EXPECT_EQ(n, 5);\n}\n" +
		"TEST(Cart, Full) { FAIL(); }\n",
	"cpp/catch.cc": "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n" +
		"TEST_CASE(\"empty cart\", \"[cart]\") {\n  int n = 6;\n  CHECK(n == 6);\n}\nTEST_CASE(\"full\") { FAIL(); }\n",
	"cm/CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(cart C)\nenable_testing()\n" +
		"add_executable(cart cart.c)\nadd_test(NAME cart_empty COMMAND cart empty)\n" +
		"add_test(NAME cart_full COMMAND cart full)\n",
	"cm/cart.c": "int main(int argc, char **argv) {\n  return argc != 2 || argv[1][0] != 'e';\n}\n",
	"js/cart.test.js": "const { describe, it } = require('node:test');\n\ndescribe('cart', () => {\n" +
		"  it('is empty', () => {\n    const n = 5;\n    console.log(n);\n  });\n});\n",
	"js/a.ts":                          "let n: number = 1\n",
	"js/node_modules/tsx/package.json": "{}", "js/node_modules/tsx/dist/cjs/index.cjs": "",
	"js/package.json": `{"scripts": {"start": "node a.js"}}`,
	"src/lib.rs": "#[cfg(test)]\nmod tests {\n" +
		"    #[test]\n    fn adds() {\n        let n = 4;\n        assert_eq!(n, 4);\n    }\n}\n",
}

// A Go test is built by Delve in mode test, with its flags; a stop at the entry is in the test.
func TestLaunchTest(t *testing.T) {
	folder := writeFiles(t, testedFiles)
	s := serve(t, "dlv", daptest.Delve(), loop(1))
	r := s.Do("debug_launch", mcptest.Args{"program": folder, "test": "TestCart/empty cart", "args": []string{"-count=1"},
		"backend": "fake"})
	sent := s.launched(t)
	require.Equal(t, "test", sent["mode"])
	require.Equal(t, []any{"-test.v", "-test.run=^TestCart$/^empty_cart$", "-test.count=1"}, sent["args"])
	require.Contains(t, r.String("ran"), "go test -v '-run=^TestCart$/^empty_cart$' -count=1")
	require.Contains(t, string(s.adapter().Requests("setBreakpoints")[0].Arguments), "cart_test.go")
	e := s.Refused(fault.InvalidParameter, "debug_launch", mcptest.Args{"program": folder, "test": "TestCrat"})
	require.Equal(t, []string{"TestCart"}, e.Strings("error.details.nearest"))
}

func TestLaunchModule(t *testing.T) {
	s := serve(t, "debugpy", daptest.Debugpy(), loop(1))
	s.Do("debug_launch", mcptest.Args{"module": "svc", "args": []string{"a"}, "stop_at_entry": false})
	sent := s.launched(t)
	require.Equal(t, "svc", sent["module"])
	require.NotContains(t, sent, "program")
	s.Refused(fault.InvalidParameter, "debug_launch", mcptest.Args{"module": "svc", "program": os.Args[0]})
}

// Under VSTest the process that the host names is attached to, its own halt is passed, and the command ends with the
// session.
func TestLaunchTestHost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for dotnet is a shell script")
	}
	folder := writeFiles(t, map[string]string{
		"App.Tests.csproj": "<Project/>", "T.cs": "class CartTests { [Fact] public void Empty() { } }",
		"bin/dotnet": "#!/bin/sh\necho \"$@ $VSTEST_HOST_DEBUG $MINE\" >" + "\"$OUT\"\n" +
			"[ \"$FAIL\" ] && { echo error CS1002; exit 1; }\n" +
			"echo 'Host debugging is enabled. Please attach debugger to testhost process to continue.'\n" +
			"echo \"Process Id: $$, Name: testhost\"\nexec sleep 600\n",
	})
	out := filepath.Join(folder, "out")
	t.Setenv("DOTNET_ROOT", filepath.Join(folder, "bin"))
	t.Setenv("OUT", out)
	p := loop(3)
	s := serve(t, "netcoredbg", daptest.Netcoredbg(), p)
	s.breakAt(10)
	r := s.Settled(s.Do("debug_launch",
		mcptest.Args{"program": folder, "test": "Empty", "env": map[string]any{"MINE": "7"}}))
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Contains(t, string(text), "--filter FullyQualifiedName~Empty 1 7")
	require.Contains(t, string(s.adapter().Requests("attach")[0].Arguments), `"processId":`)
	require.Contains(t, string(s.Do("process_read_output", nil).Raw), "Host debugging is enabled")
	done := s.Do("debug_disconnect", nil)
	require.True(t, done.Bool("wasTerminated"), "%s", done.Raw)

	t.Setenv("FAIL", "1")
	e := s.Refused(fault.LaunchFailed, "debug_launch", mcptest.Args{"program": folder, "test": "Empty"})
	require.Contains(t, e.String("error.message"), "error CS1002")
}

// TestTestsAreGuarded: a test is started only when its program is named and nothing else is built or run for it.
func TestTestsAreGuarded(t *testing.T) {
	folder := writeFiles(t, testedFiles)
	app := writeFiles(t, map[string]string{"app.csproj": "<Project/>", "T.cs": "class T { [Fact] public void A() { } }",
		"prog": "gtest"})
	for _, perm := range []adapter.Permissions{{ReadOnly: true}, {Programs: []string{"/nowhere/**"}},
		{ReadOnly: true, Programs: []string{filepath.Join(folder, "cart_test.go"), folder + "/**", app + "/**"}}} {
		named := len(perm.Programs) > 1
		_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), loop(1))
		backends := fakes.Backends("dlv")
		fake := backends.Custom["fake"]
		fake.Local = true
		backends.Custom["fake"] = fake
		c := mcptest.Serve(t, adapter.NewManager(adapter.Options{Permissions: perm, Backends: backends}), mcpserver.Options{})
		for _, args := range []mcptest.Args{
			{"program": filepath.Join(folder, "py", "test_u.py"), "test": "test_a"},
			{"program": filepath.Join(folder, "src", "lib.rs"), "test": "adds"},
			{"program": app, "test": "A"},
			{"module": "svc"},
			{"program": filepath.Join(folder, "js", "cart.test.js"), "test": "is empty"},
			{"program": folder, "test": "TestCart", "args": []string{"-toolexec=x", "-tags=y"}},
		} {
			c.Refused(fault.PermissionDenied, "debug_launch", args)
		}
		if !named {
			c.Refused(fault.PermissionDenied, "debug_launch", mcptest.Args{"program": folder, "test": "TestCart"})
			c.Refused(fault.PermissionDenied, "debug_launch", mcptest.Args{"program": filepath.Join(app, "prog"), "test": "A"})
		}
	}
}

// TestTestsThatAreNamed: a test is started when patterns name all that runs for it, and nothing in the call makes that
// run something else.
func TestTestsThatAreNamed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for node is a shell script")
	}
	folder := writeFiles(t, testedFiles)
	bin := writeFiles(t, map[string]string{"node": "#!/bin/sh\n", "python3": "#!/bin/sh\nexit 0\n"})
	t.Setenv("PATH", bin)
	t.Setenv("DEBUGPY_PYTHON", "")
	script, unit := filepath.Join(folder, "js", "cart.test.js"), filepath.Join(folder, "py", "test_u.py")
	node, python := filepath.Join(bin, "node"), filepath.Join(bin, "python3")
	javascript := mcptest.Args{"program": script, "test": "is empty"}
	inPython := mcptest.Args{"program": unit, "test": "test_a"}
	for _, test := range []struct {
		names []string
		call  mcptest.Args
		more  mcptest.Args
		why   string // "": it starts
	}{
		{[]string{script}, javascript, nil, "this test runs " + node},
		{[]string{node}, javascript, nil, "this test runs " + script},
		{[]string{node, script}, javascript, nil, ""},
		{[]string{node, script}, javascript, mcptest.Args{"args": []string{"--require=/tmp/x.js"}}, "leave out args"},
		{[]string{node, script}, javascript, mcptest.Args{"cwd": bin}, "leave out args, cwd"},
		{[]string{node, script}, javascript, mcptest.Args{"env": map[string]any{"NODE_OPTIONS": "-r x"}},
			"leave NODE_OPTIONS"},
		{[]string{unit}, inPython, nil, "this test runs " + python},
		{[]string{python}, inPython, nil, "this test runs " + unit},
		{[]string{python, folder + "/**"}, inPython, nil, ""},
		{[]string{python, folder + "/**"}, inPython, mcptest.Args{"args": []string{"/tmp/x.py"}}, "leave out args"},
	} {
		_, fakes := mcptest.Fake(t, "dlv", daptest.Delve(), loop(1))
		backends := fakes.Backends("dlv")
		fake := backends.Custom["fake"]
		fake.Local = true
		backends.Custom["fake"] = fake
		c := mcptest.Serve(t, adapter.NewManager(adapter.Options{Permissions: adapter.Permissions{Programs: test.names},
			Backends: backends}), mcpserver.Options{})
		args := mcptest.Args{"backend": "fake"}
		maps.Copy(args, test.call)
		maps.Copy(args, test.more)
		r := c.Call("debug_launch", args)
		require.Equal(t, test.why != "", r.String("error.code") == string(fault.PermissionDenied), "%s", r.Raw)
		require.Equal(t, test.why == "", r.Bool("success"), "%s", r.Raw)
		require.Contains(t, r.String("error.message"), test.why)
	}
}

// TestNodeStartsAreGuarded: what runs with a program, or in its place, must be named, too; a page never is.
func TestNodeStartsAreGuarded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for npm is a shell script")
	}
	folder := filepath.Join(writeFiles(t, testedFiles), "js")
	npm := writeFiles(t, map[string]string{"npm": "#!/bin/sh\n"})
	t.Setenv("PATH", npm)
	t.Setenv("JS_DEBUG_PATH", filepath.Join(npm, "npm"))
	loader := filepath.Join(folder, "node_modules", "tsx", "dist", "cjs", "index.cjs")
	source, script := filepath.Join(folder, "a.ts"), filepath.Join(folder, "package.json")
	for _, test := range []struct {
		program string
		names   []string
		denied  bool
	}{
		{source, []string{source}, true}, {source, []string{loader}, true}, {source, []string{source, loader}, false},
		{script, []string{script}, true}, {script, []string{script, filepath.Join(npm, "npm")}, false},
		{"http://127.0.0.1:1/", []string{"*", "/**", "http://127.0.0.1:1/"}, true},
	} {
		c := mcptest.Serve(t, adapter.NewManager(adapter.Options{Permissions: adapter.Permissions{ReadOnly: true,
			Programs: test.names}}), mcpserver.Options{})
		r := c.Call("debug_launch", mcptest.Args{"program": test.program, "timeout_ms": 1000})
		require.Equal(t, test.denied, r.String("error.code") == string(fault.PermissionDenied), "%s", r.Raw)
		c.Refused(fault.PermissionDenied, "debug_attach", mcptest.Args{"connect": "127.0.0.1:1", "backend": "js-debug"})
	}
}

// One call runs a test to its first line, with the real debuggers.
func TestLiveTestsByName(t *testing.T) {
	folder := writeFiles(t, testedFiles)
	c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
	for _, test := range []struct {
		name, program, test, variable, value, ran string
		line                                      int
		need                                      func(t *testing.T)
	}{
		{"go", ".", "TestCart/empty cart", "", "", "go test", 5,
			func(t *testing.T) { t.Setenv("DLV_PATH", fixtures.Delve(t)) }},
		{"unittest", "py/test_u.py", "T.test_a", "self._testMethodName", "'test_a'", "python -m unittest", 6,
			func(t *testing.T) { // in an environment without pytest
				python := fixtures.Debugpy(t)
				t.Setenv("DEBUGPY_PYTHON", python)
				if out, err := exec.Command(python, "-m", "venv", "--without-pip",
					filepath.Join(folder, ".venv")).CombinedOutput(); err != nil {
					t.Skipf("SKIPPED: no environment without pytest: %v %s", err, out)
				}
			}},
		{"pytest", "pt", "sub/test_p.py::TestCart::test_sum[3-4]", "b", "4", "python -m pytest", 7, func(t *testing.T) {
			t.Setenv("DEBUGPY_PYTHON", withPytest(t))
			require.NoError(t, os.RemoveAll(filepath.Join(folder, ".venv")))
		}},
		{"pytest function", "pt", "test_alone", "", "", "python -m pytest", 11, func(t *testing.T) {
			t.Setenv("DEBUGPY_PYTHON", withPytest(t))
		}},
		{"googletest", "cpp/gtest", "Cart.Empty", "", "", "--gtest_filter=Cart.Empty", 3, func(t *testing.T) {
			buildCpp(t, folder, "cpp/gtest.cc", "-lgtest", "-lgtest_main", "-lpthread")
		}},
		{"ctest", "cm/build", "cart_empty", "argc", "2", "cart empty", 2, func(t *testing.T) {
			buildCMake(t, filepath.Join(folder, "cm"))
		}},
		{"node", "js/cart.test.js", "cart is empty", "", "", "node '--test-name-pattern=^is empty$'", 5,
			func(t *testing.T) { t.Setenv("JS_DEBUG_PATH", fixtures.JSDebug(t)) }},
		{"cargo", "src/lib.rs", "adds", "", "", "cargo test tests::adds", 5, func(t *testing.T) {
			t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
			if _, err := exec.LookPath("cargo"); err != nil {
				t.Skip("no cargo here")
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.need(t)
			r := c.Do("debug_launch", mcptest.Args{"program": filepath.Join(folder, filepath.FromSlash(test.program)),
				"test": test.test, "timeout_ms": 120_000})
			require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
			require.Equal(t, test.line, r.Int("stop.location.line"), "%s", r.Raw)
			require.Contains(t, r.String("ran"), test.ran)
			if test.variable != "" {
				require.Equal(t, test.value,
					c.Do("evaluate", mcptest.Args{"expression": test.variable}).String("value"))
			}
			require.Equal(t, "exited", c.Settled(c.Do("debug_continue", mcptest.Args{"wait": true})).String("reason"))
		})
	}
}

// A test binary takes the flags of go test.
func TestLiveGoTestBinary(t *testing.T) {
	folder := writeFiles(t, testedFiles)
	build := exec.Command("go", "test", "-c", "-gcflags", "all=-N -l", "-o", "prog.test", ".")
	build.Dir = folder
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)
	c := liveDelve(t)
	r := toFirstStop(c, filepath.Join(folder, "prog.test"), "-v", "-run", "TestCart")
	require.Equal(t, 0, r.Int("session.exitCode"), "%s", r.Raw)
	require.Contains(t, string(c.Do("process_read_output", nil).Raw), "PASS: TestCart")
}

// withPytest returns a Python with debugpy and pytest.
func withPytest(t *testing.T) string {
	t.Helper()
	python := fixtures.Debugpy(t)
	if exec.Command(python, "-c", "import pytest").Run() != nil {
		t.Skip("SKIPPED: no pytest here")
	}
	return python
}

// buildCpp builds a program below a folder, beside its source.
func buildCpp(t *testing.T, folder, source string, libraries ...string) {
	t.Helper()
	t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
	file := filepath.Join(folder, filepath.FromSlash(source))
	args := append([]string{"-g", "-O0", "-o", strings.TrimSuffix(file, ".cc"), file}, libraries...)
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("SKIPPED: there is no C++ compiler")
	}
	if out, err := exec.Command("c++", args...).CombinedOutput(); err != nil {
		skipWithoutLibrary(t, out)
		t.Fatalf("%s: %v %s", source, err, out)
	}
}

// skipWithoutLibrary skips the test when a build has failed because a test framework is not installed.
func skipWithoutLibrary(t *testing.T, out []byte) {
	t.Helper()
	for _, lacks := range []string{"gtest/gtest.h: No such file", "catch2/catch.hpp: No such file", "cannot find -lgtest",
		"'gtest/gtest.h' file not found", "'catch2/catch.hpp' file not found", "library 'gtest' not found"} {
		if bytes.Contains(out, []byte(lacks)) {
			t.Skipf("SKIPPED: the framework is not installed: %s", lacks)
		}
	}
}

// buildCMake builds a project of CMake in its folder build.
func buildCMake(t *testing.T, folder string) {
	t.Helper()
	t.Setenv("LLDB_DAP_PATH", fixtures.LLDB(t))
	for _, tool := range []string{"cmake", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: there is no %s", tool)
		}
	}
	for _, args := range [][]string{{"-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug"}, {"--build", "build"}} {
		cmd := exec.Command("cmake", args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("cmake %v: %v %s", args, err, out)
		}
	}
}

// A test of Catch2 has no function with its name, so it stops at a breakpoint.
func TestLiveCatchTest(t *testing.T) {
	folder := writeFiles(t, testedFiles)
	buildCpp(t, folder, "cpp/catch.cc")
	c := mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{})
	program := filepath.Join(folder, "cpp", "catch")
	r := c.Do("debug_launch", mcptest.Args{"program": program, "test": "empty cart", "stop_at_entry": false,
		"breakpoints": []any{mcptest.Args{"file": program + ".cc", "line": 5}}})
	require.Equal(t, 5, r.Int("stop.location.line"), "%s", r.Raw)
	require.Equal(t, "6", r.String("stop.locals.n"))
	require.Equal(t, "exited", c.Settled(c.Do("debug_continue", mcptest.Args{"wait": true})).String("reason"))
	e := c.Refused(fault.InvalidParameter, "debug_launch", mcptest.Args{"program": program, "test": "empty card"})
	require.Equal(t, "empty cart", e.Strings("error.details.nearest")[0])
}
