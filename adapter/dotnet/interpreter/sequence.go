package interpreter

import (
	"iter"
	"math/big"
	"strings"

	"breakwire/mapping"
)

// sequence is an enumeration. Its elements are read when they are needed.
type sequence struct {
	each  iter.Seq[Value]
	elem  string     // the type of the elements; "" when it is not known
	shown string     // the type of the sequence
	key   *Value     // of a group
	size  func() int // nil when only the elements tell it
	// index reads an element; nil when the sequence has no indexes.
	index func(i int) (Value, bool)
	// less compares the elements of an ordered sequence, for ThenBy.
	orders []order
	source *sequence // of an ordered sequence
}

// list is a sequence whose elements are all read.
type list struct {
	items       []Value
	elem, shown string
}

const maxShown = 20

func (l *list) show(r *run) string {
	var out strings.Builder
	pairs := len(l.items) > 0 && (strings.Contains(l.shown, "Dictionary<") || strings.Contains(l.shown, "Lookup<"))
	out.WriteString(map[bool]string{true: "{", false: "["}[pairs])
	for i, v := range l.items {
		if i > 0 {
			out.WriteString(", ")
		}
		if i == maxShown {
			out.WriteString("...")
			break
		}
		if t, ok := v.Data.(*tuple); ok && pairs {
			out.WriteString(r.show(t.items[0]) + ": " + r.inside(t.items[1]))
			continue
		}
		out.WriteString(r.inside(v))
	}
	out.WriteString(map[bool]string{true: "}", false: "]"}[pairs])
	return out.String()
}

// inside shows an element.
func (r *run) inside(v Value) string {
	if s, ok := v.Data.(*sequence); ok {
		return r.listed(s).show(r)
	}
	return r.show(v)
}

func (l *list) sequence() *sequence {
	s := &sequence{elem: l.elem, shown: l.shown, size: func() int { return len(l.items) }}
	s.each = func(yield func(Value) bool) {
		for _, v := range l.items {
			if !yield(v) {
				return
			}
		}
	}
	s.index = func(i int) (Value, bool) {
		if i < 0 || i >= len(l.items) {
			return Value{}, false
		}
		return l.items[i], true
	}
	return s
}

// of is a sequence of the same type with other elements.
func (s *sequence) of(items []Value) *sequence { return (&list{items, s.elem, s.shown}).sequence() }

// all reads all elements.
func (r *run) all(s *sequence) []Value {
	var out []Value
	for v := range s.each {
		out = append(out, v)
	}
	return out
}

func (r *run) listed(s *sequence) *list {
	l := &list{r.all(s), s.elem, s.shown}
	if l.elem == "" && len(l.items) > 0 {
		l.elem = l.items[0].Type
	}
	return l
}

// element counts an element that is read.
func (r *run) element() {
	if r.elements++; r.elements > maxElements {
		r.refuse("it reads more than %d elements", maxElements)
	}
}

const enumerable = "System.Collections.Generic.IEnumerable<"

func (s *sequence) typeName() string {
	if s.shown != "" {
		return s.shown
	}
	return enumerable + s.elem + ">"
}

// sequenceOf returns the elements of a value. ok is false when they cannot be read.
func (r *run) sequenceOf(v Value) (*sequence, bool) {
	s, ok := r.elementsOf(v)
	if !ok || v.Names == nil {
		return s, ok
	}
	named := *s
	named.each = func(yield func(Value) bool) {
		for x := range s.each {
			if !yield(withElementNames(x, v.Names)) {
				return
			}
		}
	}
	if s.index != nil {
		named.index = func(i int) (Value, bool) {
			x, ok := s.index(i)
			return withElementNames(x, v.Names), ok
		}
	}
	return &named, true
}

func (r *run) elementsOf(v Value) (*sequence, bool) {
	switch data := v.Data.(type) {
	case *sequence:
		return data, true
	case *list:
		return data.sequence(), true
	case string:
		s := units(data)
		l := &list{elem: "char", shown: "string"}
		for _, u := range s {
			l.items = append(l.items, Value{Type: "char", Data: big.NewInt(int64(u))})
		}
		return l.sequence(), true
	case nil:
	default:
		return nil, false
	}
	if v.Text == "" {
		return nil, false
	}
	if _, count, ok := mapping.ArrayText(v.Shown); ok {
		return r.array(v, count), true
	}
	name, args := mapping.GenericType(v.Type)
	types := mapping.TypeArguments(args)
	elem := ""
	if len(types) > 0 {
		elem = types[0]
	}
	field := func(path string) Value { return r.child(v, path) }
	number := func(path string) int {
		n, ok := field(path).Data.(*big.Int)
		if !ok || !n.IsInt64() {
			r.refuse("the debugger does not tell %s of %s", path, v.Text)
		}
		return int(n.Int64())
	}
	stored := func(path string, from, count int) iter.Seq[Value] { return r.cells(field(path), from, count) }
	short := strings.TrimPrefix(name, collections)
	s := &sequence{elem: elem, shown: v.Type}
	switch short {
	case "List":
		size := number("_size")
		s.size = func() int { return size }
		s.each = func(yield func(Value) bool) {
			if size > 0 {
				stored("_items", 0, size)(yield)
			}
		}
		s.index = func(i int) (Value, bool) {
			if i < 0 || i >= size {
				return Value{}, false
			}
			if !r.mayRepeat(v.Text) {
				return collect(stored("_items", i, 1))[0], true
			}
			return r.must(v.Text + "[" + big.NewInt(int64(i)).String() + "]"), true
		}
	case "Stack":
		all := collect(stored("_array", 0, number("_size")))
		reverse(all)
		return s.of(all), true
	case "Queue":
		head, size := number("_head"), number("_size")
		all := collect(r.cells(field("_array"), 0, 0))
		var out []Value
		for i := range size {
			out = append(out, all[(head+i)%len(all)])
		}
		return s.of(out), true
	case "HashSet", "Dictionary":
		s.size = func() int { return number("_count") - number("_freeCount") }
		next, key, value := "Next", "", "Value"
		if short == "Dictionary" {
			next, key, value = "next", "key", "value"
			s.elem = collections + "KeyValuePair<" + strings.Join(types, ", ") + ">"
		}
		s.each = func(yield func(Value) bool) {
			for _, x := range r.entries(v, number("_count"), next, key, value) {
				if !yield(x) {
					return
				}
			}
		}
	case "Dictionary.KeyCollection", "Dictionary.ValueCollection", "SortedDictionary.KeyCollection",
		"SortedDictionary.ValueCollection":
	case "LinkedList":
		return s.of(r.linked(v, number("count"))), true
	case "SortedSet":
		return s.of(r.tree(field("root"))), true
	case "SortedDictionary":
		s.elem = collections + "KeyValuePair<" + strings.Join(types, ", ") + ">"
		return s.of(r.tree(field("_set.root"))), true
	default:
		return r.otherSequence(v, name, elem)
	}
	if s.each == nil {
		return r.otherSequence(v, name, elem)
	}
	return s, true
}

func collect(each iter.Seq[Value]) (out []Value) {
	for v := range each {
		out = append(out, v)
	}
	return out
}

func reverse(all []Value) {
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
}

// array has the elements of an array, in the order of its memory.
func (r *run) array(v Value, count int) *sequence {
	elem := v.Type
	if i := strings.LastIndexByte(elem, '['); i > 0 {
		elem = elem[:i]
	}
	if i := strings.IndexByte(v.Type, '['); strings.Count(v.Type, "[]") > 1 && i > 0 { // int[][] has int[]
		elem = strings.TrimSuffix(v.Type, "[]")
	}
	s := &sequence{elem: elem, shown: v.Type, each: r.cells(v, 0, count), size: func() int { return count }}
	if len(mapping.ArrayLengths(v.Shown)) == 1 {
		s.index = func(i int) (Value, bool) {
			if i < 0 || i >= count {
				return Value{}, false
			}
			if !r.mayRepeat(v.Text) {
				return collect(r.cells(v, i, 1))[0], true
			}
			return r.must(v.Text + "[" + big.NewInt(int64(i)).String() + "]"), true
		}
	}
	return s
}

const cellsAtOnce = 100

// cells reads elements of an array; count 0 reads all.
func (r *run) cells(array Value, from, count int) iter.Seq[Value] {
	if _, length, ok := mapping.ArrayText(array.Shown); ok && (count == 0 || from+count > length) {
		count = length - from
	}
	return func(yield func(Value) bool) {
		for at := 0; at < count; {
			some := r.members(array, from+at, min(cellsAtOnce, count-at))
			if len(some) == 0 {
				r.refuse("the debugger does not list the elements of %s", array.Text)
			}
			for _, v := range some {
				r.element()
				if at++; !yield(v) {
					return
				}
			}
		}
	}
}

// entries reads a hash table.
func (r *run) entries(v Value, count int, next, key, value string) []Value {
	table := r.child(v, "_entries")
	var out []Value
	if table.isNull() {
		return nil
	}
	for entry := range r.cells(table, 0, count) {
		var k, x Value
		free, found := false, false
		for _, m := range r.members(entry, 0, 0) {
			switch m.Name {
			case next:
				n, ok := m.Data.(*big.Int)
				free = ok && n.Cmp(big.NewInt(-1)) < 0
			case key:
				k = m
			case value:
				x, found = m, true
			}
		}
		switch {
		case free:
		case !found:
			r.refuse("the debugger does not tell the entries of %s", v.Text)
		case key == "":
			out = append(out, x)
		default:
			out = append(out, keyValue(k, x))
		}
	}
	return out
}

func keyValue(k, v Value) Value {
	return Value{Type: collections + "KeyValuePair<" + k.Type + ", " + v.Type + ">",
		Data: &tuple{items: []Value{k, v}, names: []string{"Key", "Value"}}}
}

func (r *run) linked(v Value, count int) (out []Value) {
	for i := range count {
		v = r.child(v, map[bool]string{true: "head", false: "next"}[i == 0])
		r.element()
		out = append(out, r.child(v, "item"))
	}
	return out
}

// tree reads a sorted set from left to right.
func (r *run) tree(node Value) (out []Value) {
	if node.isNull() {
		return nil
	}
	var left, right, item Value
	for _, m := range r.members(node, 0, 0) {
		switch m.Name {
		case "Left", "<Left>k__BackingField":
			left = m
		case "Right", "<Right>k__BackingField":
			right = m
		case "Item", "<Item>k__BackingField":
			item = m
		}
	}
	if strings.HasPrefix(item.Type, collections+"KeyValuePair<") {
		item = keyValue(r.child(item, "key"), r.child(item, "value"))
	}
	if !left.isNull() {
		out = append(out, r.tree(left)...)
	}
	r.element()
	out = append(out, item)
	if !right.isNull() {
		out = append(out, r.tree(right)...)
	}
	return out
}

// otherSequence reads views of collections, lazy sequences of LINQ over them, and what enumerates one of them.
func (r *run) otherSequence(v Value, name, elem string) (*sequence, bool) {
	inner := func(path string) (*sequence, bool) {
		var of Value
		if r.mayRepeat(v.Text) {
			of, _ = r.ask(v.Text + path)
		} else {
			r.attempt(func() { of = r.child(v, path[1:]) })
		}
		if of.Type == "" || of.isNull() {
			return nil, false
		}
		return r.sequenceOf(of)
	}
	part := func(i int) (*sequence, bool) {
		s, ok := inner("._dictionary")
		if !ok {
			return nil, false
		}
		var out []Value
		for e := range s.each {
			out = append(out, e.Data.(*tuple).items[i])
		}
		types := mapping.TypeArguments(strings.TrimSuffix(strings.TrimPrefix(s.elem, collections+"KeyValuePair<"), ">"))
		l := &list{items: out, shown: v.Type}
		if len(types) == 2 {
			l.elem = types[i]
		}
		return l.sequence(), true
	}
	switch {
	case strings.HasSuffix(v.Type, ".KeyCollection"):
		return part(0)
	case strings.HasSuffix(v.Type, ".ValueCollection"):
		return part(1)
	case strings.HasPrefix(v.Type, "System.Collections.Immutable.ImmutableArray<"):
		s, ok := inner(".array")
		if ok {
			s.shown = v.Type
		}
		return s, ok
	case strings.HasPrefix(v.Type, "System.Collections.ObjectModel.ReadOnlyCollection<"):
		s, ok := inner(".list")
		if ok {
			s.shown = v.Type
		}
		return s, ok
	case strings.HasPrefix(name, "System.Linq.Enumerable.") && r.program.Calls():
		return r.iterator(v, name, elem, inner)
	case isSimple(v.inner()) || strings.HasPrefix(v.Type, "System.") || !r.program.Calls() || !r.mayRepeat(v.Text):
		return nil, false
	}
	e, ok := r.ask(v.Text + ".GetEnumerator()")
	if !ok || !strings.HasSuffix(strings.SplitN(e.Type, "<", 2)[0], "List") {
		return nil, false
	}
	s, ok := inner(".GetEnumerator()._list")
	if ok {
		s.shown, s.index, s.size = v.Type, nil, nil
	}
	return s, ok
}

// iterator enumerates Where and Select of LINQ by their delegates, element by element, as the program would.
func (r *run) iterator(v Value, name, elem string, inner func(string) (*sequence, bool)) (*sequence, bool) {
	kind := strings.TrimPrefix(name, "System.Linq.Enumerable.")
	where, selects := strings.HasSuffix(kind, "WhereIterator"), strings.HasSuffix(kind, "SelectIterator") &&
		!strings.Contains(kind, "Where") && !strings.Contains(kind, "Many") && !strings.Contains(kind, "SelectList")
	if !where && !selects {
		return nil, false
	}
	source, ok := inner("._source")
	if !ok {
		return nil, false
	}
	call := "._predicate.Invoke("
	if selects {
		call = "._selector.Invoke("
	}
	s := &sequence{elem: source.elem, shown: enumerable + elem + ">"}
	if selects {
		s.elem = ""
	}
	s.each = func(yield func(Value) bool) {
		for x := range source.each {
			text, ok := r.spoken(x)
			if !ok {
				r.refuse("the debugger cannot call the lambda of %s", v.Text)
			}
			got := r.must(v.Text + call + text + ")")
			switch {
			case selects:
				if !yield(got) {
					return
				}
			case r.truth(got):
				if !yield(x) {
					return
				}
			}
		}
	}
	return s, true
}
