package inspect

import (
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"

	"breakwire/dapclient"
	"breakwire/mapping/symbols"
)

// A value for whose questions there is no time is marked, so that nobody takes its type's name or its first digits for
// the value.
func TestValueWithoutTimeIsMarked(t *testing.T) {
	for _, tt := range []struct {
		value, typ string
		marked     bool
	}{
		{"{System.TimeSpan}", "System.TimeSpan", true},
		{"{int}", "int", true},
		{"0.3", "double", true},
		{"\"before\"", "string", true}, // a NUL may have cut it
		{"{System.Collections.Generic.List<int>}", "System.Collections.Generic.List<int>", true},
		{"5", "int", false},
		{"null", "string", false},
		{"{int[3]}", "int[]", false},
		{"{App.Order}", "App.Order", false},
	} {
		v := testView()
		v.lookUntil = time.Now().Add(-time.Second)
		x := dap.Variable{Name: "x", EvaluateName: "x", Value: tt.value, Type: tt.typ, VariablesReference: 7}
		assert.Equal(t, tt.marked, v.show(item{node: node{Variable: x}, name: "x", path: "x"}).Truncated, tt.value)
	}
}

func TestGetterThatDidNotEnd(t *testing.T) {
	v := testView()
	shown := v.show(item{node: node{Variable: dap.Variable{Name: "Hang", Value: "<error>"}}, name: "Hang", path: "x.Hang"})
	assert.Contains(t, shown.Value, "its getter did not end")
	assert.True(t, unreadable(shown.Value))
}

// testView is a view of netcoredbg that has nothing to ask.
func testView() *View {
	return &View{Debugger: bareDebugger{}, Facts: Facts{Profile: dapclient.ProfileByName("netcoredbg")}, Cache: &Cache{}}
}

// bareDebugger is a debugger whose program has no symbols. It must not be asked for anything else.
type bareDebugger struct{ Debugger }

func (bareDebugger) Display(string) (symbols.Display, bool) { return symbols.Display{}, false }
