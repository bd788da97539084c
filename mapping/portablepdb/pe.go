package portablepdb

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"

	"breakwire/mapping/ecma335"
)

// Kinds of debug directory entries, and the versions that mark portable PDBs.
const (
	codeViewEntry   = 2
	embeddedEntry   = 17
	portableVersion = 0x504D // minor version of a CodeView entry whose stamp is part of the id
	embeddedVersion = 0x0100
)

const (
	maxEntries  = 64
	maxCodeView = 1 << 16
	// maxRatio is the largest number of bytes that one compressed byte can become.
	maxRatio = 1032
)

// image is the debug directory's information about the symbols of a module.
type image struct {
	*ecma335.Image
	ids      []ID             // of portable PDBs; more than one in precompiled modules
	paths    []string         // where the compiler wrote the .pdb files, in the order of ids
	embedded *ecma335.Section // the compressed PDB, with its header
}

// readImage reads the headers and the debug directory. The error is ErrNoSymbols for a file that is not a PE file,
// and ErrFormat for a damaged one.
func readImage(file io.ReaderAt, size int64) (*image, error) {
	pe, err := ecma335.OpenImage(file, size)
	if errors.Is(err, ecma335.ErrNotPE) {
		return nil, fmt.Errorf("%w: %w", err, ErrNoSymbols)
	}
	if err != nil {
		return nil, err
	}
	im := &image{Image: pe}
	directory, err := im.Directory(ecma335.DebugDirectory)
	if err != nil || directory.Size == 0 {
		return im, err
	}
	at, err := im.FileOffset(directory)
	if err != nil {
		return nil, fmt.Errorf("debug directory: %w", err)
	}
	return im, im.readEntries(at, min(int(directory.Size/28), maxEntries))
}

// readEntries reads the debug directory.
func (im *image) readEntries(at int64, count int) error {
	entries, err := im.Read(at, 28*count)
	if err != nil {
		return fmt.Errorf("debug directory: %w", err)
	}
	for r := (&ecma335.Reader{Rest: entries}); len(r.Rest) > 0; {
		r.U32()
		stamp := r.Bytes(4)
		_, minor, kind := r.U16(), r.U16(), r.U32()
		data := ecma335.Section{Size: r.U32()}
		r.U32()
		data.Offset = r.U32()
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

// readCodeView reads the PDB's id and the path where it was written.
func (im *image) readCodeView(at ecma335.Section, stamp []byte) error {
	data, err := im.Read(int64(at.Offset), int(min(at.Size, maxCodeView)))
	if err != nil {
		return err
	}
	r := &ecma335.Reader{Rest: data}
	kind, guid := r.Bytes(4), r.Bytes(16)
	r.U32() // age
	if r.Bad || string(kind) != "RSDS" {
		return fmt.Errorf("no id: %w", ErrFormat)
	}
	path, _, _ := bytes.Cut(r.Rest, []byte{0})
	im.ids = append(im.ids, ID(append(append(make([]byte, 0, 20), guid...), stamp...)))
	im.paths = append(im.paths, string(path))
	return nil
}

// decompress returns the embedded PDB. It checks the header's size against what deflate can produce, and the result
// against the header's size.
func (im *image) decompress() ([]byte, error) {
	data, err := im.Read(int64(im.embedded.Offset), int(min(im.embedded.Size, MaxSize)))
	if err != nil {
		return nil, err
	}
	r := &ecma335.Reader{Rest: data}
	kind, size := r.Bytes(4), int64(r.U32())
	if r.Bad || string(kind) != "MPDB" {
		return nil, fmt.Errorf("no header: %w", ErrFormat)
	}
	if size > MaxSize {
		return nil, fmt.Errorf("%d bytes: %w", size, ErrTooLarge)
	}
	if size > maxRatio*int64(len(r.Rest)) {
		return nil, fmt.Errorf("%d bytes of %d compressed ones: %w", size, len(r.Rest), ErrFormat)
	}
	pdb, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(r.Rest)), size+1))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w: %w", ErrFormat, err)
	}
	if int64(len(pdb)) != size {
		return nil, fmt.Errorf("decompressed to other than %d bytes: %w", size, ErrFormat)
	}
	return pdb, nil
}

// owns reports whether the id is one of the module's. A module without ids accepts any.
func (im *image) owns(id ID) bool {
	for _, known := range im.ids {
		if known == id {
			return true
		}
	}
	return len(im.ids) == 0
}
