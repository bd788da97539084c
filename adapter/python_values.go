package adapter

import (
	"strconv"
	"strings"
)

// debugpy shows the first hundred elements of a container and the traceback of a property that raised, as text.

// pythonShown is how many elements debugpy lists at once.
const pythonShown = 100

// pythonElements lists a container in parts of its own: slices, each a value that debugpy shows in full. ok is false for other types and for
// those that fit.
func (v *view) pythonElements(it item, listed int) (l listing, ok bool) {
	if listed < pythonShown || !v.mayLook() {
		return listing{}, false
	}
	var part func(from, to string) string
	switch it.Type {
	case "list", "tuple":
		part = func(from, to string) string { return "(" + it.path + ")[" + from + ":" + to + "]" }
	case "dict":
		part = func(from, to string) string { return "dict(list((" + it.path + ").items())[" + from + ":" + to + "])" }
	case "set", "frozenset":
		part = func(from, to string) string { return "list(" + it.path + ")[" + from + ":" + to + "]" }
	default:
		return listing{}, false
	}
	body, err := v.evaluate(v.here, "len("+it.path+")", evaluateTimeout)
	if err != nil {
		return listing{}, false
	}
	total, err := strconv.Atoi(body.Result)
	if err != nil || total <= pythonShown {
		return listing{}, false
	}
	return listing{total: total, at: func(start, count int) ([]item, error) {
		body, err := v.evaluate(v.here, part(strconv.Itoa(start), strconv.Itoa(start+count)), evaluateTimeout)
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
			if it.Type != "dict" {
				child.name = "[" + strconv.Itoa(start+len(items)) + "]"
				child.path = it.path + child.name
			} else {
				child.path = it.path + "[" + x.Name + "]"
			}
			child.container = 0 // the part is a copy
			items = append(items, child)
		}
		return items, nil
	}}, true
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
