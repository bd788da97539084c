package ecma335

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// The examples of ECMA-335 II.23.2, and the limits of each length.
func TestCompressedIntegers(t *testing.T) {
	for want, in := range map[int][]byte{
		0: {0}, 3: {3}, 0x7F: {0x7F}, 0x80: {0x80, 0x80}, 0x2E57: {0xAE, 0x57}, 0x3FFF: {0xBF, 0xFF},
		0x4000: {0xC0, 0, 0x40, 0}, 0x1FFFFFFF: {0xDF, 0xFF, 0xFF, 0xFF},
	} {
		r := &Reader{Rest: in}
		require.Equal(t, want, r.Unsigned())
		require.False(t, r.Bad)
		require.Empty(t, r.Rest)
	}
	for want, in := range map[int][]byte{
		0: {0}, 1: {2}, -1: {0x7F}, 3: {6}, -3: {0x7B}, 63: {0x7E}, 64: {0x80, 0x80}, -64: {1}, -65: {0xBF, 0x7F},
		8191: {0xBF, 0xFE}, 8192: {0xC0, 0, 0x40, 0}, -8192: {0x80, 1}, -8193: {0xDF, 0xFF, 0xBF, 0xFF},
		1<<28 - 1: {0xDF, 0xFF, 0xFF, 0xFE}, -1 << 28: {0xC0, 0, 0, 1},
	} {
		r := &Reader{Rest: in}
		require.Equal(t, want, r.Signed())
		require.False(t, r.Bad)
		require.Empty(t, r.Rest)
	}
	for _, in := range [][]byte{nil, {0x80}, {0xC0, 1, 2}, {0xFF, 0, 0, 0}} {
		r := &Reader{Rest: in}
		r.Unsigned()
		require.True(t, r.Bad, "%x", in)
		require.Zero(t, r.Signed())
	}
}

func loopApp(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.dll"))
	require.NoError(t, err)
	return data
}

func TestMetadataOfAModule(t *testing.T) {
	data := loopApp(t)
	image, err := OpenImage(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	metadata, err := image.Metadata()
	require.NoError(t, err)
	streams, err := ReadStreams(metadata)
	require.NoError(t, err)
	require.Nil(t, streams.PDB)
	tables, err := ReadTables(streams.TableStream)
	require.NoError(t, err)

	// The first table has one row: a number, the name, and three GUIDs, of which the first identifies the build.
	module, err := tables.Take(0, "Module", 2+Width(tables.LargeStrings)+3*Width(tables.LargeGUIDs))
	require.NoError(t, err)
	require.Equal(t, 1, module.Count)
	r := module.Row(1)
	r.U16()
	require.Equal(t, "LoopApp.exe", streams.Text(r.Index(tables.LargeStrings)))
	require.NotZero(t, streams.GUID(r.Index(tables.LargeGUIDs)))
	for _, number := range []int{-1, 0, 2} {
		require.Empty(t, module.Row(number).Rest, "row %d", number)
	}
	require.Zero(t, streams.GUID(1<<30))
	require.Empty(t, streams.Text(1<<30))
	_, ok := streams.Blob(1 << 30)
	require.False(t, ok)
}

// Every prefix of a module is refused or read, without a panic.
func TestMetadataCut(t *testing.T) {
	data := loopApp(t)
	for n := range len(data) {
		image, err := OpenImage(bytes.NewReader(data[:n]), int64(n))
		if err == nil {
			_, err = image.Metadata()
		} else if n < 64 {
			require.ErrorIs(t, err, ErrNotPE, "%d bytes", n)
			continue
		}
		if err != nil && n >= 0x200 {
			require.ErrorIs(t, err, ErrFormat, "%d bytes", n)
		}
	}
}

func TestMetadataOfNoDotnetModule(t *testing.T) {
	data := loopApp(t)
	start := int(data[60]) | int(data[61])<<8
	directory := start + 24 + 96 + CLRDirectory*8
	if data[start+25] == 2 { // 64 bits
		directory += 16
	}
	for i := range 8 {
		data[directory+i] = 0
	}
	image, err := OpenImage(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	_, err = image.Metadata()
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, "no .NET module")
}
