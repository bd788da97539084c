package jsonrpc

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Unlike encoding/json it does not escape <, > and &: nothing here goes into
// HTML, and in generic types each bracket would cost five more bytes.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// AppendEscaped appends JSON as a JSON string. Only quotes and backslashes need an escape.
func AppendEscaped(dst, raw []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i, c := range raw {
		if c == '"' || c == '\\' {
			dst = append(append(dst, raw[start:i]...), '\\')
			start = i
		}
	}
	return append(append(dst, raw[start:]...), '"')
}

// EscapedLen returns the length of JSON as a JSON string, without its quotes.
func EscapedLen(raw []byte) int {
	return len(raw) + bytes.Count(raw, []byte{'"'}) + bytes.Count(raw, []byte{'\\'})
}

// Marshal is json.Marshal without HTML escaping.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// IsObject reports whether raw begins with an opening brace, after white space.
func IsObject(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

// IsNull reports whether raw is absent or the JSON null.
func IsNull(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}
