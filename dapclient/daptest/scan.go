package daptest

import (
	"bytes"
	"encoding/json"
	"strconv"

	"breakwire/dapclient"
)

// Benchmarks send the fake tens of thousands of requests a second, so requests are read without
// reflection where they look as dapclient.Conn writes them.

var (
	seqPrefix  = []byte(`{"seq":`)
	typePrefix = []byte(`,"type":"request","command":"`)
	argsPrefix = []byte(`,"arguments":`)
)

// decode reads the envelope of a request.
func decode(raw []byte) (*dapclient.Message, error) {
	if m := decodeFast(raw); m != nil {
		return m, nil
	}
	return dapclient.Decode(raw)
}

// decodeFast returns nil for anything but the exact form that Conn.Send writes.
func decodeFast(raw []byte) *dapclient.Message {
	rest, ok := bytes.CutPrefix(raw, seqPrefix)
	if !ok {
		return nil
	}
	i := 0
	seq := 0
	for ; i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
		seq = seq*10 + int(rest[i]-'0')
	}
	if rest, ok = bytes.CutPrefix(rest[i:], typePrefix); !ok || i == 0 {
		return nil
	}
	i = bytes.IndexByte(rest, '"')
	if i < 0 || bytes.IndexByte(rest[:i], '\\') >= 0 {
		return nil
	}
	m := &dapclient.Message{Seq: seq, Kind: dapclient.KindRequest, Name: commandName(rest[:i]), Raw: raw}
	rest = rest[i+1:]
	if args, ok := bytes.CutPrefix(rest, argsPrefix); ok {
		n := valueEnd(args)
		if n < 0 {
			return nil
		}
		if !bytes.Equal(args[:n], []byte("null")) {
			m.Arguments = json.RawMessage(args[:n])
		}
		rest = args[n:]
	}
	if len(rest) != 1 || rest[0] != '}' {
		return nil
	}
	return m
}

// commandName avoids an allocation for the commands of the hot path.
func commandName(b []byte) string {
	switch string(b) {
	case "stackTrace":
		return "stackTrace"
	case "evaluate":
		return "evaluate"
	case "continue":
		return "continue"
	case "threads":
		return "threads"
	}
	return string(b)
}

// valueEnd returns the index after the JSON value that starts b, -1 if there is none. It
// trusts what it skips.
func valueEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
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

// field returns the raw value of a key at the top of a JSON object, nil if absent.
func field(object []byte, key string) []byte {
	b := bytes.TrimLeft(object, " \t\r\n")
	if len(b) == 0 || b[0] != '{' {
		return nil
	}
	b = b[1:]
	for {
		b = bytes.TrimLeft(b, " \t\r\n,")
		if len(b) == 0 || b[0] != '"' {
			return nil
		}
		n := valueEnd(b)
		if n < 0 {
			return nil
		}
		name := b[1 : n-1]
		b = bytes.TrimLeft(b[n:], " \t\r\n:")
		n = valueEnd(b)
		if n < 0 {
			return nil
		}
		if string(name) == key {
			return bytes.TrimRight(b[:n], " \t\r\n")
		}
		b = b[n:]
	}
}

// intField reads a number, also one in a string. ok is false when there is none.
func intField(object []byte, key string) (n int, ok bool) {
	raw := bytes.Trim(field(object, key), `"`)
	if len(raw) == 0 {
		return 0, false
	}
	n, err := strconv.Atoi(string(raw))
	return n, err == nil
}

func stringField(object []byte, key string) string {
	raw := field(object, key)
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

func boolField(object []byte, key string, missing bool) bool {
	switch string(field(object, key)) {
	case "true":
		return true
	case "false":
		return false
	}
	return missing
}

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			quoted, _ := json.Marshal(s) // a string always marshals
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
