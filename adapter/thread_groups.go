package adapter

import (
	"breakwire/adapter/inspect"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"
)

const (
	// groupedFrom is the number of threads beyond which they are grouped.
	groupedFrom = 40
	// maxGroups is the number of groups that are shown, idsShown the number of ids of each.
	maxGroups = 12
	idsShown  = 3
)

// ThreadQuery selects threads. Without filter and count, many threads are grouped.
type ThreadQuery struct {
	Filter string // a part of a thread's name, function, file or reason to wait
	Start  int
	Count  int // 0: up to groupedFrom
}

// ThreadGroup is a number of threads that are at the same place and wait for the same.
type ThreadGroup struct {
	Count    int               `json:"count"`
	IDs      []int             `json:"ids"` // the first ones
	WaitsFor string            `json:"waitsFor,omitempty"`
	Location *inspect.Location `json:"location,omitempty"`
}

// ThreadsPage is a part of the threads. Next is the start of the next part, 0 at the end.
type ThreadsPage struct {
	Threads []Thread
	Groups  []ThreadGroup
	Total   int
	Next    int
	Stale   bool

	Deadlocked   []int // threads that wait for each other
	Tasks        []inspect.Task
	OmittedTasks int
}

// ThreadsPage lists threads, or groups them when there are many.
func (s *Session) ThreadsPage(ctx context.Context, q ThreadQuery) (ThreadsPage, error) {
	threads, stale, err := s.ListThreads(ctx)
	if err != nil {
		return ThreadsPage{}, err
	}
	threads = slices.Clone(threads)
	groups, waits := s.groups(ctx, threads)
	for i, t := range threads {
		threads[i].Wait = waits.of[t.ID]
	}
	if q.Filter != "" {
		threads = slices.DeleteFunc(threads, func(t Thread) bool { return !t.fits(q.Filter) })
	}
	p := ThreadsPage{Total: len(threads), Stale: stale, Deadlocked: inspect.Deadlocked(waits.of), Tasks: waits.tasks,
		OmittedTasks: waits.omitted}
	if q.Filter == "" && q.Count == 0 && q.Start == 0 && len(threads) > groupedFrom {
		p.Groups = groups[:min(len(groups), maxGroups)]
		p.Threads = slices.DeleteFunc(slices.Clone(threads), func(t Thread) bool { return !t.IsCurrent })
		return p, nil
	}
	if q.Count == 0 {
		q.Count = groupedFrom
	}
	start := min(q.Start, len(threads))
	end := min(start+q.Count, len(threads))
	if p.Threads = threads[start:end]; end < len(threads) {
		p.Next = end
	}
	return p, nil
}

// threadWaits is what threads and tasks wait for.
type threadWaits struct {
	of      map[int]inspect.Wait
	tasks   []inspect.Task
	omitted int
}

// groups groups threads, the largest group first, and finds what each waits for.
func (s *Session) groups(ctx context.Context, threads []Thread) ([]ThreadGroup, threadWaits) {
	waits := threadWaits{of: map[int]inspect.Wait{}}
	v, end, err := s.view(ctx)
	if err != nil {
		v = nil // it runs: only the places are known
	} else {
		defer end()
	}
	if v != nil {
		ids := make([]int, len(threads))
		for i, t := range threads {
			ids[i] = t.ID
		}
		waits.of, waits.tasks, waits.omitted = v.Waits(ids, names(threads))
	}
	var groups []ThreadGroup
	at := map[string]int{} // place to the index of its group
	for _, t := range threads {
		key, frames := placeKey(t.Location), []dap.StackFrame(nil)
		if v != nil {
			frames = s.inspection.cache.Frames.Top(v.Epoch, t.ID)
		}
		for _, f := range frames {
			if key += "|" + f.Name; inspect.IsUserFrame(f) {
				break
			}
		}
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			word := ""
			if v != nil {
				word = v.WaitsFor(frames)
			}
			groups = append(groups, ThreadGroup{Location: t.Location, WaitsFor: word})
		}
		if wait := waits.of[t.ID]; wait.For == "" {
			wait.For = groups[i].WaitsFor
			waits.of[t.ID] = wait
		}
		g := &groups[i]
		if g.Count++; len(g.IDs) < idsShown {
			g.IDs = append(g.IDs, t.ID)
		}
	}
	slices.SortStableFunc(groups, func(a, b ThreadGroup) int { return b.Count - a.Count })
	return groups, waits
}

func placeKey(l *inspect.Location) string {
	if l == nil {
		return ""
	}
	return l.File + ":" + strconv.Itoa(l.Line) + ":" + l.FunctionName
}

// fits reports whether a thread has the filter in its name or place, or in what it waits for.
func (t Thread) fits(filter string) bool {
	text := t.Name + " " + placeKey(t.Location) + " " + t.For + " " + t.On
	return strings.Contains(strings.ToLower(text), strings.ToLower(filter))
}
