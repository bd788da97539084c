package portablepdb

import "slices"

const (
	hiddenLine = 0xFEEFEE // no source: code that the compiler added
	maxLine    = 0x20000000
)

// readLines reads the MethodDebugInformation table and collects for each document the lines where statements begin.
func (p *PDB) readLines(md *metadata, index []int32, spend *budget) error {
	r := &reader{rest: md.methodRow}
	for range md.methods {
		document, at := r.index(md.largeDocs), r.index(md.largeBlobs)
		blob, ok := md.blob(at)
		if !ok || len(blob) == 0 {
			continue
		}
		if err := spend.take(len(blob)); err != nil {
			return err
		}
		points(blob, int(document), func(document, line int) {
			if document < 1 || document > len(index) || index[document-1] < 0 {
				return
			}
			lines := &p.lines[index[document-1]]
			if n := len(*lines); n == 0 || (*lines)[n-1] != int32(line) { // often several statements on a line
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

// points calls visit for each sequence point of a method that is not hidden, with the number of the document's row and
// the first line. The document is zero when the method has several; its blob then begins with the first of them. It ends
// at the end of the blob or at the first thing in it that makes no sense.
func points(blob []byte, document int, visit func(document, line int)) {
	r := &reader{rest: blob}
	r.unsigned() // local signature
	if document == 0 {
		document = r.unsigned()
	}
	line, seen := 0, false // of the last point that was not hidden
	for first := true; len(r.rest) > 0; first = false {
		if offset := r.unsigned(); offset == 0 && !first { // not a point: another document from here on
			document = r.unsigned()
			continue
		}
		lines, columns := r.unsigned(), 0
		if lines == 0 {
			columns = r.unsigned()
		} else {
			columns = r.signed()
		}
		if lines == 0 && columns == 0 {
			continue // hidden
		}
		if !seen {
			line = r.unsigned()
			r.unsigned() // column
			seen = true
		} else {
			line += r.signed()
			r.signed()
		}
		if r.bad || line < 1 || line >= maxLine {
			return
		}
		if line != hiddenLine {
			visit(document, line)
		}
	}
}
