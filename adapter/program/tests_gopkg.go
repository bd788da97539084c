package program

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// goTestFlags are the flags of Go's package testing. A test binary takes them with the prefix test.
const goTestFlags = "artifacts bench benchmem benchtime blockprofile blockprofilerate count " +
	"coverprofile cpu cpuprofile failfast fullpath fuzz fuzzminimizetime fuzztime list memprofile memprofilerate " +
	"mutexprofile mutexprofilefraction outputdir parallel run short shuffle skip timeout trace v"

// goBuildFlags are the flags of go test that are about the build.
const goBuildFlags = "a asan asmflags buildvcs cover covermode coverpkg gccgoflags gcflags ldflags mod " +
	"modfile msan overlay pgo race tags trimpath"

// goFlag returns the name of a flag, "" when the argument is none.
func goFlag(arg string) string {
	if !strings.HasPrefix(arg, "-") {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	return name
}

// GoTestArgs returns the arguments of a test binary for those that go test takes: its flags get the prefix test. What
// follows -args is the test's own.
func GoTestArgs(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		name := goFlag(arg)
		if name == "args" {
			return slices.Delete(out, i, i+1)
		}
		if slices.Contains(strings.Fields(goTestFlags), name) {
			out[i] = "-test." + strings.TrimLeft(arg, "-")
		}
	}
	return out
}

// IsGoTest reports whether a program is the tests of a Go package: a test file, or a test binary.
func IsGoTest(program string) bool { return isGoTest(program) || isGoTestBinary(program) }

func isGoTestBinary(path string) bool {
	info, err := buildinfo.ReadFile(path)
	return err == nil && strings.HasSuffix(info.Path, ".test")
}

// goTestFunction matches the functions that go test runs.
var goTestFunction = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^func (Test|Benchmark|Fuzz|Example)([\pL\pN_]*)\(`)
})

// goTests returns the tests of a folder.
func goTests(folder string) []place {
	var tests []place
	for _, file := range FilesIn(folder, "*_test.go") {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, m := range goTestFunction().FindAllSubmatchIndex(text, -1) {
			kind, rest := string(text[m[2]:m[3]]), string(text[m[4]:m[5]])
			if first, _ := utf8.DecodeRuneInString(rest); rest == "Main" && kind == "Test" || unicode.IsLower(first) {
				continue
			}
			tests = append(tests, place{kind + rest, file, 1 + strings.Count(string(text[:m[0]]), "\n")})
		}
	}
	return tests
}

// goPattern returns the flags that run one test, benchmark or fuzz seed, and its function.
func goPattern(name string) (flags []string, function string) {
	// testing writes a name so.
	clean := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, name)
	parts := strings.Split(clean, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	pattern := strings.Join(parts, "/")
	function, _, _ = strings.Cut(clean, "/")
	if strings.HasPrefix(function, "Benchmark") {
		return []string{"-test.run=^$", "-test.bench=" + pattern}, function
	}
	return []string{"-test.v", "-test.run=" + pattern}, function
}

// goTest returns how a test of a package is run: Delve builds the package's tests.
func goTest(q TestQuery, folder string) (*Test, error) {
	flags, function := goPattern(q.Name)
	tests := goTests(folder)
	i := slices.IndexFunc(tests, func(t place) bool { return t.name == function })
	if i < 0 {
		known := make([]string, len(tests))
		for i, t := range tests {
			known[i] = t.name
		}
		return nil, unknownTest(q, folder, known)
	}
	t := &Test{Backend: "dlv", Program: folder, Cwd: folder, Extra: map[string]any{"mode": "test"}}
	var own, build []string
	for _, arg := range q.Args {
		if slices.Contains(strings.Fields(goBuildFlags), goFlag(arg)) {
			build = append(build, arg)
		} else {
			own = append(own, arg)
		}
	}
	if len(build) > 0 {
		list := make([]any, len(build))
		for i, flag := range build {
			list[i] = flag
		}
		t.Extra["buildFlags"] = list
	}
	if !strings.HasPrefix(function, "Benchmark") { // which is called several times
		t.Entry = Entry{File: tests[i].file, Line: tests[i].line}
	}
	t.Args = slices.Concat(flags, GoTestArgs(own))
	words := []string{"go", "test"}
	for _, flag := range append(build, t.Args...) {
		words = append(words, strings.Replace(flag, "-test.", "-", 1))
	}
	t.Ran = inFolder(quoted(words), filepath.Clean(folder))
	return t, nil
}
