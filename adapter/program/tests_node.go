package program

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"breakwire/adapter/fault"
)

// IsNodeSource reports whether a file is source in JavaScript or TypeScript.
func IsNodeSource(path string) bool {
	return slices.Contains([]string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"},
		strings.ToLower(filepath.Ext(path)))
}

// nodeTestName matches the files that hold tests, by habit of the runners.
var nodeTestName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[._-])(?:test|tests|spec)\.[cm]?[jt]sx?$`)
})

// nodeTestFiles returns the files with tests below a folder: by their names, and all in folders named test.
func nodeTestFiles(folder string) []string {
	skip := []string{"node_modules", "dist", "build", "coverage", "out"}
	return filesBelow(folder, skip, func(path string) bool {
		name, in := filepath.Base(path), filepath.Base(filepath.Dir(path))
		return IsNodeSource(name) && (nodeTestName().MatchString(name) || in == "test" || in == "__tests__")
	})
}

// nodeTestBy returns how a test in JavaScript or TypeScript is run: by the runner that its file or its package names.
func nodeTestBy(q TestQuery) (*Test, error) {
	root := q.Program
	var files []string
	if filepath.Base(root) == "package.json" {
		root = filepath.Dir(root)
	} else if IsFile(root) {
		files, root = []string{root}, filepath.Dir(root)
	}
	if len(files) == 0 {
		files = nodeTestFiles(root)
	}
	found, known := findNodeTests(q.Name, files)
	switch {
	case len(found) == 0:
		return nil, unknownTest(q, q.Program, known)
	case len(found) > 1:
		list := make([]string, len(found))
		for i, f := range found {
			rel, _ := filepath.Rel(root, f.file)
			list[i] = filepath.ToSlash(rel) + ": " + f.full()
		}
		return nil, severalTests(q, list)
	}
	f := found[0]
	text, err := os.ReadFile(f.file)
	if err != nil {
		return nil, fault.Errorf(fault.InvalidFile, "%s: %v", f.file, PathReason(err)).With("file", f.file)
	}
	p := nearestPackage(filepath.Dir(f.file))
	t, err := p.testBy(p.runner(f.file, string(text)), f, q.Args)
	if err == nil {
		err = q.MayRun(append(t.uses, onPath("node"), f.file, t.Program)...)
	}
	if err == nil && f.skips {
		t.Ran += "; its file marks it as skipped, so its runner passes over it"
	}
	if err == nil && f.line > 0 {
		t.Entry = Entry{File: f.file, Line: f.line}
	}
	return t, err
}

// findNodeTests returns the tests with a name: their own or, from the suites around them on, the full one. Suites count
// only where no test has the name.
func findNodeTests(name string, files []string) (found []nodeTest, known []string) {
	name = templateValues().ReplaceAllString(strings.ReplaceAll(name, " > ", " "), "$${}")
	var suites []nodeTest
	for _, file := range files {
		for _, t := range nodeTests(file) {
			if known = append(known, t.full()); t.full() != name && !strings.HasSuffix(t.full(), " "+name) {
				continue
			}
			if own := t.own(); t.full() != name && !strings.HasSuffix(name, own) {
				continue // a part of its own name
			}
			if t.suite {
				suites = append(suites, t)
			} else {
				found = append(found, t)
			}
		}
	}
	whole := slices.DeleteFunc(slices.Clone(found), func(t nodeTest) bool { return t.full() != name })
	switch {
	case len(whole) > 0:
		return whole, known
	case len(found) > 0:
		return found, known
	}
	return suites, known
}

// runnerImports matches how a file names its runner.
var runnerImports = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:from|require\()\s*['"](?:node:|@)?(test|vitest|jest/globals|mocha)['"]`)
})

// runner returns the runner of a test file: the one that it imports, that of the script test, or an installed one.
func (p *nodePackage) runner(file, text string) string {
	if m := runnerImports().FindStringSubmatch(text); m != nil {
		switch m[1] {
		case "test":
			return "node"
		case "jest/globals":
			return "jest"
		}
		return m[1]
	}
	script := p.Scripts["test"]
	names := []string{"vitest", "jest", "mocha"}
	for _, name := range names {
		if strings.Contains(script, name) {
			return name
		}
	}
	if strings.Contains(script, "--test") {
		return "node"
	}
	for _, name := range names {
		if p.Dependencies[name] != "" || p.DevDependencies[name] != "" {
			return name
		}
	}
	for _, name := range names {
		if nodeModule(filepath.Dir(file), name) != "" {
			return name
		}
	}
	return "node"
}

// testBy returns how a runner runs a test. The time limits of tests are lifted: the program stands still in them.
func (p *nodePackage) testBy(runner string, f nodeTest, args []string) (*Test, error) {
	t := &Test{Backend: "js-debug", Program: f.file, Cwd: p.folder, Extra: map[string]any{"__workspaceFolder": p.folder}}
	var options []string // of node
	if isTypeScript(f.file) && (runner == "node" || runner == "mocha" && len(FilesIn(p.folder, ".mocharc*")) == 0) {
		options, t.uses = loaderOf(f.file)
	}
	if runner == "node" {
		name := f.own()
		if f.inner {
			name = f.names[0] // node runs a subtest with its test
		}
		options = slices.Concat(options, []string{"--test-name-pattern=^" + namePattern(name) + "$"}, args)
		t.Extra["runtimeArgs"] = options
		t.Ran = inFolder(quoted(slices.Concat([]string{"node"}, options, []string{f.file})), p.folder) +
			f.alsoRuns(func(t nodeTest) bool { return t.own() == name && t.line != f.line && !t.inner })
		return t, nil
	}
	module := nodeModule(filepath.Dir(f.file), runner)
	script := moduleCommand(module, runner)
	if script == "" || !IsFile(script) {
		return nil, fault.Errorf(fault.LaunchFailed, "%s runs the tests of %s and is not installed; run npm install in %s",
			runner, f.file, p.folder).With("path", f.file)
	}
	file := f.file
	if rel, err := filepath.Rel(p.folder, f.file); err == nil {
		file = filepath.ToSlash(rel)
	}
	full := "^" + namePattern(f.full()) + "$"
	if f.suite {
		full = strings.TrimSuffix(full, "$") + " " // not a suite whose name only begins like this
	}
	switch runner {
	case "jest":
		args = append([]string{"--runInBand", "--testTimeout=3600000", "--runTestsByPath", file, "-t", full}, args...)
	case "vitest":
		args = append([]string{"run", "--no-file-parallelism", "--pool=forks", "--testTimeout=0", "--hookTimeout=0", file,
			"-t", full}, args...)
	case "mocha":
		args = append([]string{"--no-parallel", "--timeout", "0", file, "-g", full}, args...)
	}
	t.Ran = inFolder(quoted(append([]string{runner}, args...)), p.folder) + f.alsoRuns(func(t nodeTest) bool {
		return f.suite && strings.HasPrefix(t.full(), f.full()+" ") && !t.suite &&
			!slices.Equal(t.names[:min(len(f.names), len(t.names))], f.names)
	})
	if runner == "vitest" { // its tests are in a process that it starts, which is the program then
		t.Extra["program"], t.Extra["runtimeArgs"] = "", args
		command := filepath.Join(filepath.Dir(module), ".bin", runner)
		if runtime.GOOS == "windows" {
			command += ".cmd"
		}
		t.Extra["runtimeExecutable"], t.uses = command, []string{command}
		return t, nil
	}
	t.Program, t.Args = script, args
	if len(options) > 0 {
		t.Extra["runtimeArgs"] = options
	}
	return t, nil
}

// alsoRuns names the other tests of the file that its runner runs as well. Node 20 looks at a test's own name only; the
// others know no bound between the names of suites.
func (f nodeTest) alsoRuns(does func(nodeTest) bool) string {
	var others []string
	for _, t := range nodeTests(f.file) {
		if does(t) {
			others = append(others, t.full())
		}
	}
	if len(others) == 0 {
		return ""
	}
	return "; the runner takes these by the same name: " + strings.Join(others, ", ")
}

// templateValues matches the values in the name of a test that is a template.
var templateValues = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[^{}]*\}`) })

// placeholders matches what a table of tests fills in: %s and $name, and the values of templates.
var placeholders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{\}|%[psdifjo#$]|\$[\w.]+`)
})

// namePattern returns a regular expression for the name of a test, whose placeholders may be anything.
func namePattern(name string) string {
	var out strings.Builder
	at := 0
	for _, m := range placeholders().FindAllStringIndex(name, -1) {
		out.WriteString(regexp.QuoteMeta(name[at:m[0]]) + ".*")
		at = m[1]
	}
	return out.String() + regexp.QuoteMeta(name[at:])
}
