package csharp

import "strings"

// creation writes new objects and collections.
func (p *printer) creation(n Node) {
	switch n := n.(type) {
	case *New:
		p.WriteString("new")
		if n.Type != nil {
			p.all(" ", n.Type)
		}
		if n.HasArgs {
			p.all("(", n.Args, ")")
		}
		if n.Init != nil {
			p.all(" ", n.Init)
		}
	case *NewArray:
		p.WriteString(map[bool]string{true: "stackalloc", false: "new"}[n.Stack])
		if n.Type != nil {
			p.all(" ", n.Type)
		}
		p.WriteByte('[')
		if n.Sizes != nil {
			p.nodes(n.Sizes)
		} else {
			p.WriteString(strings.Repeat(",", n.Rank-1))
		}
		p.WriteByte(']')
		for _, rank := range n.More {
			p.WriteString("[" + strings.Repeat(",", rank-1) + "]")
		}
		if n.Init != nil {
			p.all(" ", n.Init)
		}
	case *Anonymous:
		p.WriteString("new { ")
		p.list(len(n.Items), func(i int) {
			if n.Items[i].Name != "" {
				p.all(p.id(n.Items[i].Name), " = ")
			}
			p.node(n.Items[i].Value)
		})
		p.WriteString(" }")
	case *Initializer:
		p.WriteString("{ ")
		p.nodes(n.Items)
		p.WriteString(" }")
	case *Indexed:
		p.all("[", n.Args, "]")
	case *Collection:
		p.WriteByte('[')
		p.nodes(n.Items)
		p.WriteByte(']')
	case *Spread:
		p.all("..", n.X)
	case *With:
		p.all(n.X, " with ", n.Init)
	}
}

// pattern writes a pattern.
func (p *printer) pattern(n Node) {
	named := func(name string) {
		if name != "" {
			p.all(" ", p.id(name))
		}
	}
	switch n := n.(type) {
	case *Constant:
		p.node(n.X)
	case *TypePattern:
		p.typ(n.Type)
		named(n.Name)
	case *Relation:
		p.all(n.Op, " ", n.X)
	case *Not:
		p.all("not ", n.X)
	case *Both:
		p.all(n.L, " ", n.Op, " ", n.R)
	case *ParenPattern:
		p.all("(", n.X, ")")
	case *VarPattern:
		p.WriteString("var ")
		if n.Names != nil {
			p.names(n.Names)
		} else {
			p.WriteString(p.id(n.Name))
		}
	case *Discard:
		p.WriteByte('_')
	case *Properties:
		if n.Type != nil {
			p.all(n.Type, " ")
		}
		if n.HasItems {
			p.WriteByte('(')
			p.subPatterns(n.Items)
			p.WriteByte(')')
		}
		if n.HasNamed {
			p.WriteString(map[bool]string{true: " ", false: ""}[n.HasItems] + "{ ")
			p.subPatterns(n.Named)
			p.WriteString(" }")
		}
		named(n.Name)
	case *ListPattern:
		p.WriteByte('[')
		p.nodes(n.Items)
		p.WriteByte(']')
		named(n.Name)
	case *SlicePattern:
		p.all("..", n.X)
	}
}

func (p *printer) subPatterns(items []SubPattern) {
	p.list(len(items), func(i int) {
		for j, name := range items[i].Path {
			p.all(map[bool]string{true: ".", false: ""}[j > 0], p.id(name))
		}
		if items[i].Path != nil {
			p.WriteString(": ")
		}
		p.node(items[i].Pattern)
	})
}
