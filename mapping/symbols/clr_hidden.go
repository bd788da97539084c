package symbols

import (
	"io"
	"strings"
)

// CLRHidden returns the methods and properties of a .NET module that hide one of a base class in the same module, by
// the names of all types in which they hide it: a type that inherits a hiding member has it, too. A method that
// overrides hides nothing.
//
//	Label: Shop.Customer, Shop.Vip
func CLRHidden(module io.ReaderAt, size int64) (map[string][]string, error) {
	m, outer, err := openOwned(module, size)
	if err != nil {
		return nil, err
	}
	names := m.typeNames(outer.types)
	hidden := map[string][]string{}
	for i := range names {
		seen := map[string]bool{} // what derived types have, from the type on
		hides := map[string]bool{}
		for at, depth := i+1, 0; at > 0 && depth < 32; at, depth = m.base(at), depth+1 {
			var own []string
			first, end := m.methodsOf(at)
			for n := first; n < end; n++ {
				name, signature, flags := m.method(n)
				const private, static, virtual, newSlot = 1, 0x10, 0x40, 0x100
				key := name + "\x00" + signature
				if strings.HasPrefix(name, "get_") {
					name = strings.TrimPrefix(name, "get_")
					key = "get_" + name
				}
				if strings.Contains(name, ".") || flags&7 == private && depth > 0 {
					continue
				}
				if seen[key] {
					hides[name] = true
				}
				overrides := flags&virtual != 0 && flags&newSlot == 0
				if !overrides && flags&static == 0 {
					own = append(own, key)
				}
			}
			for _, key := range own {
				seen[key] = true
			}
		}
		for name := range hides {
			hidden[name] = append(hidden[name], names[i])
		}
	}
	return hidden, nil
}

// base returns the number of a type's base class in the module, 0 when it is in another one.
func (m *methods) base(typeNumber int) int {
	if typeNumber > m.types.Count {
		return 0
	}
	r := m.types.Row(typeNumber)
	r.U32() // flags
	m.name(r)
	m.name(r)
	coded := r.Index(m.LargeCoded(2, typeDefTable, typeRefTable, typeSpecTable))
	if coded&3 != 0 {
		return 0
	}
	return int(coded >> 2)
}

// method returns a method's name, the bytes of its signature, and its flags.
func (m *methods) method(number int) (name, signature string, flags uint16) {
	r := m.methods.Row(number)
	r.Bytes(6) // address, implementation
	flags = r.U16()
	name = m.name(r)
	blob, _ := m.Blob(r.Index(m.LargeBlobs))
	return name, string(blob), flags
}
