package expression

import "sync"

var pythonBinary = sync.OnceValue(func() map[string]bool {
	return words("+ - * / % == != < > <= >= & | ^ << >> ** // @ in")
})

// pythonExpression parses a conditional expression, or a single operand.
func (p *parser) pythonExpression(depth int) {
	if p.tooDeep(depth) {
		return
	}
	p.pythonLogic(depth)
	if p.bad == nil && p.take("if") {
		p.pythonLogic(depth)
		p.expect("else")
		p.pythonExpression(depth + 1)
	}
}

func (p *parser) pythonLogic(depth int) {
	for p.bad == nil {
		for p.take("not") {
		}
		p.pythonComparison(depth)
		if !p.take("and", "or") {
			return
		}
	}
}

// pythonComparison parses operands with arithmetic and comparisons between them.
func (p *parser) pythonComparison(depth int) {
	for p.bad == nil {
		for p.take("+", "-", "~") {
		}
		p.pythonPrimary(depth)
		t := p.ahead(0)
		switch {
		case p.bad != nil:
		case p.take("is"):
			p.take("not")
		case p.is("not") && p.ahead(1).Text == "in":
			p.at += 2
		case t.Kind != String && pythonBinary()[t.Text]:
			p.at++
		default:
			return
		}
	}
}

func (p *parser) pythonPrimary(depth int) {
	if p.bad != nil {
		return
	}
	t := p.ahead(0)
	switch {
	case t.Kind == Number, t.Kind == String, p.isName(t), t.Kind == Ident && constants()[Python][t.Text]:
		p.at++
	case p.take("("):
		p.pythonGroup(depth)
	case p.is("[", "{"):
		p.rejectRest(ObjectCreation, t.Start, "write a tuple, (1, 2)")
	default:
		p.unexpected()
	}
	for p.bad == nil {
		switch {
		case p.take("."):
			if !p.isName(p.ahead(0)) {
				p.unexpected()
				return
			}
			p.at++
		case p.take("["):
			p.pythonIndex(depth)
		default:
			p.ending(t.Start)
			return
		}
	}
}

// pythonGroup parses the content of round brackets: an expression or a tuple.
func (p *parser) pythonGroup(depth int) {
	for p.pythonExpression(depth + 1); p.bad == nil && p.take(","); p.pythonExpression(depth + 1) {
		if p.is(")") {
			break
		}
	}
	p.expect(")")
}

// pythonIndex parses what follows [: indexes and slices.
func (p *parser) pythonIndex(depth int) {
	for first := true; p.bad == nil && (first || !p.is("]")); first = false {
		if !p.is(":") {
			p.pythonExpression(depth + 1)
		}
		for colons := 0; colons < 2 && p.bad == nil && p.take(":"); colons++ {
			if !p.is(":", "]", ",") {
				p.pythonExpression(depth + 1)
			}
		}
		if p.bad != nil || !p.take(",") {
			break
		}
	}
	p.expect("]")
}
