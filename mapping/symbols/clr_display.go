package symbols

import (
	"io"
	"strings"

	"breakwire/mapping/ecma335"
)

const (
	memberRefTable = 0x0A
	attributeTable = 0x0C
	attributedBits = 5
)

// Display is what a type of a .NET module says about how its values are shown.
type Display struct {
	Text   string   // of its [DebuggerDisplay], or of the nearest base class
	Record []string // the members that ToString of a record prints
	Stored []string // the names of its fields and automatic properties, also of its bases
}

// CLRDisplays returns how the values of a module's types are shown, by the names of the types without their arity.
func CLRDisplays(module io.ReaderAt, size int64) (map[string]Display, error) {
	m, outer, err := openOwned(module, size)
	if err != nil {
		return nil, err
	}
	texts := m.displayTexts(outer)
	out := map[string]Display{}
	for i, name := range m.typeNames(outer.types) {
		var d Display
		record := m.isRecord(i + 1)
		for at, depth := i+1, 0; at > 0 && depth < 32; at, depth = m.base(at), depth+1 {
			if d.Text == "" {
				d.Text = texts[at]
			}
			stored, shown := m.stored(at)
			d.Stored = append(stored, d.Stored...)
			if record {
				d.Record = append(shown, d.Record...)
			}
		}
		out[withoutArity(name)] = d
	}
	return out, nil
}

// withoutArity removes the numbers of type parameters: Box`1 is Box.
func withoutArity(name string) string {
	if !strings.Contains(name, "`") {
		return name
	}
	parts := strings.Split(name, ".")
	for i := range parts {
		parts[i], _, _ = strings.Cut(parts[i], "`")
	}
	return strings.Join(parts, ".")
}

// isRecord reports whether a type is a record: the compiler writes these methods.
func (m *methods) isRecord(typeNumber int) bool {
	prints, compares := false, false
	first, end := m.methodsOf(typeNumber)
	for n := first; n < end; n++ {
		switch name, _, _ := m.method(n); name {
		case "PrintMembers":
			prints = true
		case "<Clone>$", "op_Equality":
			compares = true
		}
	}
	return prints && compares
}

// stored returns the names of a type's own fields and automatic properties, and those of them that are public.
func (m *methods) stored(typeNumber int) (all, public []string) {
	const access, isPublic, static = 7, 6, 0x10
	getters := map[string]bool{}
	first, end := m.methodsOf(typeNumber)
	for n := first; n < end; n++ {
		if name, _, flags := m.method(n); flags&access == isPublic {
			getters[name] = true
		}
	}
	begin, last := m.firstField(typeNumber), m.fields.Count+1
	if typeNumber < m.types.Count {
		last = min(last, m.firstField(typeNumber+1))
	}
	for n := max(begin, 1); n < last; n++ {
		r := m.fields.Row(n)
		flags, name := r.U16(), m.name(r)
		if flags&static != 0 {
			continue
		}
		property, automatic := strings.CutSuffix(strings.TrimPrefix(name, "<"), ">k__BackingField")
		switch {
		case automatic && strings.HasPrefix(name, "<"):
			all = append(all, property)
			if getters["get_"+property] {
				public = append(public, property)
			}
		case !strings.HasPrefix(name, "<"):
			all = append(all, name)
			if flags&access == isPublic {
				public = append(public, name)
			}
		}
	}
	return all, public
}

// firstField is the number of a type's first field.
func (m *methods) firstField(typeNumber int) int {
	r := m.types.Row(typeNumber)
	r.Bytes(4 + 2*ecma335.Width(m.LargeStrings) + m.extends)
	return int(r.Index(m.Large(fieldTable)))
}

// displayTexts returns the texts of [DebuggerDisplay], by the number of the type.
func (m *methods) displayTexts(outer owners) map[int]string {
	texts := map[int]string{}
	m.eachAttribute(outer, "System.Diagnostics.DebuggerDisplayAttribute", func(of uint32, value *ecma335.Reader) {
		const typeDef = 3
		if of&(1<<attributedBits-1) != typeDef || len(value.Rest) == 0 || value.Rest[0] == 0xFF {
			return
		}
		if text := string(value.Bytes(value.Unsigned())); !value.Bad {
			texts[int(of>>attributedBits)] = text
		}
	})
	return texts
}

// eachAttribute visits the attributes of a type of another module: the coded index of what has one, and the arguments
// of its constructor (ECMA-335 II.23.3).
func (m *methods) eachAttribute(outer owners, typ string, visit func(of uint32, value *ecma335.Reader)) {
	constructor := ecma335.Width(m.LargeCoded(3, methodDefTable, memberRefTable))
	parent := m.sizes()[attributeTable] - constructor - ecma335.Width(m.LargeBlobs)
	r := outer.attributes.All()
	for range outer.attributes.Count {
		of, by, value := r.Index(parent == 4), r.Index(constructor == 4), r.Index(m.LargeBlobs)
		const byMemberRef = 3 // a tag of the coded index
		if by&7 != byMemberRef || m.ofMemberRef(outer, int(by>>3)) != typ {
			continue
		}
		blob, _ := m.Blob(value)
		if b := (ecma335.Reader{Rest: blob}); b.U16() == 1 {
			visit(of, &b)
		}
	}
}

// ofMemberRef returns the full name of the type of a member of another module.
func (m *methods) ofMemberRef(outer owners, number int) string {
	r := outer.memberRefs.Row(number)
	class := r.Index(m.LargeCoded(3, typeDefTable, typeRefTable, moduleRefTable, methodDefTable, typeSpecTable))
	const typeRef = 1
	if class&7 != typeRef {
		return ""
	}
	ref := m.refs.Row(int(class >> 3))
	ref.Index(m.LargeCoded(2, moduleTable, moduleRefTable, assemblyRefTable, typeRefTable))
	name, namespace := m.name(ref), m.name(ref)
	return namespace + "." + name
}
