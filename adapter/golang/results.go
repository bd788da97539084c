package golang

import (
	"go/scanner"
	"go/token"
	"strings"
)

// word is a token of Go source.
type word struct {
	tok  token.Token
	text string
	line int
}

func words(text []byte) []word {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, 0)
	var all []word
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return all
		}
		if lit == "" || tok.IsOperator() {
			lit = tok.String()
		}
		all = append(all, word{tok, lit, file.Line(pos)})
	}
}

// closing returns the index of the bracket that closes the one at i, len(all) without one.
func closing(all []word, i int) int {
	for depth := 0; i < len(all); i++ {
		switch all[i].tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// Results returns the types of the results of the function that contains a line, as the source has them. ok is false
// when no function is there, or a generic one.
func Results(text []byte, line int) (types []string, ok bool) {
	all := words(text)
	for i := range all {
		if all[i].tok != token.FUNC {
			continue
		}
		results, body, found := signature(all, i)
		if !found {
			continue
		}
		end := closing(all, body)
		if end < len(all) && all[body].line <= line && line <= all[end].line {
			types, ok = resultTypes(results) // of inner functions the last
		}
	}
	return types, ok
}

// signature returns the words of the results of a function, and where its body begins.
func signature(all []word, i int) (results []word, body int, ok bool) {
	at := func(i int) token.Token {
		if i < len(all) {
			return all[i].tok
		}
		return token.EOF
	}
	i++
	if at(i) == token.LPAREN { // a receiver, or the parameters of a literal
		if end := closing(all, i); at(end+1) == token.IDENT && at(end+2) == token.LPAREN {
			i = end + 1
		}
	}
	if at(i) == token.IDENT {
		i++
	}
	if at(i) != token.LPAREN {
		return nil, 0, false // type parameters, or no function
	}
	begin := closing(all, i) + 1
	for i = begin; i < len(all); i++ {
		switch at(i) {
		case token.LPAREN, token.LBRACK:
			i = closing(all, i)
		case token.STRUCT, token.INTERFACE:
			if at(i+1) == token.LBRACE {
				i = closing(all, i+1)
			}
		case token.LBRACE:
			return all[begin:i], i, true
		case token.SEMICOLON, token.COMMA, token.RPAREN, token.RBRACE, token.ASSIGN:
			return nil, 0, false // a type without a body
		}
	}
	return nil, 0, false
}

// resultTypes returns the types in the results of a signature.
func resultTypes(results []word) (types []string, ok bool) {
	if len(results) == 0 {
		return nil, true
	}
	if results[0].tok != token.LPAREN {
		return []string{join(results)}, true
	}
	var parts [][]word
	part := []word{}
	for i := 1; i < len(results)-1; i++ {
		if results[i].tok == token.COMMA {
			parts, part = append(parts, part), nil
			continue
		}
		end := i
		if tok := results[i].tok; tok == token.LPAREN || tok == token.LBRACK || tok == token.LBRACE {
			end = min(closing(results, i), len(results)-2)
		}
		part = append(part, results[i:end+1]...)
		i = end
	}
	if len(part) > 0 {
		parts = append(parts, part)
	}
	named := false
	for _, p := range parts {
		named = named || len(p) > 1 && p[0].tok == token.IDENT && p[1].tok != token.PERIOD && p[1].tok != token.LBRACK ||
			len(p) > 3 && p[0].tok == token.IDENT && p[1].tok == token.LBRACK && p[len(p)-1].tok != token.RBRACK
	}
	types = make([]string, len(parts))
	for i := len(parts) - 1; i >= 0; i-- {
		switch p := parts[i]; {
		case named && len(p) == 1 && i+1 < len(parts): // a, b int
			types[i] = types[i+1]
		case named && len(p) > 1:
			types[i] = join(p[1:])
		default:
			types[i] = join(p)
		}
	}
	return types, true
}

func join(all []word) string {
	var text strings.Builder
	for i, w := range all {
		if i > 0 && w.tok == token.IDENT && all[i-1].tok == token.IDENT {
			text.WriteByte(' ')
		}
		text.WriteString(w.text)
	}
	return text.String()
}
