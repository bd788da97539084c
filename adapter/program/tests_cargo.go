package program

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"breakwire/adapter/fault"
)

// cargoTest builds the tests of a crate and returns how one of them is run.
func cargoTest(ctx context.Context, q TestQuery, folder string) (*Test, error) {
	for !IsFile(filepath.Join(folder, "Cargo.toml")) {
		if folder == filepath.Dir(folder) {
			return nil, fault.Errorf(fault.InvalidPath, "%s is in no crate: there is no Cargo.toml above it", q.Program).
				With("path", q.Program)
		}
		folder = filepath.Dir(folder)
	}
	if err := q.MayRun(onPath("cargo"), filepath.Join(folder, "Cargo.toml")); err != nil {
		return nil, err
	}
	var binaries []string
	build, err := RunBuild(ctx, folder, []string{"cargo", "test", "--no-run"}, "", func(line string) {
		if m := cargoExecutable().FindStringSubmatch(line); m != nil {
			exe := m[1]
			if !filepath.IsAbs(exe) {
				exe = filepath.Join(folder, exe)
			}
			binaries = append(binaries, exe)
		}
		q.Line(line)
	})
	if err != nil {
		return nil, err
	}
	var known, found []string
	exe := ""
	for _, b := range binaries {
		if err := q.MayRun(b); err != nil {
			return nil, err
		}
		list, err := output(ctx, folder, b, "--list", "--format", "terse")
		if err != nil {
			continue // a harness of its own
		}
		names := cargoNames(list)
		known = append(known, names...)
		for _, n := range named(q.Name, names, func(k string) bool { return strings.HasSuffix(k, "::"+q.Name) }) {
			found, exe = append(found, n), b
		}
	}
	switch len(found) {
	case 0:
		return nil, unknownTest(q, folder, known)
	case 1:
	default:
		return nil, severalTests(q, found)
	}
	t := &Test{Backend: "lldb-dap", Program: exe, Cwd: folder, Build: build, Entry: Entry{Function: found[0]},
		Env:  map[string]*string{"CARGO_MANIFEST_DIR": &folder},
		Args: append([]string{found[0], "--exact", "--nocapture", "--test-threads=1"}, q.Args...)}
	t.Ran = inFolder(quoted([]string{"cargo", "test", found[0], "--", "--exact"}), folder)
	return t, nil
}

// cargoExecutable matches the line with which cargo names a test program.
var cargoExecutable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Executable .*\((.+)\)$`)
})

// cargoNames returns the tests of a list that a test program of Rust prints: NAME: test.
func cargoNames(list string) []string {
	var names []string
	for line := range strings.Lines(list) {
		if name, ok := strings.CutSuffix(strings.TrimSpace(line), ": test"); ok {
			names = append(names, name)
		}
	}
	return names
}
