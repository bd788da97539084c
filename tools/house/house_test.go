package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// checked returns a package made of files given as text. It may import what imports lists.
func checked(t *testing.T, files map[string]string) *packages.Package {
	t.Helper()
	p := &packages.Package{PkgPath: "breakwire/adapter", Fset: token.NewFileSet(), TypesInfo: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	for name, text := range files {
		file, err := parser.ParseFile(p.Fset, name, "package adapter\n"+text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.Syntax = append(p.Syntax, file)
	}
	config := types.Config{Importer: importer.ForCompiler(p.Fset, "source", nil)}
	var err error
	if p.Types, err = config.Check(p.PkgPath, p.Fset, p.Syntax, p.TypesInfo); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReferencesAgainstTheLayers(t *testing.T) {
	p := checked(t, map[string]string{
		"session.go": "type Session struct { n int }\nfunc (s *Session) loop() { s.onStopped() }",
		"stops.go":   "const limit = 3\nfunc (s *Session) onStopped() { s.n = limit; s.read() }",
		"reads.go":   "func (s *Session) read() { s.n++ }",
		"manager.go": "func launch() *Session { return &Session{} }",
		"novelty.go": "func (s *Session) novelty() { s.read() }",
	})
	f := &figures{}
	f.measureSession(p)
	want := map[reference]bool{
		{"session.go", "stops.go"}: true, {"stops.go", "reads.go"}: true, {"manager.go", "session.go"}: true,
		{"novelty.go", "reads.go"}: true,
	}
	if !reflect.DeepEqual(f.references, want) {
		t.Errorf("references: %v", f.references)
	}
	if up := f.upward(); len(up) != 1 || up[0] != (reference{"session.go", "stops.go"}) {
		t.Errorf("against the layers: %v", up)
	}
	if !slices.Equal(f.unknown, []string{"novelty.go"}) || f.unknownReferences != 1 {
		t.Errorf("without a layer: %v, %d references", f.unknown, f.unknownReferences)
	}
	if f.fields != 1 || f.methods != 4 || f.methodFiles != 4 {
		t.Errorf("Session: %d fields, %d methods in %d files", f.fields, f.methods, f.methodFiles)
	}
}

func TestServing(t *testing.T) {
	p := checked(t, map[string]string{"stops.go": `
type service struct {
	a, b   int
	onward func()
	before *service
	hook   callback
}
type callback func()
type Session struct{ service *service }
func (s *Session) ask(next func([]int), questions ...int) {}
func (s *Session) handle([]int) {}
func tell(func()) {}
func (s *Session) serve(v *service) {
	s.service = v
	s.ask(func([]int) {
		if s.service != v || s.service != nil { return }
		s.service = nil
	})
	s.ask(s.handle, 1)
	s.ask(nil)
	tell(func() {})
	w := &service{}
	_ = w
}`})
	f := &figures{}
	f.measureSession(p)
	if f.served != 5 || !slices.Equal(f.servedNext, []string{"service.onward", "service.before"}) {
		t.Errorf("service: %d fields, next %v", f.served, f.servedNext)
	}
	if len(f.continuations) != 2 || len(f.guards) != 1 || len(f.assignments) != 2 {
		t.Errorf("continuations %v, guards %v, assignments %v", f.continuations, f.guards, f.assignments)
	}
}

func TestLanguageComparisons(t *testing.T) {
	p := checked(t, map[string]string{"a.go": `
type Language string
const Go Language = "go"
type profile struct{ Language Language }
func f(p profile, l Language, s string) bool {
	switch l {
	case Go:
	}
	switch s {
	case "go":
	}
	return p.Language == Go || Go != l || s == "go"
}`})
	if got := languageComparisons(p); len(got) != 3 {
		t.Errorf("comparisons: %v", got)
	}
}

func TestInitCosts(t *testing.T) {
	p := checked(t, map[string]string{"a.go": `
import ("errors"; "strings"; "sync"; "time")
const limit = len("four")
type text string
var (
	wait     = 3 * time.Second
	sentinel = errors.New("no")
	lazy     = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("a", "b") })
	table    = []struct{ a, b string }{{"a", "b"}, {"c", "d"}}
	none     = map[string]bool{}
	word     = text("a")
	size     = len(table)
	call     = func() string { return strings.ToLower("A") }
)
var eager = strings.NewReplacer("a", "b")
var nested = []*strings.Replacer{nil, strings.NewReplacer("a", "b")}
var made = func() int { return 1 }()
var names = map[string]int{"a": 1}
func init() { none["a"] = true }
`})
	got := initCosts(p)
	want := []string{
		"breakwire/adapter/a.go: eager: calls strings.NewReplacer",
		"breakwire/adapter/a.go: func init",
		"breakwire/adapter/a.go: made: calls (func() int literal)",
		"breakwire/adapter/a.go: names: a map of 1",
		"breakwire/adapter/a.go: nested: calls strings.NewReplacer",
	}
	if !slices.Equal(got, want) {
		t.Errorf("costs:\n%s", strings.Join(got, "\n"))
	}
}

func TestTooLong(t *testing.T) {
	just, over := strings.Repeat("x", maxColumns), strings.Repeat("é", maxColumns+1)
	got := tooLong("a.go", just+"\r\n"+over+"\n\t"+just+"\n"+strings.Repeat("é", maxColumns)+"\n")
	if !slices.Equal(got, []string{"a.go:2: 121 columns", "a.go:3: 121 columns"}) {
		t.Errorf("long lines: %v", got)
	}
	if got := tooLong("a.go", "// Code generated by x. DO NOT EDIT.\n"+over); len(got) > 0 {
		t.Errorf("generated: %v", got)
	}
}

func TestSize(t *testing.T) {
	dir := t.TempDir()
	texts := map[string]string{"a.go": "a\nb\n", "a_windows.go": "c\n", "a_test.go": "d\n", "a.txt": "e\n"}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, lines, err := size(dir)
	if err != nil || files != 2 || lines != 3 {
		t.Errorf("%d files, %d lines, %v", files, lines, err)
	}
}

// Every row has the number at the start and a target, so the table shows the change.
func TestTable(t *testing.T) {
	var out strings.Builder
	writeTable(&out, &figures{lines: 12345, unknown: []string{"a.go"}, unknownReferences: 2})
	for _, want := range []string{"| 0; 12,345 |\n", "2 references are not counted"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the table:\n%s", want, out.String())
		}
	}
	for _, r := range rows(&figures{}) {
		if r.before == "" || r.target == "" || r.now == "" {
			t.Errorf("row without a figure: %+v", r)
		}
	}
}
