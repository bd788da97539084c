package portablepdb

import (
	"bytes"
	"encoding/binary"
)

// reader takes values off the front of a byte slice. Past the end, or at a value that cannot be, it turns bad, stays so,
// and gives zeros; callers look once at the end of what belongs together.
type reader struct {
	rest []byte
	bad  bool
}

// bytes is the next n bytes, not copied.
func (r *reader) bytes(n int) []byte {
	if r.bad || n < 0 || n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) u8() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// index is a reference into a heap or a table, of four bytes when that is large, else of two.
func (r *reader) index(large bool) uint32 {
	if large {
		return r.u32()
	}
	return uint32(r.u16())
}

// name is a text that ends with a zero byte and is padded to a multiple of four.
func (r *reader) name() string {
	end := bytes.IndexByte(r.rest[:min(len(r.rest), 32)], 0)
	if end < 0 {
		r.bad, r.rest = true, nil
		return ""
	}
	b := r.bytes(end/4*4 + 4)
	if r.bad {
		return ""
	}
	return string(b[:end])
}

// compressed is an unsigned integer of one, two or four bytes (ECMA-335 II.23.2), with the number of its bits.
func (r *reader) compressed() (value uint32, bits int) {
	first := uint32(r.u8())
	switch {
	case first&0x80 == 0:
		return first, 7
	case first&0xC0 == 0x80:
		return (first&0x3F)<<8 | uint32(r.u8()), 14
	case first&0xE0 == 0xC0:
		b := r.bytes(3)
		if r.bad {
			return 0, 29
		}
		return (first&0x1F)<<24 | uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]), 29
	}
	r.bad, r.rest = true, nil
	return 0, 29
}

// unsigned is a compressed unsigned integer.
func (r *reader) unsigned() int {
	v, _ := r.compressed()
	return int(v)
}

// signed is a compressed signed integer: its sign is the lowest bit, for which the others were rotated up.
func (r *reader) signed() int {
	v, bits := r.compressed()
	n := int(v >> 1)
	if v&1 != 0 {
		n -= 1 << (bits - 1)
	}
	return n
}
