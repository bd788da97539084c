package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBigIntegerText(t *testing.T) {
	for want, n := range map[string]struct {
		sign int64
		bits []uint32
	}{
		"42": {42, nil}, "-7": {-7, nil}, "0": {0, nil},
		"4294967296":              {1, []uint32{0, 1}},
		"-1180591620717411303424": {-1, []uint32{0, 0, 64}},
	} {
		assert.Equal(t, want, BigIntegerText(n.sign, n.bits))
	}
}

func TestTaskStatus(t *testing.T) {
	for flags, want := range map[int64]string{
		0x1000000: "RanToCompletion", 102761472: "Faulted", 33555456: "WaitingForActivation", 0x2400000: "Canceled",
		0x30000: "Running", 0x10000: "WaitingToRun", 0: "Created",
	} {
		assert.Equal(t, want, TaskStatus(flags), "%x", flags)
	}
}

func TestUTF16Quoted(t *testing.T) {
	assert.Equal(t, `""`, UTF16Quoted(nil))
	assert.Equal(t, `"a\"\\\n😀"`, UTF16Quoted([]uint16{'a', '"', '\\', '\n', 0xD83D, 0xDE00}))
}

func TestReadJSONRow(t *testing.T) {
	row, ok := ReadJSONRow([]byte{5, 0, 0, 0, 3, 0, 0, 0x80, 1, 0, 0, 0x70})
	assert.True(t, ok)
	assert.Equal(t, JSONRow{Start: 5, Length: 3, Quoted: true}, row)
	row, ok = ReadJSONRow([]byte{0, 0, 0, 0, 255, 255, 255, 255, 4, 0, 0, 0x10})
	assert.True(t, ok)
	assert.Equal(t, JSONRow{Length: -1, Rows: 4}, row)
	for _, bad := range [][]byte{nil, make([]byte, 11), make([]byte, 12)} {
		_, ok = ReadJSONRow(bad)
		assert.False(t, ok)
	}
}

func TestDisplayParts(t *testing.T) {
	assert.Equal(t, []DisplayPart{
		{Text: "Order "}, {Text: "{Id}", Path: []string{"Id"}}, {Text: ": "},
		{Text: "{ this.Customer.Name , nq }", Path: []string{"Customer", "Name"}, NoQuotes: true},
		{Text: " {paid} {Total()} }"},
	}, DisplayParts(`Order {Id}: { this.Customer.Name , nq } {{paid}} {Total()} \}`))
	assert.Equal(t, []DisplayPart{{Text: "a {b"}}, DisplayParts("a {b"))
	assert.Empty(t, DisplayParts(""))
}
