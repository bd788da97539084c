package adapter

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// changeWatches sends changed watchpoints now if the program is stopped, else at its next stop: debuggers do not change
// them while it runs.
func (s *Session) changeWatches(t *turn) bool {
	s.held.Watched.Set.Wished++
	if s.public.state == Paused {
		return s.syncWatches(t)
	}
	s.rebind()
	return true
}

// syncWatches sends the list of data breakpoints (DAP, setDataBreakpoints), and sets breakpoints where the functions of
// watched locals return to.
func (s *Session) syncWatches(t *turn) bool {
	if !s.debugger.capabilities.SupportsDataBreakpoints {
		return true
	}
	ok := s.syncSet(t, s.held.Watched.Set, s.wantedWatches, func(entries []*breakpoint.Entry) question {
		list := make([]dap.DataBreakpoint, len(entries))
		for i, e := range entries {
			list[i] = dap.DataBreakpoint{DataId: e.Watch.DataID, AccessType: dap.DataBreakpointAccessType(e.Watch.Access)}
		}
		return question{"setDataBreakpoints", dapclient.SetDataBreakpointsArguments{Breakpoints: list}}
	})
	return ok && s.syncReturns(t)
}

// watchpoints returns the session's watchpoints whose memory is still theirs, enabled or not.
func (s *Session) watchpoints() []*breakpoint.Breakpoint {
	return slices.DeleteFunc(s.all(), func(bp *breakpoint.Breakpoint) bool {
		return bp.Spec.Kind != breakpoint.Watchpoint || s.held.Watched.Ended[bp.ID] != ""
	})
}

func (s *Session) wantedWatches() []*breakpoint.Entry {
	var entries []*breakpoint.Entry
	for _, bp := range s.watchpoints() {
		if w := bp.Spec.Watch; bp.Enabled {
			entries = append(entries, &breakpoint.Entry{Watch: w, Last: w.First, Logicals: []*breakpoint.Breakpoint{bp}})
		}
	}
	return entries
}

// syncReturns sets and removes the breakpoints at returns.
func (s *Session) syncReturns(t *turn) bool {
	wanted := map[string]*inspect.WatchedFrame{}
	for _, bp := range s.watchpoints() {
		if f := bp.Spec.Watch.Frame; f != nil {
			wanted[bp.ID] = f
		}
	}
	have := s.held.Watched.Returns
	if slices.Equal(slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(wanted))) {
		return true
	}
	if s.profile.Watches == "delve" {
		return s.sendReturns(t, wanted)
	}
	for _, id := range slices.Sorted(maps.Keys(have)) {
		if wanted[id] == nil {
			if _, ok := s.command(t, fmt.Sprintf("breakpoint delete %d", have[id])); !ok {
				return false
			}
			delete(have, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		if _, done := have[id]; done {
			continue
		}
		f := wanted[id]
		said, ok := s.command(t, fmt.Sprintf("breakpoint set -t %d -c '%s' -a %s", f.Thread, f.Gone, f.Returns))
		if !ok {
			return false
		}
		if m := madeBreakpoint().FindStringSubmatch(said); m != nil {
			have[id], _ = strconv.Atoi(m[1])
		}
	}
	return true
}

var madeBreakpoint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^Breakpoint (\d+):`) })

// command sends a command of LLDB and returns what it says.
func (s *Session) command(t *turn, text string) (said string, ok bool) {
	replies, ok := t.ask(limits{total: bindTimeout}, question{"evaluate", dapclient.EvaluateArguments{
		Expression: "`" + text, Context: "repl"}})
	if !ok {
		return "", false
	}
	body, _ := evaluated(replies[0])
	return body.Result, true
}

// sendReturns sends them all (DAP, setInstructionBreakpoints).
func (s *Session) sendReturns(t *turn, wanted map[string]*inspect.WatchedFrame) bool {
	ids := slices.Sorted(maps.Keys(wanted))
	list := make([]dap.InstructionBreakpoint, len(ids))
	for i, id := range ids {
		list[i] = dap.InstructionBreakpoint{InstructionReference: wanted[id].Returns, Condition: wanted[id].Gone}
	}
	replies, ok := t.ask(limits{total: bindTimeout}, question{"setInstructionBreakpoints",
		dapclient.SetInstructionBreakpointsArguments{Breakpoints: list}})
	if !ok {
		return false
	}
	clear(s.held.Watched.Returns)
	if replies[0].err != nil {
		return true
	}
	body, _ := dapclient.DecodeBody[struct {
		Breakpoints []breakpoint.Answer `json:"breakpoints"`
	}](replies[0].m)
	for i, id := range ids {
		if i < len(body.Breakpoints) && body.Breakpoints[i].ID != nil {
			s.held.Watched.Returns[id] = *body.Breakpoints[i].ID
		}
	}
	return true
}

// bindWatch sets the state of a watchpoint.
func (s *Session) bindWatch(bp *breakpoint.Breakpoint, e *breakpoint.Entry, b *breakpoint.Binding) {
	switch why := s.held.Watched.Ended[bp.ID]; {
	case why != "":
		b.State, b.Message = breakpoint.Failed, why
	case e == nil || s.held.Watched.Due() && !e.Verified && e.Message == "":
		b.Message = "it is set when the program stops next"
	case e.Verified:
		b.State = breakpoint.Bound
	default:
		b.State, b.Message = breakpoint.Failed, watchLimit(e.Message)
	}
}

// noRegister matches what debuggers say when the processor watches all that it can.
var noRegister = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)exhausted|watchpoint resources failed`)
})

// watchLimit explains why a debugger does not watch memory.
func watchLimit(message string) string {
	if message == "" || noRegister().MatchString(message) {
		text := "the processor watches no more: most have four registers for it, and memory that is not aligned takes two; " +
			"remove another watchpoint first"
		return strings.TrimSuffix(text+" ("+message+")", " ()")
	}
	return message
}
