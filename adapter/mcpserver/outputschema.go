package mcpserver

import (
	"encoding/json"
	"strings"
)

// outputSchema is the JSON schema of a tool's result. Every type in it is single, because some clients refuse unions.
// Objects are open, so that fields may be added. At the root only "success" is required, so that failures are valid
// too. The TypeScript SDK checks results against the schema.
type outputSchema string

// json returns the schema. A tool without one gets the schema of a bare success.
func (o outputSchema) json() json.RawMessage {
	if o == "" {
		o = outputOf("")
	}
	return json.RawMessage(o)
}

// outputOf returns the schema of a result with the given fields in addition to success and error. A field is written
// "name!:type", separated by spaces. Without a type it is text; ! makes it required. The type is n (integer), b
// (boolean), o (any object), m (object of texts), the name of a shape, or one of these in [] for a list.
func outputOf(fields string) outputSchema {
	return outputSchema(objectSchema(shapes(), "success!:b error:failure "+fields))
}

// buildShapes converts a list of name, fields, name, fields, ... into schemas. A shape can use earlier ones.
func buildShapes(table []string) map[string]string {
	built := map[string]string{
		"n": `{"type":"integer"}`,
		"b": `{"type":"boolean"}`,
		"o": `{"type":"object"}`,
		"m": `{"type":"object","additionalProperties":{"type":"string"}}`,
	}
	for i := 0; i < len(table); i += 2 {
		built[table[i]] = objectSchema(built, table[i+1])
	}
	return built
}

func objectSchema(shapes map[string]string, fields string) string {
	var properties, required strings.Builder
	for f := range strings.FieldsSeq(fields) {
		name, kind, _ := strings.Cut(f, ":")
		name, always := strings.CutSuffix(name, "!")
		if properties.Len() > 0 {
			properties.WriteByte(',')
		}
		properties.WriteString(`"` + name + `":` + typeSchema(shapes, kind))
		if always {
			if required.Len() > 0 {
				required.WriteByte(',')
			}
			required.WriteString(`"` + name + `"`)
		}
	}
	s := `{"type":"object","properties":{` + properties.String() + `}`
	if required.Len() > 0 {
		s += `,"required":[` + required.String() + `]`
	}
	return s + `}`
}

func typeSchema(shapes map[string]string, kind string) string {
	if kind == "" {
		return `{"type":"string"}`
	}
	if item, ok := strings.CutPrefix(kind, "["); ok {
		return `{"type":"array","items":` + typeSchema(shapes, strings.TrimSuffix(item, "]")) + `}`
	}
	s, ok := shapes[kind]
	if !ok {
		panic("mcpserver: no shape " + kind)
	}
	return s
}
