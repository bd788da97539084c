package transcript

import (
	"bytes"
	"encoding/json"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// Redacted stands for the value of an environment variable in a recording.
const Redacted = "<redacted>"

var redactedJSON = []byte(`"` + Redacted + `"`)

// hints let most bodies pass without a look inside.
var (
	hintRequest = []byte(`request`)
	hintEnv     = []byte(`env`)
	hintEscape  = []byte(`\u00`) // a key may be written with escapes
)

// redact returns body with the values of environment variables replaced, body itself if there
// are none. They are in the arguments of launch and attach, of a restart, and of the reverse
// request runInTerminal.
func redact(dir dapclient.Direction, body []byte) []byte {
	if !bytes.Contains(body, hintRequest) || !bytes.Contains(body, hintEnv) && !bytes.Contains(body, hintEscape) {
		return body
	}
	command := rawjson.String(body, "command")
	switch {
	case dir == dapclient.Sent && (command == "launch" || command == "attach" || command == "restart"):
	case dir == dapclient.Received && command == "runInTerminal":
	default:
		return body
	}
	return rewrite(body, func(key string, value []byte) []byte {
		if key != "arguments" {
			return value
		}
		return redactArguments(value)
	})
}

func redactArguments(args []byte) []byte {
	return rewrite(args, func(key string, value []byte) []byte {
		switch key {
		case "env", "environment":
			return redactEnv(value)
		case "arguments": // a restart carries those of a launch
			return redactArguments(value)
		}
		return value
	})
}

// redactEnv takes {"A":"x"}, ["A=x"] and [{"name":"A","value":"x"}]. Null means a variable that is taken out, and
// stays.
func redactEnv(env []byte) []byte {
	null := []byte("null")
	switch {
	case len(env) > 0 && env[0] == '{':
		return rewrite(env, func(_ string, value []byte) []byte {
			if bytes.Equal(value, null) {
				return value
			}
			return redactedJSON
		})
	case len(env) > 0 && env[0] == '[':
		out := []byte{'['}
		last := 1
		rawjson.Elements(env, func(start, end int) bool {
			out = append(out, env[last:start]...)
			out = append(out, redactElement(env[start:end])...)
			last = end
			return true
		})
		return append(out, env[last:]...)
	case bytes.Equal(env, null):
		return env
	}
	return redactedJSON
}

func redactElement(value []byte) []byte {
	switch value[0] {
	case '"':
		name, _, _ := bytes.Cut(rawjson.Bytes(value), []byte("="))
		return rawjson.AppendString(nil, string(name)+"="+Redacted)
	case '{':
		return rewrite(value, func(key string, v []byte) []byte {
			if key == "name" {
				return v
			}
			return redactedJSON
		})
	}
	return redactedJSON
}

// rewrite replaces values of an object; all else keeps its bytes.
func rewrite(object []byte, f func(key string, value []byte) []byte) []byte {
	var out []byte
	last := 0
	rawjson.Each(object, func(key []byte, start, end int) bool {
		name := string(key)
		if bytes.IndexByte(key, '\\') >= 0 {
			var decoded string
			if json.Unmarshal([]byte(`"`+name+`"`), &decoded) == nil {
				name = decoded
			}
		}
		value := object[start:end:end]
		now := f(name, value)
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
