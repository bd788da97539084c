package portablepdb

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocumentNames(t *testing.T) {
	for _, test := range []struct {
		name, separator string
		parts           []string
		want            string
	}{
		{"POSIX", "/", []string{"", "src", "a b", "ü%#.cs"}, "/src/a b/ü%#.cs"},
		{"Windows", `\`, []string{"C:", "src", "Program.cs"}, `C:\src\Program.cs`},
		{"UNC", `\`, []string{"", "", "host", "share", "a.cs"}, `\\host\share\a.cs`},
		{"deterministic", "/", []string{"", "_", "src", "a.fs"}, "/_/src/a.fs"},
		{"no separator", "\x00", []string{"/src/", "a.cs"}, "/src/a.cs"},
		{"one part", "/", []string{"a.cs"}, "a.cs"},
		{"separator of several bytes", "→", []string{"a", "b"}, "a→b"},
		{"invalid UTF-8", "/", []string{"", "a\xFF.cs"}, "/a\uFFFD.cs"},
		{"empty at the end", "/", []string{"a", ""}, "a/"},
	} {
		for _, wide := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				b := newBuilder()
				b.wide = wide
				b.document(test.separator, test.parts...)
				pdb, err := Read(b.bytes())
				require.NoError(t, err)
				require.Equal(t, []Document{{Path: test.want}}, pdb.Documents())
			})
		}
	}
}

func TestDocumentLanguageAndHash(t *testing.T) {
	const cs, vb, fs = "3f5162f8-07c6-11d3-9053-00c04fa302a1", "3a12d0b8-c26c-11d0-b442-00a0244a1dd2",
		"ab4f38c9-b6e6-43ba-be3b-58080b2ccce3"
	const sha1, sha256 = "ff1816ec-aa5e-4d10-87f7-6f4963833460", "8829d00f-11b8-4213-878b-770e8597ac16"
	const unknown = "00112233-4455-6677-8899-aabbccddeeff"
	for _, test := range []struct {
		name, language, algorithm string
		hash                      []byte
		want                      Document
	}{
		{"C#", cs, sha256, []byte{1, 0xAB}, Document{Language: "C#", HashAlgorithm: "SHA-256", Hash: "01ab"}},
		{"VB", vb, sha1, []byte{1}, Document{Language: "VB", HashAlgorithm: "SHA-1", Hash: "01"}},
		{"F#", fs, sha1, nil, Document{Language: "F#"}},
		{"others", unknown, unknown, []byte{1}, Document{Hash: "01"}},
		{"too long", cs, sha1, make([]byte, maxHash+1), Document{Language: "C#"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder()
			b.document("/", "a")
			d := &b.documents[0]
			d[1], d[2], d[3] = b.guid(guid(test.algorithm)), b.blob(test.hash...), b.guid(guid(test.language))
			pdb, err := Read(b.bytes())
			require.NoError(t, err)
			test.want.Path = "a"
			require.Equal(t, []Document{test.want}, pdb.Documents())
		})
	}

	t.Run("indexes outside", func(t *testing.T) {
		b := newBuilder()
		b.document("/", "a")
		b.documents[0][1], b.documents[0][2], b.documents[0][3] = 1, 0xFFFF, 0xFFFF
		pdb, err := Read(b.bytes())
		require.NoError(t, err)
		require.Equal(t, []Document{{Path: "a"}}, pdb.Documents())
	})
}

func TestDocumentsWithoutOrWithTheSamePath(t *testing.T) {
	b := newBuilder()
	b.document("/", "", "a.cs")
	b.document("/")
	b.documents = append(b.documents, [4]uint32{})
	b.document("\x00", "/a.cs")
	b.document("/", "b.cs")
	for row := range b.documents {
		b.method(row+1, 0, 0, 0, 1, byte(row+10), 0)
	}
	pdb, err := Read(b.bytes())
	require.NoError(t, err)
	require.Equal(t, []Document{{Path: "/a.cs"}, {Path: "b.cs"}}, pdb.Documents())
	require.Equal(t, []int{10, 13}, pdb.Lines("/a.cs"))
	require.Equal(t, []int{14}, pdb.Lines("b.cs"))
}

func TestDocumentNamesRefused(t *testing.T) {
	for _, test := range []struct {
		name string
		blob []byte
		want string
	}{
		{"half a character", []byte{0xE2, 0x86, 0}, "separator"},
		{"a part outside", []byte{'/', 0, 0x7F}, "part 2"},
		{"a cut part number", []byte{'/', 0x80}, "part 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder()
			b.documents = append(b.documents, [4]uint32{b.blob(test.blob...)})
			_, err := Read(b.bytes())
			require.ErrorIs(t, err, ErrFormat)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestOutOfProportion limits the memory for files whose rows and names refer to the same bytes many times.
func TestOutOfProportion(t *testing.T) {
	for _, test := range []struct {
		name  string
		build func(b *builder)
	}{
		{"one long part in a name", func(b *builder) {
			part := b.blob(make([]byte, 1<<18)...)
			b.documents = [][4]uint32{{b.blob([]byte("/" + strings.Repeat(string(unsigned(int(part))), 1<<16))...)}}
		}},
		{"one long name in all rows", func(b *builder) {
			name := b.blob([]byte("/" + strings.Repeat("\x00", 1<<18))...)
			for range 1 << 14 {
				b.documents = append(b.documents, [4]uint32{name})
			}
		}},
		{"one name without text in all rows", func(b *builder) {
			name := b.blob(make([]byte, 1<<18)...)
			for range 1 << 14 {
				b.documents = append(b.documents, [4]uint32{name})
			}
		}},
		{"one method in all rows", func(b *builder) {
			b.document("/", "a")
			points := b.blob([]byte("\x00\x00\x00\x01\x01\x00" + strings.Repeat("\x01\x00\x01\x02\x00", 1<<15))...)
			for range 1 << 14 {
				b.methods = append(b.methods, [2]uint32{1, points})
			}
		}},
		{"rows beyond all", func(b *builder) {
			for range maxDocuments + 1 {
				b.documents = append(b.documents, [4]uint32{})
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder()
			b.wide = true
			test.build(b)
			in := b.bytes()
			before := allocated()
			_, err := Read(in)
			require.ErrorIs(t, err, ErrTooLarge)
			require.LessOrEqual(t, allocated()-before, allowance(len(in)))
		})
	}
}
