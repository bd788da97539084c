package adapter

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is a case of decide, with the habit of a debugger that makes it necessary.
func TestDecide(t *testing.T) {
	shown := func(reason string) action { return action{verb: show, reason: reason} }
	on := func(command string) action { return action{verb: stepOn, command: command} }
	lldb := func(k situation) situation { return k }
	netcoredbg := func(k situation) situation {
		k.dropsStep = true
		return k
	}
	debugpy := netcoredbg
	delve := func(k situation) situation {
		k.dropsStep, k.holdsStep, k.sweeps = true, true, true
		return k
	}
	for _, tt := range []struct {
		name string // the case
		why  string // the habit
		k    situation
		want action
	}{
		{"blocking hit", "", lldb(situation{reason: StopBreakpoint, matched: true, blocking: true}), shown(StopBreakpoint)},
		{"tracepoint", "", lldb(situation{reason: StopBreakpoint, matched: true}), action{verb: resume}},
		{"stop at a breakpoint that is gone", "all debuggers tell a thread that stood there when it was removed",
			lldb(situation{reason: StopBreakpoint, stale: true}), action{verb: resume}},
		{"nobody's breakpoint", "Debugger.Break(), __debugbreak, a breakpoint of the user in the debugger's console",
			lldb(situation{reason: StopBreakpoint}), shown(StopBreakpoint)},
		{"pause while a tracepoint is served", "the pause request is not sent: the stop is here already",
			lldb(situation{reason: StopBreakpoint, matched: true, pausing: true}), shown(StopPause)},
		{"pause that a debugger tells as an exception", "lldb-dap: SIGSTOP",
			lldb(situation{reason: StopException, pausing: true, halt: true}), shown(StopPause)},
		{"entry", "", lldb(situation{reason: StopEntry}), shown(StopEntry)},
		{"pause at a breakpoint that nobody asked for",
			"Delve halts the program when breakpoints are set, and may do so at one",
			delve(situation{reason: StopPause, matched: true}), action{verb: resume}},
		{"pause at a breakpoint on others", "only Delve halts for breakpoints",
			netcoredbg(situation{reason: StopPause, matched: true}), shown(StopPause)},
		{"pause that nobody asked for", "another client of the debugger",
			delve(situation{reason: StopPause}), shown(StopPause)},
		{"refused resume", "netcoredbg refuses some, and the program stands",
			netcoredbg(situation{reason: StopPause, refused: true, matched: true}), shown(StopResumeFailed)},
		{"unswept stop that is not visible after all",
			"Delve names one thread: its breakpoint was removed while the stop was looked at",
			delve(situation{reason: StopBreakpoint, stale: true, unswept: true}), action{verb: sweepFirst}},

		{"end of an interrupted call", "Delve stops where a call was made when it ends, and names no breakpoint",
			delve(situation{reason: StopBreakpoint, callEnded: true}), shown(StopCallEnded)},
		{"failure of an interrupted call", "Delve reports it as an exception",
			delve(situation{reason: StopException, callEnded: true}), shown(StopCallEnded)},
		{"end of an interrupted call of a message", "tracepoints leave no trace",
			delve(situation{reason: StopBreakpoint, callEnded: true, ofMessage: true}), action{verb: resume}},
		{"end of an interrupted call beside a hit", "the hit is what the user set",
			delve(situation{reason: StopBreakpoint, callEnded: true, blocking: true}), shown(StopBreakpoint)},
		{"end of an interrupted call inside a step", "Delve drops the step",
			delve(situation{reason: StopBreakpoint, callEnded: true, stepping: true}), shown(StopCallEnded)},

		{"exception", "", netcoredbg(situation{reason: StopException}), action{verb: askException}},
		{"exception beside a blocking hit", "the hit is what the user set",
			netcoredbg(situation{reason: StopException, blocking: true}), shown(StopBreakpoint)},
		{"examined exception", "",
			netcoredbg(situation{reason: StopException, thrown: examined}), action{verb: judgeException}},
		{"wanted exception", "its breakpoint is among the blocking hits by now",
			netcoredbg(situation{reason: StopException, thrown: wanted, blocking: true}), shown(StopException)},
		{"nobody's exception", "with include_subtypes every exception stops",
			netcoredbg(situation{reason: StopException, thrown: nobodys}), action{verb: resume}},
		{"nobody's exception, a hit of another thread", "one stop, told in two events",
			netcoredbg(situation{reason: StopException, thrown: nobodys, blocking: true}), shown(StopBreakpoint)},
		{"nobody's exception, and a pause", "",
			netcoredbg(situation{reason: StopException, thrown: nobodys, pausing: true}), shown(StopPause)},
		{"nobody's exception in a step", "netcoredbg drops the step, as with a hit",
			netcoredbg(situation{reason: StopException, thrown: nobodys, stepping: true}), action{verb: askStepping}},
		{"nobody's exception in a step, and nothing handles it", "sys.exit: the step has no line to end at",
			debugpy(situation{reason: StopException, thrown: endsThread, stepping: true}), action{verb: resume}},
		{"nobody's exception in a step that was looked at", "the exception is not examined again",
			netcoredbg(situation{reason: StopException, thrown: nobodys, stepping: true,
				step: stepping{state: afterHit, next: "next"}}), on("next")},
		{"hit that is told as an exception", "lldb-dap: a trap instruction; debugpy: a condition that failed",
			lldb(situation{reason: StopException, matched: true, hit: true}), action{verb: resume}},
		{"exception text of a hit where no breakpoint is", "a trap of the program's own",
			lldb(situation{reason: StopException, hit: true}), action{verb: askException}},

		{"panic that may be recovered", "Delve reports only the others; a breakpoint on the function that panics call does",
			delve(situation{reason: StopBreakpoint, matched: true, blocking: true, panics: true}), action{verb: askException}},
		{"the same, its value is known", "",
			delve(situation{reason: StopBreakpoint, matched: true, blocking: true, panics: true, thrown: wanted}),
			shown(StopException)},
		{"the same in a step", "",
			delve(situation{reason: StopStep, matched: true, blocking: true, panics: true, stepping: true}),
			action{verb: askException}},

		{"end of a step", "",
			netcoredbg(situation{reason: StopStep, stepping: true}), action{verb: endStep, stepEnded: true}},
		{"end of a repeated step", "the last command may have been a step out, which lands in the middle of a line",
			netcoredbg(situation{reason: StopStep, stepping: true,
				step: stepping{mustLook: true}}), action{verb: askStepping, stepEnded: true}},
		{"such an end in the middle of a line", "",
			netcoredbg(situation{reason: StopStep, stepping: true, step: stepping{state: atEnd, next: "next"}}), on("next")},
		{"such an end where the step ends", "",
			netcoredbg(situation{reason: StopStep, stepping: true,
				step: stepping{state: atEnd, ended: true}}), action{verb: endStep}},
		{"such an end, nobody knows where", "the stack could not be read",
			netcoredbg(situation{reason: StopStep, stepping: true,
				step: stepping{state: atEnd, lost: true}}), action{verb: endStep}},
		{"tracepoint in a step", "netcoredbg drops the step",
			netcoredbg(situation{reason: StopBreakpoint, matched: true, stepping: true}), action{verb: askStepping}},
		{"dropped step is repeated", "netcoredbg",
			netcoredbg(situation{reason: StopBreakpoint, matched: true, stepping: true,
				step: stepping{state: afterHit, next: "stepOut"}}), on("stepOut")},
		{"hit at the end of a step", "the step has come where it would have ended",
			netcoredbg(situation{reason: StopBreakpoint, matched: true, stepping: true,
				step: stepping{state: afterHit, ended: true}}), action{verb: endStep}},
		{"step that is lost", "too many hits, or a stack that cannot be read",
			netcoredbg(situation{reason: StopBreakpoint, matched: true, stepping: true,
				step: stepping{state: afterHit, lost: true}}), action{verb: endStep}},
		{"step that the debugger goes on with", "lldb-dap keeps it",
			lldb(situation{reason: StopBreakpoint, matched: true, stepping: true,
				step: stepping{state: afterHit, next: "next"}}), action{verb: resume}},
		{"hit of another thread in a step", "Delve holds the step back and goes on with it at a continue",
			delve(situation{reason: StopBreakpoint, matched: true, stepping: true,
				step: stepping{state: afterHit, next: "next", elsewhere: true}}), action{verb: resume}},
		{"hit of another thread in a step, netcoredbg", "it drops the step of any thread",
			netcoredbg(situation{reason: StopBreakpoint, matched: true, stepping: true,
				step: stepping{state: afterHit, next: "next", elsewhere: true}}), on("next")},
		{"blocking hit while a step was looked at", "",
			netcoredbg(situation{reason: StopBreakpoint, matched: true, blocking: true, stepping: true,
				step: stepping{state: afterHit, next: "next"}}), shown(StopBreakpoint)},
		{"pause while a step was looked at", "",
			netcoredbg(situation{reason: StopBreakpoint, matched: true, pausing: true, stepping: true,
				step: stepping{state: afterHit, next: "next"}}), shown(StopPause)},
		{"next of several steps", "",
			netcoredbg(situation{reason: StopStep, stepping: true,
				step: stepping{state: nextBegins, next: "stepIn"}}), on("stepIn")},
		{"pause between two of several steps", "",
			netcoredbg(situation{reason: StopStep, stepping: true, pausing: true,
				step: stepping{state: nextBegins, next: "stepIn"}}), shown(StopPause)},
		{"all steps are done", "",
			netcoredbg(situation{reason: StopStep, stepping: true, step: stepping{state: stepIsOver}}), shown(StopStep)},
		{"end of a step whose caller is gone", "where it lands is an ordinary stop",
			netcoredbg(situation{reason: StopStep}), shown(StopStep)},
		{"late end of a step that is over", "netcoredbg tells queued ends with the next resumes",
			netcoredbg(situation{reason: StopStep, overdue: true}), action{verb: resume}},
		{"late end of a step during another one", "netcoredbg: it may have ended that one, too",
			netcoredbg(situation{reason: StopStep, overdue: true, stepping: true, step: stepping{next: "next"}}), on("next")},
		{"late end of a step during another one, lldb-dap", "it keeps both",
			lldb(situation{reason: StopStep, overdue: true, stepping: true,
				step: stepping{next: "next"}}), action{verb: resume}},
		{"end of a step that was held back", "Delve goes on with it at the continue that the user has asked for",
			delve(situation{reason: StopStep, held: true}), action{verb: resume, stepEnded: true}},
		{"end of a step that a hit has ended for the user", "lldb-dap keeps it to its end",
			lldb(situation{reason: StopStep, leftover: true}), action{verb: resume, stepEnded: true}},
		{"refused step", "Delve takes one step at a time, and tells the refusal as a stop",
			delve(situation{reason: StopStep, noStep: true, stepping: true}), shown(StopResumeFailed)},
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
				for _, thrown := range []exceptionState{notExamined, wanted, nobodys, endsThread} {
					k := situation{
						reason: reason, thrown: thrown, stepping: state != notAsked || bools(n, 10),
						matched: bools(n, 0), stale: bools(n, 1), blocking: bools(n, 2), refused: bools(n, 3),
						pausing: bools(n, 4), unswept: bools(n, 5), hit: bools(n, 6), overdue: bools(n, 7),
						held: bools(n, 8), leftover: bools(n, 9), sweeps: bools(n, 11), dropsStep: bools(n, 12),
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
