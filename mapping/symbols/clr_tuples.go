package symbols

import (
	"io"
	"slices"
	"strings"

	"breakwire/mapping/ecma335"
)

// CLRTuples returns how the elements of tuples are named in the types of a .NET module's fields, properties, parameters
// and returned values. The names of one type are in the order of its tuples from the outside in; an element without a
// name has "". Types are named without their arity, and derived ones have the members of their bases in the module.
// What overloads name differently is left out.
//
//	Shop.Order.Range: Min, Max
//	Shop.Order.Find(): Id, At
//	Shop.Order.Find(range: From, To
func CLRTuples(module io.ReaderAt, size int64) (map[string][]string, error) {
	m, outer, err := openOwned(module, size)
	if err != nil {
		return nil, err
	}
	named := m.tupleNames(outer)
	out := map[string][]string{}
	if len(named) == 0 {
		return out, nil
	}
	for i, typ := range m.typeNames(outer.types) {
		typ = withoutArity(typ)
		own := map[string][]string{}
		for at, depth := i+1, 0; at > 0 && depth < 32; at, depth = m.base(at), depth+1 {
			level := map[string][]string{}
			m.tuplesOf(at, named, level)
			for key, names := range level {
				if _, hidden := own[key]; !hidden {
					own[key] = names
				}
			}
		}
		for key, names := range own {
			if names != nil {
				out[typ+"."+key] = names
			}
		}
	}
	return out, nil
}

// tuplesOf adds the named tuples of a type's own members. What has two meanings becomes nil.
func (m *methods) tuplesOf(typeNumber int, named map[uint32][]string, out map[string][]string) {
	const field, param = 1, 4 // tags of the parents of attributes
	add := func(key string, names []string) {
		if have, ok := out[key]; ok && !slices.Equal(have, names) {
			names = nil
		}
		out[key] = names
	}
	last := m.fields.Count + 1
	if typeNumber < m.types.Count {
		last = min(last, m.firstField(typeNumber+1))
	}
	for n := max(m.firstField(typeNumber), 1); n < last; n++ {
		if names := named[uint32(n)<<attributedBits|field]; names != nil {
			r := m.fields.Row(n)
			r.U16() // flags
			add(m.name(r), names)
		}
	}
	first, end := m.methodsOf(typeNumber)
	for n := first; n < end; n++ {
		method, _, _ := m.method(n)
		behind := m.params.Count + 1
		if n < m.methods.Count {
			behind = min(behind, m.firstParameter(n+1))
		}
		for p := max(m.firstParameter(n), 1); p < behind; p++ {
			names := named[uint32(p)<<attributedBits|param]
			r := m.params.Row(p)
			r.U16() // flags
			sequence := r.U16()
			property, getter := strings.CutPrefix(method, "get_")
			switch {
			case sequence > 0:
				add(method+"("+m.name(r), names)
			case getter && names != nil:
				add(property, names)
			case names != nil:
				add(method+"()", names)
			}
		}
	}
}

// tupleNames returns the names of tuples by the coded index of what has them.
func (m *methods) tupleNames(outer owners) map[uint32][]string {
	out := map[uint32][]string{}
	m.eachAttribute(outer, "System.Runtime.CompilerServices.TupleElementNamesAttribute", func(of uint32,
		value *ecma335.Reader) {
		count := value.U32()
		if uint64(count) > uint64(len(value.Rest)) {
			return
		}
		names := make([]string, count)
		for i := range names {
			if len(value.Rest) > 0 && value.Rest[0] == 0xFF { // null
				value.U8()
				continue
			}
			names[i] = string(value.Bytes(value.Unsigned()))
		}
		if !value.Bad && count > 0 {
			out[of] = names
		}
	})
	return out
}
