package adapter

import (
	"context"
	"errors"
	"net"
	"time"

	"breakwire/adapter/fault"
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

// AwaitProcess finds the process of an attach, which its name or pid names. It waits at most wait for a name.
func (m *Manager) AwaitProcess(ctx context.Context, backend string, p *AttachParams, name string,
	wait time.Duration) error {
	if host, port, err := net.SplitHostPort(p.Connect); p.Connect != "" && (err != nil || host == "" || port == "") {
		return fault.Errorf(fault.InvalidParameter, "connect %q is not of the form HOST:PORT", p.Connect).
			With("parameter", "connect")
	}
	if p.Connect != "" && name != "" {
		return fault.Errorf(fault.InvalidParameter, "process_name is looked for on this machine; with connect give pid").
			With("parameter", "process_name")
	}
	if p.In.given() {
		switch {
		case p.Connect != "":
			return fault.Errorf(fault.InvalidParameter, "%s and connect exclude each other", p.In.parameter()).
				With("parameter", "connect")
		case name != "" || p.Pid == 0:
			return fault.Errorf(fault.InvalidParameter, "say with pid which process of %s; its main program is 1",
				p.In.words()).With("parameter", "pid")
		}
		return nil
	}
	if p.Pid == 0 && name == "" && !m.namesProcess(backend, p.Connect) {
		return nil
	}
	pid, err := m.AwaitPid(ctx, p.Pid, name, wait)
	p.Pid = pid
	return err
}
