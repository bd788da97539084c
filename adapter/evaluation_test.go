package adapter

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"breakwire/dapclient"
)

// A call of what the linker has left out says so; a name that no source would have as a function does not.
func TestEvalHintOfDroppedFunctions(t *testing.T) {
	const linker, names = "so the linker has left it out", "variables_get shows the names"
	for _, tt := range []struct{ expression, reason, want string }{
		{"call t.Unused()", "t has no member Unused", linker},
		{"t.inner.Unused(1, f(2))", "t.inner has no member Unused", linker},
		{"call t.Unused()", "t (type main.T) has no member Unused", linker},
		{"call unused(3)", "could not find symbol value for unused", linker},
		{"main.unused(3)", "package main has no function unused", linker},
		{`call strings.ToUpper("a")`, "could not find symbol strings.ToUpper", linker},
		{"len(t.x)", "t has no member x", ""},
		{"t.Unused", "t has no member Unused", ""},
		{"nosuch", "could not find symbol value for nosuch", names},
		{"f(nosuch)", "could not find symbol value for nosuch", names},
		{"f(1)", "function calls not allowed without using 'call'", "write call f(x)"},
	} {
		hint := evalHint(dapclient.Go, tt.expression, "Unable to evaluate expression: "+tt.reason)
		if tt.want == "" {
			assert.Empty(t, hint, tt.expression)
		} else {
			assert.Contains(t, hint, tt.want, tt.expression)
		}
	}
}
