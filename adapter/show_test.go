package adapter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"breakwire/adapter/journal"
	"breakwire/dapclient"
)

// A stop handles each of many threads once.
func TestStopOfManyThreads(t *testing.T) {
	m := NewManager(Options{})
	defer m.Close()
	s := newSession(m, "s1", &Backend{Profile: &dapclient.Profile{}}, origin{}, Snapshot{})
	s.public.threads = make([]Thread, 1000)
	published := s.public.threads
	allocs := testing.AllocsPerRun(1, func() {
		s.makeVisible(&Stop{ThreadID: 1}, func(uint64, time.Time) []journal.Entry { return nil })
	})
	assert.Less(t, allocs, 100.0)
	assert.Equal(t, "stopped", s.public.threads[999].State)
	assert.Empty(t, published[999].State, "what was published stays as it was")
}
