package mcpserver

import (
	"context"
	"io"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// listener is a subscriber that records the times of its updates.
type listener struct {
	mu    sync.Mutex
	wants map[string]uint64
	told  map[string][]time.Duration
	began time.Time
}

func listening(uris ...string) *listener {
	l := &listener{wants: map[string]uint64{}, told: map[string][]time.Duration{}, began: time.Now()}
	for _, uri := range uris {
		l.wants[uri] = 0
	}
	return l
}

func (l *listener) Subscriptions() map[string]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.wants)
}

func (l *listener) Updated(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told[uri] = append(l.told[uri], time.Since(l.began))
}

func (l *listener) drop(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.wants, uri)
}

func (l *listener) times(uri string) []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told[uri]
}

func fact(kind string) journal.Entry { return journal.Entry{Session: "s1", Type: kind} }

// inBubble runs a test of the pump in fake time, without sessions: the URIs name a session.
func inBubble(t *testing.T, test func(t *testing.T, p *pump, j *journal.Journal)) {
	synctest.Test(t, func(t *testing.T) {
		m := adapter.NewManager(adapter.Options{})
		defer m.Close()
		test(t, newPump(m), m.Journal())
	})
}

const (
	sessionOfS1     = "debugger://sessions/s1/session"
	breakpointsOfS1 = "debugger://sessions/s1/breakpoints"
	threadsOfS1     = "debugger://sessions/s1/threads"
	outputOfS1      = "debugger://sessions/s1/output"
	eventsOfS1      = "debugger://sessions/s1/events"
)

func TestPumpAtOnceThenInIntervals(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pump, j *journal.Journal) {
		l := listening(sessionOfS1, breakpointsOfS1)
		p.attach(l)
		defer p.detach(l)
		for range 1000 { // steps, 1 ms each
			j.Add(fact(journal.TypeState))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		ms := time.Millisecond
		require.Equal(t, []time.Duration{0, 250 * ms, 500 * ms, 750 * ms, 1000 * ms}, l.times(sessionOfS1))
		require.Empty(t, l.times(breakpointsOfS1))
	})
}

// The session that a URI without a session means may end when it is subscribed to, before the pump has refreshed.
func TestPumpKnowsWhatAShortURIMeant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, open := daptest.Gate()
		program :=
			daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(daptest.Step{File: "/src/a.cs", Line: 1,
				Gate: gate})}}}
		m := adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{Default: "fake",
			Custom: map[string]adapter.Backend{"fake": {
				Profile: dapclient.ProfileByName("netcoredbg"),
				Open: func(context.Context, adapter.Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
					return daptest.New(t, daptest.Netcoredbg(), program).Stream(), nil, nil
				},
			}}}})
		defer m.Close()
		defer open()
		var first *adapter.Session
		for range 2 {
			s, err := m.Launch(t.Context(), "",
				adapter.LaunchParams{LaunchRequest: adapter.LaunchRequest{Program: "/x"}, Timeout: time.Minute})
			require.NoError(t, err)
			if first == nil {
				first = s
			}
		}
		l := listening()
		p := newPump(m)
		p.attach(l)
		defer p.detach(l)
		synctest.Wait()
		l.mu.Lock()
		l.wants["debugger://session"] = m.Journal().LastSeq()
		l.mu.Unlock()
		_, err := first.Disconnect(t.Context(), nil)
		require.NoError(t, err)
		p.wake()
		time.Sleep(time.Second)
		require.Len(t, l.times("debugger://session"), 1)
	})
}

func TestPumpUnderAStorm(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pump, j *journal.Journal) {
		l := listening(breakpointsOfS1, sessionOfS1, outputOfS1)
		p.attach(l)
		defer p.detach(l)
		for i := range 10_000 { // 10 s
			for range 20 {
				j.Add(journal.Entry{Session: "s1", Class: journal.Trace, Type: journal.TypeTracepoint, Size: 100})
			}
			if i == 5_000 {
				j.Add(fact(journal.TypeState))
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		told := l.times(breakpointsOfS1)
		require.Len(t, told, 41)
		for i, at := range told {
			require.Equal(t, time.Duration(i)*updateInterval, at)
		}
		require.Equal(t, []time.Duration{5 * time.Second}, l.times(sessionOfS1), "a storm holds nothing else up")
		require.Empty(t, l.times(outputOfS1))
	})
}

func TestPumpKnowsWhatChanges(t *testing.T) {
	for kind, want := range map[string][]string{
		journal.TypeState:      {sessionOfS1, threadsOfS1, eventsOfS1},
		journal.TypeHit:        {breakpointsOfS1, eventsOfS1},
		journal.TypeTracepoint: {breakpointsOfS1, eventsOfS1},
		journal.TypeBreakpoint: {breakpointsOfS1, eventsOfS1},
		journal.TypeThread:     {threadsOfS1, eventsOfS1},
		journal.TypeOutput:     {outputOfS1, eventsOfS1},
		journal.TypeProcess:    {sessionOfS1, eventsOfS1},
		journal.TypeStop:       {eventsOfS1},
	} {
		t.Run(kind, func(t *testing.T) {
			inBubble(t, func(t *testing.T, p *pump, j *journal.Journal) {
				l := listening(sessionOfS1, breakpointsOfS1, threadsOfS1, outputOfS1, eventsOfS1, "foo://bar",
					"debugger://source/a")
				p.attach(l)
				defer p.detach(l)
				j.Add(journal.Entry{Session: "s2", Type: kind}) // of another session
				j.Add(fact(kind))
				time.Sleep(time.Second)
				var told []string
				for uri := range l.wants {
					if times := l.times(uri); len(times) > 0 {
						require.Len(t, times, 1)
						told = append(told, uri)
					}
				}
				require.ElementsMatch(t, want, told)
			})
		})
	}
}

func TestPumpStartsAtTheSubscription(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pump, j *journal.Journal) {
		seq := j.Add(fact(journal.TypeState))
		early, late := listening(sessionOfS1), listening()
		p.attach(early)
		p.attach(late)
		defer p.detach(late)
		time.Sleep(time.Second)
		late.mu.Lock()
		late.wants[sessionOfS1] = seq // the seq at which the subscription's answer was written
		late.mu.Unlock()
		p.wake()
		time.Sleep(time.Second)
		require.Len(t, early.times(sessionOfS1), 1)
		require.Empty(t, late.times(sessionOfS1), "that was before")
		j.Add(fact(journal.TypeState))
		synctest.Wait()
		require.Len(t, early.times(sessionOfS1), 2)
		require.Len(t, late.times(sessionOfS1), 1)

		early.drop(sessionOfS1)
		j.Add(fact(journal.TypeState))
		p.detach(early)
		time.Sleep(time.Second)
		require.Len(t, early.times(sessionOfS1), 2, "it has unsubscribed")
		require.Len(t, late.times(sessionOfS1), 2)
	})
}

// hasty is a listener that subscribes, and sees a change, just after its subscriptions were read for the nth time.
type hasty struct {
	*listener
	after int
	then  func()
}

func (h *hasty) Subscriptions() map[string]uint64 {
	wants := h.listener.Subscriptions()
	if h.after--; h.after == 0 {
		h.then()
	}
	return wants
}

// The pump reads the subscriptions, then the journal; a subscription and its first change may come in between.
func TestPumpReadsAgainForASubscriptionInBetween(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pump, j *journal.Journal) {
		other := listening(breakpointsOfS1, sessionOfS1)
		h := &hasty{listener: listening(outputOfS1), after: 3}
		h.then = func() {
			h.mu.Lock()
			h.wants[breakpointsOfS1] = j.LastSeq()
			h.mu.Unlock()
			j.Add(fact(journal.TypeHit))
			p.wake()
		}
		p.attach(other)
		defer p.detach(other)
		p.attach(h)
		defer p.detach(h)
		synctest.Wait()
		for range 3 {
			j.Add(fact(journal.TypeState))
			time.Sleep(time.Second)
		}
		require.Len(t, h.times(breakpointsOfS1), 1)
		require.Len(t, other.times(breakpointsOfS1), 1, "for the others the same entry is no second change")
		require.Len(t, other.times(sessionOfS1), 3)
	})
}

// TestPumpOfNobody checks that without clients there is no goroutine; the bubble and goleak would find it.
func TestPumpWithoutClients(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pump, j *journal.Journal) {
		l := listening()
		p.attach(l)
		synctest.Wait()
		j.Add(fact(journal.TypeState))
		p.detach(l)
		p.attach(l)
		p.detach(l)
		require.Empty(t, l.times(sessionOfS1))
	})
}
