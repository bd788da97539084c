package main

import (
	"cmp"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/cmd/breakwire/internal/doctor"
	"breakwire/mapping"
)

// config has the flags of `serve`; their defaults come from the environment.
type config struct {
	backend     string // auto, a built-in profile's name, or replay
	backendPath string
	backendCmd  []string // an adapter's command line, instead of a known backend
	connect     string   // an adapter's address, instead of starting one
	transcript  string   // the recording that replay plays
	record      string
	pathMaps    []pathMap
	projectRoot string
	notify      string
	noLocals    bool
	toolNames   string   // as given
	tools       []string // the tools that are offered; nil is all
	traceLimit  int      // milliseconds for one tracepoint hit
	http        string
	httpToken   string // the file with the token
	allowRemote bool
	readOnly    bool
	programs    []string // patterns of programs that may be debugged
	maxSessions int
	logFile     string
	logLevel    string
	hide        func(value string) // hides a value in the log, once the log is open

	configFile string   // profiles of further adapters
	settings   settings // the content of configFile

	rawCmd  string
	rawMaps []string
}

// pathMap replaces the start of a path: from on the debugger's side, to on the client's.
type pathMap struct{ from, to string }

var (
	notifyModes = []string{"all", "standard", "none"}
	logLevels   = []string{"debug", "info", "warn", "error"}
)

func newConfig() *config {
	return &config{
		backend: cmp.Or(os.Getenv("BREAKWIRE_BACKEND"), "auto"),
		logFile: os.Getenv("BREAKWIRE_LOG"), maxSessions: 16,
	}
}

func (c *config) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&c.backend, "backend", c.backend, "debugger `NAME`: auto, netcoredbg, dlv, debugpy, lldb-dap, codelldb, "+
		"js-debug, replay, or your own for --backend-cmd and --connect")
	f.StringVar(&c.backendPath, "backend-path", "", "the debugger's executable `FILE`, when it is not on PATH")
	f.StringVar(&c.rawCmd, "backend-cmd", "", "a `COMMAND` line that starts a debug adapter on its standard streams")
	f.StringVar(&c.connect, "connect", "", "`HOST:PORT` where a debug adapter listens already")
	f.StringVar(&c.transcript, "transcript", "", "the recording `FILE` that replay plays")
	f.StringVar(&c.record, "record", "", "write every DAP message to `FILE`, as JSON lines")
	f.StringArrayVar(&c.rawMaps, "path-map", nil, "paths `FROM=TO`: a prefix at the debugger and its counterpart "+
		"here (repeatable)")
	f.StringVar(&c.configFile, "config", "",
		"profiles of further debug adapters in `FILE` (default: breakwire/config.jsonc in the user's config folder)")
	f.StringVar(&c.projectRoot, "project-root", "", "relative file names start from `DIR` (default: the working folder)")
	f.StringVar(&c.notify, "notify", "all", "`WHICH` notifications to send: all, standard (no debugger/... methods) "+
		"or none")
	f.StringVar(&c.toolNames, "tools", "all", "offer `WHICH` tools: all, core (18 of them), or their names with commas")
	f.BoolVar(&c.noLocals, "no-locals", false, "leave the values of arguments and locals out of the stops in answers")
	f.IntVar(&c.traceLimit, "trace-timeout", 2000, "let the evaluations of one tracepoint hit take `MS` milliseconds")
	f.StringVar(&c.http, "http", "", "serve streamable HTTP on `ADDR` (HOST:PORT, :PORT for this machine only) "+
		"instead of standard input and output")
	f.StringVar(&c.httpToken, "http-token-file", "",
		"the `FILE` with the token that HTTP clients must send (default: a new one, its place is printed)")
	f.BoolVar(&c.allowRemote, "allow-remote", false, "let --http be an address that other machines can reach")
	f.BoolVar(&c.readOnly, "read-only", false, "look only: no expressions with effects, no changes, and no program "+
		"that --allow-program does not name")
	f.StringArrayVar(&c.programs, "allow-program", nil,
		"only programs that match `GLOB` (or are below DIR, as DIR/**) may be started or attached to (repeatable)")
	f.IntVar(&c.maxSessions, "max-sessions", c.maxSessions, "let `N` debugging sessions be live at once")
	f.StringVar(&c.logFile, "log-file", c.logFile, "log to `FILE` (default: standard error)")
	f.StringVar(&c.logLevel, "log-level", "warn", "log from `LEVEL` on: debug, info, warn or error")
}

// check parses what the flag library cannot, reads the config file and refuses contradictory flags.
func (c *config) check() (err error) {
	if c.settings, err = readSettings(c.configFile); err != nil {
		return err
	}
	c.pathMaps = nil
	for _, text := range c.rawMaps {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" || to == "" {
			return usagef("--path-map %q: want FROM=TO", text)
		}
		c.pathMaps = append(c.pathMaps, pathMap{from, to})
	}
	if err := c.checkBackend(); err != nil {
		return err
	}
	if err := checkAddress("--http", c.http); err != nil {
		return err
	}
	if c.http == "" && (c.httpToken != "" || c.allowRemote) {
		return usagef("--http-token-file and --allow-remote are only for --http")
	}
	if !slices.Contains(notifyModes, c.notify) {
		return usagef("--notify %q: want %s", c.notify, strings.Join(notifyModes, ", "))
	}
	if c.tools, err = mcpserver.SelectTools(c.toolNames); err != nil {
		return usagef("--tools %v", err)
	}
	if !slices.Contains(logLevels, c.logLevel) {
		return usagef("--log-level %q: want %s", c.logLevel, strings.Join(logLevels, ", "))
	}
	for _, pattern := range c.programs {
		if err := adapter.CheckPattern(pattern); err != nil || pattern == "" {
			return usagef("--allow-program %q: want a path, which may have *, ? and [...] in it", pattern)
		}
	}
	if c.maxSessions <= 0 {
		return usagef("--max-sessions %d: want a number above 0", c.maxSessions)
	}
	if c.traceLimit <= 0 {
		return usagef("--trace-timeout %d: want a number of milliseconds above 0", c.traceLimit)
	}
	if c.projectRoot != "" {
		if info, err := os.Stat(c.projectRoot); err != nil {
			return usagef("--project-root: %v", err)
		} else if !info.IsDir() {
			return usagef("--project-root: %s is not a folder", c.projectRoot)
		}
	}
	return nil
}

// checkBackend is check for the flags that select the debugger and the connection to it.
func (c *config) checkBackend() error {
	var err error
	if c.backendCmd, err = mapping.SplitWords(c.rawCmd); err != nil {
		return usagef("--backend-cmd: %v", err)
	}
	if c.backend == "" {
		return usagef("--backend is empty")
	}
	if c.transcript != "" {
		if c.backend == "auto" {
			c.backend = "replay"
		}
		if c.backend != "replay" {
			return usagef("--transcript is only for --backend replay")
		}
	} else if c.backend == "replay" {
		return usagef("--backend replay needs --transcript FILE")
	}
	var ways []string
	for _, way := range []struct {
		flag string
		set  bool
	}{
		{"--backend-path", c.backendPath != ""},
		{"--backend-cmd", c.rawCmd != ""},
		{"--connect", c.connect != ""},
		{"--transcript", c.transcript != ""},
	} {
		if way.set {
			ways = append(ways, way.flag)
		}
	}
	if len(ways) > 1 {
		return usagef("%s and %s exclude each other", ways[0], ways[1])
	}
	if c.rawCmd != "" && len(c.backendCmd) == 0 {
		return usagef("--backend-cmd is empty")
	}
	if c.rawCmd == "" && c.connect == "" && c.transcript == "" { // otherwise the user chose the name
		o := adapter.BackendOptions{}
		c.settings.addTo(&o)
		if err := o.Check(c.backend); err != nil {
			return usagef("--backend: %s", doctor.Reason(err))
		}
	}
	if c.backendPath != "" && c.backend == "auto" {
		return usagef("--backend-path needs --backend NAME: which debugger is it?")
	}
	return checkAddress("--connect", c.connect)
}

// checkAddress refuses an invalid address. "" means none and is valid.
func checkAddress(flag, addr string) error {
	if addr == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return usagef("%s %q: want HOST:PORT", flag, addr)
	}
	return nil
}
