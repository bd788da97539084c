package interpreter

import (
	"math/big"
	"strings"
	"sync"

	"breakwire/mapping/csharp"
)

// spaces are the namespaces of the runtime's types that a program names without one, with `N for N type arguments.
var spaces = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for space, names := range map[string]string{
		"System": "Array Attribute BitConverter Boolean Byte Char Console Convert DateOnly DateTime DateTimeKind " +
			"DateTimeOffset DayOfWeek Decimal Delegate Double Enum Environment EventArgs Exception GC Guid " +
			"Int16 Int32 Int64 Lazy`1 Math MathF Nullable`1 Object Random SByte Single String StringComparer " +
			"StringComparison StringSplitOptions TimeOnly TimeSpan Tuple Type UInt16 UInt32 UInt64 Uri " +
			"Version ValueTuple Action Action`1 Action`2 Func`1 Func`2 Func`3 Predicate`1 Comparison`1 " +
			"IComparable IComparable`1 IEquatable`1 IDisposable IFormattable ICloneable ArgumentException " +
			"ArgumentNullException InvalidOperationException NotSupportedException NullReferenceException " +
			"TimeoutException Activator AppContext MidpointRounding IntPtr UIntPtr Index Range Buffer",
		"System.Collections": "IEnumerable ICollection IList IDictionary IEnumerator ArrayList Hashtable BitArray",
		"System.Collections.Generic": "List`1 Dictionary`2 HashSet`1 Queue`1 Stack`1 LinkedList`1 " +
			"SortedDictionary`2 SortedSet`1 SortedList`2 KeyValuePair`2 KeyValuePair IEnumerable`1 " +
			"ICollection`1 IList`1 IDictionary`2 " +
			"ISet`1 IReadOnlyList`1 IReadOnlyCollection`1 IReadOnlyDictionary`2 IComparer`1 " +
			"IEqualityComparer`1 Comparer`1 EqualityComparer`1",
		"System.Collections.Immutable":   "ImmutableArray`1 ImmutableList`1 ImmutableDictionary`2 ImmutableHashSet`1",
		"System.Linq":                    "Enumerable IGrouping`2 ILookup`2",
		"System.Numerics":                "BigInteger Complex Vector2 Vector3",
		"System.Text":                    "StringBuilder Encoding",
		"System.Threading":               "Thread Monitor Interlocked CancellationToken CancellationTokenSource",
		"System.Threading.Tasks":         "Task Task`1 TaskStatus ValueTask ValueTask`1",
		"System.Globalization":           "CultureInfo NumberFormatInfo",
		"System.IO":                      "Path File Directory Stream FileInfo",
		"System.Diagnostics":             "Process Stopwatch Debugger",
		"System.Text.RegularExpressions": "Regex",
		"System.Text.Json":               "JsonSerializer JsonElement",
		"System.Reflection":              "Assembly",
		"System.Runtime.InteropServices": "RuntimeInformation",
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = space
		}
	}
	return out
})

// typeText is a type's full C# name and its name in the runtime.
type typeText struct{ full, clr string }

// resolve finds a type. ok is false when the program has none with that name.
func (r *run) resolve(t *csharp.Type) (typeText, bool) {
	switch {
	case t.Unbound:
		return typeText{}, true
	case t.Of != nil && t.Suffix == "?":
		of, ok := r.resolve(t.Of)
		if isReference(of.full) { // an annotation
			return of, ok
		}
		return typeText{of.full + "?", "System.Nullable`1[" + of.clr + "]"}, ok
	case t.Of != nil:
		of, ok := r.resolve(t.Of)
		return typeText{of.full + t.Suffix, of.clr + t.Suffix}, ok
	case t.Tuple != nil:
		var full, clr []string
		for _, e := range t.Tuple {
			of, ok := r.resolve(e.Type)
			if !ok {
				return typeText{}, false
			}
			full, clr = append(full, of.full), append(clr, of.clr)
		}
		return typeText{"(" + strings.Join(full, ", ") + ")", "System.ValueTuple`" + big.NewInt(int64(len(full))).String() +
			"[" + strings.Join(clr, ",") + "]"}, true
	}
	if len(t.Names) == 1 && fullNames()[t.Names[0].Name] != "" && t.Names[0].Args == nil {
		return typeText{t.Names[0].Name, fullNames()[t.Names[0].Name]}, true
	}
	return r.resolveNames(t)
}

// isReference reports whether a type is known to be a class.
func isReference(typ string) bool {
	return typ == "string" || typ == "object" || strings.HasSuffix(typ, "]")
}

func (r *run) resolveNames(t *csharp.Type) (typeText, bool) {
	var full, clr, clrArgs []string
	bound := false
	for _, n := range t.Names {
		name := n.Name
		shown := n.Name
		if n.Args != nil {
			name += "`" + big.NewInt(int64(len(n.Args))).String()
			var texts []string
			for _, a := range n.Args {
				of, ok := r.resolve(a)
				if !ok {
					return typeText{}, false
				}
				texts = append(texts, of.full)
				if of.clr != "" {
					bound = true
					clrArgs = append(clrArgs, of.clr)
				}
			}
			shown += "<" + strings.Join(texts, ", ") + ">"
		}
		full, clr = append(full, shown), append(clr, name)
	}
	tail := ""
	if bound {
		tail = "[" + strings.Join(clrArgs, ",") + "]"
	}
	if whole := strings.Join(clr, "."); len(clr) > 1 && spaces()[clr[len(clr)-1]] == strings.Join(clr[:len(clr)-1], ".") {
		return typeText{strings.Join(full, "."), whole + tail}, true
	}
	if space := spaces()[clr[0]]; space != "" {
		known := typeText{space + "." + strings.Join(full, "."), space + "." + strings.Join(clr, "+") + tail}
		if len(r.candidates(clr)) == 0 || !r.program.Calls() {
			return known, true
		}
		if got, ok := r.existing(full, clr, tail); ok { // a type of the program with that name
			return got, true
		}
		return known, true
	}
	return r.existing(full, clr, tail)
}

func (r *run) candidates(clr []string) []string {
	if len(clr) == 1 && spaces()[clr[0]] != "" {
		return nil
	}
	return r.program.Names(strings.Join(clr, "."))
}

// existing asks the program which of its types has a name.
func (r *run) existing(full, clr []string, tail string) (typeText, bool) {
	if !r.program.Calls() {
		return typeText{}, false
	}
	for _, candidate := range r.program.Names(strings.Join(clr, ".")) {
		at := len(candidate) - len(strings.Join(clr, "."))
		prefix := candidate[:max(at, 0)]
		if class := strings.TrimSuffix(prefix, "."); class != "" && class == r.frameClass() {
			for _, around := range r.classesAround(class) {
				name := around + "+" + strings.Join(clr, "+")
				if v, ok := r.ask(`System.Type.GetType("` + name + tail + `")`); ok && !v.isNull() {
					return typeText{strings.ReplaceAll(around, "+", ".") + "." + strings.Join(full, "."), name + tail}, true
				}
			}
			continue // a class is no namespace
		}
		for nested := 0; nested < len(clr); nested++ { // A.B.C, A.B+C, A+B+C
			name := prefix + strings.Join(clr[:len(clr)-nested], ".")
			if nested > 0 {
				name += "+" + strings.Join(clr[len(clr)-nested:], "+")
			}
			v, ok := r.ask(`System.Type.GetType("` + name + tail + `")`)
			if ok && !v.isNull() {
				return typeText{strings.ReplaceAll(prefix, "+", ".") + strings.Join(full, "."), name + tail}, true
			}
		}
	}
	return typeText{}, false
}

// frameClass is the class of the frame's method, as its name in the source is.
func (r *run) frameClass() string {
	names := r.program.Names("?")
	if len(names) == 0 {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(names[0], "?"), ".")
}

// classesAround returns the runtime's names of the frame's class and of the classes around it.
func (r *run) classesAround(class string) []string {
	around := []string{class}
	if strings.Count(class, ".") < 2 { // it is in no other class, or that one is in no namespace
		return around
	}
	if nested := ""; r.attempt(func() { nested = r.frameType() }) && strings.Contains(nested, "+") {
		around = nil
		for ; nested != ""; nested = nested[:max(strings.LastIndexByte(nested, '+'), 0)] {
			around = append(around, nested)
		}
	}
	return around
}

// typeFor is resolve with a refusal.
func (r *run) typeFor(t *csharp.Type) typeText {
	got, ok := r.resolve(t)
	if !ok {
		r.noType(t.String())
	}
	return got
}

func (r *run) noType(name string) {
	if !r.program.Calls() {
		r.foreign("whether there is a type %s cannot be told: asking for it is a call, which is not allowed here", name)
	}
	r.foreign("there is no type %s here; write it with its namespace", name)
}

// typeBeside is typeFor for the type that a value is tested for. It may be in a namespace of the value's own type.
func (r *run) typeBeside(v Value, t *csharp.Type) typeText {
	_, ok := r.resolve(t)
	name, near := t.String(), strings.ReplaceAll(v.inner(), "+", ".")
	if ok || strings.ContainsAny(name+near, "<[?(") || !r.program.Calls() {
		return r.typeFor(t)
	}
	for at := strings.LastIndexByte(near, '.'); at > 0; at = strings.LastIndexByte(near, '.') {
		near = near[:at]
		if x, ok := r.ask(typeExpr(near + "." + name)); ok && !x.isNull() {
			return typeText{near + "." + name, near + "." + name}
		}
	}
	r.noType(name)
	return typeText{}
}

func (r *run) ofType(n *csharp.OfType) Value {
	if n.Type == nil {
		r.refuse("the type of default is not known here: write default(T)")
	}
	if n.Op == "default" && n.Type.Tuple != nil {
		t, types := &tuple{}, []string{}
		for _, e := range n.Type.Tuple {
			zero := r.ofType(&csharp.OfType{Op: n.Op, Type: e.Type})
			t.items, t.names, types = append(t.items, zero), append(t.names, e.Name), append(types, zero.Type)
		}
		return Value{Type: "(" + strings.Join(types, ", ") + ")", Data: t}
	}
	t := r.typeFor(n.Type)
	switch n.Op {
	case "typeof":
		return Value{Type: "System.Type", Data: typeValue(t.full), Text: `System.Type.GetType("` + t.clr + `")`}
	case "sizeof":
		switch i := integers()[t.full]; {
		case i.bits != 0 && t.full != "nint" && t.full != "nuint":
			return Value{Type: "int", Data: big.NewInt(int64(i.bits / 8)), Const: true}
		case t.full == "bool":
			return Value{Type: "int", Data: big.NewInt(1), Const: true}
		case t.full == "float":
			return Value{Type: "int", Data: big.NewInt(4), Const: true}
		case t.full == "double":
			return Value{Type: "int", Data: big.NewInt(8), Const: true}
		case t.full == "decimal":
			return Value{Type: "int", Data: big.NewInt(16), Const: true}
		}
		r.refuse("the size of %s is not known", t.full)
	}
	return r.zero(t)
}

// zero is default(T).
func (r *run) zero(t typeText) Value {
	switch typ := t.full; {
	case strings.HasSuffix(typ, "?") || isReference(typ):
		return nothing(typ)
	case typ == "bool":
		return boolean(false)
	case typ == "decimal":
		return Value{Type: typ, Data: decimal{big.NewInt(0), 0}, Const: true}
	case typ == "double" || typ == "float":
		return Value{Type: typ, Data: float64(0), Const: true}
	case integers()[typ].bits != 0:
		return Value{Type: typ, Data: big.NewInt(0), Const: true}
	case defaults()[typ] != "":
		return r.must(defaults()[typ])
	}
	if e := r.enumOf(t); e != nil {
		return r.enumValue(t.full, big.NewInt(0))
	}
	if t.clr != "" && r.program.Calls() {
		v, ok := r.ask(`System.Type.GetType("` + t.clr + `").IsValueType`)
		if yes, known := v.Data.(bool); ok && known && !yes {
			return nothing(t.full)
		}
		if ok {
			if made, ok := r.made(t); ok {
				return made
			}
		}
	}
	r.refuse("the debugger cannot make a default(%s)", t.full)
	return Value{}
}

var defaults = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"System.DateTime": "System.DateTime.MinValue", "System.TimeSpan": "System.TimeSpan.Zero",
		"System.Guid": "System.Guid.Empty", "System.DateOnly": "System.DateOnly.MinValue",
		"System.TimeOnly": "System.TimeOnly.MinValue", "System.Numerics.BigInteger": "System.Numerics.BigInteger.Zero",
		"System.DateTimeOffset": "System.DateTimeOffset.MinValue",
	}
})

// typeOf returns the full name of the type that a System.Type stands for.
func (r *run) typeOf(v Value) (string, bool) {
	if data, ok := v.Data.(typeValue); ok {
		return string(data), true
	}
	if v.Type == "System.RuntimeType" && v.Text != "" {
		if full, ok := r.ask(v.Text + ".FullName"); ok {
			name, known := full.Data.(string)
			return shortClr(name), known && !strings.Contains(name, "`")
		}
	}
	return "", false
}

// shortClr writes a runtime's name as C# does.
func shortClr(name string) string {
	for keyword, full := range fullNames() {
		if name == full {
			return keyword
		}
	}
	return strings.ReplaceAll(name, "+", ".")
}

// enum is what is known of an enum.
type enum struct {
	full, under string
	names       []string
	values      []*big.Int
	flags       bool
	flagsKnown  bool
	text        string // of its System.Type
}

// enumType returns what is known of the enum of a value's type.
func (r *run) enumType(full string) *enum {
	if e := r.enumOf(typeText{full, full}); e != nil {
		return e
	}
	clr := full
	for range strings.Count(full, ".") { // nested in a class
		at := strings.LastIndexByte(clr, '.')
		clr = clr[:at] + "+" + clr[at+1:]
		if e := r.enumOf(typeText{full, clr}); e != nil {
			return e
		}
	}
	return &enum{full: full, under: "int"}
}

// enumOf reads the names and numbers of an enum; nil when the type is none.
func (r *run) enumOf(t typeText) *enum {
	if e, ok := r.enumTypes[t.clr]; ok {
		return e
	}
	r.enumTypes[t.clr] = nil
	if !r.program.Calls() || t.clr == "" || strings.ContainsAny(t.clr, "[<") {
		return nil
	}
	text := `System.Type.GetType("` + t.clr + `")`
	v, ok := r.ask(text)
	if !ok || v.isNull() {
		return nil
	}
	if is, ok := r.ask(text + ".IsEnum"); !ok || is.Data != any(true) {
		return nil
	}
	e := &enum{full: t.full, under: "int", text: text}
	names, ok := r.ask(text + ".GetEnumNames()")
	values, also := r.ask(text + ".GetEnumValuesAsUnderlyingType()")
	if !ok || !also || names.Ref == 0 || values.Ref == 0 {
		return nil
	}
	for _, m := range r.members(names, 0, 0) {
		name, _ := m.Data.(string)
		e.names = append(e.names, name)
	}
	for _, m := range r.members(values, 0, 0) {
		n, is := m.Data.(*big.Int)
		if !is {
			return nil
		}
		e.values, e.under = append(e.values, n), m.Type
	}
	if len(e.names) != len(e.values) {
		return nil
	}
	r.enumTypes[t.clr] = e
	return e
}

func (r *run) enumValue(full string, n *big.Int) Value {
	v := Value{Type: full, Data: number{n, r.enumType(full).under}}
	e := r.enumType(full)
	for i, x := range e.values {
		if x.Cmp(n) == 0 {
			v.Text = full + "." + e.names[i]
			break
		}
	}
	return v
}

// enumText returns the names of an enum's number, as ToString does.
func (r *run) enumText(full string, n *big.Int) string {
	e := r.enumType(full)
	for i, x := range e.values {
		if x.Cmp(n) == 0 {
			return e.names[i]
		}
	}
	rest := new(big.Int).Set(n)
	var names []string
	for i := len(e.values) - 1; i >= 0 && n.Sign() > 0; i-- {
		if x := e.values[i]; x.Sign() > 0 && new(big.Int).And(rest, x).Cmp(x) == 0 {
			rest.AndNot(rest, x)
			names = append([]string{e.names[i]}, names...)
		}
	}
	if rest.Sign() != 0 || len(names) == 0 || !r.hasFlags(e) {
		return n.String()
	}
	return strings.Join(names, ", ")
}

// enumString is enumText for a text: there, a number must not stand for names that are not known.
func (r *run) enumString(full string, n *big.Int) string {
	if len(r.enumType(full).names) == 0 {
		r.refuse("operator + cannot be applied to a %s whose names are not known", full)
	}
	return r.enumText(full, n)
}

func (r *run) hasFlags(e *enum) bool {
	if e.flagsKnown || e.text == "" {
		return e.flags
	}
	e.flagsKnown = true
	e.flags = r.hasAttribute(e.text, "System.FlagsAttribute")
	return e.flags
}

// shownEnum reports whether the debugger shows an enum by its names. It shows equal ones alike.
func shownEnum(v Value) bool {
	return v.Data == nil && v.inner() != "" && !isSimple(v.inner()) && v.inner() != "object" && v.Shown != "" &&
		!strings.HasPrefix(v.Shown, "{") && !strings.HasPrefix(v.Shown, `"`)
}

// enumNumber returns the number of an enum. ok is false for other values.
func (r *run) enumNumber(v Value) (number, bool) {
	if n, ok := v.Data.(number); ok {
		return n, true
	}
	typ := v.inner()
	if !shownEnum(v) || v.Text == "" {
		return number{}, false
	}
	if !v.nullable() && r.mayRepeat(v.Text) {
		if got, ok := r.ask(v.Text + ".value__"); ok {
			n, is := got.Data.(*big.Int)
			return number{n, got.Type}, is
		}
		return number{}, false
	}
	if !strings.ContainsAny(v.Shown, "|, ") && !isNumber(v.Shown) {
		got, ok := r.ask(typ + "." + v.Shown + ".value__")
		n, is := got.Data.(*big.Int)
		return number{n, got.Type}, ok && is
	}
	e := r.enumType(typ)
	sum := new(big.Int)
	for name := range strings.FieldsFuncSeq(v.Shown, func(c rune) bool { return c == '|' || c == ',' || c == ' ' }) {
		found := false
		for i, known := range e.names {
			if known == name {
				sum.Or(sum, e.values[i])
				found = true
			}
		}
		if n, ok := new(big.Int).SetString(name, 10); ok && !found {
			sum, found = n, true
		}
		if one, ok := r.ask(typ + "." + name + ".value__"); ok && !found {
			if n, is := one.Data.(*big.Int); is {
				sum, found, e.under = sum.Or(sum, n), true, one.Type
			}
		}
		if !found {
			return number{}, false
		}
	}
	return number{sum, e.under}, true
}

// enums is an operator on enums.
func (r *run) enums(op string, a, b Value, x, y number) Value {
	under := x.typ
	if x.n == nil {
		under = y.typ
	}
	zero := func(v Value) bool {
		n, ok := v.Data.(*big.Int)
		return ok && v.Const && n.Sign() == 0 && v.Type == "int"
	}
	typ := a.inner()
	if x.n == nil {
		typ = b.inner()
	}
	same := x.n != nil && y.n != nil && a.inner() == b.inner()
	switch {
	case x.n == nil && zero(a) && op != "+" && op != "-":
		x.n, same = big.NewInt(0), true
	case y.n == nil && zero(b) && op != "+" && op != "-":
		y.n, same = big.NewInt(0), true
	}
	if comparisons()[op] && same {
		return boolean(holds(op, x.n.Cmp(y.n)))
	}
	optionally := func(v Value) Value {
		if a.nullable() || b.nullable() {
			v.Type = optional(v.Type)
		}
		return v
	}
	n := new(big.Int)
	switch {
	case same && op == "&":
		return optionally(r.enumValue(typ, n.And(x.n, y.n)))
	case same && op == "|":
		return optionally(r.enumValue(typ, n.Or(x.n, y.n)))
	case same && op == "^":
		return optionally(r.enumValue(typ, n.Xor(x.n, y.n)))
	case same && op == "-":
		return optionally(Value{Type: under, Data: wrap(n.Sub(x.n, y.n), under)})
	}
	by, ok := b.Data.(*big.Int)
	if x.n == nil {
		by, ok = a.Data.(*big.Int)
		x = y
	}
	if ok && (op == "+" || op == "-" && x != y) && integers()[under].bits != 0 {
		if op == "+" {
			n.Add(x.n, by)
		} else {
			n.Sub(x.n, by)
		}
		return optionally(r.enumValue(typ, wrap(n, under)))
	}
	r.foreign("operator %s cannot be applied to %s and %s: the number of an enum is had by a cast, as in (int)color == 1",
		op, a.Type, b.Type)
	return Value{}
}
