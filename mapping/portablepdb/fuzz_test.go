package portablepdb

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"unicode/utf8"

	"breakwire/fixtures"
)

// FuzzRead checks for any bytes: no panic, one of the errors, bounded memory, and consistent results.
func FuzzRead(f *testing.F) {
	for _, program := range programs {
		data, err := os.ReadFile(fixtures.Program("dotnet", program.name, "bin", program.name+".pdb"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, wide := range []bool{false, true} {
		b := newBuilder()
		b.wide = wide
		b.document("/", "", "src", "a.cs")
		b.document("\x00", "b")
		b.method(1, 0, 0, 0, 1, 10, 0, 1, 0, 0, 1, 2, 100, 4, 0)
		b.method(0, 0, 2, 0, 0, 1, 7, 0, 0, 1, 1, 0, 1, 6, 0)
		f.Add(b.bytes())
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := allocated()
		pdb, err := Read(in)
		if spent := allocated() - before; spent > allowance(len(in)) {
			t.Errorf("%d bytes allocated for %d", spent, len(in))
		}
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrTooLarge) {
				t.Errorf("error of another kind: %v", err)
			}
			return
		}
		for _, t := range pdb.tuples {
			for _, d := range pdb.documents {
				pdb.TupleNames(d.Path, 1, t.variable)
			}
		}
		seen := map[string]bool{}
		for _, d := range pdb.Documents() {
			if d.Path == "" || seen[d.Path] || !utf8.ValidString(d.Path) {
				t.Errorf("document %q", d.Path)
			}
			seen[d.Path] = true
			last := 0
			for _, line := range pdb.Lines(d.Path) {
				near, ok := pdb.NearestLine(d.Path, line)
				between, _ := pdb.NearestLine(d.Path, last+1)
				if line <= last || line >= maxLine || line == hiddenLine || !ok || near != line || between != line {
					t.Errorf("line %d after %d of %q: nearest %d, %d", line, last, d.Path, near, between)
				}
				last = line
			}
		}
	})
}

// FuzzImage checks the same for modules.
func FuzzImage(f *testing.F) {
	data, err := os.ReadFile(fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.dll"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for _, wide := range []bool{false, true} {
		f.Add(module(wide, codeView(ID{1}, "/src/m.pdb"), embed(f, symbols(ID{1}, "a"))))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := allocated()
		im, err := readImage(bytes.NewReader(in), int64(len(in)))
		limit := allowance(64 * len(in)) // the debug directory's entries may all name the same bytes
		if err == nil && im.embedded != nil {
			var pdb []byte
			if pdb, err = im.decompress(); err == nil {
				limit += allowance(6 * len(pdb))
				_, err = Read(pdb)
			}
		}
		if spent := allocated() - before; spent > limit {
			t.Errorf("%d bytes allocated for %d", spent, len(in))
		}
		if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrNoSymbols) {
			t.Errorf("error of another kind: %v", err)
		}
	})
}
