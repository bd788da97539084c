package mcpserver_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

var (
	campaignSeed   = flag.Uint64("campaign.seed", 0, "run the fault campaign with this seed only")
	campaignFaults = flag.String("campaign.faults", "", "of the faults of each seed only these, with commas between; "+
		"\"none\" for none")
)

// campaignVariable sets how many seeds the campaign runs, and optionally the first seed: N or N,FIRST.
const campaignVariable = "BREAKWIRE_CAMPAIGN"

// TestFaultCampaign runs a complete session for each seed, with fake adapters (daptest.Vandal) and clients that
// misbehave. In all of them every call is answered once and in time, with its own answer or a listed error; blocking
// hits are reported once each, in order; and nothing is left of the session: no goroutine, no pipe, no debuggee.
func TestFaultCampaign(t *testing.T) {
	first, count := uint64(1), uint64(2000)
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
	const together = 32 // a seed mostly waits
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
		t.Logf("again with: go test ./adapter/mcpserver -run TestFaultCampaign -campaign.seed SEED [-campaign.faults " +
			"FAULT,FAULT]")
	}
}

// seedLabel marks the goroutines of a seed, including those that they start.
const seedLabel = "campaign"

const (
	rounds   = 15 // passes of the debugged loop
	blocking = 10 // lines of it
	traced   = 11
)

// campaign is the session of one seed.
type campaign struct {
	t       *testing.T
	r       *rand.Rand
	c       *mcptest.Client
	shape   int
	vandal  *daptest.Vandal
	manager *adapter.Manager
	bp      string
	fake    *daptest.Adapter // nil: the backend was not started
	stepped bool             // then a hit may appear as a step, and the hits may be incomplete
	over    bool
	begun   []int        // calls
	gone    map[int]bool // those that the client has cancelled
}

func newCampaign(t *testing.T, seed uint64) *campaign {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(seedLabel, fmt.Sprint(seed))))
	t.Cleanup(func() { // runs last
		pprof.SetGoroutineLabels(context.Background())
		nothingRuns(t, seed)
	})
	r := rand.New(rand.NewPCG(seed, 7))
	var only []daptest.Fault
	if *campaignFaults != "" {
		for name := range strings.SplitSeq(*campaignFaults, ",") {
			only = append(only, daptest.Fault(name))
		}
	}
	c := &campaign{t: t, r: r, shape: r.IntN(len(shapes)), vandal: daptest.NewVandal(seed, only...), gone: map[int]bool{}}
	faults := fmt.Sprint(c.vandal.Faults())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d, %s, faults: %s", seed, shapes[c.shape].name,
				strings.Trim(strings.ReplaceAll(faults, " ", ","), "[]"))
			c.tell()
		}
	})
	own := *dapclient.ProfileByName(shapes[c.shape].name)
	own.Sources = nil // all shapes run the same program
	profile := &own
	open := func(context.Context, adapter.Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
		c.fake = daptest.New(t, shapes[c.shape].shape, refusing(rounds))
		return c.vandal.Between(c.fake.Stream()), nil, nil
	}
	m := adapter.NewManager(adapter.Options{Backends: adapter.BackendOptions{
		Default: "fake", Custom: map[string]adapter.Backend{"fake": {Profile: profile, Open: open}},
	}})
	c.c, c.manager = mcptest.Serve(t, m, mcpserver.Options{EndGrace: mcptest.Patience}), m
	return c
}

// tell prints what both sides of the server have seen.
func (c *campaign) tell() {
	if c.c != nil { // else the server did not answer initialize
		for _, l := range c.c.Lines() {
			c.t.Logf("%.300s", l.Raw)
		}
	}
	if c.fake != nil {
		c.t.Logf("the adapter was asked: %v", c.fake.Commands())
	}
}

// nothingRuns waits for the end of all goroutines of a seed.
func nothingRuns(t *testing.T, seed uint64) {
	var profile string
	for end := time.Now().Add(mcptest.Patience); time.Now().Before(end); <-time.After(100 * time.Millisecond) {
		var text strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&text, 1)
		if profile = text.String(); !strings.Contains(profile, fmt.Sprintf("%q:\"%d\"", seedLabel, seed)) {
			return
		}
	}
	for stack := range strings.SplitSeq(profile, "\n\n") {
		if strings.Contains(stack, fmt.Sprintf("%q:\"%d\"", seedLabel, seed)) {
			t.Errorf("still there:\n%s", stack)
		}
	}
}

func (c *campaign) run() {
	at, message := mcptest.Args{"file": source, "line": blocking}, "i is {i}"
	if shapes[c.shape].name == "netcoredbg" && c.one(2) { // always true; netcoredbg needs it rewritten
		at["condition"], message = "node == null || i >= 0", "i is {i}, {name.Length} {node.Depth}"
	}
	c.bp = c.c.Do("breakpoint_set", at).String("breakpoint.id")
	if c.one(2) {
		c.c.Do("tracepoint_set", mcptest.Args{"file": source, "line": traced, "log_message": message})
	}
	// otherwise the client leaves before the program runs
	if launch := c.begin("debug_launch", mcptest.Args{"program": program, "stop_at_entry": c.one(3),
		"timeout_ms": 5000}); !c.one(20) {
		c.await(launch, "debug_launch")
		acts := 10 + c.r.IntN(40)
		if c.one(10) {
			acts = 0 // the client does nothing
		}
		for range acts {
			if c.over {
				break
			}
			c.act()
		}
		if c.one(3) { // the client leaves while calls run
			for range 1 + c.r.IntN(3) {
				c.anything()
			}
		} else {
			c.call("debug_disconnect", nil)
		}
	}
	c.c.Close()
	c.answers()
	c.manager.Close()
	c.hits()
	c.nothingLeft()
}

func (c *campaign) one(of int) bool { return c.r.IntN(of) == 0 }

// nothingLeft checks that the session's end has released everything.
func (c *campaign) nothingLeft() {
	waitUntil(c.t, func() bool { return c.c.OpenPipes() == 0 })
	if c.fake == nil {
		return
	}
	for what, closed := range map[string]<-chan struct{}{"the adapter's input is at its end": c.vandal.Closed(),
		"the adapter has ended": c.fake.Done()} {
		select {
		case <-closed:
		case <-time.After(mcptest.Patience):
			c.t.Error(what)
		}
	}
	require.Contains(c.t, []daptest.Fate{daptest.FateNone, daptest.FateExited, daptest.FateKilled}, c.fake.Fate(),
		"what was launched is ended")
}

// bounds are the time limits of calls, whatever the debugger does, by tool, for the campaign's arguments.
var bounds = map[string]time.Duration{
	"debug_launch": 10 * time.Second, "debug_continue": 21 * time.Second, "debug_step": 21 * time.Second,
	"debug_disconnect": 5 * time.Second,
	"debug_state":      time.Second, "events_query": time.Second, "breakpoint_list": time.Second,
}

// otherwise is the time limit of all other calls.
const otherwise = 11 * time.Second

// busy is extra time for a busy machine. A call that hangs never ends.
const busy = time.Minute

func (c *campaign) begin(tool string, args mcptest.Args) int {
	c.t.Helper()
	id := c.c.BeginCall(tool, args)
	c.begun = append(c.begun, id)
	return id
}

func (c *campaign) await(id int, tool string) mcptest.Result {
	c.t.Helper()
	bound := bounds[tool]
	if bound == 0 {
		bound = otherwise
	}
	r := c.c.AwaitCallWithin(id, bound+busy)
	c.answered(r)
	return r
}

func (c *campaign) call(tool string, args mcptest.Args) mcptest.Result {
	c.t.Helper()
	return c.await(c.begin(tool, args), tool)
}

// answered checks a result, and records the end of the session.
func (c *campaign) answered(r mcptest.Result) {
	c.t.Helper()
	if !r.IsError {
		state := r.String("session.state") + r.String("state")
		c.over = c.over || state == "terminated" || state == "disconnected"
		return
	}
	code := fault.Code(r.String("error.code"))
	if code != fault.Internal || !r.Has("error.details.command") { // Internal may be a refusal by the debugger
		require.Contains(c.t, allowedCodes, code, "%s", r.Raw)
	}
	require.NotEmpty(c.t, r.String("error.message"))
	c.over = c.over || code == fault.NoSession || code == fault.BackendExited
}

// allowedCodes are the errors that a correct client may get with a debugger that misbehaves.
var allowedCodes = []fault.Code{
	fault.NoSession, fault.NotPaused, fault.NotRunning, fault.InvalidThread, fault.InvalidFrame,
	fault.BackendExited, fault.BackendBusy,
	fault.BackendStartFailed, fault.LaunchFailed, fault.Timeout, fault.Cancelled, fault.EvalFailed,
	fault.EvalTimeout, fault.NotSupported, fault.SessionStarting, fault.SyntaxError,
	fault.VariableNotFound, fault.NotCollection, fault.SnapshotNotFound, fault.BatchRunning, fault.InvalidLine,
}

// TestCampaignCodes checks that the contract lists the campaign's codes.
func TestCampaignCodes(t *testing.T) {
	contract, err := os.ReadFile("../../docs/contract.md")
	require.NoError(t, err)
	for _, code := range allowedCodes {
		require.Contains(t, string(contract), string(code))
	}
}

// longest is above the size of any line of the server: at most a thousand events, and 2 MiB of kept output, as text
// and structured content.
const longest = 8 << 20

// answers checks that each call was answered exactly once, and a cancelled one at most once.
func (c *campaign) answers() {
	count := map[int]int{}
	for _, l := range c.c.Lines() {
		require.True(c.t, json.Valid(l.Raw), "%s", l.Raw)
		require.Less(c.t, len(l.Raw), longest, "%.500s", l.Raw)
		if l.ID != nil && l.Method == "" {
			count[*l.ID]++
		}
	}
	for _, id := range c.begun {
		if c.gone[id] {
			require.LessOrEqual(c.t, count[id], 1, "call %d", id)
			continue
		}
		require.Equal(c.t, 1, count[id], "answers to call %d", id)
	}
}
