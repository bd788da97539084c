// Command house measures the structure of the product's code and prints it as a Markdown table: the figures of the
// commit that the redesign began with, the targets, and the figures of the checkout that it runs on.
//
//	house [-list] [ROOT]     the table; -list names what the rows count
//	house -long [ROOT]       the source lines that are too long; status 1 if there are any
//
// ROOT is a checkout, by default the current folder. The checkout must compile.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	long := flag.Bool("long", false, "print the source lines that are too long, nothing else")
	list := flag.Bool("list", false, "print what the rows count, below the table")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	run := func() error { return printTable(os.Stdout, root, *list) }
	if *long {
		run = func() error { return printLong(os.Stdout, root) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

// printLong prints every line that is too long, and returns an error if there is one.
func printLong(w io.Writer, root string) error {
	files, err := goFiles(root)
	if err != nil {
		return err
	}
	lines, err := longLines(root, files)
	if err != nil {
		return err
	}
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	if len(lines) > 0 {
		return fmt.Errorf("%d source lines are longer than %d columns", len(lines), maxColumns)
	}
	return nil
}

// printTable measures the checkout and prints the table.
func printTable(w io.Writer, root string, list bool) error {
	now, err := measure(root)
	if err != nil {
		return err
	}
	writeTable(w, now)
	if list {
		now.writeLists(w)
	}
	return nil
}
