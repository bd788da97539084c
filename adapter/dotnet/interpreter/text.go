package interpreter

import (
	"math/big"
	"strings"
	"unicode/utf16"

	"breakwire/mapping/csharp"
)

func decodeUnits(u []uint16) string { return string(utf16.Decode(u)) }

// dots reports whether the program's culture writes numbers as C# does.
func (r *run) dots() bool {
	if !r.program.Calls() {
		return false
	}
	v, ok := r.ask("System.Globalization.CultureInfo.CurrentCulture.Name")
	name, known := v.Data.(string)
	return ok && known && (name == "" || name == "en-US" || name == "en-GB" || name == "en")
}

// invariant reports whether the program's culture is the invariant one.
func (r *run) invariant() bool {
	if !r.program.Calls() {
		return false
	}
	v, ok := r.ask("System.Globalization.CultureInfo.CurrentCulture.Name")
	return ok && v.Data == any("")
}

// string returns what + and interpolation make of a value.
func (r *run) string(v Value) string {
	switch data := v.Data.(type) {
	case null:
		return ""
	case bool:
		return map[bool]string{true: "True", false: "False"}[data]
	case string:
		return data
	case *big.Int:
		if v.inner() == "char" {
			if c := data.Int64(); c < 0xD800 || c >= 0xE000 {
				return string(rune(c))
			}
			r.refuse("half of a surrogate pair is no text of its own")
		}
		if data.Sign() >= 0 || r.dots() {
			return data.String()
		}
	case decimal:
		if r.dots() {
			return data.String()
		}
	case number:
		return r.enumString(v.inner(), data.n)
	case typeValue, *tuple, *sequence, *function, interval, fromEnd:
		r.refuse("breakwire does not know the text of a %s", v.Type)
	}
	if typ := v.inner(); typ == "double" || typ == "float" {
		if v = r.exact(v); r.dots() {
			return floatText(v.Data.(float64), typ)
		}
	}
	if e, ok := r.enumNumber(v); ok {
		if !strings.ContainsAny(v.Shown, "|") && v.Shown != "" {
			return v.Shown
		}
		if len(r.enumType(v.inner()).names) == 0 && !strings.ContainsAny(v.Shown, "0123456789-") {
			return strings.ReplaceAll(v.Shown, " | ", ", ")
		}
		return r.enumString(v.inner(), e.n)
	}
	return r.askedText(v, ".ToString()")
}

// askedText asks the program for a text about a value.
func (r *run) askedText(v Value, call string) string {
	if v.nullable() {
		v = r.unwrapped(v)
	}
	text, ok := r.receiver(v)
	if !ok || !r.program.Calls() {
		r.refuse("the text of %s is not known without a call", orNull(v.Type))
	}
	got, known := r.must(text + call).Data.(string)
	if !known {
		r.refuse("the debugger does not tell the text of %s", v.Type)
	}
	return got
}

// formatted is a value with the format of an interpolation or of ToString.
func (r *run) formatted(v Value, format string) string {
	if format == "" || v.isNull() || v.inner() == "string" || v.inner() == "bool" || v.inner() == "char" {
		return r.string(v)
	}
	if e, ok := r.enumNumber(v); ok {
		switch strings.ToUpper(format) {
		case "D":
			return e.n.String()
		case "G":
			return r.string(v)
		}
		r.refuse("breakwire does not know the format %s of an enum", format)
	}
	if typ := v.inner(); typ == "double" || typ == "float" {
		v = r.exact(v)
	}
	if small := integers()[v.inner()]; small.bits != 0 && small.bits < 32 && v.Text == "" {
		if strings.ContainsAny(format, "xX") {
			r.refuse("breakwire does not know the format %s of a %s", format, v.Type)
		}
		v.Type = "int"
	}
	return r.askedText(v, ".ToString("+quote(format)+")")
}

func (r *run) interpolated(n *csharp.Interpolated) Value {
	var out strings.Builder
	for _, part := range n.Parts {
		if part.Hole == nil {
			out.WriteString(part.Text)
			continue
		}
		s := r.formatted(r.known(r.eval(part.Hole)), part.Format)
		if part.Align != nil {
			width, ok := r.known(r.eval(part.Align)).Data.(*big.Int)
			if !ok || !width.IsInt64() || width.Int64() > 1000 || width.Int64() < -1000 {
				r.refuse("the width of a hole is a whole number")
			}
			s = padded(s, int(width.Int64()), ' ')
		}
		out.WriteString(s)
	}
	return text(out.String())
}

// padded fills a text up to a width, on the right side when the width is negative.
func padded(s string, width int, with rune) string {
	fill := strings.Repeat(string(with), max(0, max(width, -width)-len(units(s))))
	if width < 0 {
		return s + fill
	}
	return fill + s
}

// show writes a value as an answer shows it.
func (r *run) show(v Value) string {
	switch data := v.Data.(type) {
	case null:
		return "null"
	case bool:
		return map[bool]string{true: "true", false: "false"}[data]
	case string:
		return quote(data)
	case *big.Int:
		if v.inner() == "char" {
			text, _ := charText(data)
			return text
		}
		return data.String()
	case float64:
		return floatText(data, v.inner())
	case decimal:
		return data.String()
	case number:
		return r.enumText(v.inner(), data.n)
	case typeValue:
		return "typeof(" + string(data) + ")"
	case *tuple:
		parts := make([]string, len(data.items))
		for i, item := range data.items {
			parts[i] = r.show(item)
			if v.Type == "anonymous type" {
				parts[i] = data.names[i] + " = " + parts[i]
			}
		}
		switch {
		case strings.HasSuffix(v.Type, "Exception"):
			return v.Shown
		case v.Type == "anonymous type":
			return "{ " + strings.Join(parts, ", ") + " }"
		case strings.HasPrefix(v.Type, "System.Collections.Generic.KeyValuePair<"):
			return "[" + strings.Join(parts, ", ") + "]"
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case *list:
		return data.show(r)
	}
	if typ := v.inner(); typ == "double" || typ == "float" {
		if r.try(func() { v = r.exact(v) }) {
			return floatText(v.Data.(float64), typ)
		}
	}
	if v.Boxed {
		b := Value{}
		if r.try(func() { b = r.child(v, "m_value") }) {
			return r.show(b)
		}
	}
	if isBig(v) && !v.nullable() {
		if n, ok := r.bigOf(v); ok {
			return n.String()
		}
	}
	return v.Shown
}
