package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/program"
)

// settle is how long debug_launch and debug_attach wait for a first stop after the program has started to run,
// settleAtBreakpoint the same when a breakpoint is set that can stop it.
const (
	settle             = 250 * time.Millisecond
	settleAtBreakpoint = 2 * time.Second
)

// outputTail is how many bytes of output a launch returns when the program has already ended.
const outputTail = 4096

// startResult is the result of debug_launch, debug_attach and debug_restart.
type startResult struct {
	Session     adapter.SessionInfo `json:"session"`
	Stop        *adapter.Stop       `json:"stop,omitempty"`
	TimedOut    bool                `json:"timedOut,omitempty"`
	Set         []preset            `json:"set,omitempty"`
	Breakpoints []unbound           `json:"breakpoints,omitempty"`
	ExitCode    *int                `json:"exitCode,omitempty"`
	OutputTail  string              `json:"outputTail,omitempty"`
	Build       *program.Build      `json:"build,omitempty"`
	Ran         string              `json:"ran,omitempty"`
	Parts       []startedPart       `json:"parts,omitempty"`
	Warning     string              `json:"warning,omitempty"`
}

// unbound is a breakpoint that is not bound, or not yet, with the reason.
type unbound struct {
	ID            string          `json:"id"`
	Type          breakpoint.Kind `json:"type"`
	File          string          `json:"file,omitempty"`
	Line          int             `json:"line,omitempty"`
	Function      string          `json:"function,omitempty"`
	ExceptionType string          `json:"exceptionType,omitempty"`
	Expression    string          `json:"expression,omitempty"`
	State         string          `json:"state"`
	Message       string          `json:"message,omitempty"`
}

// others says that other programs are debugged, too. The children of a program go without saying.
func (s *Server) others(session *adapter.Session) []string {
	var list []string
	for _, other := range s.manager.Live() {
		if snap := other.Snapshot(); other != session && snap.Parent == "" && !other.StartedWith(session) {
			what := cmp.Or(snap.Process.Name, "attached")
			if snap.Program != "" {
				what = filepath.Base(snap.Program)
			}
			list = append(list, fmt.Sprintf("%s (%s, %s)", other.ID(), what, snap.State))
		}
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return []string{"another session lives: " + list[0] + "; name the session with session_id, or end one with " +
			"debug_disconnect"}
	}
	return []string{"other sessions live: " + strings.Join(list, ", ") + "; name the session with session_id, or end " +
		"them with debug_disconnect"}
}

// started completes the result of a start with the first stop or end. It does not wait longer than the start's time
// limit. set are the ids of the breakpoints that the call has set.
func (s *Server) started(ctx context.Context, session *adapter.Session, by time.Time, wait *bool, locals bool,
	set ...string) (startResult, error) {
	first, err := session.FirstStop(ctx, patience(wait, session.WillStop(), s.mayStop(session), time.Until(by)))
	if err != nil {
		return startResult{}, err
	}
	session.Settle(ctx)
	snap := session.Snapshot()
	stop := s.withLocals(ctx, session, snap.Stop, locals)
	result := startResult{
		Session: s.begun(ctx, session), Stop: stop, Ran: session.Ran(), Set: s.presetsOf(session, set),
		Breakpoints: s.unbound(session),
	}
	result.TimedOut = wait != nil && *wait && result.Session.State == adapter.Running && first.Child == ""
	warnings := slices.Concat(session.Warnings(), s.others(session))
	if first.Child != "" && snap.Stop == nil {
		warnings = append(warnings, childStopped(first.Child))
	}
	if first.Note != "" {
		warnings = append(warnings, first.Note)
	}
	result.Warning = strings.Join(warnings, "; ")
	if !snap.State.Live() {
		result.ExitCode = snap.ExitCode
		result.OutputTail = session.OutputTail(outputTail)
		if first.Seq == 0 {
			first.Seq = snap.EndSeq
		}
	}
	if snap.Stop != nil {
		first.Seq = snap.Stop.Seq
	}
	callFrom(ctx).Carries(session.ID(), first.Seq)
	return result, nil
}

// patience returns how long a start waits for the first stop. certain says that the program stops at its entry,
// possible that a breakpoint may stop it, left what remains of the start's time limit.
func patience(wait *bool, certain, possible bool, left time.Duration) time.Duration {
	switch {
	case wait != nil && *wait:
		return left
	case certain:
		return min(10*time.Second, max(settle, left))
	case wait == nil && possible:
		return min(settleAtBreakpoint, max(settle, left))
	}
	return settle
}

// mayStop reports whether a breakpoint is set that can stop the program of a session.
func (s *Server) mayStop(session *adapter.Session) bool {
	return slices.ContainsFunc(s.manager.Breakpoints(session.ID()), func(b breakpoint.Info) bool {
		return b.Enabled && b.Type != breakpoint.Tracepoint && b.State != breakpoint.Failed && session.MayKnow(b.File)
	})
}

// unbound lists the breakpoints that are not bound. After the end of a program none is bound; then it lists those
// that never were. A bound one is among them when a child process may have passed it.
func (s *Server) unbound(session *adapter.Session) []unbound {
	var list []unbound
	for _, b := range s.manager.Breakpoints(session.ID()) {
		waits := b.State == breakpoint.Pending || b.State == breakpoint.Failed
		if session.MayKnow(b.File) && (waits && !b.WasBound || b.Elsewhere && b.Enabled) {
			list = append(list, unbound{b.ID, b.Type, b.File, b.Line, b.Function, b.ExceptionType, b.Expression, b.State,
				b.Message})
		}
	}
	return list
}
