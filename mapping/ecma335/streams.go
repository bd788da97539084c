package ecma335

import (
	"bytes"
	"fmt"
)

// signature is the beginning of all metadata, and so of every portable PDB.
var signature = []byte("BSJB")

// IsMetadata reports whether data begins with the signature of metadata.
func IsMetadata(data []byte) bool { return bytes.HasPrefix(data, signature) }

// Streams are the parts of metadata that are read. They share the bytes of the metadata; a missing one is nil.
type Streams struct {
	TableStream, Strings, Blobs, GUIDs, PDB []byte
}

// ReadStreams reads the metadata root (ECMA-335 II.24.2.1).
func ReadStreams(data []byte) (*Streams, error) {
	if !IsMetadata(data) {
		return nil, fmt.Errorf("no metadata signature: %w", ErrFormat)
	}
	r := &Reader{Rest: data}
	r.Bytes(len(signature) + 2 + 2 + 4) // versions, reserved
	version := r.U32()
	if version > 255 {
		return nil, fmt.Errorf("version text of %d bytes: %w", version, ErrFormat)
	}
	r.Bytes(int(version+3) / 4 * 4)
	r.U16() // flags
	count := int(r.U16())
	s := &Streams{}
	for range count {
		offset, size, name := r.U32(), r.U32(), r.name()
		if r.Bad {
			return nil, fmt.Errorf("stream headers: %w", ErrFormat)
		}
		if uint64(offset)+uint64(size) > uint64(len(data)) {
			return nil, fmt.Errorf("stream %q ends behind the file: %w", name, ErrFormat)
		}
		to := s.named(name)
		if to == nil {
			continue
		}
		if *to != nil {
			return nil, fmt.Errorf("stream %q twice: %w", name, ErrFormat)
		}
		*to = data[offset : offset+size]
	}
	if r.Bad {
		return nil, fmt.Errorf("metadata root: %w", ErrFormat)
	}
	return s, nil
}

// named returns the field for a stream, nil for a stream that is not read.
func (s *Streams) named(name string) *[]byte {
	switch name {
	case "#~":
		return &s.TableStream
	case "#Strings":
		return &s.Strings
	case "#Blob":
		return &s.Blobs
	case "#GUID":
		return &s.GUIDs
	case "#Pdb":
		return &s.PDB
	}
	return nil
}

// Text returns the text at an index of the string heap, "" for an invalid index.
func (s *Streams) Text(index uint32) string {
	if uint64(index) >= uint64(len(s.Strings)) {
		return ""
	}
	text, _, _ := bytes.Cut(s.Strings[index:], []byte{0})
	return string(text)
}

// Blob returns the content at an index of the blob heap, without a copy. Index 0 is the empty blob, also without a
// heap.
func (s *Streams) Blob(index uint32) ([]byte, bool) {
	if index == 0 {
		return nil, true
	}
	if uint64(index) >= uint64(len(s.Blobs)) {
		return nil, false
	}
	r := &Reader{Rest: s.Blobs[index:]}
	b := r.Bytes(r.Unsigned())
	return b, !r.Bad
}

// GUID returns the entry of the GUID heap with that number, from 1. For an invalid number it returns the zero GUID: a
// wrong GUID is no reason to refuse a file.
func (s *Streams) GUID(number uint32) (g [16]byte) {
	if end := uint64(number) * 16; number > 0 && end <= uint64(len(s.GUIDs)) {
		copy(g[:], s.GUIDs[end-16:end])
	}
	return g
}
