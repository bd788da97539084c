package dapclient

import (
	"context"
	"time"
)

// awaitPause is how often AwaitEnd looks where the system tells nobody but a parent of an end.
const awaitPause = 250 * time.Millisecond

// AwaitEnd waits until the process has ended, whether its parent or debugger has reaped it or not. how says how it
// ended ("signal: killed", "exit status 3") where that can be known, and is empty otherwise. ended is false when the
// context ended first.
func AwaitEnd(ctx context.Context, pid int, start string) (how string, ended bool) {
	return awaitEnd(ctx, pid, start)
}

// pollEnd looks again and again.
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
