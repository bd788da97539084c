// Package portablepdb reads portable PDB files, the debug symbols of .NET: which source files a module was made of,
// which of their lines have code, and how the elements of tuples are named.
//
// A portable PDB is a metadata file (package ecma335) with the tables of "Portable PDB v1.0". Those of documents,
// methods, local variables and custom debug information are read.
//
// Read works on bytes only. FromModule is the only function that uses the disk: it finds the symbols of a module. The
// package starts no goroutine. A PDB is immutable and keeps nothing of its input, so several goroutines may use it.
//
// Symbols have the origin of the debuggee and are not trusted. Each offset and count is checked, and time and memory
// stay within a small multiple of the file's size, also for files that refer to the same bytes many times.
package portablepdb

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"breakwire/mapping/ecma335"
)

// MaxSize is the largest PDB that is read, in bytes after decompression.
const MaxSize = 64 << 20

var (
	// ErrFormat is wrapped by errors about invalid bytes.
	ErrFormat = ecma335.ErrFormat
	// ErrTooLarge is wrapped by errors about files over MaxSize, or whose content would expand too much.
	ErrTooLarge = errors.New("too large")
	// ErrNoSymbols is wrapped when a module has no portable PDB, or is not a .NET module.
	ErrNoSymbols = errors.New("no portable PDB")
	// ErrMismatch is wrapped when the PDB belongs to another build of the module.
	ErrMismatch = errors.New("the PDB is of another build")
)

// ID identifies a build: a GUID and a stamp, in the byte order of the file. The module has the same one.
type ID [20]byte

// String returns the ID in hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// PDB is the content of one portable PDB.
type PDB struct {
	id        ID
	documents []Document
	lines     [][]int32      // of each document: sorted, without duplicates
	byPath    map[string]int // index into documents and lines
	code      []bool         // of each method: it has statements of the source

	tuples     []tuple
	tupleLines []methodLines
}

// Read reads the content of a .pdb file. A method with damaged sequence points adds the lines before the damage,
// because some tools that rewrite modules write such methods. Any other damage is an error.
func Read(data []byte) (*PDB, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("read portable PDB of %d bytes: %w", len(data), ErrTooLarge)
	}
	pdb, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("read portable PDB: %w", err)
	}
	return pdb, nil
}

func read(data []byte) (*PDB, error) {
	md, err := readMetadata(data)
	if err != nil {
		return nil, err
	}
	p := &PDB{id: md.id}
	index, err := p.readDocuments(md, newBudget(len(data)))
	if err != nil {
		return nil, err
	}
	if err := p.readLines(md, index, newBudget(len(data))); err != nil {
		return nil, err
	}
	p.readTuples(md, index, newBudget(len(data)))
	return p, nil
}

// ID returns the build that the symbols belong to.
func (p *PDB) ID() ID { return p.id }

// Documents returns the source files in the order of the file, each path once.
func (p *PDB) Documents() []Document { return slices.Clone(p.documents) }

// Lines returns the lines of a document at which a statement with code begins, ascending. The path must be spelled as
// in Documents. It returns none for an unknown document.
func (p *PDB) Lines(document string) []int {
	i, ok := p.byPath[document]
	if !ok {
		return nil
	}
	lines := make([]int, len(p.lines[i]))
	for k, line := range p.lines[i] {
		lines[k] = int(line)
	}
	return lines
}

// HasCode reports whether a method, by its number in the module from 0, has statements of the source. The methods that
// only start an async method or an iterator have none.
func (p *PDB) HasCode(method int) bool { return method >= 0 && method < len(p.code) && p.code[method] }

// NearestLine returns the line where a breakpoint at the given line would be: the first with code at or after it,
// else the last before it. It reports false when the document is unknown or has no code.
func (p *PDB) NearestLine(document string, line int) (int, bool) {
	i, ok := p.byPath[document]
	if !ok || len(p.lines[i]) == 0 {
		return 0, false
	}
	lines := p.lines[i]
	at, _ := slices.BinarySearchFunc(lines, line, func(have int32, want int) int { return cmp.Compare(int(have), want) })
	return int(lines[min(at, len(lines)-1)]), true
}

// budget limits the memory that a file's references expand to. Rows are small and may all name the same large blob,
// so the size of the file is not a limit. Compilers' files expand to about a third of their size.
type budget struct{ left int }

func newBudget(size int) *budget { return &budget{left: 4*size + 1<<20} }

// take returns an error when n bytes are more than what is left.
func (b *budget) take(n int) error {
	if n > b.left {
		return fmt.Errorf("content out of proportion: %w", ErrTooLarge)
	}
	b.left -= n
	return nil
}
