package interpreter

import (
	"math/big"
	"slices"
	"strings"

	"breakwire/mapping"
	"breakwire/mapping/csharp"
)

// newArray is new int[] { ... } and the like.
func (r *run) newArray(n *csharp.NewArray) Value {
	if n.Stack || len(n.More) > 0 && n.Init == nil {
		r.foreign("breakwire does not make this array")
	}
	elem := ""
	if n.Type != nil {
		elem = r.typeFor(n.Type).full
		for i := len(n.More) - 1; i >= 0; i-- {
			elem += "[" + strings.Repeat(",", n.More[i]-1) + "]"
		}
	}
	var items []Value
	var lengths []int
	if n.Init != nil {
		items, lengths = r.initial(n.Init, n.Rank)
	} else {
		total := 1
		for _, s := range n.Sizes {
			size := r.position(r.known(r.eval(s)))
			if size < 0 || size > maxElements || total*size > maxElements {
				r.refuse("breakwire makes arrays of at most %d elements", maxElements)
			}
			total *= size
			lengths = append(lengths, size)
		}
		for range total {
			items = append(items, r.zero(r.typeFor(n.Type)))
		}
	}
	if elem == "" {
		elem = r.bestType(items, n.Init)
	}
	for i := range items {
		items[i] = r.assigned(items[i], elem)
	}
	shown := elem + "[" + strings.Repeat(",", n.Rank-1) + "]"
	if at := strings.IndexByte(elem, '['); at > 0 {
		shown = elem[:at] + "[" + strings.Repeat(",", n.Rank-1) + "]" + elem[at:]
	}
	l := &list{items, elem, shown}
	if n.Rank == 2 && len(lengths) == 2 {
		l = &list{elem: elem + "[]", shown: shown}
		for i := range lengths[0] {
			row := &list{items[i*lengths[1] : (i+1)*lengths[1]], elem, elem + "[]"}
			l.items = append(l.items, Value{Type: row.shown, Data: row.sequence()})
		}
		return Value{Type: shown, Data: &grid{l, items}}
	}
	if n.Rank > 2 {
		r.refuse("breakwire makes arrays of one and two dimensions")
	}
	return Value{Type: shown, Data: l.sequence()}
}

// grid is an array of two dimensions.
type grid struct {
	rows *list
	all  []Value
}

// initial reads the elements of an initializer.
func (r *run) initial(n *csharp.Initializer, rank int) (items []Value, lengths []int) {
	lengths = []int{len(n.Items)}
	for _, x := range n.Items {
		inner, nested := x.(*csharp.Initializer)
		if nested != (rank > 1) {
			r.refuse("the initializer has another form than the array")
		}
		if !nested {
			items = append(items, r.known(r.eval(x)))
			continue
		}
		more, sizes := r.initial(inner, rank-1)
		if len(lengths) == 1 {
			lengths = append(lengths, sizes...)
		} else if sizes[0] != lengths[1] {
			r.refuse("the rows of the initializer have different lengths")
		}
		items = append(items, more...)
	}
	return items, lengths
}

// bestType is the type of new[] { ... }.
func (r *run) bestType(items []Value, init *csharp.Initializer) string {
	best := ""
	if slices.ContainsFunc(items, func(v Value) bool { return isObject(v) && !r.valueType(v) }) {
		return r.bestClass(items, init)
	}
	for _, v := range items {
		switch {
		case v.Type == "null" || v.Type == best:
		case best == "" || isNumeric(best) && isNumeric(v.Type) && widens(best, v.Type):
			best = v.Type
		case isNumeric(best) && isNumeric(v.Type) && widens(v.Type, best):
		default:
			r.refuse("the elements are %s and %s: write the type of the array", best, v.Type)
		}
	}
	if best == "" {
		r.refuse("the array has no elements with a type: write it, as in new int[0]")
	}
	return best
}

// bestClass is the declared type of an object among others to which all others convert.
func (r *run) bestClass(items []Value, init *csharp.Initializer) string {
	var types []typeText
	for i, v := range items {
		if v.isNull() {
			continue
		}
		t, ok := typeText{}, false
		if len(init.Items) == len(items) {
			t, ok = r.declaredType(init.Items[i], v)
		}
		if !ok {
			r.refuse("the declared types of the elements are not known: write the type of the array")
		}
		types = append(types, t)
	}
	for _, t := range types {
		if !slices.ContainsFunc(types, func(x typeText) bool {
			yes, certain := r.derives(typeExpr(x.clr), t)
			return x.full != t.full && (!yes || !certain)
		}) {
			return t.full
		}
	}
	r.refuse("no element has a type to which all others convert (CS0826): write the type of the array")
	return ""
}

// assigned converts a value as an assignment to a variable of a type does.
func (r *run) assigned(v Value, typ string) Value {
	inner := strings.TrimSuffix(typ, "?")
	switch {
	case v.isNull():
		if isStruct(typ) {
			r.refuse("a %s is never null", typ)
		}
		return nothing(typ)
	case isNumeric(inner) && isNumeric(v.inner()) && (widens(v.inner(), inner) ||
		v.Const && integers()[inner].bits != 0 && integers()[v.inner()].bits != 0):
		v = r.converted(Value{Type: v.inner(), Data: v.Data, Text: v.Text, Const: v.Const}, inner)
		v.Type = typ
	case isSimple(inner) && v.inner() != inner:
		r.refuse("a %s cannot be stored as %s", v.Type, typ)
	}
	v.Const = false
	return v
}

// newObject is new T(...) { ... } of the types that breakwire can make.
func (r *run) newObject(n *csharp.New) Value {
	if n.Type == nil {
		r.refuse("the type of new() is not known here: write it")
	}
	t := r.typeFor(n.Type)
	head, _, _ := strings.Cut(t.full, "<")
	all := r.given(n.Args)
	args, positional := values(all)
	if !positional {
		return r.newOfProgram(t, all, n.Init)
	}
	switch head {
	case "string":
		return r.newString(args)
	case "System.DateTime", "System.TimeSpan", "System.Guid", "System.DateOnly", "System.TimeOnly":
		if n.Init == nil {
			return r.newMoment(head, args)
		}
	case collections + "List", collections + "HashSet", collections + "Queue", collections + "Stack",
		collections + "Dictionary", collections + "SortedDictionary", collections + "SortedSet":
		return r.newCollection(head, t.full, args, n.Init)
	case collections + "KeyValuePair":
		if len(args) == 2 && n.Init == nil {
			return keyValue(args[0], args[1])
		}
	}
	if n.Init == nil && strings.HasPrefix(t.full, "System.") && strings.HasSuffix(t.full, "Exception") && len(args) > 0 &&
		args[0].Type == "string" && !strings.Contains(t.full, "Argument") {
		inner := nothing("System.Exception")
		if len(args) == 2 {
			inner = args[1]
		}
		if len(args) <= 2 {
			return Value{Type: t.full, Shown: "{" + t.full + "}", Data: &tuple{items: []Value{args[0], inner},
				names: []string{"Message", "InnerException"}}}
		}
	}
	if len(args) == 0 && n.Init == nil {
		return r.zeroStruct(t)
	}
	return r.newOfProgram(t, all, n.Init)
}

// zeroStruct is new T() without arguments, where it is the same as default(T).
func (r *run) zeroStruct(t typeText) Value {
	if isStruct(t.full) {
		return r.zero(t)
	}
	if !r.program.Calls() {
		r.foreign("a call is not allowed here")
	}
	if is := r.must(typeExpr(t.clr) + ".IsValueType"); is.Data == any(true) {
		return r.zero(t)
	}
	var made Value
	if text := r.madeText(t); text != "" && r.attempt(func() { made = r.stored(text, t) }) {
		return made
	}
	return r.newOfProgram(t, nil, nil)
}

// made is a value that a constructor without parameters makes.
func (r *run) made(t typeText) (Value, bool) {
	if text := r.madeText(t); text != "" {
		return r.ask(text)
	}
	return Value{}, false
}

// madeText runs the constructor without parameters, which the runtime calls by names; "" when it cannot.
func (r *run) madeText(t typeText) string {
	if !r.program.Calls() || strings.ContainsAny(t.clr, "[,") {
		return ""
	}
	assembly, ok := r.ask(typeExpr(t.clr) + ".Assembly.GetName().Name")
	name, known := assembly.Data.(string)
	if !ok || !known {
		return ""
	}
	return `System.Activator.CreateInstance(` + quote(name) + `,"` + t.clr + `").Unwrap()`
}

func (r *run) newString(args []Value) Value {
	if len(args) == 2 && args[0].Type == "char" {
		n := r.position(args[1])
		if n < 0 || n > maxElements {
			r.refuse("breakwire makes texts of at most %d characters", maxElements)
		}
		return text(strings.Repeat(r.string(args[0]), n))
	}
	if len(args) == 1 {
		if s, ok := r.sequenceOf(args[0]); ok && s.elem == "char" {
			var u []uint16
			for c := range s.each {
				u = append(u, uint16(c.Data.(*big.Int).Int64()))
			}
			return text(decodeUnits(u))
		}
	}
	r.refuse("breakwire makes texts of a character and a number, or of characters")
	return Value{}
}

// newMoment makes a date or a span by a function that the debugger can call.
func (r *run) newMoment(head string, args []Value) Value {
	var n []int64
	for _, a := range args {
		i, ok := a.Data.(*big.Int)
		if !ok || !i.IsInt64() || a.Type != "int" && a.Type != "long" {
			if s, isText := a.Data.(string); isText && head == "System.Guid" {
				return r.must("System.Guid.Parse(" + quote(s) + ")")
			}
			r.foreign("breakwire makes a %s of whole numbers only", head)
		}
		n = append(n, i.Int64())
	}
	part := func(i int) int64 {
		if i < len(n) {
			return n[i]
		}
		return 0
	}
	const second, day = 10_000_000, 86_400
	long := func(v int64) string { return r.longText(v) }
	switch {
	case len(n) == 0:
		return r.zero(typeText{head, head})
	case head == "System.DateTime" && len(n) == 1:
		return r.must("System.DateTime.MinValue.AddTicks(" + long(n[0]) + ")")
	case head == "System.DateTime" && (len(n) == 3 || len(n) == 6 || len(n) == 7):
		date := r.must("System.DateOnly.MinValue.AddYears(" + r.intText(n[0]-1) + ").AddMonths(" + r.intText(n[1]-1) +
			").AddDays(" + r.intText(n[2]-1) + ").DayNumber")
		days, ok := date.Data.(*big.Int)
		valid := n[0] >= 1 && n[0] <= 9999 && n[1] >= 1 && n[1] <= 12 && n[2] >= 1 && n[2] <= daysIn(n[0], n[1]) &&
			part(3) >= 0 && part(3) < 24 && part(4) >= 0 && part(4) < 60 && part(5) >= 0 && part(5) < 60 && part(6) >= 0 &&
			part(6) < 1000
		if !ok || !valid {
			r.throw("System.ArgumentOutOfRangeException",
				"Year, Month, and Day parameters describe an un-representable DateTime.")
		}
		ticks := (days.Int64()*day+part(3)*3600+part(4)*60+part(5))*second + part(6)*10_000
		return r.must("System.DateTime.MinValue.AddTicks(" + long(ticks) + ")")
	case head == "System.TimeSpan" && len(n) == 1:
		return r.must("System.TimeSpan.FromTicks(" + long(n[0]) + ")")
	case head == "System.TimeSpan" && len(n) == 3:
		return r.must("System.TimeSpan.FromTicks(" + long((n[0]*3600+n[1]*60+n[2])*second) + ")")
	case head == "System.TimeSpan" && (len(n) == 4 || len(n) == 5):
		return r.must("System.TimeSpan.FromTicks(" +
			long((n[0]*day+n[1]*3600+n[2]*60+n[3])*second+part(4)*10_000) + ")")
	case head == "System.DateOnly" && len(n) == 3 && n[0] >= 1 && n[0] <= 9999 && n[1] >= 1 && n[1] <= 12 && n[2] >= 1 &&
		n[2] <= daysIn(n[0], n[1]):
		return r.must("System.DateOnly.MinValue.AddYears(" + r.intText(n[0]-1) + ").AddMonths(" + r.intText(n[1]-1) +
			").AddDays(" + r.intText(n[2]-1) + ")")
	}
	if head == "System.TimeOnly" && len(n) >= 2 && len(n) <= 4 && n[0] >= 0 && n[0] < 24 && n[1] >= 0 && n[1] < 60 &&
		part(2) >= 0 && part(2) < 60 && part(3) >= 0 && part(3) < 1000 {
		return r.must("System.TimeOnly.FromTimeSpan(System.TimeSpan.FromTicks(" +
			long((n[0]*3600+n[1]*60+part(2))*second+part(3)*10_000) + "))")
	}
	r.foreign("breakwire does not make a %s of these arguments", head)
	return Value{}
}

func daysIn(year, month int64) int64 {
	switch {
	case month == 2 && (year%4 == 0 && year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

func (r *run) longText(n int64) string {
	text, _ := r.spoken(Value{Type: "long", Data: big.NewInt(n)})
	return text
}

func (r *run) intText(n int64) string {
	text, _ := r.spoken(Value{Type: "int", Data: big.NewInt(n)})
	return text
}

// newCollection makes a collection of the runtime with its elements.
func (r *run) newCollection(head, full string, args []Value, init *csharp.Initializer) Value {
	kind := strings.TrimPrefix(head, collections)
	types := splitTypes(full)
	l := &list{shown: full}
	pairs := len(types) == 2
	l.elem = types[0]
	if pairs {
		l.elem = collections + "KeyValuePair<" + strings.Join(types, ", ") + ">"
	}
	switch {
	case len(args) > 1 || pairs && len(args) == 1:
		r.refuse("breakwire makes a %s of its elements", kind)
	case len(args) == 1 && args[0].Type == "int": // its capacity
	case len(args) == 1:
		l.items = r.all(r.argument(args, 0))
	}
	if init != nil {
		for _, x := range init.Items {
			switch x := x.(type) {
			case *csharp.Initializer:
				if !pairs || len(x.Items) != 2 {
					r.refuse("breakwire makes a %s of its elements", kind)
				}
				l.items = append(l.items, r.pair(types, r.known(r.eval(x.Items[0])), r.known(r.eval(x.Items[1]))))
			case *csharp.Assign:
				at, ok := x.L.(*csharp.Indexed)
				if !ok || !pairs || len(at.Args) != 1 {
					r.refuse("breakwire sets no properties of a %s", kind)
				}
				l.items = append(l.items, r.pair(types, r.known(r.eval(at.Args[0].Value)), r.known(r.eval(x.R))))
			default:
				l.items = append(l.items, r.assigned(r.known(r.eval(x)), types[0]))
			}
		}
	}
	first := func(v Value) Value {
		if pairs {
			return v.Data.(*tuple).items[0]
		}
		return v
	}
	if kind != "List" && kind != "Queue" && kind != "Stack" {
		if n := len(l.items); n != len(r.distinct(l.items, first)) {
			if pairs {
				r.refuse("two entries have the same key")
			}
			l.items = r.distinct(l.items, first)
		}
	}
	s := l.sequence()
	switch {
	case strings.HasPrefix(kind, "Sorted"):
		sorted := r.sorted(s, []order{{key: func(x ...Value) Value { return first(x[0]) }}}).Data.(*sequence)
		l.items = r.all(sorted)
	case kind == "Stack":
		reverse(l.items)
	}
	out := l.sequence()
	if kind != "List" {
		out.index = nil
	}
	return Value{Type: full, Data: out}
}

func (r *run) pair(types []string, k, v Value) Value {
	pair := keyValue(r.assigned(k, types[0]), r.assigned(v, types[1]))
	pair.Type = collections + "KeyValuePair<" + strings.Join(types, ", ") + ">"
	return pair
}

// splitTypes returns the type arguments of a name.
func splitTypes(full string) []string {
	_, args := mapping.GenericType(full)
	return mapping.TypeArguments(args)
}
