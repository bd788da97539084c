package interpreter

import (
	"fmt"
	"math/big"
	"strings"

	"breakwire/mapping/csharp"
)

// Assigned evaluates an expression for a variable of a type. set gets a text of the value, which the debugger can
// evaluate until set returns.
func Assigned(program Program, tree csharp.Node, typ string, set func(text string) error) error {
	r := newRun(program, tree)
	defer r.release()
	var failed error
	err := caught(func() {
		v := r.forVariable(r.known(r.eval(tree)), typ)
		text, ok := r.spoken(v)
		if whole, is := v.Data.(*big.Int); is && v.inner() != "char" { // the debugger fits it into the variable's type
			text, ok = whole.String(), true
		}
		n, computed := v.Data.(number)
		if computed { // an enum that is in no variable is passed wrong
			text, ok = `System.Enum.Parse<`+v.inner()+`>("`+r.enumText(v.inner(), n.n)+`")`, true
		}
		if !ok {
			r.refuse("the debugger cannot be given a %s that breakwire computed: set its parts", orNull(v.Type))
		}
		failed = set(text)
	})
	if err != nil {
		return err
	}
	return failed
}

// forVariable converts a value as an assignment does.
func (r *run) forVariable(v Value, typ string) Value {
	if inner := strings.TrimSuffix(typ, "?"); isSimple(inner) {
		return r.assigned(v, typ)
	}
	return r.constantEnum(v)
}

// SetProperty sets a property as the program does. ok is false when the path is none.
func SetProperty(program Program, path, value csharp.Node) (ok bool, err error) {
	if !program.Calls() || Stored(program, csharp.Bare(path)) {
		return false, nil
	}
	r := newRun(program, path)
	defer r.release()
	var info, target Value
	if caught(func() { info, target, ok = r.property(path) }) != nil || !ok {
		return false, nil
	}
	return true, caught(func() {
		if !target.isNull() && r.valueType(target) {
			r.refuse("it is a property of a struct, so that only a copy would change: set the field behind it")
		}
		if r.must(info.Text+".CanWrite").Data != any(true) {
			r.refuse("it has no setter: set the field behind it")
		}
		typ := csName(stringOf(r.must(info.Text + ".PropertyType.ToString()")))
		list := r.newArrayList()
		r.insert(list, 0, described(info), "object")
		r.insert(list, 1, target, "object")
		r.insert(list, 2, r.forVariable(r.known(r.eval(value)), typ), typ)
		set := r.overload("System.Reflection.PropertyInfo", "SetValue", "Void SetValue(System.Object, System.Object)")
		r.do(delegate(set, fmt.Sprintf(setValue, "PropertyInfo")) + ".DynamicInvoke(" + list + ".ToArray())")
	})
}

// property finds a property of an object, of this, or of a type, by its path. target is null for a static one.
func (r *run) property(path csharp.Node) (info, target Value, ok bool) {
	name, of := "", "this"
	switch n := path.(type) {
	case *csharp.Name:
		name, target = n.Name, r.must("this")
	case *csharp.Member:
		name = n.Name
		at, short := r.chain(n.Of)
		typ, static := at.Data.(typeName)
		switch {
		case short || n.Op != ".":
			return info, target, false
		case static:
			target, of = nothing("object"), typeExpr(r.typeFor(r.parseType(string(typ))).clr)
		default:
			target = r.known(at)
			if of, ok = r.receiver(target); !ok || !isObject(target) {
				return info, target, false
			}
		}
	default:
		return info, target, false
	}
	if !target.isNull() {
		of += ".GetType()"
	}
	for ; ; of += ".BaseType" {
		if info, ok = r.tried(of + `.GetDeclaredProperty("` + name + `")`); ok && !info.isNull() {
			return info, target, true
		}
		if base, ok := r.ask(of + ".BaseType"); !ok || base.isNull() {
			return info, target, false
		}
	}
}
