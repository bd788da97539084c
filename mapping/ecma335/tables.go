package ecma335

import "fmt"

// Tables is the table stream (ECMA-335 II.24.2.6): the number of rows of each table, and the rows that were not taken
// yet.
type Tables struct {
	Present      uint64 // a bit for each table
	Rows         [64]uint32
	LargeStrings bool // string indexes have four bytes
	LargeGUIDs   bool
	LargeBlobs   bool
	rows         Reader
}

// ReadTables reads the header of the table stream.
func ReadTables(stream []byte) (*Tables, error) {
	const (
		largeStrings = 1 << iota
		largeGUIDs
		largeBlobs
		extraData = 0x40
	)
	r := Reader{Rest: stream}
	r.Bytes(4 + 1 + 1) // reserved, versions
	heaps := r.U8()
	r.U8() // reserved
	t := &Tables{
		Present: r.U64(), LargeStrings: heaps&largeStrings != 0,
		LargeGUIDs: heaps&largeGUIDs != 0, LargeBlobs: heaps&largeBlobs != 0,
	}
	r.U64() // which tables are sorted
	for i := range t.Rows {
		if t.Present&(1<<i) != 0 {
			t.Rows[i] = r.U32()
		}
	}
	if heaps&extraData != 0 {
		r.U32()
	}
	if r.Bad {
		return nil, fmt.Errorf("table header: %w", ErrFormat)
	}
	t.rows = r
	return t, nil
}

// Large reports whether indexes into a table have four bytes.
func (t *Tables) Large(table int) bool { return t.Rows[table] >= 1<<16 }

// LargeCoded reports whether coded indexes, which name one of several tables in their lowest bits, have four bytes
// (ECMA-335 II.24.2.6).
func (t *Tables) LargeCoded(bits uint, tables ...int) bool {
	for _, table := range tables {
		if t.Rows[table] >= 1<<(16-bits) {
			return true
		}
	}
	return false
}

// Table has the rows of one table.
type Table struct {
	Count int
	size  int
	data  []byte
}

// Take takes the rows of a table; size is the bytes of a row. Tables are stored by number, and each table that is
// present must be taken in that order. The name is for errors.
func (t *Tables) Take(table int, name string, size int) (Table, error) {
	count := t.Rows[table]
	if uint64(count)*uint64(size) > uint64(len(t.rows.Rest)) {
		return Table{}, fmt.Errorf("%s table of %d rows ends behind its stream: %w", name, count, ErrFormat)
	}
	return Table{int(count), size, t.rows.Bytes(int(count) * size)}, nil
}

// All returns a reader of all rows.
func (t Table) All() *Reader { return &Reader{Rest: t.data} }

// Row returns a reader of a row by its number, from 1. The reader of a missing row has no bytes.
func (t Table) Row(number int) *Reader {
	if number < 1 || number > t.Count {
		return &Reader{}
	}
	return &Reader{Rest: t.data[(number-1)*t.size : number*t.size]}
}

// Width is the size of an index in bytes.
func Width(large bool) int {
	if large {
		return 4
	}
	return 2
}
