package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const manLong = `Prints the manual page, or writes one for each command into a folder.`

func newMan(std streams) *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use: "man", Short: "Print the manual page", Long: manLong,
		Example: "  breakwire man | man -l -\n  breakwire man --dir /usr/local/share/man/man1",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			date, err := manDate()
			if err != nil {
				return err
			}
			if dir == "" {
				_, err := io.WriteString(std.out, manPage(cmd.Root(), date))
				return err
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return writeManPages(cmd.Root(), date, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write a page for each command into `DIR`")
	return cmd
}

// manDate is today, or a fixed day for reproducible builds.
func manDate() (string, error) {
	date := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return "", fmt.Errorf("invalid SOURCE_DATE_EPOCH: %w", err)
		}
		date = time.Unix(seconds, 0)
	}
	return date.Format("Jan 2006"), nil
}

// writeManPages writes the pages of a command and its subcommands.
func writeManPages(cmd *cobra.Command, date, dir string) error {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			if err := writeManPages(c, date, dir); err != nil {
				return err
			}
		}
	}
	file := filepath.Join(dir, manName(cmd)+".1")
	if err := os.WriteFile(file, []byte(manPage(cmd, date)), 0o644); err != nil {
		return fmt.Errorf("write the manual pages: %w", err)
	}
	return nil
}

// manName is the name of a command's page: breakwire-view.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manBreak separates two paragraphs.
const manBreak = "\n\n.PP\n"

// manPage is the page of a command in roff, the format of man.
func manPage(cmd *cobra.Command, date string) string {
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".nh\n.TH %q \"1\" %q %q \"breakwire\"\n", strings.ToUpper(manName(cmd)), date, "breakwire "+version)
	section := func(title, text string) { fmt.Fprintf(&b, "\n.SH %s\n%s\n", title, text) }
	section("NAME", manName(cmd)+" - "+roff(cmd.Short)+"\n")
	section("SYNOPSIS", `\fB`+roff(cmd.UseLine())+"\\fP\n")
	description := cmd.Long
	if description == "" {
		description = cmd.Short
	}
	paragraphs := strings.Split(description, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = roffBold(strings.TrimLeft(p, " "))
	}
	section("DESCRIPTION", strings.Join(paragraphs, manBreak)+"\n")
	if flags := cmd.NonInheritedFlags(); flags.HasAvailableFlags() {
		section("OPTIONS", strings.Join(manOptions(flags), manBreak)+"\n")
	}
	if flags := cmd.InheritedFlags(); flags.HasAvailableFlags() {
		section("OPTIONS INHERITED FROM PARENT COMMANDS", strings.Join(manOptions(flags), manBreak)+"\n")
	}
	if cmd.Example != "" {
		section("EXAMPLE", ".EX\n"+roff(cmd.Example)+"\n.EE\n")
	}
	var others []string
	if cmd.HasParent() {
		others = append(others, manName(cmd.Parent()))
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			others = append(others, manName(c))
		}
	}
	if len(others) > 0 {
		section("SEE ALSO", `\fB`+strings.Join(others, `(1)\fP, \fB`)+`(1)\fP`)
	}
	return b.String()
}

// manOptions returns a paragraph for each flag.
func manOptions(flags *pflag.FlagSet) []string {
	var list []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Deprecated != "" || f.Hidden {
			return
		}
		name := `\fB--` + f.Name + `\fP`
		if f.Shorthand != "" && f.ShorthandDeprecated == "" {
			name = `\fB-` + f.Shorthand + `\fP, ` + name
		}
		value := f.DefValue
		if f.Value.Type() == "string" {
			value = strconv.Quote(value)
		}
		value = "=" + roff(value)
		if f.NoOptDefVal != "" { // the value is optional
			value = "[" + value + "]"
		}
		list = append(list, name+value+"\n\t"+roffBold(f.Usage))
	})
	return list
}

// roffBold formats text in backquotes as bold.
func roffBold(text string) string {
	parts := strings.Split(roff(text), "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = `\fB` + parts[i] + `\fR`
	}
	return strings.Join(parts, "")
}

// roff escapes text so that no part of it is a command.
func roff(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, `\`, `\\`), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
