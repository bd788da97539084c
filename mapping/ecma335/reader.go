package ecma335

import (
	"bytes"
	"encoding/binary"
)

// Reader reads values from a byte slice. After the end or an impossible value Bad is set and stays set, and all
// values are zero. Callers check Bad once after a group of values.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Bytes returns the next n bytes, without a copy.
func (r *Reader) Bytes(n int) []byte {
	if r.Bad || n < 0 || n > len(r.Rest) {
		r.Bad, r.Rest = true, nil
		return nil
	}
	b := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return b
}

// U8 returns the next byte.
func (r *Reader) U8() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 returns the next number of two bytes.
func (r *Reader) U16() uint16 {
	if b := r.Bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// U32 returns the next number of four bytes.
func (r *Reader) U32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 returns the next number of eight bytes.
func (r *Reader) U64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Index returns a reference into a heap or a table: four bytes when that is large, else two.
func (r *Reader) Index(large bool) uint32 {
	if large {
		return r.U32()
	}
	return uint32(r.U16())
}

// name returns a text that ends with a zero byte and is padded to a multiple of four.
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

// compressed returns an unsigned integer of one, two or four bytes (ECMA-335 II.23.2), with the number of its bits.
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

// Unsigned returns a compressed unsigned integer.
func (r *Reader) Unsigned() int {
	v, _ := r.compressed()
	return int(v)
}

// Signed returns a compressed signed integer (ECMA-335 II.23.2). Its lowest bit is the sign, because the value was
// rotated left by one.
func (r *Reader) Signed() int {
	v, bits := r.compressed()
	n := int(v >> 1)
	if v&1 != 0 {
		n -= 1 << (bits - 1)
	}
	return n
}
