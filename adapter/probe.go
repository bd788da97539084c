package adapter

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// Probed is what a debugger said in a handshake without a program.
type Probed struct {
	Exe          string            // the adapter's executable
	Took         time.Duration     // from its start to its answer
	Capabilities map[string]string // as in a session object
	Said         string            // the last lines it wrote beside the protocol
}

// Probe finds a debugger, has it answer initialize, and ends it. What is known is returned with an error, too.
func Probe(ctx context.Context, p *dapclient.Profile, path string) (Probed, error) {
	exe, err := FindBackend(ctx, p, path)
	if err != nil {
		return Probed{}, err
	}
	probed := Probed{Exe: exe}
	began := time.Now()
	log := slog.New(slog.DiscardHandler)
	stream, proc, err := Spawn(p, exe, p.Args)(ctx, log)
	if err != nil {
		return probed, err
	}
	conn := dapclient.NewConn(stream, dapclient.Options{Log: log})
	defer func() {
		conn.Close()
		<-conn.Done()
	}()
	answer, err := conn.Call(ctx, timeLeft(ctx), "initialize", dap.InitializeRequestArguments{
		ClientID: "breakwire", ClientName: "breakwire", AdapterID: p.AdapterID, Locale: "en-US",
		LinesStartAt1: true, ColumnsStartAt1: true, PathFormat: "path",
	})
	probed.Took = time.Since(began)
	if err == nil {
		// The answer does not matter: one adapter gives none without a program.
		_, _ = conn.Call(ctx, time.Second, "disconnect", map[string]any{})
	}
	conn.Close()
	proc.Stop(500 * time.Millisecond)
	probed.Said = proc.StderrTail()
	if err != nil {
		e := Errorf(BackendStartFailed, "%s did not answer: %v", p.Name, err)
		if errors.Is(err, dapclient.ErrClosed) {
			e = Errorf(BackendStartFailed, "%s ended with %s before it answered", p.Name, proc.ExitStatus())
		}
		return probed, e.With("backend", p.Name)
	}
	body, err := dapclient.DecodeBody[dap.Capabilities](answer)
	if err != nil {
		return probed, Errorf(BackendStartFailed, "%s gave an answer that makes no sense: %v", p.Name, err).
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

// ChooseBackend says which built-in debugger `auto` takes for a program; name is empty when there is none.
func ChooseBackend(program string) (name, why string) { return byProgram(program) }
