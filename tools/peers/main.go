// Command peers has several MCP servers for debuggers, among them breakwire, do the same work, and prints one table.
//
//	peers [-rounds 3] [-cycles 50] [-looks 20] [-starts 10] [-only NAME,...]
//
// It runs in the root of the repository. It always measures bin/breakwire and the floor, which is a raw DAP client
// with the same requests. In each round the floor runs before and after each server's session. Peers are measured
// when their command is given:
//
//	PEER_MCP_DAP_SERVER   github.com/go-delve/mcp-dap-server
//	PEER_DAP_MCP          github.com/ctagard/dap-mcp
//	PEER_MCP_DEBUGGER     github.com/debugmcp/mcp-debugger, as "node /path/cli.mjs stdio"
//	PEER_MCP_NETCOREDBG   github.com/AerialByte/mcp-netcoredbg
//
// Delve is DLV_PATH or bin/dlv. Rows of netcoredbg need NETCOREDBG_PATH, dotnet on PATH and PEERS_DOTNET, the folder
// of LoopApp with its Program.cs and bin/LoopApp.dll. Everything runs sequentially in one goroutine, except for the
// readers of the pipes.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program is the debugged program: its loop calls Work, and the breakpoint is at Work's last line.
type program struct {
	path   string // the binary; for Delve's "debug" mode the folder is used instead
	source string
	line   int
	debug  *debugger
}

func (p *program) dir() string { return filepath.Dir(p.source) }

type options struct {
	rounds, cycles, looks, starts int
}

func main() {
	o := options{}
	flag.IntVar(&o.rounds, "rounds", 3, "sessions of each server")
	flag.IntVar(&o.cycles, "cycles", 50, "continues of a session")
	flag.IntVar(&o.looks, "looks", 20, "continues with a look at the stop")
	flag.IntVar(&o.starts, "starts", 10, "cold starts of each server")
	only := flag.String("only", "", "`names` of rows to measure, separated by commas")
	flag.Parse()
	if err := run(o, *only); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(o options, only string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	goProgram, dotnetProgram, err := programs(root, temp)
	if err != nil {
		return err
	}
	var rows []*row
	for _, s := range subjects(root) {
		p := goProgram
		if s.dotnet {
			p = dotnetProgram
		}
		switch {
		case only != "" && !slices.Contains(strings.Split(only, ","), s.name):
		case len(s.command) == 0:
			fmt.Fprintf(os.Stderr, "skipped: %s (%s is not set)\n", s.name, s.env)
		case p == nil:
			fmt.Fprintf(os.Stderr, "skipped: %s (no netcoredbg)\n", s.name)
		default:
			rows = append(rows, &row{subject: s, program: p})
		}
	}
	for _, r := range rows {
		if err := r.measureStarts(o.starts); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", r.subject.name, err)
		}
	}
	for n := range o.rounds {
		for _, r := range rows {
			if err := r.measureSession(o); err != nil {
				r.failed++
				fmt.Fprintf(os.Stderr, "%s, round %d: %v\n", r.subject.name, n+1, err)
			}
		}
	}
	fmt.Print(table(rows))
	return nil
}

// programs builds the Go program, finds the .NET one, and puts both debuggers on PATH for the servers.
func programs(root, temp string) (goProgram, dotnetProgram *program, err error) {
	dlv := cmp.Or(os.Getenv("DLV_PATH"), filepath.Join(root, "bin", "dlv"))
	if err := os.Setenv("DLV_PATH", dlv); err != nil {
		return nil, nil, err
	}
	path := filepath.Dir(dlv)
	// A copy, because some servers build where the source is.
	for _, name := range []string{"go.mod", "main.go"} {
		text, err := os.ReadFile(filepath.Join(root, "fixtures", "programs", "go", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(temp, name), text, 0o644)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	goProgram = &program{path: filepath.Join(temp, "loop"), source: filepath.Join(temp, "main.go"), line: 12,
		debug: delve(dlv)}
	build := exec.Command("go", "build", "-gcflags=all=-N -l", "-o", goProgram.path, ".")
	build.Dir, build.Stderr = goProgram.dir(), os.Stderr
	if err := build.Run(); err != nil {
		return nil, nil, fmt.Errorf("build the loop: %w", err)
	}
	netcoredbg, dir := os.Getenv("NETCOREDBG_PATH"), os.Getenv("PEERS_DOTNET")
	if _, err := exec.LookPath("dotnet"); err == nil && netcoredbg != "" && dir != "" {
		dotnetProgram = &program{path: filepath.Join(dir, "bin", "LoopApp.dll"),
			source: filepath.Join(dir, "Program.cs"), line: 11, debug: netcoredbgOf(netcoredbg)}
		path += string(os.PathListSeparator) + filepath.Dir(netcoredbg)
	}
	return goProgram, dotnetProgram, os.Setenv("PATH", path+string(os.PathListSeparator)+os.Getenv("PATH"))
}
