package interpreter

import (
	"slices"
	"strings"

	"breakwire/mapping"
	"breakwire/mapping/csharp"
)

// The runtime knows the elements of a tuple as Item1, Item2, and so on. Their names are in the symbols, for each
// variable and member whose type has tuples: one list from the outside in. (int Id, (int X, int Y) At) has Id, At, X
// and Y.

const valueTuple = "System.ValueTuple<"

// withNames adds the names of its tuples to the value of an expression.
func (r *run) withNames(n csharp.Node, v Value) Value {
	if v.Names == nil && strings.Contains(v.Type, valueTuple) {
		v.Names = r.namesOf(n)
	}
	return v
}

// namesOf returns the names of the tuples in the type of an expression that is a place in the program.
func (r *run) namesOf(n csharp.Node) []string {
	switch n := n.(type) {
	case *csharp.Paren:
		return r.namesOf(n.X)
	case *csharp.Name:
		if v, ok := r.lookup(n.Name); ok {
			return v.Names
		}
		if names := r.program.VariableTuple(n.Name); names != nil {
			return names
		}
		if t := r.frameType(); t != "" && !r.program.Variable(n.Name) {
			return r.program.MemberTuple(t, n.Name)
		}
	case *csharp.Member:
		of, short := r.chain(n.Of)
		if short || n.Args != nil {
			return nil
		}
		if typ, ok := of.Data.(typeName); ok {
			if t, ok := r.resolve(r.parseType(string(typ))); ok {
				return r.program.MemberTuple(t.full, n.Name)
			}
			return nil
		}
		of = r.withNames(n.Of, of)
		if of.Names != nil {
			return namesOfMember(of, n.Name)
		}
		return r.program.MemberTuple(of.inner(), n.Name)
	case *csharp.Index:
		if of, short := r.chain(n.Of); !short && len(n.Args) == 1 {
			return namesOfElement(of.Type, r.withNames(n.Of, of).Names)
		}
	case *csharp.Call:
		switch of := n.Of.(type) {
		case *csharp.Name:
			if t := r.frameType(); t != "" {
				return r.program.MemberTuple(t, of.Name+"()")
			}
		case *csharp.Member:
			if at, short := r.chain(of.Of); !short {
				if typ, ok := at.Data.(typeName); ok {
					if t, ok := r.resolve(r.parseType(string(typ))); ok {
						return r.program.MemberTuple(t.full, of.Name+"()")
					}
					return nil
				}
				return r.program.MemberTuple(at.inner(), of.Name+"()")
			}
		}
	}
	return nil
}

// item returns the place of a tuple's element by its name.
func item(v Value, name string) (string, bool) {
	types := tupleTypes(v.Type)
	for i := range min(len(types), len(v.Names)) {
		if v.Names[i] == name {
			return itemName(i), true
		}
	}
	return "", false
}

func itemName(i int) string { return "Item" + string(rune('1'+i)) }

// namesOfMember returns the names of the tuples in an element of a tuple, or in a part of a pair.
func namesOfMember(of Value, name string) []string {
	types, names := tupleTypes(of.Type), of.Names
	if types == nil {
		head, args := mapping.GenericType(of.Type)
		if types = mapping.TypeArguments(args); head != collections+"KeyValuePair" || len(types) != 2 {
			return nil
		}
		for i, part := range []string{"Key", "Value"} {
			count := namesIn(types[i])
			if count > len(names) {
				return nil
			}
			if part == name {
				return nonEmpty(names[:count])
			}
			names = names[count:]
		}
		return nil
	}
	if len(names) < len(types) {
		return nil
	}
	rest := names[len(types):]
	for i, typ := range types {
		count := namesIn(typ)
		if count > len(rest) {
			return nil
		}
		if name == itemName(i) || name == names[i] {
			return nonEmpty(rest[:count])
		}
		rest = rest[count:]
	}
	return nil
}

// namesOfElement returns the names of the tuples in the elements of a collection.
func namesOfElement(typ string, names []string) []string {
	if names == nil || strings.HasSuffix(typ, "]") {
		return names
	}
	_, args := mapping.GenericType(typ)
	switch types := mapping.TypeArguments(args); len(types) {
	case 1:
		return names
	case 2: // a dictionary: its values
		if at := namesIn(types[0]); at <= len(names) {
			return nonEmpty(names[at:])
		}
	}
	return nil
}

// withElementNames names the tuples in an element of a collection.
func withElementNames(x Value, names []string) Value {
	pair, ok := x.Data.(*tuple)
	if !ok {
		x.Names = names
		return x
	}
	items := slices.Clone(pair.items)
	for i := range items {
		count := namesIn(items[i].Type)
		if count > len(names) {
			break
		}
		items[i].Names, names = nonEmpty(names[:count]), names[count:]
	}
	x.Data = &tuple{items: items, names: pair.names}
	return x
}

func nonEmpty(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return names
}

// tupleTypes returns the types of a tuple's elements; nil for other types and for tuples of eight and more, which are
// tuples in tuples.
func tupleTypes(typ string) []string {
	typ = strings.TrimSuffix(typ, "?")
	if !strings.HasPrefix(typ, valueTuple) {
		return nil
	}
	_, args := mapping.GenericType(typ)
	if types := mapping.TypeArguments(args); len(types) < 8 {
		return types
	}
	return nil
}

// namesIn counts the elements of the tuples in a type.
func namesIn(typ string) int { return strings.Count(typ, valueTuple) + commasInTuples(typ) }

// commasInTuples counts the commas between elements of tuples.
func commasInTuples(typ string) (count int) {
	var open []bool // the brackets around, true for those of a tuple
	for i := range len(typ) {
		switch typ[i] {
		case '<':
			open = append(open, strings.HasSuffix(typ[:i+1], valueTuple))
		case '[':
			open = append(open, false)
		case '>', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case ',':
			if len(open) > 0 && open[len(open)-1] {
				count++
			}
		}
	}
	return count
}
