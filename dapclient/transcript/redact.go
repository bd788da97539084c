package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"unicode"

	"breakwire/dapclient/internal/rawjson"
)

// Redacted replaces the value of an environment variable in a recording.
const Redacted = "<redacted>"

var redactedJSON = []byte(`"` + Redacted + `"`)

// environmentWords are words that mark a member's name as an environment, in any case: env, ENV, processEnv,
// environment_variables. In DAP environments are
//
//	sent:     in launch, attach and restart (also in nested arguments)
//	received: in runInTerminal and startDebugging (configuration), in events such as debugpyAttach (a whole launch),
//	          terminated (restart) and output (data), in answers that repeat a configuration
//
// and wherever an unknown adapter puts them. So the name decides, in every message and at any depth.
var environmentWords = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"env": true, "envs": true, "environ": true, "environment": true, "environments": true, "envvar": true,
		"envvars":      true,
		"envvariables": true, "environmentvars": true, "environmentvariables": true,
	}
})

// Redact returns text with the values of environment variables replaced, or text itself if there are none. The text
// is JSON or contains JSON, which may be truncated.
func Redact(text []byte) []byte {
	if !mayNameEnvironment(text) {
		return text
	}
	var out []byte
	last := 0
	put := func(start, end int, now []byte) {
		if !bytes.Equal(now, text[start:end]) {
			out = append(append(out, text[last:start]...), now...)
			last = end
		}
	}
	for i := 0; i < len(text); {
		start := bytes.IndexByte(text[i:], '"')
		if start < 0 {
			break
		}
		start += i
		end := stringEnd(text, start)
		colon := skipSpace(text, end)
		if colon == len(text) || text[colon] != ':' {
			put(start, end, redactInside(text[start:end]))
			i = end
			continue
		}
		i = skipSpace(text, colon+1)
		if i == len(text) || !holdsEnvironment(decoded(text[start:end]), text[i]) {
			continue
		}
		length := rawjson.End(text[i:])
		if length < 0 { // truncated: the end of the value is unknown
			put(i, len(text), redactedJSON)
			break
		}
		value := bytes.TrimRight(text[i:i+length], " \t\r\n")
		put(i, i+len(value), redactEnv(value))
		i += length
	}
	if last == 0 {
		return text
	}
	return append(out, text[last:]...)
}

// mayNameEnvironment is a fast check that excludes most messages.
func mayNameEnvironment(text []byte) bool {
	for i := 2; i < len(text); i++ {
		if text[i]|0x20 == 'v' && text[i-1]|0x20 == 'n' && text[i-2]|0x20 == 'e' {
			return true
		}
	}
	return bytes.Contains(text, []byte(`\u00`)) // a name may be written with escapes
}

// holdsEnvironment reports whether a member is an environment, by its name and the first byte of its value. A text is
// one only where the name ends with the word, because envFile is a path.
func holdsEnvironment(name string, value byte) bool {
	words := nameWords(name)
	for i, word := range words {
		if !environmentWords()[word] {
			continue
		}
		rest := strings.Join(words[i+1:], "")
		return value == '{' || value == '[' || rest == "" || rest == "vars" || rest == "variables"
	}
	return environmentWords()[strings.ToLower(name)]
}

// nameWords splits processEnv, PROCESS_ENV and ENVFile into words, in lower case.
func nameWords(name string) []string {
	var words []string
	runes := []rune(name)
	from := 0
	cut := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(string(runes[from:to])))
		}
		from = to
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			cut(i)
			from = i + 1
		case i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]),
			i > 0 && unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			cut(i)
		}
	}
	cut(len(runes))
	return words
}

// stringEnd returns the index after the string that begins at start, or the end of a truncated text.
func stringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// decoded returns a name without its quotes and escapes.
func decoded(quoted []byte) string {
	var name string
	if bytes.IndexByte(quoted, '\\') >= 0 && json.Unmarshal(quoted, &name) == nil {
		return name
	}
	return string(bytes.Trim(quoted, `"`))
}

// redactInside redacts JSON inside a string.
func redactInside(quoted []byte) []byte {
	if !bytes.Contains(quoted, []byte(`\"`)) && !bytes.Contains(quoted, []byte(`\u0022`)) ||
		!mayNameEnvironment(quoted) {
		return quoted
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	if now := Redact([]byte(text)); string(now) != text {
		return rawjson.AppendString(nil, string(now))
	}
	return quoted
}

// redactEnv redacts {"A":"x"}, ["A=x"] and [{"name":"A","value":"x"}]. Null means that the variable is unset; it
// stays, as do true and false.
func redactEnv(env []byte) []byte {
	switch {
	case len(env) == 0 || isConstant(env):
		return env
	case !json.Valid(env):
		return redactedJSON
	case env[0] == '{':
		return rewrite(env, func(_ string, value []byte) []byte {
			if string(value) == "null" {
				return value
			}
			return redactedJSON
		})
	case env[0] == '[':
		out := []byte{'['}
		last := 1
		rawjson.Elements(env, func(start, end int) bool {
			out = append(out, env[last:start]...)
			out = append(out, redactElement(env[start:end])...)
			last = end
			return true
		})
		return append(out, env[last:]...)
	}
	return redactedJSON
}

func isConstant(value []byte) bool {
	return string(value) == "null" || string(value) == "true" || string(value) == "false"
}

func redactElement(value []byte) []byte {
	switch value[0] {
	case '"':
		if name, _, ok := bytes.Cut(rawjson.Bytes(value), []byte("=")); ok {
			return rawjson.AppendString(nil, string(name)+"="+Redacted)
		}
	case '{':
		return rewrite(value, func(key string, v []byte) []byte {
			if strings.EqualFold(key, "name") && v[0] == '"' {
				return v
			}
			return redactedJSON
		})
	}
	return redactedJSON
}

// rewrite replaces values of an object; all other bytes stay.
func rewrite(object []byte, f func(key string, value []byte) []byte) []byte {
	var out []byte
	last := 0
	rawjson.Each(object, func(key []byte, start, end int) bool {
		value := object[start:end:end]
		now := f(decoded(append(append([]byte{'"'}, key...), '"')), value)
		if !bytes.Equal(now, value) {
			out = append(out, object[last:start]...)
			out = append(out, now...)
			last = end
		}
		return true
	})
	if last == 0 {
		return object
	}
	return append(out, object[last:]...)
}
