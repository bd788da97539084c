package expression

import (
	"slices"
	"sync"
)

// ranks of C#'s binary operators, lowest precedence first. Logical handles ??, || and &&.
var ranks = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"|": 1, "^": 2, "&": 3, "==": 4, "!=": 4, "<": 5, ">": 5, "<=": 5, ">=": 5, "is": 5, "as": 5, "<<": 6, ">>": 6,
		">>>": 6, "+": 7, "-": 7, "*": 8, "/": 8, "%": 8,
	}
})

// maxCut limits the text that Binary and Arguments handle, because each operator may look back to the beginning.
const maxCut = 4 << 10

// Binary splits a C# expression at its outermost operator with the lowest precedence; of several equal ones, at the
// last. The operators are comparisons, arithmetic, `is` and `as`. ok is false when there is none or an operand is
// missing, and where an operator has a still lower precedence: in conditionals, lambdas, assignments and what Logical
// splits.
func Binary(text string) (op, left, right string, ok bool) {
	if len(text) > maxCut {
		return "", "", "", false
	}
	tokens := Scan(text)
	depth, best, typeEnd := 0, -1, 0
	for i, t := range tokens {
		op := operatorOf(t)
		switch {
		case i < typeEnd:
		case t.Kind == Bad, depth == 0 && (op == "switch" || op == "with"):
			return "", "", "", false
		case t.Kind != Op && t.Kind != Ident:
		case op == "(" || op == "[" || op == "{" || op == "?[":
			depth++
		case op == ")" || op == "]" || op == "}":
			depth--
		case depth != 0:
		case slices.Contains(looser, op):
			return "", "", "", false
		case ranks()[op] == 0 || i == 0 || i != typeEnd && !endsOperand(tokens[:i]):
		case op == "<" && typeArguments(tokens[i:]):
			return "", "", "", false
		case best < 0 || ranks()[op] <= ranks()[operatorOf(tokens[best])]:
			best = i
			if op == "is" || op == "as" {
				if n := typeLength(tokens[i+1:]); n > 0 {
					typeEnd = i + 1 + n
				}
			}
		}
	}
	if best <= 0 || best == len(tokens)-1 {
		return "", "", "", false
	}
	t := tokens[best]
	op = operatorOf(t)
	return op, text[:t.Start], text[t.Start+len(op):], true
}

var looser = []string{"?", ":", "=>", "=", "??", "||", "&&", ",", "++", "--", "..", "+=", "-=", "*=", "/=", "%=", "&=",
	"|=", "^=", "<<=", ">>=", ">>>=", "??="}

// operatorOf returns the operator that a token begins with: <- is one operator of Go, and two of C#.
func operatorOf(t Token) string {
	if t.Text == "<-" {
		return "<"
	}
	return t.Text
}

// endsOperand reports whether an operand ends with these tokens, so that an operator after them is binary.
func endsOperand(tokens []Token) bool {
	switch t := tokens[len(tokens)-1]; t.Kind {
	case Number, String, Interpolated:
		return true
	case Ident:
		return !slices.Contains([]string{"is", "as", "not", "and", "or"}, t.Text) || len(tokens) == 1 ||
			tokens[len(tokens)-2].Text == "."
	case Op:
		switch t.Text {
		case "]", "}":
			return true
		case "!":
			return len(tokens) > 1 && endsOperand(tokens[:len(tokens)-1])
		case ")":
			open := opening(tokens)
			_, builtin, isType := typeName(tokens[max(open+1, 0) : len(tokens)-1])
			return open < 0 || !builtin || !isType || open > 0 && endsOperand(tokens[:open]) // otherwise it is a cast
		}
	}
	return false
}

// opening returns the index of the bracket that the last token closes, -1 when there is none.
func opening(tokens []Token) int {
	depth := 0
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].Kind != Op {
			continue
		}
		switch tokens[i].Text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{", "?[":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// closing returns the index of the bracket that closes the one at an index, -1 when there is none.
func closing(tokens []Token, at int) int {
	for n := range outermost(tokens[at:]) {
		return at + n
	}
	return -1
}

// typeList returns how many tokens a list of type arguments at the beginning of tokens has, 0 without a list: <int,
// List<string>>.
func typeList(tokens []Token) int {
	open := 0
	for i, t := range tokens {
		switch {
		case t.Text == "<":
			open++
		case t.Text == ">" || t.Text == ">>":
			if open -= len(t.Text); open <= 0 {
				return i + 1
			}
		case t.Kind == Ident, slices.Contains([]string{".", ",", "?", "[", "]", "::"}, t.Text):
		default:
			return 0
		}
	}
	return 0
}

// typeArguments reports whether a < begins the type arguments of a call or of a type with members: F<int>(x).
func typeArguments(tokens []Token) bool {
	n := typeList(tokens)
	return n > 0 && n < len(tokens) && slices.Contains([]string{"(", ".", ")", "]", ","}, tokens[n].Text)
}

// typeLength returns how many tokens the name of a generic type at the beginning of an expression has, 0 without one.
func typeLength(tokens []Token) int {
	angle := slices.IndexFunc(tokens, func(t Token) bool { return t.Text == "<" })
	if angle < 0 {
		return 0
	}
	n := angle + typeList(tokens[angle:])
	if _, _, ok := typeName(tokens[:n]); !ok || n == angle {
		return 0
	}
	return n
}

// typeName returns the name of a type when tokens are nothing else. builtin is set when they can only be a type: a
// keyword, an array or a nullable.
func typeName(tokens []Token) (name string, builtin, ok bool) {
	angles, word := 0, false // a word or a closing bracket has been read
	for i, t := range tokens {
		switch {
		case t.Kind == Ident:
			if word || notNames()[t.Text] {
				return "", false, false
			}
			builtin = builtin || i == 0 && csharpTypes()[t.Text]
			word = true
		case (t.Text == "." || t.Text == "::") && word:
			word = false
		case t.Text == "<" && word:
			angles++
			word = false
		case t.Text == "," && (word && angles > 0 || i > 0 && (tokens[i-1].Text == "[" || tokens[i-1].Text == ",")):
			word = angles == 0
		case (t.Text == ">" || t.Text == ">>") && word:
			if angles -= len(t.Text); angles < 0 {
				return "", false, false
			}
		case t.Text == "?" && word && angles == 0:
			builtin = true
		case t.Text == "[" && word && angles == 0 && i+1 < len(tokens) &&
			(tokens[i+1].Text == "]" || tokens[i+1].Text == ","):
		case t.Text == "]" && i > 0 && (tokens[i-1].Text == "[" || tokens[i-1].Text == ","):
			builtin = builtin || angles == 0
		default:
			return "", false, false
		}
		name += t.Text
		if t.Text == "," && angles > 0 {
			name += " "
		}
	}
	return name, builtin, word && angles == 0
}

// TypeName returns the name of a type without its spaces. It reports false when text is not a type.
func TypeName(text string) (string, bool) {
	name, _, ok := typeName(Scan(text))
	return name, ok
}

// Unary splits -, +, ~ or ! from its operand. ok is false when there is none, and when a binary operator follows.
func Unary(text string) (op, operand string, ok bool) {
	tokens := Scan(text)
	if len(tokens) < 2 || tokens[0].Kind != Op || !slices.Contains([]string{"-", "+", "~", "!"}, tokens[0].Text) ||
		isBinary(text) {
		return "", "", false
	}
	return tokens[0].Text, text[tokens[0].End:], true
}

// Cast splits a cast from its operand. A name in brackets is a cast when an operand follows that cannot continue a
// binary operation. ok is false when a binary operator follows.
func Cast(text string) (typ, operand string, ok bool) {
	tokens := Scan(text)
	if len(tokens) < 4 || tokens[0].Text != "(" {
		return "", "", false
	}
	end := slices.IndexFunc(tokens, func(t Token) bool { return t.Kind == Op && t.Text == ")" })
	if end < 2 || end == len(tokens)-1 {
		return "", "", false
	}
	typ, builtin, isType := typeName(tokens[1:end])
	next := tokens[end+1]
	switch {
	case !isType || isBinary(text):
		return "", "", false
	case next.Kind == Ident && ranks()[next.Text] == 0, next.Kind == Number, next.Kind == String, next.Text == "(",
		next.Text == "~",
		next.Text == "!", builtin && (next.Text == "-" || next.Text == "+"):
		return typ, text[tokens[end].End:], true
	}
	return "", "", false
}

// Cuts reports whether an expression has operators, a cast or brackets around it.
func Cuts(text string) bool {
	if isBinary(text) {
		return true
	}
	_, _, group := Group(text)
	_, _, cast := Cast(text)
	_, _, unary := Unary(text)
	return group || cast || unary
}

// isBinary reports whether the outermost operator of an expression is binary.
func isBinary(text string) bool {
	if _, _, _, ok := Binary(text); ok {
		return true
	}
	if _, _, _, ok := Logical(text); ok {
		return true
	}
	_, _, _, ok := Conditional(text)
	return ok
}

// Arguments splits the content of the brackets of a part, a call or an index, at its commas.
func Arguments(text string, p Part) []string {
	if p.Kind != Call && p.Kind != Index || p.End-p.Start > maxCut { // parts may be nested, and each is scanned
		return nil
	}
	tokens := Scan(text[p.Start:p.End])
	if len(tokens) < 3 {
		return nil
	}
	var out []string
	last, from := len(tokens)-1, p.Start+tokens[0].End
	if opening(tokens) != 0 {
		return nil
	}
	for i := range outermost(tokens[1:last]) {
		if t := tokens[1+i]; t.Text == "," {
			out = append(out, text[from:p.Start+t.Start])
			from = p.Start + t.End
		}
	}
	return append(out, text[from:p.Start+tokens[last].Start])
}

// Pattern splits a pattern of `is` at its outermost or, and, not, comparison or brackets. op is "" when it has none
// of these.
func Pattern(text string) (op, left, right string) {
	tokens := Scan(text)
	for _, word := range []string{"or", "and"} {
		for i := range outermost(tokens) {
			if t := tokens[i]; t.Text == word && i > 0 && i < len(tokens)-1 {
				return word, text[:t.Start], text[t.End:]
			}
		}
	}
	if len(tokens) < 2 {
		return "", "", ""
	}
	switch t := tokens[0]; t.Text {
	case "not", "<", ">", "<=", ">=":
		return t.Text, "", text[t.End:]
	case "<-":
		return "<", "", text[t.Start+1:]
	}
	if inner, not, ok := Group(text); ok && !not {
		return "(", "", inner
	}
	return "", "", ""
}

// Literal reports whether an expression is one number, text or character, with or without a sign.
func Literal(text string) bool {
	tokens := Scan(text)
	if len(tokens) == 2 && tokens[0].Text == "-" && tokens[1].Kind == Number {
		return true
	}
	return len(tokens) == 1 && (tokens[0].Kind == Number || tokens[0].Kind == String)
}
