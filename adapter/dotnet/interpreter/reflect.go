package interpreter

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// signature is a method or constructor, as the runtime describes it.
type signature struct {
	text     string // of its MethodBase
	name     string
	returns  string   // the names of types are the runtime's
	generics []string // names of type parameters
	params   []string
}

// parseSignature reads "System.String Greet[T](System.String, Int32)".
func parseSignature(text, shown string) (s signature, ok bool) {
	head, rest, ok := strings.Cut(shown, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return s, false
	}
	s.text = text
	if list := strings.TrimSuffix(rest, ")"); list != "" {
		s.params = splitTop(list)
	}
	depth, at := 0, -1 // of the space between the returned type and the name
	for i := range len(head) {
		switch head[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ' ':
			if depth == 0 {
				at = i
			}
		}
	}
	if at < 0 {
		return s, false
	}
	s.returns, s.name = head[:at], head[at+1:]
	if name, args, generic := strings.Cut(s.name, "["); generic {
		s.name, s.generics = name, strings.Split(strings.TrimSuffix(args, "]"), ",")
	}
	return s, true
}

// splitTop splits a list at its commas outside of brackets.
func splitTop(list string) (out []string) {
	depth, from := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(list[from:]))
}

// csName writes a runtime's name of a type as C# does.
func csName(clr string) string {
	clr = strings.TrimSpace(clr)
	bare := strings.TrimRight(clr, ",]")
	if at := len(bare) - 1; at > 0 && bare[at] == '[' && strings.Count(clr[at:], "]") == 1 {
		return csName(clr[:at]) + clr[at:]
	}
	head, args, generic := strings.Cut(clr, "[")
	if !generic {
		if full := shortClr("System." + head); !strings.Contains(head, ".") && full != "System."+head {
			return full
		}
		return shortClr(clr)
	}
	var types []string
	for _, a := range splitTop(strings.TrimSuffix(args, "]")) {
		types = append(types, csName(a))
	}
	if head == "System.Nullable`1" {
		return types[0] + "?"
	}
	var out strings.Builder
	for i := 0; i < len(head); i++ { // A`1+B`1[X,Y] is A<X>.B<Y>
		switch head[i] {
		case '+':
			out.WriteByte('.')
		case '`':
			n := int(head[i+1] - '0')
			i++
			if n > len(types) {
				return clr
			}
			out.WriteString("<" + strings.Join(types[:n], ", ") + ">")
			types = types[n:]
		default:
			out.WriteByte(head[i])
		}
	}
	return out.String()
}

// methods returns the methods of a type that have a name, also private ones. of is the text of its System.Type.
func (r *run) methods(of, name string) (out []signature) {
	add := func(text string) {
		shown, ok := r.ask(text + ".ToString()")
		s, parsed := parseSignature(text, stringOf(shown))
		hidden := slices.ContainsFunc(out, func(o signature) bool { return slices.Equal(o.params, s.params) })
		if ok && parsed && s.name == name && !hidden { // a base class comes after its derived classes
			out = append(out, s)
		}
	}
	members := of + `.GetMember("` + name + `")`
	for i := range min(r.count(members), 16) {
		add(members + "[" + strconv.Itoa(i) + "]")
	}
	for at := of; out == nil; at += ".BaseType" {
		declared := at + `.GetDeclaredMethod("` + name + `")`
		v, ok := r.tried(declared)
		if ok && !v.isNull() {
			add(declared)
			break
		}
		if base, ok := r.ask(at + ".BaseType"); !ok || base.isNull() {
			break
		}
	}
	return out
}

func stringOf(v Value) string { s, _ := v.Data.(string); return s }

// tried asks for a text that may throw.
func (r *run) tried(text string) (v Value, ok bool) {
	defer func() {
		if x := recover(); x != nil {
			if _, is := x.(stop); !is {
				panic(x)
			}
			ok = false
		}
	}()
	return r.ask(text)
}

// parameter asks for a property of a parameter.
func (r *run) parameter(s signature, i int, what string) Value {
	return r.must(s.text + ".GetParameters()[" + strconv.Itoa(i) + "]." + what)
}

// isParams reports whether the last parameter takes the rest of the arguments.
func (r *run) isParams(s signature) bool {
	if len(s.params) == 0 || !strings.HasSuffix(s.params[len(s.params)-1], "[]") {
		return false
	}
	attributes := s.text + ".GetParameters()[" + strconv.Itoa(len(s.params)-1) + "].GetCustomAttributesData()"
	n, ok := r.must(attributes + ".Count").Data.(*big.Int)
	for i := int64(0); ok && i < min(n.Int64(), 4); i++ {
		name := r.must(attributes + "[" + strconv.FormatInt(i, 10) + "].AttributeType.FullName")
		if name.Data == any("System.ParamArrayAttribute") {
			return true
		}
	}
	return false
}

// given is an argument with its name.
type given struct {
	name  string
	value Value
	out   string // the variable that the call declares, "_" for none
}

// choice of a method: its arguments in the order of its parameters.
type chosen struct {
	signature
	args     []Value
	outs     []string // by parameter: the variables that the call sets
	ranks    []int
	defaults int
	expanded bool
	bound    []typeText // type arguments
}

// choose finds the method that C# would call. It refuses when two fit and it cannot tell which one is better.
func (r *run) choose(all []signature, args []given, types []typeText, what string) chosen {
	var fit []chosen
	for _, s := range all {
		if c, ok := r.applied(s, args, types, false); ok {
			fit = append(fit, c)
			continue
		}
		if r.isParams(s) {
			if c, ok := r.applied(s, args, types, true); ok {
				fit = append(fit, c)
			}
		}
	}
	if len(fit) == 0 {
		r.vague("%s cannot be called like that", what)
	}
	best := slices.IndexFunc(fit, func(a chosen) bool {
		return !slices.ContainsFunc(fit, func(b chosen) bool { return a.text != b.text && !better(a, b) })
	})
	if best < 0 {
		r.refuse("%s has %d overloads that take these arguments, and breakwire cannot tell which one C# means", what,
			len(fit))
	}
	return fit[best]
}

// better reports whether C# prefers a to b.
func better(a, b chosen) bool {
	less, more := false, false
	for i := range min(len(a.ranks), len(b.ranks)) {
		if a.ranks[i] == derived && b.ranks[i] == derived && a.params[min(i, len(a.params)-1)] !=
			b.params[min(i, len(b.params)-1)] {
			return false
		}
		less, more = less || a.ranks[i] < b.ranks[i], more || a.ranks[i] > b.ranks[i]
	}
	if less != more {
		return less
	}
	switch {
	case less:
		return false
	case (a.generics == nil) != (b.generics == nil):
		return a.generics == nil
	case a.expanded != b.expanded:
		return b.expanded
	}
	return a.defaults < b.defaults
}

const (
	derived = 40 // an object for a base type or an interface
	boxed   = 90
)

// applied matches arguments with parameters.
func (r *run) applied(s signature, args []given, types []typeText, expanded bool) (chosen, bool) {
	c := chosen{signature: s, args: make([]Value, len(s.params)), expanded: expanded, bound: types,
		outs: make([]string, len(s.params))}
	if len(types) > 0 && len(types) != len(s.generics) {
		return c, false
	}
	if len(s.generics) > 0 && len(types) == 0 {
		if c.bound, expanded = r.inferred(s, args); c.bound == nil || expanded {
			return c, false
		}
	}
	c.params, c.returns = slices.Clone(s.params), r.boundName(s.returns, s, c.bound)
	for i := range c.params {
		c.params[i] = r.boundName(c.params[i], s, c.bound)
	}
	taken, rest := make([]bool, len(s.params)), []Value(nil)
	elem := ""
	if expanded {
		elem = strings.TrimSuffix(c.params[len(c.params)-1], "[]")
	}
	for i, a := range args {
		at := i
		if a.name != "" {
			at = slices.IndexFunc(r.names(s), func(n string) bool { return n == a.name })
		}
		if expanded && at >= len(s.params)-1 && a.name == "" {
			rank, ok := r.takes(a.value, csName(elem))
			if !ok {
				return c, false
			}
			rest, c.ranks = append(rest, a.value), append(c.ranks, rank)
			continue
		}
		if at < 0 || at >= len(s.params) || taken[at] {
			return c, false
		}
		rank, ok := r.takes(a.value, csName(c.params[at]))
		if !ok {
			return c, false
		}
		taken[at], c.args[at], c.outs[at], c.ranks = true, a.value, a.out, append(c.ranks, rank)
	}
	for i := range s.params {
		if taken[i] {
			continue
		}
		if expanded && i == len(s.params)-1 {
			for j := range rest {
				rest[j] = r.assigned(rest[j], csName(elem))
			}
			l := &list{rest, csName(elem), csName(elem) + "[]"}
			c.args[i] = Value{Type: l.shown, Data: l.sequence()}
			continue
		}
		if r.parameter(s, i, "HasDefaultValue").Data != any(true) {
			return c, false
		}
		c.args[i] = r.defaultOf(s, i, csName(c.params[i]))
		c.defaults++
	}
	return c, true
}

// defaultOf is the value of an optional parameter.
func (r *run) defaultOf(s signature, i int, typ string) Value {
	v := r.parameter(s, i, "DefaultValue")
	switch {
	case v.isNull() && isStruct(typ) && !strings.HasSuffix(typ, "?"):
		return r.zero(r.typeFor(r.parseType(typ)))
	case v.isNull():
		return nothing(typ)
	case v.Boxed:
		v = r.opened(v)
	}
	v.Const = true
	return v
}

func (r *run) names(s signature) []string {
	out := make([]string, len(s.params))
	for i := range s.params {
		out[i] = stringOf(r.parameter(s, i, "Name"))
	}
	return out
}

// takes ranks how well a parameter of a type takes a value: 0 is its very type.
func (r *run) takes(v Value, typ string) (rank int, ok bool) {
	if strings.HasSuffix(typ, byRef) || v.Type == outType {
		return 0, strings.HasSuffix(typ, byRef) && v.Type == outType
	}
	inner := strings.TrimSuffix(typ, "?")
	switch {
	case v.Type == "lambda":
		return 0, false
	case v.isNull():
		return 1, !isStruct(typ) || strings.HasSuffix(typ, "?")
	case v.Type == typ:
		return 0, true
	case typ == "object":
		return boxed, true
	case v.inner() == inner && typ != inner:
		return 2, true
	case isNumeric(v.inner()) && isNumeric(inner) && !v.Boxed:
		order := []string{"sbyte", "byte", "short", "ushort", "int", "uint", "nint", "nuint", "long", "ulong", "float",
			"double", "decimal"}
		if widens(v.inner(), inner) {
			return 3 + slices.Index(order, inner), true
		}
		n, whole := v.Data.(*big.Int)
		return 3, whole && v.Const && v.Type == "int" && integers()[inner].bits != 0 && fits(n, inner)
	case isSimple(inner) || isSimple(v.inner()) && v.inner() != "string":
		return 0, false
	}
	yes, certain := r.isType(v, r.namedType(typ))
	if !certain && !yes {
		return derived, r.assignable(v, typ)
	}
	return derived, yes
}

// namedType is a type of a signature.
func (r *run) namedType(typ string) typeText {
	if t, ok := r.resolve(r.parseType(typ)); ok {
		return t
	}
	return typeText{typ, typ}
}

// assignable asks the base types and interfaces of a value for a generic type.
func (r *run) assignable(v Value, typ string) bool {
	text, ok := r.receiver(v)
	if !ok || !strings.Contains(typ, "<") {
		return false
	}
	interfaces := text + ".GetType().GetInterfaces()"
	for i := range min(r.count(interfaces), 24) {
		name, ok := r.ask(interfaces + "[" + strconv.Itoa(i) + "].ToString()")
		if ok && csName(stringOf(name)) == typ {
			return true
		}
	}
	return false
}

// boundName replaces type parameters in the runtime's name of a type.
func (r *run) boundName(clr string, s signature, types []typeText) string {
	for i, g := range s.generics {
		if i < len(types) {
			clr = replaceWord(clr, g, types[i].clr)
		}
	}
	return clr
}

func replaceWord(text, word, with string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && !strings.ContainsRune("[], `+.&*", rune(text[end])) {
			end++
		}
		if text[i:end] == word && end > i {
			out.WriteString(with)
		} else {
			out.WriteString(text[i:end])
		}
		if end < len(text) {
			out.WriteByte(text[end])
			end++
		}
		i = end
	}
	return out.String()
}

// inferred are the type arguments that the compiler would infer; nil when that is not certain.
func (r *run) inferred(s signature, args []given) (types []typeText, bad bool) {
	found := map[string]string{}
	for i, a := range args {
		if i >= len(s.params) || a.name != "" {
			return nil, true
		}
		p := s.params[i]
		if !slices.ContainsFunc(s.generics, func(g string) bool { return replaceWord(p, g, "") != p }) {
			continue
		}
		g, typ := p, a.value.Type
		if at := strings.IndexByte(p, '['); at > 0 { // IEnumerable`1[T], T[]
			seq, ok := r.sequenceOf(a.value)
			if !ok || seq.elem == "" {
				return nil, true
			}
			g, typ = strings.TrimSuffix(p[at+1:], "]"), seq.elem
			if g == "" {
				g = p[:at]
			}
		}
		if !slices.Contains(s.generics, g) || typ == "null" || typ == "" {
			return nil, true
		}
		if have, ok := found[g]; ok && have != typ {
			return nil, true
		}
		found[g] = typ
	}
	for _, g := range s.generics {
		if found[g] == "" {
			return nil, true
		}
		t, ok := r.resolve(r.parseType(found[g]))
		if !ok {
			return nil, true
		}
		types = append(types, t)
	}
	return types, false
}

// bound is the text that makes a generic method one of types.
func (r *run) bound(types []typeText) string {
	if len(types) == 0 {
		return ""
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = "[" + r.qualified(t) + "]"
	}
	return `.MakeGenericMethod(System.Type.GetType("System.Action` + "`" + strconv.Itoa(len(types)) + "[" +
		strings.Join(names, ",") + `]").GetGenericArguments())`
}
