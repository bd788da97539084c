package csharp

import (
	"strings"
	"sync"
	"unicode/utf16"
)

// decoded returns a text of UTF-16 units. Half a surrogate pair becomes U+FFFD.
func decoded(units any) string {
	u, _ := units.([]uint16)
	return string(utf16.Decode(u))
}

// String writes a tree as C#. Parse reads the same tree from it.
func String(n Node) string {
	p := &printer{}
	p.node(n)
	return p.String()
}

// Bare writes a tree as C# without the @ of names, as debuggers read it.
func Bare(n Node) string {
	p := &printer{bare: true}
	p.node(n)
	return p.String()
}

// String writes the name of a type.
func (t *Type) String() string {
	p := &printer{}
	p.typ(t)
	return p.String()
}

type printer struct {
	strings.Builder
	bare bool // names without @
}

func (p *printer) all(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			p.WriteString(part)
		case *Type:
			p.typ(part)
		case []Argument:
			p.arguments(part)
		case Node:
			p.node(part)
		}
	}
}

// contextual has the words that are keywords in some places.
var contextual = sync.OnceValue(func() map[string]bool {
	return set("and or not when with var await async scoped _ from where select group into orderby join let on " +
		"equals by ascending descending")
})

// id writes a name, escaped when it is a keyword, or one in some places.
func (p *printer) id(name string) string {
	if !p.bare && (keyword()[name] || contextual()[name]) {
		return "@" + name
	}
	return name
}

func (p *printer) name(name string, keyword bool) {
	if !keyword {
		name = p.id(name)
	}
	p.WriteString(name)
}

func (p *printer) list(n int, one func(int)) {
	for i := range n {
		if i > 0 {
			p.WriteString(", ")
		}
		one(i)
	}
}

func (p *printer) nodes(nodes []Node) { p.list(len(nodes), func(i int) { p.node(nodes[i]) }) }

func (p *printer) arguments(args []Argument) {
	p.list(len(args), func(i int) {
		a := args[i]
		if a.Name != "" {
			p.all(p.id(a.Name), ": ")
		}
		if a.Mode != "" {
			p.all(a.Mode, " ")
		}
		p.node(a.Value)
	})
}

func (p *printer) typeArgs(args []*Type) {
	if args == nil {
		return
	}
	p.WriteByte('<')
	for i, a := range args {
		if i > 0 {
			p.WriteString(map[bool]string{true: ",", false: ", "}[a.Unbound])
		}
		p.typ(a)
	}
	p.WriteByte('>')
}

func (p *printer) typ(t *Type) {
	switch {
	case t == nil || t.Unbound:
	case t.Of != nil:
		p.all(t.Of, t.Suffix)
	case t.Tuple != nil:
		p.WriteByte('(')
		p.list(len(t.Tuple), func(i int) {
			p.typ(t.Tuple[i].Type)
			if name := t.Tuple[i].Name; name != "" {
				p.all(" ", p.id(name))
			}
		})
		p.WriteByte(')')
	default:
		if t.Alias != "" {
			p.all(p.id(t.Alias), "::")
		}
		for i, n := range t.Names {
			if i > 0 {
				p.WriteByte('.')
			}
			p.name(n.Name, n.Keyword)
			p.typeArgs(n.Args)
		}
	}
}

func (p *printer) node(n Node) {
	switch n := n.(type) {
	case nil:
	case *Literal:
		p.WriteString(n.Source)
	case *Interpolated:
		p.interpolated(n)
	case *Name:
		if n.Alias != "" {
			p.all(p.id(n.Alias), "::")
		}
		p.name(n.Name, n.Keyword)
		p.typeArgs(n.Args)
	case *Member:
		p.all(n.Of, n.Op, p.id(n.Name))
		p.typeArgs(n.Args)
	case *Index:
		p.all(n.Of, map[bool]string{true: "?[", false: "["}[n.Null], n.Args, "]")
	case *Call:
		p.all(n.Of, "(", n.Args, ")")
	case *Unary:
		p.WriteString(n.Op)
		if inner, ok := n.X.(*Unary); ok && inner.Op[0] == n.Op[0] || n.Op == "await" || n.Op == "throw" || n.Op == "ref" {
			p.WriteByte(' ')
		}
		p.node(n.X)
	case *Postfix:
		p.all(n.X, n.Op)
	case *Binary:
		p.all(n.L, " ", n.Op, " ", n.R)
	case *Assign:
		p.all(n.L, " ", n.Op, " ", n.R)
	case *Conditional:
		p.all(n.If, " ? ", n.Then, " : ", n.Else)
	case *Cast:
		p.all("(", n.Type, ")", n.X)
	case *As:
		p.all(n.X, " as ", n.Type)
	case *Is:
		p.all(n.X, " is ", n.Pattern)
	case *Slice:
		p.all(n.From, "..", n.To)
	case *Paren:
		p.all("(", n.X, ")")
	case *Tuple:
		p.all("(", n.Items, ")")
	case *Lambda:
		p.lambda(n)
	case *New, *NewArray, *Anonymous, *Initializer, *Collection, *Spread, *With, *Indexed:
		p.creation(n)
	case *Switch:
		p.all(n.X, " switch { ")
		p.list(len(n.Arms), func(i int) {
			p.node(n.Arms[i].Pattern)
			if n.Arms[i].When != nil {
				p.all(" when ", n.Arms[i].When)
			}
			p.all(" => ", n.Arms[i].Value)
		})
		p.WriteString(" }")
	case *OfType:
		p.WriteString(n.Op)
		if n.Type != nil {
			p.all("(", n.Type, ")")
		}
	case *Checked:
		p.all(n.Op, "(", n.X, ")")
	case *Declaration:
		p.declaration(n, true)
	case *Query:
		for i, c := range n.Clauses {
			if i > 0 {
				p.WriteByte(' ')
			}
			p.clause(c)
		}
	default:
		p.pattern(n)
	}
}

func (p *printer) declaration(n *Declaration, outer bool) {
	switch {
	case n.Type != nil:
		p.all(n.Type, " ")
	case outer:
		p.WriteString("var ")
	}
	if n.Names == nil {
		p.WriteString(p.id(n.Name))
		return
	}
	p.names(n.Names)
}

func (p *printer) names(names []Node) {
	p.WriteByte('(')
	p.list(len(names), func(i int) { p.declaration(names[i].(*Declaration), false) })
	p.WriteByte(')')
}

func (p *printer) interpolated(n *Interpolated) {
	p.WriteString(n.Open)
	for _, part := range n.Parts {
		if part.Hole == nil {
			p.WriteString(part.Source)
			continue
		}
		p.WriteString(strings.Repeat("{", n.Braces))
		p.node(part.Hole)
		if part.Align != nil {
			p.all(",", part.Align)
		}
		if part.Written != "" {
			p.all(":", part.Written)
		}
		p.WriteString(strings.Repeat("}", n.Braces))
	}
	p.WriteString(n.Close)
}

func (p *printer) lambda(n *Lambda) {
	for _, m := range n.Modifiers {
		p.all(m, " ")
	}
	if n.Delegate {
		p.WriteString("delegate ")
	}
	if n.Return != nil {
		p.all(n.Return, " ")
	}
	switch {
	case n.Bare && len(n.Params) == 1:
		p.WriteString(p.id(n.Params[0].Name))
	case !n.Bare:
		p.WriteByte('(')
		p.list(len(n.Params), func(i int) {
			a := n.Params[i]
			if a.Mode != "" {
				p.all(a.Mode, " ")
			}
			if a.Type != nil {
				p.all(a.Type, " ")
			}
			p.WriteString(p.id(a.Name))
			if a.Default != nil {
				p.all(" = ", a.Default)
			}
		})
		p.WriteByte(')')
	}
	if !n.Delegate {
		p.WriteString(" => ")
	}
	if n.Body != nil {
		p.node(n.Body)
	}
	p.WriteString(n.Block)
}

func (p *printer) clause(c Clause) {
	p.all(c.Op, " ")
	switch c.Op {
	case "from", "join":
		if c.Type != nil {
			p.all(c.Type, " ")
		}
		p.all(p.id(c.Name), " in ", c.X)
		if c.Op == "join" {
			p.all(" on ", c.On, " equals ", c.Equals)
		}
		if c.Into != "" {
			p.all(" into ", p.id(c.Into))
		}
	case "let":
		p.all(p.id(c.Name), " = ", c.X)
	case "into":
		p.WriteString(p.id(c.Name))
	case "orderby":
		p.list(len(c.Keys), func(i int) {
			p.node(c.Keys[i].X)
			if d := c.Keys[i].Direction; d != "" {
				p.all(" ", d)
			}
		})
	case "group":
		p.all(c.X, " by ", c.By)
	default:
		p.node(c.X)
	}
}
