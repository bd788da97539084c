package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const completionLong = `Prints a script with which the shell completes the commands, flags and values of breakwire.

  bash        breakwire completion bash > ~/.local/share/bash-completion/completions/breakwire
  zsh         breakwire completion zsh > "${fpath[1]}/_breakwire"
  fish        breakwire completion fish > ~/.config/fish/completions/breakwire.fish
  powershell  breakwire completion powershell | Out-String | Invoke-Expression`

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(std streams) *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print the completions of a shell", Long: completionLong,
		Example:   "  source <(breakwire completion bash)\n  breakwire completion fish | source",
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 1 {
				switch args[0] {
				case "bash":
					return root.GenBashCompletionV2(std.out, true)
				case "zsh":
					return root.GenZshCompletion(std.out)
				case "fish":
					return root.GenFishCompletion(std.out, true)
				case "powershell":
					return root.GenPowerShellCompletionWithDesc(std.out)
				}
			}
			return usagef("which shell? One of %s", strings.Join(shells, ", "))
		},
	}
}

// completeFlags tells the shell what flags can be. What is not named here is a file.
func completeFlags(cmd *cobra.Command) {
	for flag, values := range map[string][]string{
		"backend":   {"auto", "netcoredbg", "dlv", "debugpy", "lldb-dap", "replay"},
		"notify":    notifyModes,
		"log-level": logLevels,
	} {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that is not there
		}
	}
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}
