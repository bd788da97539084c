package adapter

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is a case of decide, with the habit of a debugger that makes it necessary.
func TestDecide(t *testing.T) {
	shown := func(reason string) action { return action{verb: show, reason: reason} }
	on := func(command string) action { return action{verb: stepOn, command: command} }
	netcoredbg := situation{dropsStep: true}
	delve := situation{dropsStep: true, holdsStep: true, sweeps: true}
	lldb := situation{}
	with := func(k situation, change func(*situation)) situation {
		change(&k)
		return k
	}
	for _, tt := range []struct {
		name string // the case
		why  string // the habit
		k    situation
		want action
	}{
		{"blocking hit", "", with(lldb, func(k *situation) {
			k.reason, k.matched, k.blocking = StopBreakpoint, true, true
		}), shown(StopBreakpoint)},
		{"tracepoint", "", with(lldb, func(k *situation) { k.reason, k.matched = StopBreakpoint, true }),
			action{verb: resume}},
		{"stop at a breakpoint that is gone", "all debuggers tell a thread that stood there when it was removed",
			with(lldb, func(k *situation) { k.reason, k.stale = StopBreakpoint, true }), action{verb: resume}},
		{"nobody's breakpoint", "Debugger.Break(), __debugbreak, a breakpoint of the user in the debugger's console",
			with(lldb, func(k *situation) { k.reason = StopBreakpoint }), shown(StopBreakpoint)},
		{"pause while a tracepoint is served", "the pause request is not sent: the stop is here already",
			with(lldb, func(k *situation) { k.reason, k.matched, k.pausing = StopBreakpoint, true, true }), shown(StopPause)},
		{"pause that a debugger tells as an exception", "lldb-dap: SIGSTOP",
			with(lldb, func(k *situation) { k.reason, k.pausing, k.halt = StopException, true, true }), shown(StopPause)},
		{"entry", "", with(lldb, func(k *situation) { k.reason = StopEntry }), shown(StopEntry)},
		{"pause at a breakpoint that nobody asked for",
			"Delve halts the program when breakpoints are set, and may do so at one",
			with(delve, func(k *situation) { k.reason, k.matched = StopPause, true }), action{verb: resume}},
		{"pause at a breakpoint on others", "only Delve halts for breakpoints",
			with(netcoredbg, func(k *situation) { k.reason, k.matched = StopPause, true }), shown(StopPause)},
		{"pause that nobody asked for", "another client of the debugger",
			with(delve, func(k *situation) { k.reason = StopPause }), shown(StopPause)},
		{"refused resume", "netcoredbg refuses some, and the program stands",
			with(netcoredbg, func(k *situation) { k.reason, k.refused, k.matched = StopPause, true, true }),
			shown(StopResumeFailed)},
		{"unswept stop that is not visible after all", "Delve names one thread: its breakpoint was removed while the " +
			"stop was looked at",
			with(delve, func(k *situation) { k.reason, k.stale, k.unswept = StopBreakpoint, true, true }),
			action{verb: sweepFirst}},

		{"exception", "", with(netcoredbg, func(k *situation) { k.reason = StopException }), action{verb: askException}},
		{"exception beside a blocking hit", "the hit is what the user set",
			with(netcoredbg, func(k *situation) { k.reason, k.blocking = StopException, true }), shown(StopBreakpoint)},
		{"examined exception", "", with(netcoredbg, func(k *situation) {
			k.reason, k.thrown = StopException, examined
		}), action{verb: judgeException}},
		{"wanted exception", "its breakpoint is among the blocking hits by now",
			with(netcoredbg, func(k *situation) { k.reason, k.thrown, k.blocking = StopException, wanted, true }),
			shown(StopException)},
		{"nobody's exception", "with include_subtypes every exception stops",
			with(netcoredbg, func(k *situation) { k.reason, k.thrown = StopException, nobodys }), action{verb: resume}},
		{"nobody's exception, a hit of another thread", "one stop, told in two events",
			with(netcoredbg, func(k *situation) { k.reason, k.thrown, k.blocking = StopException, nobodys, true }),
			shown(StopBreakpoint)},
		{"nobody's exception, and a pause", "", with(netcoredbg, func(k *situation) {
			k.reason, k.thrown, k.pausing = StopException, nobodys, true
		}), shown(StopPause)},
		{"nobody's exception in a step", "netcoredbg drops the step, as with a hit",
			with(netcoredbg, func(k *situation) { k.reason, k.thrown, k.stepping = StopException, nobodys, true }),
			action{verb: askStepping}},
		{"nobody's exception in a step that was looked at", "the exception is not examined again",
			with(netcoredbg, func(k *situation) {
				k.reason, k.thrown, k.stepping, k.step = StopException, nobodys, true, stepping{state: afterHit, next: "next"}
			}), on("next")},
		{"hit that is told as an exception", "lldb-dap: a trap instruction; debugpy: a condition that failed",
			with(lldb, func(k *situation) { k.reason, k.matched, k.hit = StopException, true, true }), action{verb: resume}},
		{"exception text of a hit where no breakpoint is", "a trap of the program's own",
			with(lldb, func(k *situation) { k.reason, k.hit = StopException, true }), action{verb: askException}},

		{"end of a step", "", with(netcoredbg, func(k *situation) { k.reason, k.stepping = StopStep, true }),
			action{verb: endStep, stepEnded: true}},
		{"end of a repeated step", "the last command may have been a step out, which lands in the middle of a line",
			with(netcoredbg, func(k *situation) { k.reason, k.stepping, k.step.mustLook = StopStep, true, true }),
			action{verb: askStepping, stepEnded: true}},
		{"such an end in the middle of a line", "", with(netcoredbg, func(k *situation) {
			k.reason, k.stepping, k.step = StopStep, true, stepping{state: atEnd, next: "next"}
		}), on("next")},
		{"such an end where the step ends", "", with(netcoredbg, func(k *situation) {
			k.reason, k.stepping, k.step = StopStep, true, stepping{state: atEnd, ended: true}
		}), action{verb: endStep}},
		{"such an end, nobody knows where", "the stack could not be read", with(netcoredbg, func(k *situation) {
			k.reason, k.stepping, k.step = StopStep, true, stepping{state: atEnd, lost: true}
		}), action{verb: endStep}},
		{"tracepoint in a step", "netcoredbg drops the step", with(netcoredbg, func(k *situation) {
			k.reason, k.matched, k.stepping = StopBreakpoint, true, true
		}), action{verb: askStepping}},
		{"dropped step is repeated", "netcoredbg", with(netcoredbg, func(k *situation) {
			k.reason, k.matched, k.stepping, k.step = StopBreakpoint, true, true, stepping{state: afterHit, next: "stepOut"}
		}), on("stepOut")},
		{"hit at the end of a step", "the step has come where it would have ended", with(netcoredbg, func(k *situation) {
			k.reason, k.matched, k.stepping, k.step = StopBreakpoint, true, true, stepping{state: afterHit, ended: true}
		}), action{verb: endStep}},
		{"step that is lost", "too many hits, or a stack that cannot be read", with(netcoredbg, func(k *situation) {
			k.reason, k.matched, k.stepping, k.step = StopBreakpoint, true, true, stepping{state: afterHit, lost: true}
		}), action{verb: endStep}},
		{"step that the debugger goes on with", "lldb-dap keeps it", with(lldb, func(k *situation) {
			k.reason, k.matched, k.stepping, k.step = StopBreakpoint, true, true, stepping{state: afterHit, next: "next"}
		}), action{verb: resume}},
		{"hit of another thread in a step", "Delve holds the step back and goes on with it at a continue",
			with(delve, func(k *situation) {
				k.reason, k.matched, k.stepping, k.step = StopBreakpoint, true, true,
					stepping{state: afterHit, next: "next", elsewhere: true}
			}), action{verb: resume}},
		{"hit of another thread in a step, netcoredbg", "it drops the step of any thread",
			with(netcoredbg, func(k *situation) {
				k.reason, k.matched, k.stepping, k.step = StopBreakpoint, true, true,
					stepping{state: afterHit, next: "next", elsewhere: true}
			}), on("next")},
		{"blocking hit while a step was looked at", "", with(netcoredbg, func(k *situation) {
			k.reason, k.matched, k.blocking, k.stepping, k.step = StopBreakpoint, true, true, true,
				stepping{state: afterHit, next: "next"}
		}), shown(StopBreakpoint)},
		{"pause while a step was looked at", "", with(netcoredbg, func(k *situation) {
			k.reason, k.matched, k.pausing, k.stepping, k.step = StopBreakpoint, true, true, true,
				stepping{state: afterHit, next: "next"}
		}), shown(StopPause)},
		{"next of several steps", "", with(netcoredbg, func(k *situation) {
			k.reason, k.stepping, k.step = StopStep, true, stepping{state: nextBegins, next: "stepIn"}
		}), on("stepIn")},
		{"pause between two of several steps", "", with(netcoredbg, func(k *situation) {
			k.reason, k.stepping, k.pausing, k.step = StopStep, true, true, stepping{state: nextBegins, next: "stepIn"}
		}), shown(StopPause)},
		{"all steps are done", "", with(netcoredbg, func(k *situation) {
			k.reason, k.stepping, k.step = StopStep, true, stepping{state: stepIsOver}
		}), shown(StopStep)},
		{"end of a step whose caller is gone", "where it lands is an ordinary stop",
			with(netcoredbg, func(k *situation) { k.reason = StopStep }), shown(StopStep)},
		{"late end of a step that is over", "netcoredbg tells queued ends with the next resumes",
			with(netcoredbg, func(k *situation) { k.reason, k.overdue = StopStep, true }), action{verb: resume}},
		{"late end of a step during another one", "netcoredbg: it may have ended that one, too",
			with(netcoredbg, func(k *situation) {
				k.reason, k.overdue, k.stepping, k.step.next = StopStep, true, true, "next"
			}), on("next")},
		{"late end of a step during another one, lldb-dap", "it keeps both", with(lldb, func(k *situation) {
			k.reason, k.overdue, k.stepping, k.step.next = StopStep, true, true, "next"
		}), action{verb: resume}},
		{"end of a step that was held back", "Delve goes on with it at the continue that the user has asked for",
			with(delve, func(k *situation) { k.reason, k.held = StopStep, true }), action{verb: resume, stepEnded: true}},
		{"end of a step that a hit has ended for the user", "lldb-dap keeps it to its end",
			with(lldb, func(k *situation) { k.reason, k.leftover = StopStep, true }), action{verb: resume, stepEnded: true}},
		{"refused step", "Delve takes one step at a time, and tells the refusal as a stop",
			with(delve, func(k *situation) { k.reason, k.noStep, k.stepping = StopStep, true, true }), shown(StopResumeFailed)},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, decide(tt.k), tt.why) })
	}
}

// In every situation decide makes progress: it does not ask the same question twice.
func TestDecideNeverAsksTwice(t *testing.T) {
	bools := func(n, bit int) bool { return n>>bit&1 == 1 }
	for n := range 1 << 15 {
		for _, reason := range []string{StopBreakpoint, StopStep, StopException, StopPause, StopEntry} {
			for state := notAsked; state <= stepIsOver; state++ {
				for _, thrown := range []exceptionState{notExamined, wanted, nobodys} {
					k := situation{
						reason: reason, matched: bools(n, 0), stale: bools(n, 1), blocking: bools(n, 2),
						refused: bools(n, 3), pausing: bools(n, 4),
						unswept: bools(n, 5), hit: bools(n, 6), overdue: bools(n, 7), held: bools(n, 8),
						leftover: bools(n, 9), stepping: state != notAsked || bools(n, 10),
						sweeps: bools(n, 11), dropsStep: bools(n, 12), thrown: thrown,
						step: stepping{state: state, lost: bools(n, 13), ended: bools(n, 14), mustLook: bools(n, 13), next: "next"},
					}
					act := decide(k)
					switch act.verb {
					case askException:
						assert.Equal(t, notExamined, thrown, "%+v", k)
					case askStepping:
						assert.Equal(t, notAsked, state, "%+v", k)
					case endStep:
						assert.True(t, state != stepIsOver && state != nextBegins, "%+v", k)
					case stepOn:
						assert.NotEmpty(t, act.command, "%+v", k)
					case show:
						assert.NotEmpty(t, act.reason, "%+v", k)
					}
					if t.Failed() {
						t.FailNow()
					}
				}
			}
		}
	}
}
