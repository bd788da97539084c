package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

var campaignSeed = flag.Uint64("campaign.seed", 0, "run the fault campaign with this seed only")

// campaignVariable holds how many seeds the campaign runs, and optionally from which one on: N or N,FIRST.
const campaignVariable = "BREAKWIRE_CAMPAIGN"

// TestFaultCampaign runs whole sessions, each by a seed, on fake adapters that misbehave and with a client that does. Whatever happens: every call is
// answered, by an answer of its own or an error from the list; blocking hits are told once each, in order; nothing
// hangs, and nothing is left running.
func TestFaultCampaign(t *testing.T) {
	first, count := uint64(1), uint64(400)
	if testing.Short() || raceEnabled {
		count = 100
	}
	if text := os.Getenv(campaignVariable); text != "" {
		n, from, _ := strings.Cut(text, ",")
		var err error
		count, err = strconv.ParseUint(n, 10, 64)
		require.NoError(t, err, campaignVariable)
		if from != "" {
			first, err = strconv.ParseUint(from, 10, 64)
			require.NoError(t, err, campaignVariable)
		}
	}
	if *campaignSeed != 0 {
		first, count = *campaignSeed, 1
	}
	const together = 16
	seeds := make(chan uint64)
	var wg sync.WaitGroup
	for range together {
		wg.Go(func() {
			for seed := range seeds {
				t.Run(fmt.Sprint(seed), func(t *testing.T) { newCampaign(t, seed).run() })
			}
		})
	}
	for seed := first; seed < first+count && !t.Failed(); seed++ {
		seeds <- seed
	}
	close(seeds)
	wg.Wait()
	if t.Failed() {
		t.Logf("again with: go test ./adapter/mcpserver -run TestFaultCampaign -campaign.seed SEED")
	}
}

const (
	rounds   = 15 // of the debugged loop
	blocking = 10 // lines of it
	traced   = 11
)

// campaign is the session of one seed.
type campaign struct {
	t       *testing.T
	r       *rand.Rand
	c       *mcptest.Client
	shape   int
	vandal  *vandal
	manager *adapter.Manager
	bp      string
	stepped bool // then a hit may be seen as a step, and hits do not count to the end
	deaf    bool // the client stopped reading for a while
	over    bool
}

func newCampaign(t *testing.T, seed uint64) *campaign {
	r := rand.New(rand.NewPCG(seed, 7))
	c := &campaign{t: t, r: r, shape: r.IntN(len(shapes))}
	c.vandal = newVandal(rand.New(rand.NewPCG(seed, 8)))
	profile := dapclient.ProfileByName(shapes[c.shape].name)
	open := func(context.Context, *slog.Logger) (io.ReadWriteCloser, *dapclient.Process, error) {
		return c.vandal.between(daptest.New(t, shapes[c.shape].shape, loop(rounds)).Stream()), nil, nil
	}
	m := adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{
		Default: "fake", Custom: map[string]adapter.Backend{"fake": {Profile: profile, Open: open}},
	}})
	c.c, c.manager = mcptest.Serve(t, m, mcpserver.Options{}), m
	return c
}

func (c *campaign) run() {
	c.bp = c.c.Do("breakpoint_set", mcptest.Args{"file": source, "line": blocking}).String("breakpoint.id")
	if c.one(2) {
		c.c.Do("tracepoint_set", mcptest.Args{"file": source, "line": traced, "log_message": "i is {i}"})
	}
	c.call("debug_launch", mcptest.Args{"program": program, "stop_at_entry": c.one(3)})
	for range 10 + c.r.IntN(40) {
		if c.over {
			break
		}
		c.act()
	}
	c.c.PauseReading(false)
	if c.one(3) { // the client leaves in the middle of things
		c.c.BeginCall("breakpoint_wait", nil)
		c.c.BeginCall("evaluate", mcptest.Args{"expression": "i"})
	} else {
		c.call("debug_disconnect", nil)
	}
	c.c.Close()
	c.manager.Close()
	c.hits()
	require.Eventually(c.t, c.vandal.closed.Load, mcptest.Patience, time.Millisecond, "the adapter's input is at its end, so that it ends the program")
}

func (c *campaign) one(of int) bool { return c.r.IntN(of) == 0 }

// act does something that a client may do.
func (c *campaign) act() {
	switch c.r.IntN(16) {
	case 0, 1, 2, 3:
		c.call("debug_continue", mcptest.Args{"wait": true, "timeout_ms": 5000})
	case 4:
		c.call("debug_continue", nil)
		c.call("breakpoint_wait", mcptest.Args{"timeout_ms": 5000})
	case 5, 6:
		c.evaluate()
	case 7:
		c.call("stacktrace_get", nil)
	case 8:
		c.call("variables_get", nil)
	case 9:
		c.stepped = true
		c.call("debug_step", mcptest.Args{"mode": []string{"over", "in", "out"}[c.r.IntN(3)], "timeout_ms": 5000})
	case 10:
		c.call("debug_pause", nil)
	case 11:
		c.call("threads_list", nil)
	case 12: // several at once, one of them cancelled
		tools := []string{"stacktrace_get", "variables_get", "debug_state", "threads_list", "events_query"}
		var ids []int
		for range 2 + c.r.IntN(4) {
			ids = append(ids, c.c.BeginCall(tools[c.r.IntN(len(tools))], nil))
		}
		gone := c.c.BeginCall("breakpoint_wait", nil)
		c.c.Notify("notifications/cancelled", map[string]any{"requestId": gone})
		for _, id := range ids {
			c.answered(c.c.AwaitCall(id))
		}
	case 13: // nonsense
		c.c.Send([]string{`{"jsonrpc":`, `[]`, `{"jsonrpc":"2.0","id":"x","method":"nosuch"}`, "\x00\xff", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77777}}`,
			`{"jsonrpc":"2.0","id":"y","method":"tools/call","params":{"name":"debug_step","arguments":[1]}}`}[c.r.IntN(6)])
	case 14: // slow
		c.deaf = true
		c.c.PauseReading(true)
		c.c.BeginCall("debug_state", nil)
		c.c.PauseReading(false)
	case 15:
		c.call("events_query", mcptest.Args{"limit": 1000})
	}
}

func (c *campaign) call(tool string, args mcptest.Args) mcptest.Result {
	c.t.Helper()
	r := c.c.Call(tool, args)
	c.answered(r)
	return r
}

// answered checks a result, and notices the end of the session.
func (c *campaign) answered(r mcptest.Result) {
	c.t.Helper()
	if !r.IsError {
		state := r.String("session.state") + r.String("state")
		c.over = c.over || state == "terminated" || state == "disconnected"
		return
	}
	code := adapter.Code(r.String("error.code"))
	require.Contains(c.t, allowedCodes, code, "%s", r.Raw)
	require.NotEmpty(c.t, r.String("error.message"))
	c.over = c.over || code == adapter.NoSession || code == adapter.BackendExited
}

// allowedCodes are those that a client which does nothing wrong may get from a debugger that does everything wrong.
var allowedCodes = []adapter.Code{
	adapter.NoSession, adapter.NotPaused, adapter.NotRunning, adapter.InvalidThread, adapter.InvalidFrame, adapter.BackendExited, adapter.BackendBusy,
	adapter.BackendStartFailed, adapter.LaunchFailed, adapter.Timeout, adapter.Cancelled, adapter.EvalFailed, adapter.EvalTimeout, adapter.NotSupported, adapter.SessionStarting, adapter.SyntaxError,
	adapter.VariableNotFound,
}

// evaluate asks several questions at once, whose answers cannot be mistaken for one another.
func (c *campaign) evaluate() {
	c.t.Helper()
	ids := map[int]int{}
	for n := range 1 + c.r.IntN(4) {
		base := 1000 * (n + 1)
		ids[c.c.BeginCall("evaluate", mcptest.Args{"expression": fmt.Sprintf("i + %d", base)})] = base
	}
	for id, base := range ids {
		r := c.c.AwaitCall(id)
		c.answered(r)
		if !r.IsError {
			value, err := strconv.Atoi(r.String("value"))
			require.NoError(c.t, err, "%s", r.Raw)
			require.True(c.t, value >= base && value <= base+rounds, "the answer to another question: %d for i + %d", value, base)
		}
	}
}

// hits checks what was told of the blocking breakpoint.
func (c *campaign) hits() {
	count, last, exited := 0, 0, false
	for _, l := range c.c.Lines() {
		var p struct {
			Seq, HitCount int
			BreakpointID  string
			NewState      string
			ExitCode      *int
			Missed        int
		}
		switch l.Method {
		case "debugger/breakpointHit", "debugger/sessionStateChanged":
			require.NoError(c.t, json.Unmarshal(l.Params, &p))
			require.Zero(c.t, p.Missed)
			require.Greater(c.t, p.Seq, last, "in order")
			last = p.Seq
		}
		if l.Method == "debugger/breakpointHit" && p.BreakpointID == c.bp {
			count++
			require.Equal(c.t, count, p.HitCount, "each hit once")
		}
		exited = exited || p.NewState == "terminated" && p.ExitCode != nil
	}
	if exited && !c.stepped {
		require.Equal(c.t, rounds, count, "no hit is lost")
	}
	require.LessOrEqual(c.t, count, rounds)
}

// vandal spoils what an adapter sends, by chance. It breaks no promise of the protocol that a client has to rely on: what it adds is
// noise, what it delays are bytes, and when it ends the connection it stays ended.
type vandal struct {
	r                                            *rand.Rand
	split, noise, lies, twice, flood, delay, hog bool
	cut                                          int // messages until the end, 0 for none
	closed                                       atomic.Bool
}

func newVandal(r *rand.Rand) *vandal {
	v := &vandal{r: r}
	for _, fault := range []*bool{&v.split, &v.noise, &v.lies, &v.twice, &v.flood, &v.delay, &v.hog} {
		*fault = r.IntN(3) == 0
	}
	if r.IntN(3) == 0 {
		v.cut = 1 + r.IntN(80)
	}
	return v
}

// spoiled is the stream between.
type spoiled struct {
	io.ReadWriteCloser // the adapter
	v                  *vandal
	in                 *bufio.Reader
	ready              []byte
	messages           int
	answers            [][]byte // given already
}

func (v *vandal) between(stream io.ReadWriteCloser) io.ReadWriteCloser {
	return &spoiled{ReadWriteCloser: stream, v: v, in: bufio.NewReader(stream)}
}

// Close is the end of the adapter's input.
func (s *spoiled) Close() error {
	s.v.closed.Store(true)
	return s.ReadWriteCloser.Close()
}

// Read is called by the one reader of a connection.
func (s *spoiled) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := len(s.ready)
	if s.v.split {
		n = 1 + s.v.r.IntN(n)
	}
	n = copy(p, s.ready[:n])
	s.ready = s.ready[n:]
	return n, nil
}

func (s *spoiled) next() error {
	raw, err := dapclient.ReadFrame(s.in, 0)
	if err != nil {
		return err
	}
	s.messages++
	frame := dapclient.AppendFrame(nil, raw)
	if s.v.cut > 0 && s.messages >= s.v.cut {
		_ = s.ReadWriteCloser.Close()
		if s.messages > s.v.cut {
			return io.EOF
		}
		s.ready = append(s.ready, frame[:s.v.r.IntN(len(frame)+1)]...)
		return nil
	}
	if s.v.delay && s.v.r.IntN(8) == 0 {
		<-time.After(time.Duration(s.v.r.IntN(2000)) * time.Microsecond)
	}
	s.spoil(s.before())
	s.ready = append(s.ready, frame...)
	if strings.Contains(string(raw), `"type":"response"`) {
		s.answers = append(s.answers, frame)
	}
	return nil
}

func (s *spoiled) spoil(frames ...[]byte) {
	for _, f := range frames {
		s.ready = append(s.ready, f...)
	}
}

// before is what comes in front of a message.
func (s *spoiled) before() (out []byte) {
	add := func(body string) { out = dapclient.AppendFrame(out, []byte(body)) }
	chance := func(on bool) bool { return on && s.v.r.IntN(6) == 0 }
	if chance(s.v.noise) {
		switch s.v.r.IntN(6) {
		case 0:
			out = append(out, "a line that is no header\r\n"...)
		case 1:
			add("this is no JSON")
		case 2:
			add(`[1,2,3]`)
		case 3:
			add(`{"seq":1,"type":"event","event":"com.example/unheard","body":{"a":[{}]}}`)
		case 4:
			add(`{"seq":"77","type":"mystery"}`)
		case 5:
			add(`{"seq":5,"type":"event","event":"output","body":null}`)
		}
	}
	if chance(s.v.lies) { // answers to questions that nobody has asked
		seq := []string{"0", "-1", "999999", `"abc"`, "null", "1.5"}[s.v.r.IntN(6)]
		add(fmt.Sprintf(`{"seq":3,"type":"response","request_seq":%s,"command":"evaluate","success":true,"body":{"result":"666","variablesReference":0}}`, seq))
	}
	if chance(s.v.twice) && len(s.answers) > 0 {
		out = append(out, s.answers[s.v.r.IntN(len(s.answers))]...)
	}
	if chance(s.v.flood) {
		for range 200 {
			add(`{"seq":9,"type":"event","event":"output","body":{"category":"stdout","output":"` + strings.Repeat("x", 100) + `\n"}}`)
		}
	}
	if chance(s.v.hog) {
		add(`{"seq":9,"type":"event","event":"output","body":{"category":"console","output":"` + strings.Repeat("y", 1<<18) + `"}}`)
	}
	return out
}
