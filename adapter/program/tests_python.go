package program

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
)

// pythonDefinition matches the classes and functions of a source file.
var pythonDefinition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\s*)(?:async\s+)?(def|class)\s+([\pL_][\pL\pN_]*)\s*(\([^)]*\))?`)
})

// pythonTests returns the tests of a file, named as pytest does: Class::test. unit reports that all of them are of
// classes of unittest.
func pythonTests(file string) (tests []place, unit bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, false
	}
	type scope struct {
		indent int
		name   string
		unit   bool
	}
	var open []scope
	type class struct {
		name  string
		bases []string
		unit  bool
	}
	var classes []class
	unit = true
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, line := range lines {
		m := pythonDefinition().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for len(open) > 0 && open[len(open)-1].indent >= len(m[1]) {
			open = open[:len(open)-1]
		}
		if m[2] == "class" {
			bases := strings.FieldsFunc(m[4], func(r rune) bool { return strings.ContainsRune("(), ", r) })
			inUnit := strings.Contains(m[4], "TestCase")
			for _, c := range classes {
				inUnit = inUnit || c.unit && slices.Contains(bases, c.name)
			}
			if m[1] == "" {
				classes = append(classes, class{m[3], bases, inUnit})
			}
			open = append(open, scope{len(m[1]), m[3], inUnit})
			continue
		}
		within := slices.ContainsFunc(open, func(s scope) bool { return s.name == "" })
		if strings.HasPrefix(m[3], "test") && !within {
			name, inUnit := "", false
			for _, s := range open {
				name += s.name + "::"
				inUnit = s.unit
			}
			unit = unit && inUnit
			tests = append(tests, place{name + m[3], file, bodyLine(lines, i)})
		}
		open = append(open, scope{indent: len(m[1])}) // what is inside a function is no test
	}
	for _, c := range classes { // tests of base classes in the file
		for _, base := range c.bases {
			for _, t := range slices.Clone(tests) {
				own, ok := strings.CutPrefix(t.name, base+"::")
				name := c.name + "::" + own
				if ok && !slices.ContainsFunc(tests, func(t place) bool { return t.name == name }) {
					tests = append(tests, place{name, file, t.line})
				}
			}
		}
	}
	return tests, unit && len(tests) > 0
}

// bodyLine returns the first line of the body of a function whose def is at lines[at]. A breakpoint at the def itself
// is hit when the module is loaded.
func bodyLine(lines []string, at int) int {
	depth := 0
	for ; at < len(lines); at++ {
		code, _, _ := strings.Cut(lines[at], "#")
		depth += strings.Count(code, "(") + strings.Count(code, "[") - strings.Count(code, ")") - strings.Count(code, "]")
		if code = strings.TrimSpace(code); depth <= 0 && strings.Contains(code, ":") {
			if !strings.HasSuffix(code, ":") {
				return at + 1 // on one line
			}
			break
		}
	}
	quote := ""
	for at++; at < len(lines); at++ {
		code := strings.TrimSpace(lines[at])
		if quote != "" {
			if strings.Contains(code, quote) {
				quote = ""
			}
			continue
		}
		if code == "" || strings.HasPrefix(code, "#") {
			continue
		}
		doc := strings.TrimLeft(code, "rRuU")
		for _, q := range []string{`"""`, "'''"} {
			if rest, ok := strings.CutPrefix(doc, q); ok && quote == "" {
				if quote = q; strings.Contains(rest, q) {
					quote = ""
				}
				doc = ""
			}
		}
		if doc != "" {
			return at + 1
		}
	}
	return min(at, len(lines))
}

// pythonTestFiles returns the files with tests below a folder.
func pythonTestFiles(folder string) []string {
	skip := []string{"node_modules", "venv", "__pycache__", "site-packages", "build", "dist"}
	return filesBelow(folder, skip, func(path string) bool {
		ok, _ := filepath.Match("test*.py", filepath.Base(path))
		return ok || strings.HasSuffix(path, "_test.py")
	})
}

// pythonProject returns the folder from which the tests of a file are run: the nearest one that is a project's.
func pythonProject(folder string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		for _, mark := range []string{"pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "setup.py", "requirements.txt",
			"Pipfile", "manage.py", ".git"} {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return folder
		}
	}
}

// pythonTest returns how a test is run by pytest, or by unittest where there is no pytest.
func pythonTest(ctx context.Context, q TestQuery) (*Test, error) {
	name, root := q.Name, q.Program
	var files []string
	if IsFile(q.Program) {
		files, root = []string{q.Program}, pythonProject(filepath.Dir(q.Program))
	}
	if file, rest, ok := strings.Cut(name, ".py::"); ok {
		name = rest
		if len(files) == 0 {
			files = []string{filepath.Join(root, filepath.FromSlash(file+".py"))}
			if !IsFile(files[0]) {
				return nil, fault.Errorf(fault.InvalidPath, "%s, which test names, does not exist; the path of an id is that "+
					"below program", files[0]).With("parameter", "test").With("path", files[0])
			}
		}
	}
	if len(files) == 0 {
		files = pythonTestFiles(root)
	}
	plain, parameters, _ := strings.Cut(name, "[") // of a parametrized test
	if parameters != "" {
		parameters = "[" + parameters
	}
	tests := map[string][]place{}
	units := map[string]bool{}
	var known []string
	for _, file := range files {
		tests[file], units[file] = pythonTests(file)
		for _, t := range tests[file] {
			known = append(known, t.name)
		}
	}
	found := pythonNamed(root, files, tests, plain)
	if len(found) == 0 && parameters == "" { // a class: its first test is the entry
		for _, file := range files {
			classes := tests[file][:0:0]
			for _, t := range tests[file] {
				if i := strings.LastIndex(t.name, "::"); i > 0 && !slices.ContainsFunc(classes, func(c place) bool {
					return c.name == t.name[:i]
				}) {
					classes = append(classes, place{t.name[:i], file, t.line})
				}
			}
			tests[file] = classes
		}
		found = pythonNamed(root, files, tests, plain)
	}
	if len(found) == 0 {
		return nil, unknownTest(q, q.Program, known)
	}
	if len(found) > 1 {
		ids := make([]string, len(found))
		for i, f := range found {
			ids[i] = pathBelow(root, f.file) + "::" + f.name
		}
		return nil, severalTests(q, ids)
	}
	f := found[0]
	python := q.Python(filepath.Dir(f.file))
	if err := q.MayRun(cmp.Or(python, "python"), f.file); err != nil {
		return nil, err
	}
	t := &Test{Backend: "debugpy", Entry: Entry{File: f.file, Line: f.line}}
	words := []string{"python", "-m"}
	if hasModule(ctx, python, "pytest") || !units[f.file] {
		t.Cwd = root
		id := pathBelow(root, f.file) + "::" + f.name
		if parameters != "" {
			if ids := pytestIDs(ctx, python, root, id); len(ids) > 0 && !slices.Contains(ids, id+parameters) {
				q.Name = id + parameters
				return nil, unknownTest(q, f.file, ids)
			}
		}
		t.Extra = map[string]any{"module": "pytest"}
		t.Args = slices.Concat([]string{id + parameters, "-s"}, pytestAlone(root), q.Args)
	} else {
		module := moduleOf(f.file)
		t.Cwd = filepath.Dir(f.file)
		for range strings.Count(module, ".") {
			t.Cwd = filepath.Dir(t.Cwd)
		}
		if root != t.Cwd { // imports of the project's modules and of those beside the test are found, as by discovery
			path := strings.Trim(t.Cwd+string(os.PathListSeparator)+os.Getenv("PYTHONPATH"), string(os.PathListSeparator))
			t.Env = map[string]*string{"PYTHONPATH": &path}
			words = append([]string{"PYTHONPATH=" + pathBelow(root, t.Cwd)}, words...)
			t.Cwd = root
		}
		t.Extra = map[string]any{"module": "unittest"}
		t.Args = append([]string{"-v", module + "." + strings.ReplaceAll(f.name, "::", ".")}, q.Args...)
	}
	t.Ran = inFolder(quoted(slices.Concat(words, []string{t.Extra["module"].(string)}, t.Args)), t.Cwd)
	return t, nil
}

// pathBelow returns the path of a file as it is written below a folder.
func pathBelow(folder, file string) string {
	rel, err := filepath.Rel(folder, file)
	if err != nil {
		rel = file
	}
	return filepath.ToSlash(rel)
}

// pythonNamed returns the tests that have a name: that of pytest, or a dotted one, which may begin with the modules
// from the folder on. Their ends count, too.
func pythonNamed(root string, files []string, tests map[string][]place, name string) (found []place) {
	for _, file := range files {
		below := strings.ReplaceAll(strings.TrimSuffix(pathBelow(root, file), ".py"), "/", ".")
		for _, t := range tests[file] {
			dotted := "." + strings.ReplaceAll(t.name, "::", ".")
			if t.name == name || strings.HasSuffix(t.name, "::"+name) || below+dotted == name ||
				strings.HasSuffix("."+moduleOf(file)+dotted, "."+name) {
				found = append(found, t)
			}
		}
	}
	return found
}

// pytestAlone returns the options that take back those of a project with which no breakpoint is hit: the coverage of
// pytest-cov has the place of the debugger, and the workers of pytest-xdist are other processes.
func pytestAlone(folder string) (options []string) {
	for _, file := range []string{"pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			continue
		}
		words := strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',=[]", r) })
		if !slices.Contains(words, "addopts") {
			continue
		}
		for _, word := range words {
			switch {
			case strings.HasPrefix(word, "--cov") && !slices.Contains(options, "--no-cov"):
				options = append(options, "--no-cov")
			case (word == "-n" || word == "--numprocesses" || word == "-nauto") && !slices.Contains(options, "-n0"):
				options = append(options, "-n0")
			}
		}
	}
	return options
}

// pytestIDs returns the ids of a test with parameters, none when pytest does not tell them.
func pytestIDs(ctx context.Context, python, folder, id string) (ids []string) {
	list, _ := output(ctx, folder, python, "-m", "pytest", "--collect-only", "-q", id)
	for line := range strings.Lines(list) {
		if line = strings.TrimRight(line, "\r\n"); strings.HasPrefix(line, id+"[") {
			ids = append(ids, line)
		}
	}
	return ids
}

// moduleOf returns the dotted name of a file, from the folder above its packages.
func moduleOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".py")
	for dir := filepath.Dir(file); IsFile(filepath.Join(dir, "__init__.py")); dir = filepath.Dir(dir) {
		name = filepath.Base(dir) + "." + name
	}
	return name
}

// hasModule reports whether an interpreter can import a module.
func hasModule(ctx context.Context, python, module string) bool {
	if python == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-c", "import importlib.util, sys; "+
		"sys.exit(importlib.util.find_spec('"+module+"') is None)")
	cmd.WaitDelay = 100 * time.Millisecond
	return cmd.Run() == nil
}
