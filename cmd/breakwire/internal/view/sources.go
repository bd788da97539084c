package view

import (
	"path/filepath"
	"strings"
	"time"

	"breakwire/adapter/sourcefile"
)

// Source is the text of a file that the recording names.
type Source struct {
	File  string // as the recording names it
	Path  string // the file that was read
	Text  string
	Newer bool // the file was changed after the recording
}

// Limits of the embedded sources.
const (
	mostSource  = 1 << 20
	mostSources = 8 << 20
)

// FindSources reads the files that exist below root, by any trailing part of their path. A recording from somebody
// else can name any file of this machine, and the page is meant to be shared. So without a root no file is read, and
// files that are not source are skipped.
func FindSources(files []string, root string, made time.Time) []Source {
	if root == "" {
		return nil
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil
	}
	var found []Source
	total := 0
	for _, file := range files {
		s, ok := findSource(file, root, made)
		if !ok || total+len(s.Text) > mostSources {
			continue
		}
		total += len(s.Text)
		found = append(found, s)
	}
	return found
}

func findSource(file, root string, made time.Time) (Source, bool) {
	r := sourcefile.Reader{Most: mostSource, Sources: true, Limited: true, Below: []string{root}}
	parts := strings.FieldsFunc(file, func(c rune) bool { return c == '/' || c == '\\' })
	for i := range parts {
		rest := filepath.Join(parts[i:]...)
		if !filepath.IsLocal(rest) {
			continue
		}
		path := filepath.Join(root, rest)
		text, info, err := r.Read(path)
		if err != nil {
			continue
		}
		newer := !made.IsZero() && info.ModTime().After(made)
		return Source{File: file, Path: path, Text: string(text), Newer: newer}, true
	}
	return Source{}, false
}
