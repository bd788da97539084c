package toolargs

import (
	"encoding/json"
	"reflect"
	"strconv"

	"breakwire/adapter/mcpserver/jsonrpc"
)

// Schema writes the JSON schema of a tool's arguments, with the fields in order. It does not use a map: thirty
// schemas are made at each start, and tools/list must always have the same text.
func Schema(t reflect.Type) json.RawMessage {
	ps := Of(t)
	return append(ps.appendSchema(make([]byte, 0, 256+192*len(ps.list))), `,"additionalProperties":false}`...)
}

// appendSchema writes the schema of an object without its closing brace.
func (ps *Params) appendSchema(dst []byte) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	sep := ""
	for i := range ps.list {
		if !ps.list[i].unlisted {
			dst = ps.list[i].appendSchema(append(dst, sep...))
			sep = ","
		}
	}
	dst = append(dst, '}')
	sep = `,"required":[`
	for i := range ps.list {
		if ps.list[i].required {
			dst = append(dst, sep...)
			dst = jsonrpc.AppendString(dst, ps.list[i].name)
			sep = ","
		}
	}
	if sep == "," {
		dst = append(dst, ']')
	}
	return dst
}

func (p *param) appendSchema(dst []byte) []byte {
	dst = jsonrpc.AppendString(dst, p.name)
	low, high := `,"minimum":`, `,"maximum":`
	switch p.kind {
	case kindString:
		dst = append(dst, `:{"type":"string"`...)
		low, high = `,"minLength":`, `,"maxLength":`
	case kindInt, kindUint:
		dst = append(dst, `:{"type":"integer"`...)
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
	case kindObject:
		// Inner objects are open in the schema, which is shorter; bind still refuses unknown names.
		dst = p.inner.appendSchema(append(dst, ':'))
	case kindObjects:
		dst = append(dst, `:{"type":"array","items":`...)
		dst = append(p.inner.appendSchema(dst), '}')
		low, high = `,"minItems":`, `,"maxItems":`
	}
	if p.doc != "" {
		dst = append(dst, `,"description":`...)
		dst = jsonrpc.AppendString(dst, p.doc)
	}
	if p.kind == kindString {
		dst = p.appendEnum(dst)
	}
	// A minimum of 0 is left out: no model writes a negative number here, bind refuses one, and each token costs in
	// every conversation.
	if p.hasMin && p.min != 0 {
		dst = strconv.AppendInt(append(dst, low...), p.min, 10)
	}
	if p.hasMax {
		dst = strconv.AppendInt(append(dst, high...), p.max, 10)
	}
	if p.hasDefault {
		dst = append(dst, `,"default":`...)
		if p.kind == kindString {
			dst = jsonrpc.AppendString(dst, p.def)
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
		dst = jsonrpc.AppendString(dst, value)
		sep = ","
	}
	return append(dst, ']')
}
