package adapter

import (
	"context"

	"breakwire/adapter/inspect"
	"breakwire/dapclient"
)

// with returns the stop with the locals that were read.
func (stop *Stop) with(r *inspect.LocalsRead) *Stop {
	if r == nil || r.Shown == nil {
		return stop
	}
	full := *stop
	full.Locals, full.LocalsOmitted = r.Shown, r.Omitted
	return &full
}

// WithLocals returns a stop with the arguments and locals of its frame. They are read once for each stop, in
// LocalsTimeout at most. The stop has none when that fails or the program is resumed meanwhile. stop may be nil.
func (s *Session) WithLocals(ctx context.Context, stop *Stop) *Stop {
	if stop == nil {
		return nil
	}
	r, mine := s.inspection.cache.BeginLocals(stop.Seq)
	switch {
	case mine:
		defer close(r.Over)
		r.Shown, r.Omitted = s.readLocals(ctx, stop)
	case r != nil:
		<-r.Over
	}
	return stop.with(r)
}

// AwaitLocals says that an answer will have the locals of the next stop, until done is called.
func (s *Session) AwaitLocals() (done func()) {
	s.inspection.localsAwaited.Add(1)
	return func() { s.inspection.localsAwaited.Add(-1) }
}

// earlyLocals returns the questions for the locals of a stop when they can be sent together with that for its frame: an
// answer will have them, and their ids are known before.
func (s *Session) earlyLocals() []*inspect.Early {
	if s.inspection.localsAwaited.Load() == 0 || !s.profile.PipelineHits || s.backend.Replayed {
		return nil
	}
	return s.inspection.cache.EarlyLocals()
}

// askEarly sends early questions and returns them. It returns nil when they cannot be sent.
func (s *Session) askEarly(early []*inspect.Early) []*inspect.Early {
	requests := make([]dapclient.Request, len(early))
	for i, e := range early {
		requests[i] = dapclient.Request{Command: e.Command, Args: e.Args, Done: e.Answer}
	}
	if _, err := s.debugger.conn.Send(requests...); err != nil {
		return nil
	}
	return early
}

// KeptLocals returns a stop with its locals when an answer has had them. It never waits. stop may be nil.
func (s *Session) KeptLocals(stop *Stop) *Stop {
	if stop == nil {
		return nil
	}
	return stop.with(s.inspection.cache.KeptLocals(stop.Seq))
}

// readLocals reads the locals of a stop. They are nil when that fails. Other calls get them too, so the end of the
// caller's request does not end the read.
func (s *Session) readLocals(ctx context.Context, stop *Stop) (shown inspect.Locals, omitted int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.manager.opts.LocalsTimeout)
	defer cancel()
	v, end, err := s.view(ctx)
	if err != nil {
		return nil, 0
	}
	defer end()
	if v.Stop.Seq != stop.Seq {
		return nil, 0
	}
	if shown, omitted, err = v.ReadLocals(); err != nil {
		return nil, 0
	}
	return shown, omitted
}
