package program

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
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
	var binaries, sources []string
	forBuild, own := cargoArgs(q.Args)
	command := append([]string{"cargo", "test", "--no-run"}, forBuild...)
	build, err := RunBuild(ctx, folder, command, "", func(line string) {
		if m := cargoExecutable().FindStringSubmatch(line); m != nil {
			exe := m[2]
			if !filepath.IsAbs(exe) {
				exe = filepath.Join(folder, exe)
			}
			binaries, sources = append(binaries, exe), append(sources, m[1])
		}
		q.Line(line)
	})
	if err != nil {
		return nil, err
	}
	var known, found []string
	exe, source := "", ""
	for i, b := range binaries {
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
			found, exe, source = append(found, n), b, sources[i]
		}
	}
	switch len(found) {
	case 0:
		return nil, unknownTest(q, folder, known)
	case 1:
	default:
		return nil, severalTests(q, found)
	}
	args := []string{found[0], "--exact", "--nocapture", "--test-threads=1"}
	if ignored, _ := output(ctx, folder, exe, "--list", "--ignored", "--format", "terse"); slices.Contains(
		cargoNames(ignored), found[0]) {
		args = append(args, "--include-ignored")
	}
	run := folder
	list, err := output(ctx, folder, "cargo", "metadata", "--no-deps", "--offline", "--format-version", "1")
	if err == nil {
		run = cargoPackage(list, exe, source, folder)
	}
	t := &Test{Backend: "lldb-dap", Program: exe, Cwd: run, Build: build, Entry: Entry{Function: found[0]},
		Env: map[string]*string{"CARGO_MANIFEST_DIR": &run}, Args: append(args, own...)}
	words := slices.Concat([]string{"cargo", "test"}, forBuild, []string{found[0], "--", "--exact"})
	if slices.Contains(args, "--include-ignored") {
		words = append(words, "--include-ignored")
	}
	t.Ran = inFolder(quoted(words), folder)
	return t, nil
}

// cargoFlags are the flags of cargo test that are about the build and have no value, cargoValues those with one.
const (
	cargoFlags = "--release -r --all-features --no-default-features --workspace --all --lib --bins --tests --examples " +
		"--benches --all-targets --offline --locked --frozen"
	cargoValues = "--features -F --package -p --profile --target --test --bin --example --bench --exclude " +
		"--target-dir -j --jobs"
)

// cargoArgs separates the flags of a build from those of the test program, which also are all behind --.
func cargoArgs(args []string) (build, own []string) {
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return build, append(own, args[i+1:]...)
		case slices.Contains(strings.Fields(cargoFlags), name):
			build = append(build, args[i])
		case !slices.Contains(strings.Fields(cargoValues), name):
			own = append(own, args[i])
		case joined || i+1 == len(args):
			build = append(build, args[i])
		default:
			build = append(build, args[i], args[i+1])
			i++
		}
	}
	return build, own
}

// cargoPackage returns the folder of the package that a test program is of, in which cargo runs it, by the metadata of
// a workspace. source is its file as cargo prints it, from that folder on.
func cargoPackage(metadata, exe, source, folder string) string {
	var doc struct {
		Packages []struct {
			Manifest string `json:"manifest_path"`
			Targets  []struct {
				Name   string
				Source string `json:"src_path"`
			}
		}
	}
	if json.Unmarshal([]byte(metadata), &doc) != nil {
		return folder
	}
	name := strings.TrimSuffix(filepath.Base(exe), ".exe")
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		name = name[:i]
	}
	for _, p := range doc.Packages {
		for _, t := range p.Targets {
			if strings.ReplaceAll(t.Name, "-", "_") == name && strings.HasSuffix(filepath.ToSlash(t.Source),
				"/"+filepath.ToSlash(source)) {
				return filepath.Dir(p.Manifest)
			}
		}
	}
	return folder
}

// cargoExecutable matches the line with which cargo names a test program, and its source.
var cargoExecutable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Executable (?:unittests )?(.*) \((.+)\)$`)
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
