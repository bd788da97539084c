package transcript_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient/transcript"
)

// TestRedactsEverywhere checks sent and received messages, at any depth, by the names of members alone.
func TestRedactsEverywhere(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"debugpy's child": {
			`{"seq":9,"type":"event","event":"debugpyAttach","body":{"name":"Subprocess",` +
				`"env":{"API_TOKEN":"secret"},"subProcessId":7}}`,
			`{"seq":9,"type":"event","event":"debugpyAttach","body":{"name":"Subprocess",` +
				`"env":{"API_TOKEN":"<redacted>"},"subProcessId":7}}`,
		},
		"startDebugging": {
			`{"type":"request","command":"startDebugging","arguments":{"request":"launch",` +
				`"configuration":{"a":[{"env":["A=secret"]}],"x":1}}}`,
			`{"type":"request","command":"startDebugging","arguments":{"request":"launch",` +
				`"configuration":{"a":[{"env":["A=<redacted>"]}],"x":1}}}`,
		},
		"terminated": {
			`{"type":"event","event":"terminated",` +
				`"body":{"restart":{"deep":{"deeper":[[{"environment":[{"name":"A","value":"secret"}]}]]}}}}`,
			`{"type":"event","event":"terminated",` +
				`"body":{"restart":{"deep":{"deeper":[[{"environment":[{"name":"A","value":"<redacted>"}]}]]}}}}`,
		},
		"process": {
			`{"type":"event","event":"process","body":{"name":"a","processEnv":{"A":"secret"}}}`,
			`{"type":"event","event":"process","body":{"name":"a","processEnv":{"A":"<redacted>"}}}`,
		},
		"response": {
			`{"type":"response","command":"launch","success":true,"body":{"Environment":{"A":"secret","B":null}}}`,
			`{"type":"response","command":"launch","success":true,"body":{"Environment":{"A":"<redacted>","B":null}}}`,
		},
		"output data": {
			`{"type":"event","event":"output","body":{"category":"telemetry","output":"x",` +
				`"data":{"ENV":{"A":"secret"}}}}`,
			`{"type":"event","event":"output","body":{"category":"telemetry","output":"x",` +
				`"data":{"ENV":{"A":"<redacted>"}}}}`,
		},
		"cases": {`{"eNv":{"A":"secret"},"ENVIRONMENT":["A=secret"],"Env":"secret"}`,
			`{"eNv":{"A":"<redacted>"},"ENVIRONMENT":["A=<redacted>"],"Env":"<redacted>"}`},
		"spellings": {`{"environment_variables":{"A":"secret"},"envVars":["A=secret"],"extra-env":{"A":1}}`,
			`{"environment_variables":{"A":"<redacted>"},"envVars":["A=<redacted>"],"extra-env":{"A":"<redacted>"}}`},
		"words behind": {`{"env.linux":{"A":"secret"},"ENVMap":{"A":"secret"}}`,
			`{"env.linux":{"A":"<redacted>"},"ENVMap":{"A":"<redacted>"}}`},
		"pairs": {`{"env":[["A","secret"],["B",["secret"]],7]}`,
			`{"env":["<redacted>","<redacted>","<redacted>"]}`},
		"names that are no": {`{"env":[{"name":{"x":"secret"},"Value":"secret","Name":"A"}]}`,
			`{"env":[{"name":"<redacted>","Value":"<redacted>","Name":"A"}]}`},
		"JSON in a text": {`{"body":{"output":"sent {\"env\": {\"A\":\"secret\"}} to it"}}`,
			`{"body":{"output":"sent {\"env\": {\"A\":\"<redacted>\"}} to it"}}`},
		"flags": {`{"inheritEnv":true,"env":false,"clearEnvironment":null}`, ""},
		"files and names": {`{"envFile":"/a/.env","environmentName":"prod","name":"env","value":"x","event":"env",` +
			`"convenient":{"a":1}}`, ""},
		"cut off": {`{"command":"launch","arguments":{"program":"x","env":{"A":"sec`,
			`{"command":"launch","arguments":{"program":"x","env":"<redacted>"`},
		"cut off in a list": {`Content-Length: 99` + "\r\n\r\n" + `{"env":["A=secret","B=sec`,
			`Content-Length: 99` + "\r\n\r\n" + `{"env":"<redacted>"`},
		"no JSON": {`got "env": {A: "secret"}, and "env": {"B": "secret"} too`,
			`got "env": "<redacted>", and "env": {"B": "<redacted>"} too`},
		"name cut off":  {`{"env`, ""},
		"value cut off": {`{"env":`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.text
			}
			got := string(transcript.Redact([]byte(c.text)))
			assert.Equal(t, c.want, got)
			assert.NotContains(t, got, "sec\"")
			assert.Equal(t, got, string(transcript.Redact([]byte(got))), "once is enough")
		})
	}
}

// TestRedactsDeep checks that a deeply nested environment takes time in proportion to its size.
func TestRedactsDeep(t *testing.T) {
	const depth = 200_000
	text := strings.Repeat(`{"a":[`, depth) + `{"env":{"A":"secret"}}` + strings.Repeat(`]}`, depth)
	require.NotContains(t, string(transcript.Redact([]byte(text))), "secret")
}

// TestRedactsAnyDocument puts environments into documents of any shape.
func TestRedactsAnyDocument(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 7))
	names := []string{"env", "Environment", "ENV", "processEnv", "env_vars"}
	var document func(depth int, inside bool) any
	document = func(depth int, inside bool) any {
		leaf := func() any {
			if inside {
				return "secret" + strings.Repeat(`"\`, random.IntN(2))
			}
			return []any{"plain", 1.0, nil, true, "a \"quoted\": text"}[random.IntN(5)]
		}
		if depth == 0 {
			return leaf()
		}
		switch random.IntN(4) {
		case 0:
			return leaf()
		case 1:
			list := []any{}
			for range random.IntN(4) {
				list = append(list, document(depth-1, inside))
			}
			return list
		}
		object := map[string]any{}
		for i := range random.IntN(4) {
			if !inside && random.IntN(3) == 0 {
				object[names[random.IntN(len(names))]] = document(depth-1, true)
			} else {
				object[string(rune('a'+i))] = document(depth-1, inside)
			}
		}
		return object
	}
	changed := 0
	for range 20_000 {
		text, err := json.Marshal(document(5, false))
		require.NoError(t, err)
		got := transcript.Redact(text)
		require.True(t, json.Valid(got), "%s\n%s", text, got)
		require.NotContains(t, string(got), "secret", "%s", text)
		if string(got) != string(text) {
			changed++
		}
	}
	require.Greater(t, changed, 1000)
}

// FuzzRedact checks that JSON stays JSON, and that redacted text is not changed again.
func FuzzRedact(f *testing.F) {
	f.Add(`{"env":{"A":"x"},"a":[{"ENV":["B=1",{"name":"C","value":"2"}]}]}`)
	f.Add(`{"\u0065nv":"{\"env\":[]}"`)
	f.Fuzz(func(t *testing.T, text string) {
		once := transcript.Redact([]byte(text))
		if json.Valid([]byte(text)) {
			require.True(t, json.Valid(once), "%q", once)
		}
		require.Equal(t, string(once), string(transcript.Redact(once)))
	})
}
