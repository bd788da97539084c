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

// GoParameters returns the parameter names of a function of a Go program, one list for each function with that name.
// The name has the full package path or, as in Delve, its last element alone ("http.(*conn).serve"). The result is
// empty when the program has no symbols or no such function.
func GoParameters(program io.ReaderAt, function string) ([][]string, error) {
	d, err := dwarfOf(program)
	if err != nil {
		return nil, err
	}
	pkg := goPackage(function)
	var lists [][]string
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return lists, err
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		switch {
		case e.Tag == dwarf.TagCompileUnit && endsPath(name, pkg):
		case e.Tag == dwarf.TagSubprogram && endsPath(name, function):
			list, err := formal(r, e)
			if err != nil {
				return nil, err
			}
			lists = append(lists, list)
		default:
			r.SkipChildren()
		}
	}
}

// goPackage returns the package in the name of a function. Type arguments contain paths too.
func goPackage(function string) string {
	plain, _, _ := strings.Cut(function, "[")
	slash := strings.LastIndexByte(plain, '/') + 1
	if i := strings.IndexByte(plain[slash:], '.'); i >= 0 {
		return plain[:slash+i]
	}
	return function
}

// endsPath reports whether name is end, or ends with it after a slash.
func endsPath(name, end string) bool {
	front, ok := strings.CutSuffix(name, end)
	return ok && (front == "" || strings.HasSuffix(front, "/") && !strings.ContainsAny(front, "[("))
}

// formal reads the parameters of the function that the reader has just entered. Results are marked as variable
// parameters. A generic function has a parameter for its type arguments, .dict, which is not a valid Go name.
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
			if name, _ := e.Val(dwarf.AttrName).(string); !result && name != "" && name[0] != '.' {
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
