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
			open = append(open, scope{len(m[1]), m[3], strings.Contains(m[4], "TestCase")})
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

// pythonTest returns how a test is run by pytest, or by unittest where there is no pytest.
func pythonTest(ctx context.Context, q TestQuery) (*Test, error) {
	name, root := q.Name, q.Program
	var files []string
	if IsFile(q.Program) {
		files, root = []string{q.Program}, filepath.Dir(q.Program)
	}
	if file, rest, ok := strings.Cut(name, ".py::"); ok {
		name = rest
		if len(files) == 0 {
			files = []string{filepath.Join(root, filepath.FromSlash(file+".py"))}
		}
	}
	if len(files) == 0 {
		files = pythonTestFiles(root)
	}
	plain, parameters, _ := strings.Cut(name, "[") // of a parametrized test
	if parameters != "" {
		parameters = "[" + parameters
	}
	var found []place
	var known []string
	units := map[string]bool{}
	for _, file := range files {
		tests, unit := pythonTests(file)
		units[file] = unit
		for _, t := range tests {
			id := moduleOf(file) + "." + strings.ReplaceAll(t.name, "::", ".")
			if known = append(known, t.name); t.name == plain || strings.HasSuffix(t.name, "::"+plain) ||
				id == plain || strings.HasSuffix(id, "."+plain) {
				found = append(found, t)
			}
		}
	}
	if len(found) == 0 {
		return nil, unknownTest(q, q.Program, known)
	}
	if len(found) > 1 {
		ids := make([]string, len(found))
		for i, f := range found {
			rel, _ := filepath.Rel(root, f.file)
			ids[i] = filepath.ToSlash(rel) + "::" + f.name
		}
		return nil, severalTests(q, ids)
	}
	f := found[0]
	python := q.Python(filepath.Dir(f.file))
	if err := q.MayRun(cmp.Or(python, "python"), f.file); err != nil {
		return nil, err
	}
	t := &Test{Backend: "debugpy", Entry: Entry{File: f.file, Line: f.line}}
	if hasModule(ctx, python, "pytest") || !units[f.file] {
		t.Cwd = root
		if from, err := filepath.Rel(root, f.file); err == nil {
			f.file = filepath.ToSlash(from)
		}
		t.Extra = map[string]any{"module": "pytest"}
		t.Args = append([]string{f.file + "::" + f.name + parameters, "-s"}, q.Args...)
	} else {
		module := moduleOf(f.file)
		t.Cwd = filepath.Dir(f.file)
		for range strings.Count(module, ".") {
			t.Cwd = filepath.Dir(t.Cwd)
		}
		t.Extra = map[string]any{"module": "unittest"}
		t.Args = append([]string{"-v", module + "." + strings.ReplaceAll(f.name, "::", ".")}, q.Args...)
	}
	t.Ran = inFolder(quoted(append([]string{"python", "-m", t.Extra["module"].(string)}, t.Args...)), t.Cwd)
	return t, nil
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
