package inspect

import (
	"strconv"
	"sync"

	"breakwire/dapclient"
)

// mostFunctions is how many functions' values are remembered, to tell which have changed at the next stop.
const mostFunctions = 64

// stopLocals are the locals of the newest stop that an answer had. Any goroutine may use them.
type stopLocals struct {
	mu     sync.Mutex
	newest *LocalsRead
	before map[string]map[string]string // by thread and function: values by name, at the last stop there

	ids, idsBefore localsIDs // of the last two stops
}

// LocalsRead is the read of the locals of one stop.
type LocalsRead struct {
	Over    chan struct{} // closed when Shown and Omitted are set
	Shown   Locals        // nil when they could not be read
	Omitted int
	seq     uint64
}

// BeginLocals returns the read of the locals of a stop; mine says that the caller has to make it, and to close Over. It
// returns nil for a stop before the newest one.
func (c *Cache) BeginLocals(seq uint64) (r *LocalsRead, mine bool) {
	l := &c.locals
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.newest == nil || l.newest.seq < seq:
		l.newest = &LocalsRead{seq: seq, Over: make(chan struct{})}
		return l.newest, true
	case l.newest.seq == seq:
		return l.newest, false
	}
	return nil, false
}

// KeptLocals returns the read of the locals of a stop when it is over, else nil.
func (c *Cache) KeptLocals(seq uint64) *LocalsRead {
	l := &c.locals
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newest != nil && l.newest.seq == seq {
		select {
		case <-l.newest.Over:
			return l.newest
		default:
		}
	}
	return nil
}

// forget drops what was read when values may have changed although the program has not run.
func (l *stopLocals) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newest = nil
}

// rememberIDs keeps the ids by which the locals of a stop were read.
func (l *stopLocals) rememberIDs(ids localsIDs) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idsBefore, l.ids = l.ids, ids
}

// remember replaces the values of a function in a thread, and returns those of the last stop there.
func (l *stopLocals) remember(thread int, function string, now map[string]string) (before map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := strconv.Itoa(thread) + " " + function
	before = l.before[key]
	if l.before == nil || before == nil && len(l.before) >= mostFunctions {
		l.before = map[string]map[string]string{}
	}
	l.before[key] = now
	return before
}

// ReadLocals reads the locals of the frame that the stop names, by two questions. It expands no value.
func (v *View) ReadLocals() (shown Locals, omitted int, err error) {
	v.plain = true
	if err = v.choose(v.Stop.Thread, v.Stop.Frame); err != nil {
		return nil, 0, err
	}
	l, err := v.scoped("all")
	if err != nil {
		return nil, 0, err
	}
	items, err := l.at(0, l.total)
	if err != nil {
		return nil, 0, err
	}
	if len(items) > 0 {
		v.Cache.locals.rememberIDs(localsIDs{v.Here.Id, items[0].container})
	}
	if v.Profile.Language == dapclient.JavaScript {
		items = worthLocals(items)
	}
	all := make([]Local, len(items))
	for i, it := range items {
		x := v.show(it)
		all[i] = Local{it.name, localText(x, it.Variable, v.Profile.Language), x.Value}
	}
	shown, omitted = shownLocals(all, v.Cache.locals.remember(v.Stop.Thread, v.Here.Name, valuesOf(all)))
	return shown, omitted, nil
}
