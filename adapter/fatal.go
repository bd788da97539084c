package adapter

import (
	"fmt"
	"strings"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
)

// fatalGrace is how long a debugger may take to report the end of a program whose runtime has given up.
const fatalGrace = 1500 * time.Millisecond

// seesFatal takes text with which the runtime gives up. When the debugger tells nothing within fatalGrace, the waiting
// calls end.
func (s *Session) seesFatal(text string) {
	if s.stops.fatal != nil || s.profile.FatalText == nil || !s.profile.FatalText.MatchString(text) {
		return
	}
	first, _, _ := strings.Cut(text, "\n")
	s.stops.fatal = s.after(fatalGrace, func() { s.tellFatal(first) })
}

// notFatal forgets the text, because the program goes on.
func (s *Session) notFatal() {
	if s.stops.fatal == nil {
		return
	}
	s.stops.fatal.Stop()
	s.stops.fatal, s.public.info.Fatal = nil, ""
}

// tellFatal tells what standard error says from its line first on.
func (s *Session) tellFatal(first string) {
	if s.stops.fatal == nil || s.public.state != Running || s.closing() {
		return
	}
	said := s.OutputTails(fatalTail).Stderr
	said = strings.TrimSpace(said[max(strings.LastIndex(said, first), 0):])
	s.public.info.Fatal = fmt.Sprintf("the runtime has given up and %s has told nothing since; such a program cannot go "+
		"on: use debug_restart, or debug_disconnect with terminate=true. It wrote: %s", s.profile.Name, said)
	s.publish()
	s.problem("", fault.Errorf(fault.FatalError, "%s", s.public.info.Fatal))
}

// fatalTail is how many bytes of standard error are told of a program that cannot go on.
const fatalTail = 1024

// unhandled takes whether a stop is at an exception that ends the program.
func (s *Session) unhandled(text string) {
	if s.profile.UnhandledText != nil && s.profile.UnhandledText.MatchString(text) {
		s.exceptions.ending = true
	}
}

// mayHaveLost marks all counts, because a thread may have passed breakpoints unreported.
func (s *Session) mayHaveLost() {
	for _, bp := range s.manager.registry.ForSession(s.id) {
		if b := s.held.Bindings[bp.ID]; b != nil && bp.Enabled && bp.Spec.Kind != breakpoint.Exception {
			b.Counts.Doubt()
		}
	}
	s.note(journal.TypeLost, "", &Lost{What: "hits", Message: "a thread has started while an expression was evaluated; " +
		s.profile.Name + " passes the breakpoints that it reaches meanwhile, so counts may be too low. " +
		"Messages that read fields and call nothing lose nothing"})
}
