package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// figures are the table's numbers for one checkout. Lists have the counted places.
type figures struct {
	files, lines      int                // of package adapter
	references        map[reference]bool // between its files
	fields            int                // of Session
	methods           int
	methodFiles       int
	continuations     []string // ask(..., func)
	guards            []string // s.service != v
	assignments       []string // s.service =
	served            int      // fields of service
	servedNext        []string // those that hold the next work
	languages         []string // comparisons of a Language in adapter and below
	languageFiles     int
	long              []string // lines
	inits             []string // work at the initialisation of a package
	unknown           []string // files of adapter that have no layer
	unknownReferences int
}

// servingNames are the names of the struct for the stop being served, in the current code and in a successor. The
// session's field for it has one of these names too.
var servingNames = []string{"service", "turn"}

func measure(root string) (*figures, error) {
	loaded, err := packages.Load(&packages.Config{Dir: root, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}, "./...")
	if err != nil {
		return nil, err
	}
	f := &figures{}
	var session *packages.Package
	for _, p := range loaded {
		for _, e := range p.Errors {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, e)
		}
		if strings.HasSuffix(p.PkgPath, "/adapter") {
			session = p
		}
		if strings.Contains(p.PkgPath+"/", "/adapter/") {
			f.languages = append(f.languages, languageComparisons(p)...)
		}
		if !strings.HasSuffix(p.PkgPath, "test") { // test helpers are not in the product
			f.inits = append(f.inits, initCosts(p)...)
		}
	}
	if session == nil {
		return nil, errors.New("there is no package adapter")
	}
	f.languageFiles = len(filesOf(f.languages))
	if f.files, f.lines, err = size(filepath.Join(root, "adapter")); err != nil {
		return nil, err
	}
	f.measureSession(session)
	tracked, err := goFiles(root)
	if err != nil {
		return nil, err
	}
	f.long, err = longLines(root, tracked)
	return f, err
}

// size counts the Go files of a folder and their lines, without tests, for all platforms.
func size(dir string) (files, lines int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, 0, err
		}
		files++
		lines += bytes.Count(text, []byte("\n"))
	}
	return files, lines, nil
}

// measureSession counts the declarations of the session's package.
func (f *figures) measureSession(p *packages.Package) {
	f.references = references(p)
	unknown := map[string]bool{}
	for _, file := range p.Syntax {
		if name := fileOf(p.Fset, file); layerOf(name) < 0 {
			unknown[name] = true
		}
	}
	f.unknown = slices.Sorted(maps.Keys(unknown))
	for r := range f.references {
		if _, known := r.against(); !known {
			f.unknownReferences++
		}
	}
	methodFiles := map[string]bool{}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			at := func() string { return place(p.Fset, n) }
			switch n := n.(type) {
			case *ast.FuncDecl:
				if receiver(n) == "Session" {
					f.methods++
					methodFiles[fileOf(p.Fset, n)] = true
				}
			case *ast.TypeSpec:
				if fields, ok := n.Type.(*ast.StructType); ok {
					f.addStruct(n.Name.Name, fields)
				}
			case *ast.CallExpr:
				if asksWithFunc(n, p.TypesInfo) {
					f.continuations = append(f.continuations, at())
				}
			case *ast.BinaryExpr:
				if n.Op == token.NEQ && (isServing(n.X) || isServing(n.Y)) && !isNil(n.X) && !isNil(n.Y) {
					f.guards = append(f.guards, at())
				}
			case *ast.AssignStmt:
				if n.Tok == token.ASSIGN && slices.ContainsFunc(n.Lhs, isServing) {
					f.assignments = append(f.assignments, at())
				}
			}
			return true
		})
	}
	f.methodFiles = len(methodFiles)
}

// addStruct counts the fields of Session and of the struct for the stop being served.
func (f *figures) addStruct(name string, s *ast.StructType) {
	if name == "Session" {
		f.fields += s.Fields.NumFields()
	}
	if !slices.Contains(servingNames, name) {
		return
	}
	f.served += s.Fields.NumFields()
	for _, field := range s.Fields.List {
		next := false
		switch t := field.Type.(type) {
		case *ast.FuncType:
			next = true
		case *ast.StarExpr: // a service that waits for another one
			id, ok := t.X.(*ast.Ident)
			next = ok && id.Name == name
		}
		if next {
			for _, n := range field.Names {
				f.servedNext = append(f.servedNext, name+"."+n.Name)
			}
		}
	}
}

// references finds which files use functions, methods, types, variables or constants of which other files. Fields and
// receiver types do not count.
func references(p *packages.Package) map[reference]bool {
	receivers := map[*ast.Ident]bool{}
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && d.Recv != nil {
				ast.Inspect(d.Recv, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						receivers[id] = true
					}
					return true
				})
			}
		}
	}
	found := map[reference]bool{}
	for id, obj := range p.TypesInfo.Uses {
		if obj.Pkg() != p.Types || receivers[id] {
			continue
		}
		_, method := obj.(*types.Func)
		if !method && obj.Parent() != p.Types.Scope() {
			continue
		}
		from, to := filepath.Base(p.Fset.Position(id.Pos()).Filename), filepath.Base(p.Fset.Position(obj.Pos()).Filename)
		if from != to {
			found[reference{from, to}] = true
		}
	}
	return found
}

// asksWithFunc reports whether a call of ask has a function for the answers.
func asksWithFunc(call *ast.CallExpr, info *types.Info) bool {
	name := ""
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	return name == "ask" && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		_, ok := info.TypeOf(arg).(*types.Signature)
		return ok
	})
}

// languageComparisons lists the comparisons of a value of type Language; a switch counts as one.
func languageComparisons(p *packages.Package) []string {
	isLanguage := func(e ast.Expr) bool {
		if e == nil {
			return false
		}
		named, ok := p.TypesInfo.TypeOf(e).(*types.Named)
		return ok && named.Obj().Name() == "Language" && p.TypesInfo.Types[e].Value == nil
	}
	var found []string
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if (n.Op == token.EQL || n.Op == token.NEQ) && (isLanguage(n.X) || isLanguage(n.Y)) {
					found = append(found, p.PkgPath+"/"+place(p.Fset, n))
				}
			case *ast.SwitchStmt:
				if isLanguage(n.Tag) {
					found = append(found, p.PkgPath+"/"+place(p.Fset, n))
				}
			}
			return true
		})
	}
	return found
}

// isServing reports whether e is the session's field for the stop being served.
func isServing(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && slices.Contains(servingNames, sel.Sel.Name)
}

func isNil(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "nil"
}

// receiver returns the name of a method's receiver type.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, _ := t.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

func fileOf(fset *token.FileSet, n ast.Node) string {
	return filepath.Base(fset.Position(n.Pos()).Filename)
}

func place(fset *token.FileSet, n ast.Node) string {
	return fmt.Sprintf("%s:%d", fileOf(fset, n), fset.Position(n.Pos()).Line)
}

// filesOf returns the set of files in a list of places.
func filesOf(places []string) map[string]bool {
	files := map[string]bool{}
	for _, p := range places {
		files[p[:strings.LastIndexByte(p, ':')]] = true
	}
	return files
}

// upward returns the references against the layers, sorted.
func (f *figures) upward() []reference {
	var up []reference
	for r := range f.references {
		if against, known := r.against(); known && against {
			up = append(up, r)
		}
	}
	slices.SortFunc(up, func(a, b reference) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return up
}

// writeLists prints the counted places.
func (f *figures) writeLists(w io.Writer) {
	list := func(title string, items []string) {
		fmt.Fprintf(w, "\n%s (%d):\n", title, len(items))
		for _, item := range items {
			fmt.Fprintln(w, " ", item)
		}
	}
	var up []string
	for _, r := range f.upward() {
		up = append(up, r.from+" -> "+r.to)
	}
	list("References against the layers", up)
	list("Files without a layer", f.unknown)
	list("Continuations", f.continuations)
	list("Guards", f.guards)
	list("Assignments", f.assignments)
	list("Fields that say what follows", f.servedNext)
	list("Comparisons of a Language", f.languages)
	list("Work when a package is initialised", f.inits)
}
