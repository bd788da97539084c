package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

const completionLong = `Prints a script with which the shell completes the commands, flags and values of breakwire.

  bash        breakwire completion bash > ~/.local/share/bash-completion/completions/breakwire
  zsh         breakwire completion zsh > "${fpath[1]}/_breakwire"
  fish        breakwire completion fish > ~/.config/fish/completions/breakwire.fish
  powershell  breakwire completion powershell | Out-String | Invoke-Expression`

var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionFiles are the file names under which shells find completions.
var completionFiles = sync.OnceValue(func() map[string]string {
	return map[string]string{"bash": "breakwire.bash", "zsh": "_breakwire", "fish": "breakwire.fish",
		"powershell": "breakwire.ps1"}
})

func newCompletion(std streams) *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use: "completion SHELL", Short: "Print the completions of a shell", Long: completionLong,
		Example: "  source <(breakwire completion bash)\n  breakwire completion fish | source\n  breakwire " +
			"completion --dir completions",
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir != "" && len(args) == 0 {
				return writeCompletions(cmd.Root(), dir)
			}
			if len(args) != 1 || completionFiles()[args[0]] == "" || dir != "" {
				return usagef("which shell? One of %s, or --dir DIR for all", strings.Join(shells, ", "))
			}
			return writeCompletion(cmd.Root(), args[0], std.out)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write those of all shells into `DIR`")
	return cmd
}

func writeCompletion(root *cobra.Command, shell string, out io.Writer) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(out, true)
	case "zsh":
		return root.GenZshCompletion(out)
	case "fish":
		return root.GenFishCompletion(out, true)
	}
	return root.GenPowerShellCompletionWithDesc(out)
}

func writeCompletions(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the completions: %w", err)
	}
	for _, shell := range shells {
		var script strings.Builder
		if err := writeCompletion(root, shell, &script); err != nil {
			return fmt.Errorf("write the completions: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, completionFiles()[shell]), []byte(script.String()), 0o644); err != nil {
			return fmt.Errorf("write the completions: %w", err)
		}
	}
	return nil
}

// completeFlags registers the values of flags for completion. Flags that are not listed here take files.
func completeFlags(cmd *cobra.Command) {
	for flag, values := range map[string][]string{
		"backend":   {"auto", "netcoredbg", "dlv", "debugpy", "lldb-dap", "codelldb", "js-debug", "replay"},
		"notify":    notifyModes,
		"log-level": logLevels,
	} {
		if cmd.Flags().Lookup(flag) != nil {
			// fails only for an unknown flag
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}
