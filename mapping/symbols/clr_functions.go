package symbols

import (
	"io"
	"slices"
	"strings"

	"breakwire/mapping/ecma335"
)

// CLRFunctions returns the methods of a .NET module by their number, from 0, as the metadata names them: the namespace,
// the types from the outermost on, the method, and the type parameters of a generic method.
//
//	Shop.Repository`1.Map<U>
//	Shop.Program.<LoadAsync>d__0.MoveNext
func CLRFunctions(module io.ReaderAt, size int64) ([]string, error) {
	m, outer, err := openOwned(module, size)
	if err != nil {
		return nil, err
	}
	types := m.typeNames(outer.types)
	names := make([]string, m.methods.Count)
	for i := range types {
		first, end := m.methodsOf(i + 1)
		for n := first; n < end; n++ {
			r := m.methods.Row(n)
			r.Bytes(8) // address, flags
			names[n-1] = types[i] + "." + m.name(r)
			if p := outer.parameters[n]; len(p) > 0 {
				names[n-1] += "<" + strings.Join(p, ",") + ">"
			}
		}
	}
	return names, nil
}

// owners has the type around each nested type, and the type parameters of each generic method, by number; and the
// attributes, with what their constructors are named by.
type owners struct {
	types      map[int]int
	parameters map[int][]string

	memberRefs, attributes ecma335.Table
}

// openOwned opens a module and reads which type each type is in.
func openOwned(module io.ReaderAt, size int64) (*methods, owners, error) {
	m, err := openMethods(module, size)
	if err != nil {
		return nil, owners{}, err
	}
	outer, err := m.takeOwners()
	return m, outer, err
}

// takeOwners takes the tables behind Param up to GenericParam. Only the sizes of most of them matter.
func (m *methods) takeOwners() (owners, error) {
	const (
		nestedClass  = 0x29
		genericParam = 0x2A
	)
	o := owners{types: map[int]int{}, parameters: map[int][]string{}}
	for number, size := range m.sizes() {
		if number <= paramTable {
			continue
		}
		table, err := m.Take(number, "metadata", size)
		if err != nil {
			return owners{}, err
		}
		switch number {
		case memberRefTable:
			o.memberRefs = table
		case attributeTable:
			o.attributes = table
		}
		r := table.All()
		for range table.Count {
			switch number {
			case nestedClass:
				inner := int(r.Index(m.Large(typeDefTable)))
				o.types[inner] = int(r.Index(m.Large(typeDefTable)))
			case genericParam:
				r.Bytes(4) // its place, flags
				owner := int(r.Index(m.LargeCoded(1, typeDefTable, methodDefTable)))
				if name := m.name(r); owner&1 == 1 { // of a method, not of a type
					o.parameters[owner>>1] = append(o.parameters[owner>>1], name)
				}
			}
		}
	}
	return o, nil
}

// typeNames returns the full names of the types, by their number from 0.
func (m *methods) typeNames(around map[int]int) []string {
	own := make([]string, m.types.Count)
	for i := range own {
		r := m.types.Row(i + 1)
		r.U32() // flags
		name, namespace := m.name(r), m.name(r)
		if own[i] = name; namespace != "" {
			own[i] = namespace + "." + name
		}
	}
	names := slices.Clone(own)
	for i := range names {
		// A type is never in itself, except in damaged metadata; nobody nests more than a few types.
		for at, depth := around[i+1], 0; at > 0 && at <= len(own) && depth < 16; at, depth = around[at], depth+1 {
			names[i] = own[at-1] + "." + names[i]
		}
	}
	return names
}

// sizes returns the bytes of a row of each table up to GenericParam (ECMA-335 II.22).
func (m *methods) sizes() []int {
	const (
		interfaceImpl, memberRef, declSecurity, standAloneSig = 0x09, memberRefTable, 0x0E, 0x11
		event, property, assembly                             = 0x14, 0x17, 0x20
		file, exported, resource, genericParam                = 0x26, 0x27, 0x28, 0x2A
		genericConstraint, methodSpec                         = 0x2C, 0x2B
	)
	coded := func(bits uint, tables ...int) int { return ecma335.Width(m.LargeCoded(bits, tables...)) }
	text, guid, blob := ecma335.Width(m.LargeStrings), ecma335.Width(m.LargeGUIDs), ecma335.Width(m.LargeBlobs)
	typ, method, field, param := m.index(typeDefTable), m.index(methodDefTable), m.index(fieldTable), m.index(paramTable)
	anyType := coded(2, typeDefTable, typeRefTable, typeSpecTable)
	implementation := coded(2, file, assemblyRefTable, exported)
	attributed := []int{methodDefTable, fieldTable, typeRefTable, typeDefTable, paramTable, interfaceImpl, memberRef,
		moduleTable, declSecurity, property, event, standAloneSig, moduleRefTable, typeSpecTable, assembly,
		assemblyRefTable, file, exported, resource, genericParam, genericConstraint, methodSpec}
	return []int{
		moduleTable:      2 + text + 3*guid,
		typeRefTable:     coded(2, moduleTable, moduleRefTable, assemblyRefTable, typeRefTable) + 2*text,
		typeDefTable:     4 + 2*text + anyType + field + method,
		fieldPtrTable:    field,
		fieldTable:       2 + text + blob,
		methodPtrTable:   method,
		methodDefTable:   8 + text + blob + param,
		paramPtrTable:    param,
		paramTable:       4 + text,
		interfaceImpl:    typ + anyType,
		memberRef:        coded(3, typeDefTable, typeRefTable, moduleRefTable, methodDefTable, typeSpecTable) + text + blob,
		0x0B:             2 + coded(2, fieldTable, paramTable, property) + blob, // Constant
		attributeTable:   coded(attributedBits, attributed...) + coded(3, methodDefTable, memberRef) + blob,
		0x0D:             coded(1, fieldTable, paramTable) + blob, // FieldMarshal
		declSecurity:     2 + coded(2, typeDefTable, methodDefTable, assembly) + blob,
		0x0F:             6 + typ,                                     // ClassLayout
		0x10:             4 + field,                                   // FieldLayout
		standAloneSig:    blob,                                        //
		0x12:             typ + m.index(event),                        // EventMap
		0x13:             m.index(event),                              // EventPtr
		event:            2 + text + anyType,                          //
		0x15:             typ + m.index(property),                     // PropertyMap
		0x16:             m.index(property),                           // PropertyPtr
		property:         2 + text + blob,                             //
		0x18:             2 + method + coded(1, event, property),      // MethodSemantics
		0x19:             typ + 2*coded(1, methodDefTable, memberRef), // MethodImpl
		moduleRefTable:   text,
		typeSpecTable:    blob,
		0x1C:             2 + coded(1, fieldTable, methodDefTable) + text + m.index(moduleRefTable), // ImplMap
		0x1D:             4 + field,                                                                 // FieldRVA
		0x1E:             8,                                                                         // EncLog
		0x1F:             4,                                                                         // EncMap
		assembly:         16 + blob + 2*text,
		0x21:             4,  // AssemblyProcessor
		0x22:             12, // AssemblyOS
		assemblyRefTable: 12 + 2*blob + 2*text,
		0x24:             4 + m.index(assemblyRefTable),  // AssemblyRefProcessor
		0x25:             12 + m.index(assemblyRefTable), // AssemblyRefOS
		file:             4 + text + blob,
		exported:         8 + 2*text + implementation,
		resource:         8 + text + implementation,
		0x29:             2 * typ, // NestedClass
		genericParam:     4 + coded(1, typeDefTable, methodDefTable) + text,
	}
}
