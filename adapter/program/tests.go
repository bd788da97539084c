package program

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/mapping"
)

// TestQuery asks for a test by its name.
type TestQuery struct {
	Name    string
	Program string // project, package, file, folder or executable of the test
	Args    []string
	// MayRun returns an error when one of these may not be used: the programs that are run to find the test or to run
	// it, and the files that say what they run. A name without a folder is a program that was not found.
	MayRun func(files ...string) error
	// Python returns the interpreter for programs of a folder.
	Python func(folder string) string
	Line   func(string) // receives the lines of a build
}

// Test is a test, and how it is run under a debugger.
type Test struct {
	Backend string
	Program string
	Args    []string
	Cwd     string
	Env     map[string]*string
	Extra   map[string]any
	Entry   Entry
	Ran     string // the command in words, as a user would type it
	Build   *Build
	Host    *TestHost // a command whose process is attached to; nil: Program is launched
	uses    []string  // files that run besides Program
}

// Entry is the place that counts as the entry of a program. The zero value is the debugger's own.
type Entry struct {
	File     string
	Line     int
	Function string
}

// place is a test in a source file.
type place struct {
	name string
	file string
	line int
}

// FindTest returns how a test is run.
func FindTest(ctx context.Context, q TestQuery) (*Test, error) {
	q.Program = strings.TrimSuffix(q.Program, string(filepath.Separator)+"...") // of go test: and the packages below
	info, err := os.Stat(q.Program)
	if err != nil {
		return nil, fault.Errorf(fault.InvalidPath, "program %s: %v; give the project, folder or file of the test", q.Program,
			PathReason(err)).With("path", q.Program)
	}
	folder, has := q.Program, func(pattern string) bool { return len(FilesIn(q.Program, pattern)) > 0 }
	if !info.IsDir() {
		folder, has = filepath.Dir(q.Program), func(string) bool { return false }
	}
	base := strings.ToLower(filepath.Base(q.Program))
	switch ext := filepath.Ext(base); {
	case ext == ".py", strings.Contains(q.Name, ".py::"):
		return pythonTest(ctx, q)
	case IsNodeSource(base), base == "package.json":
		return nodeTestBy(q)
	case ext == ".go", has("*_test.go"), has("go.mod") && isGoTestName(q.Name):
		return goTest(q, folder)
	case ext == ".rs", base == "cargo.toml", has("Cargo.toml"):
		return cargoTest(ctx, q, folder)
	case isProject(base), ext == ".sln", ext == ".slnx", has("*.csproj"), has("*.fsproj"), has("*.vbproj"), has("*.sln"):
		return dotnetTest(q, folder)
	case has("CTestTestfile.cmake"):
		return ctestTest(ctx, q)
	case info.IsDir() && (HoldsGo(q.Program) || isGoTestName(q.Name) && len(goTestFiles(q.Program)) > 0):
		return goTest(q, folder)
	case info.IsDir() && (HoldsPackage(q.Program) || len(pythonTestFiles(q.Program)) == 0 &&
		len(nodeTestFiles(q.Program)) > 0):
		return nodeTestBy(q)
	case has("CMakeLists.txt") && len(pythonTestFiles(q.Program)) == 0:
		return cmakeTest(ctx, q)
	case info.IsDir():
		return pythonTest(ctx, q)
	case isGoTestBinary(q.Program):
		run, _ := goPattern(q.Name)
		return &Test{Backend: "dlv", Program: q.Program, Args: append(run, GoTestArgs(q.Args)...),
			Ran: strings.Join(append([]string{q.Program}, run...), " ")}, nil
	}
	return nativeTest(ctx, q)
}

// onPath returns the executable that a command runs; the command itself when there is none.
func onPath(command string) string {
	if found, err := exec.LookPath(command); err == nil {
		return found
	}
	return command
}

// unknownTest is the error for a name that matches nothing. It lists the nearest names.
func unknownTest(q TestQuery, where string, known []string) error {
	slices.Sort(known)
	known = slices.Compact(known)
	if len(known) == 0 {
		return fault.Errorf(fault.InvalidParameter, "there are no tests in %s", where).With("parameter", "test")
	}
	const shown = 10
	near := mapping.Near(q.Name, known)
	near = near[:min(len(near), shown)]
	return fault.Errorf(fault.InvalidParameter, "no test in %s is named %s; the nearest of %d: %s", where, q.Name,
		len(known), strings.Join(near, ", ")).With("parameter", "test").With("nearest", near)
}

// severalTests is the error for a name that matches several tests.
func severalTests(q TestQuery, found []string) error {
	return fault.Errorf(fault.InvalidParameter, "%d tests are named %s; give one of %s", len(found), q.Name,
		strings.Join(found, ", ")).With("parameter", "test").With("tests", found)
}

// quoted returns words as a shell would take them, for reading.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.ContainsAny(w, " '\"$*?[]()^|&;<>\\") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

func inFolder(command, folder string) string { return fmt.Sprintf("%s (in %s)", command, folder) }

// filesBelow returns the wanted files of a folder and of the folders in it, but for hidden ones and those named in
// skip. It looks at 4,000 folders at most.
func filesBelow(folder string, skip []string, wanted func(path string) bool) []string {
	var files []string
	visited := 0
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // what cannot be read is not searched
		case !d.IsDir():
			if wanted(path) {
				files = append(files, path)
			}
		case path != folder && (strings.HasPrefix(d.Name(), ".") || slices.Contains(skip, d.Name())):
			return filepath.SkipDir
		default:
			if visited++; visited > 4000 {
				return filepath.SkipAll
			}
		}
		return nil
	})
	return files
}
