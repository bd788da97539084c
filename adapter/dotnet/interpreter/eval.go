package interpreter

import (
	"math/big"
	"strconv"
	"strings"

	"breakwire/mapping"
	"breakwire/mapping/csharp"
)

// eval evaluates an expression.
func (r *run) eval(n csharp.Node) Value {
	if v, ok := r.roots[n]; ok {
		return v
	}
	switch n := n.(type) {
	case *csharp.Literal:
		return r.literal(n)
	case *csharp.Interpolated:
		return r.interpolated(n)
	case *csharp.Paren:
		return r.eval(n.X)
	case *csharp.Name, *csharp.Member, *csharp.Index, *csharp.Call:
		v, short := r.chain(n)
		switch {
		case short:
			return Value{Type: "", Data: null{}, Text: "null"}
		case conditional(n) && isStruct(v.Type):
			v.Type = optional(v.Type)
		}
		return v
	case *csharp.Unary:
		return r.unary(n)
	case *csharp.Postfix:
		if n.Op == "!" {
			return r.eval(n.X)
		}
	case *csharp.Binary:
		return r.binary(n)
	case *csharp.Conditional:
		return r.choice(n)
	case *csharp.Cast:
		v := r.known(r.eval(n.X))
		if r.inObject(n.X, v) {
			return r.unboxed(v, n.Type.String())
		}
		return r.cast(v, n.Type.String())
	case *csharp.As:
		return r.as(r.eval(n.X), n.Type.String())
	case *csharp.Is:
		saved := r.scope
		yes := r.matches(r.eval(n.X), n.Pattern)
		if !yes {
			r.scope = saved
		}
		return boolean(yes)
	case *csharp.Switch:
		return r.cases(n)
	case *csharp.Tuple:
		return r.tuple(n.Items)
	case *csharp.Anonymous:
		return r.anonymous(n)
	case *csharp.Lambda:
		return r.lambda(n)
	case *csharp.OfType:
		return r.ofType(n)
	case *csharp.Checked:
		saved, un := r.checked, r.unchecked
		r.checked = n.Op == "checked"
		if !r.checked {
			r.unchecked++
		}
		v := r.eval(n.X)
		r.checked, r.unchecked = saved, un
		return v
	case *csharp.NewArray:
		return r.newArray(n)
	case *csharp.New:
		return r.newObject(n)
	case *csharp.Query:
		return r.eval(translated(n))
	case *csharp.Slice:
		var i interval
		if n.From != nil {
			i.from = r.known(r.eval(n.From))
		}
		if n.To != nil {
			i.to = r.known(r.eval(n.To))
		}
		return Value{Type: "System.Range", Data: i}
	case *csharp.With:
		return r.with(n)
	case *csharp.Assign:
		r.foreign("a part of an expression changes no variable")
	}
	r.foreign("breakwire does not evaluate this: %s", csharp.String(n))
	return Value{}
}

func (r *run) literal(n *csharp.Literal) Value {
	v := Value{Type: n.Type, Const: true}
	switch value := n.Value.(type) {
	case nil:
		return Value{Type: "null", Data: null{}, Text: "null"}
	case bool, *big.Int:
		v.Data = value
	case uint16:
		v.Data = big.NewInt(int64(value))
	case []uint16:
		s := decodeUnits(value)
		if n.Type == "utf8" || strings.ContainsRune(s, '\uFFFD') {
			r.refuse("breakwire does not compute with the text %s", n.Source)
		}
		v.Data = s
	case string:
		digits := strings.TrimRight(n.Source, "fFdDmM")
		digits = strings.ReplaceAll(digits, "_", "")
		if n.Type == "decimal" {
			d, ok := parseDecimal(digits)
			if !ok {
				r.refuse("%s does not fit into a decimal", n.Source)
			}
			v.Data = d
			break
		}
		bits := 64
		if n.Type == "float" {
			bits = 32
		}
		f, err := strconv.ParseFloat(digits, bits)
		if err != nil {
			r.refuse("%s does not fit into a %s", n.Source, n.Type)
		}
		v.Data = f
	}
	return v
}

// conditional reports whether a chain has ?. or ?[.
func conditional(n csharp.Node) bool {
	switch n := n.(type) {
	case *csharp.Member:
		return n.Op == "?." || conditional(n.Of)
	case *csharp.Index:
		return n.Null || conditional(n.Of)
	case *csharp.Call:
		return conditional(n.Of)
	}
	return false
}

// chain evaluates a name with what follows it. short is set when a ?. ends it with null.
func (r *run) chain(n csharp.Node) (v Value, short bool) {
	if text, ok := r.sendable(n); ok {
		if _, name := n.(*csharp.Name); !name {
			if v, ok := r.ask(text); ok {
				return v, false
			}
		}
	} else if root, tail := r.tail(n); strings.Contains(tail, ").") { // sent whole, so that no call runs twice
		v := r.known(r.eval(root))
		if text, ok := r.receiver(v); ok && isObject(v) && !strings.HasPrefix(v.Type, "System.Collections.") {
			if v, ok := r.ask(text + tail); ok {
				return v, false
			}
		}
		r.roots[root] = v
		defer delete(r.roots, root)
	}
	switch n := n.(type) {
	case *csharp.Name:
		return r.name(n), false
	case *csharp.Member:
		if name, ok := n.Of.(*csharp.Name); ok && name.Is("base") {
			return r.baseMember(n.Name, nil, false), false
		}
		of, short := r.chain(n.Of)
		if short {
			return of, true
		}
		if n.Op == "?." {
			if of = r.known(of); of.isNull() {
				return of, true
			}
			of = r.unwrapped(of)
		}
		if v, ok := r.hidden(of, n.Of, n.Name, nil, false); ok {
			return v, false
		}
		of = r.withNames(n.Of, of)
		if name, ok := n.Of.(*csharp.Name); ok && n.Name == "Count" &&
			strings.HasSuffix(r.program.Declared(name.Name), ">") {
			if _, count, ok := mapping.ArrayText(of.Shown); ok {
				return whole(int64(count)), false
			}
		}
		err := caught(func() { v = r.member(of, withArgs(n.Name, n.Args)) })
		if refused, is := err.(*Refusal); is && refused.Vague {
			if got, ok := r.byInterface(of, n.Of, n.Name, nil, false); ok {
				return got, false
			}
		}
		if err != nil {
			panic(stop{err})
		}
		return v, false
	case *csharp.Index:
		of, short := r.chain(n.Of)
		if short {
			return of, true
		}
		if of = r.known(of); n.Null && of.isNull() {
			return of, true
		}
		return r.index(of, n.Args), false
	case *csharp.Call:
		return r.call(n)
	}
	return r.eval(n), false
}

func withArgs(name string, args []*csharp.Type) string {
	if args == nil {
		return name
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.String()
	}
	return name + "<" + strings.Join(texts, ", ") + ">"
}

// sendable returns a text for a chain that the debugger may evaluate as a whole: names, members, indexes and calls with
// simple arguments. The debugger is asked first, because it answers most of them with one question.
func (r *run) sendable(n csharp.Node) (string, bool) {
	switch n := n.(type) {
	case *csharp.Paren:
		if cast, ok := n.X.(*csharp.Cast); ok && r.scope == nil {
			_ = cast
			return "", false
		}
	case *csharp.Name:
		if v, ok := r.lookup(n.Name); ok {
			return v.Text, v.Text != ""
		}
		if n.Args != nil || n.Alias != "" || n.Is("base") {
			return csharp.String(n), n.Args != nil
		}
		return n.Name, true
	case *csharp.Member:
		if of, ok := r.sendable(n.Of); ok && n.Op == "." && n.Args == nil && len(r.program.Hiding(n.Name)) == 0 {
			return of + "." + n.Name, true
		}
	case *csharp.Index:
		if of, ok := r.sendable(n.Of); ok && !n.Null {
			if args, ok := r.sendables(n.Args); ok {
				return of + "[" + args + "]", true
			}
		}
	case *csharp.Call:
		if !r.program.Calls() {
			return "", false
		}
		of, ok := r.sendable(n.Of)
		if m, is := n.Of.(*csharp.Member); is && (sequenceMethods()[m.Name] || m.Name == "HasFlag") {
			return "", false
		}
		if name, is := n.Of.(*csharp.Name); is && (name.Name == "nameof" || r.isFunction(name.Name)) {
			return "", false
		}
		if ok {
			if args, ok := r.sendables(n.Args); ok {
				return of + "(" + args + ")", true
			}
		}
	}
	return "", false
}

// tail splits a chain: tail is the text of what the debugger may evaluate on the value of root.
func (r *run) tail(n csharp.Node) (root csharp.Node, tail string) {
	switch x := n.(type) {
	case *csharp.Member:
		if root, tail = r.tail(x.Of); x.Op == "." && x.Args == nil && root != nil && len(r.program.Hiding(x.Name)) == 0 {
			return root, tail + "." + x.Name
		}
	case *csharp.Call:
		of, ok := x.Of.(*csharp.Member)
		args, plain := r.sendables(x.Args)
		if ok && plain && of.Name != "HasFlag" && r.program.Calls() {
			if root, tail = r.tail(of); root != nil && (!sequenceMethods()[of.Name] || root == of.Of) {
				return root, tail + "(" + args + ")"
			}
		}
	case *csharp.New, *csharp.With, *csharp.Paren:
		return n, ""
	}
	return nil, ""
}

func (r *run) isFunction(name string) bool {
	v, ok := r.lookup(name)
	_, is := v.Data.(*function)
	return ok && is
}

func (r *run) sendables(args []csharp.Argument) (string, bool) {
	texts := make([]string, len(args))
	for i, a := range args {
		if a.Name != "" || a.Mode != "" {
			return "", false
		}
		ok := false
		switch x := a.Value.(type) {
		case *csharp.Literal:
			ok = x.Type == "int" || x.Type == "bool" || x.Type == "char" || x.Type == "double" || x.Type == "decimal" ||
				x.Type == "string" && strings.HasPrefix(x.Source, `"`) && !strings.HasPrefix(x.Source, `""`)
			texts[i] = x.Source
		case *csharp.Name, *csharp.Member, *csharp.Index:
			texts[i], ok = r.sendable(x)
		}
		if !ok {
			return "", false
		}
	}
	return strings.Join(texts, ", "), true
}

func (r *run) lookup(name string) (Value, bool) {
	for s := r.scope; s != nil; s = s.outer {
		if s.name == name {
			return s.value, true
		}
	}
	return Value{}, false
}

func (r *run) bind(name string, v Value) {
	if name != "" && name != "_" {
		r.scope = &scope{name, v, r.scope}
	}
}

// name evaluates a simple name: a variable, a member of this, or a type.
func (r *run) name(n *csharp.Name) Value {
	if v, ok := r.lookup(n.Name); ok && n.Args == nil {
		return v
	}
	switch {
	case n.Is("base"):
		r.refuse("base stands before a member, as in base.X")
	case n.Alias != "":
		return Value{Data: typeName(n.Name)}
	case n.Keyword && fullNames()[n.Name] != "":
		return Value{Data: typeName(n.Name)}
	case n.Args != nil:
		return Value{Data: typeName(withArgs(n.Name, n.Args))}
	}
	if v, ok := r.ask(n.Name); ok {
		return v
	}
	return Value{Data: typeName(n.Name)}
}

// known makes sure that a value is one: not the name of a type.
func (r *run) known(v Value) Value {
	switch data := v.Data.(type) {
	case typeName:
		if got, ok := r.inherited(string(data)); ok {
			return got
		}
		r.vague("%s is no variable of this frame, and no type that is known here", string(data))
	case nil:
		if v.Type == "" && v.Text != "" && v.Shown == "" {
			return r.must(v.Text)
		}
	}
	return v
}

// choice evaluates ?:.
func (r *run) choice(n *csharp.Conditional) Value {
	branch, other := n.Else, n.Then
	if r.truth(r.eval(n.If)) {
		branch, other = n.Then, n.Else
	}
	return r.common(r.known(r.eval(branch)), other)
}

// common converts the value of a branch to the common type with the branch that is not evaluated, where that one's type
// is known without running anything.
func (r *run) common(v Value, other csharp.Node) Value {
	typ := r.staticType(other)
	switch inner := strings.TrimSuffix(typ, "?"); {
	case typ == "" || typ == v.Type:
	case typ == "null" && isStruct(v.Type):
		r.refuse("there is no common type of %s and null (CS8957): cast one side", v.Type)
	case v.Type == "null" || v.Type == "":
		v.Type = typ
	case v.isNull():
	case isNumeric(v.inner()) && isNumeric(inner) && widens(v.inner(), inner):
		v = r.converted(v, inner)
		v.Const = false
		if strings.HasSuffix(typ, "?") || v.nullable() {
			v.Type = optional(inner)
		}
	case strings.HasSuffix(typ, "?") && isStruct(v.Type):
		v.Type = optional(v.Type)
	}
	return v
}

// staticType returns the type of an expression where it is certain and costs no call; "" otherwise.
func (r *run) staticType(n csharp.Node) string {
	switch n := n.(type) {
	case *csharp.Paren:
		return r.staticType(n.X)
	case *csharp.Literal:
		return n.Type
	case *csharp.Interpolated:
		return "string"
	case *csharp.Cast:
		return n.Type.String()
	case *csharp.Is:
		return "bool"
	case *csharp.Unary:
		if n.Op == "-" || n.Op == "+" {
			return r.staticType(n.X)
		}
	case *csharp.Name:
		if v, ok := r.lookup(n.Name); ok {
			return v.Type
		}
		if v, ok := r.places[n.Name]; ok && v.Type != failedType {
			return v.Type
		}
		if isPlaceName(n.Name) {
			if v, ok := r.ask(n.Name); ok {
				return v.Type
			}
		}
	case *csharp.Conditional:
		if t := r.staticType(n.Then); t != "null" {
			return t
		}
		return r.staticType(n.Else)
	}
	return ""
}

func isPlaceName(name string) bool { return name != "" && fullNames()[name] == "" }

func (r *run) truth(v Value) bool {
	v = r.known(v)
	b, ok := v.Data.(bool)
	if !ok {
		what := v.Text
		if what == "" {
			what = "a part of it"
		}
		r.refuse("%s is not a bool but %s", what, orNull(v.Type))
	}
	return b
}

func (r *run) tuple(items []csharp.Argument) Value {
	t := &tuple{}
	types := make([]string, len(items))
	for i, a := range items {
		v := r.withNames(a.Value, r.known(r.eval(a.Value)))
		name := a.Name
		if name == "" {
			name = inferredName(a.Value)
		}
		t.items, t.names = append(t.items, v), append(t.names, name)
		types[i] = v.Type
	}
	return Value{Type: "(" + strings.Join(types, ", ") + ")", Data: t}
}

func inferredName(n csharp.Node) string {
	switch n := n.(type) {
	case *csharp.Name:
		return n.Name
	case *csharp.Member:
		return n.Name
	}
	return ""
}

func (r *run) anonymous(n *csharp.Anonymous) Value {
	t := &tuple{}
	for _, a := range n.Items {
		name := a.Name
		if name == "" {
			name = inferredName(a.Value)
		}
		t.items = append(t.items, r.known(r.eval(a.Value)))
		t.names = append(t.names, name)
	}
	return Value{Type: "anonymous type", Data: t}
}

func (r *run) lambda(n *csharp.Lambda) Value {
	if n.Body == nil || len(n.Modifiers) > 0 {
		r.refuse("breakwire evaluates lambdas with an expression, and no statements")
	}
	outer := r.scope
	f := &function{}
	for _, p := range n.Params {
		f.params = append(f.params, p.Name)
	}
	f.call = func(args []Value) Value {
		if len(args) != len(f.params) {
			r.refuse("the lambda takes %d arguments, not %d", len(f.params), len(args))
		}
		saved := r.scope
		defer func() { r.scope = saved; r.deep-- }()
		if r.deep++; r.deep > maxDeep {
			r.refuse("the lambdas are too deep inside of each other")
		}
		r.scope = outer
		for i, p := range f.params {
			r.bind(p, args[i])
			if all, ok := args[i].Data.(*tuple); ok && p == transparent {
				for j, name := range all.names {
					r.bind(name, all.items[j])
				}
			}
		}
		return r.known(r.eval(n.Body))
	}
	return Value{Type: "lambda", Data: f}
}

func (r *run) cases(n *csharp.Switch) Value {
	v := r.known(r.eval(n.X))
	for _, arm := range n.Arms {
		saved := r.scope
		if r.matches(v, arm.Pattern) && (arm.When == nil || r.truth(r.eval(arm.When))) {
			out := r.known(r.eval(arm.Value))
			r.scope = saved
			for _, other := range n.Arms {
				out = r.common(out, other.Value)
			}
			return out
		}
		r.scope = saved
	}
	r.throw("System.Runtime.CompilerServices.SwitchExpressionException", "Non-exhaustive switch expression failed to "+
		"match its input.")
	return Value{}
}
