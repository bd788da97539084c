package main

import (
	"fmt"
	"io"
)

// row is one line of the table. before is this program's result on commit a168d9a.
type row struct {
	what, before, target, now string
}

func writeTable(w io.Writer, f *figures) {
	fmt.Fprintf(w, "| | a168d9a | target | now |\n|---|---|---|---|\n")
	for _, r := range rows(f) {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", r.what, r.before, r.target, r.now)
	}
	if len(f.unknown) > 0 {
		fmt.Fprintf(w, "\n%d files of package adapter have no layer, so %d references are not counted.\n",
			len(f.unknown), f.unknownReferences)
	}
}

// rows returns the lines of the table. Some targets come from other ways of counting, so only this program's numbers
// are comparable.
func rows(f *figures) []row {
	counted := len(f.references) - f.unknownReferences
	return []row{
		{"package `adapter`, flat, without tests: files; lines", "99; 17,424", "≤ 45; ≤ 9,000",
			fmt.Sprintf("%d; %s", f.files, thousands(f.lines))},
		{"references between its files that run against the layers, of all", "99 of 628", "a handful",
			fmt.Sprintf("%d of %d", len(f.upward()), counted)},
		{"`Session`: fields; methods; files with methods", "74; 296; 54", "≤ 25; fewer; fewer",
			fmt.Sprintf("%d; %d; %d", f.fields, f.methods, f.methodFiles)},
		{"`ask(..., func)`; guards `s.service != v`; assignments `s.service =`", "29; 14; 14",
			"none on the path of a hit, a step, a pause, a resume",
			fmt.Sprintf("%d; %d; %d", len(f.continuations), len(f.guards), len(f.assignments))},
		{"fields of `service` or `turn`; those that say what follows", "25; 4", "≤ 14; 0",
			fmt.Sprintf("%d; %d", f.served, len(f.servedNext))},
		{"comparisons of a `Language` in `adapter` and below; files with them", "48; 19",
			"only where a session picks its language's parts",
			fmt.Sprintf("%d; %d", len(f.languages), f.languageFiles)},
		{fmt.Sprintf("source lines over %d columns", maxColumns), "2,088", "0", thousands(len(f.long))},
		{"values made when a package is initialised", "81", "0", fmt.Sprint(len(f.inits))},
	}
}

// thousands formats a number with a comma before each group of three digits.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
