package golang

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"breakwire/adapter/sourcefile"
	"breakwire/mapping"
	programsymbols "breakwire/mapping/symbols"
)

// A Go program that was built with -trimpath names its files by module: example.com/app/main.go. So the debugger is
// told which folder each module is in.

// SourceFolders returns folders of this disk and what the program's symbols call them: those of the path maps, and
// those of the program's modules that are found in or above one of the folders near.
func SourceFolders(paths mapping.PathMap, program string, near ...string) [][2]string {
	folders := NamedFolders(paths)
	file, err := os.Open(program)
	if err != nil {
		return folders
	}
	defer file.Close()
	build, err := programsymbols.ReadGoBuild(file)
	if err != nil || !build.Trimmed {
		return folders
	}
	return append(folders, moduleFolders(build.Modules, near)...)
}

// NamedFolders returns the folders of a path map that symbols name by their module.
func NamedFolders(paths mapping.PathMap) [][2]string {
	var folders [][2]string
	for _, f := range paths.Named() {
		folders = append(folders, [2]string{f.Here, f.Named})
	}
	return folders
}

// moduleFolders returns the folders of modules, by the go.mod and go.work files in and above the folders near, and what
// the symbols call them.
func moduleFolders(modules []programsymbols.GoModule, near []string) [][2]string {
	known := map[string]string{} // the folder of a module, by its path
	for _, folder := range near {
		for at := folder; ; at = filepath.Dir(at) {
			for _, dir := range append(workspaceFolders(at), at) {
				if path := modulePath(filepath.Join(dir, "go.mod")); path != "" && known[path] == "" {
					known[path] = dir
				}
			}
			if filepath.Dir(at) == at {
				break
			}
		}
	}
	var folders [][2]string
	for i, m := range modules {
		switch here := known[m.Path]; {
		case m.Folder != "" && filepath.IsAbs(m.Folder):
			folders = append(folders, [2]string{filepath.Clean(m.Folder), m.Name})
		case m.Folder != "":
			if main := known[modules[0].Path]; i > 0 && main != "" {
				folders = append(folders, [2]string{filepath.Join(main, filepath.FromSlash(m.Folder)), m.Name})
			}
		case here != "":
			folders = append(folders, [2]string{here, m.Name})
		}
	}
	// A module inside another one's folder comes first: the debugger takes the first that fits.
	slices.SortStableFunc(folders, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	return folders
}

// modulePath returns the path of the module that a go.mod describes; "" when there is none.
func modulePath(file string) string {
	for _, words := range directives(file) {
		if len(words) == 2 && words[0] == "module" {
			return words[1]
		}
	}
	return ""
}

// workspaceFolders returns the folders that the go.work of a folder uses.
func workspaceFolders(folder string) []string {
	var folders []string
	inUse := false
	for _, words := range directives(filepath.Join(folder, "go.work")) {
		switch {
		case words[0] == "use" && len(words) == 2 && words[1] == "(":
			inUse = true
		case words[0] == ")":
			inUse = false
		case words[0] == "use" && len(words) == 2:
			folders = append(folders, filepath.Join(folder, filepath.FromSlash(words[1])))
		case inUse:
			folders = append(folders, filepath.Join(folder, filepath.FromSlash(words[0])))
		}
	}
	return folders
}

// directives returns the lines of a go.mod or go.work as words, without comments and quotes.
func directives(file string) [][]string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var lines [][]string
	for s := bufio.NewScanner(f); s.Scan(); {
		text, _, _ := strings.Cut(s.Text(), "//")
		words := strings.Fields(text)
		for i := range words {
			words[i] = strings.Trim(words[i], "\"`")
		}
		if len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines
}

// ExplainFile adds to a refusal of a file that the program's symbols do not name which path map would help.
// reader reads source files: the program names some of them, so they are not trusted.
func ExplainFile(program *os.File, file string, build programsymbols.GoBuild, reader sourcefile.Reader) string {
	names, _ := programsymbols.GoFiles(program, mapping.Base(file))
	why := ""
	if build.Trimmed {
		why = "; the program was built with -trimpath, so it names its files by module"
	}
	f, ok := mapping.GuessSourceFolder(file, names)
	switch {
	case ok && !differ(reader, file, f.Named+strings.TrimPrefix(file, f.Here)):
		return why + fmt.Sprintf("; start the server with --path-map %s=%s, since the program has a file %s in %s", f.Named,
			f.Here, mapping.Base(file), f.Named)
	case len(names) > 0:
		return why + "; the program names a file " + names[0]
	}
	return why + "; the program was built without a file of this name"
}

// differ reports whether two files are both here with other contents: then the one is no moved source of the other.
func differ(reader sourcefile.Reader, a, b string) bool {
	first, _, err := reader.Read(a)
	second, _, err2 := reader.Read(b)
	return err == nil && err2 == nil && !bytes.Equal(first, second)
}
