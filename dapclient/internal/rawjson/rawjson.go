// Package rawjson finds and replaces members of JSON objects in place, without decoding them. It does not check what
// it skips. For text that json.Valid refuses, results are undefined, but it does not panic.
package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// End returns the index after the JSON value at the start of b, -1 if there is none.
func End(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i
			}
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if i >= len(b) {
				return -1
			}
			if depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func skip(b []byte, i int, more byte) int {
	for i < len(b) && (isSpace(b[i]) || b[i] == more) {
		i++
	}
	return i
}

// Each calls f for the members of an object, in order: the key as written, without its quotes, and the range of its
// value, without surrounding space. It stops when f returns false.
func Each(object []byte, f func(key []byte, start, end int) bool) {
	i := skip(object, 0, ' ')
	if i >= len(object) || object[i] != '{' {
		return
	}
	i++
	for {
		i = skip(object, i, ',')
		if i >= len(object) || object[i] != '"' {
			return
		}
		n := End(object[i:])
		if n < 2 {
			return
		}
		key := object[i+1 : i+n-1]
		i = skip(object, i+n, ':')
		n = End(object[i:])
		if n <= 0 {
			return
		}
		end := i + n
		for end > i && isSpace(object[end-1]) {
			end--
		}
		if !f(key, i, end) {
			return
		}
		i += n
	}
}

// Elements calls f for each element of an array, in order, and stops when f returns false.
func Elements(array []byte, f func(start, end int) bool) {
	i := skip(array, 0, ' ')
	if i >= len(array) || array[i] != '[' {
		return
	}
	i++
	for {
		i = skip(array, i, ',')
		if i >= len(array) || array[i] == ']' {
			return
		}
		n := End(array[i:])
		if n <= 0 {
			return
		}
		end := i + n
		for end > i && isSpace(array[end-1]) {
			end--
		}
		if !f(i, end) {
			return
		}
		i += n
	}
}

// Field returns the raw value of a key of an object, nil if absent. It does not search nested objects.
func Field(object []byte, key string) []byte {
	var value []byte
	Each(object, func(k []byte, start, end int) bool {
		if string(k) != key {
			return true
		}
		value = object[start:end:end]
		return false
	})
	return value
}

// Int returns the number of a key, also one in a string. ok is false when there is none.
func Int(object []byte, key string) (n int, ok bool) {
	raw := bytes.Trim(Field(object, key), `"`)
	if len(raw) == 0 {
		return 0, false
	}
	n, err := strconv.Atoi(string(raw))
	return n, err == nil
}

// String returns the string of a key, empty if it is missing or of another type.
func String(object []byte, key string) string { return Text(Field(object, key)) }

// Text decodes one JSON string; anything else is empty.
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Bool returns the boolean of a key, or missing if it is missing or of another type.
func Bool(object []byte, key string, missing bool) bool {
	switch string(Field(object, key)) {
	case "true":
		return true
	case "false":
		return false
	}
	return missing
}

// Replace returns the object with the value of a key replaced, or the object itself when the key is absent. All other
// bytes stay.
func Replace(object []byte, key string, value []byte) []byte {
	out := object
	Each(object, func(k []byte, start, end int) bool {
		if string(k) != key {
			return true
		}
		out = make([]byte, 0, len(object)+len(value))
		out = append(out, object[:start]...)
		out = append(out, value...)
		out = append(out, object[end:]...)
		return false
	})
	return out
}

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string. Bytes that are not UTF-8 are kept.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
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
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// Bytes decodes a JSON string like Text, but keeps bytes that are not UTF-8. It is the inverse of AppendString.
func Bytes(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	if utf8.Valid(raw) {
		return []byte(Text(raw))
	}
	// Decode the parts between bytes that are not UTF-8.
	var out []byte
	inner := raw[1 : len(raw)-1]
	start := 0
	piece := func(end int) {
		if start < end {
			out = append(out, Text(append(append([]byte{'"'}, inner[start:end]...), '"'))...)
		}
	}
	for i := 0; i < len(inner); {
		r, n := utf8.DecodeRune(inner[i:])
		if r == utf8.RuneError && n == 1 {
			piece(i)
			out = append(out, inner[i])
			start = i + 1
		}
		i += n
	}
	piece(len(inner))
	return out
}
