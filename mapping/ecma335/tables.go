package ecma335

import "fmt"

// Tables is the table stream (ECMA-335 II.24.2.6): how many rows each table has, and the rows that have not been taken.
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
	r.U64() // which are sorted
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

// LargeCoded reports whether indexes that lead into one of several tables, and say by some bits into which, have four
// bytes.
func (t *Tables) LargeCoded(bits uint, tables ...int) bool {
	for _, table := range tables {
		if t.Rows[table] >= 1<<(16-bits) {
			return true
		}
	}
	return false
}

// Table is the rows of one table.
type Table struct {
	Count int
	size  int
	data  []byte
}

// Take takes the rows of a table, each of a number of bytes. Tables lie in the order of their numbers, and each that is
// present must be taken in its turn. The name is for errors.
func (t *Tables) Take(table int, name string, size int) (Table, error) {
	count := t.Rows[table]
	if uint64(count)*uint64(size) > uint64(len(t.rows.Rest)) {
		return Table{}, fmt.Errorf("%s table of %d rows ends behind its stream: %w", name, count, ErrFormat)
	}
	return Table{int(count), size, t.rows.Bytes(int(count) * size)}, nil
}

// All reads all rows, one after the other.
func (t Table) All() *Reader { return &Reader{Rest: t.data} }

// Row reads a row by its number, from 1. A row that is not there has no bytes.
func (t Table) Row(number int) *Reader {
	if number < 1 || number > t.Count {
		return &Reader{}
	}
	return &Reader{Rest: t.data[(number-1)*t.size : number*t.size]}
}

// Width is the size of an index.
func Width(large bool) int {
	if large {
		return 4
	}
	return 2
}
