package inspect

import (
	"strconv"
	"strings"

	"breakwire/mapping"

	"github.com/google/go-dap"
)

// readable returns what a person reads of an object of the runtime. It reads fields only.
func (v *View) readable(n node) (string, bool) {
	if !isStoredPath(n.EvaluateName) {
		return "", false
	}
	name, args := mapping.GenericType(n.Type)
	switch name {
	case "System.Text.StringBuilder":
		return v.builtText(n)
	case "System.Text.Json.JsonElement":
		return v.jsonText(n)
	case "System.Lazy":
		return v.lazyText(n)
	case "System.Threading.Tasks.Task":
		return v.taskText(n, args != "" && args != "System.Threading.Tasks.VoidTaskResult")
	case "System.Runtime.CompilerServices.AsyncTaskMethodBuilder": // the task of a running async method
		if result, _, ok := strings.Cut(args, ">.AsyncStateMachineBox<"); ok {
			return v.taskText(n, result != "System.Threading.Tasks.VoidTaskResult")
		}
	case "System.Version":
		return v.versionText(n)
	case "System.Uri":
		if text, ok := v.field(n, "_string"); ok && strings.HasPrefix(text.Value, `"`) {
			return text.Value, true
		}
	}
	return "", false
}

// isStoredPath reports whether fields of a value can be asked for by its path: that of a result would run its call
// again.
func isStoredPath(path string) bool {
	return path != "" && isPlace(strings.ReplaceAll(path, ".get_Value()", ""))
}

// at returns the field of a field of a value.
func (v *View) at(n node, path string) (node, bool) {
	ok := true
	for name := range strings.SplitSeq(path, ".") {
		if n, ok = v.field(n, name); !ok || n.Value == "null" {
			return n, ok
		}
	}
	return n, true
}

// cells returns elements of an array of numbers or characters.
func (v *View) cells(array node, start, count int) ([]uint64, bool) {
	if count == 0 {
		return nil, true
	}
	if array.VariablesReference == 0 || !v.mayLook() {
		return nil, false
	}
	got, err := v.someVariables(dap.VariablesArguments{VariablesReference: array.VariablesReference, Start: start,
		Count: count})
	if err != nil || len(got) != count {
		return nil, false
	}
	out := make([]uint64, count)
	for i, x := range got {
		number, _, _ := strings.Cut(x.Value, " ") // a character follows its number
		if out[i], err = strconv.ParseUint(number, 10, 64); err != nil {
			return nil, false
		}
	}
	return out, true
}

// mostChunks is the number of parts of a StringBuilder that are read.
const mostChunks = 32

// builtText returns the text of a StringBuilder, which keeps it in parts, the last one first.
func (v *View) builtText(n node) (string, bool) {
	type chunk struct {
		chars  node
		length int
	}
	var chunks []chunk
	before, ok := v.number(n, "m_ChunkOffset")
	last, ok2 := v.number(n, "m_ChunkLength")
	if !ok || !ok2 {
		return "", false
	}
	total := int(before + last)
	for at, length := n, last; ; {
		chars, ok := v.field(at, "m_ChunkChars")
		if !ok {
			return "", false
		}
		chunks = append(chunks, chunk{chars, int(length)})
		if before == 0 {
			break
		}
		if at, ok = v.field(at, "m_ChunkPrevious"); !ok || len(chunks) == mostChunks {
			return "Length = " + strconv.Itoa(total), ok
		}
		if length, ok = v.number(at, "m_ChunkLength"); !ok || length > before {
			return "", false
		}
		before -= length
	}
	var units []uint16
	for i := len(chunks) - 1; i >= 0 && len(units) <= MaxValue; i-- {
		part, ok := v.cells(chunks[i].chars, 0, min(chunks[i].length, MaxValue+1-len(units)))
		if !ok {
			return "", false
		}
		for _, c := range part {
			units = append(units, uint16(c))
		}
	}
	return mapping.UTF16Quoted(units), true
}

// bigText returns the value of a BigInteger.
func (v *View) bigText(n node) (string, bool) {
	if !isStoredPath(n.EvaluateName) {
		n.EvaluateName = "" // the fields are those of the answer
	}
	sign, ok := v.number(n, "_sign")
	bits, ok2 := v.field(n, "_bits")
	if !ok || !ok2 {
		return "", false
	}
	var words []uint32
	if bits.Value != "null" {
		_, count, ok := mapping.ArrayText(bits.Value)
		if !ok || count > 1000 {
			return "", false
		}
		cells, ok := v.cells(bits, 0, count)
		if !ok {
			return "", false
		}
		for _, c := range cells {
			words = append(words, uint32(c))
		}
	}
	return mapping.BigIntegerText(int64(sign), words), true
}

// jsonText returns an element of a JSON document as its text has it.
func (v *View) jsonText(n node) (string, bool) {
	parent, ok := v.field(n, "_parent")
	if ok && parent.Value == "null" {
		return "undefined", true
	}
	index, ok1 := v.number(n, "_idx")
	rows, ok2 := v.at(parent, "_parsedData._data")
	text, ok3 := v.at(parent, "_utf8Json._object")
	from, ok4 := v.number(parent, "_utf8Json._index")
	if !ok || !ok1 || !ok2 || !ok3 || !ok4 || rows.Type != "byte[]" || text.Type != "byte[]" {
		return "", false // a document that was closed, or of memory that is no array
	}
	row := func(at int) (mapping.JSONRow, bool) {
		data, ok := v.cells(rows, at, mapping.JSONRowSize)
		if !ok {
			return mapping.JSONRow{}, false
		}
		return mapping.ReadJSONRow(bytesOf(data))
	}
	r, ok := row(int(index))
	if !ok {
		return "", false
	}
	if r.Rows > 0 { // an array or object
		end, ok := row(int(index) + r.Rows*mapping.JSONRowSize)
		if !ok {
			return "", false
		}
		r.Length = end.Start - r.Start + end.Length
	}
	if r.Quoted {
		r.Start, r.Length = r.Start-1, r.Length+2
	}
	data, ok := v.cells(text, int(from&0x7FFF_FFFF)+r.Start, min(r.Length, MaxValue+1))
	return strings.ToValidUTF8(string(bytesOf(data)), ""), ok
}

func bytesOf(cells []uint64) []byte {
	out := make([]byte, len(cells))
	for i, c := range cells {
		out[i] = byte(c)
	}
	return out
}

// lazyText says whether a Lazy has its value, and which.
func (v *View) lazyText(n node) (string, bool) {
	state, ok := v.field(n, "_state")
	switch {
	case !ok:
		return "", false
	case state.Value != "null":
		return "IsValueCreated = false", true
	}
	value, ok := v.field(n, "_value")
	return "Value = " + v.short(value), ok
}

// taskText says how far a task is, and its result or exception.
func (v *View) taskText(n node, result bool) (string, bool) {
	flags, ok := v.number(n, "m_stateFlags")
	if !ok {
		return "", false
	}
	status := mapping.TaskStatus(int64(flags))
	text := "Status = " + status
	switch {
	case status == "RanToCompletion" && result:
		if value, ok := v.field(n, "m_result"); ok {
			text += ", Result = " + v.short(value)
		}
	case status == "Faulted":
		first, ok := v.at(n, "m_contingentProperties.m_exceptionsHolder.m_faultExceptions._items")
		if !ok || first.EvaluateName == "" {
			break
		}
		first.EvaluateName += "[0]"
		if thrown, ok := v.field(first, "_exception"); ok {
			text += ", Exception = " + thrown.Type
			if message, ok := v.field(thrown, "_message"); ok && message.Value != "null" {
				text += ": " + mapping.Clip(Displayed(v.Profile.Language, message.Value, "string"), 200)
			}
		}
	}
	return text, true
}

func (v *View) versionText(n node) (string, bool) {
	var parts []string
	for _, name := range []string{"_Major", "_Minor", "_Build", "_Revision"} {
		part, ok := v.number(n, name)
		if !ok {
			return "", false
		}
		if int64(part) < 0 {
			break
		}
		parts = append(parts, strconv.FormatUint(part, 10))
	}
	return strings.Join(parts, "."), true
}
