package dotnet

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBasesOf(t *testing.T) {
	for typ, want := range map[string][]string{
		"System.Exception":             nil,
		"System.SystemException":       {"System.Exception"},
		"System.ArgumentNullException": {"System.ArgumentException", "System.SystemException", "System.Exception"},
		"System.Threading.Tasks.TaskCanceledException": {"System.OperationCanceledException", "System.SystemException",
			"System.Exception"},
		"System.Text.Json.JsonException": {"System.Exception"},
	} {
		bases, ok := BasesOf(typ)
		assert.True(t, ok, typ)
		assert.Equal(t, want, bases, typ)
	}
	_, ok := BasesOf("App.FatalException")
	assert.False(t, ok)
	for typ, base := range baseOf() { // each leads to System.Exception
		_, ok := BasesOf(base)
		assert.True(t, ok, typ)
	}
}
