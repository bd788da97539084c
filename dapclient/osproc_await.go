package dapclient

import (
	"context"
	"time"
)

// awaitPause is the interval at which AwaitEnd checks, where the system reports an end only to the parent.
const awaitPause = 250 * time.Millisecond

// AwaitEnd waits until the process has ended, whether or not its parent or debugger has reaped it. how is the exit
// status ("signal: killed", "exit status 3"), empty where it is unknown. ended is false when the context ended first.
func AwaitEnd(ctx context.Context, pid int, start string) (how string, ended bool) {
	return awaitEnd(ctx, pid, start)
}

// pollEnd repeats the check until the process has ended or ctx is done.
func pollEnd(ctx context.Context, look func() (how string, ended bool)) (how string, ended bool) {
	ticker := time.NewTicker(awaitPause)
	defer ticker.Stop()
	for {
		if how, ended = look(); ended {
			return how, true
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return "", false
		}
	}
}
