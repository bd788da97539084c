package adapter

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

// Numbers of .NET, as netcoredbg shows them and as it reads them.

// integers are the kinds of whole numbers, with their sizes: negative ones have a sign.
var integers = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"sbyte": -8, "byte": 8, "short": -16, "ushort": 16, "int": -32, "uint": 32, "long": -64, "ulong": 64, "char": 16,
	}
})

// isFloat reports whether a number is shown with 16 or 8 digits, which are not all.
func isFloat(typ string) bool {
	switch typ {
	case "double", "float":
		return true
	}
	return false
}

// plain tells whether the value of a type is what its text says, and nothing more.
func plain(typ string) bool { return integers()[typ] != 0 || typ == "bool" || typ == "decimal" }

// numeric tells whether a type is one of numbers.
func numeric(typ string) bool { return integers()[typ] != 0 || isFloat(typ) || typ == "decimal" }

// whole is the number of a value that is one of integers.
func whole(body dap.EvaluateResponseBody) (*big.Int, bool) {
	if integers()[strings.TrimSuffix(body.Type, "?")] == 0 {
		return nil, false
	}
	text, _, _ := strings.Cut(body.Result, " ") // a character comes behind its number
	return new(big.Int).SetString(text, 10)
}

// fits tells whether a number is one of an integer type.
func fits(n *big.Int, typ string) bool {
	bits := integers()[typ]
	if bits > 0 {
		return n.Sign() >= 0 && n.BitLen() <= bits
	}
	least := new(big.Int).Lsh(big.NewInt(1), uint(-bits-1))
	return n.Cmp(least) < 0 && n.Cmp(least.Neg(least)) >= 0
}

// constant is a literal whose value needs nobody to tell.
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
		// an ASCII one, or its escape
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
		return "(" + text + ")" // behind a minus it would be a decrement
	}
	return text
}

var suffixes = sync.OnceValue(func() map[string]string {
	return map[string]string{"decimal": "m", "double": "d", "float": "f", "long": "L", "ulong": "UL", "uint": "u"}
})

// expr is an expression that netcoredbg evaluates to the answer.
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

// compared is how two values compare, where their texts tell it: whole numbers and truth values.
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

// apart is how two numbers compare whose last digits may be missing: not at all, where what is shown of them is the
// same.
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

// holds tells whether a comparison holds for the order of its sides.
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
