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

// GoParameters returns the parameter names of a function of a Go program by its name, with the path of its package or,
// as Delve says it, with the last element alone ("http.(*conn).serve"): a list for each function of that name, none
// when the program has no symbols or no such function.
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

// goPackage is the package in the name of a function; type arguments hold paths too.
func goPackage(function string) string {
	plain, _, _ := strings.Cut(function, "[")
	slash := strings.LastIndexByte(plain, '/') + 1
	if i := strings.IndexByte(plain[slash:], '.'); i >= 0 {
		return plain[:slash+i]
	}
	return function
}

// endsPath tells whether a name is the other one, or that with more of its path in front.
func endsPath(name, end string) bool {
	front, ok := strings.CutSuffix(name, end)
	return ok && (front == "" || strings.HasSuffix(front, "/") && !strings.ContainsAny(front, "[("))
}

// formal reads the parameters of the function that the reader has just entered. Results are marked as variable
// parameters; that of a generic function for its type arguments has a name that none of the program's can have (.dict).
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
