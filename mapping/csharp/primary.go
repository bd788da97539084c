package csharp

import "strings"

// primary reads a name, a literal, a bracket or a construct that begins with a keyword.
func (p *parser) primary() Node {
	t := p.tok()
	switch t.kind {
	case number, char, text:
		p.next()
		return &Literal{p.span(t.start), t.typ, t.text, t.value}
	case open:
		return p.interpolated()
	case op:
		switch t.text {
		case "(":
			return p.group()
		case "[":
			return p.collection()
		}
	case word:
		if t.escaped || !keyword()[t.text] {
			return p.simpleName()
		}
		return p.keyword(t)
	}
	p.fail("an expression")
	return nil
}

func (p *parser) simpleName() Node {
	t := p.next()
	n := &Name{Name: t.text}
	if p.is(0, "::") {
		p.next()
		n.Alias = t.text
		n.Name = p.name("a name after ::")
	}
	n.Args = p.typeArgumentsOfName()
	n.Span = p.span(t.start)
	return n
}

func (p *parser) keyword(t token) Node {
	switch t.text {
	case "true", "false":
		p.next()
		return &Literal{p.span(t.start), "bool", t.text, t.text == "true"}
	case "null":
		p.next()
		return &Literal{p.span(t.start), "null", t.text, nil}
	case "this", "base":
		p.next()
		return &Name{Span: p.span(t.start), Name: t.text, Keyword: true}
	case "typeof", "sizeof", "default":
		p.next()
		if t.text == "default" && !p.is(0, "(") {
			return &OfType{p.span(t.start), t.text, nil}
		}
		p.expect("(")
		typ := p.typ()
		p.expect(")")
		return &OfType{p.span(t.start), t.text, typ}
	case "checked", "unchecked":
		p.next()
		p.expect("(")
		var x Node
		p.bracketed(func() { x = p.expression() })
		p.expect(")")
		return &Checked{p.span(t.start), t.text, x}
	case "new", "stackalloc":
		return p.creation()
	}
	if keywordType()[t.text] && t.text != "void" {
		p.next()
		if !p.is(0, ".") {
			p.fail("a member after the type " + t.text)
		}
		return &Name{Span: p.span(t.start), Name: t.text, Keyword: true}
	}
	p.fail("an expression")
	return nil
}

// postfix reads members, indexes, calls and what else follows an operand.
func (p *parser) postfix(x Node) Node {
	start, _ := x.Range()
	for count := 0; ; count++ {
		if count > maxChain {
			p.limit(p.tok().start, "fewer parts of a chain")
		}
		t := p.tok()
		if t.kind != op {
			return x
		}
		switch t.text {
		case ".", "->":
			p.next()
			x = p.member(start, x, t.text)
		case "?":
			switch {
			case p.is(1, "."):
				p.next()
				p.next()
				x = p.member(start, x, "?.")
			case p.is(1, "[") && p.ahead(1).start == t.end && !p.choosesCollection():
				p.next()
				x = &Index{Of: x, Null: true, Args: p.arguments("[", "]")}
				x.(*Index).Span = p.span(start)
			default:
				return x
			}
		case "[":
			n := &Index{Of: x, Args: p.arguments("[", "]")}
			if len(n.Args) == 0 {
				p.stop(t.start+1, "an index", "]")
			}
			n.Span = p.span(start)
			x = n
		case "(":
			n := &Call{Of: x, Args: p.arguments("(", ")")}
			n.Span = p.span(start)
			x = n
		case "++", "--":
			p.next()
			x = &Postfix{p.span(start), t.text, x}
		case "!":
			p.next()
			x = &Postfix{p.span(start), "!", x}
		default:
			return x
		}
	}
}

// choosesCollection reports whether ?[ begins a ?: with a collection: a?[1]:b.
func (p *parser) choosesCollection() bool {
	pair := p.ahead(1).pair
	return p.choices == 0 && pair > 0 && p.tokens[pair+1].kind == op && p.tokens[pair+1].text == ":"
}

func (p *parser) member(start int, of Node, how string) Node {
	n := &Member{Of: of, Op: how, Name: p.name("the name of a member after " + how)}
	n.Args = p.typeArgumentsOfName()
	n.Span = p.span(start)
	return n
}

// arguments reads the arguments of a call or an index with their brackets.
func (p *parser) arguments(left, right string) (out []Argument) {
	p.expect(left)
	p.bracketed(func() {
		for !p.is(0, right) {
			if len(out) > 0 {
				if !p.is(0, ",") {
					p.fail(", or " + right)
				}
				p.next()
			}
			out = append(out, p.argument())
		}
	})
	p.expect(right)
	return out
}

func (p *parser) argument() Argument {
	a := Argument{}
	start := p.tok().start
	if p.isName(0) && p.is(1, ":") {
		a.Name = p.next().text
		p.next()
	}
	if p.isWord(0, "ref", "out", "in") {
		a.Mode = p.next().text
	}
	if a.Mode == "out" {
		a.Value = p.declarationOr()
	} else {
		a.Value = p.expression()
	}
	a.Span = p.span(start)
	return a
}

// declarationOr reads var x, int x or var (a, b), or an expression.
func (p *parser) declarationOr() Node {
	start := p.tok().start
	d := &Declaration{}
	ends := func() bool { return p.is(0, ",") || p.is(0, ")") || p.is(0, "]") }
	if p.isWord(0, "var") && (p.isName(1) || p.is(1, "(")) {
		if p.try(func() bool {
			p.next()
			if p.is(0, "(") {
				d.Names = p.names()
			} else {
				d.Name = p.next().text
			}
			return ends()
		}) {
			d.Span = p.span(start)
			return d
		}
	}
	if p.tok().kind == word && (p.isName(1) || p.is(1, "<") || p.is(1, ".") || p.is(1, "[") || p.is(1, "?")) &&
		p.try(func() bool {
			d.Type = p.typ()
			if !p.isName(0) {
				return false
			}
			d.Name = p.next().text
			return ends()
		}) {
		d.Span = p.span(start)
		return d
	}
	return p.expression()
}

// names reads the variables of var (a, (b, c)).
func (p *parser) names() []Node {
	defer p.deeper()()
	p.expect("(")
	var out []Node
	for {
		start := p.tok().start
		if p.is(0, "(") {
			inner := p.names()
			out = append(out, &Declaration{Span: p.span(start), Names: inner})
		} else {
			out = append(out, &Declaration{Name: p.name("the name of a variable"), Span: p.span(start)})
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return out
}

// group reads (x) or (a, b).
func (p *parser) group() Node {
	pair := p.tok().pair
	assigned := pair > 0 && p.tokens[pair+1].kind == op && p.tokens[pair+1].text == "="
	start := p.next().start
	var items []Argument
	p.bracketed(func() {
		for {
			if p.is(0, ")") {
				p.fail("an expression")
			}
			a := Argument{}
			from := p.tok().start
			if p.isName(0) && p.is(1, ":") {
				a.Name = p.next().text
				p.next()
			}
			if assigned {
				a.Value = p.declarationOr()
			} else {
				a.Value = p.expression()
			}
			a.Span = p.span(from)
			items = append(items, a)
			if !p.accept(",") {
				break
			}
		}
	})
	if !p.is(0, ")") {
		p.fail(")")
	}
	p.next()
	if len(items) == 1 {
		if items[0].Name != "" {
			p.stop(items[0].Start, "a tuple of at least two elements", "one")
		}
		return &Paren{p.span(start), items[0].Value}
	}
	return &Tuple{p.span(start), items}
}

func (p *parser) collection() Node {
	start := p.next().start
	c := &Collection{}
	p.bracketed(func() {
		for !p.is(0, "]") {
			if len(c.Items) > 0 && !p.is(0, ",") {
				p.fail(", or ]")
			}
			if len(c.Items) > 0 {
				p.next()
				if p.is(0, "]") {
					break
				}
			}
			at := p.tok().start
			if p.accept("..") {
				x := p.expression()
				c.Items = append(c.Items, &Spread{p.span(at), x})
			} else {
				c.Items = append(c.Items, p.expression())
			}
		}
	})
	p.expect("]")
	c.Span = p.span(start)
	return c
}

func (p *parser) interpolated() Node {
	first := p.next()
	n := &Interpolated{Open: first.text, Braces: first.braces}
	for {
		switch t := p.tok(); t.kind {
		case piece:
			p.next()
			if t.start < t.end {
				n.Parts = append(n.Parts, Part{Text: decoded(t.value), Source: p.src[t.start:t.end]})
			}
		case hole:
			p.next()
			part := Part{}
			p.bracketed(func() {
				part.Hole = p.expression()
				if p.accept(",") {
					part.Align = p.expression()
				}
			})
			if f := p.tok(); f.kind == format {
				p.next()
				part.Written = strings.TrimPrefix(f.text, ":")
				part.Format = formatText(first.text, part.Written)
			}
			if p.tok().kind != closing {
				p.fail("} after the value of the hole (a ?: in it needs brackets)")
			}
			p.next()
			n.Parts = append(n.Parts, part)
		case finish:
			p.next()
			n.Close = t.text
			n.Span = p.span(first.start)
			return n
		default:
			p.fail(`the closing "`)
		}
	}
}
