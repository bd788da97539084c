package golang_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/golang"
)

const locking = `package shop

func transfer(from, to *account, list []account) {
	from.mu.Lock()
	defer from.mu.Unlock()
	if to == nil {
		from.mu.Unlock()
		return
	}
	to.mu.Lock() // at to
	count.RLock()
	count.RUnlock()
	list[0].mu.Lock()
	work() // at work
	go func() {
		other.Lock()
		work() // at literal
	}()
	to.mu.Unlock()
	work() // at end
}

func (b *Bank[T]) audit() {
	b.Lock()
	switch {
	case b.closed:
		b.Unlock()
		panic("closed")
	}
	b.check() // at check
}
`

func TestHeld(t *testing.T) {
	for _, row := range []struct {
		at, function string
		held         []string
	}{
		{"at to", "shop.transfer", []string{"from.mu"}},
		{"at work", "shop.transfer", []string{"from.mu", "to.mu"}},
		{"at literal", "shop.transfer", []string{"other"}},
		{"at end", "shop.transfer", []string{"from.mu"}},
		{"at check", "shop.(*Bank).audit", []string{"b"}},
	} {
		before, _, found := strings.Cut(locking, row.at)
		require.True(t, found)
		line := strings.Count(before, "\n") + 1
		require.Equal(t, row.held, golang.Held([]byte(locking), line), row.at)
		require.Equal(t, row.function, golang.FunctionAt([]byte(locking), line), row.at)
	}
	require.Empty(t, golang.Held([]byte(locking), 1), "outside of functions")
	require.Empty(t, golang.Held([]byte("no Go {"), 1))
}
