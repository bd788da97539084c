package dapclient_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// What is open when a thread event comes is known in the order of the wire.
func TestThreadEventDuringCall(t *testing.T) {
	for command, want := range map[string]bool{"evaluate": true, "variables": true, "stackTrace": false} {
		fake := daptest.New(t, daptest.Netcoredbg(), daptest.Program{})
		gate, open := daptest.Gate()
		fake.OnRequest(command, func(*dapclient.Message) daptest.Action { return daptest.Hold(gate) })
		seen := make(chan bool, 2)
		conn := dapclient.NewConn(fake.Stream(), dapclient.Options{OnEvent: func(m *dapclient.Message) {
			if m.Name == "thread" {
				seen <- m.DuringCall
			}
		}})
		answered := make(chan struct{})
		_, err := conn.Send(dapclient.Request{Command: command, Args: map[string]any{"threadId": 1, "variablesReference": 1},
			Done: func(*dapclient.Message, error) { close(answered) }})
		require.NoError(t, err)
		fake.WaitFor(command)
		fake.Event("thread", `{"reason":"started","threadId":5}`)
		require.Equal(t, want, <-seen, command)
		open()
		<-answered
		fake.Event("thread", `{"reason":"started","threadId":6}`)
		require.False(t, <-seen, command)
		conn.Close()
	}
}
