package program

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
)

// NodeStart is how node runs a program.
type NodeStart struct {
	Program string   // the file that node gets; "": Runtime knows
	Runtime string   // the executable; "": node
	Options []string // what comes before the program
	Args    []string
	Cwd     string   // "": the default
	Uses    []string // files beside the program that run with it, or in its place
	Skip    []string // scripts of the package whose nodes are not the program
	Ran     string   // the command in words; "": the program itself
	Warning string
}

// NodeQuery asks how node runs a program.
type NodeQuery struct {
	Program string // source file, package.json, or the folder of one
	Args    []string
	Node    string // the node that runs it
}

// FindNodeStart returns how a program in JavaScript or TypeScript, or a script of a package, is run.
func FindNodeStart(ctx context.Context, q NodeQuery) (*NodeStart, error) {
	if folder := packageFolder(q.Program); folder != "" {
		return scriptStart(folder, q)
	}
	s := &NodeStart{Program: q.Program, Args: q.Args}
	if !isTypeScript(q.Program) {
		return s, nil
	}
	return s, s.forTypeScript(ctx, q)
}

func isTypeScript(path string) bool {
	return slices.Contains([]string{".ts", ".mts", ".cts", ".tsx"}, strings.ToLower(filepath.Ext(path)))
}

// forTypeScript adds what the program's project has to run TypeScript: tsx, ts-node or compiled files. A newer node
// runs it by itself.
func (s *NodeStart) forTypeScript(ctx context.Context, q NodeQuery) error {
	if s.Options, s.Uses = loaderOf(q.Program); s.Options != nil {
		s.Ran = quoted(slices.Concat([]string{"node"}, s.Options, []string{q.Program}, q.Args))
		return nil
	}
	if compiled := compiledFile(q.Program); compiled != "" {
		s.Program, s.Uses = compiled, []string{compiled}
		s.Ran = quoted(slices.Concat([]string{"node", compiled}, q.Args))
		if olderThan(compiled, q.Program) {
			s.Warning = compiled + " is older than " + q.Program + "; compile it again, or the lines differ"
		}
		return nil
	}
	if filepath.Ext(q.Program) != ".tsx" && stripsTypes(ctx, q.Node) {
		return nil
	}
	return fault.Errorf(fault.LaunchFailed, "this node does not run %s, and its project has nothing that does: no tsx or "+
		"ts-node in node_modules, and no compiled file with a source map. Install tsx (npm install --save-dev tsx), compile "+
		"with sourceMap (tsc), or use Node 22.18 or newer", q.Program).With("path", q.Program)
}

// loaderOf returns the options with which node runs a file in TypeScript: by tsx or ts-node of its project.
func loaderOf(file string) (options, uses []string) {
	folder := filepath.Dir(file)
	module, option, loader := nodeModule(folder, "tsx"), "--require", "dist/cjs/index.cjs"
	if isESM(file) {
		option, loader = "--import", "dist/loader.mjs"
	}
	if module == "" && !isESM(file) && IsFile(filepath.Join(nodeModule(folder, "typescript"), "lib", "typescript.js")) {
		module, loader = nodeModule(folder, "ts-node"), "register/transpile-only.js"
	}
	path := filepath.Join(module, filepath.FromSlash(loader))
	if module == "" || !IsFile(path) {
		return nil, nil
	}
	if uses = []string{path}; option == "--import" {
		path = fileURL(path)
	}
	return []string{option, path}, uses
}

// isESM reports whether node takes a file as a module of ECMAScript.
func isESM(file string) bool {
	switch filepath.Ext(file) {
	case ".mjs", ".mts":
		return true
	case ".cjs", ".cts":
		return false
	}
	return nearestPackage(filepath.Dir(file)).Type == "module"
}

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive of Windows
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// outDir matches the folder of compiled files in a tsconfig.json, which may have comments.
var outDir = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[^/\n]*"outDir"\s*:\s*"([^"]+)"`)
})

// compiledFile returns the JavaScript whose source map names a TypeScript file, "" when there is none. It is beside the
// file, or below the folder that tsconfig.json or habit names.
func compiledFile(source string) string {
	name := filepath.Base(source)
	ext := filepath.Ext(name)
	name = strings.TrimSuffix(name, ext) + map[string]string{".mts": ".mjs", ".cts": ".cjs"}[ext]
	if !strings.HasSuffix(name, "js") || ext == ".ts" || ext == ".tsx" {
		name = strings.TrimSuffix(filepath.Base(source), ext) + ".js"
	}
	if file := filepath.Join(filepath.Dir(source), name); namesSource(file, source) {
		return file
	}
	var folders []string
	upward(filepath.Dir(source), func(dir string) bool {
		text, err := os.ReadFile(filepath.Join(dir, "tsconfig.json"))
		if m := outDir().FindSubmatch(text); m != nil {
			folders = append(folders, filepath.Join(dir, filepath.FromSlash(string(m[1]))))
		}
		for _, habit := range []string{"dist", "build", "out", "lib"} {
			folders = append(folders, filepath.Join(dir, habit))
		}
		return err == nil || IsFile(filepath.Join(dir, "package.json"))
	})
	for _, folder := range slices.Compact(folders) {
		if file := compiledBelow(folder, name, source); file != "" {
			return file
		}
	}
	return ""
}

// compiledBelow looks for a compiled file below a folder.
func compiledBelow(folder, name, source string) (found string) {
	const most = 20_000
	visited := 0
	_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if visited++; err != nil || visited > most {
			return filepath.SkipDir
		}
		if d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if d.Name() == name && namesSource(path, source) {
			found = path
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// namesSource reports whether the source map beside a compiled file has this source.
func namesSource(file, source string) bool {
	text, err := os.ReadFile(file + ".map")
	var doc struct {
		SourceRoot string   `json:"sourceRoot"`
		Sources    []string `json:"sources"`
	}
	if err != nil || !IsFile(file) || json.Unmarshal(text, &doc) != nil {
		return false
	}
	want, err := os.Stat(source)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(doc.Sources, func(name string) bool {
		name = strings.TrimPrefix(doc.SourceRoot+name, "file://")
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), filepath.FromSlash(name))
		}
		have, err := os.Stat(name)
		return err == nil && os.SameFile(have, want)
	})
}

func olderThan(file, other string) bool {
	a, err := os.Stat(file)
	b, bad := os.Stat(other)
	return err == nil && bad == nil && a.ModTime().Add(2*time.Second).Before(b.ModTime())
}

// stripsTypes reports whether a node runs TypeScript by itself.
func stripsTypes(ctx context.Context, node string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "--version")
	cmd.WaitDelay = 100 * time.Millisecond
	text, err := cmd.Output()
	return err == nil && runsTypes(versionOf(string(text)))
}

func runsTypes(major, minor int) bool {
	return major > 23 || major == 23 && minor >= 6 || major == 22 && minor >= 18
}

// versionOf reads the version of node, v22.18.0. It returns 0 for what is none.
func versionOf(text string) (major, minor int) {
	if _, err := fmt.Sscanf(text, "v%d.%d", &major, &minor); err != nil {
		return 0, 0
	}
	return major, minor
}
