package main

import (
	"github.com/spf13/cobra"
)

const rootLong = `An MCP server that debugs real programs for an AI agent or an editor: breakpoints, tracepoints that
report without stopping, stepping, variables, evaluation. It talks to the debugger by the Debug
Adapter Protocol: netcoredbg for .NET, Delve for Go, debugpy for Python, js-debug for JavaScript,
lldb-dap for native code, or any other adapter by command or address.

Without a subcommand it serves MCP on its standard input and output.

Environment:
  BREAKWIRE_BACKEND   default of --backend
  BREAKWIRE_LOG       default of --log-file
  NETCOREDBG_PATH, DLV_PATH, DEBUGPY_PYTHON, LLDB_DAP_PATH   where a debugger is`

const rootExample = `  breakwire                                        serve, choosing the debugger by the program
  breakwire --backend netcoredbg --record s.jsonl  record the debugger's side of the session
  breakwire --connect 127.0.0.1:4711               use a debug adapter that listens already
  breakwire --backend-cmd "my-adapter --dap"       use any other debug adapter
  breakwire --backend replay --transcript s.jsonl  play a recording back`

// newRoot builds the command tree. The root command and `serve` both serve, with the same flags.
func newRoot(std streams) *cobra.Command {
	cfg := newConfig()
	wire := std // for a protocol, whose own errors report a failed write
	wire.out = behind(std.out)
	root := &cobra.Command{
		Use:           "breakwire",
		Short:         "An MCP server that debugs real programs",
		Long:          rootLong,
		Example:       rootExample,
		Args:          noCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          serveCommand(cfg, wire),
	}
	root.SuggestionsMinimumDistance = 2
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.CompletionOptions.DisableDefaultCmd = true // newCompletion replaces it
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	cfg.addFlags(root.Flags())

	serve := &cobra.Command{
		Use:     "serve",
		Short:   "Serve MCP on standard input and output (the default)",
		Long:    rootLong,
		Example: rootExample,
		Args:    noArgs,
		RunE:    serveCommand(cfg, wire),
	}
	cfg.addFlags(serve.Flags())

	root.AddCommand(serve, newDemo(std), newDoctor(std), newClientConfig(std), newRecord(wire), newView(std),
		newCompletion(std), newMan(std), newVersion(std), newGuard(std))
	completeFlags(root)
	return root
}

func serveCommand(cfg *config, std streams) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		if err := cfg.check(); err != nil {
			return err
		}
		return serve(cmd.Context(), cfg, std)
	}
}

// noCommand suggests the likely subcommand for an unknown word.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("unknown command %q; did you mean %q?", args[0], near[0])
	}
	return usagef("unknown command %q", args[0])
}
