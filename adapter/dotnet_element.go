package adapter

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"breakwire/mapping"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// Elements of .NET that netcoredbg does not reach: characters of a string, indexes from the end, and what LINQ says of
// arrays and lists without lambdas.

// ofSequence reports whether a method of LINQ is answered, without arguments.
func ofSequence(name string) bool {
	switch name {
	case "Any", "Count", "LongCount", "First", "FirstOrDefault", "Last", "LastOrDefault":
		return true
	}
	return false
}

// countable are the collections whose Count is the number of what they are a sequence of.
var countable = []string{
	"List", "Dictionary", "HashSet", "Queue", "Stack", "SortedDictionary", "SortedList", "SortedSet", "LinkedList",
}

// counted is a number of elements, a long where the name of the member says so.
func counted(member string, n int) dap.EvaluateResponseBody {
	if strings.HasPrefix(member, "Long") {
		return dap.EvaluateResponseBody{Result: strconv.Itoa(n), Type: "long"}
	}
	return dap.EvaluateResponseBody{Result: strconv.Itoa(n), Type: "int"}
}

// lengthOf is the number of elements of a value; indexed is set when they are had by their number.
func (v *view) lengthOf(r rescue, prefix string, body dap.EvaluateResponseBody) (count int, indexed, ok bool) {
	if _, count, ok := mapping.ArrayText(body.Result); ok {
		return count, len(mapping.ArrayLengths(body.Result)) == 1, true
	}
	if body.Type == "string" {
		if v.noCalls { // what is shown of it ends at a NUL
			return 0, false, false
		}
		length, err := v.again(prefix+".get_Length()", r)
		count, nerr := strconv.Atoi(length.Result)
		return count, true, err == nil && nerr == nil
	}
	name, _ := mapping.GenericType(body.Type)
	name, known := strings.CutPrefix(name, "System.Collections.Generic.")
	if !known || !slices.Contains(countable, name) {
		return 0, false, false
	}
	length, err := v.again(prefix+".Count", r)
	count, nerr := strconv.Atoi(length.Result)
	return count, name == "List", err == nil && nerr == nil
}

// sequence answers part n of a chain, a call of LINQ.
func (v *view) sequence(text string, c expression.Chain, n int, r rescue) (answer, bool, error) {
	p, prefix := c.Parts[n], c.Prefix(text, n)
	body, short, ok, err := v.before(text, c, n, r)
	if err != nil || !ok || short || body.Type == "string" {
		return answer{}, false, err
	}
	count, indexed, ok := v.lengthOf(r, prefix, body)
	at := 0
	switch {
	case !ok:
		return answer{}, false, nil
	case p.Name == "Any":
		return truth(count > 0, ""), true, nil
	case strings.HasSuffix(p.Name, "Count"):
		return answer{body: counted(p.Name, count)}, true, nil
	case !indexed:
		return answer{}, false, nil
	case count == 0 && strings.HasSuffix(p.Name, "OrDefault"):
		return answer{}, false, r.failed("%s is empty, so that it is the default of its elements' type", prefix)
	case count == 0:
		return answer{}, false, Errorf(EvalFailed, "%s is empty, so %s.%s() throws System.InvalidOperationException: "+
			"Sequence contains no elements", prefix, prefix, p.Name).
			With("expression", r.text).With("exceptionType", "System.InvalidOperationException")
	case strings.HasPrefix(p.Name, "Last"):
		at = count - 1
	}
	element := fmt.Sprintf("%s[%d]", prefix, at)
	return answer{text: element, note: "evaluated as " + element}, true, nil
}

// element answers part n of a chain, an index that netcoredbg does not know: of a string, or from the end.
func (v *view) element(text string, c expression.Chain, n int, r rescue) (answer, bool, error) {
	args := expression.Arguments(text, c.Parts[n])
	if len(args) != 1 {
		return answer{}, false, nil
	}
	index, fromEnd := strings.CutPrefix(strings.TrimSpace(args[0]), "^")
	prefix := c.Prefix(text, n)
	body, short, ok, err := v.before(text, c, n, r)
	if err != nil || !ok || short || body.Type != "string" && !fromEnd {
		return answer{}, false, err
	}
	i, err := v.operand(r, index)
	if err != nil {
		return answer{}, false, err
	}
	if i, err = v.inner(r, i); err != nil {
		return answer{}, false, err
	}
	number, isWhole := whole(i.body)
	if !isWhole || !number.IsInt64() {
		return answer{}, false, r.failed("the index %s is not a whole number but %s", strings.TrimSpace(args[0]), i.body.Type)
	}
	at := number.Int64()
	if fromEnd {
		count, indexed, ok := v.lengthOf(r, prefix, body)
		if !ok || !indexed {
			return answer{}, false, r.failed("the end of %s (%s) is not known here: write the index from the beginning",
				prefix, body.Type)
		}
		if at = int64(count) - at; at < 0 || at >= int64(count) {
			thrown := "System.IndexOutOfRangeException"
			if strings.HasPrefix(body.Type, generic) {
				thrown = "System.ArgumentOutOfRangeException"
			}
			return answer{}, false, Errorf(EvalFailed, "%s: the index %s is outside of %s, which has %d elements",
				r.text, args[0], prefix, count).With("expression", r.text).
				With("exceptionType", thrown)
		}
	}
	if body.Type != "string" {
		element := fmt.Sprintf("%s[%d]", prefix, at)
		return answer{text: element, note: "evaluated as " + element}, true, nil
	}
	shown, err := strconv.Unquote(body.Result)
	units := utf16.Encode([]rune(shown))
	known := err == nil && at >= 0 && at < int64(len(units)) && !utf16.IsSurrogate(rune(units[at])) && units[at] != 0xFFFD
	if !v.noCalls {
		element := fmt.Sprintf("%s.get_Chars(%d)", prefix, at)
		if !known {
			number, err := v.again(element+" + 0", r)
			if n, ok := whole(number); err == nil && ok && isLowSurrogate(n) {
				return answer{body: charOf(n), note: "evaluated as " + element}, true, nil
			}
		}
		a, err := v.valueOf(element, r)
		return answer{body: a, text: element, note: "evaluated as " + element}, err == nil, err
	}
	if !known {
		return answer{}, false, r.failed("character %d of %s is not shown, and nothing may be called here that tells "+
			"it", at, prefix)
	}
	a, err := v.again(fmt.Sprintf(`'\u%04x'`, units[at]), r)
	return answer{body: a, note: "breakwire took the character out of the text: netcoredbg cannot"}, err == nil, err
}

// isLowSurrogate tells whether a character is the second half of a pair. netcoredbg 3.1.2 ends when it has to show one,
// or a text that begins with one; as a number it is none.
func isLowSurrogate(n *big.Int) bool { return n.IsInt64() && n.Int64()>>10 == 0xDC00>>10 }

// charOf is a character by its number.
func charOf(n *big.Int) dap.EvaluateResponseBody {
	return dap.EvaluateResponseBody{Result: fmt.Sprintf(`%d '\u%04x'`, n, n), Type: "char"}
}

// lone tells whether an answer is half a pair.
func (a answer) lone() bool {
	n, ok := whole(a.body)
	return ok && a.body.Type == "char" && isLowSurrogate(n)
}
