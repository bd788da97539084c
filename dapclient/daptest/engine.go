package daptest

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"breakwire/dapclient"
)

// quantum is how many rounds the debuggee runs before requests are handled again.
const quantum = 20_000

type state int

const (
	stateNew state = iota // no debuggee
	stateRunning
	stateStopped
	stateEnded
)

// engine is the state of debugger and debuggee. Only the owner of the queue uses it.
type engine struct {
	a     *Adapter
	shape Shape
	prog  Program
	caps  string

	state       state
	run         int // counts resumes; continuations of an older one are ignored
	initialized bool
	launch      *dapclient.Message // the launch or attach request
	attached    bool
	configured  bool
	remote      bool // Delve was asked for the program's output
	loaded      bool // the main module is loaded
	entry       bool // a stop before the first line was requested
	atEntry     bool // stopped there
	threads     []*thread
	pending     []halt // hits not reported yet
	step        stepping
	untold      []halt   // hits of this stop that are reported when their threads are inspected
	focus       *thread  // the thread that such a stop names
	told        []halt   // the hits of the last stop
	stepped     bool     // the last resume was a step, or continued one
	held        stepping // a step that a hit of another thread has interrupted
	current     *thread  // of the last stop
	scratch     []byte

	call *calling // nil: no evaluation runs the debuggee

	passed map[string]*passed // of conditions that the program tests, by id

	breakpoints
	watching
	handles
}

type thread struct {
	def           *Thread
	index         int
	id            int
	name          string
	live          bool
	begun         bool // has reached its first line
	pos           int
	cur           Step
	phase         int  // of an exception of cur: 0 not thrown, 1 reported, 2 reported as unhandled
	passed        bool // the gate of cur has opened
	toldAt        int  // the position of its last reported hit
	waiting       bool // a goroutine waits for the gate of cur
	pokes         map[string]string
	frameIDs      []int // of this stop, by index; -1 none yet
	lastException *Exception
	unhandled     bool
}

type stepping struct {
	thread *thread
	kind   string // next, stepIn, stepOut
	depth  int
}

// halt is one reason to stop.
type halt struct {
	thread            *thread
	reason            string
	description, text string
	ids               []int
}

func newEngine(a *Adapter, s Shape, p Program) engine {
	if p.PID == 0 {
		p.PID = 4242
	}
	e := engine{a: a, shape: s, prog: p, caps: s.Capabilities}
	if e.caps == "" {
		e.caps = "{}"
	}
	if e.prog.Name == "" {
		e.prog.Name = map[Family]string{FamilyNetcoredbg: "dotnet"}[s.Family]
		if e.prog.Name == "" {
			e.prog.Name = p.Path
		}
	}
	for i := range p.Threads {
		e.threads = append(e.threads, e.newThread(i, &p.Threads[i]))
	}
	e.globals = slices.Clone(p.Globals)
	e.breakpoints.lines = make(map[string][]*lineBreakpoint)
	e.breakpoints.nextID = 1
	if s.Family == FamilyDebugpy {
		e.breakpoints.nextID = 0
	}
	e.resetHandles(true)
	return e
}

func (e *engine) newThread(i int, def *Thread) *thread {
	t := &thread{def: def, index: i, id: def.ID, name: def.Name}
	fromPID := e.shape.Family == FamilyNetcoredbg || e.shape.Family == FamilyLLDB
	if t.id == 0 {
		if t.id = i + 1; fromPID {
			t.id = e.prog.PID + i
		}
	}
	if t.name == "" {
		switch {
		case e.shape.Family == FamilyNetcoredbg && i == 0:
			t.name = "Main Thread"
		case e.shape.Family == FamilyNetcoredbg:
			t.name = "<No name>"
		case e.shape.Family == FamilyDebugpy && i == 0:
			t.name = "MainThread"
		case e.shape.Family == FamilyDebugpy:
			t.name = "Thread-" + strconv.Itoa(i)
		default:
			t.name = path.Base(e.prog.Path)
		}
	}
	return t
}

func (e *engine) threadByID(id int) *thread {
	for _, t := range e.threads {
		if t.id == id && t.live {
			return t
		}
	}
	return nil
}

// begin starts the debuggee: modules, threads, then the first lines.
func (e *engine) begin() {
	e.a.started(e.attached)
	e.loadModules()
	e.beginThreads()
	e.goOn()
}

func (e *engine) beginThreads() {
	for _, t := range e.threads {
		if !t.def.Waits {
			e.startThread(t)
		}
	}
}

func (e *engine) startThread(t *thread) {
	t.live = true
	if e.shape.Family == FamilyNetcoredbg || e.shape.Family == FamilyDebugpy {
		e.threadEvent(t, "started")
	}
}

// goOn runs from the beginning, or stops at the entry.
func (e *engine) goOn() {
	e.state = stateRunning
	e.run++
	if e.entry && len(e.threads) > 0 && e.place(e.threads[0]) {
		e.atEntry = true
		e.threads[0].begun = e.shape.Family != FamilyDelve && e.shape.Family != FamilyLLDB
		e.stop([]halt{{thread: e.threads[0], reason: "entry"}})
		return
	}
	e.advance()
}

// place puts a thread on its line without checking breakpoints.
func (e *engine) place(t *thread) bool {
	if t.pos >= t.def.Code.Len || t.def.Code.At == nil {
		e.endThread(t)
		return false
	}
	t.cur = t.def.Code.At(t.pos)
	t.phase, t.passed, t.pokes = 0, false, nil
	return true
}

func (e *engine) endThread(t *thread) {
	t.live = false
	if e.step.thread == t {
		e.step = stepping{}
	}
	if e.held.thread == t {
		e.held = stepping{}
	}
	if e.shape.Family == FamilyNetcoredbg && t.index > 0 || e.shape.Family == FamilyDebugpy {
		e.threadEvent(t, "exited")
	}
}

// stop reports simultaneous hits as the shape does.
func (e *engine) stop(hits []halt) {
	e.state = stateStopped
	e.resetHandles(false)
	if e.call != nil && !e.call.interrupted {
		e.interruptCall(hits[0])
		return
	}
	switch {
	case e.shape.HoldsStep && e.step.thread != nil && e.step.thread != hits[0].thread:
		e.held = e.step
		defer e.output("console", "Step interrupted by a breakpoint. Use 'Continue' to resume the original step command.\n")
		fallthrough
	case !e.shape.KeepsStep:
		e.step = stepping{}
	default:
		for _, h := range hits {
			if h.reason == "step" && h.thread == e.step.thread {
				e.step = stepping{}
			}
		}
	}
	switch e.shape.Stops {
	case StopsNameOne:
		named := hits[0]
		for _, h := range hits {
			if h.reason == "exception" { // no other reason hides it
				named = h
				break
			}
		}
		e.stopped(named, true)
		e.pending = nil
	case StopsTogether:
		hits = append(hits, e.pending...)
		e.pending = nil
		e.focus = hits[len(hits)-1].thread
		e.untold = append(e.repeated(hits), hits...)
		slices.SortStableFunc(e.untold, func(a, b halt) int { return a.thread.index - b.thread.index })
		if e.shape.TellsLate {
			e.tellNext()
			return
		}
		e.tellRest()
	default:
		e.pending = append(e.pending, hits...)
		first := e.pending[0]
		e.pending = e.pending[1:]
		e.stopped(first, true)
	}
}

// tellRest reports the hits of a stop that were not reported yet.
func (e *engine) tellRest() {
	for len(e.untold) > 0 {
		e.tellNext()
	}
}

func (e *engine) tellNext() {
	h := e.untold[0]
	e.untold = e.untold[1:]
	e.stopped(h, h.thread == e.focus)
}

// looked is called when a thread was inspected.
func (e *engine) looked(t *thread) {
	if slices.ContainsFunc(e.untold, func(h halt) bool { return h.thread == t }) {
		e.tellRest()
	}
}

// repeated returns the hits of the last stop whose threads have not moved since. A stop during a step repeats them,
// because lldb-dap reports each thread that has a reason.
func (e *engine) repeated(hits []halt) (again []halt) {
	last := e.told
	e.told = nil
	for _, h := range hits {
		if h.reason == "breakpoint" {
			e.told = append(e.told, h)
			h.thread.toldAt = h.thread.pos
		}
	}
	for _, h := range last {
		anew := slices.ContainsFunc(hits, func(other halt) bool { return other.thread == h.thread })
		if e.stepped && !anew && h.thread.live && h.thread.toldAt == h.thread.pos {
			again = append(again, h)
		}
	}
	e.told = append(e.told, again...)
	return again
}

// pause stops a running debuggee.
func (e *engine) pause(t *thread) {
	e.state = stateStopped
	e.run++
	e.step, e.held = stepping{}, stepping{}
	e.resetHandles(false)
	e.stopped(halt{thread: t, reason: "pause"}, true)
}

// exit ends the debuggee.
func (e *engine) exit(code int) {
	e.a.setFate(FateExited) // unless it was killed before
	e.state = stateEnded
	e.run++
	e.step, e.pending = stepping{}, nil
	for _, t := range e.threads {
		t.live = false
	}
	if e.shape.Family == FamilyLLDB {
		e.output("console", "Process "+strconv.Itoa(e.prog.PID)+" exited with status = "+strconv.Itoa(code)+" (0x"+
			leftPad(strconv.FormatInt(int64(code), 16), 8)+") \n")
	}
	e.a.wire.event("exited", []byte(`{"exitCode":`+strconv.Itoa(code)+`}`))
	e.terminated()
}

func (e *engine) terminated() {
	switch e.shape.Family {
	case FamilyNetcoredbg, FamilyDelve:
		e.a.wire.event("terminated", []byte(`{}`))
	default:
		e.a.wire.event("terminated", nil)
	}
}

func leftPad(s string, n int) string { return strings.Repeat("0", max(0, n-len(s))) + s }
