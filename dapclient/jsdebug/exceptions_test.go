package jsdebug

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// node evaluates an expression in a new Node.
func node(t *testing.T, expression string) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("SKIPPED: there is no Node: %v", err)
	}
	out, err := exec.Command(path, "-p", expression).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out[:len(out)-1])
}

// What the program is asked about an exception, as Node answers.
func TestExceptionsInNode(t *testing.T) {
	const classes = `class AppError extends Error {}; class StoreError extends AppError {};` +
		`class Odd extends Error { get name() { throw 1 } };`
	for _, test := range []struct {
		value   string
		wanted  []string
		met     bool
		types   []string
		message string
		inner   int
	}{
		{`new StoreError("m")`, []string{"AppError"}, true, []string{"StoreError", "AppError", "Error", "Object"}, "m", 0},
		{`new AppError("m")`, []string{"StoreError"}, false, nil, "", 0},
		{`new TypeError("€ ' \" %")`, nil, true, []string{"TypeError", "Error", "Object"}, `€ ' " %`, 0},
		{`Object.assign(new Error("m"), {name: "Named"})`, []string{"Named"}, true,
			[]string{"Named", "Error", "Object"}, "m", 0},
		{`"a text"`, []string{"string"}, true, []string{"string"}, "a text", 0},
		{`null`, []string{"Error"}, false, nil, "", 0},
		{`new AggregateError([new Error("a"), 1], "m", {cause: 2})`, nil, true,
			[]string{"AggregateError", "Error", "Object"}, "m", 3},
		{`new Odd("m")`, []string{"Odd"}, true, []string{"Odd", "Error", "Object"}, "m", 0},
		{`{code: 3}`, []string{"Object"}, true, []string{"Object"}, "", 0},
		{`new Error("\ud800")`, nil, true, []string{"Error", "Object"}, "\ufffd", 0},
	} {
		t.Run(test.value, func(t *testing.T) {
			out := node(t, classes+`{const error=(`+test.value+`); [`+ofTypes(test.wanted)+`,`+tellException+`].join("|")}`)
			if !test.met {
				require.Equal(t, "false|", out, "what nobody wants is not kept")
				return
			}
			require.Contains(t, out, "true|")
			told, err := json.Marshal("'" + out[len("true|"):] + "'")
			require.NoError(t, err)
			e, ok := readTold(message(t, `{"type":"response","success":true,"body":{"result":`+string(told)+`}}`), nil)
			require.True(t, ok, out)
			require.Equal(t, test.types, e.Types)
			require.Equal(t, test.message, e.Message)
			require.Len(t, e.details().InnerException, test.inner)
		})
	}
	require.Equal(t, "7", node(t, `globalThis.$exception=7;{const error=1;`+ofTypes(nil)+`};$exception+`+tellException),
		"a global of the program stays")
}

func TestExceptionInfoOfTheProgram(t *testing.T) {
	b := &bridge{}
	raw, err := json.Marshal(b.exceptionInfo(message(t,
		`{"type":"response","success":true,"body":{"exceptionId":"Error: m","details":{"stackTrace":"at f"}}}`),
		&toldException{Types: []string{"A", "Error"}, Message: "m",
			Inner: []toldException{{Types: []string{"B"}, Message: "c"}}}))
	require.NoError(t, err)
	require.JSONEq(t, `{"exceptionId":"A","description":"m","breakMode":"always","baseTypes":["Error"],"details":{
		"typeName":"A","fullTypeName":"A","message":"m","stackTrace":"at f","evaluateName":"$exception",
		"innerException":[{"typeName":"B","fullTypeName":"B","message":"c"}]}}`, string(raw))
	_, ok := readTold(nil, dapclient.ErrClosed)
	require.False(t, ok)
}
