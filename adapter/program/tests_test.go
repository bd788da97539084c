package program

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
)

// asked is a query that may run everything.
func asked(name, program string, args ...string) TestQuery {
	return TestQuery{Name: name, Program: program, Args: args, MayRun: func(...string) error { return nil },
		Python: func(string) string { return "" }, Line: func(string) {}}
}

// touchTool makes an executable file in a folder of its own.
func touchTool(t *testing.T, name string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	file := write(t, "", t.TempDir(), name)
	require.NoError(t, os.Chmod(file, 0o755))
	return file
}

func TestGoTestByName(t *testing.T) {
	folder := t.TempDir()
	write(t, "package cart\n", folder, "cart.go")
	file := write(t, "package cart\n\nfunc TestMain(m *testing.M) {}\nfunc Testify(t T) {}\n\n"+
		"func TestCart(t *testing.T) {}\nfunc FuzzParse(f *testing.F) {}\nfunc BenchmarkAdd(b *testing.B) {}\n"+
		"func Example_total() {}\n", folder, "cart_test.go")
	for _, test := range []struct {
		name string
		args []string
		want []string
		line int
		ran  string
	}{
		{"TestCart", nil, []string{"-test.v", "-test.run=^TestCart$"}, 6, "go test -v '-run=^TestCart$'"},
		{"TestCart/an empty (one)", nil, []string{"-test.v", `-test.run=^TestCart$/^an_empty_\(one\)$`}, 6, ""},
		{"FuzzParse/seed#0", nil, []string{"-test.v", "-test.run=^FuzzParse$/^seed#0$"}, 7, ""},
		{"BenchmarkAdd", []string{"-benchtime", "10x"}, []string{"-test.run=^$", "-test.bench=^BenchmarkAdd$",
			"-test.benchtime", "10x"}, 0, ""},
		{"Example_total", []string{"-tags=x", "-count=1"}, []string{"-test.v", "-test.run=^Example_total$", "-test.count=1"},
			9, "go test -tags=x -v '-run=^Example_total$' -count=1"},
	} {
		got, err := FindTest(context.Background(), asked(test.name, folder, test.args...))
		require.NoError(t, err, test.name)
		require.Equal(t, "dlv", got.Backend)
		require.Equal(t, "test", got.Extra["mode"])
		require.Equal(t, test.want, got.Args, test.name)
		want := Entry{File: file, Line: test.line}
		if test.line == 0 {
			want = Entry{}
		}
		require.Equal(t, want, got.Entry, test.name)
		require.Contains(t, got.Ran, test.ran)
	}
	for _, name := range []string{"TestCrat", "testcart", "Testify"} {
		_, err := FindTest(context.Background(), asked(name, file))
		require.Equal(t, fault.InvalidParameter, fault.CodeOf(err), name)
	}
	_, err := FindTest(context.Background(), asked("cart", folder))
	require.ErrorContains(t, err, "nearest of 4: TestCart")
}

// The package of a test is found below a folder, where it is the only one; a file that the build leaves out is an
// error.
func TestGoTestOfProject(t *testing.T) {
	root := t.TempDir()
	write(t, "module shop\n", root, "go.mod")
	write(t, "package cart\nfunc TestCart(t *testing.T) { t.Run(\"an empty/cart\", nil) }\nfunc TestBoth() {}\n",
		root, "cart", "cart_test.go")
	write(t, "package a\nfunc TestBoth(t *testing.T) {}\n", root, "a", "a_test.go")
	write(t, "package a\nfunc TestCart(t *testing.T) {}\n", root, "vendor", "x", "x_test.go")
	write(t, "//go:build slow && !windows\n\npackage a\nfunc TestSlow(t *testing.T) {}\n",
		root, "a", "slow_test.go")
	write(t, "package a\nfunc TestOS(t *testing.T) {}\n", root, "a", "os_plan9_test.go")
	other := write(t, "package a\nfunc TestOS(t *testing.T) {}\n", root, "a", "os_other_test.go")
	find := func(name, folder string, args ...string) (*Test, error) {
		return FindTest(context.Background(), asked(name, filepath.Join(root, filepath.FromSlash(folder)), args...))
	}
	for _, folder := range []string{"", "...", "cart"} {
		got, err := find("TestCart/an empty/cart", folder)
		require.NoError(t, err, folder)
		require.Equal(t, filepath.Join(root, "cart"), got.Program, folder)
		require.Equal(t, got.Program, got.Cwd)
		require.NotContains(t, got.Ran, "no text")
	}
	got, err := find("TestCart/an emtpy", "cart")
	require.NoError(t, err)
	require.Contains(t, got.Ran, `; no text of the test files is "an emtpy"`)
	require.Contains(t, got.Ran, "the nearest texts: an empty")
	_, err = find("TestBoth", "")
	require.ErrorContains(t, err, "2 packages have a test TestBoth; give one of these as program: ")
	_, err = find("TestBaht", "")
	require.ErrorContains(t, err, "TestBoth")
	_, err = find("TestSlow", "")
	require.ErrorContains(t, err, "(//go:build slow && !windows)")
	if runtime.GOOS != "windows" {
		for _, args := range [][]string{{"-tags", "fast,slow"}, {"--tags=slow"}} {
			got, err = find("TestSlow", "a", append(args, "-count", "2")...)
			require.NoError(t, err)
			require.Equal(t, []any{strings.Join(args, "=")}, got.Extra["buildFlags"])
			require.Equal(t, "-test.count 2", strings.Join(got.Args[2:], " "))
		}
	}
	got, err = find("TestOS", "a")
	require.NoError(t, err)
	require.Equal(t, other, got.Entry.File)
}

func TestGoTestArgs(t *testing.T) {
	require.Equal(t, []string{"-test.v", "-test.run", "X", "-test.run=Y", "-own", "run", "--", "-test.short"},
		GoTestArgs([]string{"-v", "-run", "X", "--run=Y", "-own", "run", "--", "-test.short"}))
	require.Equal(t, []string{"-test.v", "-own"}, GoTestArgs([]string{"-v", "-args", "-own"}))
	require.True(t, IsGoTest("/x/a_test.go"))
	require.False(t, IsGoTest("/x/a.go"))
}

const pythonTestSource = `import unittest
import pytest


def helper(): pass


def test_plain():
    """One.

    Two."""
    # three
    a = 1


class TestCart:
    @pytest.mark.parametrize("n", [1, 2])
    def test_empty(
        self, n,
    ):
        assert n

    class TestInner:
        async def test_deep(self): pass

    def outer(self):
        def test_hidden(): pass
`

func TestPythonTestByName(t *testing.T) {
	root := t.TempDir()
	file := write(t, pythonTestSource, root, "tests", "test_cart.py")
	write(t, "", root, "tests", "__init__.py")
	unit := write(t, "import unittest\nclass T(unittest.TestCase):\n  def test_a(self):\n    pass\n", root, "unit",
		"test_u.py")
	tests, isUnit := pythonTests(file)
	require.False(t, isUnit)
	require.Equal(t, []place{{"test_plain", file, 13}, {"TestCart::test_empty", file, 21},
		{"TestCart::TestInner::test_deep", file, 24}}, tests)
	for name, id := range map[string]string{
		"test_plain": "tests/test_cart.py::test_plain", "test_empty": "tests/test_cart.py::TestCart::test_empty",
		"TestCart::test_empty[1]":                  "tests/test_cart.py::TestCart::test_empty[1]",
		"tests/test_cart.py::TestCart::test_empty": "tests/test_cart.py::TestCart::test_empty",
		"tests.test_cart.test_plain":               "tests/test_cart.py::test_plain",
		"TestCart.test_empty":                      "tests/test_cart.py::TestCart::test_empty",
	} {
		got, err := FindTest(context.Background(), asked(name, root))
		require.NoError(t, err, name)
		require.Equal(t, []string{id, "-s"}, got.Args, name)
		require.Equal(t, "pytest", got.Extra["module"])
		require.Equal(t, root, got.Cwd)
	}
	got, err := FindTest(context.Background(), asked("test_a", unit, "-f"))
	require.NoError(t, err)
	require.Equal(t, "unittest", got.Extra["module"], "there is no pytest")
	require.Equal(t, []string{"-v", "test_u.T.test_a", "-f"}, got.Args)
	require.Equal(t, Entry{File: unit, Line: 4}, got.Entry)
	require.Equal(t, "tests.test_cart", moduleOf(file))

	for name, id := range map[string]string{
		"unit.test_u.T.test_a": "test_u.T.test_a", "T": "test_u.T", "unit/test_u.py::T": "test_u.T",
	} {
		got, err = FindTest(context.Background(), asked(name, root))
		require.NoError(t, err, name)
		require.Equal(t, []string{"-v", id}, got.Args, name)
		require.Equal(t, 4, got.Entry.Line)
		require.Equal(t, root, got.Cwd)
		require.Equal(t, filepath.Dir(unit), strings.Split(*got.Env["PYTHONPATH"], string(os.PathListSeparator))[0])
	}
	_, err = FindTest(context.Background(), asked("unit/test_v.py::T", root))
	require.Equal(t, fault.InvalidPath, fault.CodeOf(err))

	write(t, pythonTestSource, root, "more", "test_again.py")
	_, err = FindTest(context.Background(), asked("test_plain", root))
	require.ErrorContains(t, err, "2 tests are named test_plain")
	_, err = FindTest(context.Background(), asked("test_plane", file))
	require.ErrorContains(t, err, "test_plain")
}

// The tests of a file are run from its project, without what keeps the debugger out.
func TestPythonTestOfProject(t *testing.T) {
	root := t.TempDir()
	write(t, "[tool.pytest.ini_options]\naddopts = \"-q --cov=shop --cov-report=term -n auto\"\n", root, "pyproject.toml")
	file := write(t, "class TestBase:\n  def test_a(self):\n    pass\n  def test_b(self):\n    pass\n"+
		"class TestMore(TestBase):\n  def test_b(self):\n    pass\n", root, "tests", "deep", "test_more.py")
	got, err := FindTest(context.Background(), asked("TestMore::test_a", file, "-x"))
	require.NoError(t, err)
	require.Equal(t, root, got.Cwd)
	require.Equal(t, []string{"tests/deep/test_more.py::TestMore::test_a", "-s", "--no-cov", "-n0", "-x"}, got.Args)
	require.Equal(t, Entry{File: file, Line: 3}, got.Entry)
	got, err = FindTest(context.Background(), asked("TestMore::test_b", file))
	require.NoError(t, err)
	require.Equal(t, 8, got.Entry.Line)
	write(t, "[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n[tool.x]\ny = \"--cov\"\n", root, "pyproject.toml")
	require.Empty(t, pytestAlone(root))

	if runtime.GOOS == "windows" {
		return // the stand-in is a shell script
	}
	q := asked("test_a[3]", write(t, "def test_a(n):\n  pass\n", root, "tests", "test_p.py"))
	python := write(t, "#!/bin/sh\n[ \"$2\" = pytest ] && printf '%s[1]\\n%s[2]\\n\\n2 tests\\n' \"$5\" \"$5\"\nexit 0\n",
		root, "py")
	require.NoError(t, os.Chmod(python, 0o755))
	q.Python = func(string) string { return python }
	_, err = FindTest(context.Background(), q)
	require.ErrorContains(t, err, "the nearest of 2: tests/test_p.py::test_a[1], tests/test_p.py::test_a[2]")
	q.Name = "test_a[2]"
	got, err = FindTest(context.Background(), q)
	require.NoError(t, err)
	require.Equal(t, "tests/test_p.py::test_a[2]", got.Args[0])
}

func TestListsOfTests(t *testing.T) {
	require.Equal(t, []string{"Cart.Empty", "Cart.Full", "N/Typed/0.Works"}, gtestNames("Running main() from x.cc\n"+
		"Cart.\n  Empty\n  Full  # GetParam() = 1\nN/Typed/0.  # TypeParam = int\n  Works\n"))
	require.Equal(t, []string{"an empty cart", "other"}, catchNames("an empty cart\n  other\n\n"))
	require.Equal(t, `a\, b \[c]`, catchPattern("a, b [c]"))
	require.Equal(t, []string{"tests::adds"}, cargoNames("tests::adds: test\nbench_it: benchmark\n"))
	require.Equal(t, "target/debug/deps/cart-cc34",
		cargoExecutable().FindStringSubmatch("Executable unittests src/lib.rs (target/debug/deps/cart-cc34)")[2])
	require.Equal(t, "tests/api.rs", cargoExecutable().FindStringSubmatch("Executable tests/api.rs (t/api-cc34)")[1])
	pid, ok := HostPid("Process Id: 4711, Name: testhost")
	require.True(t, ok)
	require.Equal(t, "4711", pid)
	_, ok = HostPid("Waiting for debugger attach...")
	require.False(t, ok)
}

func TestGoogleTestFunction(t *testing.T) {
	text := []byte("\x7fELF _ZN10A_One_Test8TestBodyEv _ZN12Par_Two_Test8TestBodyEv _ZN12T_Three_TestIiE8TestBodyEv")
	for _, test := range []struct{ name, kind, want string }{
		{"A.One", "", "A_One_Test::TestBody"}, {"A.Other", "", ""},
		{"All/Par.Two/5", "", "Par_Two_Test::TestBody"}, {"All/Par.Two/name", "", "Par_Two_Test::TestBody"},
		{"T/0.Three", "int", "T_Three_Test<int>::TestBody"}, {"My/T/0.Three", "int", "T_Three_Test<int>::TestBody"},
		{"T/0.Three", "", ""}, {"T/0.Three", "std::vector<int>", ""}, {"T/0.Four", "int", ""},
	} {
		require.Equal(t, test.want, gtestFunction(text, test.name, test.kind), test.name)
	}
	require.Equal(t, "A_B_Test::TestBody", gtestFunction([]byte("MZ"), "A.B", ""), "no names to compare with")
}

// A stand-in of a test program, and of ctest, says what the real one does.
func TestNativeTestByName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	root := t.TempDir()
	script := func(text string, path ...string) string {
		file := write(t, "#!/bin/sh\n"+text, append([]string{root}, path...)...)
		require.NoError(t, os.Chmod(file, 0o755))
		return file
	}
	gtest := script("# gtest\nprintf 'Cart.\\n  DISABLED_Off\\n  Two\\nAll/Par.\\n  Works/0  # GetParam() = 1\\n'\n", "g")
	catch := script("# Catch\n[ $1 = --list-tests ] && exit 3\n[ \"$2\" ] && { [ \"$2\" = 'hid\\,den' ] && "+
		"echo hid,den; exit 0; }\necho two\n", "c")
	build := filepath.Join(root, "shop", "build")
	write(t, "", root, "shop", "CMakeLists.txt")
	t.Setenv("PATH", root+string(os.PathListSeparator)+os.Getenv("PATH"))
	script(`echo '{"tests": [{"name": "late"}, {"name": "it", "command": ["/t", "--gtest_filter=A.B", "x"], `+
		`"properties": [{"name": "ENVIRONMENT", "value": ["K=v"]}, {"name": "WORKING_DIRECTORY", "value": "/w"}]}, `+
		`{"name": "g_NOT_BUILT"}]}'`, "ctest")
	find := func(name, program string) (*Test, error) {
		return FindTest(context.Background(), asked(name, program))
	}
	for _, test := range []struct {
		name, program string
		args          []string
		function      string
	}{
		{"Two", gtest, []string{"--gtest_filter=Cart.Two", "--gtest_color=no"}, "Cart_Two_Test::TestBody"},
		{"Cart.DISABLED_Off", gtest, []string{"--gtest_filter=Cart.DISABLED_Off", "--gtest_color=no",
			"--gtest_also_run_disabled_tests"}, "Cart_DISABLED_Off_Test::TestBody"},
		{"Par.Works/0", gtest, []string{"--gtest_filter=All/Par.Works/0", "--gtest_color=no"}, "Par_Works_Test::TestBody"},
		{"two", catch, []string{"two", "--use-colour", "no"}, ""},
		{"hid,den", catch, []string{`hid\,den`, "--use-colour", "no"}, ""},
	} {
		got, err := find(test.name, test.program)
		require.NoError(t, err, test.name)
		require.Equal(t, test.args, got.Args)
		require.Equal(t, Entry{Function: test.function}, got.Entry)
	}
	_, err := find("Cart.Tow", gtest)
	require.ErrorContains(t, err, "Cart.Two")
	_, err = find("A.B", write(t, "gtest", root, "a.cpp"))
	require.ErrorContains(t, err, "is source")

	shop := filepath.Join(root, "shop")
	_, err = find("it", shop)
	require.ErrorContains(t, err, "no build folder")
	write(t, "", build, "CMakeCache.txt")
	got, err := find("it", shop)
	require.NoError(t, err)
	require.Equal(t, []string{"/t", "--gtest_filter=A.B", "x"}, append([]string{got.Program}, got.Args...))
	require.Equal(t, "/w", got.Cwd)
	require.Equal(t, "v", *got.Env["K"])
	require.Equal(t, "A_B_Test::TestBody", got.Entry.Function)
	for _, name := range []string{"late", "other"} {
		_, err = find(name, shop)
		require.ErrorContains(t, err, "not built yet; run cmake --build "+build)
	}
	write(t, "", shop, "out", "debug", "CMakeCache.txt")
	_, err = find("it", shop)
	require.ErrorContains(t, err, "2 build folders")
}

func TestCargoArgs(t *testing.T) {
	build, own := cargoArgs([]string{"--release", "--features", "a b", "-p=x", "--nocapture", "--", "--test", "y"})
	require.Equal(t, []string{"--release", "--features", "a b", "-p=x"}, build)
	require.Equal(t, []string{"--nocapture", "--test", "y"}, own)
}

// The folder of a test is that of its package, also when two packages have targets of one name.
func TestCargoPackage(t *testing.T) {
	const metadata = `{"packages": [{"manifest_path": "/w/a/Cargo.toml", "targets": [
		{"name": "a-b", "src_path": "/w/a/src/lib.rs"}, {"name": "api", "src_path": "/w/a/tests/api.rs"}]},
		{"manifest_path": "/w/b/Cargo.toml", "targets": [{"name": "api", "src_path": "/w/b/tests/api/main.rs"}]}]}`
	for _, test := range []struct{ exe, source, want string }{
		{"/t/a_b-0f", "src/lib.rs", "/w/a"}, {"/t/api-0f", "tests/api/main.rs", "/w/b"},
		{"/t/api-0f", "tests/api.rs", "/w/a"}, {"/t/other-0f", "src/lib.rs", "/w"},
	} {
		require.Equal(t, test.want, filepath.ToSlash(cargoPackage(metadata, test.exe, test.source, "/w")))
	}
	require.Equal(t, "/w", cargoPackage("no json", "x", "y", "/w"))
}

func TestDotnetTestByName(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("DOTNET_ROOT", filepath.Dir(touchTool(t, "dotnet")))
	t.Setenv("PATH", "")
	project := write(t, `<Project Sdk="Microsoft.NET.Sdk"></Project>`, folder, "Shop.Tests.csproj")
	write(t, `namespace Shop; public class CartTests {
	[Fact] public void Empty() { }
	[Theory, InlineData(1)] public async Task Full(int n) => await X();
	[TestMethod]
	[Description("x")]
	public void Other()
	{ } }`, folder, "CartTests.cs")
	require.Equal(t, []string{"CartTests.Empty", "CartTests.Full", "CartTests.Other"}, dotnetTests(folder))
	for _, name := range []string{"Empty", "CartTests.Empty", "Shop.CartTests.Full(n: 1)", "CartTests"} {
		got, err := FindTest(context.Background(), asked(name, folder, "--no-build"))
		require.NoError(t, err, name)
		bare, _, _ := strings.Cut(name, "(")
		require.Equal(t, []string{"test", project, "--filter", "FullyQualifiedName~" + bare, "--no-build"},
			got.Host.Command[1:])
		require.Equal(t, "1", got.Host.Env["VSTEST_HOST_DEBUG"])
	}
	_, err := FindTest(context.Background(), asked("Emtpy", project))
	require.ErrorContains(t, err, "CartTests.")

	for text, args := range map[string][]string{
		"xunit.v3": {"-method", "*CartTests.Empty"},
		"<EnableMSTestRunner>true</EnableMSTestRunner>": {"--filter", "FullyQualifiedName~CartTests.Empty"},
	} {
		write(t, text, folder, "Shop.Tests.csproj")
		_, err = FindTest(context.Background(), asked("CartTests.Empty", folder))
		require.ErrorContains(t, err, "has not been built")
		write(t, "", folder, "bin", "Shop.Tests.dll")
		write(t, "", folder, "bin", "Shop.Tests.runtimeconfig.json")
		got, err := FindTest(context.Background(), asked("CartTests.Empty", folder))
		require.NoError(t, err)
		require.Equal(t, args, got.Args)
		require.Nil(t, got.Host)
		require.NoError(t, os.RemoveAll(filepath.Join(folder, "bin")))
	}
}

// Nothing is run to find a test that may not be started.
func TestFindTestAsks(t *testing.T) {
	root := t.TempDir()
	denied := fault.Errorf(fault.PermissionDenied, "no")
	write(t, "def test_a(): pass\n", root, "py", "test_a.py")
	write(t, "[package]\n", root, "rs", "Cargo.toml")
	write(t, "", root, "cpp", "CTestTestfile.cmake")
	write(t, "<Project/>", root, "net", "a.csproj")
	write(t, "#!/bin/sh\n# gtest\ntouch ran\n", root, "prog")
	write(t, "test('test_a', () => {});\n", root, "js", "a.test.js")
	for program, want := range map[string][]string{"py": {"python", "test_a.py"}, "rs": {"cargo", "Cargo.toml"},
		"cpp": {"ctest", "CTestTestfile.cmake"}, "net": {"dotnet", "a.csproj"}, "js": {"node", "a.test.js", "a.test.js"},
		"prog": {"prog"}} {
		q := asked("test_a", filepath.Join(root, program))
		var named []string
		q.MayRun = func(files ...string) error {
			named = append(named, files...)
			return denied
		}
		_, err := FindTest(context.Background(), q)
		require.Equal(t, fault.PermissionDenied, fault.CodeOf(err), program)
		for i, name := range named {
			named[i] = strings.TrimSuffix(filepath.Base(name), ".exe")
		}
		require.Equal(t, want, named)
	}
	_, err := FindTest(context.Background(), asked("x", filepath.Join(root, "nosuch")))
	require.Equal(t, fault.InvalidPath, fault.CodeOf(err))
	other := write(t, "x", root, "other")
	_, err = FindTest(context.Background(), asked("x", other))
	require.ErrorContains(t, err, "neither GoogleTest nor Catch2")
}
