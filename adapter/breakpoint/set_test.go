package breakpoint

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// lldb-dap answers for functions in its own order, and for some without an id.
func TestAnswersInNoOrder(t *testing.T) {
	id := func(n int) Answer { return Answer{ID: &n} }
	known, vain, fresh := &Entry{HasID: true, ID: 1}, &Entry{Asked: true}, &Entry{}
	got := inOrder([]*Entry{known, vain, fresh}, []Answer{id(5), {Message: "no"}, id(1)})
	require.Equal(t, []Answer{id(1), {Message: "no"}, id(5)}, got)
	require.Equal(t, []Answer{id(1), id(7)}, inOrder([]*Entry{known, fresh}, []Answer{id(7), id(1)}))
}

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
		b := located(dapclient.ProfileByName(test.backend), Answer{Verified: true, Message: test.message})
		require.Equal(t, test.verified, b.Verified, test.name)
		require.Equal(t, test.wantMessage, b.Message, test.name)
	}
}
