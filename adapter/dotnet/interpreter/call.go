package interpreter

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"breakwire/mapping"
	"breakwire/mapping/csharp"
)

// call evaluates a call. short is set when a ?. before it ends the chain.
func (r *run) call(n *csharp.Call) (v Value, short bool) {
	switch of := n.Of.(type) {
	case *csharp.Name:
		if of.Name == "nameof" && len(n.Args) == 1 {
			return Value{Type: "string", Data: inferredName(n.Args[0].Value), Const: true}, false
		}
		return r.callName(of, n), false
	case *csharp.Member:
		target, short := r.chain(of.Of)
		if short {
			return target, true
		}
		if data, ok := target.Data.(typeName); ok {
			return r.callStatic(string(data), of, n.Args), false
		}
		target = r.known(target)
		if of.Op == "?." {
			if target.isNull() {
				return target, true
			}
			target = r.unwrapped(target)
		}
		if v, ok := r.hidden(target, of.Of, of.Name, n.Args, true); ok {
			return v, false
		}
		return r.callMember(target, of, n.Args), false
	}
	f := r.known(r.eval(n.Of))
	return r.invoke(f, r.arguments(n.Args)), false
}

// given evaluates the arguments of a call in their order.
func (r *run) given(args []csharp.Argument) []given {
	out := make([]given, len(args))
	for i, a := range args {
		if a.Mode != "" {
			r.refuse("breakwire passes no arguments by %s", a.Mode)
		}
		out[i] = given{a.Name, r.known(r.eval(a.Value))}
	}
	return out
}

// arguments is given for a function that takes no names.
func (r *run) arguments(args []csharp.Argument) []Value {
	out, ok := values(r.given(args))
	if !ok {
		r.refuse("breakwire does not know the names of these parameters: write the arguments in their order, without names")
	}
	return out
}

// values are arguments without names. ok is false when one has a name.
func values(args []given) (out []Value, ok bool) {
	ok = true
	for _, a := range args {
		out, ok = append(out, a.value), ok && a.name == ""
	}
	return out, ok
}

// invoke calls a lambda or a delegate.
func (r *run) invoke(f Value, args []Value) Value {
	if data, ok := f.Data.(*function); ok {
		return data.call(args)
	}
	if f.isNull() {
		r.isNull(f.Text)
	}
	if !isDelegate(f.Type) {
		r.refuse("%s cannot be called: it is a %s", f.Text, f.Type)
	}
	return r.programCall(f.Text+".Invoke", args)
}

func isDelegate(typ string) bool {
	name, _ := mapping.GenericType(typ)
	return slices.Contains([]string{"System.Func", "System.Action", "System.Predicate", "System.Comparison",
		"System.Converter", "System.EventHandler"}, name)
}

func (r *run) callName(of *csharp.Name, n *csharp.Call) Value {
	if v, ok := r.lookup(of.Name); ok {
		return r.invoke(v, r.arguments(n.Args))
	}
	all := r.given(n.Args)
	args, positional := values(all)
	if positional {
		if v, ok := r.ask(of.Name); ok && isDelegate(v.Type) {
			return r.invoke(v, args)
		}
		if of.Name == "ReferenceEquals" && len(args) == 2 {
			return boolean(r.referenceEquals(args[0], args[1]))
		}
		var v Value
		if r.try(func() { v = r.programCall(withArgs(of.Name, of.Args), args) }) {
			return v
		}
	}
	if this, ok := r.ask("this"); ok && !this.isNull() {
		return r.reflected("this.GetType()", of.Name, &this, all, of.Args)
	}
	return r.reflected(typeExpr(r.frameType()), of.Name, nil, all, of.Args)
}

// frameType is the runtime's name of the class of the frame's method.
func (r *run) frameType() string {
	for _, name := range r.program.Names("?") {
		name = strings.TrimSuffix(name, ".?")
		for range strings.Count(name, ".") + 1 {
			if v, ok := r.ask(typeExpr(name)); ok && !v.isNull() {
				return name
			}
			at := strings.LastIndexByte(name, '.')
			if at < 0 {
				break
			}
			name = name[:at] + "+" + name[at+1:]
		}
	}
	r.foreign("the class of this frame is not known")
	return ""
}

// programCall calls a function of the program. Numbers are passed as they are, and then as wider types, because the
// debugger finds a function only by the very types of its parameters.
func (r *run) programCall(function string, args []Value) Value {
	if !r.program.Calls() {
		r.foreign("a call is not allowed here")
	}
	texts := make([]string, len(args))
	for i, v := range args {
		text, ok := r.spoken(v)
		if !ok {
			r.foreign("the debugger cannot pass a %s to %s", v.Type, function)
		}
		if _, isEnum := v.Data.(number); isEnum {
			r.foreign("the debugger passes an enum that is in no variable with a wrong value")
		}
		texts[i] = text
	}
	var asked []string
	for _, wide := range []string{"", "int", "long", "float", "double", "decimal"} {
		parts := slices.Clone(texts)
		for i, v := range args {
			if wide == "" || v.isNull() || !isNumeric(v.inner()) || v.inner() == wide || v.inner() == "char" ||
				!widens(v.inner(), wide) || v.Boxed {
				continue
			}
			if text, ok := r.spoken(r.converted(Value{Type: v.inner(), Data: v.Data, Text: v.Text}, wide)); ok {
				parts[i] = text
			}
		}
		question := function + "(" + strings.Join(parts, ", ") + ")"
		if slices.Contains(asked, question) {
			continue
		}
		asked = append(asked, question)
		if v, ok := r.ask(question); ok {
			return v
		}
	}
	if v, ok := r.generic(function, args, texts); ok {
		return v
	}
	r.vague("%s cannot be called like that", function)
	return Value{}
}

// generic calls a generic function with the one type that its arguments have, which the compiler would infer.
func (r *run) generic(function string, args []Value, texts []string) (Value, bool) {
	if len(args) == 0 || strings.HasSuffix(function, ">") {
		return Value{}, false
	}
	typ := args[0].Type
	for _, v := range args {
		if v.Type != typ || v.isNull() || v.Boxed {
			return Value{}, false
		}
	}
	if !isSimple(typ) {
		return Value{}, false
	}
	return r.ask(function + "<" + typ + ">(" + strings.Join(texts, ", ") + ")")
}

// callStatic calls a function of a type.
func (r *run) callStatic(typ string, of *csharp.Member, args []csharp.Argument) Value {
	short := typ[strings.LastIndexByte(typ, '.')+1:]
	if short == "Enumerable" && len(of.Args) == 1 {
		elem := r.typeFor(of.Args[0]).full
		switch of.Name {
		case "Empty":
			return Value{Type: enumerable + elem + ">", Data: (&list{nil, elem, enumerable + elem + ">"}).sequence()}
		}
	}
	all := r.given(args)
	values, positional := values(all)
	if short == "Enumerable" && len(values) > 0 {
		if of.Name == "Range" || of.Name == "Repeat" {
			return r.generated(of.Name, values)
		}
		if s, ok := r.sequenceOf(values[0]); ok {
			return r.linq(values[0], s, of, values[1:])
		}
	}
	if v, ok := r.staticKnown(short, of.Name, values); ok {
		return v
	}
	names := r.fullTypes(typ)
	for i, full := range names {
		var v Value
		if positional && r.try(func() { v = r.programCall(full+"."+withArgs(of.Name, of.Args), values) }) {
			if full == "System.Math" || full == "System.MathF" {
				v.Const = false
			}
			return v
		}
		if i == 3 {
			break
		}
	}
	t, ok := r.resolve(r.parseType(typ))
	if !ok {
		r.vague("%s.%s cannot be called like that", typ, of.Name)
	}
	return r.reflected(typeExpr(t.clr), of.Name, nil, all, of.Args)
}

// callMember calls a method of a value.
func (r *run) callMember(v Value, of *csharp.Member, args []csharp.Argument) Value {
	if v.isNull() {
		switch {
		case v.nullable() && of.Name == "GetValueOrDefault" && len(args) == 1:
			return r.assigned(r.known(r.eval(args[0].Value)), v.inner())
		case v.nullable() && of.Name == "GetValueOrDefault":
			return r.zero(r.typeFor(r.parseType(v.inner())))
		case v.nullable() && of.Name == "ToString":
			return text("")
		}
		r.isNull(v.Text)
	}
	if v.nullable() && of.Name == "GetValueOrDefault" {
		return r.unwrapped(v)
	}
	if of.Name == "GetValueOrDefault" { // of a type of the program: the space keeps its arguments when it is sent
		text, ok := r.receiver(v)
		if values, positional := values(r.given(args)); ok && positional {
			return r.programCall(text+"."+of.Name+" ", values)
		}
	}
	if isDelegate(v.Type) && of.Name == "Invoke" {
		return r.invoke(v, r.arguments(args))
	}
	if sequenceMethods()[of.Name] && v.Type != "string" || sequenceMethods()[of.Name] && lambdas(args) ||
		v.Type == "string" && textSequence()[of.Name] {
		if s, ok := r.sequenceOf(v); ok {
			return r.linq(v, s, of, r.arguments(args))
		}
	}
	all := r.given(args)
	values, positional := values(all)
	if positional {
		if got, ok := r.knownMethod(v, of.Name, values); ok {
			return got
		}
	}
	if v.nullable() {
		v = r.unwrapped(v)
	}
	text, ok := r.receiver(v)
	if !ok {
		r.refuse("a %s that breakwire computed has no %s here", orNull(v.Type), of.Name)
	}
	var got Value
	if positional && r.try(func() { got = r.programCall(text+"."+withArgs(of.Name, of.Args), values) }) {
		return got
	}
	if !isSimple(v.inner()) && r.attempt(func() { got = r.reflected(text+".GetType()", of.Name, &v, all, of.Args) }) {
		return got
	}
	if got, ok := r.extension(v, of, all); ok {
		return got
	}
	r.vague("%s.%s cannot be called like that", text, of.Name)
	return Value{}
}

// extension calls an extension method of the program.
func (r *run) extension(v Value, of *csharp.Member, args []given) (got Value, ok bool) {
	if v.Boxed {
		return Value{}, false
	}
	args = append([]given{{value: v}}, args...)
	values, positional := values(args)
	for _, class := range r.program.Extensions(of.Name) {
		if !r.declaresExtensions(class) {
			continue
		}
		if positional && r.try(func() { got = r.programCall(class+"."+withArgs(of.Name, of.Args), values) }) ||
			r.attempt(func() { got = r.reflected(typeExpr(class), of.Name, nil, args, of.Args) }) {
			return got, true
		}
	}
	return Value{}, false
}

// declaresExtensions reports whether the compiler has marked a class as one with extension methods.
func (r *run) declaresExtensions(class string) bool {
	attributes := `System.Type.GetType("` + class + `").GetCustomAttributesData()`
	v, ok := r.ask(attributes + ".Count")
	n, is := v.Data.(*big.Int)
	for i := int64(0); ok && is && i < min(n.Int64(), 8); i++ {
		name, _ := r.ask(attributes + "[" + big.NewInt(i).String() + "].AttributeType.FullName")
		if name.Data == any("System.Runtime.CompilerServices.ExtensionAttribute") {
			return true
		}
	}
	return false
}

func lambdas(args []csharp.Argument) bool {
	return slices.ContainsFunc(args, func(a csharp.Argument) bool { _, ok := a.Value.(*csharp.Lambda); return ok })
}

// knownMethod calls a method of a value that is known here.
func (r *run) knownMethod(v Value, name string, args []Value) (Value, bool) {
	if e, ok := r.enumNumber(v); ok {
		switch {
		case name == "HasFlag" && len(args) == 1:
			if flag, ok := r.enumNumber(args[0]); ok && args[0].inner() == v.inner() {
				return boolean(new(big.Int).And(e.n, flag.n).Cmp(flag.n) == 0), true
			}
			r.refuse("HasFlag takes a %s", v.inner())
		case name == "ToString" && len(args) == 0:
			return text(r.string(v)), true
		case name == "Equals" && len(args) == 1:
			other, ok := r.enumNumber(args[0])
			return boolean(ok && args[0].inner() == v.inner() && other.n.Cmp(e.n) == 0), true
		}
	}
	if full := clrName(v.inner()); full != "" && name == "GetType" && len(args) == 0 {
		return Value{Type: "System.Type", Data: typeValue(v.inner()), Text: `System.Type.GetType("` + full + `")`}, true
	}
	if s, ok := v.Data.(string); ok {
		return r.textMethod(v, s, name, args)
	}
	if lengths := mapping.ArrayLengths(v.Shown); lengths != nil && name == "GetLength" && len(args) == 1 {
		i := r.position(args[0])
		if i < 0 || i >= len(lengths) {
			r.throw("System.IndexOutOfRangeException", "Index was outside the bounds of the array.")
		}
		return whole(int64(lengths[i])), true
	}
	if name == "Equals" && len(args) == 1 && isSimple(v.inner()) && v.Data != nil && isSimple(args[0].inner()) {
		return boolean(v.inner() == args[0].inner() && r.same(v, args[0])), true
	}
	if name == "ToString" && len(args) == 0 && isSimple(v.inner()) && !v.Boxed {
		return text(r.string(v)), true
	}
	if f, ok := firstText(args); ok && name == "ToString" && len(args) == 1 && isNumeric(v.inner()) && !v.Boxed {
		return text(r.formatted(v, f)), true
	}
	return Value{}, false
}

func firstText(args []Value) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	s, ok := args[0].Data.(string)
	return s, ok
}

// parsed reads a number that is written as in C#.
func (r *run) parsed(typ, s string) (Value, bool) {
	d, ok := parseDecimal(strings.TrimPrefix(s, "-"))
	if !ok || s == "" || strings.ContainsAny(s[1:], "+-eE_, ") || strings.HasSuffix(s, ".") || strings.HasPrefix(s, ".") {
		return Value{}, false
	}
	if strings.HasPrefix(s, "-") {
		d.n = new(big.Int).Neg(d.n)
	}
	switch {
	case typ == "decimal":
		return Value{Type: typ, Data: d}, true
	case typ == "double":
		f, err := strconv.ParseFloat(s, 64)
		return Value{Type: typ, Data: f}, err == nil
	case d.scale == 0 && fits(d.n, typ):
		return Value{Type: typ, Data: d.n}, true
	}
	return Value{}, false
}

// staticKnown calls functions of the runtime that the debugger cannot call.
func (r *run) staticKnown(typ, name string, args []Value) (Value, bool) {
	switch typ + "." + name {
	case "string.Join", "String.Join":
		if len(args) < 2 {
			break
		}
		items := args[1:]
		if len(items) == 1 && items[0].Type != "string" {
			s, ok := r.sequenceOf(items[0])
			if !ok {
				break
			}
			items = r.all(s)
		}
		parts := make([]string, len(items))
		for i, v := range items {
			parts[i] = r.string(v)
		}
		return text(strings.Join(parts, r.string(args[0]))), true
	case "string.Concat", "String.Concat":
		items := args
		if len(items) == 1 && items[0].Type != "string" {
			s, ok := r.sequenceOf(items[0])
			if !ok {
				break
			}
			items = r.all(s)
		}
		out := ""
		for _, v := range items {
			out += r.string(v)
		}
		return text(out), true
	case "string.IsNullOrEmpty", "String.IsNullOrEmpty":
		if s, ok := firstText(args); ok || len(args) == 1 && args[0].isNull() {
			return boolean(s == ""), true
		}
	case "string.IsNullOrWhiteSpace", "String.IsNullOrWhiteSpace":
		if s, ok := firstText(args); ok || len(args) == 1 && args[0].isNull() {
			return boolean(strings.TrimSpace(s) == ""), true
		}
	case "object.ReferenceEquals", "Object.ReferenceEquals":
		if len(args) == 2 {
			return boolean(r.referenceEquals(args[0], args[1])), true
		}
	case "string.Equals", "String.Equals", "object.Equals", "Object.Equals":
		if len(args) == 2 && (args[0].isNull() || args[1].isNull()) {
			return boolean(args[0].isNull() == args[1].isNull()), true
		}
		if len(args) == 2 && args[0].Data != nil && args[1].Data != nil {
			return boolean(args[0].inner() == args[1].inner() && r.same(args[0], args[1])), true
		}
	case "string.Compare", "String.Compare":
		if len(args) == 3 {
			if mode, ok := r.comparison(args[2]); ok {
				a, ok1 := args[0].Data.(string)
				b, ok2 := args[1].Data.(string)
				if ok1 && ok2 && mode == ignoreCase && isASCII(a) && isASCII(b) {
					return whole(int64(ordinal(strings.ToUpper(a), strings.ToUpper(b)))), true
				}
			}
		}
	case "Enum.IsDefined":
		if len(args) == 2 {
			if n, ok := r.enumNumber(args[1]); ok {
				for _, x := range r.enumType(args[1].inner()).values {
					if x.Cmp(n.n) == 0 {
						return boolean(true), true
					}
				}
				return boolean(false), len(r.enumType(args[1].inner()).values) > 0
			}
		}
	case "Array.IndexOf":
		if len(args) == 2 {
			if s, ok := r.sequenceOf(args[0]); ok {
				i := 0
				for v := range s.each {
					if r.same(v, args[1]) {
						return whole(int64(i)), true
					}
					i++
				}
				return whole(-1), true
			}
		}
	case "double.Parse", "decimal.Parse", "int.Parse", "long.Parse":
		if s, ok := firstText(args); ok && len(args) == 2 && strings.HasSuffix(args[1].Text, "CultureInfo.InvariantCulture") {
			return r.parsed(strings.TrimSuffix(typ, ".Parse"), s)
		}
	case "KeyValuePair.Create":
		if len(args) == 2 {
			return keyValue(args[0], args[1]), true
		}
	case "Math.Max", "Math.Min":
		if len(args) == 2 {
			typ := promoted(args[0], args[1])
			if i := integers()[typ]; i.bits != 0 && !args[0].nullable() && !args[1].nullable() {
				a, b := r.operand(args[0], typ), r.operand(args[1], typ)
				if (a.Data.(*big.Int).Cmp(b.Data.(*big.Int)) > 0) == (name == "Max") {
					return Value{Type: typ, Data: a.Data}, true
				}
				return Value{Type: typ, Data: b.Data}, true
			}
		}
	case "Math.Abs":
		if len(args) != 1 {
			break
		}
		if n, ok := args[0].Data.(*big.Int); ok && (args[0].Type == "int" || args[0].Type == "long") {
			if !fits(new(big.Int).Abs(n), args[0].Type) {
				r.throw("System.OverflowException", "Negating the minimum value of a twos complement number is invalid.")
			}
			return Value{Type: args[0].Type, Data: new(big.Int).Abs(n)}, true
		}
	}
	return Value{}, false
}

// clrName returns the name of a keyword type or of an array of them in the runtime, "" of others.
func clrName(typ string) string {
	element := strings.TrimRight(typ, "[],")
	if !isSimple(element) {
		return ""
	}
	return fullNames()[element] + typ[len(element):]
}
