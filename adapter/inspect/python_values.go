package inspect

import (
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// debugpy lists the first elements of a container and one item for the rest. It shows the traceback of a property that
// raised as text.

// pythonValues are those of debugpy.
type pythonValues struct{ plainValues }

func (pythonValues) named(it, parent *item) bool {
	switch it.name {
	case "special variables", "function variables", "class variables", "protected variables", "len()":
		return false
	}
	if parent != nil && pythonRest(it.Variable) || parent == nil && strings.HasPrefix(it.name, "(return) ") {
		return false // the stop has a value that was returned
	}
	it.name = pythonName(it.name, parent)
	return true
}

func (pythonValues) children(v *View, it item) (listing, error) {
	if it.IndexedVariables > batch {
		return plainValues{}.children(v, it)
	}
	vars, err := v.variables(it.VariablesReference)
	if err != nil {
		return listing{}, err
	}
	return v.pythonChildren(it, vars), nil
}

func (pythonValues) show(_ *View, it item, out *Variable) {
	if threw, ok := pythonThrew(it.Value); ok && it.child && it.Type == "str" {
		out.Value = threw
	}
}

func (pythonValues) isText(n node) bool { return n.Type == "str" }

func (pythonValues) pieces(v *View, it item) (listing, error) {
	return v.slices(it, builtin+"len("+it.path+")", func(from, to string) string {
		return it.path + "[" + from + ":" + to + "]"
	})
}

func (pythonValues) assign(v *View, it item, value string) (dap.SetVariableResponseBody, error) {
	return v.assignPython(it, value)
}

// pythonPart is how many elements one request reads. debugpy lists 500 of a dict, as which each part is returned, but
// 100 of a list.
const pythonPart = 400

// builtin precedes a builtin function, since programs have variables with such names.
const builtin = "__import__('builtins')."

// pythonRest reports whether a child stands for the elements that debugpy does not list.
func pythonRest(x dap.Variable) bool {
	return x.Name == "more" && (x.Type == "MoreItems" || x.Type == "MoreItemsRange") || x.Name == "Unable to handle:"
}

// pythonChildren lists the children of a value. debugpy gives a container's length as a child. Fields that a subclass
// adds, such as a deque's maxlen, come first. Elements that debugpy did not list are read in parts.
func (v *View) pythonChildren(it item, vars []dap.Variable) listing {
	var fields, elements []item
	length := -1
	for _, x := range vars {
		if x.Name == "len()" {
			if n, err := strconv.Atoi(x.Value); err == nil {
				length = n
			}
		}
		child, ok := v.named(node{x, it.VariablesReference}, &it)
		switch {
		case !ok:
		case strings.HasSuffix(x.EvaluateName, "."+x.Name):
			fields = append(fields, child)
		default:
			elements = append(elements, child)
		}
	}
	switch {
	case length < 0:
		return fixed(append(fields, elements...))
	case len(elements) >= length:
		return joined(fields, fixed(elements))
	}
	return joined(fields, v.pythonElements(it, length))
}

// pythonElements lists a long container in parts.
func (v *View) pythonElements(it item, length int) listing {
	dict := it.Type == "dict"
	if !dict && it.Type != "list" && it.Type != "tuple" && it.Type != "set" && it.Type != "frozenset" {
		body, err := v.evaluate(v.Here, builtin+"isinstance("+it.path+", "+builtin+"dict)", evaluateTimeout)
		dict = err == nil && body.Result == "True"
	}
	part := func(from, to string) string {
		cut := "[" + from + ":" + to + "]"
		switch {
		case dict:
			return builtin + "dict([*(" + it.path + ").items()]" + cut + ")"
		case it.Type == "list" || it.Type == "tuple":
			return builtin + "dict(" + builtin + "enumerate((" + it.path + ")" + cut + "))"
		}
		return builtin + "dict(" + builtin + "enumerate([*(" + it.path + ")]" + cut + "))"
	}
	read := func(start, count int) ([]item, error) {
		text := part(strconv.Itoa(start), strconv.Itoa(start+count))
		body, err := v.evaluate(v.Here, text, evaluateTimeout)
		if err != nil {
			return nil, err
		}
		vars, err := v.variables(body.VariablesReference)
		if err != nil {
			return nil, err
		}
		var items []item
		for _, x := range vars {
			child, ok := v.named(node{x, body.VariablesReference}, &it)
			if !ok {
				continue
			}
			switch key, isKey := strings.CutPrefix(x.EvaluateName, text); {
			case !dict:
				child.name = "[" + strconv.Itoa(start+len(items)) + "]"
				child.path = it.path + child.name
			case isKey:
				child.path = it.path + key
			default:
				child.path = childPath(it.path, x.Name)
			}
			child.container = 0 // the part is a copy
			items = append(items, child)
		}
		return items, nil
	}
	return listing{total: length, at: func(start, count int) ([]item, error) {
		var items []item
		for end := min(start+count, length); start < end; {
			some, err := read(start, min(pythonPart, end-start))
			if err != nil {
				return nil, err
			}
			if len(some) == 0 {
				break
			}
			items = append(items, some...)
			start += len(some)
		}
		return items, nil
	}}
}

// pythonName returns an element's name by its index: debugpy pads the index with zeros.
func pythonName(name string, parent *item) string {
	if parent == nil || parent.Type != "list" && parent.Type != "tuple" {
		return name
	}
	if n, err := strconv.Atoi(name); err == nil {
		return "[" + strconv.Itoa(n) + "]"
	}
	return name
}

// pythonThrew returns the exception that a property raised, from its traceback.
func pythonThrew(value string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(value, `'"`), "Traceback (most recent call last):")
	if !ok {
		return "", false
	}
	rest = strings.TrimRight(strings.ReplaceAll(strings.TrimRight(rest, `'"`), `\n`, "\n"), "\n ")
	last := strings.TrimSpace(rest[strings.LastIndexByte(rest, '\n')+1:])
	return "threw " + last, last != ""
}
