package csharp

// pattern reads a pattern of is or switch.
func (p *parser) pattern() Node { return p.either("or") }

func (p *parser) either(op string) Node {
	defer p.deeper()()
	start := p.tok().start
	one := func() Node {
		if op == "or" {
			return p.either("and")
		}
		return p.negated()
	}
	left := one()
	for p.isWord(0, op) {
		p.next()
		right := one()
		left = &Both{p.span(start), op, left, right}
	}
	return left
}

func (p *parser) negated() Node {
	defer p.deeper()()
	if p.isWord(0, "not") {
		start := p.next().start
		x := p.negated()
		return &Not{p.span(start), x}
	}
	return p.simplePattern()
}

func (p *parser) simplePattern() Node {
	t := p.tok()
	switch {
	case p.is(0, "<"), p.is(0, "<="), p.is(0, ">"):
		op, length := p.operator()
		if op != "<" && op != "<=" && op != ">" && op != ">=" {
			p.fail("a pattern")
		}
		p.at += length - 1
		p.next()
		x := p.binary(shiftRank)
		return &Relation{p.span(t.start), op, x}
	case p.isWord(0, "_") && p.discards():
		p.next()
		return &Discard{p.span(t.start)}
	case p.isWord(0, "var") && (p.isName(1) || p.is(1, "(")):
		p.next()
		if p.is(0, "(") {
			names := p.names()
			return &VarPattern{p.span(t.start), "", names}
		}
		name := p.next().text
		return &VarPattern{p.span(t.start), name, nil}
	case p.is(0, "["):
		return p.listPattern()
	case p.is(0, "{"):
		return p.properties(t.start, nil)
	case p.is(0, "("):
		if n := p.bracketPattern(); n != nil {
			return n
		}
	}
	if n := p.patternOfType(); n != nil {
		return n
	}
	if !p.begins(0) {
		p.fail("a pattern")
	}
	x := p.binary(shiftRank)
	return &Constant{p.span(t.start), x}
}

// discards reports whether a _ is all of a pattern, and not the beginning of a constant or a type.
func (p *parser) discards() (alone bool) {
	p.try(func() bool {
		name, ok := p.binary(shiftRank).(*Name)
		alone = ok && name.Args == nil
		return false
	})
	return alone
}

// designated reports whether a name of a variable follows.
func (p *parser) designated() bool {
	return p.isName(0) && !p.isWord(0, "and", "or", "when", "switch", "with") &&
		!(p.queries > 0 && queryWord()[p.tok().text])
}

// patternOfType reads a pattern that begins with a type; nil when it may be a constant.
func (p *parser) patternOfType() (n Node) {
	start := p.tok().start
	if p.tok().kind != word && !p.is(0, "(") {
		return nil
	}
	p.try(func() bool {
		typ := p.typeBeforeOperator()
		switch {
		case p.is(0, "{"):
			n = p.properties(start, typ)
		case p.is(0, "(") && !typ.only() && p.positional():
			n = p.properties(start, typ)
		case p.designated():
			name := p.next().text
			n = &TypePattern{p.span(start), typ, name}
		case p.is(0, "."), p.is(0, "("), p.is(0, "["), p.is(0, "!"):
			return false
		case typ.only() || typ.generic():
			n = &TypePattern{p.span(start), typ, ""}
		default:
			return false
		}
		return true
	})
	return n
}

// positional reports whether a bracket behind a type holds patterns and not arguments: constants have no calls.
func (p *parser) positional() bool { return p.tok().pair > 0 }

// bracketPattern reads (pattern) or (a, b); nil when the bracket is a part of a constant or a type.
func (p *parser) bracketPattern() (n Node) {
	start := p.tok().start
	p.try(func() bool {
		named := p.isName(1) && p.is(2, ":")
		items := p.subPatterns("(", ")", false)
		if len(items) == 1 && !named && !p.is(0, "{") && !p.designated() {
			t := p.tok()
			if operand := p.begins(0) && t.kind != op && !p.isWord(0, "and", "or", "when", "switch", "with") &&
				!(p.queries > 0 && queryWord()[t.text]) || t.kind == op && (t.text == "(" || t.text == "." || t.text == "~" ||
				ranks()[t.text] >= shiftRank); operand {
				return false
			}
			n = &ParenPattern{p.span(start), items[0].Pattern}
			return true
		}
		full := &Properties{HasItems: true, Items: items}
		p.rest(full)
		full.Span = p.span(start)
		n = full
		return true
	})
	return n
}

// properties reads (a, b) { Name: pattern } name behind an optional type.
func (p *parser) properties(start int, typ *Type) Node {
	n := &Properties{Type: typ}
	if p.is(0, "(") {
		n.HasItems = true
		n.Items = p.subPatterns("(", ")", false)
	}
	p.rest(n)
	n.Span = p.span(start)
	return n
}

func (p *parser) rest(n *Properties) {
	if p.is(0, "{") {
		n.HasNamed = true
		n.Named = p.subPatterns("{", "}", true)
	}
	if p.designated() {
		n.Name = p.next().text
	}
}

func (p *parser) subPatterns(left, right string, named bool) (out []SubPattern) {
	p.expect(left)
	p.bracketed(func() {
		for !p.is(0, right) {
			if len(out) > 0 {
				if !p.is(0, ",") {
					p.fail(", or " + right)
				}
				p.next()
				if named && p.is(0, right) {
					break
				}
			}
			s := SubPattern{}
			start := p.tok().start
			if named || p.isName(0) && p.is(1, ":") {
				s.Path = append(s.Path, p.name("the name of a member"))
				for named && p.accept(".") {
					s.Path = append(s.Path, p.name("the name of a member"))
				}
				p.expect(":")
			}
			s.Pattern = p.pattern()
			s.Span = p.span(start)
			out = append(out, s)
		}
	})
	p.expect(right)
	return out
}

func (p *parser) listPattern() Node {
	start := p.next().start
	n := &ListPattern{}
	p.bracketed(func() {
		for !p.is(0, "]") {
			if len(n.Items) > 0 {
				if !p.is(0, ",") {
					p.fail(", or ]")
				}
				p.next()
				if p.is(0, "]") {
					break
				}
			}
			at := p.tok().start
			if !p.accept("..") {
				n.Items = append(n.Items, p.pattern())
				continue
			}
			s := &SlicePattern{}
			if !p.is(0, ",") && !p.is(0, "]") {
				s.X = p.negated()
			}
			s.Span = p.span(at)
			n.Items = append(n.Items, s)
		}
	})
	p.expect("]")
	if p.designated() {
		n.Name = p.next().text
	}
	n.Span = p.span(start)
	return n
}
