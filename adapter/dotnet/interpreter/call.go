package interpreter

import (
	"math/big"
	"slices"
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
		if name, ok := of.Of.(*csharp.Name); ok && name.Is("base") {
			return r.baseMember(of.Name, n.Args, true), false
		}
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
		target = r.withNames(of.Of, target)
		err := caught(func() { v = r.callMember(target, of, n.Args) })
		if refused, is := err.(*Refusal); is && refused.Vague && of.Args == nil {
			if got, ok := r.byInterface(target, of.Of, of.Name, n.Args, true); ok {
				return got, false
			}
		}
		if err != nil {
			panic(stop{err})
		}
		return v, false
	}
	f := r.known(r.eval(n.Of))
	return r.invoke(f, r.arguments(n.Args)), false
}

// given evaluates the arguments of a call in their order.
func (r *run) given(args []csharp.Argument) []given {
	out := make([]given, len(args))
	for i, a := range args {
		switch a.Mode {
		case "":
			out[i] = given{name: a.Name, value: r.known(r.eval(a.Value))}
		case "out":
			out[i] = r.outArgument(a.Value)
			out[i].name = a.Name
		default:
			r.refuse("breakwire passes no arguments by %s", a.Mode)
		}
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

// values are arguments without names. ok is false when one has a name or is set by the call.
func values(args []given) (out []Value, ok bool) {
	ok = true
	for _, a := range args {
		out, ok = append(out, a.value), ok && a.name == "" && a.out == ""
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
	if short == "Enumerable" || short == "Array" && arrayMethods()[of.Name] {
		args = r.withGroups(args)
	}
	all := r.given(args)
	values, positional := values(all)
	if short == "Array" && arrayMethods()[of.Name] && len(values) == 2 {
		if s, ok := r.sequenceOf(values[0]); ok {
			return r.arrayMethod(values[0], s, of.Name, values[1:])
		}
	}
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
			return r.linq(v, s, of, r.arguments(r.withGroups(args)))
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
	if !ok && v.Text != "" {
		r.refuse("%s.%s would run %s again, and breakwire runs code of the program only once: evaluate it in parts", v.Text,
			of.Name, v.Text)
	}
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
	return r.hasAttribute(`System.Type.GetType("`+class+`")`, "System.Runtime.CompilerServices.ExtensionAttribute")
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
	if got, ok := r.dictionaryMethod(v, name, args); ok {
		return got, true
	}
	if n, ok := v.Data.(*big.Int); ok && v.Type == bigInteger && len(args) == 0 && name == "ToString" {
		if n.Sign() >= 0 || r.dots() {
			return text(n.String()), true
		}
	}
	if len(args) > 0 && name == "ToString" && strings.HasSuffix(args[len(args)-1].Text, "CultureInfo.InvariantCulture") &&
		r.invariant() {
		if f, ok := firstText(args[:len(args)-1]); ok {
			return text(r.formatted(v, f)), true
		}
		return text(r.string(v)), true
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

// clrName returns the name of a keyword type or of an array of them in the runtime, "" of others.
func clrName(typ string) string {
	element := strings.TrimRight(typ, "[],")
	if !isSimple(element) {
		return ""
	}
	return fullNames()[element] + typ[len(element):]
}
