package python

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Sources is what the Python sources of a program define. The zero value is of no source.
type Sources struct {
	names   map[string]bool   // what def and class name; immutable
	resumed map[string]string // coroutines and generators: where they begin; "" of a name that others have too
	sources int               // files that were read
	bytes   int64
	entries int  // of folders
	more    bool // the limits left something out
}

// Limits of the sources of one program.
const (
	maxSources = 2000
	maxBytes   = 32 << 20
	maxEntries = 20_000
)

// definition matches a line that defines a function or class.
var definition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:(?:async[ \t]+)?(def)|class)[ \t]+([\pL_][\pL\pN_]*)`)
})

// namesIn returns the names of the functions and of the classes that a source defines.
func namesIn(source []byte) (functions, classes []string) {
	for _, m := range definition().FindAllSubmatch(source, -1) {
		if len(m[1]) > 0 {
			functions = append(functions, string(m[2]))
		} else {
			classes = append(classes, string(m[2]))
		}
	}
	return functions, classes
}

// resumedAt returns the lines of the coroutines and generators that a source defines, by name: 0 for a name that an
// ordinary function has, too.
func resumedAt(source []byte) map[string]int {
	lines := strings.Split(string(source), "\n")
	at := map[string]int{}
	for i, line := range lines {
		m := definition().FindStringSubmatch(line)
		if m == nil || m[1] == "" {
			continue
		}
		number := i + 1
		if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "async") && !yields(lines[i:]) {
			number = 0
		}
		if _, again := at[m[2]]; !again || number == 0 {
			at[m[2]] = number
		}
	}
	return at
}

// yields reports whether the function that begins in the first line is a generator. A yield of a function inside it
// counts too.
func yields(lines []string) bool {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if i > 0 && text != "" && indent(line) <= indent(lines[0]) && !strings.HasPrefix(text, ")") {
			return false
		}
		if code, _, _ := strings.Cut(text, "#"); yieldWord().MatchString(code) {
			return true
		}
	}
	return false
}

var yieldWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[=(:,]|return )\s*yield\b`)
})

// Misses reports whether the sources were read and define no function or class of that name. Names as <lambda> are
// defined nowhere.
func (p Sources) Misses(function string) bool {
	return p.sources > 0 && !p.names[function] && !strings.HasPrefix(function, "<")
}

// String says how many sources that are, for a message.
func (p Sources) String() string {
	switch {
	case p.more:
		return fmt.Sprintf("the %d source files that were read", p.sources)
	case p.sources == 1:
		return "the source file"
	}
	return fmt.Sprintf("the %d source files", p.sources)
}

// Resumed returns where the coroutine or generator of a name begins, FILE:LINE; "" for other functions, and for a name
// that others have, too.
func (p Sources) Resumed(function string) string { return p.resumed[function] }

// Read returns the sources with those of more files, and of the files in folders, and the functions that these define.
// once reports whether a file or folder was not read before.
func (p Sources) Read(files, folders []string, once func(path string) bool) (scan Sources, functions []string) {
	scan = p
	var all []string
	resumed := maps.Clone(scan.resumed)
	if resumed == nil {
		resumed = map[string]string{}
	}
	read := func(path string) {
		if !isSource(path) || !once(path) {
			return
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return
		}
		if scan.sources == maxSources || scan.bytes+info.Size() > maxBytes {
			scan.more = true
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			scan.more = true
			return
		}
		scan.sources, scan.bytes = scan.sources+1, scan.bytes+int64(len(text))
		own, classes := namesIn(text)
		for name, line := range resumedAt(text) {
			where, known := resumed[name]
			switch {
			case line == 0:
				resumed[name] = ""
			case !known || where != "":
				resumed[name] = fmt.Sprintf("%s:%d", filepath.Base(path), line)
			}
		}
		functions, all = append(functions, own...), append(append(all, own...), classes...)
	}
	for _, file := range files {
		read(file)
	}
	for _, folder := range folders {
		if !filepath.IsAbs(folder) || !once(folder) {
			continue
		}
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch scan.entries++; {
			case scan.entries > maxEntries:
				scan.more = true
				return fs.SkipAll
			case err != nil:
				return nil
			case d.IsDir() && path != folder && skipsFolder(d.Name()):
				return fs.SkipDir
			case !d.IsDir():
				read(path)
			}
			return nil
		})
	}
	if len(all) == 0 && scan.names != nil {
		return p, nil
	}
	names := make(map[string]bool, len(scan.names)+len(all))
	for name := range scan.names {
		names[name] = true
	}
	for _, name := range all {
		names[name] = true
	}
	scan.names, scan.resumed = names, resumed
	return scan, functions
}

func isSource(path string) bool {
	return filepath.IsAbs(path) && strings.EqualFold(filepath.Ext(path), ".py")
}

// skipsFolder reports whether a folder has no sources of the program itself.
func skipsFolder(name string) bool {
	return strings.HasPrefix(name, ".") ||
		slices.Contains([]string{"__pycache__", "node_modules", "site-packages", "dist-packages", "venv"}, name)
}
