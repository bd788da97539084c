package main

import (
	"bufio"
	"errors"
	"strings"
	"testing"
)

func TestMedianAndSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		median float64
		spread string
	}{
		{nil, 0, "-"},
		{[]float64{3}, 3, "3.00"},
		{[]float64{3, 1, 2}, 2, "2.00 (1.00 - 3.00)"},
		{[]float64{40, 1, 200, 20}, 30, "30.0 (1.00 - 200)"},
	} {
		if got := median(c.values); got != c.median {
			t.Errorf("median of %v: %v, want %v", c.values, got, c.median)
		}
		if got := spread(c.values); got != c.spread {
			t.Errorf("spread of %v: %q, want %q", c.values, got, c.spread)
		}
	}
}

func TestResidentOf(t *testing.T) {
	if got := residentOf("Name:\tx\nVmRSS:\t    8912 kB\nThreads:\t3\n"); got != 8912 {
		t.Error(got)
	}
	if got := residentOf("Name:\tx\n"); got != 0 {
		t.Error(got)
	}
}

func TestNewStop(t *testing.T) {
	const stop = `"stopReason":"breakpoint","lastStop":{"reason":"breakpoint","threadId":1,"timestamp":1000}}`
	for _, c := range []struct {
		name, stack string
		since       int64
		want        bool
	}{
		{"a stop", `{"stackFrames":[{"id":1}],` + stop, 1000, true},
		{"the old stop", `{"stackFrames":[{"id":1}],` + stop, 1001, false},
		{"no frames yet", `{"stackFrames":[],` + stop, 1000, false},
		{"never stopped", `{"stackFrames":[{"id":1}]}`, 0, false},
	} {
		if got := newStop(c.stack, c.since); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestToolText(t *testing.T) {
	text, failed, err := toolText([]byte(`{"isError":true,"content":[{"type":"text","text":"a"},{"type":"text",` +
		`"text":"b"}]}`))
	if text != "a\nb" || !failed || err != nil {
		t.Errorf("%q %v %v", text, failed, err)
	}
}

func TestFields(t *testing.T) {
	if got, err := field(`{"value":"4","n":7}`, nil, "n"); got != "7" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if _, err := field(`no object`, nil, "n"); err == nil {
		t.Error("no object is no failure")
	}
	if got, err := number(variablesNumber, "Locals (ref: 12, expensive: false)"); got != 12 || err != nil {
		t.Errorf("%d %v", got, err)
	}
	if _, err := number(frameNumber, "nothing"); err == nil {
		t.Error("no number is no failure")
	}
}

func TestReadFrame(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("Content-Length: 35\r\n\r\n" + `{"type":"event","event":"stopped" }` +
		"Content-Length: x\r\n\r\n"))
	if m, err := readFrame(r); m.Event != "stopped" || err != nil {
		t.Errorf("%+v %v", m, err)
	}
	if _, err := readFrame(r); err == nil {
		t.Error("a length that is none is no failure")
	}
}

// Cycles with a look are timed separately from those without.
func TestTimed(t *testing.T) {
	var f figures
	took := 0.0
	next := func() (float64, error) { took++; return took, nil }
	look := func() (float64, error) { return 10, nil }
	if err := timed(&f, options{cycles: 3, looks: 1}, next, look); err != nil {
		t.Fatal(err)
	}
	if f.cycle != 2 || f.look != 10 || f.both != 14 {
		t.Errorf("%+v", f)
	}
	broken := errors.New("broken")
	if err := timed(&f, options{cycles: 1}, func() (float64, error) { return 0, broken }, look); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestTable(t *testing.T) {
	one := &row{
		subject: &subject{name: "one"}, program: &program{debug: &debugger{name: "dlv"}}, starts: []float64{5, 7, 6},
		tools: 1, listed: 100, resident: 2048, planned: 2,
		sessions: []figures{
			{launch: 30, floorLaunch: 20, cycle: 4, floorCycle: 2, look: 6, floorLook: 2, both: 9, floor: 3,
				launchCalls: 2, launchBytes: 50, cycleCalls: 1, cycleBytes: 9, inSession: 3, inSessionBytes: 300},
			{launch: 40, floorLaunch: 20, cycle: 6, floorCycle: 2, look: 8, floorLook: 2, both: 12, floor: 3,
				launchCalls: 2, launchBytes: 50, cycleCalls: 2.5, cycleBytes: 9, inSession: 3, inSessionBytes: 300},
		},
	}
	none := &row{subject: &subject{name: "none"}, program: one.program, planned: 1, failed: 1}
	got := table([]*row{one, none})
	for _, want := range []string{
		"| one | 6.00 (5.00 - 7.00) | 1; 100 (in a session 3; 300) | 2.0 |",
		"| one, dlv | 35.0 (30.0 - 40.0) | 20.0 (20.0 - 20.0) | 1.75 (1.50 - 2.00) | 5.00 (4.00 - 6.00) | 2.00 (2.00 " +
			"- 2.00) | 2.50 (2.00 - 3.00) |",
		"| 3.50 (3.00 - 4.00) |\n",
		"| one, dlv | 2; 50 | 2.5; 9 | 0; 0 | 0 of 2 |",
		"| none, dlv | - | - | - | 1 of 1 |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A peer without its command is skipped; ours needs none.
func TestSubjects(t *testing.T) {
	t.Setenv("PEER_DAP_MCP", "node /x/y.js  stdio")
	t.Setenv("PEER_MCP_DAP_SERVER", "")
	given := map[string]int{}
	for _, s := range subjects("/root") {
		given[s.name] = max(given[s.name], len(s.command))
	}
	if given["breakwire"] != 1 || given["dap-mcp"] != 3 || given["mcp-dap-server"] != 0 {
		t.Errorf("%v", given)
	}
}
