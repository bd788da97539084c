package mcpserver

import (
	"context"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/journal"
)

// visitor is a client over the library's in-process transport.
type visitor struct {
	*client.Client
	updates chan string
}

func visitorOf(t *testing.T, s *Server) *visitor {
	t.Helper()
	// the library names its sessions by a clock that Windows moves in steps
	for began := time.Now().UnixNano(); time.Now().UnixNano() == began; {
	}
	c, err := client.NewInProcessClient(s.MCP())
	require.NoError(t, err)
	v := &visitor{c, make(chan string, 100)}
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == mcp.MethodNotificationResourceUpdated {
			uri, _ := n.Params.AdditionalFields["uri"].(string)
			v.updates <- uri
		}
	})
	require.NoError(t, c.Start(t.Context()))
	t.Cleanup(func() { c.Close() })
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "visitor", Version: "1"}
	_, err = c.Initialize(t.Context(), request)
	require.NoError(t, err)
	return v
}

func (v *visitor) next(t *testing.T) string {
	t.Helper()
	select {
	case uri := <-v.updates:
		return uri
	case <-time.After(deadline):
		t.Fatal("no update")
		return ""
	}
}

// TestTwoClientsOfOneServer checks that each client gets what it subscribed to, also where the library keeps no
// subscriptions.
func TestTwoClientsOfOneServer(t *testing.T) {
	m := adapter.NewManager(adapter.Options{})
	defer m.Close()
	s := New(m, Options{})
	one, two := visitorOf(t, s), visitorOf(t, s)
	subscribe := func(v *visitor, uri string) {
		request := mcp.SubscribeRequest{}
		request.Params.URI = uri
		//lint:ignore SA1019 clients of 2025-11-25 subscribe so
		require.NoError(t, v.Subscribe(context.Background(), request))
	}
	subscribe(one, sessionOfS1)
	subscribe(two, breakpointsOfS1)
	subscribe(two, threadsOfS1)

	m.Journal().Add(fact(journal.TypeHit))
	require.Equal(t, breakpointsOfS1, two.next(t))
	m.Journal().Add(fact(journal.TypeThread))
	require.Equal(t, threadsOfS1, two.next(t))
	m.Journal().Add(fact(journal.TypeProcess))
	require.Equal(t, sessionOfS1, one.next(t))
	require.Empty(t, one.updates)
	require.Empty(t, two.updates)

	request := mcp.UnsubscribeRequest{}
	request.Params.URI = threadsOfS1
	//lint:ignore SA1019 as above
	require.NoError(t, two.Unsubscribe(context.Background(), request))
	require.NoError(t, one.Close())
	m.Journal().Add(fact(journal.TypeState))
	m.Journal().Add(fact(journal.TypeHit))
	require.Equal(t, breakpointsOfS1, two.next(t))
	require.Empty(t, one.updates)
}
