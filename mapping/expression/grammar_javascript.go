package expression

import "sync"

const javascriptWords = `
	async await break case catch class const continue debugger default delete do else enum export extends finally
	for function if implements import in instanceof interface let new package private protected public return static
	super switch throw try typeof var void while with yield`

const javascriptConstants = `this null true false`

var javascriptBinary = sync.OnceValue(func() map[string]bool {
	return words("+ - * / % ** == != === !== < > <= >= && || ?? & | ^ << >> >>> in instanceof")
})

// javascriptExpression parses operand (operator operand)* and conditional expressions. Precedence does not matter here.
func (p *parser) javascriptExpression(depth int) {
	if p.tooDeep(depth) {
		return
	}
	for p.bad == nil {
		for p.take("+", "-", "!", "~", "typeof") {
		}
		p.javascriptPrimary(depth)
		t := p.ahead(0)
		if p.bad != nil || t.Kind == String || !javascriptBinary()[t.Text] {
			break
		}
		p.at++
	}
	if p.bad == nil && p.take("?") {
		p.javascriptExpression(depth + 1)
		p.expect(":")
		p.javascriptExpression(depth + 1)
	}
}

// javascriptPrimary parses a literal, a name or a group, and its members and indexes.
func (p *parser) javascriptPrimary(depth int) {
	if p.bad != nil {
		return
	}
	t := p.ahead(0)
	switch {
	case t.Kind == Number, t.Kind == String, p.isName(t) && t.Text[0] != '#',
		t.Kind == Ident && constants()[JavaScript][t.Text]:
		p.at++
	case p.take("("):
		p.javascriptExpression(depth + 1)
		p.expect(")")
	case p.is("[", "{"):
		p.rejectRest(ObjectCreation, t.Start)
	default:
		p.unexpected()
	}
	for p.bad == nil {
		switch {
		case p.is(".") && p.ahead(1).Kind == Ident, p.is("?.") && p.ahead(1).Kind == Ident:
			p.at += 2
		case p.is("["), p.is("?.") && isOneOf(p.ahead(1), "["):
			p.take("?.")
			p.at++
			p.javascriptExpression(depth + 1)
			p.expect("]")
		case p.is("?.") && isOneOf(p.ahead(1), "("):
			p.skipCall()
			p.reject(MethodCall, t.Start)
		case p.is("."), p.is("?."):
			p.at++
			p.unexpected()
		default:
			p.ending(t.Start)
			return
		}
	}
}
