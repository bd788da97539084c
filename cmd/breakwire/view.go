package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"breakwire/cmd/breakwire/internal/view"
	"breakwire/dapclient/transcript/timeline"
)

//go:embed usage/view.txt
var viewLong string

const viewExample = `  breakwire view session.jsonl                          writes session.html
  breakwire view session.jsonl -o look.html --source-root ~/src/app
  breakwire view --text session.jsonl | less -R`

// viewConfig has the flags of `view`.
type viewConfig struct {
	out, sourceRoot string
	text, noSource  bool
}

func newView(std streams) *cobra.Command {
	cfg := &viewConfig{}
	cmd := &cobra.Command{
		Use: "view RECORDING", Short: "Show a recording as a page for the browser, or as text",
		Long:    strings.TrimSpace(viewLong),
		Example: viewExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("want one RECORDING, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if cfg.text && cfg.out != "" {
				return usagef("--text writes to standard output: leave -o out")
			}
			return runView(cfg, args[0], std)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&cfg.out, "output", "o", "", "write the page to `FILE` (default: the recording's name with .html; - "+
		"is standard output)")
	f.BoolVar(&cfg.text, "text", false, "tell it in lines on standard output")
	f.StringVar(&cfg.sourceRoot, "source-root", "", "put the source files that are below `DIR` into the page")
	f.BoolVar(&cfg.noSource, "no-source", false, "put no source into the page")
	return cmd
}

func runView(cfg *viewConfig, recording string, std streams) error {
	f, err := os.Open(recording)
	if err != nil {
		return fmt.Errorf("open the recording: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open the recording: %w", err)
	}
	progress := newProgress(std.err, "reading "+filepath.Base(recording), info.Size())
	t, err := timeline.Read(io.TeeReader(f, progress))
	progress.done()
	if err != nil {
		return fmt.Errorf("read %s: %w", recording, err)
	}
	if cfg.text {
		return view.Text(std.out, t, view.TextOptions{Style: newStyle(std.out), Width: terminalWidth(std.out)})
	}
	out := cfg.out
	if out == "" {
		out = strings.TrimSuffix(recording, filepath.Ext(recording)) + ".html"
	}
	if same, err := os.Stat(out); err == nil && os.SameFile(info, same) {
		return usagef("-o %s is the recording itself", out)
	}
	var sources []view.Source
	if !cfg.noSource {
		sources = view.FindSources(t.Files(), cfg.sourceRoot, t.Started)
	}
	about := view.About{Name: filepath.Base(recording), Version: version}
	if out == "-" {
		return view.HTML(std.out, t, sources, about)
	}
	// Only the owner may read it, as with the recording.
	page, err := os.OpenFile(out, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	err = errors.Join(view.HTML(page, t, sources, about), page.Close())
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	for _, s := range sources {
		fmt.Fprintf(std.err, "with the source %s\n", s.Path)
	}
	if files := t.Files(); cfg.sourceRoot == "" && !cfg.noSource && len(files) > 0 {
		fmt.Fprintf(std.err, "without source, such as %s; --source-root DIR puts in what is below DIR\n", files[0])
	}
	_, err = fmt.Fprintln(std.out, out)
	return err
}
