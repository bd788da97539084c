package symbols

import (
	"errors"
	"io"
	"strings"

	"breakwire/mapping/ecma335"
)

// CLRParameters returns the parameter names of a method in a .NET module, one list for each overload. size is the
// module's size in bytes. The type is given by its last name ("Program", "<>c__DisplayClass1_0"), without generic
// arguments.
func CLRParameters(module io.ReaderAt, size int64, typeName, method string) ([][]string, error) {
	image, err := ecma335.OpenImage(module, size)
	if err != nil {
		return nil, err
	}
	metadata, err := image.Metadata()
	if err != nil {
		return nil, err
	}
	streams, err := ecma335.ReadStreams(metadata)
	if err != nil {
		return nil, err
	}
	m, err := readMethods(streams)
	if err != nil {
		return nil, err
	}
	return m.parameters(typeName, method), nil
}

// The numbers of the tables (ECMA-335 II.22).
const (
	moduleTable = iota
	typeRefTable
	typeDefTable
	fieldPtrTable
	fieldTable
	methodPtrTable
	methodDefTable
	paramPtrTable
	paramTable

	moduleRefTable   = 0x1A
	typeSpecTable    = 0x1B
	assemblyRefTable = 0x23
)

// methods has the tables that map types to methods, and methods to parameters.
type methods struct {
	*ecma335.Streams
	*ecma335.Tables
	types, methods, params ecma335.Table

	extends int // width of the index of a type's base in bytes
}

// readMethods takes the tables up to the parameters, in their order.
func readMethods(streams *ecma335.Streams) (*methods, error) {
	t, err := ecma335.ReadTables(streams.TableStream)
	if err != nil {
		return nil, err
	}
	if t.Rows[methodPtrTable] > 0 || t.Rows[paramPtrTable] > 0 {
		return nil, errors.New("metadata of edit and continue")
	}
	m := &methods{Streams: streams, Tables: t}
	m.extends = ecma335.Width(t.LargeCoded(2, typeDefTable, typeRefTable, typeSpecTable))
	text, guid, blob := ecma335.Width(t.LargeStrings), ecma335.Width(t.LargeGUIDs), ecma335.Width(t.LargeBlobs)
	field, method, param := m.index(fieldTable), m.index(methodDefTable), m.index(paramTable)
	scope := ecma335.Width(t.LargeCoded(2, moduleTable, moduleRefTable, assemblyRefTable, typeRefTable))
	var passed ecma335.Table
	for number, table := range []struct {
		name string
		size int
		to   *ecma335.Table
	}{
		moduleTable:    {"Module", 2 + text + 3*guid, &passed},
		typeRefTable:   {"TypeRef", scope + 2*text, &passed},
		typeDefTable:   {"TypeDef", 4 + 2*text + m.extends + field + method, &m.types},
		fieldPtrTable:  {"FieldPtr", field, &passed},
		fieldTable:     {"Field", 2 + text + blob, &passed},
		methodPtrTable: {"MethodPtr", method, &passed},
		methodDefTable: {"MethodDef", 8 + text + blob + param, &m.methods},
		paramPtrTable:  {"ParamPtr", param, &passed},
		paramTable:     {"Param", 4 + text, &m.params},
	} {
		if *table.to, err = t.Take(number, table.name, table.size); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// index is the width of an index into a table in bytes.
func (m *methods) index(table int) int { return ecma335.Width(m.Large(table)) }

// name reads an index into the string heap and returns the text.
func (m *methods) name(r *ecma335.Reader) string { return m.Text(r.Index(m.LargeStrings)) }

func (m *methods) parameters(typeName, method string) [][]string {
	var found [][]string
	for i := 1; i <= m.types.Count; i++ {
		r := m.types.Row(i)
		r.U32() // flags
		name, _, _ := strings.Cut(m.name(r), "`")
		if name != typeName {
			continue
		}
		end := m.methods.Count + 1
		if i < m.types.Count {
			end = min(end, m.firstMethod(i+1))
		}
		for n := max(m.firstMethod(i), 1); n < end; n++ {
			r := m.methods.Row(n)
			r.Bytes(8) // address, flags
			if m.name(r) == method {
				found = append(found, m.parameterNames(n))
			}
		}
	}
	return found
}

// firstMethod is the number of a type's first method. The first method of the next type ends the list.
func (m *methods) firstMethod(typeNumber int) int {
	r := m.types.Row(typeNumber)
	r.Bytes(4 + 2*ecma335.Width(m.LargeStrings) + m.extends + m.index(fieldTable))
	return int(r.Index(m.Large(methodDefTable)))
}

// firstParameter is the number of a method's first parameter. The first parameter of the next method ends the list.
func (m *methods) firstParameter(method int) int {
	r := m.methods.Row(method)
	r.Bytes(8 + ecma335.Width(m.LargeStrings) + ecma335.Width(m.LargeBlobs))
	return int(r.Index(m.Large(paramTable)))
}

// parameterNames returns the parameters of a method, without the return value.
func (m *methods) parameterNames(method int) []string {
	end := m.params.Count + 1
	if method < m.methods.Count {
		end = min(end, m.firstParameter(method+1))
	}
	names := []string{}
	for n := max(m.firstParameter(method), 1); n < end; n++ {
		r := m.params.Row(n)
		r.U16() // flags
		if sequence := r.U16(); sequence > 0 {
			names = append(names, m.name(r))
		}
	}
	return names
}
