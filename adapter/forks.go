package adapter

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"breakwire/dapclient"
)

// Some debuggers stay with the program when it forks. A breakpoint is bound then, but a child that runs into it is not
// seen. So breakpoints without a hit say so, as soon as there is a child that may have passed them.

// forkCheck is how often the session looks whether the program has forked.
const forkCheck = 250 * time.Millisecond

const followsChild = "settings set target.process.follow-fork-mode child"

// followsForks reports whether the start was given a setting of its own for this.
func (s *Session) followsForks() bool {
	if s.origin.launch == nil {
		return false
	}
	text, _ := json.Marshal(s.origin.launch.Extra)
	return strings.Contains(string(text), "follow-fork-mode")
}

// watchForks waits for the first child of the program. Children that have ended tell only their number, so they count
// only for a program that calls fork itself.
func (s *Session) watchForks(pid int, start string, calls bool) {
	ticker := time.NewTicker(forkCheck)
	defer ticker.Stop()
	for dapclient.Alive(pid, start) {
		if f := dapclient.ForksOf(pid); len(f.Children) > 0 || f.Reaped && calls {
			s.post(func() { s.forked(f) })
			return
		}
		select {
		case <-ticker.C:
		case <-s.life.ended:
			return
		}
	}
}

// forked tells of the breakpoints that a child may have passed.
func (s *Session) forked(f dapclient.Forks) {
	if s.closing() {
		return
	}
	s.held.Elsewhere = forkedText(s.profile.Name, f.Children)
	s.rebind()
}

func forkedText(debugger string, children []int) string {
	what := "calls fork"
	if len(children) > 0 {
		what = "has forked (children " + strings.Trim(strings.ReplaceAll(fmt.Sprint(children), " ", ", "), "[]") + ")"
	}
	return fmt.Sprintf("not hit in this process; the program %s, and %s does not follow a child: debug_attach to a "+
		"child that lives, or launch a configuration of launch.json with \"initCommands\": [%q], which follows the "+
		"child instead", what, debugger, followsChild)
}
