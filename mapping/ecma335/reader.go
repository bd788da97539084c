package ecma335

import (
	"bytes"
	"encoding/binary"
)

// Reader takes values off the front of a byte slice. Past the end, or at an impossible value, Bad is set and stays set,
// and all values are zero. Callers look at Bad once, after what belongs together.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Bytes is the next n bytes, not copied.
func (r *Reader) Bytes(n int) []byte {
	if r.Bad || n < 0 || n > len(r.Rest) {
		r.Bad, r.Rest = true, nil
		return nil
	}
	b := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return b
}

// U8 is the next byte.
func (r *Reader) U8() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 is the next number of two bytes.
func (r *Reader) U16() uint16 {
	if b := r.Bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// U32 is the next number of four bytes.
func (r *Reader) U32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 is the next number of eight bytes.
func (r *Reader) U64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Index is a reference into a heap or a table, of four bytes when that is large, else of two.
func (r *Reader) Index(large bool) uint32 {
	if large {
		return r.U32()
	}
	return uint32(r.U16())
}

// name is a text that ends with a zero byte and is padded to a multiple of four.
func (r *Reader) name() string {
	end := bytes.IndexByte(r.Rest[:min(len(r.Rest), 32)], 0)
	if end < 0 {
		r.Bad, r.Rest = true, nil
		return ""
	}
	b := r.Bytes(end/4*4 + 4)
	if r.Bad {
		return ""
	}
	return string(b[:end])
}

// compressed is an unsigned integer of one, two or four bytes (ECMA-335 II.23.2), with the number of its bits.
func (r *Reader) compressed() (value uint32, bits int) {
	first := uint32(r.U8())
	switch {
	case first&0x80 == 0:
		return first, 7
	case first&0xC0 == 0x80:
		return (first&0x3F)<<8 | uint32(r.U8()), 14
	case first&0xE0 == 0xC0:
		b := r.Bytes(3)
		if r.Bad {
			return 0, 29
		}
		return (first&0x1F)<<24 | uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]), 29
	}
	r.Bad, r.Rest = true, nil
	return 0, 29
}

// Unsigned is a compressed unsigned integer.
func (r *Reader) Unsigned() int {
	v, _ := r.compressed()
	return int(v)
}

// Signed is a compressed signed integer: its sign is the lowest bit, for which the others were rotated up.
func (r *Reader) Signed() int {
	v, bits := r.compressed()
	n := int(v >> 1)
	if v&1 != 0 {
		n -= 1 << (bits - 1)
	}
	return n
}
