package toolargs

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/fixtures/schematest"
	"breakwire/mapping"
)

// allArgs has every kind of parameter.
type allArgs struct {
	SessionArg
	File    string             `arg:"file,required" min:"1"`
	Mode    string             `arg:"mode" enum:"over,in|into,out" default:"over" alias:"type,stepType"`
	Count   int                `arg:"count" default:"1" min:"1" max:"100"`
	Thread  *int               `arg:"thread_id"`
	After   uint64             `arg:"after_seq"`
	Before  *uint64            `arg:"before_seq" max:"9"`
	Timeout int                `arg:"timeout_ms" default:"30000" min:"0" alias:"timeout"`
	Wait    bool               `arg:"wait"`
	Stop    *bool              `arg:"stop_at_entry" alias:"stopAtEntry"`
	Jmc     bool               `arg:"just_my_code" default:"true"`
	Args    []string           `arg:"args" max:"3"`
	Env     map[string]*string `arg:"env"`
	Map     map[string]string  `arg:"map"`
	Value   *string            `arg:"value,loose"`
	Types   []string           `arg:"types" enum:"hit|hits,stop"`
	Names   *[]string          `arg:"names"`
}

func (allArgs) Docs() Docs { return Docs{"file": "A file"} }

// SessionArg is embedded, which flattens it.
type SessionArg struct {
	Session string `arg:"session_id"`
}

func (SessionArg) Docs() Docs { return Docs{"session_id": "Which session"} }

// noParamArgs describes an alias, which is not in the schema.
type noParamArgs struct {
	Session string `arg:"session_id" alias:"session"`
}

func (noParamArgs) Docs() Docs { return Docs{"session": "Which session"} }

func ptr[T any](v T) *T { return &v }

func defaults(change func(*allArgs)) allArgs {
	a := allArgs{File: "f", Mode: "over", Count: 1, Timeout: 30000, Jmc: true}
	change(&a)
	return a
}

func TestBind(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     allArgs
	}{
		{"defaults", `{"file":"f"}`, defaults(func(*allArgs) {})},
		{"null is absent", `{"file":"f","mode":null,"count":null,"thread_id":null,"args":null,"env":null}`,
			defaults(func(*allArgs) {})},
		{"everything", `{"session_id":"s1","file":"f","mode":"out","count":100,"thread_id":-3,` +
			`"after_seq":18446744073709551615,"before_seq":9,` +
			`"timeout_ms":0,"wait":true,"stop_at_entry":false,"just_my_code":false,"args":["a",""],"env":{"A":"1",` +
			`"B":null},"map":{"k":"v"},"value":""}`,
			defaults(func(a *allArgs) {
				a.Session, a.Mode, a.Count, a.Thread, a.After, a.Before = "s1", "out", 100, ptr(-3), 1<<64-1, ptr(uint64(9))
				a.Timeout, a.Wait, a.Stop, a.Jmc, a.Args = 0, true, ptr(false), false, []string{"a", ""}
				a.Env, a.Map, a.Value = map[string]*string{"A": ptr("1"), "B": nil}, map[string]string{"k": "v"}, ptr("")
			})},
		{"integers as text", `{"file":"f","count":"12","thread_id":" 7 ","after_seq":"3"}`,
			defaults(func(a *allArgs) { a.Count, a.Thread, a.After = 12, ptr(7), 3 })},
		{"integers as decimals", `{"file":"f","count":12.0,"thread_id":1.2e1,"after_seq":"5.00"}`,
			defaults(func(a *allArgs) { a.Count, a.Thread, a.After = 12, ptr(12), 5 })},
		{"64 bits", `{"file":"f","after_seq":9007199254740993.0}`,
			defaults(func(a *allArgs) { a.After = 9007199254740993 })},
		{"the largest int", fmt.Sprintf(`{"file":"f","thread_id":%d}`, math.MaxInt),
			defaults(func(a *allArgs) { a.Thread = ptr(math.MaxInt) })},
		{"booleans as text", `{"file":"f","wait":"true","just_my_code":"False"}`,
			defaults(func(a *allArgs) { a.Wait, a.Jmc = true, false })},
		{"aliases", `{"file":"f","stepType":"into","timeout":5,"stopAtEntry":true}`,
			defaults(func(a *allArgs) { a.Mode, a.Timeout, a.Stop = "in", 5, ptr(true) })},
		{"alias says the same", `{"file":"f","mode":"out","type":"out"}`, defaults(func(a *allArgs) { a.Mode = "out" })},
		{"alias is null", `{"file":"f","mode":"out","type":null}`, defaults(func(a *allArgs) { a.Mode = "out" })},
		{"case of an enum", `{"file":"f","mode":"Over"}`, defaults(func(*allArgs) {})},
		{"loose number", `{"file":"f","value":4.50}`, defaults(func(a *allArgs) { a.Value = ptr("4.50") })},
		{"loose boolean", `{"file":"f","value":true}`, defaults(func(a *allArgs) { a.Value = ptr("true") })},
		{"list of an enum", `{"file":"f","types":["Stop","hits"]}`, defaults(func(a *allArgs) {
			a.Types = []string{"stop", "hit"}
		})},
		{"empty lists", `{"file":"f","args":[],"env":{},"names":[]}`,
			defaults(func(a *allArgs) { a.Args, a.Env, a.Names = []string{}, map[string]*string{}, &[]string{} })},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got allArgs
			if err := Bind(json.RawMessage(tc.in), &got); err != nil {
				t.Fatal(err)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestBindRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, in, want string
	}{
		{"required", `{}`, `"file" is required: text that is not empty`},
		{"nothing at all", ``, `"file" is required: text that is not empty`},
		{"required is null", `{"file":null}`, `"file" is required: text that is not empty`},
		{"required is empty", `{"file":""}`, `"file" must be text that is not empty, got ""`},
		{"text", `{"file":12}`, `"file" must be text that is not empty, got 12`},
		{"enum", `{"file":"f","mode":"sideways"}`, `"mode" must be one of over, in, out, got "sideways"`},
		{"enum by alias", `{"file":"f","stepType":"up"}`, `"stepType" must be one of over, in, out, got "up"`},
		{"two names", `{"file":"f","mode":"in","type":"out"}`,
			`"mode" and "type" are the same parameter and say different things; give "mode" only`},
		{"low", `{"file":"f","count":0}`, `"count" must be a whole number from 1 to 100, got 0`},
		{"high", `{"file":"f","count":"101"}`, `"count" must be a whole number from 1 to 100, got "101"`},
		{"high unsigned", `{"file":"f","before_seq":18446744073709551615}`,
			`"before_seq" must be a whole number up to 9, got 18446744073709551615`},
		{"fraction", `{"file":"f","count":1.5}`, `"count" must be a whole number from 1 to 100, got 1.5`},
		{"too large", `{"file":"f","thread_id":1e300}`, `"thread_id" must be a whole number, got 1e300`},
		{"endless exponent", `{"file":"f","thread_id":1e999999999}`, `"thread_id" must be a whole number, got 1e999999999`},
		{"not a number", `{"file":"f","timeout_ms":"soon"}`, `"timeout_ms" must be a whole number from 0, got "soon"`},
		{"negative seq", `{"file":"f","after_seq":-1}`, `"after_seq" must be a whole number from 0, got -1`},
		{"boolean", `{"file":"f","wait":1}`, `"wait" must be true or false, got 1`},
		{"list", `{"file":"f","args":"a b"}`, `"args" must be a list of texts with up to 3 items, got "a b"`},
		{"list item", `{"file":"f","args":["a",2]}`, `"args" must be a list of texts with up to 3 items (2 is not), ` +
			`got ["a",2]`},
		{"list length", `{"file":"f","args":["a","b","c","d"]}`,
			`"args" must be a list of texts with up to 3 items, got ["a","b","c","d"]`},
		{"list of an enum", `{"file":"f","types":["hit","hot"]}`,
			`"types" must be a list of hit, stop ("hot" is not), got ["hit","hot"]`},
		{"map", `{"file":"f","env":["A=1"]}`, `"env" must be an object of texts or null, got ["A=1"]`},
		{"map item", `{"file":"f","map":{"a":null}}`, `"map" must be an object of texts ("a" is not), got {"a":null}`},
		{"unknown", `{"file":"f","treadId":1}`, `unknown parameter "treadId", did you mean "thread_id"? (parameters: ` +
			`session_id, file, mode, count, thread_id, after_seq, before_seq, timeout_ms, wait, stop_at_entry, ` +
			`just_my_code, args, env, map, value, types, names)`},
		{"several", `{"count":"x","wait":"y"}`, `"file" is required: text that is not empty; "count" must be a whole ` +
			`number from 1 to 100, got "x"; "wait" must be true or false, got "y"`},
		{"not an object", `["file"]`, `the arguments must be a JSON object of parameters, got ["file"]`},
		{"text instead", `"{}"`, `the arguments must be a JSON object of parameters, got "{}"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got allArgs
			err := Bind(json.RawMessage(tc.in), &got)
			require.NotNil(t, err)
			assert.Equal(t, fault.InvalidParameter, err.Code)
			assert.Equal(t, tc.want, err.Message)
		})
	}
}

func TestBindDetails(t *testing.T) {
	var got allArgs
	err := Bind(json.RawMessage(`{"file":"f","mode":"ovr","filee":"`+strings.Repeat("é", 100)+`"}`), &got)
	require.NotNil(t, err)
	details, jsonErr := json.Marshal(err.Details)
	require.NoError(t, jsonErr)
	assert.JSONEq(t, `{"parameter":"mode","problems":[
		{"parameter":"mode","given":"\"ovr\"","expected":"one of over, in, out","nearest":"over"},
		{"parameter":"filee","expected":"one of session_id, file, mode, count, thread_id, after_seq, before_seq, `+
		`timeout_ms, wait, stop_at_entry, just_my_code, args, env, map, value, types, names","nearest":"file"}]}`,
		string(details))
	var none struct{}
	err = Bind(json.RawMessage(`{"x":1}`), &none)
	require.NotNil(t, err)
	assert.Equal(t, `unknown parameter "x": this tool has none`, err.Message)
}

func TestNearest(t *testing.T) {
	known := []string{"session_id", "file", "line", "condition", "hit_condition", "timeout_ms", "log_message"}
	for in, want := range map[string]string{
		"sessionId": "session_id", "session": "session_id", "File": "file", "fiel": "file", "path": "", "lines": "line",
		"hitCondition": "hit_condition", "timeout": "timeout_ms", "logmsg": "", "log-message": "log_message", "": "",
		"message": "log_message", "zzzz": "", strings.Repeat("file", 100): "",
	} {
		assert.Equal(t, want, mapping.Nearest(in, known), in)
	}
}

func TestInputSchema(t *testing.T) {
	got := Schema(reflect.TypeFor[allArgs]())
	assert.Equal(t, `{"type":"object","properties":{`+
		`"session_id":{"type":"string","description":"Which session"},`+
		`"file":{"type":"string","description":"A file"},`+
		`"mode":{"type":"string","enum":["over","in","out"],"default":"over"},`+
		`"count":{"type":"integer","default":1},`+
		`"thread_id":{"type":"integer"},`+
		`"after_seq":{"type":"integer"},`+
		`"before_seq":{"type":"integer"},`+
		`"timeout_ms":{"type":"integer","default":30000},`+
		`"wait":{"type":"boolean"},`+
		`"stop_at_entry":{"type":"boolean"},`+
		`"just_my_code":{"type":"boolean","default":true},`+
		`"args":{"type":"array","items":{"type":"string"}},`+
		`"env":{"type":"object"},`+
		`"map":{"type":"object"},`+
		`"value":{"type":"string"},`+
		`"types":{"type":"array","items":{"type":"string","enum":["hit","stop"]}},`+
		`"names":{"type":"array","items":{"type":"string"}}},"required":["file"]}`, string(got))
	assert.Equal(t, `{"type":"object","properties":{}}`,
		string(Schema(reflect.TypeFor[struct{}]())))
	schematest.Compile(t, got)
}

func TestBadStructsPanic(t *testing.T) {
	for name, v := range map[string]any{
		"type": struct {
			A float64 `arg:"a"`
		}{},
		"no name": struct {
			A int `arg:",required"`
		}{},
		"flag": struct {
			A int `arg:"a,requird"`
		}{},
		"default": struct {
			A int `arg:"a" default:"x"`
		}{},
		"enum": struct {
			A string `arg:"a" enum:"b" default:"c"`
		}{},
		"enum of int": struct {
			A int `arg:"a" enum:"b"`
		}{},
		"bound": struct {
			A int `arg:"a" min:"x"`
		}{},
		"bool bound": struct {
			A bool `arg:"a" min:"1"`
		}{},
		"both": struct {
			A int `arg:"a,required" default:"1"`
		}{},
		"pointer": struct {
			A *int `arg:"a" default:"1"`
		}{},
		"unexported": struct {
			a int `arg:"a"`
		}{},
		"twice": struct {
			A int `arg:"a"`
			B int `arg:"b" alias:"a"`
		}{},
		"description of an alias": noParamArgs{},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Panics(t, func() { Of(reflect.TypeOf(v)) })
		})
	}
	assert.Panics(t, func() { Of(reflect.TypeFor[int]()) })
}

// FuzzBind checks that no arguments cause a panic, that accepted values are within the bounds, and that they are
// accepted as the same values when sent again in plain form.
func FuzzBind(f *testing.F) {
	for _, seed := range []string{
		`{"file":"f"}`, `{"file":"f","count":"12","thread_id":12.0,"after_seq":1e3}`, `{"file":"f","env":{"A":null,"B":"1"}}`,
		`{"file":"f","args":["a","b"],"value":1.5,"stepType":"into","wait":"TRUE"}`, `[]`, `"x"`, `{"file":1}`, `{`,
		`null`, `{"Thread_id":1}`,
		`{"file":"\ud800","count":1e999,"before_seq":"9.0"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a allArgs
		if err := Bind(raw, &a); err != nil {
			require.Equal(t, fault.InvalidParameter, err.Code)
			require.NotEmpty(t, err.Message)
			return
		}
		require.NotEmpty(t, a.File)
		require.Contains(t, []string{"over", "in", "out"}, a.Mode)
		require.True(t, a.Count >= 1 && a.Count <= 100 && a.Timeout >= 0 && len(a.Args) <= 3)
		require.True(t, a.Before == nil || *a.Before <= 9)

		plain := map[string]any{"session_id": a.Session, "file": a.File, "mode": a.Mode, "count": a.Count,
			"after_seq":  a.After,
			"timeout_ms": a.Timeout, "wait": a.Wait, "just_my_code": a.Jmc}
		optional := map[string]any{"thread_id": a.Thread, "before_seq": a.Before, "stop_at_entry": a.Stop,
			"value": a.Value, "names": a.Names}
		for name, v := range optional {
			if !reflect.ValueOf(v).IsNil() {
				plain[name] = v
			}
		}
		for name, v := range map[string]any{"args": a.Args, "env": a.Env, "map": a.Map, "types": a.Types} {
			if !reflect.ValueOf(v).IsNil() {
				plain[name] = v
			}
		}
		again, err := json.Marshal(plain)
		require.NoError(t, err)
		var b allArgs
		if err := Bind(again, &b); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		require.Equal(t, a, b)
		require.NoError(t, schematest.Validate(t, fuzzSchema(t), again))
	})
}

var fuzzSchemaOnce *jsonschema.Schema

func fuzzSchema(t testing.TB) *jsonschema.Schema {
	if fuzzSchemaOnce == nil {
		fuzzSchemaOnce = schematest.Compile(t, Schema(reflect.TypeFor[allArgs]()))
	}
	return fuzzSchemaOnce
}
