package dapclient

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	conn, err := Dial(t.Context(), l.Addr().String())
	require.NoError(t, err)
	assert.NoError(t, conn.Close())
}

// closedPort is an address where no process listens any more.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	l.Close()
	return addr
}

func TestDialTriesAgain(t *testing.T) {
	addr := closedPort(t)
	began := time.Now()
	_, err := Dial(t.Context(), addr)
	require.ErrorContains(t, err, "connect to debug adapter")
	var op *net.OpError
	require.ErrorAs(t, err, &op)
	assert.GreaterOrEqual(t, time.Since(began), dialPauses[0]+dialPauses[1])
}

func TestDialContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client has gone")
	time.AfterFunc(dialPauses[0]/2, func() { cancel(gone) })
	_, err := Dial(ctx, closedPort(t))
	assert.ErrorIs(t, err, gone)

	_, err = Dial(ctx, closedPort(t))
	assert.ErrorIs(t, err, gone, "cancelled before")
}
