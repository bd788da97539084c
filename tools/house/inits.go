package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// free are calls that only store a value, so they cost nothing at a package's initialisation.
var free = map[string]bool{
	"errors.New": true, "sync.OnceValue": true, "sync.OnceValues": true, "sync.OnceFunc": true, "sync.NewCond": true,
}

// initCosts lists the work of a package's initialisation: variables made by a call or as a map, and init functions.
// Conversions, built-in functions, function literals and data in the executable cost nothing.
func initCosts(p *packages.Package) []string {
	var costs []string
	for _, file := range p.Syntax {
		name := p.Fset.Position(file.Pos()).Filename
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					costs = append(costs, fmt.Sprintf("%s/%s: func init", p.PkgPath, filepath.Base(name)))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					v, ok := spec.(*ast.ValueSpec)
					if !ok {
						continue
					}
					if cost := costOf(v, p.TypesInfo); cost != "" {
						costs = append(costs, fmt.Sprintf("%s/%s: %s: %s", p.PkgPath, filepath.Base(name), v.Names[0].Name, cost))
					}
				}
			}
		}
	}
	slices.Sort(costs)
	return costs
}

// costOf describes the work at run time for the values of a declaration, "" if none. Constants need none.
func costOf(v *ast.ValueSpec, info *types.Info) string {
	cost := ""
	for _, value := range v.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && info.Types[e].Value != nil || cost != "" {
				return false
			}
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CompositeLit:
				if m, ok := info.TypeOf(n).Underlying().(*types.Map); ok && m != nil && len(n.Elts) > 0 {
					cost = fmt.Sprintf("a map of %d", len(n.Elts))
				}
			case *ast.CallExpr:
				if t := info.Types[n.Fun]; t.IsType() || t.IsBuiltin() {
					return true
				}
				if name := types.ExprString(n.Fun); !free[calledName(n, info)] {
					cost = "calls " + name
				}
			}
			return true
		})
	}
	return cost
}

// calledName returns package.function of a call, "" if it calls anything else.
func calledName(call *ast.CallExpr, info *types.Info) string {
	fun := ast.Unparen(call.Fun)
	if i, ok := fun.(*ast.IndexExpr); ok {
		fun = i.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return ""
	}
	return f.Pkg().Name() + "." + f.Name()
}
