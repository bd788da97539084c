package adapter

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/adapter/program"
)

// SetBreakpoint sets a breakpoint or tracepoint, or changes the settings of an existing one (duplicate). It returns
// after the debuggers have answered, or with an error that says why it can never be bound.
func (m *Manager) SetBreakpoint(ctx context.Context, spec breakpoint.Spec) (info breakpoint.Info, duplicate bool,
	err error) {
	if spec.File != "" {
		if err := m.checkLine(spec); err != nil {
			return breakpoint.Info{}, false, err
		}
	}
	if err := m.checkSupport(spec); err != nil {
		return breakpoint.Info{}, false, err
	}
	if err := m.mayWatch(spec); err != nil {
		return breakpoint.Info{}, false, err
	}
	if err := m.checkCondition(spec); err != nil {
		return breakpoint.Info{}, false, err
	}
	for _, s := range m.Sessions() {
		if s.id == spec.Session {
			if err := s.needsLife("a breakpoint"); err != nil {
				return breakpoint.Info{}, false, err
			}
		}
	}
	spec.Real = breakpoint.RealPath(spec.File)
	bp, duplicate, err := m.registry.Set(spec)
	if err != nil {
		return breakpoint.Info{}, false, err
	}
	if spec.Kind == breakpoint.Function {
		for _, s := range m.Sessions() {
			s.learnFunctions(ctx)
		}
	}
	if err := m.apply(ctx, bp); err != nil {
		return breakpoint.Info{}, false, err
	}
	if spec.Kind != breakpoint.Exception {
		for _, s := range m.Sessions() {
			s.Settle(ctx)
		}
	}
	if refused := m.refused(bp); refused != nil && !duplicate {
		_, _ = m.registry.Remove(bp.ID, "")
		_ = m.apply(ctx, bp)
		return breakpoint.Info{}, false, refused
	}
	info = m.infoOf(bp)
	change := "added"
	if duplicate {
		change = "changed"
	}
	m.noteBreakpoint(change, info)
	return info, duplicate, nil
}

// SetBreakpoints sets several breakpoints, all or none. It returns their ids, and undo, which takes them back. After an
// error the ids are those of the breakpoints before the wrong one.
func (m *Manager) SetBreakpoints(ctx context.Context, specs []breakpoint.Spec) (ids []string, undo func(), err error) {
	var before []*breakpoint.Breakpoint
	undo = func() {
		ctx := context.WithoutCancel(ctx)
		for i, id := range slices.Backward(ids) {
			if before[i] == nil {
				_, _ = m.RemoveBreakpoints(ctx, id, "")
			} else if m.registry.Restore(before[i]) {
				_ = m.apply(ctx, before[i])
				m.noteBreakpoint("changed", m.infoOf(before[i]))
			}
		}
	}
	for _, spec := range specs {
		old := m.registry.Same(spec)
		info, _, err := m.SetBreakpoint(ctx, spec)
		if err != nil {
			undo()
			return ids, nil, err
		}
		ids, before = append(ids, info.ID), append(before, old)
	}
	return ids, undo, nil
}

// EnableBreakpoint enables or disables a breakpoint. Enabling a tracepoint restarts its limit.
func (m *Manager) EnableBreakpoint(ctx context.Context, id string, enabled bool) (breakpoint.Info, error) {
	bp, changed, err := m.registry.Enable(id, enabled)
	if err != nil {
		return breakpoint.Info{}, err
	}
	if changed && enabled {
		for _, s := range m.Sessions() {
			if b := s.Snapshot().Bindings[id]; b != nil {
				b.Counts.Rearm()
			}
		}
	}
	if changed {
		if err := m.apply(ctx, bp); err != nil {
			return breakpoint.Info{}, err
		}
	}
	info := m.infoOf(bp)
	if changed {
		m.noteBreakpoint("changed", info)
	}
	return info, nil
}

// RemoveBreakpoints removes one breakpoint, or all with id "", and returns their ids.
func (m *Manager) RemoveBreakpoints(ctx context.Context, id, session string) ([]string, error) {
	gone, err := m.registry.Remove(id, session)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(gone))
	infos := make([]breakpoint.Info, len(gone))
	for i, bp := range gone {
		ids[i], infos[i] = bp.ID, m.infoOf(bp)
	}
	err = m.apply(ctx, gone...)
	for _, info := range infos {
		m.noteBreakpoint("removed", info)
	}
	return ids, err
}

// Breakpoints lists all breakpoints with their state in a session. "" means all live sessions, or the one that ended
// last.
func (m *Manager) Breakpoints(session string) []breakpoint.Info {
	list := m.registry.ForSession(session)
	infos := make([]breakpoint.Info, len(list))
	for i, bp := range list {
		if session != "" {
			if s, _ := m.Readable(session); s != nil {
				infos[i] = bp.Info(s.Snapshot().Bindings[bp.ID])
				continue
			}
		}
		infos[i] = m.infoOf(bp)
	}
	return infos
}

// Breakpoint returns a breakpoint by id.
func (m *Manager) Breakpoint(id string) (*breakpoint.Breakpoint, error) { return m.registry.Get(id) }

// apply sends changed breakpoints to the live sessions and waits until their debuggers have answered.
func (m *Manager) apply(ctx context.Context, changed ...*breakpoint.Breakpoint) error {
	for _, s := range m.Sessions() {
		mine := false
		for _, bp := range changed {
			mine = mine || s.concerns(bp.Spec)
		}
		if !mine {
			continue
		}
		_, err := inTurn(ctx, s, func(t *turn) (struct{}, error) {
			if !s.applyChanged(t, changed) {
				return struct{}{}, errDropped
			}
			return struct{}{}, nil
		})
		if err != nil && fault.CodeOf(err) != fault.NoSession && fault.CodeOf(err) != fault.BackendExited {
			return err // the end of a session is no failure of the breakpoint
		}
	}
	return nil
}

// applyChanged sends changed breakpoints to the debugger and returns when it has answered.
func (s *Session) applyChanged(t *turn, changed []*breakpoint.Breakpoint) bool {
	if !s.canSync() {
		s.judgeAgain()
		return true
	}
	files, functions := s.filesOf(changed)
	var works []func(*turn)
	if functions {
		works = append(works, func(t *turn) { s.syncFunctions(t) })
	}
	holds := func(kind breakpoint.Kind) bool {
		return slices.ContainsFunc(changed, func(bp *breakpoint.Breakpoint) bool { return bp.Spec.Kind == kind })
	}
	if holds(breakpoint.Exception) {
		works = append(works, func(t *turn) { s.syncExceptions(t) })
		if s.held.Panics != nil {
			works = append(works, func(t *turn) { s.syncFunctions(t) })
		}
	}
	if holds(breakpoint.Watchpoint) {
		works = append(works, func(t *turn) { s.changeWatches(t) })
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		works = append(works, func(t *turn) { s.sync(t, file) })
	}
	return t.together(works...)
}

// beginApply is applyChanged without waiting for the answer.
func (s *Session) beginApply(changed []*breakpoint.Breakpoint) {
	s.begin(func(t *turn) { s.applyChanged(t, changed) })
}

// canSync reports whether breakpoints may be sent. Those set before the adapter is ready are sent with the
// configuration.
func (s *Session) canSync() bool {
	if s.closing() || s.debugger.conn == nil {
		return false
	}
	return s.start.done || (s.start.run != nil && s.start.run.configuring)
}

// exhaust disables a tracepoint that has reached its limit and removes it from the debuggers of other sessions. It
// returns the disabled breakpoint when s has to remove it too, else nil.
func (m *Manager) exhaust(s *Session, bp *breakpoint.Breakpoint) *breakpoint.Breakpoint {
	off, changed, err := m.registry.Enable(bp.ID, false)
	if err != nil || !changed {
		return nil
	}
	m.noteBreakpoint("changed", off.Info(s.held.Bindings[bp.ID]))
	for _, other := range m.Sessions() {
		if other != s {
			other.post(func() { other.drop(off) })
		}
	}
	return off
}

func (m *Manager) noteBreakpoint(change string, info breakpoint.Info) {
	m.journal.Add(journal.Entry{
		Session: info.SessionID, Class: journal.Control, Type: journal.TypeBreakpoint, BreakpointID: info.ID,
		Data: &breakpoint.Change{Change: change, Breakpoint: info},
	})
}

// checkLine refuses a breakpoint in a file that does not exist, or after its last line.
func (m *Manager) checkLine(spec breakpoint.Spec) error {
	if !m.localSources() {
		return nil
	}
	info, err := os.Stat(spec.File)
	if err != nil {
		return fault.Errorf(fault.InvalidFile, "file %s: %v; give the source file's absolute path, or one relative to the "+
			"project root", spec.File, program.PathReason(err)).With("file", spec.File)
	}
	if info.IsDir() {
		return fault.Errorf(fault.InvalidFile, "%s is a folder, not a source file", spec.File).With("file", spec.File)
	}
	total, err := m.sources.countLines(spec.File)
	if err == nil && spec.Line > total {
		return fault.Errorf(fault.InvalidLine, "%s has %d lines; there is no line %d", spec.File, total, spec.Line).
			With("file", spec.File).With("line", spec.Line).With("totalLines", total)
	}
	return nil
}

// localSources reports whether source files are on this disk. They are not with a recording, a remote adapter or a path
// map.
func (m *Manager) localSources() bool {
	if m.opts.Backends.Remote() || !m.opts.PathMap.Empty() {
		return false
	}
	for _, s := range m.Sessions() {
		if !s.backend.Local {
			return false
		}
	}
	return true
}

// checkSupport refuses what the debugger of no live session can do or emulate.
func (m *Manager) checkSupport(spec breakpoint.Spec) error {
	var first error
	for _, s := range m.Sessions() {
		if !s.concerns(spec) {
			continue
		}
		err := s.checkSupport(spec)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// functionHint is what to do where function breakpoints are not supported.
const functionHint = "set a line breakpoint in the function"

func (s *Session) checkSupport(spec breakpoint.Spec) error {
	if spec.Column > 0 && s.profile.NoColumns {
		return notSupported(s, "column", "breakpoints by column", "leave column out")
	}
	snap := s.Snapshot()
	if spec.Kind == breakpoint.Function && snap.Capabilities["functionBreakpoints"] == unavailable {
		return notSupported(s, "functionBreakpoints", "supportsFunctionBreakpoints", functionHint)
	}
	if spec.Kind == breakpoint.Exception && snap.Capabilities["exceptionBreakpoints"] == unavailable {
		return notSupported(s, "exceptionBreakpoints", "exceptionBreakpointFilters",
			"set a breakpoint where the exception is made")
	}
	if spec.Kind == breakpoint.Exception && !s.tellsType(spec.ExceptionType) {
		return notSupported(s, "exception breakpoints by type", "types of exceptions", s.typeHint())
	}
	return nil
}

func notSupported(s *Session, feature, capability, hint string) *fault.Error {
	return fault.Errorf(fault.NotSupported, "%s does not support %s; %s", s.profile.Name, feature, hint).
		With("feature", feature).With("missingCapability", capability).With("backend", s.profile.Name).
		With("hint", hint).With("sessionId", s.id)
}

// refused returns an error when a breakpoint can never be bound: each live session that it concerns says so, by a
// debugger with FinalRefusal or by the symbols.
func (m *Manager) refused(bp *breakpoint.Breakpoint) *fault.Error {
	if bp.Spec.File == "" {
		return nil
	}
	var first *fault.Error
	for _, s := range m.Sessions() {
		if !s.concerns(bp.Spec) {
			continue
		}
		b := s.Snapshot().Bindings[bp.ID]
		if b == nil || b.State != breakpoint.Failed || !s.profile.FinalRefusal && !b.Refused {
			return nil
		}
		if first == nil {
			first = refusalOf(bp, s, b)
		}
	}
	return first
}

func refusalOf(bp *breakpoint.Breakpoint, s *Session, b *breakpoint.Binding) *fault.Error {
	e := fault.Errorf(fault.InvalidLine, "no breakpoint can be set at %s:%d: %s", bp.Spec.File, bp.Spec.Line, b.Message).
		With("file", bp.Spec.File).With("line", bp.Spec.Line).With("sessionId", s.id)
	if !b.Refused {
		e.With("backendMessage", strings.TrimSuffix(b.Message, b.Why))
	}
	if b.Nearest > 0 {
		e.With("nearestLine", b.Nearest)
	}
	return e
}
