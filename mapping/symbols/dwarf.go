package symbols

import (
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"io"
	"strings"
)

// GoParameters returns the parameter names of a function of a Go program by its full name ("main.show"); nil when the program
// has no symbols or no such function.
func GoParameters(program io.ReaderAt, function string) ([]string, error) {
	d, err := dwarfOf(program)
	if err != nil {
		return nil, err
	}
	pkg := function
	if i := strings.IndexByte(function[strings.LastIndexByte(function, '/')+1:], '.'); i >= 0 {
		pkg = function[:strings.LastIndexByte(function, '/')+1+i]
	}
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return nil, err
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		switch {
		case e.Tag == dwarf.TagCompileUnit && name == pkg:
		case e.Tag == dwarf.TagSubprogram && name == function:
			return formal(r, e)
		default:
			r.SkipChildren()
		}
	}
}

// formal reads the parameters of the function that the reader has just entered. Results are marked as variable
// parameters.
func formal(r *dwarf.Reader, function *dwarf.Entry) ([]string, error) {
	names := []string{}
	if !function.Children {
		return names, nil
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return names, err
		}
		if e.Tag == dwarf.TagFormalParameter {
			result, _ := e.Val(dwarf.AttrVarParam).(bool)
			if name, _ := e.Val(dwarf.AttrName).(string); !result && name != "" {
				names = append(names, name)
			}
		}
		r.SkipChildren()
	}
}

func dwarfOf(program io.ReaderAt) (*dwarf.Data, error) {
	if f, err := elf.NewFile(program); err == nil {
		return f.DWARF()
	}
	if f, err := macho.NewFile(program); err == nil {
		return f.DWARF()
	}
	if f, err := pe.NewFile(program); err == nil {
		return f.DWARF()
	}
	return nil, errors.New("symbols: not an executable of a known format")
}
