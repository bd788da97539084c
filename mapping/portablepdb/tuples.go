package portablepdb

import (
	"slices"
	"strings"

	"breakwire/mapping/ecma335"
)

// The tables of local variables and of what compilers add (Portable PDB v1.0).
const (
	scopeTable    = 0x32 // LocalScope
	variableTable = 0x33 // LocalVariable
	constantTable = 0x34 // LocalConstant
	importTable   = 0x35 // ImportScope
	machineTable  = 0x36 // StateMachineMethod
	customTable   = 0x37 // CustomDebugInformation

	methodDefTable = 0x06
)

// tupleNames is the kind of custom debug information that names the elements of a variable's tuples.
const tupleNames = "ed9fdf71-8879-4747-8ed3-fe5ede3ce710"

// tuple is a local variable whose type has tuples with names.
type tuple struct {
	method   int // number in the module, from 0
	variable string
	names    []string
}

// methodLines is where a method's statements are.
type methodLines struct {
	method, document, first, last int
}

// TupleNames returns the names of the elements of a local variable's tuples, in the order of its type from the outside
// in; an element without a name has "". The variable is looked for in the innermost method around a line. It returns
// nil when there are none, or when the method has several variables of that name with other names.
//
//	(int Id, (int X, int Y) At): Id, At, X, Y
func (p *PDB) TupleNames(document string, line int, variable string) []string {
	at, ok := p.byPath[document]
	if !ok {
		return nil
	}
	best := -1
	for i, s := range p.tupleLines {
		if s.document == at && s.first <= line && line <= s.last && (best < 0 ||
			s.last-s.first < p.tupleLines[best].last-p.tupleLines[best].first) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	var names []string
	for _, t := range p.tuples {
		if t.method != p.tupleLines[best].method || t.variable != variable {
			continue
		}
		if names != nil && !slices.Equal(names, t.names) {
			return nil
		}
		names = t.names
	}
	return slices.Clone(names)
}

// readTuples reads the names of tuples. They are an addition, so damage to them is no reason to refuse a file.
func (p *PDB) readTuples(md *metadata, index []int32, spend *budget) {
	custom, variables, scopes, ok := md.takeLocals()
	if !ok || custom.Count == 0 {
		return
	}
	owner := make([]int32, variables.Count) // the method of each variable, from 1
	r := scopes.All()
	var before, first uint32
	fill := func(to uint32) {
		for v := first; v > 0 && v < to && int(v) <= len(owner); v++ {
			owner[v-1] = int32(before)
		}
	}
	for range scopes.Count {
		method := r.Index(md.Large(methodDefTable))
		r.Index(md.Large(importTable))
		from := r.Index(md.Large(variableTable))
		r.Index(md.Large(constantTable))
		r.Bytes(8) // where its code is
		fill(from)
		before, first = method, from
	}
	fill(uint32(len(owner)) + 1)

	wanted := guid(tupleNames)
	const localVariable, bits = 24, 5
	r = custom.All()
	for range custom.Count {
		parent := r.Index(md.LargeCoded(bits, customParents()...))
		kind, value := r.Index(md.LargeGUIDs), r.Index(md.LargeBlobs)
		number := int(parent >> bits)
		if parent&(1<<bits-1) != localVariable || md.GUID(kind) != wanted || number < 1 || number > len(owner) ||
			owner[number-1] == 0 {
			continue
		}
		blob, ok := md.Blob(value)
		v := variables.Row(number)
		v.Bytes(4) // attributes, slot
		name := md.Text(v.Index(md.LargeStrings))
		if !ok || spend.take(2*len(blob)+len(name)+64) != nil {
			return
		}
		names := strings.Split(strings.ToValidUTF8(string(blob), "\uFFFD"), "\x00")
		p.tuples = append(p.tuples, tuple{int(owner[number-1]) - 1, name, names[:len(names)-1]})
	}
	p.readTupleLines(md, index)
}

// readTupleLines finds the lines of all methods in the documents of those with tuples: a line belongs to the innermost.
func (p *PDB) readTupleLines(md *metadata, index []int32) {
	if len(p.tuples) == 0 {
		return
	}
	named := map[int]bool{} // methods
	for _, t := range p.tuples {
		named[t.method] = true
	}
	documents := map[int]bool{}
	var all []methodLines
	r := md.methods.All()
	for method := range md.methods.Count {
		document, at := r.Index(md.Large(documentTable)), r.Index(md.LargeBlobs)
		blob, ok := md.Blob(at)
		if !ok || len(blob) == 0 {
			continue
		}
		s := methodLines{method: method, document: -1}
		points(blob, int(document), func(document, line int) {
			if document < 1 || document > len(index) || index[document-1] < 0 {
				return
			}
			if s.document < 0 {
				s.document, s.first, s.last = int(index[document-1]), line, line
			}
			s.first, s.last = min(s.first, line), max(s.last, line)
		})
		if s.document < 0 {
			continue
		}
		all = append(all, s)
		if named[method] {
			documents[s.document] = true
		}
	}
	p.tupleLines = slices.DeleteFunc(all, func(s methodLines) bool { return !documents[s.document] })
}

// takeLocals takes the tables behind those of methods.
func (md *metadata) takeLocals() (custom, variables, scopes ecma335.Table, ok bool) {
	index := func(table int) int { return ecma335.Width(md.Large(table)) }
	text, blob, id := ecma335.Width(md.LargeStrings), ecma335.Width(md.LargeBlobs), ecma335.Width(md.LargeGUIDs)
	sizes := [...]int{
		index(methodDefTable) + index(importTable) + index(variableTable) + index(constantTable) + 8,
		4 + text,
		text + blob,
		index(importTable) + blob,
		2 * index(methodDefTable),
		ecma335.Width(md.LargeCoded(5, customParents()...)) + id + blob,
	}
	for i, size := range sizes {
		table, err := md.Take(scopeTable+i, "local", size)
		if err != nil {
			return custom, variables, scopes, false
		}
		switch scopeTable + i {
		case scopeTable:
			scopes = table
		case variableTable:
			variables = table
		case customTable:
			custom = table
		}
	}
	return custom, variables, scopes, true
}

// customParents are the tables that custom debug information may belong to.
func customParents() []int {
	return []int{methodDefTable, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B, 0x20, 0x23,
		0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B, documentTable, scopeTable, variableTable, constantTable, importTable}
}
