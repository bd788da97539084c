package portablepdb

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
)

// Kinds of debug directory entries, and what the entries of portable PDBs are told by.
const (
	codeViewEntry   = 2
	embeddedEntry   = 17
	portableVersion = 0x504D // minor version of a CodeView entry whose stamp is part of the id
	embeddedVersion = 0x0100
)

const (
	maxSections = 1024
	maxEntries  = 64
	maxCodeView = 1 << 16
	// maxRatio is how many bytes a compressed byte can become at most.
	maxRatio = 1032
)

// image is what the debug directory of a module (a PE file) says about its symbols.
type image struct {
	ids      []ID     // of portable PDBs; more than one in precompiled modules
	paths    []string // where the compiler wrote the .pdb files, in the order of ids
	file     io.ReaderAt
	size     int64
	embedded *section // the compressed PDB, with its header
}

// section is a piece of the file.
type section struct{ offset, size uint32 }

// readImage reads the headers and the debug directory. The file may be large: only what is needed is read. A file that is
// no PE file at all is ErrNoSymbols, one that is broken ErrFormat.
func readImage(file io.ReaderAt, size int64) (*image, error) {
	im := &image{file: file, size: size}
	dos, err := im.read(0, 64)
	if err != nil || !bytes.HasPrefix(dos, []byte("MZ")) {
		return nil, fmt.Errorf("not a PE file: %w", ErrNoSymbols)
	}
	r := &reader{rest: dos[60:]}
	start := int64(r.u32())
	head, err := im.read(start, 24)
	if err != nil || !bytes.HasPrefix(head, []byte("PE\x00\x00")) {
		return nil, fmt.Errorf("not a PE file: %w", ErrNoSymbols)
	}
	r = &reader{rest: head[6:]}
	sections := int(r.u16())
	r.bytes(12)
	optional := int(r.u16())
	if sections > maxSections {
		return nil, fmt.Errorf("%d sections: %w", sections, ErrFormat)
	}
	header, err := im.read(start+24, optional)
	if err != nil {
		return nil, fmt.Errorf("optional header: %w", err)
	}
	directory, err := debugDirectory(header)
	if err != nil || directory.size == 0 {
		return im, err
	}
	table, err := im.read(start+24+int64(optional), 40*sections)
	if err != nil {
		return nil, fmt.Errorf("section headers: %w", err)
	}
	at, ok := fileOffset(table, directory)
	if !ok {
		return nil, fmt.Errorf("the debug directory lies in no section: %w", ErrFormat)
	}
	return im, im.readEntries(at, min(int(directory.size/28), maxEntries))
}

// read is a piece of the file. Its size is checked before anything is allocated for it.
func (im *image) read(offset int64, n int) ([]byte, error) {
	if offset < 0 || n < 0 || offset > im.size || int64(n) > im.size-offset {
		return nil, fmt.Errorf("%d bytes at %#x of a file of %d: %w", n, offset, im.size, ErrFormat)
	}
	b := make([]byte, n)
	if got, err := im.file.ReadAt(b, offset); got < n {
		return nil, err
	}
	return b, nil
}

// debugDirectory finds the directory in the optional header, as an address in memory. Size zero: there is none.
func debugDirectory(header []byte) (section, error) {
	const number, width = 6, 8
	r := &reader{rest: header}
	switch magic := r.u16(); magic {
	case 0x10B: // 32 bits
		r.bytes(90)
	case 0x20B: // 64 bits
		r.bytes(106)
	default:
		return section{}, fmt.Errorf("optional header of kind %#x: %w", magic, ErrFormat)
	}
	count := r.u32()
	if !r.bad && count <= number {
		return section{}, nil
	}
	r.bytes(number * width)
	s := section{offset: r.u32(), size: r.u32()}
	if r.bad {
		return section{}, fmt.Errorf("optional header: %w", ErrFormat)
	}
	return s, nil
}

// fileOffset is where a piece of memory lies in the file, by the section headers.
func fileOffset(table []byte, memory section) (int64, bool) {
	for r := (&reader{rest: table}); len(r.rest) >= 40; {
		r.bytes(12) // name, size in memory
		address, size, offset := r.u32(), r.u32(), r.u32()
		r.bytes(16)
		if in := int64(memory.offset) - int64(address); in >= 0 && in+int64(memory.size) <= int64(size) {
			return int64(offset) + in, true
		}
	}
	return 0, false
}

// readEntries reads the debug directory.
func (im *image) readEntries(at int64, count int) error {
	entries, err := im.read(at, 28*count)
	if err != nil {
		return fmt.Errorf("debug directory: %w", err)
	}
	for r := (&reader{rest: entries}); len(r.rest) > 0; {
		r.u32()
		stamp := r.bytes(4)
		_, minor, kind := r.u16(), r.u16(), r.u32()
		data := section{size: r.u32()}
		r.u32()
		data.offset = r.u32()
		switch {
		case kind == codeViewEntry && minor == portableVersion:
			if err := im.readCodeView(data, stamp); err != nil {
				return fmt.Errorf("CodeView entry: %w", err)
			}
		case kind == embeddedEntry && minor == embeddedVersion && im.embedded == nil:
			im.embedded = &data
		}
	}
	return nil
}

// readCodeView reads which PDB belongs to the module and where it was written.
func (im *image) readCodeView(at section, stamp []byte) error {
	data, err := im.read(int64(at.offset), int(min(at.size, maxCodeView)))
	if err != nil {
		return err
	}
	r := &reader{rest: data}
	kind, guid := r.bytes(4), r.bytes(16)
	r.u32() // age
	if r.bad || string(kind) != "RSDS" {
		return fmt.Errorf("no id: %w", ErrFormat)
	}
	path, _, _ := bytes.Cut(r.rest, []byte{0})
	im.ids = append(im.ids, ID(append(append(make([]byte, 0, 20), guid...), stamp...)))
	im.paths = append(im.paths, string(path))
	return nil
}

// decompress is the PDB inside the module. What the header promises is checked against what deflate can do, and what
// comes out against what was promised.
func (im *image) decompress() ([]byte, error) {
	data, err := im.read(int64(im.embedded.offset), int(min(im.embedded.size, MaxSize)))
	if err != nil {
		return nil, err
	}
	r := &reader{rest: data}
	kind, size := r.bytes(4), int64(r.u32())
	if r.bad || string(kind) != "MPDB" {
		return nil, fmt.Errorf("no header: %w", ErrFormat)
	}
	if size > MaxSize {
		return nil, fmt.Errorf("%d bytes: %w", size, ErrTooLarge)
	}
	if size > maxRatio*int64(len(r.rest)) {
		return nil, fmt.Errorf("%d bytes of %d compressed ones: %w", size, len(r.rest), ErrFormat)
	}
	pdb, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(r.rest)), size+1))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w: %w", ErrFormat, err)
	}
	if int64(len(pdb)) != size {
		return nil, fmt.Errorf("decompressed to other than %d bytes: %w", size, ErrFormat)
	}
	return pdb, nil
}

// owns reports whether the id is one of the module's. A module that names none takes any.
func (im *image) owns(id ID) bool {
	for _, known := range im.ids {
		if known == id {
			return true
		}
	}
	return len(im.ids) == 0
}
