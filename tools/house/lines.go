package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxColumns is the longest source line. A tab counts as one column, as in golangci's lll.
const maxColumns = 120

// goFiles lists the Go files that git tracks, relative to root.
func goFiles(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--", "*.go")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the Go files of %s: %w", root, err)
	}
	var files []string
	for f := range strings.SplitSeq(string(out), "\x00") {
		if _, err := os.Lstat(filepath.Join(root, f)); f != "" && err == nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// longLines lists the lines of files that are too long.
func longLines(root string, files []string) ([]string, error) {
	var long []string
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			return nil, err
		}
		long = append(long, tooLong(f, string(text))...)
	}
	return long, nil
}

// tooLong lists the lines of one file that are too long. Generated files are skipped.
func tooLong(name, text string) []string {
	if strings.HasPrefix(text, "// Code generated ") {
		return nil
	}
	var long []string
	for i, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\r")); n > maxColumns {
			long = append(long, fmt.Sprintf("%s:%d: %d columns", name, i+1, n))
		}
	}
	return long
}
