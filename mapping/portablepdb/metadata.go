package portablepdb

import (
	"bytes"
	"fmt"
	"math/bits"
)

// The tables that are read, by number (Portable PDB v1.0). In a .pdb file none has a lower number.
const (
	documentTable = 0x30
	methodTable   = 0x31 // MethodDebugInformation
	tables        = 64
)

// signature begins every metadata file, and so every portable PDB.
var signature = []byte("BSJB")

// isPortable tells a portable PDB from those of native code and of .NET Framework, which share the file name.
func isPortable(data []byte) bool { return bytes.HasPrefix(data, signature) }

// metadata is the physical layout of a .pdb file: its heaps, and the rows of the two tables.
type metadata struct {
	id          ID
	blobs       []byte
	guids       []byte
	largeBlobs  bool // blob indexes have four bytes
	largeGUIDs  bool
	largeDocs   bool
	documents   int    // rows
	methods     int    // rows
	documentRow []byte // all rows of the Document table
	methodRow   []byte // all rows of the MethodDebugInformation table
}

// readMetadata takes the file apart and checks that the tables lie inside it.
func readMetadata(data []byte) (*metadata, error) {
	streams, err := readStreams(data)
	if err != nil {
		return nil, err
	}
	md := &metadata{blobs: streams["#Blob"], guids: streams["#GUID"]}
	pdb, hasPDB := streams["#Pdb"]
	table, hasTables := streams["#~"]
	if !hasPDB || !hasTables {
		return nil, fmt.Errorf("no #Pdb or #~ stream: %w", ErrFormat)
	}
	if err := md.readPDBStream(pdb); err != nil {
		return nil, err
	}
	if err := md.readTables(table); err != nil {
		return nil, err
	}
	return md, nil
}

// readStreams is the metadata root (ECMA-335 II.24.2.1): the streams by name.
func readStreams(data []byte) (map[string][]byte, error) {
	if !isPortable(data) {
		return nil, fmt.Errorf("no metadata signature: %w", ErrFormat)
	}
	r := &reader{rest: data}
	r.bytes(len(signature) + 2 + 2 + 4) // versions, reserved
	version := r.u32()
	if version > 255 {
		return nil, fmt.Errorf("version text of %d bytes: %w", version, ErrFormat)
	}
	r.bytes(int(version+3) / 4 * 4)
	r.u16() // flags
	count := int(r.u16())
	streams := make(map[string][]byte, 6)
	for range count {
		offset, size, name := r.u32(), r.u32(), r.name()
		if r.bad {
			return nil, fmt.Errorf("stream headers: %w", ErrFormat)
		}
		if uint64(offset)+uint64(size) > uint64(len(data)) {
			return nil, fmt.Errorf("stream %q ends behind the file: %w", name, ErrFormat)
		}
		switch name {
		case "#Pdb", "#~", "#Blob", "#GUID":
			if _, twice := streams[name]; twice {
				return nil, fmt.Errorf("stream %q twice: %w", name, ErrFormat)
			}
			streams[name] = data[offset : offset+size]
		}
	}
	if r.bad {
		return nil, fmt.Errorf("metadata root: %w", ErrFormat)
	}
	return streams, nil
}

// readPDBStream takes the id. The entry point and the row counts of the module's own tables, which follow, matter only
// for tables that are not read here.
func (md *metadata) readPDBStream(data []byte) error {
	r := &reader{rest: data}
	copy(md.id[:], r.bytes(len(md.id)))
	r.u32() // entry point
	r.bytes(4 * bits.OnesCount64(r.u64()))
	if r.bad {
		return fmt.Errorf("#Pdb stream: %w", ErrFormat)
	}
	return nil
}

// readTables is the table stream (ECMA-335 II.24.2.6). The rows of both tables consist of heap and document indexes
// only, so their sizes follow from the stream's own header.
func (md *metadata) readTables(data []byte) error {
	const (
		largeStrings = 1 << iota
		largeGUIDs
		largeBlobs
		extraData = 0x40
	)
	r := &reader{rest: data}
	r.bytes(4 + 1 + 1) // reserved, versions
	heaps := r.u8()
	r.u8() // reserved
	present := r.u64()
	r.u64() // which are sorted
	var rows [tables]uint32
	for t := range rows {
		if present&(1<<t) != 0 {
			rows[t] = r.u32()
		}
	}
	if heaps&extraData != 0 {
		r.u32()
	}
	if r.bad {
		return fmt.Errorf("table header: %w", ErrFormat)
	}
	if present&(1<<documentTable-1) != 0 {
		return fmt.Errorf("tables of a module among those of symbols: %w", ErrFormat)
	}

	md.largeBlobs, md.largeGUIDs = heaps&largeBlobs != 0, heaps&largeGUIDs != 0
	md.largeDocs = rows[documentTable] >= 1<<16
	var err error
	blob, guid := width(md.largeBlobs), width(md.largeGUIDs)
	md.documents, md.documentRow, err = r.rows("Document", rows[documentTable], 2*blob+2*guid)
	if err != nil {
		return err
	}
	md.methods, md.methodRow, err = r.rows("MethodDebugInformation", rows[methodTable], width(md.largeDocs)+blob)
	return err
}

// rows is the next table.
func (r *reader) rows(table string, count uint32, size int) (int, []byte, error) {
	if uint64(count)*uint64(size) > uint64(len(r.rest)) {
		return 0, nil, fmt.Errorf("%s table of %d rows ends behind its stream: %w", table, count, ErrFormat)
	}
	return int(count), r.bytes(int(count) * size), nil
}

func width(large bool) int {
	if large {
		return 4
	}
	return 2
}

// blob is the content at an index of the blob heap, not copied. Index 0 is the empty blob, also without a heap.
func (md *metadata) blob(index uint32) ([]byte, bool) {
	if index == 0 {
		return nil, true
	}
	if uint64(index) >= uint64(len(md.blobs)) {
		return nil, false
	}
	r := &reader{rest: md.blobs[index:]}
	b := r.bytes(r.unsigned())
	return b, !r.bad
}

// guid is the entry of the GUID heap with that number, from 1. Number 0, and one that is not there, is the zero GUID:
// what they are used for here is not worth refusing a file.
func (md *metadata) guid(number uint32) (g [16]byte) {
	if end := uint64(number) * 16; number > 0 && end <= uint64(len(md.guids)) {
		copy(g[:], md.guids[end-16:end])
	}
	return g
}
