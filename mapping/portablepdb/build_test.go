package portablepdb

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"
)

var le = binary.LittleEndian

// builder makes small .pdb files. Rows are written unchanged, because tests need invalid ones too.
type builder struct {
	id        ID
	wide      bool // four-byte indexes into the heaps
	blobs     []byte
	guids     []byte
	documents [][4]uint32 // name, hash algorithm, hash, language
	methods   [][2]uint32 // document, sequence points
}

func newBuilder() *builder {
	return &builder{id: ID{1, 2, 3, 19: 20}, blobs: []byte{0}}
}

// blob adds content to the heap.
func (b *builder) blob(content ...byte) uint32 {
	at := len(b.blobs)
	b.blobs = append(append(b.blobs, unsigned(len(content))...), content...)
	return uint32(at)
}

func (b *builder) guid(g [16]byte) uint32 {
	b.guids = append(b.guids, g[:]...)
	return uint32(len(b.guids) / 16)
}

// document adds a row whose path has the parts, joined by the separator.
func (b *builder) document(separator string, parts ...string) {
	name := []byte(separator)
	for _, part := range parts {
		var at uint32
		if part != "" {
			at = b.blob([]byte(part)...)
		}
		name = append(name, unsigned(int(at))...)
	}
	b.documents = append(b.documents, [4]uint32{b.blob(name...)})
}

// method adds a row with sequence points.
func (b *builder) method(document int, points ...byte) {
	b.methods = append(b.methods, [2]uint32{uint32(document), b.blob(points...)})
}

func (b *builder) index(to []byte, i uint32) []byte {
	if b.wide {
		return le.AppendUint32(to, i)
	}
	return le.AppendUint16(to, uint16(i))
}

func (b *builder) tables() []byte {
	out := []byte{0, 0, 0, 0, 2, 0, 0, 1}
	present := uint64(0)
	var rows []byte
	if len(b.documents) > 0 {
		present |= 1 << documentTable
		rows = le.AppendUint32(rows, uint32(len(b.documents)))
	}
	if len(b.methods) > 0 {
		present |= 1 << methodTable
		rows = le.AppendUint32(rows, uint32(len(b.methods)))
	}
	if b.wide {
		out[6] = 0x07
	}
	out = append(le.AppendUint64(le.AppendUint64(out, present), 0), rows...)
	for _, row := range b.documents {
		for _, cell := range row {
			out = b.index(out, cell)
		}
	}
	for _, row := range b.methods {
		if len(b.documents) >= 1<<16 {
			out = le.AppendUint32(out, row[0])
		} else {
			out = le.AppendUint16(out, uint16(row[0]))
		}
		out = b.index(out, row[1])
	}
	return out
}

func (b *builder) pdbStream() []byte {
	out := append(b.id[:], 0, 0, 0, 0)
	return le.AppendUint32(le.AppendUint64(out, 1<<6), uint32(len(b.methods)))
}

func (b *builder) bytes() []byte {
	return file(
		stream{"#Pdb", b.pdbStream()},
		stream{"#~", b.tables()},
		stream{"#GUID", b.guids},
		stream{"#Blob", b.blobs},
	)
}

type stream struct {
	name    string
	content []byte
}

// file returns a metadata file with the streams.
func file(streams ...stream) []byte {
	out := append([]byte("BSJB"), 1, 0, 1, 0, 0, 0, 0, 0, 12, 0, 0, 0)
	out = append(out, "PDB v1.0\x00\x00\x00\x00\x00\x00"...)
	out = le.AppendUint16(out, uint16(len(streams)))
	offset := len(out)
	for _, s := range streams {
		offset += 8 + len(s.name)/4*4 + 4
	}
	for _, s := range streams {
		out = le.AppendUint32(le.AppendUint32(out, uint32(offset)), uint32(len(s.content)))
		out = append(append(out, s.name...), make([]byte, 4-len(s.name)%4)...)
		offset += len(s.content)
	}
	for _, s := range streams {
		out = append(out, s.content...)
	}
	return out
}

// unsigned and signed encode compressed integers.
func unsigned(n int) []byte {
	switch {
	case n < 1<<7:
		return []byte{byte(n)}
	case n < 1<<14:
		return []byte{0x80 | byte(n>>8), byte(n)}
	}
	return []byte{0xC0 | byte(n>>24), byte(n >> 16), byte(n >> 8), byte(n)}
}

func signed(n int) []byte {
	rotate := func(bits int) int {
		v := n & (1<<bits - 1)
		return (v<<1 | v>>(bits-1)) & (1<<bits - 1)
	}
	switch {
	case n >= -1<<6 && n < 1<<6:
		return unsigned(rotate(7))
	case n >= -1<<13 && n < 1<<13:
		v := rotate(14)
		return []byte{0x80 | byte(v>>8), byte(v)}
	}
	v := rotate(29)
	return []byte{0xC0 | byte(v>>24), byte(v >> 16), byte(v >> 8), byte(v)}
}

// entry is an entry of a module's debug directory.
type entry struct {
	kind  uint32
	minor uint16
	stamp uint32
	data  []byte
}

// codeView returns the entry of a module that names its PDB.
func codeView(id ID, path string) entry {
	data := append([]byte("RSDS"), id[:16]...)
	data = append(append(le.AppendUint32(data, 1), path...), 0)
	return entry{codeViewEntry, portableVersion, le.Uint32(id[16:]), data}
}

// embed returns the entry that contains the PDB.
func embed(t testing.TB, pdb []byte) entry {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	require.NoError(t, err)
	_, err = w.Write(pdb)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	data := le.AppendUint32([]byte("MPDB"), uint32(len(pdb)))
	return entry{embeddedEntry, embeddedVersion, 0, append(data, packed.Bytes()...)}
}

// module returns a PE file with headers, one section, and the entries in it.
func module(wide bool, entries ...entry) []byte {
	const address, start = 0x2000, 0x200
	optional := make([]byte, 96+16*8)
	le.PutUint16(optional, 0x10B)
	if wide {
		optional = make([]byte, 112+16*8)
		le.PutUint16(optional, 0x20B)
	}
	directory := optional[len(optional)-16*8:]
	le.PutUint32(optional[len(optional)-16*8-4:], 16)
	if len(entries) > 0 {
		le.PutUint32(directory[6*8:], address)
		le.PutUint32(directory[6*8+4:], uint32(28*len(entries)))
	}

	var content, data []byte
	for _, e := range entries {
		at := start + 28*len(entries) + len(data)
		content = le.AppendUint32(content, 0)
		content = le.AppendUint32(content, e.stamp)
		content = le.AppendUint16(le.AppendUint16(content, 1), e.minor)
		content = le.AppendUint32(content, e.kind)
		content = le.AppendUint32(content, uint32(len(e.data)))
		content = le.AppendUint32(content, uint32(at-start+address))
		content = le.AppendUint32(content, uint32(at))
		data = append(data, e.data...)
	}
	content = append(content, data...)

	out := make([]byte, 64)
	copy(out, "MZ")
	le.PutUint32(out[60:], 64)
	out = append(out, "PE\x00\x00\x4C\x01\x01\x00"...)
	out = append(out, make([]byte, 12)...)
	out = le.AppendUint16(le.AppendUint16(out, uint16(len(optional))), 0x2000)
	out = append(out, optional...)
	out = append(out, ".text\x00\x00\x00"...)
	for _, field := range []uint32{uint32(len(content)), address, uint32(len(content)), start, 0, 0, 0, 0} {
		out = le.AppendUint32(out, field)
	}
	out = append(out, make([]byte, start-len(out))...)
	return append(out, content...)
}

// allocated returns how many bytes the process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// allowance is how many bytes reading a file of this size may allocate, including garbage.
func allowance(size int) uint64 { return uint64(24*size + 8<<20) }
