package adapter

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A session must not keep the context of each stop until its end.
func TestEpochKeepsNoContext(t *testing.T) {
	var r reads
	r.admit(t.Context(), 1)
	ctx, _, end, ok := r.begin(context.Background())
	require.True(t, ok)
	first := r.ctx
	end()
	r.close(func() {})
	r.admit(t.Context(), 2)
	require.Error(t, first.Err())
	require.ErrorIs(t, context.Cause(ctx), context.Canceled)
	require.NoError(t, r.ctx.Err())
}
