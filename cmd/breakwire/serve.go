package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/scratch"
	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
	"breakwire/mapping"
)

// serve runs the MCP server until the input ends, the context is done or a signal arrives.
func serve(ctx context.Context, cfg *config, std streams) error {
	log, closeLog, err := openLog(cfg, std)
	if err != nil {
		return err
	}
	defer closeLog()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ignoreBrokenPipe()

	manager, closeManager, err := newManager(cfg, log)
	if err != nil {
		return err
	}
	// However the serving ends, the sessions end, and with them every process that we started.
	defer closeManager()
	server := mcpserver.New(manager, mcpserver.Options{
		Version: version, Notify: mcpserver.Notify(cfg.notify), Backend: cfg.backend,
		NoLocals: cfg.noLocals, Tools: cfg.tools, Log: log,
	})
	if cfg.http != "" {
		return serveHTTP(ctx, cfg, server, std)
	}
	return server.ServeStdio(ctx, std.in, std.out)
}

// newManager makes a manager from the flags. The returned function ends its sessions and closes its files.
func newManager(cfg *config, log *slog.Logger) (*adapter.Manager, func(), error) {
	scratch.Sweep(log)
	maps := slices.Clone(cfg.settings.pathMaps)
	for _, m := range cfg.pathMaps {
		maps = append(maps, m.from+"="+m.to)
	}
	pathMap, err := mapping.ParsePathMap(maps...)
	if err != nil {
		return nil, nil, usageError{err}
	}
	backends, closeBackends, err := backendOptions(cfg)
	if err != nil {
		return nil, nil, err
	}
	manager := adapter.NewManager(adapter.Options{
		Backends: backends, PathMap: pathMap, ProjectRoot: cfg.projectRoot,
		TraceTimeout: time.Duration(cfg.traceLimit) * time.Millisecond, Log: log, Hide: cfg.hide,
		MaxSessions: cfg.maxSessions, Permissions: adapter.Permissions{ReadOnly: cfg.readOnly, Programs: cfg.programs},
	})
	return manager, func() {
		manager.Close()
		closeBackends()
	}, nil
}

// backendOptions returns the debuggers that the flags select, and a function that releases them.
func backendOptions(cfg *config) (adapter.BackendOptions, func(), error) {
	o := adapter.BackendOptions{Default: cfg.backend, Path: cfg.backendPath, Custom: map[string]adapter.Backend{},
		Guard: guardCommand()}
	done := func() {}
	custom := func(backend func(*dapclient.Profile) adapter.Backend) {
		name := cfg.backend
		if name == "auto" {
			name = "custom"
		}
		profile := dapclient.ProfileByName(name)
		if profile == nil {
			profile = dapclient.Generic(name)
		}
		o.Default = name
		o.Custom[name] = backend(profile)
	}
	switch {
	case cfg.transcript != "":
		rec, err := transcript.Open(cfg.transcript)
		if err != nil {
			return o, nil, err
		}
		o, done = adapter.OnlyReplay(adapter.Replay(rec, transcript.PlayOptions{}, nil)), func() { rec.Close() }
	case len(cfg.backendCmd) > 0:
		custom(func(p *dapclient.Profile) adapter.Backend {
			return adapter.Backend{Profile: p, Open: adapter.Spawn(p, cfg.backendCmd[0], cfg.backendCmd[1:])}
		})
	case cfg.connect != "":
		custom(func(p *dapclient.Profile) adapter.Backend { return adapter.At(p, cfg.connect) })
	}
	if cfg.transcript == "" {
		cfg.settings.addTo(&o)
	}
	if cfg.record != "" {
		r, err := newRecordings(cfg.record)
		if err != nil {
			done()
			return o, nil, err
		}
		o.Record = r.open
		closeReplay := done
		done = func() {
			r.close()
			closeReplay()
		}
	}
	return o, done, nil
}

// openLog opens the log: standard error, or a file that only its owner can read. Standard output is for the protocol.
func openLog(cfg *config, std streams) (*slog.Logger, func(), error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.logLevel)); err != nil {
		return nil, nil, usagef("--log-level: %v", err)
	}
	out, closeLog := std.err, func() {}
	if cfg.logFile != "" {
		f, err := os.OpenFile(cfg.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("open the log: %w", err)
		}
		out, closeLog = f, func() { f.Close() }
	}
	r := newRedactor(out, os.Environ())
	cfg.hide = r.hide
	log := slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: level, ReplaceAttr: redactAttr}))
	slog.SetDefault(log)
	return log, closeLog, nil
}
