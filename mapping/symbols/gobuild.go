package symbols

import (
	"debug/buildinfo"
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"io"
	"path"
	"slices"
	"strings"
)

// GoBuild is how a Go program was built, as far as it decides what a debugger can show.
type GoBuild struct {
	Optimised bool // without -gcflags="-N -l"
	Stripped  bool // without debug information
	Trimmed   bool // with -trimpath: files are named by module
}

// ReadGoBuild reads how a program was built. An executable without information of Go's linker is an error.
func ReadGoBuild(program io.ReaderAt) (GoBuild, error) {
	info, err := buildinfo.Read(program)
	if err != nil {
		return GoBuild{}, err
	}
	b := GoBuild{Optimised: true, Stripped: !hasDebugInfo(program)}
	for _, s := range info.Settings {
		switch s.Key {
		case "-gcflags":
			b.Optimised = !strings.Contains(s.Value, "-N")
		case "-trimpath":
			b.Trimmed = s.Value == "true"
		}
	}
	if len(info.Settings) == 0 { // not built by the go command
		b.Optimised = false
	}
	return b, nil
}

// hasDebugInfo reports whether an executable has a section with debug information. Its name is .debug_info, or
// .zdebug_info when it is compressed; Mach-O writes __ for the dot.
func hasDebugInfo(program io.ReaderAt) bool {
	var sections []string
	if f, err := elf.NewFile(program); err == nil {
		for _, s := range f.Sections {
			sections = append(sections, s.Name)
		}
	} else if f, err := macho.NewFile(program); err == nil {
		for _, s := range f.Sections {
			sections = append(sections, s.Name)
		}
	} else if f, err := pe.NewFile(program); err == nil {
		for _, s := range f.Sections {
			sections = append(sections, s.Name)
		}
	}
	return slices.ContainsFunc(sections, func(name string) bool {
		return strings.HasSuffix(strings.TrimLeft(name, "._z"), "debug_info")
	})
}

// GoLines returns the lines of a source file at which statements of the program begin, in ascending order. It is empty
// when the program's symbols do not name the file.
func GoLines(program io.ReaderAt, file string) ([]int, error) {
	d, err := dwarfOf(program)
	if err != nil {
		return nil, err
	}
	var lines []int
	for r := d.Reader(); ; r.SkipChildren() {
		unit, err := r.Next()
		if err != nil {
			return nil, err
		}
		if unit == nil {
			slices.Sort(lines)
			return slices.Compact(lines), nil
		}
		table, err := d.LineReader(unit)
		if unit.Tag != dwarf.TagCompileUnit || err != nil || table == nil || !names(table, file) {
			continue // a unit whose table cannot be read hides no other
		}
		var at dwarf.LineEntry
		for table.Next(&at) == nil {
			if at.IsStmt && !at.EndSequence && at.File != nil && sameSource(at.File.Name, file) {
				lines = append(lines, at.Line)
			}
		}
	}
}

// names reports whether a table of lines has a file.
func names(table *dwarf.LineReader, file string) bool {
	return slices.ContainsFunc(table.Files(), func(f *dwarf.LineFile) bool { return f != nil && sameSource(f.Name, file) })
}

// sameSource compares two names of a source file. Windows has two separators and no case.
func sameSource(a, b string) bool {
	a, b = path.Clean(strings.ReplaceAll(a, `\`, "/")), path.Clean(strings.ReplaceAll(b, `\`, "/"))
	return a == b || len(a) > 1 && a[1] == ':' && strings.EqualFold(a, b)
}
