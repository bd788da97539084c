package mapping

import (
	"cmp"
	"slices"
	"strings"
)

// SameFunction reports whether a .NET function is the one that was asked for. The function is named as metadata or a
// frame names it. The request may leave out what is in front (namespace, outer types), type parameters and the number
// of them, and names functions as their programmer wrote them. Parameters and the module do not count.
//
//	Shop.Repository`1.Map<U>             Repository.Map, Repository<T>.Map, Shop.Repository<Order>.Map<int>
//	Shop.Program.<LoadAsync>d__0.MoveNext  LoadAsync, Program.LoadAsync
//	Shop.Order..ctor                     Order.Order, Order..ctor
//	Shop.Order.get_Total                 Order.Total
//
// The names that compilers make are taken, too.
func SameFunction(function, asked string) bool {
	return sameParts(functionParts(function, LogicalFunction), functionParts(asked, LogicalFunction)) ||
		sameParts(functionParts(function, unchanged), functionParts(asked, unchanged))
}

func sameParts(have, want []functionPart) bool {
	if len(want) == 0 || len(have) < len(want) {
		return false
	}
	have = have[len(have)-len(want):]
	for i, w := range want {
		h := have[i]
		same := h.name == w.name || i == len(want)-1 && slices.ContainsFunc(accessors, func(prefix string) bool {
			return h.name == prefix+w.name
		})
		if !same || h.arity >= 0 && w.arity > 0 && h.arity != w.arity {
			return false
		}
	}
	return true
}

// accessors are the prefixes of the methods that properties and events consist of.
var accessors = []string{"get_", "set_", "add_", "remove_"}

// functionPart is a type or method in a function's name. arity is the number of its type parameters, -1 when it is not
// known.
type functionPart struct {
	name  string
	arity int
}

func unchanged(name string) string { return name }

// functionParts splits a function's name as logical makes it.
func functionParts(name string, logical func(string) string) []functionPart {
	name = name[strings.IndexByte(name, '!')+1:] // without the module
	if i := parametersStart(name); i > 0 {
		name = name[:i]
	}
	written := logical(name)
	segments, ok := splitName(written)
	if !ok {
		return []functionPart{{name, 0}}
	}
	var parts []functionPart
	for _, s := range segments {
		if s != "" { // the constructor is ".ctor"
			parts = append(parts, partOf(s))
		}
	}
	if last := len(parts) - 1; last > 0 && written != name {
		parts[last].arity = -1 // type parameters of a compiler's class may be those of its method
	} else if last > 0 && parts[last].name == "ctor" {
		parts[last].name = parts[last-1].name
	}
	return parts
}

// partOf splits a name and its type parameters: Repository`1, Repository<T>, Dictionary<K,V>.
func partOf(s string) functionPart {
	if name, number, ok := strings.Cut(s, "`"); ok {
		arity := 0
		for _, c := range number {
			if c < '0' || c > '9' || arity > 1000 {
				break
			}
			arity = 10*arity + int(c-'0')
		}
		return functionPart{name, arity}
	}
	at := strings.IndexByte(s, '<')
	if at <= 0 {
		return functionPart{s, 0}
	}
	arity, depth := 1, 0
	for _, c := range s[at:] {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case c == ',' && depth == 1:
			arity++
		}
	}
	return functionPart{s[:at], arity}
}

// NearestFunctions returns up to most of the functions, as their programmer wrote them, that were most likely meant:
// those whose last names are most similar.
func NearestFunctions(asked string, functions []string, most int) []string {
	want := functionParts(asked, LogicalFunction)
	if len(want) == 0 {
		return nil
	}
	word := plain(want[len(want)-1].name)
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, f := range functions {
		parts := functionParts(f, LogicalFunction)
		if len(parts) == 0 || strings.HasSuffix(LogicalFunction(f), lambdaSuffix) {
			continue
		}
		names := make([]string, len(parts))
		for i, p := range parts {
			names[i] = p.name
		}
		last := names[len(names)-1]
		for _, prefix := range accessors {
			last = strings.TrimPrefix(last, prefix)
		}
		if d := distance(word, plain(last)); d <= len(word)/3+1 && d < max(len(word), 2) {
			found = append(found, near{strings.Join(names, "."), d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, f := range found {
		if len(names) < most && !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}
