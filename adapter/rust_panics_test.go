package adapter

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The words of payloads as std::panicking makes them.
func TestPanicText(t *testing.T) {
	const text, stack = 0x5555_5555_0000, 0x7fff_ffff_0000
	for _, tt := range []struct {
		name            string
		size            uint64
		words           [4]uint64
		address, length uint64
	}{
		{"&'static str", 16, [4]uint64{text, 11, stack, 0}, text, 11},
		{"String", 24, [4]uint64{5, text, 5, 5}, text, 5},
		{"formatted", 32, [4]uint64{20, text, 11, stack}, text, 11},
		{"formatted, the other order of members", 32, [4]uint64{stack, 20, text, 11}, text, 11},
		{"long", 24, [4]uint64{9000, text, 9000}, text, maxPanicText},
		{"an empty text", 16, [4]uint64{text, 0}, text, 0},
		{"i32", 8, [4]uint64{5<<32 | 1, text, 5}, 0, 0},
		{"a box", 16, [4]uint64{text, stack}, 0, 0},
		{"two numbers", 16, [4]uint64{1, 2}, 0, 0},
		{"something else", 40, [4]uint64{text, 5, text, 5}, 0, 0},
	} {
		address, length := panicText(tt.size, tt.words)
		assert.Equal(t, [2]uint64{tt.address, tt.length}, [2]uint64{address, length}, tt.name)
	}
	for have, want := range map[string]string{
		"": "", "text": "text", "na\xc3": "na", "na\xf0\x9f\x98": "na", "\xff\xff\xff\xff\xff": "",
	} {
		assert.Equal(t, want, wholeText(have))
	}
}
