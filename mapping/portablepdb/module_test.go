package portablepdb

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// symbols returns a PDB with the id and one document.
func symbols(id ID, document string) []byte {
	b := newBuilder()
	b.id = id
	b.document("/", document)
	return b.bytes()
}

func TestFromModule(t *testing.T) {
	dir := t.TempDir()
	path, beside := filepath.Join(dir, "m.dll"), filepath.Join(dir, "m.pdb")
	written := filepath.Join(t.TempDir(), "obj.pdb")
	mine, other := ID{1, 19: 7}, ID{1, 19: 8} // the stamp is part of the id
	native := []byte("Microsoft C/C++ MSF 7.00\r\n\x1ADS\x00\x00\x00")
	broken := embed(t, symbols(mine, "embedded"))
	broken.data = broken.data[:len(broken.data)-3]
	promise := embed(t, symbols(mine, "embedded"))
	le.PutUint32(promise.data[4:], MaxSize)
	beyond := embed(t, symbols(mine, "embedded"))
	le.PutUint32(beyond.data[4:], MaxSize+1)
	short := embed(t, symbols(mine, "embedded"))
	le.PutUint32(short.data[4:], 100)
	unsigned := embed(t, symbols(mine, "embedded"))
	unsigned.data[0] = 'X'
	outside := func(module []byte) []byte { // the only entry's data
		le.PutUint32(module[0x200+24:], math.MaxUint32)
		return module
	}

	for _, test := range []struct {
		name    string
		module  []byte
		beside  []byte // nil: no file
		written []byte // the file that the compiler names
		want    string // the document
		err     error
	}{
		{"beside", module(false, codeView(mine, "m.pdb")), symbols(mine, "beside"), nil, "beside", nil},
		{"beside, 64 bits", module(true, codeView(mine, "m.pdb")), symbols(mine, "beside"), nil, "beside", nil},
		{"beside first", module(false, codeView(mine, written), embed(t, symbols(mine, "embedded"))),
			symbols(mine, "beside"), symbols(mine, "written"), "beside", nil},
		{"embedded", module(false, codeView(mine, "m.pdb"), embed(t, symbols(mine, "embedded"))), nil, nil, "embedded", nil},
		{"embedded, 64 bits", module(true, embed(t, symbols(mine, "embedded")), codeView(mine, "m.pdb")), nil, nil,
			"embedded", nil},
		{"embedded before written", module(false, codeView(mine, written), embed(t, symbols(mine, "embedded"))), nil,
			symbols(mine, "written"), "embedded", nil},
		{"written", module(false, codeView(mine, written)), nil, symbols(mine, "written"), "written", nil},
		{"written elsewhere", module(false, codeView(mine, written)), nil, nil, "", ErrNoSymbols},
		{"written on another machine", module(false, codeView(mine, `\\host\share\m.pdb`)), nil, nil, "", ErrNoSymbols},
		{"written beside us", module(false, codeView(mine, "pdb_test.go")), nil, nil, "", ErrNoSymbols},
		{"written to a folder", module(false, codeView(mine, dir)), nil, nil, "", ErrNoSymbols},
		{"no id in the module", module(false, embed(t, symbols(mine, "embedded"))), symbols(other, "beside"), nil,
			"beside", nil},
		{"no debug directory", module(false), symbols(mine, "beside"), nil, "beside", nil},
		{"precompiled, two ids", module(false, codeView(other, "m.ni.pdb"), codeView(mine, "m.pdb")),
			symbols(mine, "beside"), nil, "beside", nil},
		{"nothing", module(false), nil, nil, "", ErrNoSymbols},
		{"other entries", module(false, entry{kind: 16}, entry{kind: codeViewEntry, data: []byte("NB10")}), nil, nil,
			"", ErrNoSymbols},
		{"of another build", module(false, codeView(mine, "m.pdb")), symbols(other, "beside"), nil, "", ErrMismatch},
		{"stale beside, embedded", module(false, codeView(mine, "m.pdb"), embed(t, symbols(mine, "embedded"))),
			symbols(other, "beside"), nil, "embedded", nil},
		{"embedded of another build", module(false, codeView(mine, "m.pdb"), embed(t, symbols(other, "embedded"))), nil,
			nil, "", ErrMismatch},
		{"written of another build", module(false, codeView(mine, written)), nil, symbols(other, "written"), "", ErrMismatch},
		{"native PDB beside", module(false, codeView(mine, "m.pdb")), native, nil, "", ErrNoSymbols},
		{"native PDB beside, embedded", module(false, embed(t, symbols(mine, "embedded"))), native, nil, "embedded", nil},
		{"broken beside", module(false), symbols(mine, "beside")[:60], nil, "", ErrFormat},
		{"broken embedded", module(false, broken), nil, nil, "", ErrFormat},
		{"embedded promises too much", module(false, promise), nil, nil, "", ErrFormat},
		{"embedded too large", module(false, beyond), nil, nil, "", ErrTooLarge},
		{"embedded longer than promised", module(false, short), nil, nil, "", ErrFormat},
		{"embedded without signature", module(false, unsigned), nil, nil, "", ErrFormat},
		{"embedded outside", outside(module(false, broken)), nil, nil, "", ErrFormat},
		{"id outside", outside(module(false, codeView(mine, "m.pdb"))), symbols(mine, "beside"), nil, "", ErrFormat},
		{"no id where it should be", module(false, entry{codeViewEntry, portableVersion, 0, []byte("NB10")}), nil, nil,
			"", ErrFormat},
		{"ELF", []byte("\x7FELF" + strings.Repeat("\x00", 200)), symbols(mine, "beside"), nil, "", ErrNoSymbols},
		{"DOS", append([]byte("MZ"), make([]byte, 200)...), nil, nil, "", ErrNoSymbols},
		{"empty", []byte{}, nil, nil, "", ErrNoSymbols},
	} {
		t.Run(test.name, func(t *testing.T) {
			put(t, path, test.module)
			put(t, beside, test.beside)
			put(t, written, test.written)
			pdb, err := FromModule(path)
			if test.err != nil {
				require.ErrorIs(t, err, test.err)
				require.ErrorContains(t, err, path)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, pdb.Documents()[0].Path)
		})
	}
}

// put writes a file, or removes it when there is no content.
func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if content != nil {
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return
	}
	if err := os.Remove(path); err != nil {
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

func TestFromModuleFiles(t *testing.T) {
	t.Run("no module", func(t *testing.T) {
		_, err := FromModule(filepath.Join(t.TempDir(), "m.dll"))
		require.ErrorIs(t, err, fs.ErrNotExist)
	})
	t.Run("a folder", func(t *testing.T) {
		_, err := FromModule(t.TempDir())
		require.ErrorContains(t, err, "not a regular file")
	})
	t.Run("a folder beside", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "m.dll")
		put(t, path, module(false))
		require.NoError(t, os.Mkdir(strings.TrimSuffix(path, ".dll")+".pdb", 0o700))
		_, err := FromModule(path)
		require.ErrorContains(t, err, "not a regular file")
	})
	t.Run("exe", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "My.App.EXE")
		put(t, path, module(true))
		put(t, strings.TrimSuffix(path, ".EXE")+".pdb", symbols(ID{}, "a"))
		_, err := FromModule(path)
		require.NoError(t, err)
	})
	t.Run("too large beside", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "m.dll")
		pdb := strings.TrimSuffix(path, ".dll") + ".pdb"
		put(t, path, module(false))
		put(t, pdb, symbols(ID{}, "a"))
		require.NoError(t, os.Truncate(pdb, MaxSize+1)) // sparse
		before := allocated()
		_, err := FromModule(path)
		require.ErrorIs(t, err, ErrTooLarge)
		require.LessOrEqual(t, allocated()-before, allowance(0))
	})
}

// TestReadImageCut reads every prefix of a real module.
func TestReadImageCut(t *testing.T) {
	whole, err := os.ReadFile(fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.dll"))
	require.NoError(t, err)
	for n := range len(whole) + 1 {
		im, err := readImage(bytes.NewReader(whole[:n]), int64(n))
		if err == nil {
			require.Len(t, im.ids, 1)
			require.Equal(t, 20, len(im.ids[0]))
		}
	}
}

func TestReadImageRefuses(t *testing.T) {
	const optional, sections = 64 + 24, 64 + 24 + 96 + 16*8
	good := module(false, codeView(ID{}, "m.pdb"))
	_, err := readImage(bytes.NewReader(good), int64(len(good)))
	require.NoError(t, err)
	for _, test := range []struct {
		name  string
		spoil func(image []byte)
		want  string
	}{
		{"sections", func(image []byte) { le.PutUint16(image[64+6:], 0xFFFF) }, "65535 sections"},
		{"optional header outside", func(image []byte) { le.PutUint16(image[64+20:], 0xFFFF) }, "optional header"},
		{"no optional header", func(image []byte) { le.PutUint16(image[64+20:], 0) }, "optional header of kind 0x0"},
		{"short optional header", func(image []byte) { le.PutUint16(image[64+20:], 100) }, "optional header"},
		{"kind", func(image []byte) { le.PutUint16(image[optional:], 0x107) }, "optional header of kind 0x107"},
		{"directory in no section", func(image []byte) {
			le.PutUint32(image[optional+96+6*8:], 0xFFFFFFF0)
		}, "lies in no section"},
		{"directory too long", func(image []byte) {
			le.PutUint32(image[optional+96+6*8+4:], math.MaxUint32)
		}, "lies in no section"},
		{"section outside", func(image []byte) { le.PutUint32(image[sections+20:], math.MaxUint32) }, "debug directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			image := bytes.Clone(good)
			test.spoil(image)
			_, err := readImage(bytes.NewReader(image), int64(len(image)))
			require.ErrorIs(t, err, ErrFormat)
			require.ErrorContains(t, err, test.want)
		})
	}

	t.Run("few directories", func(t *testing.T) {
		image := bytes.Clone(good)
		le.PutUint32(image[optional+92:], 6)
		im, err := readImage(bytes.NewReader(image), int64(len(image)))
		require.NoError(t, err)
		require.Empty(t, im.ids)
	})
}
