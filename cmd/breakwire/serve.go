package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/dapclient"
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

	manager, err := newManager(cfg, log)
	if err != nil {
		return err
	}
	// Whatever ends the serving ends the sessions, and with them every process that we started.
	defer manager.Close()
	server := mcpserver.New(manager, mcpserver.Options{
		Version: version, Notify: mcpserver.Notify(cfg.notify), Backend: cfg.backend, Log: log,
	})
	if cfg.http != "" {
		return errors.New("--http is not available in this version")
	}
	return server.ServeStdio(ctx, std.in, std.out)
}

// newManager wires the flags to a manager.
func newManager(cfg *config, log *slog.Logger) (*adapter.Manager, error) {
	maps := make([]string, 0, len(cfg.pathMaps))
	for _, m := range cfg.pathMaps {
		maps = append(maps, m.from+"="+m.to)
	}
	pathMap, err := mapping.ParsePathMap(maps...)
	if err != nil {
		return nil, usageError{err}
	}
	backends, err := backendOptions(cfg)
	if err != nil {
		return nil, err
	}
	return adapter.NewManager(adapter.Options{
		Backends: backends, PathMap: pathMap, ProjectRoot: cfg.projectRoot,
		TraceTimeout: time.Duration(cfg.traceLimit) * time.Millisecond, Log: log,
	}), nil
}

// backendOptions are the ways to a debugger that the flags ask for.
func backendOptions(cfg *config) (adapter.BackendOptions, error) {
	o := adapter.BackendOptions{Default: cfg.backend, Path: cfg.backendPath, Custom: map[string]adapter.Backend{}}
	custom := func(local bool, open func(context.Context, *slog.Logger) (io.ReadWriteCloser, *dapclient.Process, error)) {
		name := cfg.backend
		if name == "auto" {
			name = "custom"
		}
		profile := dapclient.ProfileByName(name)
		if profile == nil {
			profile = dapclient.Generic(name)
		}
		o.Default = name
		o.Custom[name] = adapter.Backend{Profile: profile, Local: local, Open: open}
	}
	switch {
	case len(cfg.backendCmd) > 0:
		profile := dapclient.ProfileByName(cfg.backend)
		if profile == nil {
			profile = dapclient.Generic(cfg.backend)
		}
		custom(false, adapter.Spawn(profile, cfg.backendCmd[0], cfg.backendCmd[1:]))
	case cfg.connect != "":
		custom(false, func(ctx context.Context, _ *slog.Logger) (io.ReadWriteCloser, *dapclient.Process, error) {
			stream, err := dapclient.Dial(ctx, cfg.connect)
			if err != nil {
				return nil, nil, adapter.Errorf(adapter.BackendNotFound, "no debug adapter answers at %s: %v", cfg.connect, err).With("address", cfg.connect)
			}
			return stream, nil, nil
		})
	}
	return o, nil
}

// openLog opens the log: standard error, or a file that only its owner reads. Standard output belongs to the protocol.
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
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))
	slog.SetDefault(log)
	return log, closeLog, nil
}
