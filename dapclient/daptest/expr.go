package daptest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A small expression language for conditions, log points and evaluate: names with members and indexes, numbers,
// strings, + - * / %, comparisons, && || !, parentheses.

// errNoName is the error for an unknown name.
type errNoName struct{ name string }

func (e errNoName) Error() string { return "no name " + e.name }

// errSyntax is the error for a text that is not an expression.
type errSyntax struct{ what string }

func (e errSyntax) Error() string { return e.what }

var errNotBool = errors.New("not a boolean")

// evalExpr evaluates text; lookup finds a variable by its path ("a", "a.b", "a[1].c").
func evalExpr(text string, lookup func(string) (Var, bool)) (Var, error) {
	p := &parser{text: text, lookup: lookup}
	p.next()
	v, err := p.binary(0)
	if err == nil && p.tok != "" {
		err = errSyntax{"unexpected " + p.tok}
	}
	return v, err
}

type parser struct {
	text   string
	pos    int
	tok    string
	lookup func(string) (Var, bool)
}

func isName(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// next reads a token. A name includes its members and constant indexes.
func (p *parser) next() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	start := p.pos
	if start == len(p.text) {
		p.tok = ""
		return
	}
	c := p.text[start]
	switch {
	case isName(c):
		for p.pos < len(p.text) {
			c := p.text[p.pos]
			if c == '[' {
				if i := strings.IndexByte(p.text[p.pos:], ']'); i > 1 {
					p.pos += i + 1
					continue
				}
				break
			}
			if !isName(c) && !isDigit(c) && (c != '.' || p.pos+1 == len(p.text) || !isName(p.text[p.pos+1])) {
				break
			}
			p.pos++
		}
	case isDigit(c):
		for p.pos < len(p.text) && (isDigit(p.text[p.pos]) || p.text[p.pos] == '.') {
			p.pos++
		}
	case c == '"' || c == '\'':
		for p.pos++; p.pos < len(p.text) && p.text[p.pos] != c; p.pos++ {
			if p.text[p.pos] == '\\' {
				p.pos++
			}
		}
		p.pos = min(p.pos+1, len(p.text))
	default:
		p.pos++
		if p.pos < len(p.text) {
			switch p.text[start : p.pos+1] {
			case "==", "!=", "<=", ">=", "&&", "||":
				p.pos++
			}
		}
	}
	p.tok = p.text[start:p.pos]
}

var precedence = map[string]int{
	"||": 1, "or": 1, "&&": 2, "and": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4,
	"+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}

func (p *parser) binary(least int) (Var, error) {
	left, err := p.unary()
	if err != nil {
		return left, err
	}
	for {
		op := p.tok
		level, ok := precedence[op]
		if !ok || level <= least {
			return left, nil
		}
		p.next()
		right, err := p.binary(level)
		if err != nil {
			return right, err
		}
		if left, err = apply(op, left, right); err != nil {
			return left, err
		}
	}
}

func (p *parser) unary() (Var, error) {
	tok := p.tok
	switch {
	case tok == "":
		return Var{}, errSyntax{"no expression found"}
	case tok == "!" || tok == "not":
		p.next()
		v, err := p.unary()
		if err != nil {
			return v, err
		}
		b, err := truth(v)
		return boolVar(!b), err
	case tok == "-":
		p.next()
		v, err := p.unary()
		if err != nil {
			return v, err
		}
		return apply("-", Var{Value: "0", Type: v.Type}, v)
	case tok == "(":
		p.next()
		v, err := p.binary(0)
		if err != nil {
			return v, err
		}
		if p.tok != ")" {
			return v, errSyntax{"expected ')'"}
		}
		p.next()
		return v, nil
	case isDigit(tok[0]):
		p.next()
		typ := "int"
		if strings.Contains(tok, ".") {
			typ = "double"
		}
		return Var{Value: tok, Type: typ}, nil
	case tok[0] == '"' || tok[0] == '\'':
		if len(tok) < 2 || tok[len(tok)-1] != tok[0] {
			return Var{}, errSyntax{"unterminated string"}
		}
		p.next()
		if s, err := strconv.Unquote(tok); err == nil {
			tok = strconv.Quote(s)
		}
		return Var{Value: tok, Type: "string"}, nil
	case tok == "true" || tok == "false" || tok == "True" || tok == "False":
		p.next()
		return Var{Value: tok, Type: "bool"}, nil
	case isName(tok[0]):
		p.next()
		v, ok := p.lookup(tok)
		if !ok {
			return v, errNoName{tok}
		}
		if v.Err != "" {
			return v, errors.New(v.Err)
		}
		return v, nil
	}
	return Var{}, errSyntax{"unexpected " + tok}
}

func boolVar(b bool) Var { return Var{Value: strconv.FormatBool(b), Type: "bool"} }

func truth(v Var) (bool, error) {
	switch v.Value {
	case "true", "True":
		return true, nil
	case "false", "False":
		return false, nil
	}
	return false, errNotBool
}

func apply(op string, a, b Var) (Var, error) {
	switch op {
	case "&&", "and", "||", "or":
		x, err := truth(a)
		if err != nil {
			return a, err
		}
		y, err := truth(b)
		if err != nil {
			return b, err
		}
		if op == "&&" || op == "and" {
			return boolVar(x && y), nil
		}
		return boolVar(x || y), nil
	}
	if x, errX := strconv.ParseInt(a.Value, 10, 64); errX == nil {
		if y, errY := strconv.ParseInt(b.Value, 10, 64); errY == nil {
			return applyNumbers(op, x, y, a.Type)
		}
	}
	if x, errX := strconv.ParseFloat(a.Value, 64); errX == nil {
		if y, errY := strconv.ParseFloat(b.Value, 64); errY == nil {
			return applyFloats(op, x, y)
		}
	}
	switch op {
	case "==":
		return boolVar(a.Value == b.Value), nil
	case "!=":
		return boolVar(a.Value != b.Value), nil
	case "<":
		return boolVar(a.Value < b.Value), nil
	case ">":
		return boolVar(a.Value > b.Value), nil
	case "+":
		return Var{Value: strconv.Quote(unquote(a.Value) + unquote(b.Value)), Type: "string"}, nil
	}
	return Var{}, fmt.Errorf("operator %s cannot be applied to %s and %s", op, a.Type, b.Type)
}

func unquote(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

func applyNumbers(op string, x, y int64, typ string) (Var, error) {
	if typ == "" {
		typ = "int"
	}
	n := x
	switch op {
	case "+":
		n = x + y
	case "-":
		n = x - y
	case "*":
		n = x * y
	case "/", "%":
		if y == 0 {
			return Var{}, errors.New("division by zero")
		}
		if n = x / y; op == "%" {
			n = x % y
		}
	default:
		return compare(op, x, y), nil
	}
	return Var{Value: strconv.FormatInt(n, 10), Type: typ}, nil
}

func applyFloats(op string, x, y float64) (Var, error) {
	n := x
	switch op {
	case "+":
		n = x + y
	case "-":
		n = x - y
	case "*":
		n = x * y
	case "/":
		n = x / y
	default:
		return compare(op, x, y), nil
	}
	return Var{Value: strconv.FormatFloat(n, 'g', -1, 64), Type: "double"}, nil
}

func compare[T int64 | float64](op string, x, y T) Var {
	switch op {
	case "==":
		return boolVar(x == y)
	case "!=":
		return boolVar(x != y)
	case "<":
		return boolVar(x < y)
	case "<=":
		return boolVar(x <= y)
	case ">":
		return boolVar(x > y)
	}
	return boolVar(x >= y)
}

// findVar returns a variable by its path: names, members after dots, elements in brackets.
func findVar(vars []Var, path string) (Var, bool) {
	for i := range vars {
		if vars[i].Name == path {
			return vars[i], true
		}
	}
	// The longest name that is a prefix of the path, then its children.
	for i := range vars {
		rest, ok := strings.CutPrefix(path, vars[i].Name)
		if !ok || rest == "" {
			continue
		}
		switch rest[0] {
		case '.':
			if v, ok := findVar(vars[i].Children, rest[1:]); ok {
				return v, true
			}
		case '[':
			if v, ok := findVar(vars[i].Children, rest); ok {
				return v, true
			}
		}
	}
	return Var{}, false
}
