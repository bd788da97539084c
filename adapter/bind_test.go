package adapter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// lldb-dap answers for functions in its own order, and for some without an id.
func TestAnswersInNoOrder(t *testing.T) {
	id := func(n int) heldBreakpoint { return heldBreakpoint{ID: &n} }
	known, vain, fresh := &entry{hasID: true, id: 1}, &entry{asked: true}, &entry{}
	got := inOrder([]*entry{known, vain, fresh}, []heldBreakpoint{id(5), {Message: "no"}, id(1)})
	require.Equal(t, []heldBreakpoint{id(1), {Message: "no"}, id(5)}, got)
	require.Equal(t, []heldBreakpoint{id(1), id(7)}, inOrder([]*entry{known, fresh}, []heldBreakpoint{id(7), id(1)}))
}
