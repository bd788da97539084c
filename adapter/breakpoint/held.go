package breakpoint

import (
	"maps"
	"slices"
	"strconv"

	"breakwire/dapclient"
	"breakwire/mapping"
	"breakwire/tracepoints"

	"github.com/google/go-dap"
)

// Held is what the debugger holds, and what is known of the user's breakpoints there.
type Held struct {
	profile   *dapclient.Profile
	Files     map[string]*Set   // by the debugger's path
	Spelled   map[string]string // the debugger's path of a file, by real path
	Links     []Link            // links in the paths of the launch
	ByLine    map[string]Line   // functions whose breakpoints are set by line
	Functions *Set              // function breakpoints
	Watched   watches
	All       []*Entry            // cache of entries; nil when a set has changed
	Temps     []*Breakpoint       // temporary breakpoints of run_to and entry
	Panics    *Breakpoint         // at the panics of a Rust program; nil: it is none
	Bindings  map[string]*Binding // by breakpoint id
	Elsewhere string              // of bound breakpoints: Binding.Elsewhere
	CallsFork bool                // the program does, and its children are not debugged
	removed   []*Entry            // gone or disabled: the last version of each
	orphans   map[int]Answer
	Natives   map[string]*Breakpoint // native log points by id
	Spent     []*Breakpoint          // log points that are removed at the next stop
	Passes    passes                 // of conditions that the program tests
	Logged    map[string]uint64      // hits of native log points that came, by id
	Sent      map[string]uint64      // the same as the program has sent them, reported at its end; nil: not reported
}

// NewHeld returns a Held of a debugger that holds nothing yet.
func NewHeld(p *dapclient.Profile) Held {
	return Held{
		profile: p,
		Files:   map[string]*Set{}, Functions: &Set{byID: p.FunctionsUnordered}, Watched: newWatches(),
		Bindings: map[string]*Binding{},
		orphans:  map[int]Answer{}, Natives: map[string]*Breakpoint{}, Logged: map[string]uint64{},
	}
}

// Line is a line of a file as the debugger names it.
type Line struct {
	File string
	Line int
}

// watches is the memory that the debugger watches for a session.
type watches struct {
	Set *Set // data breakpoints
	// returns are the debugger's breakpoints where the functions of watched locals return to, by watchpoint.
	Returns map[string]int
	Ended   map[string]string // watchpoints whose frame is gone: why
}

func newWatches() watches {
	return watches{Set: &Set{}, Returns: map[string]int{}, Ended: map[string]string{}}
}

// Due reports whether the debugger has not got the newest list yet.
func (w *watches) Due() bool { return w.Set.Answered < w.Set.Wished }

// passes holds the reports of passes whose stops have not come yet.
type passes struct{ Reported []tracepoints.Pass }

// Take returns the report of a hit, and forgets it.
func (p *passes) Take(breakpoint string, thread int) *tracepoints.Pass {
	for _, r := range p.Reported {
		if r.ID == breakpoint && (r.Thread == thread || r.Thread == 0) {
			p.Drop(r.ID, r.Thread)
			return &r
		}
	}
	return nil
}

// Drop forgets the report of a pass.
func (p *passes) Drop(breakpoint string, thread int) {
	p.Reported = slices.DeleteFunc(p.Reported, func(r tracepoints.Pass) bool {
		return r.ID == breakpoint && r.Thread == thread
	})
}

// Answer is a breakpoint as the debugger describes it (DAP, Breakpoint). The id may be absent, and it may be 0.
type Answer struct {
	ID                   *int        `json:"id"`
	Verified             bool        `json:"verified"`
	Message              string      `json:"message"`
	Source               *dap.Source `json:"source"`
	Line                 int         `json:"line"`
	InstructionReference string      `json:"instructionReference"`
}

// located returns the debugger's description of a breakpoint, by the number of locations that its message has.
func located(p *dapclient.Profile, b Answer) Answer {
	if n := p.Locations.Find(b.Message); n != "" {
		b.Verified, b.Message = n != "0", ""
	}
	return b
}

// Remember keeps entries that go away, so that a stop at one of them is not shown. Such a stop may come much later: a
// thread that was there may be reported only after a resume. So they are kept as long as the session.
func (h *Held) Remember(old, next []*Entry) {
	for _, o := range old {
		h.removed = slices.DeleteFunc(h.removed, o.Same)
		if !slices.ContainsFunc(next, o.Same) {
			h.removed = append(h.removed, o)
		}
	}
}

// Busy reports whether an answer of the debugger about breakpoints is awaited.
func (h *Held) Busy() bool {
	if h.Functions.Busy || h.Watched.Set.Busy {
		return true
	}
	for _, set := range h.Files {
		if set.Busy {
			return true
		}
	}
	return false
}

// Unplaced reports whether there is a breakpoint whose instruction is not known yet.
func (h *Held) Unplaced() bool {
	return slices.ContainsFunc(h.Entries(), func(e *Entry) bool {
		return e.Native == "" && e.Watch == nil && len(e.Address) == 0
	})
}

// Entries returns all entries that the debugger holds or is about to hold. The list is cached until a set changes.
func (h *Held) Entries() []*Entry {
	if h.All != nil {
		return h.All
	}
	out := []*Entry{}
	add := func(set *Set) {
		if set.Busy {
			out = append(out, set.Sent...)
		}
		out = append(out, set.Entries...)
	}
	for _, file := range slices.Sorted(maps.Keys(h.Files)) { // sorted, so that the ids of a stop have a fixed order
		add(h.Files[file])
	}
	add(h.Functions)
	add(h.Watched.Set)
	h.All = out
	return out
}

// Only returns the single entry, nil when there are several or a set is changing.
func (h *Held) Only() *Entry {
	if all := h.Entries(); len(all) == 1 && !h.Busy() {
		return all[0]
	}
	return nil
}

// CanHit reports whether the debugger holds anything that a thread could hit.
func (h *Held) CanHit() bool { return len(h.Entries()) > 0 || h.Busy() }

// Of returns the entry of a breakpoint, nil when it has none. Of several, which one function name can have, it is
// one that is bound.
func (h *Held) Of(bp *Breakpoint) (found *Entry) {
	for _, e := range h.Entries() {
		mine := slices.ContainsFunc(e.Logicals, func(l *Breakpoint) bool { return l.ID == bp.ID && !l.Temporary })
		if mine && (found == nil || e.Verified && !found.Verified) {
			found = e
		}
	}
	return found
}

// taken reads from a refusal which line already has a breakpoint.
func taken(p *dapclient.Profile, e *Entry) (at Line, ok bool) {
	if e.Verified || p.TakenText == nil {
		return Line{}, false
	}
	m := p.TakenText.Regexp().FindStringSubmatch(e.Message)
	if m == nil {
		return Line{}, false
	}
	line, err := strconv.Atoi(m[2])
	return Line{m[1], line}, err == nil && line > 0
}

// MoveToLines decides which functions are set by line from now on, and returns the files of these lines.
func (h *Held) MoveToLines() map[string]bool {
	moved := map[string]bool{}
	move := func(function string, at Line) {
		if _, done := h.ByLine[function]; function == "" || done {
			return
		}
		if h.ByLine == nil {
			h.ByLine = map[string]Line{}
		}
		h.ByLine[function] = at
		moved[at.File] = true
	}
	for _, e := range h.Entries() {
		at, ok := taken(h.profile, e)
		if !ok {
			continue
		}
		at.File = h.ListOf(at.File)
		move(e.Function, at)
		for _, f := range h.Functions.Entries {
			// A function with many bodies (a generic one) is reported without a place.
			if f.Verified && (f.Bound == at.Line && mapping.SameFile(f.Source, at.File) || f.Bound == 0 &&
				e.Function != "" && sameFunction(e.Function, f.Function)) {
				move(f.Function, at)
			}
		}
	}
	return moved
}

// ListOf returns the path under which a file's list already goes to the debugger. On Windows a path has several
// spellings, and the list of another spelling may be empty now.
func (h *Held) ListOf(path string) string {
	holds := func(set *Set) bool { return set != nil && (set.Busy || len(set.Entries) > 0) }
	if holds(h.Files[path]) {
		return path
	}
	known := path
	for file, set := range h.Files {
		if mapping.SameFile(file, path) {
			if known = file; holds(set) {
				break
			}
		}
	}
	return known
}

// KeyOf returns the real path of the file that is sent under a path.
func (h *Held) KeyOf(file string) string {
	for key, spelled := range h.Spelled {
		if spelled == file {
			return key
		}
	}
	return ""
}

// AnyBound reports whether the debugger knows a file, or no breakpoint is set in it.
func (h *Held) AnyBound(file string) bool {
	set := h.Files[file]
	return set == nil || len(set.Entries) == 0 || slices.ContainsFunc(set.Entries, func(e *Entry) bool {
		return e.Verified
	})
}

// Placed takes the debugger's answers for entries, in their order.
func (h *Held) Placed(entries []*Entry, answers []Answer) {
	if len(entries) > 0 && entries[0].Function != "" && h.Functions.byID {
		answers = inOrder(entries, answers)
	}
	for i, e := range entries {
		if i >= len(answers) {
			e.Verified, e.Message = false, "the debugger did not answer for this breakpoint"
			continue
		}
		e.take(located(h.profile, answers[i]))
		if o, ok := h.orphans[e.ID]; ok && e.HasID {
			delete(h.orphans, e.ID)
			e.take(located(h.profile, o))
		}
	}
}

// Changed takes the debugger's news of a breakpoint. What comes before the answer that names its id waits for that.
func (h *Held) Changed(id int, b Answer) {
	found := false
	for _, e := range h.Entries() {
		if e.HasID && e.ID == id {
			found = true
			e.take(located(h.profile, b))
		}
	}
	if !found && h.Busy() {
		h.orphans[id] = b
	}
}
