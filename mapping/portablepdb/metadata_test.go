package portablepdb

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

func TestReadRefuses(t *testing.T) {
	b := newBuilder()
	b.document("/", "", "a.cs")
	pdb, tables := stream{"#Pdb", b.pdbStream()}, stream{"#~", b.tables()}
	blobs := stream{"#Blob", b.blobs}
	_, err := Read(file(pdb, tables, blobs))
	require.NoError(t, err)

	rows := func(n uint32) stream {
		content := bytes.Clone(tables.content)
		le.PutUint32(content[24:], n)
		return stream{"#~", content}
	}
	present := func(bits uint64) stream {
		content := bytes.Clone(tables.content)
		le.PutUint64(content[8:], bits)
		return stream{"#~", content}
	}
	long := file(pdb, tables, blobs)
	le.PutUint32(long[12:], math.MaxUint32)
	outside := file(pdb, tables, blobs)
	le.PutUint32(outside[32:], math.MaxUint32)
	unending := file(stream{"#123456789012345678901234567890123", nil})

	for _, test := range []struct {
		name string
		in   []byte
		want string
	}{
		{"nothing", nil, "no metadata signature"},
		{"a PDB of native code", []byte("Microsoft C/C++ MSF 7.00\r\n\x1ADS\x00\x00\x00"), "no metadata signature"},
		{"the signature only", []byte("BSJB"), "metadata root"},
		{"a version without end", long, "version text of 4294967295 bytes"},
		{"a stream outside", outside, `stream "#Pdb" ends behind the file`},
		{"a stream name without end", unending, "stream headers"},
		{"more streams than headers", file(pdb, tables, blobs)[:40], "stream headers"},
		{"a module's metadata", file(tables, blobs), "no #Pdb or #~ stream"},
		{"no tables", file(pdb, blobs), "no #Pdb or #~ stream"},
		{"two tables", file(pdb, tables, tables, blobs), `stream "#~" twice`},
		{"half an id", file(stream{"#Pdb", pdb.content[:10]}, tables, blobs), "#Pdb stream"},
		{"row counts missing", file(stream{"#Pdb", pdb.content[:32]}, tables, blobs), "#Pdb stream"},
		{"half a table header", file(pdb, stream{"#~", tables.content[:23]}, blobs), "table header"},
		{"64 tables without counts", file(pdb, present(math.MaxUint64), blobs), "table header"},
		{"a table of the module", file(pdb, present(1<<6), blobs), "tables of a module"},
		{"too many rows", file(pdb, rows(2), blobs), "Document table of 2 rows ends behind its stream"},
		{"rows beyond all", file(pdb, rows(math.MaxUint32), blobs), "Document table of 4294967295 rows"},
		{"no blobs", file(pdb, tables), "document 1: name at 0x6"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read(test.in)
			require.ErrorIs(t, err, ErrFormat)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestReadNothing(t *testing.T) {
	pdb, err := Read(newBuilder().bytes())
	require.NoError(t, err)
	require.Equal(t, newBuilder().id, pdb.ID())
	require.Empty(t, pdb.Documents())
}

func TestReadTooLarge(t *testing.T) {
	_, err := Read(make([]byte, MaxSize+1))
	require.ErrorIs(t, err, ErrTooLarge)
}

// TestReadCut reads every prefix of a real file, which must not panic; all but the last few are refused.
func TestReadCut(t *testing.T) {
	whole, err := os.ReadFile(fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.pdb"))
	require.NoError(t, err)
	for n := range len(whole) {
		_, err := Read(whole[:n])
		require.ErrorIs(t, err, ErrFormat, "%d bytes", n)
	}
}
