package adapter

import (
	"context"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/mapping"
	"breakwire/tracepoints"
)

// Limits of a batch.
const (
	MaxExperiments = 20
	maxCaptureOf   = 20       // expressions of one experiment
	maxHitsOf      = 1000     // hits of one experiment
	batchBytes     = 64 << 10 // of all values; the values of further hits are only in the journal
	cleanUpTime    = 15 * time.Second
)

// Values of BatchResult.CompletionReason.
const (
	BatchAllTriggered = "all_triggered"
	BatchHitLimit     = "hit_limit_reached"
	BatchTimeout      = "timeout"
	BatchExited       = "process_exited"
	BatchStopped      = "stopped" // something else stopped the program visibly: it stays so
)

// Experiment is one place to observe while the program runs.
type Experiment struct {
	File      string
	Line      int
	Condition string
	Capture   []string
	MaxHits   int
}

// BatchQuery selects what to collect. Full allows expressions with side effects.
type BatchQuery struct {
	Experiments []Experiment
	Timeout     time.Duration
	MaxTotal    int // hits of all experiments
	Full        bool
}

// BatchHit is one hit of an experiment.
type BatchHit struct {
	Seq        uint64            `json:"seq"` // of the tracepoint event in the journal
	Timestamp  string            `json:"timestamp"`
	ThreadID   int               `json:"threadId"`
	Location   inspect.Location  `json:"location"`
	Values     map[string]string `json:"values"`
	EvalErrors map[string]string `json:"evalErrors,omitempty"`
}

// ExperimentResult is the result of one experiment. HitCount also counts hits whose values are not listed.
type ExperimentResult struct {
	Index    int        `json:"index"`
	Status   string     `json:"status"` // triggered, not_triggered, error
	HitCount int        `json:"hitCount"`
	Error    string     `json:"error,omitempty"`
	Hits     []BatchHit `json:"hits"`
}

// BatchResult is the result of batch_evaluate.
type BatchResult struct {
	CompletionReason string             `json:"completionReason"`
	Total            int                `json:"totalExperiments"`
	Triggered        int                `json:"triggered"`
	NotTriggered     int                `json:"notTriggered"`
	Errors           int                `json:"errors"`
	Experiments      []ExperimentResult `json:"experiments"`
	Stop             *Stop              `json:"stop,omitempty"`
	ExitCode         *int               `json:"exitCode,omitempty"`
	Signal           string             `json:"signal,omitempty"`
	Note             string             `json:"note,omitempty"`
	Passed           []FurtherHit       `json:"passed,omitempty"`
}

// gathering is what the experiments of a batch share. The session's goroutine reports the hits.
type gathering struct {
	mu    sync.Mutex
	left  int // hits until the total limit
	open  int // experiments that have not reached their limit
	bytes int
	done  chan string // receives the completion reason, once
	over  bool
}

// experiment is an experiment of a running batch.
type experiment struct {
	*gathering
	Experiment
	exprs  []string // as the template has them
	id     string   // id of its tracepoint
	result ExperimentResult
}

// take records a hit. values are in the order of the expressions; failure is why the condition could not be decided.
func (x *experiment) take(h *Hit, values []tracepoints.Value, failure string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || x.result.HitCount >= x.MaxHits {
		return
	}
	x.result.HitCount++
	x.left--
	hit := BatchHit{Seq: h.Seq, Timestamp: h.Timestamp, ThreadID: h.ThreadID, Location: h.Location,
		Values: map[string]string{}}
	fail := func(expression, why string) {
		if hit.EvalErrors == nil {
			hit.EvalErrors = map[string]string{}
		}
		hit.EvalErrors[expression] = why
	}
	if failure != "" {
		fail(x.Condition, failure)
	}
	size := 160
	for i, e := range x.exprs {
		switch {
		case i >= len(values):
			fail(e, "no value came")
		case values[i].Err != "":
			fail(e, values[i].Err)
		default:
			hit.Values[e] = mapping.Clip(values[i].Text, inspect.MaxValue)
			size += len(hit.Values[e])
		}
		size += len(e) + 8
	}
	if x.bytes += size; x.bytes <= batchBytes {
		x.result.Hits = append(x.result.Hits, hit)
	}
	if x.result.HitCount == x.MaxHits {
		x.open--
	}
	switch {
	case x.open == 0:
		x.end(BatchAllTriggered)
	case x.left == 0:
		x.end(BatchHitLimit)
	}
}

// end ends the batch with a completion reason. g.mu is held.
func (g *gathering) end(why string) {
	if !g.over {
		g.over = true
		g.done <- why
	}
}

// Batch sets all experiments, runs the program until they have their hits or something ends the batch, and removes
// them. A program that was paused is paused again afterwards. Each experiment is a tracepoint while the batch runs, so
// it appears in lists and in the journal. It returns BatchRunning while another batch of the session runs.
func (s *Session) Batch(ctx context.Context, q BatchQuery) (BatchResult, error) {
	if !s.inspection.batch.CompareAndSwap(false, true) {
		return BatchResult{}, fault.Errorf(fault.BatchRunning,
			"a batch_evaluate of session %s is running; wait for its answer",
			s.id).With("sessionId", s.id)
	}
	r, restore, err := s.runBatch(ctx, q)
	// The tracepoints are removed even when nobody waits any more. A debugger that does not answer then delays nobody.
	restored := make(chan struct{})
	s.manager.background.Go(func() {
		defer close(restored)
		defer s.inspection.batch.Store(false)
		restore()
	})
	select {
	case <-restored:
	case <-ctx.Done():
		return BatchResult{}, fault.OfContext(ctx)
	}
	if err != nil {
		return BatchResult{}, err
	}
	return *r, nil
}

// runBatch runs a batch to its end. restore removes the tracepoints, restores the program's state and completes the
// result.
func (s *Session) runBatch(ctx context.Context, q BatchQuery) (r *BatchResult, restore func(), err error) {
	r = new(BatchResult)
	restore = func() {}
	if err := s.checkRuns(); err != nil {
		return r, restore, err
	}
	g := &gathering{left: q.MaxTotal, done: make(chan string, 1)}
	all, err := s.experiments(g, q)
	if err != nil {
		return r, restore, err
	}
	stop := s.Snapshot().Stop
	paused, left := s.Snapshot().State == Paused, false // left: the program was paused and has been resumed
	restore = func() {
		ctx, cancel := context.WithTimeout(s.manager.ctx, cleanUpTime)
		defer cancel()
		s.removeExperiments(ctx, all)
		if left && r.CompletionReason != BatchStopped && r.CompletionReason != BatchExited {
			s.pauseAgain(ctx, r)
		}
	}
	if err := s.setExperiments(ctx, all); err != nil {
		return r, restore, err
	}
	after := s.journal.LastSeq()
	if left = paused; left {
		if err := s.Continue(ctx, 0, AnyStop); err != nil {
			return r, restore, err
		}
	}
	*r, err = s.gather(ctx, g, after, q.Timeout)
	g.mu.Lock()
	g.over = true // further hits are only journalled
	g.mu.Unlock()
	r.collect(s, all)
	r.Passed = s.Passed(stop)
	return r, restore, err
}

// experiments checks all experiments before any is set.
func (s *Session) experiments(g *gathering, q BatchQuery) ([]*experiment, error) {
	if len(q.Experiments) == 0 || len(q.Experiments) > MaxExperiments {
		return nil, fault.Errorf(fault.InvalidParameter, "there are %d experiments; give 1 to %d", len(q.Experiments),
			MaxExperiments).With("parameter", "experiments")
	}
	all := make([]*experiment, len(q.Experiments))
	for i, e := range q.Experiments {
		refuse := func(err error) error { return fault.AsError(err).With("parameter", "experiments").With("index", i) }
		switch {
		case len(e.Capture) > maxCaptureOf:
			return nil, refuse(fault.Errorf(fault.InvalidParameter, "experiment %d captures %d expressions; give up to %d", i,
				len(e.Capture), maxCaptureOf))
		case e.MaxHits < 1 || e.MaxHits > maxHitsOf:
			return nil, refuse(fault.Errorf(fault.InvalidParameter, "max_hits of experiment %d is %d; give 1 to %d", i,
				e.MaxHits,
				maxHitsOf))
		}
		x := &experiment{gathering: g, Experiment: e, result: ExperimentResult{Index: i, Status: "not_triggered",
			Hits: []BatchHit{}}}
		if message := x.message(); message != "" {
			t, err := tracepoints.Parse(message)
			if err != nil {
				return nil, refuse(fault.Errorf(fault.InvalidParameter, "capture of experiment %d: %v", i, err))
			}
			x.exprs = t.Expressions()
		}
		if !q.Full {
			checked := x.exprs
			if e.Condition != "" {
				checked = append([]string{e.Condition}, checked...)
			}
			for _, text := range checked {
				if err := inspect.RefuseEffects(s.profile, s.id, text, `eval_mode "safe"`); err != nil {
					return nil, refuse(err)
				}
			}
		}
		all[i] = x
	}
	g.open = len(all)
	return all, nil
}

// message is the tracepoint's text, so that its hits can be read in the journal.
func (x *experiment) message() string {
	parts := make([]string, 0, len(x.Capture))
	for _, e := range x.Capture {
		e = strings.TrimSpace(e)
		label := strings.NewReplacer("{", "{{", "}", "}}").Replace(e)
		parts = append(parts, label+" = { "+e+" }")
	}
	return strings.Join(parts, ", ")
}

// setExperiments sets the tracepoints. A tracepoint that cannot be set is an error of its experiment; when none can be
// set, the first error is the call's.
func (s *Session) setExperiments(ctx context.Context, all []*experiment) error {
	var first error
	set := 0
	for _, x := range all {
		info, _, err := s.manager.SetBreakpoint(ctx, breakpoint.Spec{
			Kind: breakpoint.Tracepoint, Session: s.id, File: x.File, Line: x.Line, Condition: x.Condition,
			LogMessage: x.message(), Max: x.MaxHits,
			Strategy: "stop", Owner: x,
		})
		if ctx.Err() != nil {
			return fault.OfContext(ctx)
		}
		x.mu.Lock()
		if err != nil {
			x.result.Status, x.result.Error = "error", fault.AsError(err).Message
			if x.open--; x.open == 0 && set > 0 {
				x.end(BatchAllTriggered)
			}
			if first == nil {
				first = fault.AsError(err).With("index", x.result.Index)
			}
		} else {
			x.id = info.ID
			set++
		}
		x.mu.Unlock()
	}
	if set == 0 {
		return first
	}
	return nil
}

// gather waits until the limits are reached or the program does something else.
func (s *Session) gather(ctx context.Context, g *gathering, after uint64, timeout time.Duration) (BatchResult, error) {
	type waited struct {
		WaitResult
		err error
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	other := make(chan waited, 1)
	go func() {
		r, err := s.Wait(waiting, after, timeout)
		other <- waited{r, err}
	}()
	select {
	case why := <-g.done:
		stop()
		<-other
		return BatchResult{CompletionReason: why}, nil
	case w := <-other:
		select {
		case why := <-g.done: // at the same moment
			if w.err == nil && w.Stop == nil {
				return BatchResult{CompletionReason: why, ExitCode: w.ExitCode, Signal: w.Signal}, nil
			}
		default:
		}
		switch {
		case w.err != nil:
			return BatchResult{}, w.err
		case w.Reason == WaitTimeout:
			return BatchResult{CompletionReason: BatchTimeout}, nil
		case w.Stop != nil:
			return BatchResult{CompletionReason: BatchStopped, Stop: w.Stop}, nil
		}
		return BatchResult{CompletionReason: BatchExited, ExitCode: w.ExitCode, Signal: w.Signal}, nil
	}
}

// collect copies the results. An experiment without a hit gets its tracepoint's message.
func (r *BatchResult) collect(s *Session, all []*experiment) {
	r.Total = len(all)
	listed := true
	for _, x := range all {
		x.mu.Lock()
		result := x.result
		x.mu.Unlock()
		switch {
		case result.Status == "error":
			r.Errors++
		case result.HitCount > 0:
			result.Status = "triggered"
			r.Triggered++
		default:
			r.NotTriggered++
			if b := s.Snapshot().Bindings[x.id]; b != nil && b.State != breakpoint.Bound && b.Message != "" {
				result.Error = b.Message
			}
		}
		listed = listed && len(result.Hits) == result.HitCount
		r.Experiments = append(r.Experiments, result)
	}
	if !listed {
		r.Note = "not all hits fit into this answer: events_query with types [\"tracepoint\"] has them"
	}
}

// removeExperiments removes the tracepoints.
func (s *Session) removeExperiments(ctx context.Context, all []*experiment) {
	for _, x := range all {
		if x.id == "" {
			continue
		}
		_, err := s.manager.RemoveBreakpoints(ctx, x.id, "")
		if err != nil && fault.CodeOf(err) != fault.BreakpointNotFound {
			s.log.Warn("remove an experiment", "id", x.id, "error", err)
		}
		x.id = ""
	}
}

// pauseAgain pauses the program again.
func (s *Session) pauseAgain(ctx context.Context, r *BatchResult) {
	stop, _, err := s.Pause(ctx)
	switch {
	case err == nil:
		r.Stop = stop
	case !s.Snapshot().State.Live():
		r.ExitCode, r.Signal = s.Snapshot().ExitCode, s.Snapshot().Signal
	default:
		r.Note = strings.TrimPrefix(r.Note+"; the program could not be paused again: "+fault.AsError(err).Message, "; ")
	}
}
