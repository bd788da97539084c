package daptest

// resume runs the debuggee after a stop.
func (e *engine) resume(step stepping) {
	if step.thread != nil || !e.shape.KeepsStep {
		e.step = step
	}
	e.stepped = e.step.thread != nil
	e.state = stateRunning
	e.run++
	e.resetHandles(false)
	e.atEntry, e.untold = false, nil
	if len(e.pending) > 0 {
		first := e.pending[0]
		e.pending = e.pending[1:]
		e.state = stateStopped
		if !e.shape.KeepsStep {
			e.step = stepping{}
		}
		e.stopped(first, true)
		return
	}
	e.advance()
}

// advance runs the debuggee until it stops, ends, blocks or has used its quantum.
func (e *engine) advance() {
	for range quantum {
		moved, hits := e.round()
		if e.state != stateRunning {
			return
		}
		if len(hits) > 0 {
			e.stop(hits)
			return
		}
		if e.call != nil && !e.call.callee.live {
			e.endCall()
			return
		}
		if !e.anyLive() {
			e.exit(e.prog.ExitCode)
			return
		}
		if !moved {
			e.waitForGates()
			return
		}
	}
	run := e.run
	ready := make(chan struct{})
	close(ready)
	e.a.wait(ready, func() { e.proceed(run) })
}

func (e *engine) proceed(run int) {
	if e.run == run && e.state == stateRunning {
		e.advance()
	}
}

func (e *engine) anyLive() bool {
	for _, t := range e.threads {
		if t.live && !t.def.Background {
			return true
		}
	}
	return false
}

// round moves each thread that can move by one line.
func (e *engine) round() (moved bool, hits []halt) {
	for _, t := range e.threads {
		if !t.live || e.waitsForCall(t) {
			continue
		}
		m, h := e.executeLine(t)
		if e.state != stateRunning {
			return m, nil
		}
		moved = moved || m
		if h != nil {
			hits = append(hits, *h)
		}
	}
	return moved, hits
}

// executeLine runs the line of t and moves t to the next.
func (e *engine) executeLine(t *thread) (moved bool, h *halt) {
	if !t.begun {
		t.begun = true
		return true, e.arrive(t, -1)
	}
	s := &t.cur
	if s.Gate != nil && !t.passed {
		select {
		case <-s.Gate:
			t.passed = true
		default:
			return false, nil
		}
	}
	if s.Throws != nil {
		if h, dead := e.throw(t, s.Throws); h != nil || dead {
			return true, h
		}
	}
	if s.Stdout != "" {
		e.output("stdout", s.Stdout)
	}
	if s.Stderr != "" {
		category := "stderr"
		if e.shape.Family == FamilyLLDB {
			category = "stdout" // both come through one terminal
		}
		e.output(category, s.Stderr)
	}
	if s.Loads != nil {
		e.loadModule(*s.Loads)
	}
	for _, id := range s.Starts {
		for _, other := range e.threads {
			if other.id == id && !other.live && !other.begun {
				e.startThread(other)
			}
		}
	}
	if s.Exits != nil {
		e.exit(*s.Exits)
		return true, nil
	}
	depth, touched := s.Depth(), e.touch(t)
	t.pos++
	h = e.arrive(t, depth)
	if w := e.watchHalt(t, touched); w != nil {
		return true, w
	}
	return true, h
}

// arrive puts t on its line and returns the reason to stop there, nil for none. from is the depth it comes from, -1
// at its start.
func (e *engine) arrive(t *thread, from int) *halt {
	if !e.place(t) {
		return nil
	}
	if e.shape.StepFirst && e.step.thread == t && e.stepEnds(&t.cur) {
		return &halt{thread: t, reason: "step"}
	}
	if h := e.returned(t, from); h != nil {
		return h
	}
	if !t.cur.Landing {
		if h := e.hit(t, from); h != nil {
			return h
		}
		if t.cur.Break {
			reason := "pause"
			if e.shape.Family == FamilyDelve || e.shape.Family == FamilyDebugpy {
				reason = "breakpoint"
			}
			return &halt{thread: t, reason: reason}
		}
	}
	if e.step.thread == t && e.stepEnds(&t.cur) {
		return &halt{thread: t, reason: "step"}
	}
	return nil
}

func (e *engine) stepEnds(s *Step) bool {
	d := s.Depth()
	if s.Landing {
		return d < e.step.depth
	}
	switch e.step.kind {
	case "stepIn":
		return true
	case "stepOut":
		return d < e.step.depth
	}
	return d <= e.step.depth
}

// waitForGates resumes the debuggee when a gate opens.
func (e *engine) waitForGates() {
	for _, t := range e.threads {
		if !t.live || t.waiting || t.cur.Gate == nil || t.passed {
			continue
		}
		t.waiting = true
		pos := t.pos
		e.a.wait(t.cur.Gate, func() {
			t.waiting = false
			if t.pos == pos {
				t.passed = true
			}
			if e.state == stateRunning {
				e.advance()
			}
		})
	}
}
