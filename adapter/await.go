package adapter

import (
	"breakwire/adapter/fault"
	"context"
	"errors"
	"time"
)

// lookAgain is the interval at which the process list is read while AwaitPid waits. Not every system has an event for
// new processes.
const lookAgain = 50 * time.Millisecond

// AwaitPid is FindPid for a process that may not have started yet. It waits at most wait.
func (m *Manager) AwaitPid(ctx context.Context, pid int, name string, wait time.Duration) (int, error) {
	if wait > 0 && pid != 0 {
		return 0, fault.Errorf(fault.InvalidParameter, "wait_ms waits for a process_name; a pid is there already").
			With("parameter", "wait_ms")
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var ticks <-chan time.Time
	for {
		found, err := m.FindPid(pid, name)
		if err == nil || fault.CodeOf(err) != fault.ProcessNotFound || wait <= 0 {
			return found, err
		}
		if ticks == nil {
			ticker := time.NewTicker(lookAgain)
			defer ticker.Stop()
			ticks = ticker.C
		}
		select {
		case <-ticks:
		case <-m.ctx.Done():
			return 0, fault.Errorf(fault.NoSession, "the server is shutting down")
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return 0, fault.Errorf(fault.ProcessNotFound, "no process named %s appeared within %v", name, wait).
					With("processName", name)
			}
			return 0, fault.OfContext(ctx)
		}
	}
}
