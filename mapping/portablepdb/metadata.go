package portablepdb

import (
	"fmt"

	"breakwire/mapping/ecma335"
)

// The numbers of the tables that are read (Portable PDB v1.0). A .pdb file has no table with a lower number.
const (
	documentTable = 0x30
	methodTable   = 0x31 // MethodDebugInformation
)

// metadata is the content of a .pdb file: its heaps and the rows of the two tables.
type metadata struct {
	*ecma335.Streams
	*ecma335.Tables
	id        ID
	documents ecma335.Table
	methods   ecma335.Table
}

// readMetadata parses the file and checks that the tables are inside it. The rows of both tables consist of heap and
// document indexes only, so the table stream's header is enough for their sizes.
func readMetadata(data []byte) (*metadata, error) {
	streams, err := ecma335.ReadStreams(data)
	if err != nil {
		return nil, err
	}
	if streams.PDB == nil || streams.TableStream == nil {
		return nil, fmt.Errorf("no #Pdb or #~ stream: %w", ErrFormat)
	}
	md := &metadata{Streams: streams}
	if md.Tables, err = ecma335.ReadTables(streams.TableStream); err != nil {
		return nil, err
	}
	if md.Present&(1<<documentTable-1) != 0 {
		return nil, fmt.Errorf("tables of a module among those of symbols: %w", ErrFormat)
	}
	if err := md.readPDBStream(streams.PDB); err != nil {
		return nil, err
	}
	blob, guid := ecma335.Width(md.LargeBlobs), ecma335.Width(md.LargeGUIDs)
	if md.documents, err = md.Take(documentTable, "Document", 2*blob+2*guid); err != nil {
		return nil, err
	}
	document := ecma335.Width(md.Large(documentTable))
	md.methods, err = md.Take(methodTable, "MethodDebugInformation", document+blob)
	return md, err
}

// readPDBStream reads the id and the row counts of the module's tables, which tell the widths of indexes into them.
func (md *metadata) readPDBStream(data []byte) error {
	r := &ecma335.Reader{Rest: data}
	copy(md.id[:], r.Bytes(len(md.id)))
	r.U32() // entry point
	present := r.U64()
	for table := range 64 {
		if present&(1<<table) == 0 {
			continue
		}
		if rows := r.U32(); table < documentTable {
			md.Rows[table] = rows
		}
	}
	if r.Bad {
		return fmt.Errorf("#Pdb stream: %w", ErrFormat)
	}
	return nil
}
