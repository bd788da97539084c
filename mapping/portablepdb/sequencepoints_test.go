package portablepdb

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPoints(t *testing.T) {
	type point struct{ document, line int }
	// Records: offset, lines, columns, line, column.
	start := func(line int) []byte { return slices.Concat([]byte{0, 0, 5}, unsigned(line), []byte{3}) }
	next := func(by int) []byte { return slices.Concat([]byte{1, 0, 5}, signed(by), signed(-1)) }
	hidden := []byte{1, 0, 0}
	local := []byte{0}
	for _, test := range []struct {
		name     string
		document int
		blob     []byte
		want     []point
	}{
		{"empty", 1, nil, nil},
		{"signature only", 1, local, nil},
		{"one", 1, slices.Concat(local, start(10)), []point{{1, 10}}},
		{"forward and back", 1, slices.Concat(local, start(10), next(300), next(-200), next(0)),
			[]point{{1, 10}, {1, 310}, {1, 110}, {1, 110}}},
		{"long signature", 1, slices.Concat(unsigned(70000), start(10)), []point{{1, 10}}},
		{"over several lines", 1, slices.Concat(local, []byte{0, 2}, signed(-40), unsigned(20), unsigned(50), next(4)),
			[]point{{1, 20}, {1, 24}}},
		{"hidden in between", 1, slices.Concat(local, start(10), hidden, next(1)), []point{{1, 10}, {1, 11}}},
		{"hidden first", 1, slices.Concat(local, []byte{0, 0, 0}, start(10)[0:0], []byte{4, 0, 5, 12, 1}, next(1)),
			[]point{{1, 12}, {1, 13}}},
		{"several documents", 0, slices.Concat(local, []byte{3}, start(10), []byte{0, 2}, next(1), []byte{0, 3},
			next(1)), []point{{3, 10}, {2, 11}, {3, 12}}},
		{"document twice over", 1, slices.Concat(local, start(10), []byte{0, 2}, []byte{0, 4}, next(1)),
			[]point{{1, 10}, {4, 11}}},
		{"the line of hidden ones", 1, slices.Concat(local, start(hiddenLine), next(1)), []point{{1, hiddenLine + 1}}},
		{"cut", 1, slices.Concat(local, start(10), next(1), next(1)[:3]), []point{{1, 10}, {1, 11}}},
		{"cut after the document", 1, slices.Concat(local, start(10), []byte{0}), []point{{1, 10}}},
		{"line 0", 1, slices.Concat(local, start(0), next(10)), nil},
		{"below line 1", 1, slices.Concat(local, start(10), next(-10), next(20)), []point{{1, 10}}},
		{"beyond the last line", 1, slices.Concat(local, start(maxLine-1), next(1), next(-5)), []point{{1, maxLine - 1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []point
			points(test.blob, test.document, func(document, line int) { got = append(got, point{document, line}) })
			require.Equal(t, test.want, got)
		})
	}
}

func TestLinesOfSeveralMethods(t *testing.T) {
	b := newBuilder()
	b.document("/", "a")
	b.document("/", "b")
	b.method(1, 0, 0, 0, 1, 30, 0)                                 // a:30
	b.method(1, 0, 0, 0, 1, 10, 0, 1, 0, 1, 0, 0, 1, 0, 1, 2*2, 0) // a:10, 10, 12
	b.method(0, 0, 2, 0, 0, 1, 7, 0, 0, 1, 1, 0, 1, 2*3, 0)        // b:7, a:10
	b.method(3, 0, 0, 0, 1, 99, 0)                                 // no such document
	b.method(0, 0, 0, 0, 0, 1, 99, 0)                              // document 0
	b.methods = append(b.methods, [2]uint32{1, 0}, [2]uint32{1, 0xFFF0})
	b.method(2, 0, 0, 0, 1, 5, 0, 1, 0xFF) // b:5, then damage
	pdb, err := Read(b.bytes())
	require.NoError(t, err)
	require.Equal(t, []int{10, 12, 30}, pdb.Lines("a"))
	require.Equal(t, []int{5, 7}, pdb.Lines("b"))
}

func TestDocumentWithoutCode(t *testing.T) {
	b := newBuilder()
	b.document("/", "a")
	pdb, err := Read(b.bytes())
	require.NoError(t, err)
	require.Empty(t, pdb.Lines("a"))
	_, ok := pdb.NearestLine("a", 1)
	require.False(t, ok)
}

// TestManyDocuments passes the number of rows above which document indexes have four bytes.
func TestManyDocuments(t *testing.T) {
	for _, count := range []int{1<<16 - 1, 1 << 16} {
		b := newBuilder()
		b.wide = true
		b.document("/", "a")
		for range count - 1 {
			b.documents = append(b.documents, b.documents[0])
		}
		b.method(1, 0, 0, 0, 1, 3, 0)
		b.method(count, 0, 0, 0, 1, 4, 0)
		pdb, err := Read(b.bytes())
		require.NoError(t, err)
		require.Equal(t, []int{3, 4}, pdb.Lines("a"))
	}
}
