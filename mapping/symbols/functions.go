package symbols

import (
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"debug/pe"
	"errors"
	"io"
	"slices"
)

// maxFunctions is how many functions of a program are read.
const maxFunctions = 400_000

// Functions returns the functions of an executable or library by its symbol table: as the linker names them, without
// the underscore that macOS puts in front. A Go program without one has them in the table of its runtime. What is
// imported is left out.
func Functions(program io.ReaderAt) ([]string, error) {
	var names []string
	if f, err := elf.NewFile(program); err == nil {
		names = elfFunctions(f)
	} else if f, err := macho.NewFile(program); err == nil {
		names = machoFunctions(f)
	} else if f, err := pe.NewFile(program); err == nil {
		names = peFunctions(f)
	} else {
		return nil, errors.New("symbols: not an executable of a known format")
	}
	return names[:min(len(names), maxFunctions)], nil
}

func elfFunctions(f *elf.File) (names []string) {
	table, err := f.Symbols()
	if err != nil {
		if names = runtimeFunctions(section(f.Section(".gopclntab")), section(f.Section(".text"))); len(names) > 0 {
			return names
		}
		table, _ = f.DynamicSymbols()
	}
	for _, s := range table {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Name != "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// part is a section of an executable of any format.
type part struct {
	data    func() ([]byte, error)
	address uint64
	size    uint64
}

func section(s *elf.Section) part {
	if s == nil || s.Type == elf.SHT_NOBITS {
		return part{}
	}
	return part{s.Data, s.Addr, s.Size}
}

// maxTable bounds the table of Go's runtime that is read.
const maxTable = 256 << 20

// runtimeFunctions returns the functions in the table that the runtime of a Go program uses.
func runtimeFunctions(table, text part) (names []string) {
	if table.data == nil || text.data == nil || table.size > maxTable {
		return nil
	}
	data, err := table.data()
	if err != nil {
		return nil
	}
	defer func() {
		if recover() != nil { // the table is not what it says
			names = nil
		}
	}()
	functions, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.address))
	if err != nil {
		return nil
	}
	for _, f := range functions.Funcs {
		names = append(names, f.Name)
	}
	return names
}

func machoFunctions(f *macho.File) (names []string) {
	const stab, kind, defined = 0xe0, 0x0e, 0x0e
	if f.Symtab != nil {
		for _, s := range f.Symtab.Syms {
			at := int(s.Sect) - 1
			if s.Type&stab == 0 && s.Type&kind == defined && at >= 0 && at < len(f.Sections) &&
				f.Sections[at].Name == "__text" && s.Name != "" {
				names = append(names, withoutUnderscore(s.Name))
			}
		}
	}
	table, text := f.Section("__gopclntab"), f.Section("__text")
	if len(names) == 0 && table != nil && text != nil {
		return runtimeFunctions(part{table.Data, table.Addr, table.Size}, part{text.Data, text.Addr, text.Size})
	}
	return names
}

func withoutUnderscore(name string) string {
	if name[0] == '_' {
		return name[1:]
	}
	return name
}

func peFunctions(f *pe.File) (names []string) {
	const function = 0x20
	at := slices.IndexFunc(f.Sections, func(s *pe.Section) bool { return s.Name == ".text" }) + 1
	for _, s := range f.Symbols {
		inText := at > 0 && int(s.SectionNumber) == at
		if s.Name != "" && s.Name[0] != '.' && (inText && s.StorageClass <= 3 || s.SectionNumber > 0 && s.Type == function) {
			names = append(names, s.Name)
		}
	}
	return names
}
