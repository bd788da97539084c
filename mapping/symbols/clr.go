package symbols

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

var errFormat = errors.New("symbols: not a .NET module")

// maxMetadata bounds what is read of a module.
const maxMetadata = 64 << 20

// CLRParameters returns the parameter names of a method in a .NET module, a list for each overload. The type is given
// by its last name ("Program", "<>c__DisplayClass1_0"), without generic arguments.
func CLRParameters(module io.ReaderAt, typeName, method string) ([][]string, error) {
	streams, err := clrStreams(module)
	if err != nil {
		return nil, err
	}
	t, err := readTables(streams["#~"], streams["#Strings"])
	if err != nil {
		return nil, err
	}
	return t.parameters(typeName, method), nil
}

// clrStreams finds the metadata of a module (ECMA-335 II.24.2) and cuts it into its streams.
func clrStreams(module io.ReaderAt) (map[string][]byte, error) {
	f, err := pe.NewFile(module)
	if err != nil {
		return nil, err
	}
	var directory pe.DataDirectory
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		directory = h.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR]
	case *pe.OptionalHeader64:
		directory = h.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR]
	}
	header, err := atRVA(f, directory.VirtualAddress, 16)
	if err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(header[12:])
	if size > maxMetadata {
		return nil, errFormat
	}
	root, err := atRVA(f, binary.LittleEndian.Uint32(header[8:]), size)
	if err != nil {
		return nil, err
	}
	r := &reader{rest: root}
	if string(r.take(4)) != "BSJB" {
		return nil, errFormat
	}
	r.take(8)
	r.take((int(r.u32()) + 3) &^ 3) // the version's text
	r.take(2)
	streams := map[string][]byte{}
	for range r.u16() {
		offset, size := uint64(r.u32()), uint64(r.u32())
		end := bytes.IndexByte(r.rest, 0)
		if r.bad || end < 0 || offset+size > uint64(len(root)) {
			return nil, errFormat
		}
		name := string(r.rest[:end])
		r.take((end + 4) &^ 3)
		streams[name] = root[offset : offset+size]
	}
	return streams, nil
}

func atRVA(f *pe.File, rva, size uint32) ([]byte, error) {
	for _, s := range f.Sections {
		if rva < s.VirtualAddress || uint64(rva)+uint64(size) > uint64(s.VirtualAddress)+uint64(max(s.Size, s.VirtualSize)) {
			continue
		}
		out := make([]byte, size)
		_, err := s.ReadAt(out, int64(rva-s.VirtualAddress))
		return out, err
	}
	return nil, errFormat
}

// reader reads little-endian numbers; after the end everything is zero and bad is set.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) number(width int) uint32 {
	b := r.take(width)
	switch len(b) {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(binary.LittleEndian.Uint16(b))
	case 4:
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u16() uint32 { return r.number(2) }
func (r *reader) u32() uint32 { return r.number(4) }

// Tables by number (ECMA-335 II.22).
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
)

// tables are the rows that say which type has which method, and which method which parameters.
type tables struct {
	strings  []byte
	rows     [64]uint32
	data     [paramTable + 1][]byte
	size     [paramTable + 1]int
	str      int // widths of indexes
	method   int
	param    int
	extends  int
	blob     int
	fieldIdx int
}

func readTables(stream, heap []byte) (*tables, error) {
	r := &reader{rest: stream}
	r.take(6)
	heaps := r.number(1)
	r.take(1)
	present := uint64(r.u32()) | uint64(r.u32())<<32
	r.take(8)
	t := &tables{strings: heap}
	for i := range t.rows {
		if present&(1<<i) != 0 {
			t.rows[i] = r.u32()
		}
	}
	wide := func(large bool) int {
		if large {
			return 4
		}
		return 2
	}
	index := func(table int) int { return wide(t.rows[table] >= 1<<16) }
	coded := func(bits uint, tables ...int) int {
		large := false
		for _, of := range tables {
			large = large || t.rows[of] >= 1<<(16-bits)
		}
		return wide(large)
	}
	t.str, t.blob = wide(heaps&1 != 0), wide(heaps&4 != 0)
	guid := wide(heaps&2 != 0)
	t.fieldIdx, t.method, t.param = index(fieldTable), index(methodDefTable), index(paramTable)
	t.extends = coded(2, typeDefTable, typeRefTable, 0x1B)
	t.size = [paramTable + 1]int{
		moduleTable:    2 + t.str + 3*guid,
		typeRefTable:   coded(2, moduleTable, 0x1A, 0x23, typeRefTable) + 2*t.str,
		typeDefTable:   4 + 2*t.str + t.extends + t.fieldIdx + t.method,
		fieldPtrTable:  t.fieldIdx,
		fieldTable:     2 + t.str + t.blob,
		methodPtrTable: t.method,
		methodDefTable: 8 + t.str + t.blob + t.param,
		paramPtrTable:  t.param,
		paramTable:     4 + t.str,
	}
	for i := range t.data {
		if size := uint64(t.rows[i]) * uint64(t.size[i]); size <= uint64(len(r.rest)) {
			t.data[i] = r.take(int(size))
		} else {
			return nil, errFormat
		}
	}
	if r.bad || t.rows[methodPtrTable] > 0 || t.rows[paramPtrTable] > 0 {
		return nil, errFormat
	}
	return t, nil
}

func (t *tables) row(table int, number uint32) *reader {
	size := t.size[table]
	return &reader{rest: t.data[table][int(number-1)*size : int(number)*size]}
}

func (t *tables) text(at uint32) string {
	if uint64(at) >= uint64(len(t.strings)) {
		return ""
	}
	text, _, _ := bytes.Cut(t.strings[at:], []byte{0})
	return string(text)
}

func (t *tables) parameters(typeName, method string) [][]string {
	var found [][]string
	for i := uint32(1); i <= t.rows[typeDefTable]; i++ {
		r := t.row(typeDefTable, i)
		r.take(4)
		name, _, _ := strings.Cut(t.text(r.number(t.str)), "`")
		if name != typeName {
			continue
		}
		r.take(t.str + t.extends + t.fieldIdx)
		first, end := r.number(t.method), t.rows[methodDefTable]+1
		if i < t.rows[typeDefTable] {
			next := t.row(typeDefTable, i+1)
			next.take(4 + 2*t.str + t.extends + t.fieldIdx)
			end = min(end, next.number(t.method))
		}
		for m := max(first, 1); m < end; m++ {
			r := t.row(methodDefTable, m)
			r.take(8)
			if t.text(r.number(t.str)) == method {
				found = append(found, t.names(m))
			}
		}
	}
	return found
}

// names are the parameters of a method, without the return value's row.
func (t *tables) names(method uint32) []string {
	list := func(m uint32) uint32 {
		r := t.row(methodDefTable, m)
		r.take(8 + t.str + t.blob)
		return r.number(t.param)
	}
	end := t.rows[paramTable] + 1
	if method < t.rows[methodDefTable] {
		end = min(end, list(method+1))
	}
	names := []string{}
	for p := max(list(method), 1); p < end; p++ {
		r := t.row(paramTable, p)
		r.take(2)
		if sequence := r.u16(); sequence > 0 {
			names = append(names, t.text(r.number(t.str)))
		}
	}
	return names
}
