package ecma335

import (
	"bytes"
	"fmt"
	"io"
)

// Directories of a PE file that .NET uses.
const (
	DebugDirectory = 6
	CLRDirectory   = 14
)

const (
	maxSections = 1024
	// maxMetadata limits the metadata that is read from a module, in bytes.
	maxMetadata = 64 << 20
)

// Image is a module. Only the requested parts are read, because modules may be large.
type Image struct {
	file         io.ReaderAt
	size         int64
	header       []byte // the optional header
	sections     int64  // where the section headers are
	sectionCount int
}

// Section is a range of a file, or of memory.
type Section struct{ Offset, Size uint32 }

// OpenImage reads the headers of a module. The error wraps ErrNotPE for a file that is not a PE file, and ErrFormat
// for a damaged one.
func OpenImage(file io.ReaderAt, size int64) (*Image, error) {
	im := &Image{file: file, size: size}
	dos, err := im.Read(0, 64)
	if err != nil || !bytes.HasPrefix(dos, []byte("MZ")) {
		return nil, ErrNotPE
	}
	r := &Reader{Rest: dos[60:]}
	start := int64(r.U32())
	head, err := im.Read(start, 24)
	if err != nil || !bytes.HasPrefix(head, []byte("PE\x00\x00")) {
		return nil, ErrNotPE
	}
	r = &Reader{Rest: head[6:]}
	im.sectionCount = int(r.U16())
	r.Bytes(12)
	optional := int(r.U16())
	if im.sectionCount > maxSections {
		return nil, fmt.Errorf("%d sections: %w", im.sectionCount, ErrFormat)
	}
	if im.header, err = im.Read(start+24, optional); err != nil {
		return nil, fmt.Errorf("optional header: %w", err)
	}
	im.sections = start + 24 + int64(optional)
	return im, nil
}

// Read returns n bytes of the file. It checks the range before it allocates memory.
func (im *Image) Read(offset int64, n int) ([]byte, error) {
	if offset < 0 || n < 0 || offset > im.size || int64(n) > im.size-offset {
		return nil, fmt.Errorf("%d bytes at %#x of a file of %d: %w", n, offset, im.size, ErrFormat)
	}
	b := make([]byte, n)
	if got, err := im.file.ReadAt(b, offset); got < n {
		return nil, err
	}
	return b, nil
}

// Directory returns one of the image's directories, as a range of memory. Its size is zero if there is none.
func (im *Image) Directory(number int) (Section, error) {
	const width = 8
	r := &Reader{Rest: im.header}
	switch magic := r.U16(); magic {
	case 0x10B: // 32 bits
		r.Bytes(90)
	case 0x20B: // 64 bits
		r.Bytes(106)
	default:
		return Section{}, fmt.Errorf("optional header of kind %#x: %w", magic, ErrFormat)
	}
	count := r.U32()
	if !r.Bad && uint64(count) <= uint64(number) {
		return Section{}, nil
	}
	r.Bytes(number * width)
	s := Section{Offset: r.U32(), Size: r.U32()}
	if r.Bad {
		return Section{}, fmt.Errorf("optional header: %w", ErrFormat)
	}
	return s, nil
}

// FileOffset returns the file offset of a range of memory, from the section headers.
func (im *Image) FileOffset(memory Section) (int64, error) {
	headers, err := im.Read(im.sections, 40*im.sectionCount)
	if err != nil {
		return 0, fmt.Errorf("section headers: %w", err)
	}
	for r := (&Reader{Rest: headers}); len(r.Rest) >= 40; {
		r.Bytes(12) // name, size in memory
		address, size, offset := r.U32(), r.U32(), r.U32()
		r.Bytes(16)
		if in := int64(memory.Offset) - int64(address); in >= 0 && in+int64(memory.Size) <= int64(size) {
			return int64(offset) + in, nil
		}
	}
	return 0, fmt.Errorf("what is at %#x in memory lies in no section: %w", memory.Offset, ErrFormat)
}

// Metadata returns the metadata of a .NET module.
func (im *Image) Metadata() ([]byte, error) {
	directory, err := im.Directory(CLRDirectory)
	if err != nil {
		return nil, err
	}
	directory.Size = 16 // only the beginning of the header is read
	header, err := im.readMemory(directory)
	if err != nil {
		return nil, fmt.Errorf("no .NET module: %w", err)
	}
	r := &Reader{Rest: header[8:]}
	at := Section{Offset: r.U32(), Size: r.U32()}
	if at.Size > maxMetadata {
		return nil, fmt.Errorf("metadata of %d bytes: %w", at.Size, ErrFormat)
	}
	return im.readMemory(at)
}

// readMemory reads a range of memory from the file.
func (im *Image) readMemory(s Section) ([]byte, error) {
	at, err := im.FileOffset(s)
	if err != nil {
		return nil, err
	}
	return im.Read(at, int(s.Size))
}
