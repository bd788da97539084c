package adapter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// A message that is posted during the session's last action is handled too, because its sender waits.
func TestPostedBeforeTheInboxCloses(t *testing.T) {
	for range 100 {
		s := &Session{inbox: dapclient.NewQueue[input](), life: life{ended: make(chan struct{})}}
		done := false
		s.post(func() {
			require.True(t, s.post(func() { done = true }))
			s.inbox.Close()
			close(s.life.ended)
		})
		s.run()
		require.True(t, done)
		require.False(t, s.post(func() {}))
	}
}
