package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// recordedThreads is the recorded session of ThreadsApp, at its stop.
func recordedThreads(t *testing.T) *mcptest.Client {
	t.Helper()
	c := mcptest.Serve(t, replayed(t, "netcoredbg", "tour-threads"), mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": "/src/ThreadsApp/Program.cs", "line": 107})
	toFirstStop(c, "/src/ThreadsApp/bin/ThreadsApp.dll")
	return c
}

// TestObjectRecorded: an object of a recorded session of netcoredbg.
func TestObjectRecorded(t *testing.T) {
	o := recordedThreads(t).Do("object_summarize", mcptest.Args{"expression": "child"}).At("summary")
	require.Equal(t, "ThreadsApp.Node", o.String("typeName"))
	require.Equal(t, 6, o.Int("totalFieldCount"))
	require.Equal(t, 1, o.Int("inaccessibleFieldCount"), "the getter that throws")
}

func TestAnalyzeRefusesOtherValues(t *testing.T) {
	s := netcoredbg(t, standing(crowdedStop()...))
	s.Refused(fault.NoSession, "collection_analyze", mcptest.Args{"expression": "big"})
	stand(t, s)
	for _, tt := range []struct {
		expression, why string
		code            fault.Code
	}{
		{"ring", "ring (App.Node) is no collection; object_summarize", fault.NotCollection},
		{"longText", "is a text", fault.NotCollection},
		{"local3", "is no collection", fault.NotCollection},
		{"nothing", "there is no variable nothing here", fault.VariableNotFound},
		{"Kill()", "is not allowed", fault.EvalRejected},
		{" ", "expression is empty", fault.InvalidParameter},
	} {
		e := s.Refused(tt.code, "collection_analyze", mcptest.Args{"expression": tt.expression})
		require.Contains(t, e.String("error.message"), tt.why)
	}
	big := s.Do("collection_analyze", mcptest.Args{"expression": "big", "max_preview_items": 1})
	require.JSONEq(t,
		`{"count":2500,"elementType":"int","collectionType":"int[]","kind":"Array","nullCount":0,
		"numericStats":{"min":"0","max":"6245001","average":"2082083.5"},
		"firstElements":[{"index":0,"value":"0","type":"int"}],
		"lastElements":[{"index":2499,"value":"6245001","type":"int"}],"isSampled":false}`,
		string(big.At("summary").Raw))
	require.Less(t, len(s.Do("collection_analyze", mcptest.Args{"expression": "big", "max_preview_items": 50}).Raw), 8<<10)
}

// TestCollectionSampled: of a huge collection the first 10,000 elements are read, and the result says so.
func TestCollectionSampled(t *testing.T) {
	huge := daptest.Var{Name: "huge", Type: "int[]", Value: "{int[10500]}"}
	for i := range 10_500 {
		huge.Children = append(huge.Children, daptest.Var{Name: "[" + itoa(i) + "]", Type: "int", Value: itoa(i)})
	}
	s := netcoredbg(t, standing(huge))
	stand(t, s)
	r := s.Do("collection_analyze", mcptest.Args{"expression": "huge", "timeout_ms": 60000}).At("summary")
	require.Equal(t, 10_500, r.Int("count"))
	require.True(t, r.Bool("isSampled"))
	require.Equal(t, 10_000, r.Int("lookedAt"))
	require.Equal(t, "9999", r.String("numericStats.max"))
	require.Equal(t, "10499", r.String("lastElements.4.value"), "the end is shown all the same")
}

func TestObjectSummary(t *testing.T) {
	s := netcoredbg(t,
		standing(daptest.Var{Name: "order", Type: "App.Order", Value: "{App.Order}", Children: []daptest.Var{
			{Name: "Id", Type: "int", Value: "7"},
			{Name: "Name", Type: "string", Value: `""`},
			{Name: "Owner", Type: "App.Person", Value: "null"},
			{Name: "Ratio", Type: "double", Value: "NaN"},
			{Name: "Speed", Type: "double", Value: "-Infinity"},
			{Name: "Lines", Type: "int[]", Value: "{int[3]}",
				Children: []daptest.Var{{Name: "[0]", Type: "int", Value: "1"}, {Name: "[1]", Type: "int", Value: "2"},
					{Name: "[2]", Type: "int", Value: "3"}}},
			{Name: "Secret", Type: "int", Value: "<error: not readable>"},
		}}, daptest.Var{Name: "none", Type: "App.Order", Value: "null"}))
	stand(t, s)
	r := s.Do("object_summarize", mcptest.Args{"expression": "order", "max_preview_items": 6})
	require.JSONEq(t,
		`{"typeName":"App.Order","isNull":false,"value":"{App.Order}","totalFieldCount":7,"inaccessibleFieldCount":1,
		"fields":[{"name":"Id","type":"int","value":"7"},{"name":"Name","type":"string","value":"\"\""},
			{"name":"Owner","type":"App.Person","value":"null"},{"name":"Ratio","type":"double","value":"NaN"},
			{"name":"Speed","type":"double","value":"-Infinity"},
			{"name":"Lines","type":"int[]","value":"int[3]","collectionCount":3,"collectionElementType":"int"}],
		"nullFields":["Owner"],
		"interestingFields":[{"name":"Name","type":"string","value":"\"\"","reason":"empty_string"},
			{"name":"Ratio","type":"double","value":"NaN","reason":"nan"},
			{"name":"Speed","type":"double","value":"-Infinity","reason":"infinity"}]}`,
		string(r.At("summary").Raw))
	require.True(t, s.Do("object_summarize", mcptest.Args{"expression": "none"}).Bool("summary.isNull"))
}

// TestLiveGoSummaries: the same on the real Delve.
func TestLiveGoSummaries(t *testing.T) {
	c := atValues(t)
	for _, tt := range []struct{ expression, want string }{
		{"list", `{"count":3,"elementType":"string","collectionType":"[]string","kind":"List","nullCount":0,"isSampled":false,
			"firstElements":[{"index":0,"value":"\"zero\"","type":"string"}],
			"lastElements":[{"index":2,"value":"\"two\"","type":"string"}]}`},
		{"table",
			`{"count":2,"elementType":"int","collectionType":"map[string]int","kind":"Dictionary","nullCount":0,
			"numericStats":{"min":"1","max":"2","average":"1.5"},
			"keyValuePairs":[{"key":"\"a\"","keyType":"string","value":"1","valueType":"int"}],"isSampled":false}`},
		{"empty", `{"count":0,"elementType":"int","collectionType":"[]int","kind":"List","nullCount":0,"isSampled":false}`},
		{"big",
			`{"count":2500,"elementType":"int","collectionType":"[2500]int","kind":"Array","nullCount":0,
			"numericStats":{"min":"0","max":"6245001","average":"2082083.5"},
			"firstElements":[{"index":0,"value":"0","type":"int"}],
			"lastElements":[{"index":2499,"value":"6245001","type":"int"}],"isSampled":false}`},
		{"bytes",
			`{"count":4,"elementType":"uint8","collectionType":"[]uint8","kind":"List","nullCount":0,
			"numericStats":{"min":"0","max":"255","average":"127.5"},
			"firstElements":[{"index":0,"value":"0 = 0x0","type":"uint8"}],
			"lastElements":[{"index":3,"value":"255 = 0xff","type":"uint8"}],"isSampled":false}`},
		{"boxed",
			`{"count":2,"elementType":"int","collectionType":"[]int","kind":"List","nullCount":0,
			"numericStats":{"min":"4","max":"6","average":"5"},
			"firstElements":[{"index":0,"value":"4","type":"int"}],
			"lastElements":[{"index":1,"value":"6","type":"int"}],"isSampled":false}`},
	} {
		got := c.Do("collection_analyze", mcptest.Args{"expression": tt.expression, "max_preview_items": 1})
		if tt.expression == "table" {
			require.Contains(t, []string{`"a"`, `"b"`}, got.String("summary.keyValuePairs.0.key"), "a map has no order")
			require.Equal(t, "1.5", got.String("summary.numericStats.average"))
			continue
		}
		assert.JSONEq(t, tt.want, string(got.At("summary").Raw), tt.expression)
	}
	c.Refused(fault.NotCollection, "collection_analyze", mcptest.Args{"expression": "pipe"})
	o := c.Do("object_summarize", mcptest.Args{"expression": "ring"}).At("summary")
	require.Equal(t, "*main.node", o.String("typeName"))
	require.Equal(t, 4, o.Int("totalFieldCount"))
	require.Equal(t, []string{"Kids"}, o.Strings("nullFields"))

	o = c.Do("object_summarize", mcptest.Args{"expression": "failed"}).At("summary")
	require.Equal(t, "*fmt.wrapError", o.String("typeName"), "what an interface holds")
	require.Equal(t, 2, o.Int("totalFieldCount"))
	o = c.Do("object_summarize", mcptest.Args{"expression": "pairs"}).At("summary")
	require.Equal(t, "Next", o.String("fields.2.name"))
	require.False(t, o.At("fields.2").Has("collectionElementType"), "type arguments are no elements: %s", o.Raw)
}
