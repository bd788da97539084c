package program

import (
	"breakwire/adapter/fault"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CheckGo refuses Go source that is not a program. Delve would only report that the build result is not an
// executable.
func CheckGo(program string) error {
	what, folder := notMain(program)
	if what == "" {
		return nil
	}
	message, programs := fmt.Sprintf("program %s %s; what can be launched is a package main", program, what),
		goProgramsBelow(folder, goProgramsShown)
	if len(programs) > 0 {
		message += ", such as in " + strings.Join(programs, ", ")
	}
	if tests := FilesIn(folder, "*_test.go"); len(tests) > 0 {
		message += "; its tests are launched by one of their files: " + tests[0]
	}
	return fault.Errorf(fault.InvalidPath, "%s", message).With("path", program).With("programs", programs).
		With("backend", "dlv")
}

// notMain returns what Go source is when it is not a program, and its folder. It returns "" for programs and where only
// the compiler can tell: for files that build flags include, for example.
func notMain(path string) (what, folder string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		files := FilesIn(path, "*.go")
		if files = slices.DeleteFunc(files, isGoTest); len(files) == 0 {
			return "holds no Go files", path
		}
		library := ""
		for _, file := range files {
			switch name, ignored, ok := goPackage(file); {
			case ignored:
			case !ok, name == "main":
				return "", ""
			default:
				library = name
			}
		}
		if library != "" {
			return "holds package " + library, path
		}
	case strings.HasSuffix(path, ".go") && !isGoTest(path):
		if name, _, ok := goPackage(path); ok && name != "main" {
			return "is a file of package " + name, filepath.Dir(path)
		}
	}
	return "", ""
}

func isGoTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// goPackage returns the package name in a file, and whether the file is excluded from all builds. go/build also knows
// what this system's builds exclude, but would be a twentieth of our binary's size.
func goPackage(file string) (name string, ignored, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", false, false
	}
	base := filepath.Base(file)
	ignored = base[0] == '_' || base[0] == '.'
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(file, -1, len(text)), text, nil, scanner.ScanComments)
	_, tok, comment := s.Scan()
	for ; tok == token.COMMENT; _, tok, comment = s.Scan() {
		ignored = ignored || strings.TrimSpace(comment) == "//go:build ignore"
	}
	if tok != token.PACKAGE {
		return "", ignored, false
	}
	_, tok, name = s.Scan()
	return name, ignored, tok == token.IDENT
}

// Limits of the search for programs below a folder.
const (
	goProgramsShown  = 10
	goFoldersVisited = 1000
)

// goProgramsBelow returns the first folders below a folder that contain a package main.
func goProgramsBelow(folder string, most int) []string {
	programs, visited := []string{}, 0
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == folder {
			return nil // what cannot be read is not searched
		}
		if visited++; visited > goFoldersVisited || len(programs) == most {
			return filepath.SkipAll
		}
		if name := d.Name(); strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" ||
			name == "vendor" || name == "node_modules" {
			return filepath.SkipDir
		}
		files := FilesIn(path, "*.go")
		isMain := func(file string) bool {
			name, ignored, ok := goPackage(file)
			return ok && !ignored && name == "main" && !isGoTest(file)
		}
		if slices.ContainsFunc(files, isMain) {
			programs = append(programs, path)
		}
		return nil
	})
	return programs
}

// HoldsGo reports whether a folder is a Go module or has Go programs below it.
func HoldsGo(folder string) bool {
	return IsFile(filepath.Join(folder, "go.mod")) || len(goProgramsBelow(folder, 1)) > 0
}

// FilesIn returns the files below a folder that match a pattern. The folder's name is not part of the pattern.
func FilesIn(folder, pattern string) []string {
	files, _ := fs.Glob(os.DirFS(folder), pattern)
	for i, file := range files {
		files[i] = filepath.Join(folder, filepath.FromSlash(file))
	}
	return files
}
