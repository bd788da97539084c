package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

//go:embed usage/record.txt
var recordLong string

const recordExample = `  breakwire record --out s.jsonl -- netcoredbg --interpreter=vscode
  breakwire record --out s.jsonl --listen 127.0.0.1:4711 -- dlv dap --listen 127.0.0.1:0
  breakwire record --out s.jsonl --listen 127.0.0.1:4711 --connect 127.0.0.1:4712`

// recordConfig has the flags of `record`.
type recordConfig struct {
	out, listen, connect string
	adapter              []string
}

func newRecord(std streams) *cobra.Command {
	cfg := &recordConfig{}
	cmd := &cobra.Command{
		Use: "record --out FILE [flags] [-- ADAPTER ARGS...]", Short: "Record a session of any editor with any debug adapter",
		Long:    strings.TrimSpace(recordLong),
		Example: recordExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg.adapter = args
			if err := cfg.check(); err != nil {
				return err
			}
			return record(cmd.Context(), cfg, std)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // arguments after the adapter belong to the adapter
	f.SortFlags = false
	f.StringVar(&cfg.out, "out", "", "write the recording to `FILE`, which is replaced")
	f.StringVar(&cfg.listen, "listen", "", "wait for the editor at `HOST:PORT` instead of standard input")
	f.StringVar(&cfg.connect, "connect", "", "the adapter listens at `HOST:PORT`")
	return cmd
}

func (c *recordConfig) check() error {
	switch {
	case c.out == "":
		return usagef("--out FILE is needed: where to write the recording")
	case len(c.adapter) == 0 && c.connect == "":
		return usagef("which adapter? Give its command after --, or its address with --connect")
	}
	if err := checkAddress("--listen", c.listen); err != nil {
		return err
	}
	return checkAddress("--connect", c.connect)
}

// profile returns the known adapter that the command starts, nil for any other.
func (c *recordConfig) profile() *dapclient.Profile {
	if len(c.adapter) == 0 {
		return nil
	}
	name := strings.TrimSuffix(filepath.Base(c.adapter[0]), ".exe")
	for _, p := range dapclient.Profiles() {
		if p.Language == dapclient.Python {
			continue // its executable is the same for any Python program
		}
		if slices.Contains(p.Executables, name) {
			return p
		}
	}
	return nil
}

// record runs the proxy until either side ends.
func record(ctx context.Context, cfg *recordConfig, std streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ignoreBrokenPipe()
	header := transcript.Header{}
	if p := cfg.profile(); p != nil {
		header.Backend = p.Name
	}
	w, err := transcript.Create(cfg.out, header)
	if err != nil {
		return err
	}
	p := &proxy{recorder: &witness{to: w}}
	err = p.run(ctx, cfg, std)
	if closeErr := w.Close(); closeErr != nil {
		if err == nil {
			return closeErr
		}
		fmt.Fprintf(std.err, "record: %v\n", closeErr)
	}
	return err
}

// run connects both sides and passes the bytes on.
func (p *proxy) run(ctx context.Context, cfg *recordConfig, std streams) error {
	client := io.ReadWriteCloser(stdStream{std})
	if cfg.listen != "" {
		conn, err := acceptOne(ctx, cfg.listen, std.out)
		if err != nil {
			return err
		}
		defer conn.Close()
		client = conn
	}
	if err := p.reach(ctx, cfg, std); err != nil {
		return err
	}
	p.pass(ctx, client)
	return p.end()
}

// acceptOne waits for the editor's one connection.
func acceptOne(ctx context.Context, addr string, say io.Writer) (net.Conn, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for the editor: %w", err)
	}
	defer l.Close()
	// The text that Delve prints: editors that start a listening adapter wait for it.
	if _, err := fmt.Fprintf(say, "DAP server listening at: %s\n", l.Addr()); err != nil {
		return nil, fmt.Errorf("say where to connect: %w", err)
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	conn, err := l.Accept()
	if err != nil {
		if ctx.Err() != nil {
			return nil, errors.New("interrupted before the editor connected")
		}
		return nil, fmt.Errorf("wait for the editor: %w", err)
	}
	return conn, nil
}

// startTime limits the start of an adapter that has an address.
const startTime = 30 * time.Second

// reach starts the adapter, connects to it, or both.
func (p *proxy) reach(ctx context.Context, cfg *recordConfig, std streams) (err error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if len(cfg.adapter) > 0 {
		command := dapclient.Command{Path: cfg.adapter[0], Args: cfg.adapter[1:], Stderr: std.err, Guard: guardCommand()}
		profile := cfg.profile()
		announced := cfg.connect == "" && profile != nil && profile.Announce != nil
		if announced {
			p.process, p.adapter, err = dapclient.StartAnnounced(ctx, command, profile.Announce.Regexp())
		} else {
			p.process, p.adapter, err = dapclient.StartStdio(command)
		}
		if err != nil {
			return err
		}
		if guard := guardCommand(); guard != nil && (profile == nil || profile.OutlivesInput) {
			if err := p.process.Guard(guard); err != nil {
				fmt.Fprintln(std.err, "breakwire:", err)
			}
		}
		if announced || cfg.connect == "" {
			return nil
		}
		go io.Copy(std.err, p.adapter) // its protocol is at the address; this is only output
	}
	conn, err := dapclient.Dial(ctx, cfg.connect)
	if err != nil {
		if p.process != nil {
			p.process.Stop(0)
		}
		return err
	}
	p.adapter = conn
	return nil
}

// stdStream is the connection to the editor over our standard streams.
type stdStream struct{ streams }

func (s stdStream) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s stdStream) Write(b []byte) (int, error) { return s.out.Write(b) }
func (s stdStream) Close() error                { return nil }
