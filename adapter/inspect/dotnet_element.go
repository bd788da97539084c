package inspect

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"breakwire/adapter/fault"
	"breakwire/mapping"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// Elements of .NET that netcoredbg cannot read: characters of a string, indexes from the end, and the LINQ methods of
// arrays and lists that need no lambda.

// ofSequence reports whether breakwire evaluates a LINQ method, when it has no arguments.
func ofSequence(name string) bool {
	switch name {
	case "Any", "Count", "LongCount", "First", "FirstOrDefault", "Last", "LastOrDefault":
		return true
	}
	return false
}

// countable are the collections whose Count equals the number of elements that LINQ enumerates.
var countable = []string{
	"List", "Dictionary", "HashSet", "Queue", "Stack", "SortedDictionary", "SortedList", "SortedSet", "LinkedList",
}

// counted returns a number of elements, as a long when the member's name says so.
func counted(member string, n int) dap.EvaluateResponseBody {
	if strings.HasPrefix(member, "Long") {
		return dap.EvaluateResponseBody{Result: strconv.Itoa(n), Type: "long"}
	}
	return dap.EvaluateResponseBody{Result: strconv.Itoa(n), Type: "int"}
}

// lengthOf returns the number of elements of a value. indexed is set when they can be read by index.
func (v *View) lengthOf(r rescue, prefix string, body dap.EvaluateResponseBody) (count int, indexed, ok bool) {
	if _, count, ok := mapping.ArrayText(body.Result); ok {
		return count, len(mapping.ArrayLengths(body.Result)) == 1, true
	}
	if body.Type == "string" {
		if v.NoCalls { // the text that is shown ends at a NUL
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

// sequence evaluates part n of a chain, a LINQ method.
func (v *View) sequence(text string, c expression.Chain, n int, r rescue) (answer, bool, error) {
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
		return answer{}, false, fault.Errorf(fault.EvalFailed,
			"%s is empty, so %s.%s() throws System.InvalidOperationException: "+
				"Sequence contains no elements", prefix, prefix, p.Name).
			With("expression", r.text).With("exceptionType", "System.InvalidOperationException")
	case strings.HasPrefix(p.Name, "Last"):
		at = count - 1
	}
	element := fmt.Sprintf("%s[%d]", prefix, at)
	return answer{text: element, note: "evaluated as " + element}, true, nil
}

// element evaluates part n of a chain, an index that netcoredbg cannot evaluate: of a string, or from the end.
func (v *View) element(text string, c expression.Chain, n int, r rescue) (answer, bool, error) {
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
			return answer{}, false, fault.Errorf(fault.EvalFailed, "%s: the index %s is outside of %s, which has %d elements",
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
	if !v.NoCalls {
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

// isLowSurrogate reports whether a character is the second half of a surrogate pair. netcoredbg 3.1.2 ends when it
// has to show one, or a text that begins with one, but shows its number.
func isLowSurrogate(n *big.Int) bool { return n.IsInt64() && n.Int64()>>10 == 0xDC00>>10 }

// charOf returns a character by its code.
func charOf(n *big.Int) dap.EvaluateResponseBody {
	return dap.EvaluateResponseBody{Result: fmt.Sprintf(`%d '\u%04x'`, n, n), Type: "char"}
}

// lone reports whether an answer is half of a surrogate pair.
func (a answer) lone() bool {
	n, ok := whole(a.body)
	return ok && a.body.Type == "char" && isLowSurrogate(n)
}
