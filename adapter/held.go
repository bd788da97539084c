package adapter

import (
	"breakwire/dapclient"
	"breakwire/mapping"
	"breakwire/tracepoints"
	"maps"
	"slices"
	"strconv"

	"github.com/google/go-dap"
)

// held is what the debugger holds, and what is known of the user's breakpoints there.
type held struct {
	profile   *dapclient.Profile
	files     map[string]*fileSet   // by the debugger's path
	spelled   map[string]string     // the debugger's path of a file, by real path
	links     []link                // links in the paths of the launch
	byLine    map[string]sourceLine // functions whose breakpoints are set by line
	functions *fileSet              // function breakpoints
	watched   watches
	all       []*entry            // cache of entries; nil when a set has changed
	temps     []*Breakpoint       // temporary breakpoints of run_to and entry
	panics    *Breakpoint         // at the panics of a Rust program; nil: it is none
	bindings  map[string]*Binding // by breakpoint id
	elsewhere string              // of bound breakpoints: Binding.Elsewhere
	callsFork bool                // the program does, and its children are not debugged
	removed   []*entry            // gone or disabled: the last version of each
	orphans   map[int]heldBreakpoint
	natives   map[string]*Breakpoint // native log points by id
	spent     []*Breakpoint          // log points that are removed at the next stop
	passes    passes                 // of conditions that the program tests
	logged    map[string]uint64      // hits of native log points that came, by id
	sent      map[string]uint64      // the same as the program has sent them, reported at its end; nil: not reported
}

func newHeld(p *dapclient.Profile) held {
	return held{
		profile: p,
		files:   map[string]*fileSet{}, functions: &fileSet{byID: p.FunctionsUnordered}, watched: newWatches(),
		bindings: map[string]*Binding{},
		orphans:  map[int]heldBreakpoint{}, natives: map[string]*Breakpoint{}, logged: map[string]uint64{},
	}
}

// sourceLine is a line of a file as the debugger names it.
type sourceLine struct {
	file string
	line int
}

// watches is the memory that the debugger watches for a session.
type watches struct {
	set *fileSet // data breakpoints
	// returns are the debugger's breakpoints where the functions of watched locals return to, by watchpoint.
	returns map[string]int
	ended   map[string]string // watchpoints whose frame is gone: why
}

func newWatches() watches {
	return watches{set: &fileSet{}, returns: map[string]int{}, ended: map[string]string{}}
}

// due reports whether the debugger has not got the newest list yet.
func (w *watches) due() bool { return w.set.answered < w.set.wished }

// passes holds the reports of passes whose stops have not come yet.
type passes struct{ reported []tracepoints.Pass }

// take returns the report of a hit, and forgets it.
func (p *passes) take(breakpoint string, thread int) *tracepoints.Pass {
	for _, r := range p.reported {
		if r.ID == breakpoint && (r.Thread == thread || r.Thread == 0) {
			p.drop(r.ID, r.Thread)
			return &r
		}
	}
	return nil
}

func (p *passes) drop(breakpoint string, thread int) {
	p.reported = slices.DeleteFunc(p.reported, func(r tracepoints.Pass) bool {
		return r.ID == breakpoint && r.Thread == thread
	})
}

// heldBreakpoint is a breakpoint as the debugger describes it (DAP, Breakpoint). The id may be absent, and it may be 0.
type heldBreakpoint struct {
	ID                   *int        `json:"id"`
	Verified             bool        `json:"verified"`
	Message              string      `json:"message"`
	Source               *dap.Source `json:"source"`
	Line                 int         `json:"line"`
	InstructionReference string      `json:"instructionReference"`
}

// located returns the debugger's description of a breakpoint, by the number of locations that its message has.
func located(p *dapclient.Profile, b heldBreakpoint) heldBreakpoint {
	if n := p.Locations.Find(b.Message); n != "" {
		b.Verified, b.Message = n != "0", ""
	}
	return b
}

// remember keeps entries that go away, so that a stop at one of them is not shown. Such a stop may come much later: a
// thread that was there may be reported only after a resume. So they are kept as long as the session.
func (h *held) remember(old, next []*entry) {
	for _, o := range old {
		h.removed = slices.DeleteFunc(h.removed, o.same)
		if !slices.ContainsFunc(next, o.same) {
			h.removed = append(h.removed, o)
		}
	}
}

func (h *held) busy() bool {
	if h.functions.busy || h.watched.set.busy {
		return true
	}
	for _, set := range h.files {
		if set.busy {
			return true
		}
	}
	return false
}

// entries returns all entries that the debugger holds or is about to hold. The list is cached until a set changes.
func (h *held) entries() []*entry {
	if h.all != nil {
		return h.all
	}
	out := []*entry{}
	add := func(set *fileSet) {
		if set.busy {
			out = append(out, set.sent...)
		}
		out = append(out, set.entries...)
	}
	for _, file := range slices.Sorted(maps.Keys(h.files)) { // sorted, so that the ids of a stop have a fixed order
		add(h.files[file])
	}
	add(h.functions)
	add(h.watched.set)
	h.all = out
	return out
}

// onlyEntry returns the single entry, nil when there are several or a set is changing.
func (h *held) onlyEntry() *entry {
	if all := h.entries(); len(all) == 1 && !h.busy() {
		return all[0]
	}
	return nil
}

// canHit reports whether the debugger holds anything that a thread could hit.
func (h *held) canHit() bool { return len(h.entries()) > 0 || h.busy() }

// entryOf returns the entry of a breakpoint, nil when it has none. Of several, which one function name can have, it is
// one that is bound.
func (h *held) entryOf(bp *Breakpoint) (found *entry) {
	for _, e := range h.entries() {
		mine := slices.ContainsFunc(e.logicals, func(l *Breakpoint) bool { return l.ID == bp.ID && !l.temporary })
		if mine && (found == nil || e.verified && !found.verified) {
			found = e
		}
	}
	return found
}

// taken reads from a refusal which line already has a breakpoint.
func taken(p *dapclient.Profile, e *entry) (at sourceLine, ok bool) {
	if e.verified || p.TakenText == nil {
		return sourceLine{}, false
	}
	m := p.TakenText.Regexp().FindStringSubmatch(e.message)
	if m == nil {
		return sourceLine{}, false
	}
	line, err := strconv.Atoi(m[2])
	return sourceLine{m[1], line}, err == nil && line > 0
}

// moveToLines decides which functions are set by line from now on, and returns the files of these lines.
func (h *held) moveToLines() map[string]bool {
	moved := map[string]bool{}
	move := func(function string, at sourceLine) {
		if _, done := h.byLine[function]; function == "" || done {
			return
		}
		if h.byLine == nil {
			h.byLine = map[string]sourceLine{}
		}
		h.byLine[function] = at
		moved[at.file] = true
	}
	for _, e := range h.entries() {
		at, ok := taken(h.profile, e)
		if !ok {
			continue
		}
		at.file = h.listOf(at.file)
		move(e.function, at)
		for _, f := range h.functions.entries {
			// A function with many bodies (a generic one) is reported without a place.
			if f.verified && (f.bound == at.line && mapping.SameFile(f.source, at.file) || f.bound == 0 &&
				e.function != "" && sameFunction(e.function, f.function)) {
				move(f.function, at)
			}
		}
	}
	return moved
}

// listOf returns the path under which a file's list already goes to the debugger. On Windows a path has several
// spellings, and the list of another spelling may be empty now.
func (h *held) listOf(path string) string {
	holds := func(set *fileSet) bool { return set != nil && (set.busy || len(set.entries) > 0) }
	if holds(h.files[path]) {
		return path
	}
	known := path
	for file, set := range h.files {
		if mapping.SameFile(file, path) {
			if known = file; holds(set) {
				break
			}
		}
	}
	return known
}

// keyOf returns the real path of the file that is sent under a path.
func (h *held) keyOf(file string) string {
	for key, spelled := range h.spelled {
		if spelled == file {
			return key
		}
	}
	return ""
}

// anyBound reports whether the debugger knows a file, or no breakpoint is set in it.
func (h *held) anyBound(file string) bool {
	set := h.files[file]
	return set == nil || len(set.entries) == 0 || slices.ContainsFunc(set.entries, func(e *entry) bool {
		return e.verified
	})
}

// placed takes the debugger's answers for entries, in their order.
func (h *held) placed(entries []*entry, answers []heldBreakpoint) {
	if len(entries) > 0 && entries[0].function != "" && h.functions.byID {
		answers = inOrder(entries, answers)
	}
	for i, e := range entries {
		if i >= len(answers) {
			e.verified, e.message = false, "the debugger did not answer for this breakpoint"
			continue
		}
		e.take(located(h.profile, answers[i]))
		if o, ok := h.orphans[e.id]; ok && e.hasID {
			delete(h.orphans, e.id)
			e.take(located(h.profile, o))
		}
	}
}

// changed takes the debugger's news of a breakpoint. What comes before the answer that names its id waits for that.
func (h *held) changed(id int, b heldBreakpoint) {
	found := false
	for _, e := range h.entries() {
		if e.hasID && e.id == id {
			found = true
			e.take(located(h.profile, b))
		}
	}
	if !found && h.busy() {
		h.orphans[id] = b
	}
}
