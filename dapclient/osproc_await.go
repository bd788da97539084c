package dapclient

import (
	"context"
	"strconv"
	"time"
)

// awaitPause is the interval at which AwaitEnd checks, where the system reports an end only to the parent.
const awaitPause = 250 * time.Millisecond

// Ending is how a process ended, as the system tells it.
type Ending struct {
	Known  bool
	Code   int    // the exit code, when no signal ended it
	Signal string // the signal that ended it: SIGKILL
}

// String returns the ending as text, "" when it is unknown.
func (e Ending) String() string {
	switch {
	case !e.Known:
		return ""
	case e.Signal != "":
		return "signal " + e.Signal
	}
	return "exit status " + strconv.Itoa(e.Code)
}

// AwaitEnd waits until the process has ended, whether or not its parent or debugger has reaped it. ended is false when
// the context ended first.
func AwaitEnd(ctx context.Context, pid int, start string) (how Ending, ended bool) {
	return awaitEnd(ctx, pid, start)
}

// pollEnd repeats the check until the process has ended or ctx is done.
func pollEnd(ctx context.Context, look func() (how Ending, ended bool)) (how Ending, ended bool) {
	ticker := time.NewTicker(awaitPause)
	defer ticker.Stop()
	for {
		if how, ended = look(); ended {
			return how, true
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return Ending{}, false
		}
	}
}
