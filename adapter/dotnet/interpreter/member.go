package interpreter

import (
	"math/big"
	"strconv"
	"strings"
	"sync"

	"breakwire/mapping"
	"breakwire/mapping/csharp"
)

// unwrapped is the value of a nullable.
func (r *run) unwrapped(v Value) Value {
	if !v.nullable() || v.isNull() {
		return v
	}
	inner := v.inner()
	switch {
	case v.Lifted:
		v.Type, v.Lifted = inner, false
		return v
	case v.Data != nil:
		v.Type, v.Text = inner, ""
		return v
	case inner == "double" || inner == "float":
		if got, ok := r.ask(v.Text + ".get_Value()"); ok && r.program.Calls() && got.Shown == v.Shown {
			return got
		}
		v.Type, v.Text = inner, ""
		return v
	}
	if v.Shown != "" && !strings.ContainsAny(v.Shown, `{"|, `) && !isNumber(v.Shown) { // a constant of an enum
		return Value{Type: inner, Text: inner + "." + v.Shown, Shown: v.Shown}
	}
	if n, ok := r.enumNumber(v); ok {
		return r.enumValue(inner, n.n)
	}
	if !r.program.Calls() {
		r.foreign("netcoredbg reads nothing of the %s in %s without a call, which is not allowed here", inner, v.Text)
	}
	if v.Text == "" || !Stored(r.program, v.Text) {
		r.foreign("netcoredbg cannot read the %s in %s: of a nullable struct that a getter or a method returns it reads "+
			"the wrong bytes; read the field behind it, or step to where it is in a variable", inner, v.Text)
	}
	return r.must(v.Text + ".get_Value()")
}

func isNumber(s string) bool { _, err := strconv.ParseInt(s, 10, 64); return err == nil }

// member evaluates v.name.
func (r *run) member(v Value, name string) Value {
	if data, ok := v.Data.(typeName); ok {
		return r.staticMember(string(data), name)
	}
	v = r.known(v)
	switch data := v.Data.(type) {
	case null:
		switch {
		case v.nullable() && name == "HasValue":
			return boolean(false)
		case v.nullable() && name == "Value":
			panic(stop{&Thrown{Type: "System.InvalidOperationException",
				Message: "Nullable object must have a value.", Null: v.Text}})
		}
		r.isNull(v.Text)
	case *big.Int:
		if got, ok := r.bigMember(v, name); ok {
			return got
		}
	case *tuple:
		for i, n := range data.names {
			if n == name || name == "Item"+strconv.Itoa(i+1) && v.Type != "anonymous type" {
				return data.items[i]
			}
		}
		r.refuse("there is no %s in %s", name, r.show(v))
	case string:
		if name == "Length" {
			return r.length(v, data)
		}
	case *sequence:
		return r.sequenceMember(v, data, name)
	case *grid:
		if name == "Length" {
			return whole(int64(len(data.all)))
		}
	}
	if v.nullable() {
		switch name {
		case "HasValue":
			return boolean(true)
		case "Value":
			return r.unwrapped(v)
		}
	}
	if _, count, ok := mapping.ArrayText(v.Shown); ok {
		switch name {
		case "Length":
			return whole(int64(count))
		case "LongLength":
			return Value{Type: "long", Data: big.NewInt(int64(count))}
		case "Rank":
			return whole(int64(len(mapping.ArrayLengths(v.Shown))))
		}
	}
	if text, ok := r.receiver(v); ok {
		inner := namesOfMember(v, name)
		if at, ok := item(v, name); ok {
			name = at
		}
		if got, ok := r.ask(text + "." + name); ok {
			got.Names = inner
			return got
		}
		if name == "Length" && strings.HasPrefix(v.Type, "System.Collections.Immutable.ImmutableArray<") {
			if s, ok := r.sequenceOf(v); ok {
				return whole(int64(len(r.all(s))))
			}
		}
		if got, ok := r.getter(v, text, name); ok {
			return got
		}
		if strings.HasPrefix(v.Type, valueTuple) {
			r.vague("the symbols name no element %s of this tuple: write Item1, Item2, ...", name)
		}
	}
	if isObject(v) && !r.mayRepeat(v.Text) {
		at, ok := item(v, name)
		if !ok {
			at = name
		}
		got := r.child(v, at)
		got.Names = namesOfMember(v, name)
		return got
	}
	r.vague("%s has no member %s that the debugger can read", orNull(v.Type), name)
	return Value{}
}

// getter calls the getter of a property, which netcoredbg finds also where the type hides it from debuggers. The result
// of a task that is not complete would block: no other thread runs.
func (r *run) getter(v Value, text, name string) (Value, bool) {
	if !r.program.Calls() || !strings.HasPrefix(v.Shown, "{") || strings.HasPrefix(v.Type, "System.ValueTuple<") ||
		strings.Contains(name, "<") {
		return Value{}, false
	}
	if name == "Result" && strings.HasPrefix(v.Type, "System.Threading.Tasks.") {
		if done, ok := r.ask(text + ".IsCompleted"); !ok || done.Data != any(true) {
			r.refuse("%s has not completed, and .Result would wait for it", text)
		}
	}
	return r.ask(text + ".get_" + name + "()")
}

// receiver writes a value before a member or an index.
func (r *run) receiver(v Value) (string, bool) {
	text, ok := r.spoken(v)
	if !ok || text == "" {
		return "", false
	}
	bare := v.Text == text && (isPlain(text) || strings.HasSuffix(text, ")"))
	if !bare && !strings.HasPrefix(text, "(") && !strings.HasPrefix(text, `"`) {
		text = "(" + text + ")"
	}
	return text, true
}

// length is the length of a text. One that the debugger shows may have been cut at a NUL, so the program is asked.
func (r *run) length(v Value, data string) Value {
	if n, ok := r.askedLength(v); ok {
		return n
	}
	if v.Shown != "" {
		r.notes = append(r.notes, "breakwire counted what is shown of "+v.Text+": a NUL would end it")
	}
	return whole(int64(len(units(data))))
}

func (r *run) askedLength(v Value) (Value, bool) {
	if v.Text == "" || v.Shown == "" || !r.program.Calls() || !r.mayRepeat(v.Text) {
		return Value{}, false
	}
	return r.ask(v.Text + ".get_Length()")
}

func (r *run) sequenceMember(v Value, s *sequence, name string) Value {
	switch {
	case name == "Key" && s.key != nil:
		return *s.key
	case name == "Length" && (strings.HasSuffix(s.shown, "]") || s.shown == "string"),
		name == "Count" && strings.Contains(s.shown, "<") && !strings.HasPrefix(s.shown, enumerable):
		return whole(int64(len(r.all(s))))
	}
	if strings.Contains(s.shown, "Dictionary<") && (name == "Keys" || name == "Values") {
		at := map[string]int{"Keys": 0, "Values": 1}[name]
		l := &list{}
		for x := range s.each {
			if pair, ok := x.Data.(*tuple); ok {
				l.items = append(l.items, pair.items[at])
			}
		}
		if types := splitTypes(s.shown); len(types) == 2 {
			l.elem = types[at]
		}
		l.shown = s.shown + map[string]string{"Keys": ".KeyCollection", "Values": ".ValueCollection"}[name]
		return Value{Type: l.shown, Data: l.sequence()}
	}
	if strings.HasPrefix(s.shown, collections+"SortedSet<") && (name == "Min" || name == "Max") {
		return r.aggregate(s, name, nil, nil)
	}
	r.refuse("a %s has no %s", s.typeName(), name)
	return Value{}
}

// dictionaryMethod calls a method of a dictionary that was computed here.
func (r *run) dictionaryMethod(v Value, name string, args []Value) (Value, bool) {
	s, ok := v.Data.(*sequence)
	if !ok || !strings.Contains(s.shown, "Dictionary<") || len(args) != 1 ||
		name != "ContainsKey" && name != "ContainsValue" {
		return Value{}, false
	}
	at := map[string]int{"ContainsKey": 0, "ContainsValue": 1}[name]
	for x := range s.each {
		if pair, ok := x.Data.(*tuple); ok && r.same(pair.items[at], args[0]) {
			return boolean(true), true
		}
	}
	return boolean(false), true
}

// staticMember evaluates a member of a type, or a type inside of one.
func (r *run) staticMember(typ, name string) Value {
	if v, ok := constants()[typ+"."+name]; ok {
		return v()
	}
	for _, full := range r.fullTypes(typ) {
		if v, ok := r.ask(full + "." + name); ok {
			v.Const = v.Const || strings.HasSuffix(name, "Value") && fullNames()[typ] != ""
			return v
		}
	}
	return Value{Data: typeName(typ + "." + name)}
}

// inherited evaluates a static member that a base class declares. The debugger knows it only by that class.
func (r *run) inherited(path string) (v Value, ok bool) {
	at := strings.LastIndexByte(path, '.')
	if at < 0 || !r.program.Calls() {
		return Value{}, false
	}
	t, known := typeText{}, false
	if !r.attempt(func() { t, known = r.resolve(r.parseType(path[:at])) }) || !known {
		return Value{}, false
	}
	base := typeExpr(t.clr)
	for range 8 {
		base += ".BaseType"
		name, ok := r.ask(base + ".FullName")
		full, isText := name.Data.(string)
		if !ok || !isText || full == "System.Object" {
			break
		}
		if v, ok := r.ask(strings.ReplaceAll(full, "+", ".") + path[at:]); ok {
			return v, true
		}
	}
	return Value{}, false
}

var constants = sync.OnceValue(func() map[string]func() Value {
	return map[string]func() Value{
		"string.Empty": func() Value { return text("") },
		"String.Empty": func() Value { return text("") },
		"decimal.MaxValue": func() Value {
			return Value{Type: "decimal", Data: decimal{largestValue(), 0}}
		},
		"decimal.MinValue": func() Value {
			return Value{Type: "decimal", Data: decimal{new(big.Int).Neg(largestValue()), 0}}
		},
		"decimal.One":  func() Value { return Value{Type: "decimal", Data: decimal{big.NewInt(1), 0}} },
		"decimal.Zero": func() Value { return Value{Type: "decimal", Data: decimal{big.NewInt(0), 0}} },
	}
})

// fullTypes returns the names under which a type may be found by the debugger.
func (r *run) fullTypes(typ string) []string {
	if full := fullNames()[typ]; full != "" {
		return []string{full}
	}
	bare, args := typ, ""
	if at := strings.IndexByte(typ, '<'); at > 0 {
		bare, args = typ[:at], typ[at:]
	}
	out := []string{typ}
	key := bare
	if args != "" {
		key += "`" + strconv.Itoa(strings.Count(args, ",")+1)
	}
	first, _, _ := strings.Cut(bare, ".")
	if space := spaces()[key]; space != "" {
		out = append([]string{space + "." + typ}, out...)
	} else if space := spaces()[first]; space != "" {
		out = append([]string{space + "." + typ}, out...)
	}
	for _, full := range r.program.Names(bare) {
		if full != bare {
			out = append(out, full+args)
		}
	}
	return out
}

// index evaluates v[args].
func (r *run) index(v Value, args []csharp.Argument) Value {
	if v.isNull() {
		r.isNull(v.Text)
	}
	values := make([]Value, len(args))
	for i, a := range args {
		values[i] = r.known(r.eval(a.Value))
		if values[i].nullable() && !values[i].isNull() {
			values[i] = r.unwrapped(values[i])
		}
	}
	if len(values) == 1 {
		switch at := values[0].Data.(type) {
		case interval:
			return r.slice(v, at)
		case fromEnd:
			return r.fromEnd(v, at.n)
		}
	}
	if s, ok := v.Data.(string); ok && len(values) == 1 {
		return r.character(v, s, values[0])
	}
	if s, ok := v.Data.(*sequence); ok && len(values) == 1 {
		return r.elementAt(s, values[0])
	}
	if lengths := mapping.ArrayLengths(v.Shown); len(lengths) == len(values) {
		for i, at := range values {
			if n, ok := at.Data.(*big.Int); ok && (n.Sign() < 0 || n.Cmp(big.NewInt(int64(lengths[i]))) >= 0) {
				r.throw("System.IndexOutOfRangeException", "the index %s is outside of %s, which is a %s", n, v.Text,
					strings.Trim(v.Shown, "{}"))
			}
		}
	}
	text, ok := r.receiver(v)
	if !ok {
		r.refuse("a %s has no index here", v.Type)
	}
	texts, ok := r.texts(values)
	if !ok {
		r.refuse("the debugger cannot take the index of %s", v.Text)
	}
	if got, ok := r.ask(text + "[" + strings.Join(texts, ", ") + "]"); ok {
		return got
	}
	if got, ok := r.ask(text + ".get_Item(" + strings.Join(texts, ", ") + ")"); ok && r.program.Calls() {
		return got
	}
	if got, ok := r.ask(text + ".get_Chars(" + strings.Join(texts, ", ") + ")"); ok && r.program.Calls() {
		return got
	}
	r.foreign("%s cannot be indexed like that", v.Text)
	return Value{}
}

func (r *run) texts(values []Value) ([]string, bool) {
	out := make([]string, len(values))
	for i, v := range values {
		ok := false
		if out[i], ok = r.spoken(v); !ok {
			return nil, false
		}
	}
	return out, true
}

func (r *run) position(v Value) int {
	n, ok := v.Data.(*big.Int)
	if !ok || !n.IsInt64() {
		r.foreign("the index is not a whole number but %s", v.Type)
	}
	return int(n.Int64())
}

func (r *run) character(v Value, s string, at Value) Value {
	i, u := r.position(at), units(s)
	if i >= len(u) {
		r.complete(v)
	}
	if i < 0 || i >= len(u) {
		r.throw("System.IndexOutOfRangeException", "Index was outside the bounds of the array.")
	}
	return Value{Type: "char", Data: big.NewInt(int64(u[i]))}
}

func (r *run) elementAt(s *sequence, at Value) Value {
	if strings.Contains(s.shown, "Lookup<") {
		for g := range s.each {
			if r.same(*g.Data.(*sequence).key, at) {
				return g
			}
		}
		r.refuse("the lookup has no group %s", r.show(at))
	}
	if strings.Contains(s.shown, "Dictionary<") {
		for e := range s.each {
			pair := e.Data.(*tuple).items
			if r.same(pair[0], at) {
				return pair[1]
			}
		}
		r.throw(collections+"KeyNotFoundException", "The given key '%s' was not present in the dictionary.", r.show(at))
	}
	i := r.position(at)
	n := 0
	for v := range s.each {
		if n == i {
			return v
		}
		n++
	}
	if strings.HasSuffix(s.shown, "]") {
		r.throw("System.IndexOutOfRangeException", "Index was outside the bounds of the array.")
	}
	r.throw("System.ArgumentOutOfRangeException", "Index was out of range.")
	return Value{}
}

// complete makes sure that a text is known to its end: the debugger cuts it at a NUL.
func (r *run) complete(v Value) {
	s, ok := v.Data.(string)
	if !ok || v.Shown == "" {
		return
	}
	asked, _ := r.askedLength(v)
	n, known := asked.Data.(*big.Int)
	if !known || n.Cmp(big.NewInt(int64(len(units(s))))) != 0 {
		r.foreign("the debugger does not show the end of %s", v.Text)
	}
}

// indexed returns the elements of what can be indexed from its end and sliced: texts, arrays, lists.
func (r *run) indexed(v Value) (*sequence, []Value) {
	r.complete(v)
	s, ok := r.sequenceOf(v)
	if !ok || s.index == nil {
		r.foreign("the end of %s (%s) is not known here: write the index from the beginning", v.Text, v.Type)
	}
	return s, r.all(s)
}

func (r *run) fromEnd(v Value, n int) Value {
	if _, count, ok := mapping.ArrayText(v.Shown); ok && v.Text != "" && r.mayRepeat(v.Text) {
		if n < 1 || n > count {
			r.throw("System.IndexOutOfRangeException", "Index was outside the bounds of the array.")
		}
		return r.must(v.Text + "[" + strconv.Itoa(count-n) + "]")
	}
	if strings.HasPrefix(v.Type, collections+"List<") && v.Text != "" && r.mayRepeat(v.Text) {
		size, ok := r.must(v.Text + ".Count").Data.(*big.Int)
		if !ok {
			r.refuse("the debugger does not tell the Count of %s", v.Text)
		}
		if ok && (n < 1 || int64(n) > size.Int64()) {
			r.throw("System.ArgumentOutOfRangeException", "the index ^%d is outside of %s, which has %s elements", n, v.Text,
				size)
		}
		return r.must(v.Text + "[" + strconv.FormatInt(size.Int64()-int64(n), 10) + "]")
	}
	_, all := r.indexed(v)
	if n < 1 || n > len(all) {
		thrown := "System.ArgumentOutOfRangeException"
		if v.Type == "string" || strings.HasSuffix(v.Type, "]") {
			thrown = "System.IndexOutOfRangeException"
		}
		r.throw(thrown, "Index was outside: ^%d of %d elements", n, len(all))
	}
	return all[len(all)-n]
}

func (r *run) slice(v Value, i interval) Value {
	s, all := r.indexed(v)
	place := func(v Value, otherwise int) int {
		if v.Type == "" {
			return otherwise
		}
		if e, ok := v.Data.(fromEnd); ok {
			return len(all) - e.n
		}
		return r.position(v)
	}
	from, to := place(i.from, 0), place(i.to, len(all))
	if from < 0 || to > len(all) || from > to {
		r.throw("System.ArgumentOutOfRangeException", "The range %d..%d is outside of %d elements", from, to, len(all))
	}
	if v.Type == "string" {
		var u []uint16
		for _, c := range all[from:to] {
			u = append(u, uint16(c.Data.(*big.Int).Int64()))
		}
		return text(decodeUnits(u))
	}
	if !strings.HasSuffix(v.Type, "[]") {
		r.refuse("a %s has no ranges", v.Type)
	}
	return Value{Type: v.Type, Data: s.of(all[from:to])}
}
