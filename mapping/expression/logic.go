package expression

// Logical cuts a C# expression at its outermost ??, ||, or &&, the one that binds least; of several equal ones at the first. ok is false when there
// is none or a side of it is missing, and in lambdas and conditionals.
func Logical(text string) (op, left, right string, ok bool) {
	rank := map[string]int{"??": 3, "||": 2, "&&": 1}
	tokens := Scan(CSharp, text)
	best := -1
	for i := range outermost(tokens) {
		switch t := tokens[i]; t.Text {
		case "?", "=>", "=":
			return "", "", "", false
		case "??", "||", "&&":
			if best < 0 || rank[t.Text] > rank[tokens[best].Text] {
				best = i
			}
		}
	}
	if best <= 0 || best == len(tokens)-1 { // none, or a side is missing
		return "", "", "", false
	}
	t := tokens[best]
	return t.Text, text[:t.Start], text[t.End:], true
}

// Comparison is `Left Op Right` inside a C# expression, where each side is a chain or a literal. Null is set when one of them is the word null: Left then is
// the other.
type Comparison struct {
	Start, End  int
	Left, Right string
	Op          string // ==, !=, <, >, <=, >=
	Null        bool
}

// Comparisons finds the comparisons of an expression whose sides are nothing but a chain, a number, a truth value or null, `is null` and `is not null` among them.
func Comparisons(text string) []Comparison {
	tokens := Scan(CSharp, text)
	byStart, byEnd := map[int]int{}, map[int]int{}   // offset: where the operand that begins, ends there has its other end
	startsAt, endsAt := map[int]int{}, map[int]int{} // offset: the token that begins, ends there
	for i, t := range tokens {
		startsAt[t.Start], endsAt[t.End] = i, i
	}
	for _, c := range Chains(text) {
		byStart[c.Start], byEnd[c.End] = c.End, c.Start
	}
	for i, t := range tokens {
		word := t.Kind == Ident && (t.Text == "null" || t.Text == "true" || t.Text == "false")
		if !word && t.Kind != Number && (t.Kind != String || t.Text[0] != '\'') {
			continue
		}
		start := t.Start
		if t.Kind == Number && i > 0 && tokens[i-1].Text == "-" && (i == 1 || tokens[i-2].Kind == Op && tokens[i-2].Text != ")" && tokens[i-2].Text != "]") {
			start = tokens[i-1].Start
		}
		byStart[start], byEnd[t.End] = t.End, start
	}
	var found []Comparison
	for i, t := range tokens {
		op, next := t.Text, i+1
		switch {
		case t.Kind == Op && (op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">="):
		case t.Kind == Ident && op == "is":
			if op = "=="; next < len(tokens) && tokens[next].Text == "not" {
				op, next = "!=", next+1
			}
			if next >= len(tokens) || tokens[next].Text != "null" {
				continue
			}
		default:
			continue
		}
		if i == 0 || next >= len(tokens) {
			continue
		}
		start, ok := byEnd[tokens[i-1].End]
		if first := startsAt[start]; !ok || first > 0 && !between(tokens[first-1].Text) {
			continue // the left side is more than that
		}
		end, ok := byStart[tokens[next].Start]
		if last := endsAt[end]; !ok || last < len(tokens)-1 && !between(tokens[last+1].Text) {
			continue
		}
		c := Comparison{Start: start, End: end, Left: text[start:tokens[i-1].End], Right: text[tokens[next].Start:end], Op: op}
		if c.Left == "null" {
			c.Left, c.Right = c.Right, c.Left
		}
		c.Null = c.Right == "null" && (op == "==" || op == "!=")
		found = append(found, c)
	}
	return found
}

// between tells whether an operator binds less than a comparison.
func between(op string) bool {
	switch op {
	case "(", ")", "&&", "||", "??", ",", "?", ":":
		return true
	}
	return false
}

// Group is what stands in the brackets of an expression that is nothing but a group, and whether it is negated.
func Group(text string) (inner string, not, ok bool) {
	tokens := Scan(CSharp, text)
	for len(tokens) > 0 && tokens[0].Text == "!" {
		not, tokens = !not, tokens[1:]
	}
	if len(tokens) < 3 || tokens[0].Text != "(" {
		return "", false, false
	}
	for i := range outermost(tokens) { // the first closes the group
		return text[tokens[0].End:tokens[i].Start], not, i == len(tokens)-1 && tokens[i].Text == ")"
	}
	return "", false, false
}
