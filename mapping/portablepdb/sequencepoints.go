package portablepdb

import (
	"slices"

	"breakwire/mapping/ecma335"
)

const (
	hiddenLine = 0xFEEFEE // no source: compiler-generated code
	maxLine    = 0x20000000
)

// readLines reads the MethodDebugInformation table and collects for each document the lines where statements begin.
func (p *PDB) readLines(md *metadata, index []int32, spend *budget) error {
	r := md.methods.All()
	p.code = make([]bool, md.methods.Count)
	for method := range md.methods.Count {
		document, at := r.Index(md.Large(documentTable)), r.Index(md.LargeBlobs)
		blob, ok := md.Blob(at)
		if !ok || len(blob) == 0 {
			continue
		}
		if err := spend.take(len(blob)); err != nil {
			return err
		}
		points(blob, int(document), func(document, line int) {
			p.code[method] = true
			if document < 1 || document > len(index) || index[document-1] < 0 {
				return
			}
			lines := &p.lines[index[document-1]]
			if n := len(*lines); n == 0 || (*lines)[n-1] != int32(line) { // often several statements are on one line
				*lines = append(*lines, int32(line))
			}
		})
	}
	for i, lines := range p.lines {
		slices.Sort(lines)
		p.lines[i] = slices.Clip(slices.Compact(lines))
	}
	return nil
}

// points calls visit for each sequence point of a method that is not hidden, with the row number of the document and
// the first line. document is zero when the method has several; then its blob begins with the first one. points ends
// at the end of the blob or at the first invalid value.
func points(blob []byte, document int, visit func(document, line int)) {
	r := &ecma335.Reader{Rest: blob}
	r.Unsigned() // local signature
	if document == 0 {
		document = r.Unsigned()
	}
	line, seen := 0, false // of the last point that was not hidden
	for first := true; len(r.Rest) > 0; first = false {
		if offset := r.Unsigned(); offset == 0 && !first { // not a point: another document from here on
			document = r.Unsigned()
			continue
		}
		lines, columns := r.Unsigned(), 0
		if lines == 0 {
			columns = r.Unsigned()
		} else {
			columns = r.Signed()
		}
		if lines == 0 && columns == 0 {
			continue // hidden
		}
		if !seen {
			line = r.Unsigned()
			r.Unsigned() // column
			seen = true
		} else {
			line += r.Signed()
			r.Signed()
		}
		if r.Bad || line < 1 || line >= maxLine {
			return
		}
		if line != hiddenLine {
			visit(document, line)
		}
	}
}
