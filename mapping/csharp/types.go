package csharp

import "strings"

// only reports whether the name can only be one of a type.
func (t *Type) only() bool {
	return t.Of != nil || t.Tuple != nil || len(t.Names) == 1 && t.Names[0].Keyword
}

// generic reports whether the name has type arguments.
func (t *Type) generic() bool {
	for _, n := range t.Names {
		if n.Args != nil {
			return true
		}
	}
	return false
}

// typ reads a type with all its suffixes.
func (p *parser) typ() *Type {
	t := p.bareType()
	for {
		switch {
		case t.Suffix != "?" && p.accept("?"):
			t = &Type{Span: p.span(t.Start), Of: t, Suffix: "?"}
		case p.accept("*"):
			t = &Type{Span: p.span(t.Start), Of: t, Suffix: "*"}
		case p.is(0, "[") && (p.is(1, "]") || p.is(1, ",")):
			t = p.arrayType(t)
		default:
			return t
		}
	}
}

// typeBeforeOperator reads a type behind as or in a pattern, where ? may begin a ?:.
func (p *parser) typeBeforeOperator() *Type {
	t := p.bareType()
	for {
		switch {
		case t.Suffix != "?" && p.is(0, "?") && !p.begins(1) && !p.isName(1):
			p.next()
			t = &Type{Span: p.span(t.Start), Of: t, Suffix: "?"}
		case t.Suffix != "?" && p.is(0, "?") && p.is(1, "[") && (p.is(2, "]") || p.is(2, ",")):
			p.next()
			t = &Type{Span: p.span(t.Start), Of: t, Suffix: "?"}
		case p.is(0, "[") && (p.is(1, "]") || p.is(1, ",")):
			t = p.arrayType(t)
		default:
			return t
		}
	}
}

func (p *parser) arrayType(of *Type) *Type {
	p.next()
	rank := 1
	for p.accept(",") {
		rank++
	}
	p.expect("]")
	return &Type{Span: p.span(of.Start), Of: of, Suffix: "[" + strings.Repeat(",", rank-1) + "]"}
}

// bareType reads a type without suffixes.
func (p *parser) bareType() *Type {
	defer p.deeper()()
	start := p.tok().start
	if p.is(0, "(") {
		return p.tupleType()
	}
	t := &Type{}
	if p.isName(0) && p.is(1, "::") {
		t.Alias = p.next().text
		p.next()
	}
	for {
		first := p.tok()
		if !p.isName(0) && (len(t.Names) > 0 || t.Alias != "" || first.kind != word || !keywordType()[first.text]) {
			p.fail("the name of a type")
		}
		p.next()
		name := TypeName{Name: first.text, Keyword: !first.escaped && keywordType()[first.text]}
		if p.is(0, "<") {
			name.Args = p.typeArguments()
		}
		t.Names = append(t.Names, name)
		if !p.is(0, ".") || name.Keyword {
			break
		}
		p.next()
	}
	t.Span = p.span(start)
	return t
}

func (p *parser) tupleType() *Type {
	start := p.next().start
	t := &Type{}
	for {
		e := Element{Type: p.typ()}
		if p.isName(0) {
			e.Name = p.next().text
		}
		t.Tuple = append(t.Tuple, e)
		if !p.accept(",") {
			break
		}
	}
	if len(t.Tuple) < 2 {
		p.fail("the next type of a tuple")
	}
	p.expect(")")
	t.Span = p.span(start)
	return t
}

// typeArguments reads <A, B>, or <,> for a type without its arguments.
func (p *parser) typeArguments() []*Type {
	p.expect("<")
	var out []*Type
	if p.is(0, ",") || p.is(0, ">") {
		out = append(out, &Type{Span: Span{p.tok().start, p.tok().start}, Unbound: true})
		for p.accept(",") {
			out = append(out, &Type{Span: Span{p.tok().start, p.tok().start}, Unbound: true})
		}
		p.expect(">")
		return out
	}
	for {
		out = append(out, p.typ())
		if !p.accept(",") {
			break
		}
	}
	p.expect(">")
	return out
}

// typeArgumentsOfName reads the type arguments of a name in an expression; nil when < is an operator.
func (p *parser) typeArgumentsOfName() (args []*Type) {
	if !p.is(0, "<") {
		return nil
	}
	p.try(func() bool {
		args = p.typeArguments()
		t := p.tok()
		behind := t.kind == end || t.kind == closing || t.kind == format ||
			t.kind == op && strings.Contains(" ( ) ] } : ; , . ? == != | ^ && || & [ { ?? ", " "+t.text+" ")
		if !behind {
			args = nil
		}
		return behind
	})
	return args
}
