package interpreter

import (
	"fmt"
	"math/big"
	"strings"

	"breakwire/mapping/csharp"
)

// Assigned evaluates an expression for a variable of a type; of x += y it is what x gets. set gets a text of the value,
// which the debugger can evaluate until set returns.
func Assigned(program Program, tree csharp.Node, typ string, set func(text string) error) error {
	r := newRun(program, tree)
	defer r.release()
	var failed error
	err := caught(func() {
		v := Value{}
		if a, ok := tree.(*csharp.Assign); ok {
			v = r.compound(a, typ)
		} else {
			v = r.known(r.eval(tree))
		}
		text, ok := r.handed(r.forVariable(v, typ))
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

// handed returns a text of a value by which a variable can be set.
func (r *run) handed(v Value) (string, bool) {
	if n, computed := v.Data.(number); computed { // an enum that is in no variable is passed wrong
		return `System.Enum.Parse<` + v.inner() + `>("` + r.enumText(v.inner(), n.n) + `")`, true
	}
	if whole, is := v.Data.(*big.Int); is && v.inner() != "char" { // the debugger fits it into the variable's type
		return whole.String(), true
	}
	return r.spoken(v)
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

// Assignment returns the assignment that an expression makes: x++ is x += 1. ok is false for other expressions.
func Assignment(tree csharp.Node) (a *csharp.Assign, ok bool) {
	one := func(op string, x csharp.Node) (*csharp.Assign, bool) {
		if op != "++" && op != "--" {
			return nil, false
		}
		by := &csharp.Literal{Type: "int", Value: big.NewInt(1), Source: "1"}
		return &csharp.Assign{Op: op[:1] + "=", L: x, R: by}, true
	}
	switch n := tree.(type) {
	case *csharp.Assign:
		return n, true
	case *csharp.Unary:
		return one(n.Op, n.X)
	case *csharp.Postfix:
		return one(n.Op, n.X)
	}
	return nil, false
}

// compound is what x op= y stores in a variable of a type (C# 12, 12.21.4).
func (r *run) compound(a *csharp.Assign, typ string) Value {
	op := strings.TrimSuffix(a.Op, "=")
	x, y := r.known(r.eval(a.L)), r.known(r.eval(a.R))
	v := r.combine(op, x, y)
	if inner := strings.TrimSuffix(typ, "?"); integers()[inner].bits == 0 && inner != "char" {
		return v
	}
	if op != "<<" && op != ">>" && op != ">>>" {
		r.assigned(y, typ) // y itself must fit
	}
	return r.cast(v, typ)
}
