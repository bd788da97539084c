package daptest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"breakwire/dapclient/internal/rawjson"
)

// logPoint prints the message of a log point.
func (e *engine) logPoint(t *thread, b *entry) {
	text := e.render(t, b.template) + "\n"
	switch e.shape.Family {
	case FamilyDelve:
		text = "> [Go " + strconv.Itoa(t.id) + "]: " + text
		e.a.wire.event("output", mustJSON(dap.OutputEventBody{Category: "stdout", Output: text,
			Source: &dap.Source{Path: t.cur.File}, Line: t.cur.Line}))
	case FamilyDebugpy:
		body := append([]byte(`{"output":`), rawjson.AppendString(nil, text)...)
		e.a.wire.event("output", append(body, `,"category":"stdout","source":{}}`...))
	default:
		body := append([]byte(`{"category":"console","output":`), rawjson.AppendString(nil, text)...)
		e.a.wire.event("output", append(body, '}'))
	}
}

// render evaluates the expressions of a log message, as the family does.
func (e *engine) render(t *thread, template string) string {
	var out strings.Builder
	expressions := 0
	for i := 0; i < len(template); i++ {
		c := template[i]
		switch {
		case c == '{':
			end := matchingBrace(template[i:])
			if end < 0 {
				return "Unbalanced braces in: " + template
			}
			expressions++
			expr := template[i+1 : i+end]
			i += end
			v, err := e.evalIn(t, 0, expr, "logpoint")
			switch {
			case err == nil:
				out.WriteString(v.Value)
			case e.shape.Family == FamilyDelve:
				fmt.Fprintf(&out, "{eval err: &{%%!e(string=%s)}}", e.evalMessage(err))
			case e.shape.Family == FamilyDebugpy:
				return e.evalMessage(err) // the whole message
			default:
				fmt.Fprintf(&out, "<error: %s>", e.evalMessage(err))
			}
		case c == '\\' && e.shape.Family == FamilyLLDB && i+3 < len(template) && template[i+1] == 'x':
			if n, err := strconv.ParseUint(template[i+2:i+4], 16, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
			out.WriteByte(c)
		case c == '\\' && e.shape.Family == FamilyLLDB && i+1 < len(template):
			i++
			out.WriteByte(template[i])
		case c == '%' && i+1 < len(template) && template[i+1] == '%' && (e.shape.Family == FamilyDelve ||
			e.shape.Family == FamilyDebugpy && strings.Contains(template, "{")):
			out.WriteByte('%')
			i++
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

func matchingBrace(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
