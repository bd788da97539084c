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
	info, err := os.Stat(program)
	if err != nil {
		return nil
	}
	what, folder := "", program
	var none *build.NoGoError
	switch found, err := build.ImportDir(folder, 0); {
	case !info.IsDir():
		folder = filepath.Dir(program)
		if !strings.HasSuffix(program, ".go") || strings.HasSuffix(program, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), program, nil, parser.PackageClauseOnly)
		if err != nil || file.Name.Name == "main" {
			return nil
		}
		what = "is a file of package " + file.Name.Name
	case err == nil && found.Name != "main":
		what = "holds package " + found.Name
	case errors.As(err, &none):
		what = "holds no Go files"
	default:
		return nil // a program, or the compiler knows better what is wrong
	}
	message, programs := fmt.Sprintf("program %s %s; what can be launched is a package main", program, what), goProgramsBelow(folder)
	if len(programs) > 0 {
		message += ", such as in " + strings.Join(programs, ", ")
	}
	return Errorf(InvalidPath, "%s", message).With("path", program).With("programs", programs).With("backend", "dlv")
}

// Bounds of the search for programs below a folder.
const (
	goProgramsShown  = 10
	goFoldersVisited = 1000
)

// goProgramsBelow are the folders below one that hold a package main.
func goProgramsBelow(folder string) []string {
	programs, visited := []string{}, 0
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == folder {
			return nil // what cannot be read is not searched
		}
		if visited++; visited > goFoldersVisited || len(programs) == goProgramsShown {
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
	return isLocalFile(filepath.Join(folder, "go.mod")) || len(goProgramsBelow(folder)) > 0
}
