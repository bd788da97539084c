package adapter

import (
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CheckGoProgram refuses Go source that is no program, of which Delve says only that what was built is no executable.
func CheckGoProgram(program string) error {
	what, folder := notMain(program)
	if what == "" {
		return nil
	}
	message, programs := fmt.Sprintf("program %s %s; what can be launched is a package main", program, what), goProgramsBelow(folder, goProgramsShown)
	if len(programs) > 0 {
		message += ", such as in " + strings.Join(programs, ", ")
	}
	if tests, _ := filepath.Glob(filepath.Join(folder, "*_test.go")); len(tests) > 0 {
		message += "; its tests are launched by one of their files: " + tests[0]
	}
	return Errorf(InvalidPath, "%s", message).With("path", program).With("programs", programs).With("backend", "dlv")
}

// notMain says what Go source is that is no program, and in which folder; nothing of programs, and of what the compiler knows better: files of
// which the flags of the build decide whether they are in it, for one.
func notMain(path string) (what, folder string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		found, err := build.ImportDir(path, 0)
		var none *build.NoGoError
		switch {
		case err == nil && found.Name != "main":
			return "holds package " + found.Name, path
		case errors.As(err, &none) && len(found.IgnoredGoFiles) == 0:
			return "holds no Go files", path
		}
	case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err == nil && file.Name.Name != "main" {
			return "is a file of package " + file.Name.Name, filepath.Dir(path)
		}
	}
	return "", ""
}

// Bounds of the search for programs below a folder.
const (
	goProgramsShown  = 10
	goFoldersVisited = 1000
)

// goProgramsBelow are the folders below one that hold a package main, the first few of them.
func goProgramsBelow(folder string, most int) []string {
	programs, visited := []string{}, 0
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == folder {
			return nil // what cannot be read is not searched
		}
		if visited++; visited > goFoldersVisited || len(programs) == most {
			return filepath.SkipAll
		}
		if name := d.Name(); strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" || name == "node_modules" {
			return filepath.SkipDir
		}
		if p, err := build.ImportDir(path, 0); err == nil && p.Name == "main" {
			programs = append(programs, path)
		}
		return nil
	})
	return programs
}

// holdsGo tells whether a folder is a Go module, or has Go programs further down.
func holdsGo(folder string) bool {
	return isLocalFile(filepath.Join(folder, "go.mod")) || len(goProgramsBelow(folder, 1)) > 0
}
