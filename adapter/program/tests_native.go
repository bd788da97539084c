package program

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
)

// listPatience bounds a test program that lists its tests.
const listPatience = 30 * time.Second

// nativeSource are the endings of sources from which native programs are built.
const nativeSource = ".c .cc .cpp .cxx .c++ .h .hh .hpp .hxx .m .mm .ixx"

// nativeRunner returns the library with which a native test program was built, by the names in it: gtest or catch, ""
// for another one.
func nativeRunner(text []byte) string {
	switch {
	case bytes.Contains(text, []byte("gtest")):
		return "gtest"
	case bytes.Contains(text, []byte("Catch")):
		return "catch"
	}
	return ""
}

// textOf returns the bytes of a program, nil when it cannot be read.
func textOf(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 256<<20))
	if err != nil {
		return nil
	}
	return text
}

// output runs a program of tests or a build tool, in a folder, and returns what it prints.
func output(ctx context.Context, folder, exe string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir, cmd.WaitDelay = folder, time.Second
	endWithGroup(cmd)
	out, err := cmd.Output()
	return string(out), err
}

// gtestFunction returns the function of a test of GoogleTest, "" when the program has none that is known. kind is the
// type of a typed test. Suites are named PREFIX/SUITE, typed ones SUITE/NUMBER; the values of a test follow its name.
func gtestFunction(text []byte, test, kind string) string {
	suite, name, _ := strings.Cut(test, ".")
	name, _, _ = strings.Cut(name, "/")
	parts := strings.Split(suite, "/")
	class := parts[len(parts)-1]
	typed := len(parts) > 1 && strings.Trim(class, "0123456789") == ""
	if typed {
		class = parts[len(parts)-2]
	}
	class += "_" + name + "_Test"
	mangled, function := strconv.Itoa(len(class))+class, class+"::TestBody"
	if typed {
		if kind == "" || strings.ContainsAny(kind, "<(") { // which a debugger may write in another way
			return ""
		}
		mangled, function = mangled+"I", class+"<"+kind+">::TestBody"
	} else {
		mangled += "8TestBodyEv"
	}
	if bytes.HasPrefix(text, []byte("\x7fELF")) && !bytes.Contains(text, []byte(mangled)) {
		return ""
	}
	return function
}

// gtestKind matches the type in the list of a typed suite.
var gtestKind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(\S+)\.\s+# TypeParam = (.*?)\r?$`)
})

// gtestNames returns the tests of a list of GoogleTest: suites, and below them their tests.
func gtestNames(list string) []string {
	var names []string
	suite := ""
	for line := range strings.Lines(list) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), "#")
		name := strings.TrimSpace(line)
		switch {
		case name == "":
		case strings.HasPrefix(line, "  ") && suite != "":
			names = append(names, suite+name)
		case strings.HasSuffix(name, "."):
			suite = name
		}
	}
	return names
}

// catchNames returns the tests of a list of Catch2, one a line.
func catchNames(list string) []string {
	var names []string
	for line := range strings.Lines(list) {
		if name := strings.TrimSpace(line); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// catchPattern escapes the name of a test for Catch2's command line.
func catchPattern(name string) string {
	return strings.NewReplacer(`\`, `\\`, ",", `\,`, "[", `\[`, "*", `\*`).Replace(name)
}

// nativeTest returns how a test of a program with GoogleTest or Catch2 is run.
func nativeTest(ctx context.Context, q TestQuery) (*Test, error) {
	if slices.Contains(strings.Fields(nativeSource), strings.ToLower(filepath.Ext(q.Program))) {
		return nil, fault.Errorf(fault.InvalidParameter, "%s is source; give the test program that is built from it, or "+
			"the build folder of CMake", q.Program).With("parameter", "program").With("path", q.Program)
	}
	text := textOf(q.Program)
	runner := nativeRunner(text)
	if runner == "" {
		return nil, fault.Errorf(fault.InvalidParameter, "%s has neither GoogleTest nor Catch2, as far as it shows; name "+
			"the test in args, as its runner takes it", q.Program).With("parameter", "test").With("path", q.Program)
	}
	if err := q.MayRun(q.Program); err != nil {
		return nil, err
	}
	folder := filepath.Dir(q.Program)
	t := &Test{Backend: "lldb-dap", Program: q.Program, Cwd: folder}
	var found, known []string
	if runner == "gtest" {
		list, err := output(ctx, folder, q.Program, "--gtest_list_tests")
		if known = gtestNames(list); len(known) == 0 && err != nil {
			return nil, cannotList(q, err)
		}
		found = named(q.Name, known, func(k string) bool {
			return strings.HasSuffix(k, "."+q.Name) || strings.Contains(q.Name, ".") && strings.HasSuffix(k, "/"+q.Name)
		})
		if len(found) == 1 {
			kind, suite := "", strings.Split(found[0], ".")[0]
			for _, m := range gtestKind().FindAllStringSubmatch(list, -1) {
				if m[1] == suite {
					kind = m[2]
				}
			}
			t.Args = []string{"--gtest_filter=" + found[0], "--gtest_color=no"}
			if strings.Contains(found[0], "DISABLED_") {
				t.Args = append(t.Args, "--gtest_also_run_disabled_tests")
			}
			t.Entry.Function = gtestFunction(text, found[0], kind)
		}
	} else {
		// Version 3 prints names only when it is quiet; version 2 has a flag of its own, and exits with the count.
		ask, plain := []string{"--list-tests", "--verbosity", "quiet"}, []string{"--colour-mode", "none"}
		list, err := output(ctx, folder, q.Program, ask...)
		if known = catchNames(list); err != nil || len(known) == 0 {
			ask, plain = []string{"--list-test-names-only"}, []string{"--use-colour", "no"}
			list, err = output(ctx, folder, q.Program, ask...)
			if known = catchNames(list); len(known) == 0 && err != nil {
				return nil, cannotList(q, err)
			}
		}
		if !slices.Contains(known, q.Name) { // hidden ones are listed by their name only
			list, _ = output(ctx, folder, q.Program, append(ask, catchPattern(q.Name))...)
			known = append(known, catchNames(list)...)
		}
		found = named(q.Name, known, func(string) bool { return false })
		t.Args = append([]string{catchPattern(q.Name)}, plain...)
	}
	switch {
	case len(found) == 0:
		return nil, unknownTest(q, q.Program, known)
	case len(found) > 1:
		return nil, severalTests(q, found)
	}
	t.Args = append(t.Args, q.Args...)
	t.Ran = quoted(append([]string{q.Program}, t.Args...))
	return t, nil
}

// named returns the names that equal a name, else those that also fit.
func named(name string, known []string, also func(string) bool) []string {
	if slices.Contains(known, name) {
		return []string{name}
	}
	var found []string
	for _, k := range known {
		if also(k) {
			found = append(found, k)
		}
	}
	return found
}

func cannotList(q TestQuery, err error) error {
	return fault.Errorf(fault.LaunchFailed, "%s does not list its tests: %v", q.Program, err).With("path", q.Program)
}

// ctestTest returns how a test of a CMake build folder is run: by the command that ctest knows.
func ctestTest(ctx context.Context, q TestQuery) (*Test, error) {
	if err := q.MayRun(onPath("ctest"), filepath.Join(q.Program, "CTestTestfile.cmake")); err != nil {
		return nil, err
	}
	list, err := output(ctx, q.Program, "ctest", "--show-only=json-v1")
	var doc struct {
		Tests []struct {
			Name       string
			Command    []string
			Properties []struct {
				Name  string
				Value any
			}
		}
	}
	if err == nil {
		err = json.Unmarshal([]byte(list), &doc)
	}
	if err != nil {
		return nil, cannotList(q, err)
	}
	var known []string
	for _, c := range doc.Tests {
		known = append(known, c.Name)
		if c.Name != q.Name {
			continue
		}
		if len(c.Command) == 0 {
			return nil, notBuilt(q, "the program of "+q.Name+" is")
		}
		t := &Test{Program: c.Command[0], Args: append(slices.Clone(c.Command[1:]), q.Args...), Cwd: q.Program,
			Env: map[string]*string{"GTEST_COLOR": new("no")}}
		for _, arg := range c.Command[1:] {
			if filter, ok := strings.CutPrefix(arg, "--gtest_filter="); ok && !strings.ContainsAny(filter, "*?:-") {
				t.Entry.Function = gtestFunction(textOf(t.Program), filter, "")
			}
		}
		for _, p := range c.Properties {
			switch v := p.Value.(type) {
			case string:
				if p.Name == "WORKING_DIRECTORY" {
					t.Cwd = v
				}
			case []any:
				for _, item := range v {
					text, _ := item.(string)
					if name, value, ok := strings.Cut(text, "="); ok && p.Name == "ENVIRONMENT" {
						t.Env[name] = &value
					}
				}
			}
		}
		t.Ran = inFolder(quoted(append([]string{t.Program}, t.Args...)), t.Cwd)
		return t, q.MayRun(onPath(t.Program))
	}
	if slices.ContainsFunc(known, func(k string) bool { return strings.HasSuffix(k, "_NOT_BUILT") }) {
		return nil, notBuilt(q, "programs that ctest asks for their tests are")
	}
	return nil, unknownTest(q, q.Program, known)
}

func notBuilt(q TestQuery, what string) error {
	return fault.Errorf(fault.LaunchFailed, "%s not built yet; run cmake --build %s", what, q.Program).
		With("path", q.Program)
}

// cmakeTest returns how a test of a CMake project is run: by the build folder in it, when there is one only.
func cmakeTest(ctx context.Context, q TestQuery) (*Test, error) {
	var folders []string
	for _, pattern := range []string{"*/CMakeCache.txt", "*/*/CMakeCache.txt"} { // build, out/build, build/debug
		for _, file := range FilesIn(q.Program, pattern) {
			folders = append(folders, filepath.Dir(file))
		}
	}
	switch len(folders) {
	case 0:
		return nil, fault.Errorf(fault.InvalidPath, "%s has no build folder of CMake; run cmake -B build -S . and cmake "+
			"--build build there, or give the test program", q.Program).With("path", q.Program)
	case 1:
		q.Program = folders[0]
		return ctestTest(ctx, q)
	}
	return nil, fault.Errorf(fault.InvalidParameter, "%s has %d build folders; give one of these as program: %s",
		q.Program, len(folders), strings.Join(folders, ", ")).With("parameter", "program").With("folders", folders)
}
