package rawjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"breakwire/dapclient/internal/rawjson"
)

func TestFields(t *testing.T) {
	object := []byte(` { "a" : 1 , "s":"x\"}y", "o": {"a": [1,{"b":"]"}]} ,"n":"12","t":true, "e":"" } `)
	cases := map[string]string{
		"a": `1`, "s": `"x\"}y"`, "o": `{"a": [1,{"b":"]"}]}`, "n": `"12"`, "t": `true`, "e": `""`, "none": ``,
	}
	for key, want := range cases {
		assert.Equal(t, want, string(rawjson.Field(object, key)), key)
	}
	n, ok := rawjson.Int(object, "n")
	assert.True(t, ok)
	assert.Equal(t, 12, n)
	_, ok = rawjson.Int(object, "s")
	assert.False(t, ok)
	assert.Equal(t, `x"}y`, rawjson.String(object, "s"))
	assert.True(t, rawjson.Bool(object, "t", false))
	assert.True(t, rawjson.Bool(object, "none", true))
	assert.JSONEq(t, `{"a":[2],"s":"x\"}y","o":{"a":[1,{"b":"]"}]},"n":"12","t":true,"e":""}`,
		string(rawjson.Replace(object, "a", []byte("[2]"))))
	assert.Equal(t, object, rawjson.Replace(object, "none", []byte("1")))
}

func TestElements(t *testing.T) {
	array := []byte(`[1, "a,b" ,{"x":[2]}, [] ]`)
	var got []string
	rawjson.Elements(array, func(start, end int) bool {
		got = append(got, string(array[start:end]))
		return true
	})
	assert.Equal(t, []string{`1`, `"a,b"`, `{"x":[2]}`, `[]`}, got)
}

func TestStringsKeepTheirBytes(t *testing.T) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f", "é␞", "\xff\xfe a \\u0041 \xc3", "{broken\n"} {
		raw := rawjson.AppendString(nil, s)
		assert.True(t, json.Valid(raw), "%q", s)
		assert.Equal(t, s, string(rawjson.Bytes(raw)), "%q", s)
	}
}

// FuzzEach checks that invalid text causes no panic, and that valid text is read as by encoding/json.
func FuzzEach(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":{"b":[1,2,"}"]},"c":null}`, `{`, `{"a"`, `{"a":`, `[`, `{"a":"\`,
		`{,,}`, `{"a":}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := map[string]json.RawMessage{}
		rawjson.Each(b, func(key []byte, start, end int) bool {
			got[string(key)] = b[start:end]
			return true
		})
		rawjson.Elements(b, func(int, int) bool { return true })
		rawjson.Bytes(b)
		var want map[string]json.RawMessage
		if json.Unmarshal(b, &want) != nil {
			return
		}
		for key, value := range got {
			if !json.Valid([]byte(`"` + key + `"`)) {
				t.Errorf("key %q", key)
			}
			if !json.Valid(value) {
				t.Errorf("value %q of %q", value, key)
			}
		}
	})
}
