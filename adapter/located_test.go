package adapter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// CodeLLDB says of every breakpoint that it is verified; the number of locations in its message decides.
func TestLocated(t *testing.T) {
	for _, test := range []struct {
		name, backend, message, wantMessage string
		verified                            bool
	}{
		{"no location", "codelldb", "Resolved locations: 0", "", false},
		{"some", "codelldb", "Resolved locations: 12", "", true},
		{"another message", "codelldb", "Invalid condition", "Invalid condition", true},
		{"another debugger", "lldb-dap", "Resolved locations: 0", "Resolved locations: 0", true},
	} {
		b := located(dapclient.ProfileByName(test.backend), heldBreakpoint{Verified: true, Message: test.message})
		require.Equal(t, test.verified, b.Verified, test.name)
		require.Equal(t, test.wantMessage, b.Message, test.name)
	}
}
