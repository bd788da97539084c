package dapclient

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Finds the members of an envelope without decoding their values. encoding/json reads each byte of a body three times
// and copies it once for a json.RawMessage; most bodies are never decoded.

// maxDepth limits nesting, as encoding/json does.
const maxDepth = 10_000

var errJSON = errors.New("invalid JSON")

// scanner checks JSON text while it passes over it. It accepts exactly what json.Valid accepts.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

// scanObject calls field for each member of the object in data, in order. name and value are parts of data: the name
// with its quotes, the value without the surrounding space. data must hold one object and nothing else.
func scanObject(data []byte, field func(name, value []byte)) error {
	s := scanner{data: data}
	s.space()
	if s.peek() != '{' {
		return s.fail("not an object")
	}
	if err := s.object(field); err != nil {
		return err
	}
	s.space()
	if s.pos != len(data) {
		return s.fail("more after the end")
	}
	return nil
}

func (s *scanner) fail(what string) error {
	return fmt.Errorf("%w at byte %d: %s", errJSON, s.pos, what)
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// value passes over the value that begins here.
func (s *scanner) value() error {
	switch c := s.peek(); {
	case c == '"':
		return s.string()
	case c == '{':
		return s.object(nil)
	case c == '[':
		return s.array()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return s.fail("no value")
}

func (s *scanner) object(field func(name, value []byte)) error {
	if err := s.enter(); err != nil {
		return err
	}
	if s.space(); s.peek() == '}' {
		return s.leave()
	}
	for {
		s.space()
		start := s.pos
		if s.peek() != '"' {
			return s.fail("no name of a member")
		}
		if err := s.string(); err != nil {
			return err
		}
		name := s.data[start:s.pos:s.pos]
		if s.space(); s.peek() != ':' {
			return s.fail("no colon")
		}
		s.pos++
		s.space()
		start = s.pos
		if err := s.value(); err != nil {
			return err
		}
		if field != nil {
			field(name, s.data[start:s.pos:s.pos])
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
		case '}':
			return s.leave()
		default:
			return s.fail("object without end")
		}
	}
}

func (s *scanner) array() error {
	if err := s.enter(); err != nil {
		return err
	}
	if s.space(); s.peek() == ']' {
		return s.leave()
	}
	for {
		s.space()
		if err := s.value(); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
		case ']':
			return s.leave()
		default:
			return s.fail("array without end")
		}
	}
}

// enter passes over an opening bracket.
func (s *scanner) enter() error {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		return s.fail("nested too deeply")
	}
	return nil
}

// leave passes over a closing bracket.
func (s *scanner) leave() error {
	s.pos++
	s.depth--
	return nil
}

func (s *scanner) string() error {
	for i := s.pos + 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			return nil
		case c < 0x20:
			s.pos = i
			return s.fail("control character in a string")
		case c == '\\':
			i++
			s.pos = i
			if i == len(s.data) {
				return s.fail("string without end")
			}
			switch s.data[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if i++; i == len(s.data) || !isHex(s.data[i]) {
						return s.fail("bad \\u escape")
					}
				}
			default:
				return s.fail("bad escape")
			}
		}
	}
	s.pos = len(s.data)
	return s.fail("string without end")
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// number passes over -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
func (s *scanner) number() error {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return s.fail("bad number")
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.fail("bad number")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.fail("bad number")
		}
	}
	return nil
}

// digits passes over digits and reports whether there was one.
func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) literal(word string) error {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return s.fail("bad literal")
	}
	s.pos += len(word)
	return nil
}

// text decodes a JSON string; anything else is empty.
func text(value []byte) string {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}
