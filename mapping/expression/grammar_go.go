package expression

import (
	"errors"
	"go/ast"
	goparser "go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"sync"
)

var (
	goTypes = sync.OnceValue(func() map[string]bool {
		return words(`bool byte rune string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr
		float32 float64 complex64 complex128`)
	})
	goCalls = sync.OnceValue(func() map[string]bool { return words("len cap real imag complex min max") })
)

// goExpression parses the text with Go's own parser, which Delve uses too, and checks the tree.
func (p *parser) goExpression() *Rejection {
	if p.goWords(); p.bad != nil {
		return p.bad
	}
	set := token.NewFileSet()
	tree, err := goparser.ParseExprFrom(set, "", p.text, goparser.SkipObjectResolution)
	if err != nil {
		at := len(p.text)
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			at = min(at, list[0].Pos.Offset)
		}
		return &Rejection{ParseError, strings.TrimSpace(p.text[at:]), err.Error()}
	}
	w := goWalk{text: p.text, base: int(set.File(tree.Pos()).Base())}
	w.value(tree)
	return w.bad
}

// goWords rejects what a single token reveals.
func (p *parser) goWords() {
	depth, prefixes := 0, 0
	for i, t := range p.tokens {
		p.at = i
		if prefixes++; t.Kind != Op {
			prefixes = 0
		}
		p.tooDeep(prefixes)
		c, effect := effects()[Go][t.Text]
		switch {
		case t.Kind == Ident && effect && (i == 0 || p.tokens[i-1].Text != "."):
			p.rejectRest(c, t.Start)
		case i == 0 && t.Text == "dlv" && len(p.tokens) > 1 && p.tokens[1].Start > t.End:
			p.rejectRest(Other, t.Start, "dlv begins a command of the debugger")
		case t.Kind == Op && assignments()[t.Text], p.is("++", "--"):
			p.rejectRest(Assignment, 0)
		case p.is("(", "[", "{"):
			depth++
			p.tooDeep(depth)
		case p.is(")", "]", "}"):
			depth--
		}
	}
	p.at = 0
}

// goWalk finds effects in a tree.
type goWalk struct {
	text string
	base int // of the positions
	bad  *Rejection
}

func (w *goWalk) reject(c Category, from, to token.Pos) {
	if w.bad == nil {
		at := func(p token.Pos) int { return max(0, min(len(w.text), int(p)-w.base)) }
		w.bad = &Rejection{Category: c, Offending: w.text[at(from):at(to)]}
	}
}

func (w *goWalk) values(list ...ast.Expr) {
	for _, e := range list {
		if e != nil && w.bad == nil {
			w.value(e)
		}
	}
}

func (w *goWalk) value(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
	case *ast.ParenExpr:
		w.value(e.X)
	case *ast.SelectorExpr:
		w.value(e.X)
	case *ast.StarExpr:
		w.value(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			w.reject(ParseError, e.OpPos, e.OpPos+2)
		}
		w.values(e.X)
	case *ast.BinaryExpr:
		w.values(e.X, e.Y)
	case *ast.IndexExpr:
		w.values(e.X, e.Index)
	case *ast.SliceExpr:
		w.values(e.X, e.Low, e.High, e.Max)
	case *ast.TypeAssertExpr:
		if e.Type == nil || !isGoType(e.Type) {
			w.reject(ParseError, e.Lparen, e.End())
		}
		w.values(e.X)
	case *ast.CallExpr:
		if !converts(e) {
			w.reject(MethodCall, e.Pos(), e.End())
		}
		w.values(e.Args...)
	case *ast.CompositeLit:
		w.reject(ObjectCreation, e.Pos(), e.Lbrace+1)
	default:
		w.reject(ParseError, e.Pos(), e.End())
	}
}

// converts reports whether a call is one of a built-in function without effect or a conversion: int(x), []byte(x),
// (*main.node)(0xc000012345).
func converts(call *ast.CallExpr) bool {
	if call.Ellipsis != token.NoPos || len(call.Args) == 0 {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return goTypes()[f.Name] || goCalls()[f.Name]
	case *ast.ArrayType:
		elem, ok := f.Elt.(*ast.Ident)
		return ok && f.Len == nil && goTypes()[elem.Name]
	case *ast.ParenExpr: // a pointer made from an address; anything else may be a function
		star, isPointer := f.X.(*ast.StarExpr)
		address, isNumber := call.Args[0].(*ast.BasicLit)
		if !isPointer || !isNumber || len(call.Args) != 1 || address.Kind != token.INT {
			return false
		}
		name, isText := star.X.(*ast.BasicLit)
		// A name in quotes is read by Delve, not by Go: it holds nothing that would have to be escaped.
		return isText && name.Kind == token.STRING && !strings.Contains(name.Value, `\`) || !isText && isGoType(star.X)
	}
	return false
}

func isGoType(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		_, ok := e.X.(*ast.Ident)
		return ok
	case *ast.StarExpr:
		return isGoType(e.X)
	case *ast.ArrayType:
		_, number := e.Len.(*ast.BasicLit)
		return (e.Len == nil || number) && isGoType(e.Elt)
	case *ast.IndexExpr: // main.List[int]
		return isGoType(e.X) && isGoType(e.Index)
	case *ast.MapType:
		return isGoType(e.Key) && isGoType(e.Value)
	}
	return false
}
