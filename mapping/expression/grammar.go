package expression

import "sync"

// binary lists the binary operators that mean the same in C#, C and unknown languages.
var binary = sync.OnceValue(func() map[string]bool {
	return words("+ - * / % == != < > <= >= && || & | ^ << >> ?? >>>")
})

// expression parses operand (operator operand)* and conditional expressions. Precedence does not matter here.
func (p *parser) expression(depth int) {
	if p.tooDeep(depth) {
		return
	}
	p.operand(depth)
	for p.bad == nil {
		t := p.ahead(0)
		switch {
		case t.Kind == Op && binary()[t.Text]:
			p.at++
			p.operand(depth)
		case p.lang == CSharp && p.take("is"):
			p.take("not")
			p.pattern()
		case p.lang == CSharp && p.take("as"):
			p.tested()
		case p.lang != unknown && p.take("?"):
			p.expression(depth + 1)
			p.expect(":")
			p.expression(depth + 1)
		default:
			return
		}
	}
}

// pattern parses a literal or a type. A pattern in brackets may call Deconstruct.
func (p *parser) pattern() {
	switch t := p.ahead(0); {
	case t.Kind == Number, t.Kind == String, p.is("true", "false", "null"):
		p.at++
	case p.is("+", "-") && p.ahead(1).Kind == Number:
		p.at += 2
	default:
		p.tested()
	}
}

// tested parses the type after is or as. Tokens that could continue the type are not operators there.
func (p *parser) tested() {
	if !p.typeName() || p.at < len(p.tokens) && !p.is(")", "]", ",", "&&", "||", "==", "!=", "??", "?", ":") {
		p.unexpected()
	}
}

// typeArguments rejects a < after a name that has a matching > with a bracket after it. In C# and C++ f<int>(x) is a
// call, whatever its parts are. In a tuple of C# a matching > with a name after it may declare: (a, List<int> x).
func (p *parser) typeArguments() {
	type bracket struct {
		less     int // the first < after a name, 0 for none; nor is one before since
		declared int // the < of what is a declaration if there is a comma
		comma    bool
	}
	open, since := []bracket{{}}, 0
	for p.at = 0; p.at < len(p.tokens); p.at++ {
		in := &open[len(open)-1]
		closes := p.is(">", ">>", ">>>") && in.less > since
		switch t := p.ahead(0); {
		case p.is("(", "[", "?["):
			open = append(open, bracket{})
		case p.is(")", "]"):
			if in.comma && in.declared > 0 {
				from := p.tokens[p.chain(in.declared-1)].Start
				p.reject(Other, from, "it may declare a variable: write the comparison in brackets")
				return
			}
			open = open[:max(len(open)-1, 1)]
		case p.is("<") && p.at > 0 && p.tokens[p.at-1].Kind == Ident && in.less <= since:
			in.less = p.at
		case closes && isOneOf(p.ahead(1), "("):
			p.at++
			p.skipCall()
			from := p.tokens[p.chain(in.less-1)].Start
			p.reject(MethodCall, from, "write a comparison before a bracket the other way round")
			return
		case closes && p.lang == CSharp && p.ahead(1).Kind == Ident:
			in.declared = in.less
		case p.lang == CSharp && t.Kind != Ident && !p.is("<", ">", ">>", ">>>", ".", "::", ",", "?", "*"):
			since = p.at // a type cannot contain it
		}
		if p.is(",") {
			open[len(open)-1].comma = true
		}
	}
	p.at = 0
}

// chain returns where the member chain that ends with the name at i begins.
func (p *parser) chain(i int) int {
	for i >= 2 && isOneOf(p.tokens[i-1], ".", "::", "->", "?.") && p.tokens[i-2].Kind == Ident {
		i -= 2
	}
	return i
}

func (p *parser) operand(depth int) {
	unary := []string{"+", "-", "!", "~"}
	switch p.lang {
	case C:
		unary = append(unary, "*", "&")
		if p.at == 0 && p.is("-") && p.ahead(1).Text == "exec" {
			p.rejectRest(Other, 0, "-exec begins a command of the debugger")
		}
	case CSharp:
		unary = append(unary, "^")
	case unknown:
		unary = []string{"-"}
	}
	for p.bad == nil && p.take(unary...) {
	}
	p.primary(depth)
}

// primary parses a literal, a name or a group, and what follows it.
func (p *parser) primary(depth int) {
	if p.bad != nil {
		return
	}
	t := p.ahead(0)
	switch {
	case t.Kind == Number, t.Kind == String:
		p.at++
	case t.Kind == Ident && p.builtinForm(depth):
		if p.lang == C { // sizeof(x).y means sizeof((x).y)
			p.ending(t.Start)
			return
		}
	case p.isName(t), t.Kind == Ident && constants()[p.lang][t.Text],
		p.lang == CSharp && csharpPredefined()[t.Text] && p.ahead(1).Text == ".":
		p.at++
		if p.lang == CSharp && p.isName(t) && p.is("::") && p.isName(p.ahead(1)) {
			if p.at += 2; !p.is(".") {
				p.unexpected()
			}
		}
	case p.is("("):
		if p.cast() {
			if !p.tooDeep(depth) {
				p.operand(depth + 1)
			}
			return
		}
		p.at++
		p.group(depth)
		if p.is("!") { // ! would belong to an operand if the group were a type
			p.unexpected()
		}
	case p.is("[", "{"):
		p.rejectRest(ObjectCreation, t.Start)
	case p.lang == C && p.take("::"):
		if !p.isName(p.ahead(0)) {
			p.unexpected()
			return
		}
		p.at++
	default:
		p.unexpected()
	}
	p.postfix(depth, t.Start)
}

// group parses the content of round brackets: an expression, or a tuple of C#.
func (p *parser) group(depth int) {
	p.expression(depth + 1)
	for p.lang == CSharp && p.bad == nil && p.take(",") {
		p.expression(depth + 1)
	}
	p.expect(")")
}

func (p *parser) postfix(depth, from int) {
	for p.bad == nil {
		switch {
		case p.is("."), p.lang == CSharp && p.is("?."), p.lang == C && p.is("->"),
			p.lang == C && p.is("::") && p.tokens[p.at-1].Kind == Ident:
			p.at++
			if !p.isName(p.ahead(0)) {
				p.unexpected()
				return
			}
			p.at++
		case p.is("["), p.lang == CSharp && p.is("?["):
			p.at++
			p.index(depth)
		case p.lang == CSharp && p.is("!") && !p.operandFollows():
			p.at++
		default:
			p.ending(from)
			return
		}
	}
}

// ending rejects what would give an operand an effect.
func (p *parser) ending(from int) {
	t := p.ahead(0)
	switch {
	case p.is("("):
		p.skipCall()
		p.reject(MethodCall, from)
	case p.is("++", "--"):
		p.reject(Assignment, from)
	case t.Kind == Op && assignments()[t.Text]:
		p.rejectRest(Assignment, from)
	}
}

// index parses what follows [: one index or several, and ranges of C#.
func (p *parser) index(depth int) {
	for p.bad == nil {
		if p.lang == CSharp && p.take("..") {
			if !p.is("]", ",") {
				p.expression(depth + 1)
			}
		} else if p.expression(depth + 1); p.lang == CSharp && p.take("..") && !p.is("]", ",") {
			p.expression(depth + 1)
		}
		if p.lang != CSharp || p.bad != nil || !p.take(",") {
			break
		}
	}
	p.expect("]")
}

func (p *parser) operandFollows() bool {
	next := p.ahead(1)
	return next.Kind != Op && next.Kind != Bad || isOneOf(next, "(", "=")
}

// builtinForm parses a built-in form that is written like a call.
func (p *parser) builtinForm(depth int) bool {
	if p.ahead(1).Text != "(" {
		return false
	}
	at, ok := p.at, false
	switch p.at += 2; {
	case p.lang == CSharp && isOneOf(p.tokens[at], "typeof", "sizeof", "default"):
		ok = p.typeName()
	case p.lang == CSharp && isOneOf(p.tokens[at], "nameof", "checked", "unchecked"):
		ok = true
		p.expression(depth + 1)
	case p.lang == C && p.tokens[at].Text == "sizeof":
		if ok = p.typeName(); !ok || !p.is(")") {
			p.at, ok = at+2, true
			p.expression(depth + 1)
		}
	}
	if !ok {
		p.at = at
		return false
	}
	p.expect(")")
	return true
}

// cast parses (type) when it is a cast of a number or a reference: a type inside, and an operand after it.
func (p *parser) cast() bool {
	at := p.at
	p.at++
	first := p.ahead(0)
	if p.lang != CSharp && p.lang != C || !p.typeName() || !p.take(")") {
		p.at = at
		return false
	}
	converts := false
	switch next := p.ahead(0); {
	case p.lang == C: // any other type may be a constructor or a call
		converts = isOneOf(p.tokens[p.at-2], "*") || cTypes()[p.tokens[p.at-2].Text] || p.tokens[at+1].Text == "enum"
	case next.Kind == Number, next.Kind == String, p.isName(next), constants()[CSharp][next.Text],
		csharpPredefined()[next.Text], isOneOf(next, "typeof", "sizeof", "default", "checked", "unchecked"):
		converts = true
	case isOneOf(next, "(", "-", "+", "~", "!"):
		converts = csharpTypes()[first.Text] && !isOneOf(p.tokens[at+2], ".", "::")
	}
	if next := p.ahead(0); !converts && p.lang == C && (next.Kind == Ident || next.Kind == Number || next.Kind == String) {
		p.reject(ObjectCreation, p.tokens[at].Start, "it may construct one: cast to a built-in type, enum NAME or a pointer")
	}
	if !converts {
		p.at = at
	}
	return converts
}

var (
	cTypes           = sync.OnceValue(func() map[string]bool { return words(cTypeWords) })
	csharpTypes      = sync.OnceValue(func() map[string]bool { return words(csharpTypeWords, "nint nuint") })
	csharpPredefined = sync.OnceValue(func() map[string]bool { return words(csharpTypeWords) })
	constants        = sync.OnceValue(func() map[Language]map[string]bool {
		return map[Language]map[string]bool{CSharp: words(csharpConstants), Python: words(pythonConstants),
			JavaScript: words(javascriptConstants)}
	})
)

// typeName parses a type, if there is one.
func (p *parser) typeName() bool {
	if p.lang == C {
		return p.cType()
	}
	at := p.at
	if open, ok := p.csharpType(0); !ok || open != 0 {
		p.at = at
		return false
	}
	return true
}

// cType parses built-in words, struct, union or enum and a name, or a name; then stars.
func (p *parser) cType() bool {
	at := p.at
	p.take("const")
	switch t := p.ahead(0); {
	case cTypes()[t.Text]:
		for cTypes()[p.ahead(0).Text] {
			p.at++
		}
	case p.is("struct", "union", "enum") || p.isName(t):
		if !p.isName(t) {
			p.at++
		}
		if !p.isName(p.ahead(0)) {
			p.at = at
			return false
		}
		for p.at++; p.is("::") && p.isName(p.ahead(1)); p.at += 2 {
		}
	default:
		p.at = at
		return false
	}
	for p.take("const"); p.take("*"); p.take("const") {
	}
	return true
}

// csharpType parses names with type arguments, then ? and []. closed is the number of < that the last > or >> closes
// beyond its own.
func (p *parser) csharpType(depth int) (closed int, ok bool) {
	if p.tooDeep(depth) {
		return 0, false
	}
	for first := true; ; first = false {
		predefined := first && csharpPredefined()[p.ahead(0).Text]
		if !p.isName(p.ahead(0)) && !predefined {
			return 0, false
		}
		p.at++
		if at := p.at; !predefined && p.take("<") {
			if closed, ok = p.arguments(depth); !ok {
				p.at = at
				return 0, true
			}
			if closed > 0 {
				return closed, true
			}
		}
		if predefined || !p.take(".") && !(first && p.take("::")) {
			break
		}
	}
	if p.is("?") && p.ahead(1).Text == ")" {
		p.at++
	}
	for p.is("[") && isOneOf(p.ahead(1), "]") {
		p.at += 2
	}
	return 0, true
}

// arguments are those of a type. A type without them, as in typeof(List<>), is not read.
func (p *parser) arguments(depth int) (closed int, ok bool) {
	for {
		if closed, ok = p.csharpType(depth + 1); !ok {
			return 0, false
		}
		if closed > 0 {
			return closed - 1, true
		}
		switch {
		case p.take(","):
		case p.take(">"):
			return 0, true
		case p.take(">>"):
			return 1, true
		case p.take(">>>"):
			return 2, true
		default:
			return 0, false
		}
	}
}
