package view

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Source is the text of a file that the recording names.
type Source struct {
	File  string // as the recording names it
	Path  string // where it was read
	Text  string
	Newer bool // the file was changed after the recording was made
}

// Limits of what is embedded.
const (
	mostSource  = 1 << 20
	mostSources = 8 << 20
)

// sourceEndings are the files that are embedded. A recording that somebody else made can name any file of this machine,
// and the page is made to be given away: what does not look like source stays where it is.
var sourceEndings = []string{
	".asm", ".c", ".cc", ".cpp", ".cs", ".cshtml", ".cxx", ".d", ".f90", ".fs", ".go", ".h", ".hh", ".hpp", ".hxx", ".inl",
	".java", ".js", ".jsx", ".kt", ".lua", ".m", ".mm", ".pas", ".py", ".pyx", ".razor", ".rb", ".rs", ".s", ".scala", ".swift",
	".ts", ".tsx", ".vb", ".zig",
}

// FindSources reads those of the files that are here: below root, at any of the path's own endings, else where the recording
// says.
func FindSources(files []string, root string, made time.Time) []Source {
	var found []Source
	total := 0
	for _, file := range files {
		s, ok := findSource(file, root)
		if !ok || total+len(s.Text) > mostSources {
			continue
		}
		if info, err := os.Stat(s.Path); err == nil && !made.IsZero() {
			s.Newer = info.ModTime().After(made)
		}
		total += len(s.Text)
		found = append(found, s)
	}
	return found
}

func findSource(file, root string) (Source, bool) {
	if !slices.Contains(sourceEndings, strings.ToLower(filepath.Ext(file))) {
		return Source{}, false
	}
	var candidates []string
	if root != "" {
		parts := strings.FieldsFunc(file, func(c rune) bool { return c == '/' || c == '\\' })
		for i := range parts {
			if rest := filepath.Join(parts[i:]...); filepath.IsLocal(rest) {
				candidates = append(candidates, filepath.Join(root, rest))
			}
		}
	}
	if filepath.IsAbs(file) {
		candidates = append(candidates, file)
	}
	for _, path := range candidates {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > mostSource {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(text) || strings.ContainsRune(string(text), 0) {
			continue
		}
		return Source{File: file, Path: path, Text: string(text)}, true
	}
	return Source{}, false
}
