package program

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"breakwire/adapter/fault"
)

// listPatience bounds a test program that lists its tests.
const listPatience = 30 * time.Second

// nativeRunner returns the library with which a native test program was built, by the names in it: gtest or catch, ""
// for another one.
func nativeRunner(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 256<<20))
	switch {
	case err != nil:
		return ""
	case bytes.Contains(text, []byte("gtest")):
		return "gtest"
	case bytes.Contains(text, []byte("Catch")):
		return "catch"
	}
	return ""
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
	runner := nativeRunner(q.Program)
	if runner == "" {
		return nil, fault.Errorf(fault.InvalidParameter, "%s has neither GoogleTest nor Catch2, as far as it shows; name "+
			"the test in args, as its runner takes it", q.Program).With("parameter", "test").With("path", q.Program)
	}
	if err := q.MayRun(q.Program); err != nil {
		return nil, err
	}
	folder := filepath.Dir(q.Program)
	t := &Test{Backend: "lldb-dap", Program: q.Program, Cwd: folder}
	var known []string
	if runner == "gtest" {
		list, err := output(ctx, folder, q.Program, "--gtest_list_tests")
		if known = gtestNames(list); len(known) == 0 && err != nil {
			return nil, cannotList(q, err)
		}
	} else {
		// Version 3 prints names only when it is quiet; version 2 has a flag of its own, and exits with the count.
		list, err := output(ctx, folder, q.Program, "--list-tests", "--verbosity", "quiet")
		if known = catchNames(list); err != nil || len(known) == 0 {
			list, err = output(ctx, folder, q.Program, "--list-test-names-only")
			if known = catchNames(list); len(known) == 0 && err != nil {
				return nil, cannotList(q, err)
			}
		}
	}
	found := named(q.Name, known, func(k string) bool {
		return strings.HasSuffix(k, "."+q.Name) && runner == "gtest"
	})
	switch {
	case len(found) == 0:
		return nil, unknownTest(q, q.Program, known)
	case len(found) > 1:
		return nil, severalTests(q, found)
	case runner == "gtest":
		t.Args = append([]string{"--gtest_filter=" + found[0], "--gtest_color=no"}, q.Args...)
		if suite, name, _ := strings.Cut(found[0], "."); !strings.Contains(found[0], "/") {
			t.Entry.Function = suite + "_" + name + "_Test::TestBody"
		}
	default:
		t.Args = append([]string{catchPattern(found[0])}, q.Args...)
	}
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
		if c.Name != q.Name || len(c.Command) == 0 {
			continue
		}
		t := &Test{Program: c.Command[0], Args: append(slices.Clone(c.Command[1:]), q.Args...), Cwd: q.Program,
			Env: map[string]*string{}}
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
	return nil, unknownTest(q, q.Program, known)
}
