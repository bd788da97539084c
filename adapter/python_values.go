package adapter

import (
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

// debugpy lists the first elements of a container and an item that stands for the rest, and the traceback of a property
// that raised as text.

// pythonPart is how many elements are read at once: of a dict, which every part is made into, debugpy lists 500, of a
// list 100.
const pythonPart = 400

// builtin is in front of a function of Python's own: programs have variables of their names.
const builtin = "__import__('builtins')."

// pythonRest tells whether a child stands for the elements that debugpy does not list.
func pythonRest(x dap.Variable) bool {
	return x.Name == "more" && (x.Type == "MoreItems" || x.Type == "MoreItemsRange") || x.Name == "Unable to handle:"
}

// pythonChildren lists what is inside a value. debugpy tells of a container how long it is. Fields that a subclass adds
// to it come first, a deque's maxlen for one; elements that were not listed are read in parts.
func (v *view) pythonChildren(it item, vars []dap.Variable) listing {
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

// pythonElements lists a long container in parts of its own.
func (v *view) pythonElements(it item, length int) listing {
	dict := it.Type == "dict"
	if !dict && it.Type != "list" && it.Type != "tuple" && it.Type != "set" && it.Type != "frozenset" {
		body, err := v.evaluate(v.here, builtin+"isinstance("+it.path+", "+builtin+"dict)", evaluateTimeout)
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
		body, err := v.evaluate(v.here, text, evaluateTimeout)
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

// pythonName shows an element of a list by its index: debugpy pads it with zeros.
func pythonName(name string, parent *item) string {
	if parent == nil || parent.Type != "list" && parent.Type != "tuple" {
		return name
	}
	if n, err := strconv.Atoi(name); err == nil {
		return "[" + strconv.Itoa(n) + "]"
	}
	return name
}

// pythonThrew is what a property raised, from its traceback.
func pythonThrew(value string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(value, `'"`), "Traceback (most recent call last):")
	if !ok {
		return "", false
	}
	rest = strings.TrimRight(strings.ReplaceAll(strings.TrimRight(rest, `'"`), `\n`, "\n"), "\n ")
	last := strings.TrimSpace(rest[strings.LastIndexByte(rest, '\n')+1:])
	return "threw " + last, last != ""
}
