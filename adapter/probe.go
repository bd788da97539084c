package adapter

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// Probed is what a debugger answered in a handshake without a program.
type Probed struct {
	Exe          string            // the adapter's executable
	Took         time.Duration     // from its start to its answer
	Capabilities map[string]string // as in a session object
	Said         string            // the last lines on its standard error
}

// Probe finds a debugger, sends initialize to it, and ends it. With an error it also returns what is known.
func Probe(ctx context.Context, p *dapclient.Profile, path string) (Probed, error) {
	exe, err := FindBackend(ctx, p, path)
	if err != nil {
		return Probed{}, err
	}
	probed := Probed{Exe: exe}
	began := time.Now()
	log := slog.New(slog.DiscardHandler)
	open := Spawn(p, exe, p.Args)
	if p.Bridge != "" {
		open = bridged(p, exe, "").Open
	}
	stream, proc, err := open(ctx, Opening{Log: log})
	if err != nil {
		return probed, err
	}
	conn := dapclient.NewConn(stream, dapclient.Options{Log: log})
	defer func() {
		conn.Close()
		<-conn.Done()
	}()
	answer, err := conn.Call(ctx, timeLeft(ctx), "initialize", initializeArguments(p))
	probed.Took = time.Since(began)
	if err == nil {
		// The answer does not matter: one adapter gives none without a program.
		_, _ = conn.Call(ctx, time.Second, "disconnect", map[string]any{})
	}
	conn.Close()
	proc.Stop(500 * time.Millisecond)
	probed.Said = proc.StderrTail()
	if err != nil {
		e := fault.Errorf(fault.BackendStartFailed, "%s did not answer: %v", p.Name, err)
		if errors.Is(err, dapclient.ErrClosed) {
			e = fault.Errorf(fault.BackendStartFailed, "%s ended with %s before it answered", p.Name, proc.ExitStatus())
		}
		return probed, e.With("backend", p.Name)
	}
	body, err := dapclient.DecodeBody[dap.Capabilities](answer)
	if err != nil {
		return probed, fault.Errorf(fault.BackendStartFailed, "%s gave an answer that makes no sense: %v", p.Name, err).
			With("backend", p.Name)
	}
	stdin := unavailable
	if p.TakesStdin && runtime.GOOS != "windows" {
		stdin = emulated
	}
	probed.Capabilities = offeredBy(p, body, stdin)
	return probed, nil
}

func timeLeft(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return 10 * time.Second
}

// ChooseBackend returns the built-in debugger that `auto` takes for a program, and why. name is "" when there is none.
func ChooseBackend(program string) (name, why string) { return byProgram(program) }
