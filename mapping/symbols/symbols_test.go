package symbols

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"breakwire/fixtures"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCLRParameters(t *testing.T) {
	tests := []struct {
		app, typ, method string
		want             [][]string
	}{
		{"ThreadsApp", "Program", "Inspect", [][]string{{"name", "count"}}},
		{"ThreadsApp", "Program", "Main", [][]string{{"args"}}},
		{"ThreadsApp", "Node", ".ctor", [][]string{{"name", "parent"}}},
		{"ThreadsApp", "Node", "Add", [][]string{{"a", "b"}}},
		{"ThreadsApp", "Derived", ".ctor", [][]string{{"n", "p"}}},
		{"ThreadsApp", "<>c__DisplayClass6_0", "<Inspect>b__0", [][]string{{"v"}}},
		{"AsyncApp", "Program", "Inner", [][]string{{"x"}}},
		{"ThreadsApp", "Program", "NoSuch", nil},
		{"ThreadsApp", "NoSuch", "Main", nil},
	}
	for _, tt := range tests {
		t.Run(tt.app+" "+tt.typ+"."+tt.method, func(t *testing.T) {
			f, err := os.Open(fixtures.DotnetProgram(tt.app))
			require.NoError(t, err)
			defer f.Close()
			info, err := f.Stat()
			require.NoError(t, err)
			got, err := CLRParameters(f, info.Size(), tt.typ, tt.method)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestCLRFunctions(t *testing.T) {
	f, err := os.Open(fixtures.DotnetProgram("NamesApp"))
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	names, err := CLRFunctions(f, info.Size())
	require.NoError(t, err)
	for _, want := range []string{
		"NamesApp.Repository`1.Add", "NamesApp.Repository`1.Map<U>", "NamesApp.Repository`1.Cursor`1.Move",
		"NamesApp.Square..ctor", "NamesApp.Square.NamesApp.IShape.Area", "NamesApp.Program.LoadAsync",
		"NamesApp.Program.<LoadAsync>d__2.MoveNext", "NamesApp.Repository`1.<MapAsync>d__3`1.MoveNext",
	} {
		assert.Contains(t, names, want)
	}
	assert.NotContains(t, names, "", "each method is of a type")
}

func TestCLRHidden(t *testing.T) {
	f, err := os.Open("../../adapter/mcpserver/testdata/expressions/Shop/Shop.dll")
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	got, err := CLRHidden(f, info.Size())
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"Label": {"Shop.Customer", "Shop.Vip"}}, got, "Kind is overridden")
}

func TestGoParameters(t *testing.T) {
	f, err := os.Open(fixtures.BuildGo(t, "loop")) // the test binary itself is linked without symbols
	require.NoError(t, err)
	defer f.Close()
	for _, tt := range []struct {
		function string
		want     []string
	}{
		{"main.Work", []string{"i"}},
		{"strconv.Itoa", []string{"i"}},
		{"poll.(*FD).Write", []string{"fd", "p"}}, // as Delve writes it
		{"internal/poll.(*FD).Write", []string{"fd", "p"}},
	} {
		got, err := GoParameters(f, tt.function)
		require.NoError(t, err)
		require.NotEmpty(t, got, tt.function)
		assert.Equal(t, tt.want, got[0], tt.function)
	}
	got, err := GoParameters(f, "main.NoSuch")
	require.NoError(t, err)
	assert.Empty(t, got)
}

// Records, [DebuggerDisplay] and stored members are known from the module.
func TestCLRDisplays(t *testing.T) {
	f, err := os.Open(fixtures.DotnetProgram("KindsApp"))
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	got, err := CLRDisplays(f, info.Size())
	require.NoError(t, err)
	assert.Equal(t, Display{Record: []string{"Name", "Age"}, Stored: []string{"Name", "Age"}}, got["KindsApp.Person"])
	assert.Equal(t, []string{"X", "Y"}, got["KindsApp.Spot"].Record)
	assert.Equal(t, "Order {Id}: {Items.Count} items, {Customer.Name,nq} {{paid}} {Total()}", got["KindsApp.Order"].Text)
	assert.Equal(t, Display{Text: "{Text}", Stored: []string{"Text", "More"}}, got["KindsApp.Derived"])
	assert.Nil(t, got["KindsApp.Size"].Record)
}

// The names of tuples in fields, parameters and returned values are known from the module, also those of a base class.
func TestCLRTuples(t *testing.T) {
	f, err := os.Open(fixtures.DotnetProgram("KindsApp"))
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	got, err := CLRTuples(f, info.Size())
	require.NoError(t, err)
	for key := range got {
		if strings.Contains(key, "<") { // what the compiler makes for lambdas
			delete(got, key)
		}
	}
	assert.Equal(t, map[string][]string{
		"KindsApp.Holder.Pair": {"Id", "Name"}, "KindsApp.Special.Pair": {"Id", "Name"},
		"KindsApp.Program.Stats()": {"Count", "Mean"}, "KindsApp.Program.Stats(who": {"First", "Last"},
		"KindsApp.Program.Kinds(who": {"First", "Last"}, "KindsApp.Program.Waits(got": {"Code", "Text"},
	}, got)
}

// Damaged files give errors or nothing, without a panic.
func FuzzCLRParameters(f *testing.F) {
	data, err := os.ReadFile(fixtures.DotnetProgram("EchoApp"))
	require.NoError(f, err)
	f.Add(data, 0, byte(0))
	f.Add(data, 600, byte(0xff))
	f.Add(data[:1000], 10, byte(1))
	f.Fuzz(func(_ *testing.T, data []byte, at int, b byte) {
		data = bytes.Clone(data)
		if at >= 0 && at < len(data) {
			data[at] = b
		}
		_, _ = CLRParameters(bytes.NewReader(data), int64(len(data)), "Program", "Main")
		_, _ = CLRTuples(bytes.NewReader(data), int64(len(data)))
		_, _ = CLRDisplays(bytes.NewReader(data), int64(len(data)))
		_, _ = CLRFunctions(bytes.NewReader(data), int64(len(data)))
	})
}

// A program says how it was built, and which lines have code, also when its files are named by module.
func TestGoBuild(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.com/app\n\ngo 1.21\n")
	write("main.go", "package main\n\nfunc main() {\n\t// a comment\n\tprintln(1)\n\n\tprintln(2)\n}\n")
	source := filepath.Join(folder, "main.go")
	for _, tt := range []struct {
		flags []string
		file  string
		want  GoBuild
		lines []int
	}{
		{[]string{"-gcflags=all=-N -l"}, source, GoBuild{}, []int{3, 5, 7, 8}},
		{[]string{"-gcflags=-N -l"}, source, GoBuild{}, []int{3, 5, 7, 8}},
		{nil, source, GoBuild{Optimised: true}, []int{3, 5, 7, 8}},
		{[]string{"-trimpath"}, "example.com/app/main.go", GoBuild{Optimised: true, Trimmed: true}, []int{3, 5, 7, 8}},
		{[]string{"-gcflags=all=-N -l"}, source + "x", GoBuild{}, nil},
		{[]string{"-ldflags=-s -w", "-trimpath"}, source, GoBuild{Optimised: true, Stripped: true, Trimmed: true}, nil},
		{[]string{"-ldflags=-w"}, source, GoBuild{Optimised: true, Stripped: true}, nil},
	} {
		program := filepath.Join(folder, "program")
		build := exec.Command("go", append(append([]string{"build"}, tt.flags...), "-o", program, ".")...)
		build.Dir = folder
		build.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off")
		out, err := build.CombinedOutput()
		require.NoError(t, err, "%s", out)
		f, err := os.Open(program)
		require.NoError(t, err)
		got, err := ReadGoBuild(f)
		require.NoError(t, err)
		assert.Equal(t, []GoModule{{Path: "example.com/app", Name: "example.com/app"}}, got.Modules)
		got.Modules = nil
		assert.Equal(t, tt.want, got, "%s", tt.flags)
		lines, _ := GoLines(f, tt.file)
		assert.Equal(t, tt.lines, lines, "%s", tt.flags)
		f.Close()
	}
}

// The globals of a function's package are those of the source.
func TestGoGlobals(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.com/app\n\ngo 1.21\n")
	write("main.go", `package main

import "example.com/app/deep/store"

var First, second = 7, map[string]int{"x": 1}

func generic[T any](t T) T { return t }

func main() {
	func() { store.Put(generic(First + len(second))) }()
}
`)
	write("deep/store/store.go", "package store\n\nvar Count int\n\nfunc Put(n int) { Count += n }\n")
	program := filepath.Join(folder, "program")
	build := exec.Command("go", "build", "-gcflags=all=-N -l", "-o", program, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	f, err := os.Open(program)
	require.NoError(t, err)
	defer f.Close()
	for function, want := range map[string][]string{
		"main.main":                  {"main.First", "main.second"},
		"main.main.func1":            {"main.First", "main.second"},
		"main.generic[go.shape.int]": {"main.First", "main.second"},
		"main.generic[...]":          {"main.First", "main.second"},
		"store.Put":                  {"example.com/app/deep/store.Count"}, // as Delve writes it
		"main.nosuch":                nil,
		"other.Put":                  nil,
	} {
		got, err := GoGlobals(f, function)
		require.NoError(t, err)
		assert.ElementsMatch(t, want, got, function)
	}
}

func TestSameSource(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"/a/b.go", "/a/b.go", true},
		{"/a/b.go", "/a/B.go", false},
		{"./app/main.go", "app/main.go", true},
		{`C:\a\b.go`, "c:/A/b.go", true},
		{"", "", true},
	} {
		assert.Equal(t, tt.want, sameSource(tt.a, tt.b), "%s %s", tt.a, tt.b)
	}
}
