// Command cost goes twenty small debugging tasks, five in each of four languages, on two servers, and prints calls,
// bytes of the answers, and bytes by kind.
//
//	cost [-before FILE] [-after bin/breakwire] [-only TEXT] [-v]
//
// It runs in the root of the repository. Each task has a question, a program, a known answer, and a path of calls for
// each server: the shortest that it allows. A path may use only what a model knows by then: the question, the source,
// the descriptions of the tools, and the answers before. C# is played from recordings. -before is a binary of commit
// a168d9a; without it only today's path is gone.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	before := flag.String("before", "", "binary of a168d9a")
	after := flag.String("after", "bin/breakwire", "binary of today")
	only := flag.String("only", "", "tasks whose language and name have this text")
	verbose := flag.Bool("v", false, "print the answers")
	flag.Parse()
	if err := run(*before, *after, *only, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func run(before, after, only string, verbose bool) error {
	base, err := os.Getwd()
	if err != nil {
		return err
	}
	built, err := os.MkdirTemp("", "cost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(built)
	if err := build(filepath.Join(base, root), built); err != nil {
		return err
	}
	if after, err = filepath.Abs(after); err != nil {
		return err
	}
	servers := []string{"after"}
	if before != "" {
		servers = []string{"before", "after"}
	}
	totals := map[string]*result{}
	for _, s := range servers {
		totals[s] = &result{kinds: map[string]int{}}
	}
	failed := 0
	fmt.Printf("%-8s %-18s%s\n", "", "", strings.Repeat("   calls   bytes", len(servers)))
	for _, t := range tasks(base, built, filepath.Join(base, "fixtures/transcripts/netcoredbg")) {
		if !strings.Contains(t.language+" "+t.name, only) {
			continue
		}
		row := fmt.Sprintf("%-8s %-18s", t.language, t.name)
		for _, s := range servers {
			binary, path := after, t.after
			if s == "before" {
				binary, path = before, t.before
			}
			r, err := walk(binary, t, path, verbose)
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s, %s, %s: %v\n", t.language, t.name, s, err)
				failed++
			}
			row += fmt.Sprintf("%8d%8d", r.calls, r.bytes)
			totals[s].calls += r.calls
			totals[s].bytes += r.bytes
			for kind, n := range r.kinds {
				totals[s].kinds[kind] += n
			}
		}
		fmt.Println(row)
	}
	row := fmt.Sprintf("%-27s", "all")
	for _, s := range servers {
		row += fmt.Sprintf("%8d%8d", totals[s].calls, totals[s].bytes)
	}
	fmt.Println(row)
	for _, kind := range slices.Sorted(maps.Keys(totals[servers[0]].kinds)) {
		row := fmt.Sprintf("%-27s", "  "+kind)
		for _, s := range servers {
			row += fmt.Sprintf("%16d", totals[s].kinds[kind])
		}
		fmt.Println(row)
	}
	if len(servers) == 2 && totals["before"].calls > 0 {
		fmt.Printf("after / before: calls %.2f, bytes %.2f\n", float64(totals["after"].calls)/float64(totals["before"].calls),
			float64(totals["after"].bytes)/float64(totals["before"].bytes))
	}
	if failed > 0 {
		return fmt.Errorf("%d paths did not reach their answer", failed)
	}
	return nil
}

// build compiles the programs of C and C++.
func build(from, to string) error {
	sources, err := filepath.Glob(filepath.Join(from, "*.c*"))
	if err != nil {
		return err
	}
	for _, source := range sources {
		compiler := "cc"
		if filepath.Ext(source) == ".cpp" {
			compiler = "c++"
		}
		program := filepath.Join(to, filepath.Base(source))
		out, err := exec.Command(compiler, "-g", "-O0", "-o", program, source).CombinedOutput()
		if err != nil {
			return fmt.Errorf("build %s: %w: %s", source, err, out)
		}
	}
	return nil
}
