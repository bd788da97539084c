package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// function is a function of a source file.
type function struct {
	name string // as the runtime has it, without the package's path; that of the outermost for a literal
	body *ast.BlockStmt
}

// functionAt returns the innermost function that contains a line.
func functionAt(text []byte, line int) (f function, fset *token.FileSet, ok bool) {
	fset = token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if file == nil {
		return f, fset, false
	}
	within := func(n ast.Node) bool {
		return fset.Position(n.Pos()).Line <= line && line <= fset.Position(n.End()).Line
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncDecl:
			if within(n) && n.Body != nil {
				f, ok = function{file.Name.Name + "." + receiver(n) + n.Name.Name, n.Body}, true
			}
		case *ast.FuncLit:
			if within(n) {
				f.body, ok = n.Body, true
			}
		}
		return within(n)
	})
	return f, fset, ok
}

// receiver returns the receiver of a method as it stands before the method's name.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	typ, pointer := f.Recv.List[0].Type, false
	if star, is := typ.(*ast.StarExpr); is {
		typ, pointer = star.X, true
	}
	name, _, _ := strings.Cut(path(typ), "[")
	if pointer {
		return "(*" + name + ")."
	}
	return name + "."
}

// FunctionAt returns the name of the function that contains a line, with its package's name; "" when no function does.
func FunctionAt(text []byte, line int) string {
	f, _, _ := functionAt(text, line)
	return f.name
}

// Held returns the mutexes that the function at a line has locked before that line and not unlocked again, as the
// source has them. It follows no calls. A branch that returns before the line does not count.
func Held(text []byte, line int) []string {
	f, fset, ok := functionAt(text, line)
	if !ok {
		return nil
	}
	var held []string
	walk := func(n ast.Node) bool {
		if n == nil || fset.Position(n.Pos()).Line >= line {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			return false
		case *ast.BlockStmt:
			return fset.Position(n.End()).Line >= line || !leaves(n.List)
		case *ast.CaseClause:
			return fset.Position(n.End()).Line >= line || !leaves(n.Body)
		case *ast.CommClause:
			return fset.Position(n.End()).Line >= line || !leaves(n.Body)
		case *ast.CallExpr:
			method, is := n.Fun.(*ast.SelectorExpr)
			if !is || len(n.Args) > 0 {
				return true
			}
			on := path(method.X)
			switch method.Sel.Name {
			case "Lock", "RLock":
				if on != "" {
					held = append(held, on)
				}
			case "Unlock", "RUnlock":
				held = without(held, on)
			}
		}
		return true
	}
	for _, statement := range f.body.List {
		ast.Inspect(statement, walk)
	}
	return held
}

// leaves reports whether a list of statements ends with one that goes elsewhere.
func leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, is := last.X.(*ast.CallExpr)
		return is && path(call.Fun) == "panic"
	}
	return false
}

// path returns a variable or field as text, "" for any other expression.
func path(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.ParenExpr:
		return path(e.X)
	case *ast.IndexExpr:
		return path(e.X) + "[]"
	case *ast.SelectorExpr:
		if x := path(e.X); x != "" && !strings.Contains(x, "[") {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}

// without returns the list without the last of its elements that is equal to x.
func without(list []string, x string) []string {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == x {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}
