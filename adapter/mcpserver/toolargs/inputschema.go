package toolargs

import (
	"encoding/json"
	"reflect"

	"breakwire/adapter/mcpserver/jsonrpc"
)

// Schema writes the JSON schema of a tool's arguments, with the fields in order. It does not use a map: thirty
// schemas are made at each start, and tools/list must always have the same text. Bounds, defaults that are false or 0,
// and the refusal of other names are not written: Bind checks them, and each token costs in every conversation.
func Schema(t reflect.Type) json.RawMessage {
	ps := Of(t)
	return append(ps.appendSchema(make([]byte, 0, 256+192*len(ps.list))), '}')
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
	switch p.kind {
	case kindString:
		dst = append(dst, `:{"type":"string"`...)
	case kindInt, kindUint:
		dst = append(dst, `:{"type":"integer"`...)
	case kindBool:
		dst = append(dst, `:{"type":"boolean"`...)
	case kindStrings:
		dst = append(dst, `:{"type":"array","items":{"type":"string"`...)
		dst = append(p.appendEnum(dst), '}')
	case kindMap, kindNullableMap:
		dst = append(dst, `:{"type":"object"`...)
	case kindObject:
		dst = p.inner.appendSchema(append(dst, ':'))
	case kindValues:
		dst = append(dst, `:{"type":"array","items":{"type":"object"}`...)
	case kindObjects:
		dst = append(dst, `:{"type":"array","items":`...)
		dst = append(p.inner.appendSchema(dst), '}')
	}
	if p.doc != "" {
		dst = append(dst, `,"description":`...)
		dst = jsonrpc.AppendString(dst, p.doc)
	}
	if p.kind == kindString {
		dst = p.appendEnum(dst)
	}
	if p.hasDefault && p.def != "false" && p.def != "0" {
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
