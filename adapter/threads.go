package adapter

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-dap"

	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
)

// Thread is one thread of the program.
type Thread struct {
	ID        int               `json:"id"`
	Name      string            `json:"name,omitempty"`
	State     string            `json:"state"` // running, stopped
	IsCurrent bool              `json:"isCurrent"`
	Location  *inspect.Location `json:"location,omitempty"`
	inspect.Wait
}

// ThreadChange is the data of a thread event.
type ThreadChange struct {
	Reason   string `json:"reason"` // started, exited, listed
	ThreadID int    `json:"threadId,omitempty"`
}

// ListThreads returns the threads. When the program is paused it asks for them, else it returns the last known list
// (stale).
func (s *Session) ListThreads(ctx context.Context) (threads []Thread, stale bool, err error) {
	asked := s.Snapshot().State == Paused
	if asked {
		if threads, err := s.askThreads(ctx); err == nil {
			return threads, false, nil
		}
	}
	snap := s.Snapshot()
	if !snap.State.Live() {
		return nil, false, s.over()
	}
	return snap.Threads, asked || snap.ThreadsStale, nil
}

// askThreads asks for the threads of the current stop and their locations.
func (s *Session) askThreads(ctx context.Context) ([]Thread, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	m, err := v.Call(inspect.CallTimeout, "threads", nil)
	if err != nil {
		return nil, err
	}
	_, err = onLoop(ctx, s, func(done func(struct{}, error)) {
		if s.stops.epoch == v.Epoch && s.public.state == Paused {
			s.threadsOf(reply{m: m})
			s.publish()
		}
		done(struct{}{}, nil)
	})
	if err != nil {
		return nil, err
	}
	return s.locate(v, s.Snapshot().Threads), nil
}

const (
	// maxLocated bounds the threads whose location is asked for in one call; locateTime bounds the time for it.
	maxLocated = 1200
	locateTime = 2 * time.Second
)

// names returns the threads that one name alone belongs to; 0 is no thread.
func names(threads []Thread) map[string]int {
	names := map[string]int{}
	for _, t := range threads {
		if _, twice := names[t.Name]; twice {
			names[t.Name] = 0
			continue
		}
		names[t.Name] = t.ID
	}
	return names
}

// locate sets the location of threads: the innermost frame of the program's own code, else the top one. It sends the
// questions together.
func (s *Session) locate(v *inspect.View, threads []Thread) []Thread {
	located := slices.Clone(threads)
	for id, at := range v.ThreadPlaces(names(threads)) {
		if i := slices.IndexFunc(located, func(t Thread) bool { return t.ID == id }); i >= 0 && located[i].Location == nil {
			located[i].Location = at
		}
	}
	var wg sync.WaitGroup
	for i := range min(len(located), maxLocated) {
		if located[i].Location != nil {
			continue
		}
		wg.Go(func() {
			m, err := v.Call(locateTime, "stackTrace",
				dapclient.StackTraceArguments{ThreadID: located[i].ID, Levels: inspect.LocateDepth})
			if err != nil {
				return
			}
			body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
			if err != nil || len(body.StackFrames) == 0 {
				return
			}
			v.Cache.Frames.Put(v.Epoch, located[i].ID, 0, body.StackFrames)
			f := body.StackFrames[0]
			for _, candidate := range body.StackFrames {
				if inspect.IsUserFrame(candidate) {
					f = candidate
					break
				}
			}
			located[i].Location = v.Debugger.Location(&f)
		})
	}
	wg.Wait()
	s.post(func() {
		if s.stops.epoch != v.Epoch || s.public.state != Paused {
			return
		}
		byID := map[int]*inspect.Location{}
		for _, t := range located {
			byID[t.ID] = t.Location
		}
		list := slices.Clone(s.public.threads)
		for i := range list {
			if list[i].Location == nil {
				list[i].Location = byID[list[i].ID]
			}
		}
		s.public.threads = list
		s.publish()
	})
	return located
}

// refreshThreads asks for the thread list in the background.
func (s *Session) refreshThreads() {
	s.begin(func(t *turn) {
		epoch := s.stops.epoch
		replies, ok := t.ask(limits{total: lookTimeout}, question{command: "threads"})
		if !ok || replies[0].err != nil || s.stops.epoch != epoch || s.public.state != Paused {
			return
		}
		s.threadsOf(replies[0])
		s.publish()
		s.note(journal.TypeThread, "", &ThreadChange{Reason: "listed"})
	})
}

// onThread handles a thread event (DAP, Thread event).
func (s *Session) onThread(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[dap.ThreadEventBody](m)
	if err != nil {
		return
	}
	list := slices.Clone(s.public.threads)
	kept := list[:0]
	for _, t := range list {
		if t.ID != body.ThreadId {
			kept = append(kept, t)
		}
	}
	if body.Reason != "exited" {
		kept = append(kept, Thread{ID: body.ThreadId, State: "running"})
	}
	s.public.threads = kept
	s.publish()
	s.note(journal.TypeThread, "", &ThreadChange{Reason: body.Reason, ThreadID: body.ThreadId})
	if body.Reason == "started" && m.DuringCall && s.profile.CallsHideHits {
		s.mayHaveLost()
	}
	if body.Reason == "exited" {
		s.threadEnded(body.ThreadId)
	}
}

// threadsOf stores the answer to a threads request as the last known list.
func (s *Session) threadsOf(r reply) []dap.Thread {
	if r.err != nil {
		return nil
	}
	threads := dapclient.DecodeThreads(r.m)
	list := make([]Thread, 0, len(threads))
	for _, t := range threads {
		if s.profile.DummyThread != nil && s.profile.DummyThread.MatchString(t.Name) {
			continue
		}
		th := Thread{ID: t.Id, Name: s.threadName(t.Name), State: "running"}
		if s.stops.shown != nil {
			th.State, th.IsCurrent = "stopped", t.Id == s.stops.shown.ThreadID
			if th.IsCurrent {
				th.Location = s.stops.shown.Location
			}
		}
		list = append(list, th)
	}
	s.public.threads = list
	s.public.info.ThreadsAt = time.Now()
	return threads
}

// threadName returns a thread's name without the marks that adapters put around it.
func (s *Session) threadName(name string) string {
	for _, mark := range []*dapclient.Pattern{s.profile.CurrentThread, s.profile.ThreadOnCPU} {
		if mark != nil {
			name = mark.Regexp().ReplaceAllString(name, "")
		}
	}
	if name = strings.TrimSpace(name); name == noName {
		return ""
	}
	return name
}

// noName is netcoredbg's name for a thread without a name.
const noName = "<No name>"

// currentThread returns the thread of a stop that names none.
func (s *Session) currentThread(threads []dap.Thread) (int, bool) {
	if s.profile.CurrentThread != nil {
		for _, t := range threads {
			if s.profile.CurrentThread.MatchString(t.Name) {
				return t.Id, true
			}
		}
	}
	for _, t := range threads {
		if s.profile.DummyThread == nil || !s.profile.DummyThread.MatchString(t.Name) {
			return t.Id, true
		}
	}
	return 0, false
}

var goroutineName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\[Go \d+\] )\S+`) })

// nameNow returns a thread's name at a stop. Delve names a goroutine by its current function, which the last list does
// not know.
func (s *Session) nameNow(name string, at *dap.StackFrame) string {
	if !s.profile.GoScheduler || at == nil || at.Name == "" {
		return name
	}
	return goroutineName().ReplaceAllString(name, "${1}"+strings.ReplaceAll(at.Name, "$", "$$"))
}

// checkThread returns an error when the program has no thread with this id. Where that cannot be found out it returns
// nil.
func (s *Session) checkThread(t *turn, id int) error {
	if s.public.state != Paused || s.stops.shown == nil || id == 0 || id == s.stops.shown.ThreadID {
		return nil
	}
	replies, ok := t.ask(limits{total: lookTimeout}, question{command: "threads"})
	if !ok {
		return errDropped
	}
	if replies[0].err != nil {
		return nil
	}
	if e := inspect.UnknownThread(id, dapclient.DecodeThreads(replies[0].m)); e != nil {
		return e
	}
	return nil
}
