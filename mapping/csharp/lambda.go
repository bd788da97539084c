package csharp

// lambda reads a function without a name; nil when there is none.
func (p *parser) lambda() Node {
	start := p.tok().start
	if p.isWord(0, "delegate") || p.isWord(0, "async", "static") && p.isWord(1, "delegate") {
		return p.delegate(start)
	}
	if !p.arrows {
		return nil
	}
	n := &Lambda{}
	for i := 0; p.isWord(i, "async", "static"); i++ {
		if p.is(i+1, "=>") && p.isWord(i, "async") { // a parameter with that name
			break
		}
		n.Modifiers = append(n.Modifiers, p.ahead(i).text)
	}
	at, i := p.at, len(n.Modifiers)
	switch {
	case p.isName(i) && p.is(i+1, "=>"):
		p.at += i
		n.Bare = true
		n.Params = []Parameter{{Name: p.next().text, Span: p.span(p.tokens[p.at-1].start)}}
	case p.is(i, "(") && p.arrowBehind(p.ahead(i)):
		p.at += i
		n.Params = p.parameters()
	default:
		ok := p.ahead(i).kind == word && p.try(func() bool {
			p.at += i
			n.Return = p.typ()
			return p.is(0, "(") && p.arrowBehind(p.tok())
		})
		if !ok {
			p.at = at
			if i > 0 && p.isWord(0, "static") {
				p.fail("an expression")
			}
			return nil
		}
		n.Params = p.parameters()
	}
	p.expect("=>")
	p.body(n)
	n.Span = p.span(start)
	return n
}

func (p *parser) arrowBehind(bracket token) bool {
	return bracket.pair > 0 && p.tokens[bracket.pair+1].kind == op && p.tokens[bracket.pair+1].text == "=>"
}

// body reads what follows =>. Statements stay a text.
func (p *parser) body(n *Lambda) {
	if !p.is(0, "{") {
		n.Body = p.expression()
		return
	}
	t := p.tok()
	if t.pair == 0 {
		p.at = len(p.tokens) - 1
		p.fail("} after the statements")
	}
	p.at = t.pair
	n.Block = p.src[t.start:p.next().end]
}

func (p *parser) delegate(start int) Node {
	n := &Lambda{Delegate: true}
	for p.isWord(0, "async", "static") {
		n.Modifiers = append(n.Modifiers, p.next().text)
	}
	p.next()
	if n.Bare = !p.is(0, "("); !n.Bare {
		n.Params = p.parameters()
	}
	if !p.is(0, "{") {
		p.fail("{ with statements")
	}
	p.body(n)
	n.Span = p.span(start)
	return n
}

func (p *parser) parameters() (out []Parameter) {
	p.expect("(")
	p.bracketed(func() {
		for !p.is(0, ")") {
			if len(out) > 0 {
				if !p.is(0, ",") {
					p.fail(", or )")
				}
				p.next()
			}
			a := Parameter{}
			start := p.tok().start
			for p.isWord(0, "ref", "out", "in", "params", "readonly") || p.isWord(0, "scoped") && p.tokenBegins(1) {
				if a.Mode != "" {
					a.Mode += " "
				}
				a.Mode += p.next().text
			}
			if !p.isName(0) || !p.is(1, ",") && !p.is(1, ")") && !p.is(1, "=") {
				a.Type = p.typ()
			}
			a.Name = p.name("the name of a parameter")
			if p.accept("=") {
				a.Default = p.expression()
			}
			a.Span = p.span(start)
			out = append(out, a)
		}
	})
	p.expect(")")
	return out
}

func (p *parser) tokenBegins(n int) bool { return p.ahead(n).kind == word || p.is(n, "(") }

// cases reads the arms of a switch.
func (p *parser) cases(start int, x Node) Node {
	n := &Switch{X: x}
	p.expect("{")
	p.bracketed(func() {
		for !p.is(0, "}") {
			if len(n.Arms) > 0 {
				if !p.is(0, ",") {
					p.fail(", or }")
				}
				p.next()
				if p.is(0, "}") {
					break
				}
			}
			a := Arm{}
			from := p.tok().start
			a.Pattern = p.pattern()
			if p.isWord(0, "when") {
				p.next()
				a.When = p.binary(0) // => ends it
			}
			if !p.is(0, "=>") {
				p.fail("=> after the pattern")
			}
			p.next()
			a.Value = p.expression()
			a.Span = p.span(from)
			n.Arms = append(n.Arms, a)
		}
	})
	p.expect("}")
	n.Span = p.span(start)
	return n
}

// query reads from x in xs ...; nil when from is a name.
func (p *parser) query() Node {
	if !p.isWord(0, "from") || !p.isName(1) && !(p.ahead(1).kind == word && keywordType[p.ahead(1).text]) ||
		p.is(2, "=>") {
		return nil
	}
	start := p.tok().start
	if !p.isWord(2, "in") && !p.try(func() bool {
		at := p.at
		p.next()
		p.typ()
		ok := p.isName(0) && p.isWord(1, "in")
		p.at = at
		return ok
	}) {
		return nil
	}
	p.queries++
	defer func() { p.queries-- }()
	n := &Query{}
	for {
		c := p.clause(len(n.Clauses) == 0)
		n.Clauses = append(n.Clauses, c)
		if c.Op != "select" && c.Op != "group" {
			continue
		}
		if !p.isWord(0, "into") {
			n.Span = p.span(start)
			return n
		}
		from := p.next().start
		name := p.name("a name after into")
		n.Clauses = append(n.Clauses, Clause{Span: p.span(from), Op: "into", Name: name})
	}
}

func (p *parser) clause(first bool) Clause {
	t := p.tok()
	c := Clause{Op: t.text}
	if !p.isWord(0, "from", "let", "where", "join", "orderby", "select", "group") {
		p.fail("from, let, where, join, orderby, select or group")
	}
	p.next()
	word := func(w string) {
		if !p.isWord(0, w) {
			p.fail(w)
		}
		p.next()
	}
	switch c.Op {
	case "from", "join":
		if !p.isName(0) || !p.isWord(1, "in") {
			c.Type = p.typ()
		}
		c.Name = p.name("a name")
		word("in")
		c.X = p.expression()
		if c.Op == "from" {
			break
		}
		word("on")
		c.On = p.expression()
		word("equals")
		c.Equals = p.expression()
		if p.isWord(0, "into") {
			p.next()
			c.Into = p.name("a name after into")
		}
	case "let":
		c.Name = p.name("a name")
		p.expect("=")
		c.X = p.expression()
	case "orderby":
		for {
			k := Key{X: p.expression()}
			if p.isWord(0, "ascending", "descending") {
				k.Direction = p.next().text
			}
			c.Keys = append(c.Keys, k)
			if !p.accept(",") {
				break
			}
		}
	case "group":
		c.X = p.expression()
		word("by")
		c.By = p.expression()
	default:
		c.X = p.expression()
	}
	c.Span = p.span(t.start)
	return c
}
