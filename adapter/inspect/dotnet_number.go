package inspect

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"sync"

	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Numbers of .NET, in the forms in which netcoredbg shows and reads them.

// integers are the integer types with their sizes in bits. A negative size means a signed type.
var integers = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"sbyte": -8, "byte": 8, "short": -16, "ushort": 16, "int": -32, "uint": 32, "long": -64, "ulong": 64, "char": 16,
	}
})

// isFloat reports whether a number is shown with at most 16 or 8 digits, so that some may be missing.
func isFloat(typ string) bool {
	switch typ {
	case "double", "float":
		return true
	}
	return false
}

// plain reports whether the text of a value determines it completely.
func plain(typ string) bool { return integers()[typ] != 0 || typ == "bool" || typ == "decimal" }

// numeric reports whether a type is a number type.
func numeric(typ string) bool { return integers()[typ] != 0 || isFloat(typ) || typ == "decimal" }

// whole returns the number of an integer value.
func whole(body dap.EvaluateResponseBody) (*big.Int, bool) {
	if integers()[strings.TrimSuffix(body.Type, "?")] == 0 {
		return nil, false
	}
	text, _, _ := strings.Cut(body.Result, " ") // a character is shown after its code
	return new(big.Int).SetString(text, 10)
}

// fits reports whether an integer type holds a number.
func fits(n *big.Int, typ string) bool {
	bits := integers()[typ]
	if bits > 0 {
		return n.Sign() >= 0 && n.BitLen() <= bits
	}
	least := new(big.Int).Lsh(big.NewInt(1), uint(-bits-1))
	return n.Cmp(least) < 0 && n.Cmp(least.Neg(least)) >= 0
}

// constant returns the value of a literal without asking the debugger.
func constant(text string) (answer, bool) {
	typ := "int"
	switch text {
	case "null":
		typ = "object"
	case "true", "false":
		typ = "bool"
	default:
		digits := strings.TrimSpace(strings.TrimPrefix(text, "-"))
		if n, err := strconv.ParseUint(digits, 10, 31); err != nil || strconv.FormatUint(n, 10) != digits {
			return answer{}, false
		}
		text = strings.Replace(text, " ", "", -1)
	}
	return answer{body: dap.EvaluateResponseBody{Result: text, Type: typ}, text: text, constant: typ == "int"}, true
}

// literal writes a simple value as an expression of its type.
func literal(body dap.EvaluateResponseBody) string {
	typ, text := strings.TrimSuffix(body.Type, "?"), body.Result
	switch typ {
	case "char":
		// an ASCII character, or its escape
		if shown := mapping.CharText(text); (len(shown) == 3 || len(shown) == 4 && shown[1] == '\\') && shown != "'?'" {
			return shown
		}
		if n, ok := whole(body); ok {
			return fmt.Sprintf(`'\u%04x'`, n)
		}
	case "float", "double":
		switch mapping.FloatText(text) {
		case "NaN":
			return "(0" + suffixes()[typ] + " / 0" + suffixes()[typ] + ")"
		case "Infinity":
			return "(1" + suffixes()[typ] + " / 0" + suffixes()[typ] + ")"
		case "-Infinity":
			return "(-1" + suffixes()[typ] + " / 0" + suffixes()[typ] + ")"
		}
	case "int", "long":
		// netcoredbg reads it as a number of a larger type, or not at all
		if n, ok := whole(body); ok && n.Sign() < 0 && !fits(new(big.Int).Neg(n), typ) {
			return "(" + n.Add(n, big.NewInt(1)).String() + suffixes()[typ] + " - 1" + suffixes()[typ] + ")"
		}
	}
	text += suffixes()[typ]
	if strings.HasPrefix(text, "-") {
		return "(" + text + ")" // after a minus it would be a decrement
	}
	return text
}

var suffixes = sync.OnceValue(func() map[string]string {
	return map[string]string{"decimal": "m", "double": "d", "float": "f", "long": "L", "ulong": "UL", "uint": "u"}
})

// expr returns an expression that netcoredbg evaluates to the answer.
func (a answer) expr() string {
	typ := strings.TrimSuffix(a.body.Type, "?")
	switch {
	case a.number.Type != "" && a.text == "":
		return literal(a.number)
	case a.text == "", plain(typ) && a.body.Result != "null" && !strings.HasPrefix(a.body.Result, "{"):
		return literal(a.body)
	case isPlace(a.text), strings.HasPrefix(a.text, `"`) && strings.Count(a.text, `"`) == 2:
		return a.text
	}
	return inBrackets(a.text)
}

// compared compares two values whose texts determine them: integers and bools.
func compared(op string, a, b dap.EvaluateResponseBody) (result, ok bool) {
	x, ok1 := whole(a)
	y, ok2 := whole(b)
	if ok1 && ok2 {
		return holds(op, x.Cmp(y)), true
	}
	if strings.TrimSuffix(a.Type, "?") == "bool" && strings.TrimSuffix(b.Type, "?") == "bool" &&
		(op == "==" || op == "!=") {
		return (a.Result == b.Result) == (op == "=="), true
	}
	return false, false
}

// apart compares two numbers whose last digits may be missing. ok is false when their shown digits are equal.
func apart(op string, a, b dap.EvaluateResponseBody) (result, ok bool) {
	x, err1 := strconv.ParseFloat(strings.Fields(a.Result + " ")[0], 64)
	y, err2 := strconv.ParseFloat(strings.Fields(b.Result + " ")[0], 64)
	if err1 != nil || err2 != nil || !(math.Abs(x-y) > 1e-6*max(math.Abs(x), math.Abs(y))) { // NaN too
		return false, false
	}
	if x < y {
		return holds(op, -1), true
	}
	return holds(op, 1), true
}

// holds reports whether a comparison is true for the order of its sides.
func holds(op string, order int) bool {
	switch op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	case ">=":
		return order >= 0
	}
	return false
}
