package inspect

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/mapping"
)

// Limits of captures: how many are kept, how many values and bytes one holds, how long it may take.
const (
	maxCaptures     = 50
	maxCaptured     = 5000
	maxCaptureBytes = 1 << 20
	captureTime     = 10 * time.Second
)

// MaxCaptureDepth is the maximum depth of a capture.
const MaxCaptureDepth = 10

// Capture is the result of snapshot_create: the variables of a frame, to a depth. It is immutable, belongs to the
// process and outlives its session, so that two runs can be compared. (Snapshot is the published state of a session.)
type Capture struct {
	ID            string    `json:"id"`
	Label         string    `json:"label"`
	Timestamp     string    `json:"timestamp"`
	SessionID     string    `json:"sessionId"`
	ThreadID      int       `json:"threadId"`
	FrameIndex    int       `json:"frameIndex"`
	FunctionName  string    `json:"functionName"`
	Location      *Location `json:"location,omitempty"`
	VariableCount int       `json:"variableCount"`
	Depth         int       `json:"depth"`
	Truncated     bool      `json:"truncated,omitempty"` // there was more than fits

	at     time.Time
	values []Variable // their paths consist of the names that are shown, so they are equal at each stop
}

// CaptureQuery selects what to capture.
type CaptureQuery struct {
	Label         string
	Thread, Frame int
	Depth         int // of children; 0 for the variables alone
}

// Captures keeps the captures, oldest first.
type Captures struct {
	mu     sync.Mutex
	nextID int
	list   []*Capture
}

func (c *Captures) add(x *Capture) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.room(); err != nil {
		return err
	}
	c.nextID++
	x.ID = fmt.Sprintf("snap-%d", c.nextID)
	if x.Label == "" {
		x.Label = fmt.Sprintf("snapshot-%d", c.nextID)
	}
	c.list = append(c.list, x)
	return nil
}

// room returns an error when no further capture fits. c.mu is held.
func (c *Captures) room() error {
	if len(c.list) < maxCaptures {
		return nil
	}
	return fault.Errorf(fault.SnapshotLimit, "there are %d snapshots, which is all that are kept; delete some with "+
		"snapshot_delete",
		maxCaptures).With("limit", maxCaptures)
}

func (c *Captures) Get(id string) (*Capture, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.list {
		if x.ID == id {
			return x, nil
		}
	}
	return nil, c.notFound(id)
}

// notFound is the error for an unknown id. It lists the ids there are. c.mu is held.
func (c *Captures) notFound(id string) *fault.Error {
	known := make([]string, len(c.list))
	for i, x := range c.list {
		known[i] = x.ID
	}
	return fault.Errorf(fault.SnapshotNotFound, "there is no snapshot %s; snapshot_list shows the ones there are", id).
		With("snapshotId", id).With("known", known)
}

// Take reads the variables of a frame of the view's stop, and keeps them.
func (c *Captures) Take(v *View, q CaptureQuery) (*Capture, error) {
	c.mu.Lock()
	err := c.room() // before everything is read in vain
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err = v.choose(q.Thread, q.Frame); err != nil {
		return nil, err
	}
	v.NoCalls = true
	v.lookUntil = time.Now().Add(captureTime) // a value that is shown in another way would be a difference
	now := time.Now()
	x := &Capture{
		Label: q.Label, at: now, Timestamp: journal.Timestamp(now), SessionID: v.Session, ThreadID: v.thread(q.Thread),
		FrameIndex:   v.index,
		FunctionName: mapping.ShownFunction(v.Here.Name), Depth: q.Depth,
	}
	if l := v.Debugger.Location(&v.Here); l.File != "" {
		x.Location = l
	}
	if err := v.capture(x); err != nil {
		return nil, err
	}
	x.VariableCount = len(x.values)
	if err := c.add(x); err != nil {
		return nil, err
	}
	return x, nil
}

// capturing is a Capture that is being made.
type capturing struct {
	*Capture
	v    *View
	size int
	used map[string]int // by path: a name occurs twice when a variable hides another one
}

// captured is a value of a Capture that is being made.
type captured struct {
	item
	path string
}

func (c *capturing) full() bool { return len(c.values) == maxCaptured || c.size > maxCaptureBytes }

// capture reads level by level, so that only the deepest values are left out.
func (v *View) capture(into *Capture) error {
	c := &capturing{Capture: into, v: v, used: map[string]int{}}
	l, err := v.scoped("all")
	if err != nil {
		return err
	}
	level, err := c.take(l, captured{})
	if err != nil {
		return err
	}
	for range c.Depth {
		var next []captured
		for _, parent := range level {
			if time.Now().After(v.lookUntil) || c.full() {
				c.Truncated = true
				return nil
			}
			if parent.VariablesReference == 0 || v.isText(parent.node) {
				continue
			}
			var kids []captured
			l, err := v.children(parent.item)
			if err == nil {
				kids, err = c.take(l, parent)
				next = append(next, kids...)
			}
			if err != nil {
				if v.Ctx.Err() != nil || fault.CodeOf(err) == fault.BackendExited {
					return err
				}
				c.Truncated = true
			}
		}
		level = next
	}
	return nil
}

// take adds the values of a listing that fit, and returns them. After a failure it keeps what was read before.
func (c *capturing) take(l listing, parent captured) (taken []captured, err error) {
	set := c.v.collectionType(parent.item).Kind == mapping.Set
	count := min(l.total, maxListed)
	c.Truncated = c.Truncated || count < l.total
	for start := 0; start < count; {
		items, err := l.at(start, min(batch, count-start))
		if err != nil || len(items) == 0 {
			return taken, err
		}
		for _, it := range items {
			out := c.v.show(it)
			path := memberPath(parent.path, set, out)
			if c.used[path]++; c.used[path] > 1 {
				path += fmt.Sprintf("#%d", c.used[path])
			}
			if c.size += len(path) + len(out.Value) + len(out.Type) + 100; c.full() {
				c.Truncated = true
				return taken, nil
			}
			out.Path = path
			c.values = append(c.values, out)
			taken = append(taken, captured{it, path})
		}
		start += len(items)
	}
	return taken, nil
}

// memberPath returns the path of a value, made of the names that are shown. Members of a set have no name, so their
// value is used.
func memberPath(parent string, set bool, out Variable) string {
	name := out.Name
	switch {
	case parent == "":
		return name
	case set:
		return parent + "{" + out.Value + "}"
	case strings.HasPrefix(name, "["):
		return parent + name
	case strings.ContainsAny(name, `"' `) || name != "" && name[0] >= '0' && name[0] <= '9':
		return parent + "[" + name + "]"
	}
	return parent + "." + name
}

// All returns all captures, oldest first.
func (c *Captures) All() []*Capture {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}

// Page returns the values of a capture from index start, as many as fit in a page. next is the start of the next page,
// 0 at the end.
func (c *Capture) Page(start int) (values []Variable, next int) {
	size := 0
	for i := min(start, len(c.values)); i < len(c.values); i++ {
		x := c.values[i]
		if size += len(x.Name) + len(x.Path) + len(x.Value) + len(x.Type) + 90; size > capturePage && len(values) > 0 {
			return values, i
		}
		values = append(values, x)
	}
	return values, 0
}

// capturePage is the approximate number of bytes in a page of captured values or differences.
const capturePage = 8 << 10

// Remove deletes one capture, or all with id "", and returns the number of those left.
func (c *Captures) Remove(id string) (remaining int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id == "" {
		c.list = nil
		return 0, nil
	}
	i := slices.IndexFunc(c.list, func(x *Capture) bool { return x.ID == id })
	if i < 0 {
		return 0, c.notFound(id)
	}
	c.list = slices.Delete(c.list, i, i+1)
	return len(c.list), nil
}
