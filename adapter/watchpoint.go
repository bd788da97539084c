package adapter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// WatchParams are a watchpoint as a client asks for it.
type WatchParams struct {
	breakpoint.Spec
	Frame int // of the stopped thread, in which the expression is read
}

// SetWatchpoint sets a watchpoint on what an expression names at the current stop of a session.
func (m *Manager) SetWatchpoint(ctx context.Context, s *Session, p WatchParams) (info breakpoint.Info, duplicate bool,
	err error) {
	spec := p.Spec
	spec.Kind, spec.Session = breakpoint.Watchpoint, s.id
	if err := s.needsLife("watchpoint_set"); err != nil {
		return breakpoint.Info{}, false, err
	}
	if s.Snapshot().Capabilities["watchpoints"] == unavailable {
		return breakpoint.Info{}, false, s.noWatchpoints(spec.Expression)
	}
	if err := s.mayWatchMemory(spec); err != nil {
		return breakpoint.Info{}, false, err
	}
	if s.backend.Local {
		if err := m.opts.WatchTraps(); err != nil {
			e := s.noWatchpoints(spec.Expression)
			e.Message = err.Error() + "; " + fmt.Sprint(e.Details["hint"])
			return breakpoint.Info{}, false, e.With("missingCapability", "debug registers that work")
		}
	}
	if spec.Watch, err = s.findWatched(ctx, p); err != nil {
		return breakpoint.Info{}, false, err
	}
	before := m.held(spec)
	bp, duplicate, err := m.registry.Set(spec)
	if err != nil {
		return breakpoint.Info{}, false, err
	}
	if err := m.apply(ctx, bp); err != nil {
		return breakpoint.Info{}, false, err
	}
	if why := s.unwatched(bp); why != "" && before == nil {
		_, _ = m.registry.Remove(bp.ID, "")
		_ = m.apply(ctx, bp)
		return breakpoint.Info{}, false, fault.Errorf(fault.NotSupported, "%s cannot be watched: %s", spec.Expression, why).
			With("feature", "watchpoints").With("backend", s.profile.Name).With("sessionId", s.id)
	}
	info = m.infoOf(bp)
	change := "added"
	if duplicate {
		change = "changed"
	}
	m.noteBreakpoint(change, info)
	return info, duplicate, nil
}

// dropWatchpoints forgets the watchpoints of a session that has ended.
func (m *Manager) dropWatchpoints(session string) {
	for _, bp := range m.registry.ForSession(session) {
		if bp.Spec.Kind == breakpoint.Watchpoint && bp.Spec.Session == session {
			_, _ = m.registry.Remove(bp.ID, "")
		}
	}
}

// held returns the watchpoint with the same identity, nil when there is none.
func (m *Manager) held(spec breakpoint.Spec) *breakpoint.Breakpoint {
	for _, bp := range m.registry.ForSession(spec.Session) {
		if bp.Spec.Kind == breakpoint.Watchpoint && bp.Spec.Identity() == spec.Identity() {
			return bp
		}
	}
	return nil
}

// findWatched finds the memory of a watchpoint at the current stop.
func (s *Session) findWatched(ctx context.Context, p WatchParams) (*inspect.Watched, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return v.Watch(inspect.WatchQuery{Expression: p.Expression, Access: p.Access, Frame: p.Frame})
}

// unwatched returns why the debugger has not set a watchpoint, or has dropped another one for it (lldb-dap).
func (s *Session) unwatched(newest *breakpoint.Breakpoint) string {
	snap := s.Snapshot()
	for _, bp := range s.manager.registry.ForSession(s.id) {
		b := snap.Bindings[bp.ID]
		if bp.Spec.Kind == breakpoint.Watchpoint && bp.Enabled && b != nil && b.State == breakpoint.Failed &&
			(bp.ID == newest.ID || noRegister().MatchString(b.Message)) {
			return b.Message
		}
	}
	return ""
}

// mayWatchMemory checks the expressions of a watchpoint when read-only.
func (s *Session) mayWatchMemory(spec breakpoint.Spec) error {
	if !s.manager.opts.Permissions.ReadOnly {
		return nil
	}
	for _, text := range append(spec.Expressions(), spec.Expression) {
		if err := inspect.RefuseEffects(s.profile, s.id, text, "--read-only"); err != nil {
			return err
		}
	}
	return nil
}

// mostAssignments is how many experiments one batch_evaluate takes.
const mostAssignments = 20

// experimentOf is an argument of batch_evaluate.
type experimentOf struct {
	Trigger struct {
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"trigger"`
	Capture []string `json:"capture"`
}

// assignments returns experiments for batch_evaluate: one for each line of the program's sources that assigns what an
// expression names, those of the current stop's file first.
func (s *Session) assignments(expression string) []experimentOf {
	files := s.Files()
	if stop := s.Snapshot().Stop; stop != nil && stop.Location != nil {
		if i := slices.Index(files, stop.Location.File); i > 0 {
			toFront(files, stop.Location.File)
		}
	}
	list := []experimentOf{}
	for _, file := range files {
		if strings.Contains(file, "/obj/") || strings.Contains(file, "/site-packages/") {
			continue // made by the compiler, or a library's
		}
		source, err := s.ReadSource(file)
		if err != nil {
			continue
		}
		for _, line := range mapping.Assignments(string(source.Text), expression, s.profile.Language == dapclient.Python) {
			x := experimentOf{Capture: []string{expression}}
			x.Trigger.File, x.Trigger.Line = file, line
			if list = append(list, x); len(list) == mostAssignments {
				return list
			}
		}
	}
	return list
}

// noWatchpoints is the error of a debugger without data breakpoints. It says where the program assigns the variable.
func (s *Session) noWatchpoints(expression string) *fault.Error {
	list := s.assignments(expression)
	hint := "no line of the sources that the program has named so far assigns " + expression +
		"; stop where it is used, and look at it with snapshot_create before and after"
	if len(list) > 0 {
		var places []string
		for _, x := range list {
			places = append(places, fmt.Sprintf("%s:%d", mapping.Base(x.Trigger.File), x.Trigger.Line))
		}
		hint = fmt.Sprintf("these lines assign %s: %s; batch_evaluate with the experiments of the details logs it there, "+
			"before each of them runs", expression, strings.Join(places, ", "))
	}
	return notSupported(s, "watchpoints", "supportsDataBreakpoints", hint).With("experiments", list)
}
