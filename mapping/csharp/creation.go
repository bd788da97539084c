package csharp

// creation reads what begins with new or stackalloc.
func (p *parser) creation() Node {
	t := p.next()
	if p.is(0, "[") { // new[] { ... }
		n := &NewArray{Stack: t.text == "stackalloc"}
		p.next()
		n.Rank = 1
		for p.accept(",") {
			n.Rank++
		}
		p.expect("]")
		n.Init = p.initializer()
		n.Span = p.span(t.start)
		return n
	}
	if t.text == "new" {
		switch {
		case p.is(0, "{"):
			return p.anonymous(t.start)
		case p.is(0, "(") && !p.tupleArray():
			n := &New{HasArgs: true, Args: p.arguments("(", ")")}
			if p.is(0, "{") {
				n.Init = p.initializer()
			}
			n.Span = p.span(t.start)
			return n
		}
	}
	typ := p.bareType()
	for p.is(0, "?") || p.is(0, "*") {
		p.next()
		typ = &Type{Span: p.span(typ.Start), Of: typ, Suffix: p.tokens[p.at-1].text}
	}
	if p.is(0, "[") {
		return p.newArray(t, typ)
	}
	n := &New{Type: typ}
	if p.is(0, "(") {
		n.HasArgs = true
		n.Args = p.arguments("(", ")")
	}
	if p.is(0, "{") {
		n.Init = p.initializer()
	}
	if !n.HasArgs && n.Init == nil {
		p.fail("( or { or [ after the type of a new object")
	}
	n.Span = p.span(t.start)
	return n
}

// tupleArray reports whether new ( begins an array of tuples: new (int, int)[2].
func (p *parser) tupleArray() bool {
	pair := p.tok().pair
	if pair == 0 || p.tokens[pair+1].text != "[" {
		return false
	}
	at := p.at
	ok := p.try(func() bool { p.tupleType(); return p.at == pair+1 })
	p.at = at
	return ok
}

func (p *parser) newArray(t token, typ *Type) Node {
	n := &NewArray{Type: typ, Stack: t.text == "stackalloc", Rank: 1}
	p.next()
	if p.is(0, "]") || p.is(0, ",") {
		for p.accept(",") {
			n.Rank++
		}
	} else {
		p.bracketed(func() {
			n.Sizes = append(n.Sizes, p.expression())
			for p.accept(",") {
				n.Sizes = append(n.Sizes, p.expression())
			}
		})
		n.Rank = len(n.Sizes)
	}
	p.expect("]")
	for p.is(0, "[") && (p.is(1, "]") || p.is(1, ",")) {
		p.next()
		rank := 1
		for p.accept(",") {
			rank++
		}
		p.expect("]")
		n.More = append(n.More, rank)
	}
	if len(n.Sizes) == 0 && !p.is(0, "{") {
		p.fail("{ with the elements, or a size in the brackets")
	}
	if p.is(0, "{") {
		n.Init = p.initializer()
	}
	n.Span = p.span(t.start)
	return n
}

func (p *parser) anonymous(start int) Node {
	p.next()
	n := &Anonymous{}
	p.bracketed(func() {
		for !p.is(0, "}") {
			if len(n.Items) > 0 {
				if !p.is(0, ",") {
					p.fail(", or }")
				}
				p.next()
				if p.is(0, "}") {
					break
				}
			}
			from := p.tok().start
			a := Argument{}
			if p.isName(0) && p.is(1, "=") {
				a.Name = p.next().text
				p.next()
			}
			a.Value = p.expression()
			if a.Name == "" && memberName(a.Value) == "" {
				p.stop(from, "Name = value in an anonymous object", "a value without a name")
			}
			a.Span = p.span(from)
			n.Items = append(n.Items, a)
		}
	})
	p.expect("}")
	n.Span = p.span(start)
	return n
}

// memberName returns the name that a value gives to its member of an anonymous object; "" when it gives none.
func memberName(x Node) string {
	switch x := x.(type) {
	case *Name:
		return x.Name
	case *Member:
		return x.Name
	}
	return ""
}

// initializer reads { ... }: elements, Name = value, [index] = value, and initializers inside.
func (p *parser) initializer() *Initializer {
	defer p.deeper()()
	n := &Initializer{}
	start := p.expect("{").start
	p.bracketed(func() {
		for !p.is(0, "}") {
			if len(n.Items) > 0 {
				if !p.is(0, ",") {
					p.fail(", or }")
				}
				p.next()
				if p.is(0, "}") {
					break
				}
			}
			n.Items = append(n.Items, p.initItem())
		}
	})
	p.expect("}")
	n.Span = p.span(start)
	return n
}

func (p *parser) initItem() Node {
	start := p.tok().start
	var left Node
	switch {
	case p.is(0, "{"):
		return p.initializer()
	case p.isName(0) && p.is(1, "="):
		left = &Name{Name: p.next().text, Span: p.span(start)}
	case p.is(0, "[") && p.tok().pair > 0 && p.tokens[p.tok().pair+1].text == "=":
		args := p.arguments("[", "]")
		left = &Indexed{p.span(start), args}
	default:
		return p.expression()
	}
	p.expect("=")
	var right Node
	if p.is(0, "{") {
		right = p.initializer()
	} else {
		right = p.expression()
	}
	return &Assign{p.span(start), "=", left, right}
}
