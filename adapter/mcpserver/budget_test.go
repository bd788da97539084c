package mcpserver

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
)

// turns collects the calls that may run, in order.
type turns struct{ names []string }

// start claims for a new call of an account, and records it when it may run.
func (o *turns) start(a *account, name string, want claim) *hold {
	h := &hold{account: a}
	note := func(ok bool) {
		if !ok {
			name = "no " + name
		}
		o.names = append(o.names, name)
	}
	if h.start(want, note) {
		note(true)
	}
	return h
}

func TestBudgetIsFirstComeFirstServed(t *testing.T) {
	a := newBudget(10 << 20).open(1)
	var got turns
	first := got.start(a, "first", building)
	second := got.start(a, "second", building)
	small := got.start(a, "small", waiting)
	require.Equal(t, []string{"first"}, got.names, "8 of 10 MiB are held: also what would fit waits for its turn")
	first.settle(3 << 20)
	require.Equal(t, []string{"first"}, got.names)
	first.settle(1 << 20)
	require.Equal(t, []string{"first", "second", "small"}, got.names)
	for _, h := range []*hold{first, second, small} {
		h.release()
	}
	require.Equal(t, account{budget: a.budget, maxRequests: 1, builds: a.builds, starts: a.starts}, *a)
	require.Zero(t, a.budget.used)
}

// A client that holds everything leaves every other client one call at a time.
func TestBudgetStarvesNobody(t *testing.T) {
	b := newBudget(16 << 20)
	greedy, modest := b.open(1), b.open(1)
	var got turns
	for range 5 {
		got.start(greedy, "greedy", building)
	}
	held := got.start(modest, "wait", waiting)
	first := got.start(modest, "modest", building)
	got.start(modest, "again", building)
	require.Equal(t, []string{"greedy", "greedy", "wait", "modest"}, got.names)
	first.release()
	require.Equal(t, []string{"greedy", "greedy", "wait", "modest", "again"}, got.names,
		"before the older ones of who holds more")
	held.release()
}

// Started calls that all want to build cannot block each other.
func TestBudgetAlwaysGoesOn(t *testing.T) {
	a := newBudget(64 << 10).open(1)
	var started []*hold
	for range 4 {
		h := &hold{account: a}
		require.True(t, h.start(waiting, nil))
		started = append(started, h)
	}
	built := make(chan *hold, len(started))
	for _, h := range started {
		go func() {
			if h.await(context.Background(), building) == nil {
				built <- h
			}
		}()
	}
	for range started {
		h := await(t, built)
		h.settle(100)
		h.release()
	}
}

func TestBudgetWithdrawAndClose(t *testing.T) {
	a := newBudget(8 << 20).open(1)
	var got turns
	first := got.start(a, "first", building)
	second := got.start(a, "second", building)
	got.start(a, "third", building)
	require.True(t, second.withdrawStart())
	require.False(t, second.withdrawStart())
	require.False(t, first.withdrawStart(), "it has started")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h := &hold{account: a}
	require.ErrorIs(t, h.await(ctx, waiting), context.Canceled)
	a.close()
	require.Equal(t, []string{"first", "no third"}, got.names)
	got.start(a, "late", waiting)
	require.Equal(t, "no late", got.names[2])
	require.ErrorIs(t, h.await(context.Background(), waiting), errClosing)
	first.release()
	require.Zero(t, a.used)
}

func TestBudgetOfRequests(t *testing.T) {
	a := newBudget(1).open(1 << 20)
	h, other := &hold{account: a}, &hold{account: a}
	require.True(t, h.take(60<<10))
	require.True(t, other.take(2<<20), "one that is large passes beside ordinary traffic")
	require.False(t, h.take(1))
	other.release()
	require.True(t, h.take(1))
	h.give()
	require.Zero(t, a.requests)
}

// The estimate before an answer is built is at least its size on the wire.
func TestWireBytes(t *testing.T) {
	for _, text := range []string{"", "plain", `"quotes" and \ and \"`, "\x00\x01\n\r\t", "<a href=\"x\">&amp;</a>",
		"\u2028é😀\xff"} {
		raw, err := successJSON(map[string]string{"text": text})
		require.NoError(t, err)
		require.GreaterOrEqual(t, wireBytes(raw), 2*len(raw))
		encoded, err := jsonrpc.Marshal(text)
		require.NoError(t, err)
		require.GreaterOrEqual(t, textBytes(text)+2, len(encoded), "%q", text)
	}
}

func TestAppetitesNameTools(t *testing.T) {
	for name := range appetites() {
		require.NotEmpty(t, outputs()[name], name)
	}
	e := tooLarge("events_query", 5<<20)
	assert.Equal(t, fault.AnswerTooLarge, e.Code)
	assert.True(t, strings.HasSuffix(e.Message, appetites()["events_query"].less))
}
