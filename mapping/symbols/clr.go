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
	m, err := openMethods(module, size)
	if err != nil {
		return nil, err
	}
	return m.parameters(typeName, method), nil
}

// openMethods reads the methods of a module.
func openMethods(module io.ReaderAt, size int64) (*methods, error) {
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
	return readMethods(streams)
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
	refs, types, fields, methods, params ecma335.Table

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
	for number, size := range m.sizes()[:paramTable+1] {
		table, err := t.Take(number, "metadata", size)
		if err != nil {
			return nil, err
		}
		switch number {
		case typeRefTable:
			m.refs = table
		case typeDefTable:
			m.types = table
		case fieldTable:
			m.fields = table
		case methodDefTable:
			m.methods = table
		case paramTable:
			m.params = table
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
		first, end := m.methodsOf(i)
		for n := first; n < end; n++ {
			r := m.methods.Row(n)
			r.Bytes(8) // address, flags
			if m.name(r) == method {
				found = append(found, m.parameterNames(n))
			}
		}
	}
	return found
}

// methodsOf returns the numbers of a type's methods: first, and the one after the last.
func (m *methods) methodsOf(typeNumber int) (first, end int) {
	end = m.methods.Count + 1
	if typeNumber < m.types.Count {
		end = min(end, m.firstMethod(typeNumber+1))
	}
	return max(m.firstMethod(typeNumber), 1), end
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
