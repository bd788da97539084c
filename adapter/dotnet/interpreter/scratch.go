package interpreter

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"

	"breakwire/mapping"
)

// The debugger finds a function only by the very types of its arguments, and cannot box a number. What is created is
// kept in the program for the time of one expression, under a key of AppContext. Lists of one type take values of
// that type, and an ArrayList takes such lists. Delegates of the runtime take a derived type for a base.

const (
	arrayList = "System.Collections.ArrayList"
	genericAt = "System.Collections.Generic.List`1[["
)

// key names a new place in the program.
func (r *run) key() string {
	r.kept = append(r.kept, fmt.Sprintf("breakwire:%s.%d", r.prefix, len(r.kept)))
	return r.kept[len(r.kept)-1]
}

func keptAt(key string) string { return "System.AppContext.GetData(" + quote(key) + ")" }

// Kept reports whether a text is the place of an object that was created, which may be an exception.
func Kept(text string) bool {
	key, ok := strings.CutPrefix(text, `System.AppContext.GetData("breakwire:`)
	return ok && strings.HasSuffix(key, `")`) && strings.Count(key, ")") == 1
}

// hashed names an expression: the keys of two expressions differ.
func hashed(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// release empties the places.
func (r *run) release() {
	for _, key := range r.kept {
		_, _ = r.program.Ask("System.AppContext.SetData(" + quote(key) + ", null)")
	}
}

// typeExpr is the text of a System.Type.
func typeExpr(clr string) string {
	if in := assemblies()[clr]; in != "" {
		clr += ", " + in
	}
	return "System.Type.GetType(" + quote(clr) + ")"
}

// assemblies of types that the runtime does not find by their names alone.
var assemblies = sync.OnceValue(func() map[string]string {
	return map[string]string{"System.Uri": "System.Private.Uri", "System.UriBuilder": "System.Private.Uri",
		"System.Numerics.BigInteger":           "System.Runtime.Numerics",
		"System.Numerics.Complex":              "System.Runtime.Numerics",
		"System.Text.RegularExpressions.Regex": "System.Text.RegularExpressions",
		"System.Diagnostics.Process":           "System.Diagnostics.Process",
		"System.Collections.BitArray":          "System.Collections"}
})

// method is the text of a method of the runtime that has the only one of its name.
func method(typ, name string) string { return typeExpr(typ) + `.GetMethod("` + name + `")` }

func delegate(of, typ string) string { return of + ".CreateDelegate<" + typ + ">()" }

// do runs a text for its effect.
func (r *run) do(text string) {
	if _, ok := r.ask(text); !ok {
		r.foreign("the debugger cannot run %s", text)
	}
}

// keep stores an object of a class that has a name.
func (r *run) keep(typ, text string) string {
	key := r.key()
	r.do(delegate(method("System.AppContext", "SetData"), "System.Action<string, "+typ+">") + ".Invoke(" + quote(key) +
		", " + text + ")")
	return keptAt(key)
}

func (r *run) newArrayList() string {
	return r.keep(arrayList, `System.Activator.CreateInstance("System.Private.CoreLib","`+arrayList+`").Unwrap()`)
}

// qualified returns the name of a type with its assembly.
func (r *run) qualified(t typeText) string {
	v := r.must(typeExpr(t.clr) + ".AssemblyQualifiedName")
	name, ok := v.Data.(string)
	if !ok {
		r.foreign("the assembly of %s is not known", t.full)
	}
	return name
}

// newList makes a List<T>.
func (r *run) newList(t typeText) string {
	return r.keep("System.Collections.Generic.List<"+speakable(t.full)+">",
		`System.Activator.CreateInstance("System.Private.CoreLib","`+genericAt+r.qualified(t)+`]]").Unwrap()`)
}

// speakable writes a type as the debugger takes it as a type argument.
func speakable(typ string) string {
	if inner, ok := strings.CutSuffix(typ, "?"); ok {
		return "System.Nullable<" + inner + ">"
	}
	if typ == "object" {
		return "System.Object"
	}
	return typ
}

// canSpeak reports whether the debugger takes a type as a type argument.
func canSpeak(typ string) bool {
	return typ != "" && typ != "null" && !strings.ContainsAny(typ, "[(") && !strings.Contains(typ, "<>") &&
		!strings.Contains(typ, ".<")
}

// repeatable are the types that Enumerable.Repeat takes through the debugger.
var repeatable = " int uint long ulong short ushort double float decimal char bool string "

// inserting is the text that inserts an object, or a list of them, into an ArrayList.
func inserting(name, of, list string, at int, text string) string {
	return delegate(method(arrayList, name), "System.Action<"+arrayList+", int, "+of+">") + ".Invoke(" + list + ", " +
		strconv.Itoa(at) + ", " + text + ")"
}

// insert puts a value into an ArrayList at a place. typ is that of the parameter that it is for.
func (r *run) insert(list string, at int, v Value, typ string) {
	insert := func(of, text string) { r.do(inserting("Insert", of, list, at, text)) }
	all := func(of, text string) bool { _, ok := r.ask(inserting("InsertRange", of, list, at, text)); return ok }
	must := func(ok bool) {
		if !ok {
			r.foreign("the debugger cannot pass a %s", orNull(v.Type))
		}
	}
	if v.isNull() {
		insert("System.Object", "null")
		return
	}
	of := runtimeType(v)
	if isStruct(typ) || v.Data != nil && isSimple(typ) {
		of = typ
	}
	if s, ok := v.Data.(*sequence); ok && strings.HasSuffix(s.shown, "[]") {
		must(all("System.Collections.Generic.List<System.Object>", r.objects(s)))
		return
	}
	v = r.constantEnum(v)
	text, ok := r.spoken(v)
	if _, isEnum := v.Data.(number); !ok && !isEnum {
		r.foreign("the debugger cannot pass a %s", orNull(v.Type))
	}
	switch {
	case strings.Contains(repeatable, " "+of+" "):
		one := "System.Linq.Enumerable.Repeat<" + of + ">(" + text + ", 1).ToList()"
		if all("System.Collections.Generic.List<"+of+">", one) {
			return
		}
		fallthrough
	case isSimple(of) && of != "string":
		one := r.newList(typeText{of, fullNames()[of]})
		r.do(one + ".Add(" + text + ")")
		must(all("System.Collections.Generic.List<"+of+">", one))
	case strings.HasPrefix(v.Shown, "{") && strings.HasSuffix(v.Shown, "]}"):
		r.foreign("the debugger cannot pass an array for a %s", orNull(typ))
	case !canSpeak(of):
		r.foreign("the debugger cannot pass a %s", orNull(v.Type))
	case r.valueType(v):
		one := r.listOf(v, text)
		must(all("System.Collections.Generic.List<"+speakable(of)+">", one))
	default:
		insert(speakable(of), text)
	}
}

// constantEnum makes a number of an enum that is in no variable, because the debugger passes such a one wrong.
func (r *run) constantEnum(v Value) Value {
	if _, known := v.Data.(number); known || !shownEnum(v) || Stored(r.program, v.Text) {
		return v
	}
	if n, ok := r.enumNumber(v); ok {
		v.Data = n
	}
	return v
}

// valueType reports whether a value is of a struct or an enum.
func (r *run) valueType(v Value) bool {
	if _, isEnum := v.Data.(number); isEnum || isStruct(v.inner()) || shownEnum(v) {
		return true
	}
	if v.Text == "" {
		return false
	}
	of, known := r.typeOfValue(v)
	if !known {
		return false
	}
	is, ok := r.ask(of + ".IsValueType")
	return ok && is.Data == any(true)
}

// listOf makes a list with one value of a struct or an enum.
func (r *run) listOf(v Value, text string) string {
	of := v.inner()
	if n, ok := v.Data.(number); ok { // an enum that is in no variable is passed wrong, so it is read from its name
		t := r.enumClr(of)
		names := r.newList(typeText{"string", "System.String"})
		r.do(names + ".Add(" + quote(r.enumText(of, n.n)) + ")")
		return r.convertAll(names, typeText{"string", "System.String"}, t,
			r.overload("System.Enum", "Parse", "TEnum Parse[TEnum](System.String)")+r.bound([]typeText{t}))
	}
	name := r.must(v.Text + ".GetType().AssemblyQualifiedName")
	qualified, ok := name.Data.(string)
	if !ok {
		r.foreign("the assembly of %s is not known", of)
	}
	list := r.keep("System.Collections.Generic.List<"+speakable(of)+">",
		`System.Activator.CreateInstance("System.Private.CoreLib","`+genericAt+qualified+`]]").Unwrap()`)
	r.do(list + ".Add(" + text + ")")
	return list
}

func (r *run) enumClr(full string) typeText {
	e := r.enumType(full)
	clr := strings.TrimSuffix(strings.TrimPrefix(e.text, `System.Type.GetType("`), `")`)
	if clr == "" {
		clr = full
	}
	return typeText{full, clr}
}

// built makes an array or a list that was computed here in the program.
func (r *run) built(s *sequence) (list string, t typeText) {
	t = r.typeFor(r.parseType(s.elem))
	list = r.newList(t)
	for i, v := range r.all(s) {
		v = r.assigned(v, s.elem)
		text, ok := r.spoken(v)
		if _, isEnum := v.Data.(number); !ok || isEnum || v.Boxed {
			r.foreign("the debugger cannot put a %s into a list", v.Type)
		}
		switch {
		case v.isNull() || !isSimple(t.full) && v.inner() != t.full:
			if !canSpeak(v.inner()) && !v.isNull() {
				r.foreign("the debugger cannot put a %s into a list", v.Type)
			}
			if v.isNull() {
				r.foreign("the debugger cannot put null into a list")
			}
			r.do(delegate(`System.Type.GetType("`+genericAt+r.qualified(t)+`]]").GetMethod("Insert")`,
				"System.Action<System.Collections.Generic.List<"+t.full+">, int, "+v.inner()+">") + ".Invoke(" + list + ", " +
				strconv.Itoa(i) + ", " + text + ")")
		default:
			r.do(list + ".Insert(" + strconv.Itoa(i) + ", " + text + ")")
		}
	}
	return list, t
}

// objects makes a list of objects that holds an array.
func (r *run) objects(s *sequence) string {
	list, t := r.built(s)
	inner := "System.Collections.Generic.List<" + speakable(t.full) + ">"
	clr := "System.Collections.Generic.List`1[[" + r.qualified(t) + "]]"
	outer := r.newList(typeText{inner, clr})
	r.do(outer + ".Add(" + list + ")")
	return r.convertAll(outer, typeText{inner, clr}, typeText{"System.Object", "System.Object"},
		method(clr, "ToArray"))
}

// convertAll makes a list of what a method of T or with one T returns for each element of a List<T>.
func (r *run) convertAll(list string, from, to typeText, method string) string {
	lists := "System.Collections.Generic.List<"
	converter := "System.Converter<" + from.full + ", " + to.full + ">"
	all := typeExpr(genericAt+r.qualified(from)+"]]") + `.GetMethod("ConvertAll")` + r.bound([]typeText{to})
	typ := "System.Func<" + lists + from.full + ">, " + converter + ", " + lists + to.full + ">>"
	return r.keep(lists+to.full+">", delegate(all, typ)+".Invoke("+list+", "+delegate(method, converter)+")")
}

// stored keeps the value of a text that creates an object.
func (r *run) stored(text string, t typeText) Value {
	is := r.must(typeExpr(t.clr) + ".IsValueType")
	if is.Data != any(true) {
		return r.must(r.keep(speakable(t.full), text))
	}
	list := r.newList(t)
	r.do(list + ".Add(" + text + ")")
	return r.must(list + "[0]")
}

const setValue = "System.Action<System.Reflection.%s, System.Object, System.Object>"

// initialized sets properties and fields of a new object. text creates it.
func (r *run) initialized(text string, t typeText, names []string, values []Value) Value {
	list := r.newArrayList()
	if is := r.must(typeExpr(t.clr) + ".IsValueType"); is.Data == any(true) {
		one := r.newList(t)
		r.do(one + ".Add(" + text + ")")
		r.do(inserting("InsertRange", "System.Collections.Generic.List<"+speakable(t.full)+">", list, 0, one))
	} else {
		r.do(inserting("Insert", speakable(t.full), list, 0, text))
	}
	for i, name := range names {
		member := typeExpr(t.clr) + `.GetMember("` + name + `")`
		found := r.must(member)
		if _, count, _ := mapping.ArrayText(found.Shown); count != 1 {
			r.refuse("%s has no property or field %s that can be set", t.full, name)
		}
		info, short, of := r.must(member+"[0]"), "PropertyInfo", "PropertyType"
		if strings.HasSuffix(info.Type, "FieldInfo") {
			short, of = "FieldInfo", "FieldType"
		}
		typ, ok := r.must(member + "[0]." + of + ".ToString()").Data.(string)
		if !ok {
			r.refuse("the type of %s.%s is not known", t.full, name)
		}
		// The arguments of SetValue are the member, the object and the value; the object stays in the list. Spaces make
		// the texts differ, because no text is asked twice.
		again := list + strings.Repeat(" ", i)
		if i > 0 {
			r.do(again + ".RemoveAt(0)")
			r.do(again + ".RemoveAt(1)")
		}
		r.insert(again, 0, Value{Type: info.Type, Text: info.Text, Shown: info.Shown}, "object")
		r.insert(again, 2, r.assigned(values[i], csName(typ)), csName(typ))
		set := r.overload("System.Reflection."+short, "SetValue", "Void SetValue(System.Object, System.Object)")
		r.do(delegate(set, fmt.Sprintf(setValue, short)) + ".DynamicInvoke(" + again + ".ToArray())")
	}
	return r.must(list + "[1]")
}

// overload finds the method with a signature.
func (r *run) overload(typ, name, signature string) string {
	members := typeExpr(typ) + `.GetMember("` + name + `")`
	for i := range r.count(members) {
		at := members + "[" + strconv.Itoa(i) + "]"
		if v, ok := r.ask(at + ".ToString()"); ok && v.Data == any(signature) {
			return at
		}
	}
	r.foreign("the runtime's %s is not found", signature)
	return ""
}

// count is the length of an array that the debugger shows.
func (r *run) count(text string) int {
	v, ok := r.ask(text)
	if !ok {
		return 0
	}
	_, n, _ := mapping.ArrayText(v.Shown)
	return n
}
