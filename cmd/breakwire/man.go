package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

const manLong = `Prints the manual page, or writes one for each command into a folder.`

func newMan(std streams) *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use: "man", Short: "Print the manual page", Long: manLong,
		Example: "  breakwire man | man -l -\n  breakwire man --dir /usr/local/share/man/man1",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // no line that says when it was made
			header := &doc.GenManHeader{Title: "BREAKWIRE", Section: "1", Source: "breakwire " + version, Manual: "breakwire"}
			if dir == "" {
				return doc.GenMan(root, header, std.out)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			header.Title = "" // each page has its own
			return doc.GenManTree(root, header, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write a page for each command into `DIR`")
	return cmd
}
