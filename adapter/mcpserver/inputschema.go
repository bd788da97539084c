package mcpserver

import (
	"encoding/json"
	"reflect"
	"strconv"
)

// inputSchema writes the JSON schema of a tool's arguments. It is written by hand and in the order
// of the fields: thirty of these are made at every start, and a reader of tools/list should see the same text each time.
func inputSchema(t reflect.Type) json.RawMessage {
	ps := paramsOf(t)
	dst := make([]byte, 0, 256+192*len(ps.list))
	dst = append(dst, `{"type":"object","properties":{`...)
	for i := range ps.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = ps.list[i].appendSchema(dst)
	}
	dst = append(dst, '}')
	sep := `,"required":[`
	for i := range ps.list {
		if ps.list[i].required {
			dst = append(dst, sep...)
			dst = appendString(dst, ps.list[i].name)
			sep = ","
		}
	}
	if sep == "," {
		dst = append(dst, ']')
	}
	return append(dst, `,"additionalProperties":false}`...)
}

func (p *param) appendSchema(dst []byte) []byte {
	dst = appendString(dst, p.name)
	low, high := `,"minimum":`, `,"maximum":`
	switch p.kind {
	case kindString:
		dst = append(dst, `:{"type":"string"`...)
		low, high = `,"minLength":`, `,"maxLength":`
	case kindInt:
		dst = append(dst, `:{"type":"integer"`...)
	case kindUint:
		dst = append(dst, `:{"type":"integer"`...)
		if !p.hasMin {
			dst = append(dst, `,"minimum":0`...)
		}
	case kindBool:
		dst = append(dst, `:{"type":"boolean"`...)
	case kindStrings:
		dst = append(dst, `:{"type":"array","items":{"type":"string"`...)
		dst = append(p.appendEnum(dst), '}')
		low, high = `,"minItems":`, `,"maxItems":`
	case kindMap:
		dst = append(dst, `:{"type":"object","additionalProperties":{"type":"string"}`...)
		low, high = `,"minProperties":`, `,"maxProperties":`
	case kindNullableMap:
		// ["string","null"] would be exact, but some clients refuse unions of types.
		dst = append(dst, `:{"type":"object","additionalProperties":true`...)
		low, high = `,"minProperties":`, `,"maxProperties":`
	}
	if p.doc != "" {
		dst = append(dst, `,"description":`...)
		dst = appendString(dst, p.doc)
	}
	if p.kind == kindString {
		dst = p.appendEnum(dst)
	}
	if p.hasMin {
		dst = strconv.AppendInt(append(dst, low...), p.min, 10)
	}
	if p.hasMax {
		dst = strconv.AppendInt(append(dst, high...), p.max, 10)
	}
	if p.hasDefault {
		dst = append(dst, `,"default":`...)
		if p.kind == kindString {
			dst = appendString(dst, p.def)
		} else {
			dst = append(dst, p.def...)
		}
	}
	return append(dst, '}')
}

func (p *param) appendEnum(dst []byte) []byte {
	if p.enum == nil {
		return dst
	}
	sep := `,"enum":[`
	for _, value := range p.enum {
		dst = append(dst, sep...)
		dst = appendString(dst, value)
		sep = ","
	}
	return append(dst, ']')
}
