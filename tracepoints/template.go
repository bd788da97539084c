package tracepoints

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxMessage is the largest size of a rendered message in bytes, with the mark of a cut.
const MaxMessage = 8 << 10

const cutMark = "… (cut)"

// Template is a parsed tracepoint message: literal text and {expressions}.
type Template struct {
	source string
	parts  []Part
	exprs  []string
}

// Part is literal text, or an expression when Expr is not negative.
type Part struct {
	Literal string
	Expr    int // index into Expressions, -1 for literal text
}

// Value is the result of one expression: its text, or the reason why there is none.
type Value struct {
	Text string
	Err  string // not empty: the evaluation failed
}

// String formats the value for a message.
func (v Value) String() string {
	if v.Err != "" {
		return "<error: " + v.Err + ">"
	}
	return v.Text
}

// ParseError is an error in a message template, with its place.
type ParseError struct {
	Message string // the whole template
	Offset  int    // in bytes
	Problem string
}

// Error gives the place as a number of characters, from 1.
func (e *ParseError) Error() string {
	return fmt.Sprintf("%s at character %d", e.Problem, utf8.RuneCountInString(e.Message[:e.Offset])+1)
}

// Parse parses a message. {expression} is an expression, {{ and }} are braces. Inside an expression brackets may
// nest, and string and character literals of C#, Go, Python and C may hold any text. An expression that itself begins
// with a brace needs a space before it.
func Parse(message string) (*Template, error) {
	t := &Template{source: message}
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			t.parts = append(t.parts, Part{Literal: literal.String(), Expr: -1})
			literal.Reset()
		}
	}
	for i := 0; i < len(message); {
		switch c := message[i]; {
		case (c == '{' || c == '}') && i+1 < len(message) && message[i+1] == c:
			literal.WriteByte(c)
			i += 2
		case c == '}':
			return nil, &ParseError{message, i, "unexpected } (write }} for a brace)"}
		case c == '{':
			end, err := scanExpression(message, i+1)
			if err != nil {
				return nil, err
			}
			expr := strings.TrimSpace(message[i+1 : end])
			if expr == "" {
				return nil, &ParseError{message, i, "empty expression {} (write {{ for a brace)"}
			}
			flush()
			t.parts = append(t.parts, Part{Expr: t.index(expr)})
			i = end + 1
		default:
			literal.WriteByte(c)
			i++
		}
	}
	flush()
	return t, nil
}

func (t *Template) index(expr string) int {
	if i := slices.Index(t.exprs, expr); i >= 0 {
		return i
	}
	t.exprs = append(t.exprs, expr)
	return len(t.exprs) - 1
}

// String returns the message as it was written.
func (t *Template) String() string { return t.source }

// Expressions returns the expressions, trimmed and unique, in order of first use. The caller must not change them.
func (t *Template) Expressions() []string { return t.exprs }

// Parts returns the parts of the message in order. The caller must not change them.
func (t *Template) Parts() []Part { return t.parts }

// Literal reports whether the message has no expressions.
func (t *Template) Literal() bool { return len(t.exprs) == 0 }

// Render puts the values, one for each of Expressions, into the message. A missing value, such as after a timeout, is
// shown as an error. The result has at most MaxMessage bytes.
func (t *Template) Render(values []Value) string {
	var b strings.Builder
	for _, p := range t.parts {
		text := p.Literal
		if p.Expr >= 0 {
			if p.Expr < len(values) {
				text = values[p.Expr].String()
			} else {
				text = Value{Err: "not evaluated"}.String()
			}
		}
		if b.Len()+len(text) > MaxMessage {
			// Text beyond this is cut off, so it is not copied.
			b.WriteString(text[:min(len(text), MaxMessage-b.Len()+1)])
			break
		}
		b.WriteString(text)
	}
	return cut(b.String(), MaxMessage, cutMark)
}

// cut shortens s to at most limit bytes, with the mark, between two runes.
func cut(s string, limit int, mark string) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
