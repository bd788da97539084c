package program

import (
	"debug/buildinfo"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"breakwire/adapter/fault"
	"breakwire/mapping"
)

// goTestFlags are the flags of Go's package testing. A test binary takes them with the prefix test.
const goTestFlags = "artifacts bench benchmem benchtime blockprofile blockprofilerate count " +
	"coverprofile cpu cpuprofile failfast fullpath fuzz fuzzminimizetime fuzztime list memprofile memprofilerate " +
	"mutexprofile mutexprofilefraction outputdir parallel run short shuffle skip timeout trace v"

// goBuildFlags are the flags of go test that are about the build.
const goBuildFlags = "a asan asmflags buildvcs cover covermode coverpkg gccgoflags gcflags ldflags mod " +
	"modfile msan overlay pgo race tags trimpath"

// goSwitches are those of them that stand without a value.
const goSwitches = "a asan buildvcs cover msan race trimpath"

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

// isGoTestName reports whether a name is that of a function that go test runs.
func isGoTestName(name string) bool {
	return goTestFunction().MatchString("func " + strings.Split(name, "/")[0] + "(")
}

// goTests returns the tests of files.
func goTests(files []string) []place {
	var tests []place
	for _, file := range files {
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

// goTestFiles returns the files with tests of a folder and of the packages in it.
func goTestFiles(folder string) []string {
	return filesBelow(folder, []string{"vendor", "testdata", "node_modules"}, func(path string) bool {
		return strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(filepath.Base(path), "_")
	})
}

// goArgs separates the flags of a build from those of the tests. A value that stands by itself is joined to its flag.
func goArgs(args []string) (build, own []string) {
	for i := 0; i < len(args); i++ {
		name := goFlag(args[i])
		switch {
		case name == "args":
			return build, append(own, args[i:]...)
		case !slices.Contains(strings.Fields(goBuildFlags), name):
			own = append(own, args[i])
		case strings.Contains(args[i], "=") || slices.Contains(strings.Fields(goSwitches), name) || i+1 == len(args):
			build = append(build, args[i])
		default:
			build = append(build, args[i]+"="+args[i+1])
			i++
		}
	}
	return build, own
}

// goTest returns how a test of a package is run: Delve builds the package's tests. The package is that of the folder,
// or the only one below it that has the test.
func goTest(q TestQuery, folder string) (*Test, error) {
	flags, function := goPattern(q.Name)
	tests := goTests(FilesIn(folder, "*_test.go"))
	named := func() (found []place) {
		for _, t := range tests {
			if t.name == function {
				found = append(found, t)
			}
		}
		return found
	}
	found := named()
	if len(found) == 0 && folder == q.Program {
		tests = goTests(goTestFiles(folder))
		found = named()
	}
	var folders, known []string
	for _, t := range tests {
		known = append(known, t.name)
	}
	for _, t := range found {
		if at := filepath.Dir(t.file); !slices.Contains(folders, at) {
			folders = append(folders, at)
		}
	}
	switch len(folders) {
	case 0:
		return nil, unknownTest(q, folder, known)
	case 1:
		folder = folders[0]
	default:
		return nil, fault.Errorf(fault.InvalidParameter, "%d packages have a test %s; give one of these as program: %s",
			len(folders), function, strings.Join(folders, ", ")).With("parameter", "program").With("packages", folders)
	}
	buildFlags, own := goArgs(q.Args)
	at, err := goBuilt(found, buildFlags)
	if err != nil {
		return nil, err
	}
	t := &Test{Backend: "dlv", Program: folder, Cwd: folder, Extra: map[string]any{"mode": "test"}}
	if len(buildFlags) > 0 {
		list := make([]any, len(buildFlags))
		for i, flag := range buildFlags {
			list[i] = flag
		}
		t.Extra["buildFlags"] = list
	}
	if !strings.HasPrefix(function, "Benchmark") { // which is called several times
		t.Entry = Entry{File: at.file, Line: at.line}
	}
	t.Args = slices.Concat(flags, GoTestArgs(own))
	words := []string{"go", "test"}
	for _, flag := range append(buildFlags, t.Args...) {
		words = append(words, strings.Replace(flag, "-test.", "-", 1))
	}
	t.Ran = inFolder(quoted(words), filepath.Clean(folder)) + goSubtestNote(folder, q.Name)
	return t, nil
}

// goBuilt returns the first of several tests whose file a build takes: the others have tags that are not set, or are
// for other systems.
func goBuilt(tests []place, flags []string) (place, error) {
	c := build.Default
	for _, flag := range flags {
		if tags, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			c.BuildTags = strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	for _, t := range tests {
		if ok, err := c.MatchFile(filepath.Dir(t.file), filepath.Base(t.file)); ok || err != nil {
			return t, nil // of a file that cannot be read, the build tells more
		}
	}
	if strings.Contains(os.Getenv("GOFLAGS"), "-tags") {
		return tests[0], nil
	}
	why := ""
	text, _ := os.ReadFile(tests[0].file)
	if m := goConstraint().Find(text); m != nil {
		why = " (" + string(m) + ")"
	}
	return place{}, fault.Errorf(fault.InvalidParameter, "%s is in %s, which a build for %s/%s without its tags leaves "+
		"out%s; give them in args: -tags=NAME,NAME", tests[0].name, tests[0].file, c.GOOS, c.GOARCH, why).
		With("parameter", "args").With("file", tests[0].file)
}

// goConstraint matches the line that says which builds take a file.
var goConstraint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^//go:build .*$`) })

// goText matches the texts of a source file.
var goText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\"((?:[^\"\\\\\n]|\\\\.)*)\"|`([^`]*)`")
})

// goSubtestNote says that a subtest may not exist. go test runs no subtest then, and passes. Nobody knows the names
// before the test runs, but most stand in its files.
func goSubtestNote(folder, name string) string {
	function, rest, ok := strings.Cut(name, "/")
	if !ok || strings.HasPrefix(function, "Fuzz") {
		return ""
	}
	var texts []string
	for _, file := range FilesIn(folder, "*_test.go") {
		text, _ := os.ReadFile(file)
		for _, m := range goText().FindAllSubmatch(text, -1) {
			texts = append(texts, strings.Split(string(m[1])+string(m[2]), "/")...)
		}
	}
	for _, file := range filesBelow(filepath.Join(folder, "testdata"), nil, func(string) bool { return true }) {
		base := filepath.Base(file)
		texts = append(texts, base, strings.TrimSuffix(base, filepath.Ext(base)))
	}
	same := strings.NewReplacer(" ", "_", "\t", "_")
	for part := range strings.SplitSeq(rest, "/") {
		part, _, _ = strings.Cut(part, "#") // of several with one name
		if !slices.ContainsFunc(texts, func(t string) bool { return same.Replace(t) == same.Replace(part) }) {
			slices.Sort(texts)
			note := fmt.Sprintf("; no text of the test files is %q, so no subtest has this name unless it is made as the "+
				"test runs, and go test passes without it", part)
			if near := mapping.Near(part, slices.Compact(texts)); len(near) > 0 {
				note += "; the nearest texts: " + strings.Join(near[:min(len(near), 5)], ", ")
			}
			return note
		}
	}
	return ""
}
