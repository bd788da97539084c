package interpreter

import (
	"math/big"
	"strings"
	"sync"

	"breakwire/mapping/csharp"
)

// sequenceMethods are the methods that breakwire computes over elements.
var sequenceMethods = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq("Where Select SelectMany First FirstOrDefault Last LastOrDefault Single " +
		"SingleOrDefault Any All Count LongCount Sum Min Max Average Aggregate OrderBy OrderByDescending ThenBy " +
		"ThenByDescending Order OrderDescending GroupBy ToLookup ToDictionary ToList ToArray ToHashSet Distinct " +
		"DistinctBy Skip Take SkipWhile TakeWhile " +
		"SkipLast TakeLast Zip Concat Union Intersect Except SequenceEqual Append Prepend Chunk MinBy MaxBy DefaultIfEmpty " +
		"ElementAt ElementAtOrDefault Cast OfType AsEnumerable Reverse Contains Exists Find FindAll FindIndex FindLast " +
		"TrueForAll ConvertAll IndexOf BinarySearch Peek Join") {
		out[name] = true
	}
	return out
})

// linq computes a method of a sequence.
func (r *run) linq(v Value, s *sequence, of *csharp.Member, args []Value) Value {
	name := of.Name
	f := func(i int) func(...Value) Value {
		if i >= len(args) {
			r.foreign("%s takes more arguments", name)
		}
		if fn, ok := args[i].Data.(*function); ok {
			return func(x ...Value) Value { return fn.call(x[:min(len(x), len(fn.params))]) }
		}
		if !isDelegate(args[i].Type) {
			r.foreign("%s takes a lambda", name)
		}
		return func(x ...Value) Value { return r.invoke(args[i], x[:1]) }
	}
	lazy := func(elem string, each func(yield func(Value) bool)) Value {
		out := &sequence{elem: elem, each: each}
		return Value{Type: enumerable + elem + ">", Data: out}
	}
	test := func() func(Value) bool {
		if len(args) == 0 {
			return func(Value) bool { return true }
		}
		p := f(0)
		return func(x Value) bool { return r.truth(p(x)) }
	}
	switch name {
	case "Where":
		p := f(0)
		return lazy(s.elem, func(yield func(Value) bool) {
			i := int64(0)
			for x := range s.each {
				keep := r.truth(p(x, whole(i)))
				if i++; keep && !yield(x) {
					return
				}
			}
		})
	case "Select", "ConvertAll":
		p := f(0)
		out := lazy("", func(yield func(Value) bool) {
			i := int64(0)
			for x := range s.each {
				got := p(x, whole(i))
				if i++; !yield(got) {
					return
				}
			}
		})
		if name == "ConvertAll" {
			return r.collected(out.Data.(*sequence), "List")
		}
		return out
	case "SelectMany":
		return r.selectMany(s, f, len(args), lazy)
	case "Any", "Exists":
		if s.size != nil && len(args) == 0 {
			return boolean(s.size() > 0)
		}
		p := test()
		for x := range s.each {
			if p(x) {
				return boolean(true)
			}
		}
		return boolean(false)
	case "All", "TrueForAll":
		p := test()
		for x := range s.each {
			if !p(x) {
				return boolean(false)
			}
		}
		return boolean(true)
	case "Count", "LongCount":
		n := int64(0)
		if s.size != nil && len(args) == 0 {
			n = int64(s.size())
		} else {
			p := test()
			for x := range s.each {
				if p(x) {
					n++
				}
			}
		}
		if name == "LongCount" {
			return Value{Type: "long", Data: big.NewInt(n)}
		}
		return whole(n)
	case "First", "FirstOrDefault", "Last", "LastOrDefault", "Single", "SingleOrDefault", "Find", "FindLast", "FindIndex",
		"ElementAt", "ElementAtOrDefault", "Peek":
		return r.one(s, name, args, test)
	case "ToList", "ToArray", "ToHashSet", "FindAll":
		if name == "FindAll" {
			return r.collected(r.linq(v, s, &csharp.Member{Name: "Where"}, args).Data.(*sequence), "List")
		}
		return r.collected(s, strings.TrimPrefix(name, "To"))
	case "AsEnumerable":
		return lazy(s.elem, s.each)
	case "Cast", "OfType":
		return r.castAll(s, of, lazy)
	case "Contains", "IndexOf":
		if len(args) != 1 {
			break
		}
		i := int64(0)
		for x := range s.each {
			if r.same(x, args[0]) {
				if name == "IndexOf" {
					return whole(i)
				}
				return boolean(true)
			}
			i++
		}
		if name == "IndexOf" {
			return whole(-1)
		}
		return boolean(false)
	case "SequenceEqual":
		other := r.argument(args, 0)
		a, b := r.all(s), r.all(other)
		if len(a) != len(b) {
			return boolean(false)
		}
		for i := range a {
			if !r.same(a[i], b[i]) {
				return boolean(false)
			}
		}
		return boolean(true)
	case "Sum", "Average", "Min", "Max", "Aggregate", "MinBy", "MaxBy":
		return r.aggregate(s, name, args, f)
	case "BinarySearch":
		r.foreign("the program searches")
	}
	return r.rearranged(v, s, of, args, f, lazy)
}

// argument is an argument that is a sequence itself.
func (r *run) argument(args []Value, i int) *sequence {
	if i >= len(args) {
		r.foreign("an argument is missing")
	}
	s, ok := r.sequenceOf(args[i])
	if !ok {
		r.refuse("breakwire does not know the elements of a %s", args[i].Type)
	}
	return s
}

type lazily func(elem string, each func(yield func(Value) bool)) Value

func (r *run) selectMany(s *sequence, f func(int) func(...Value) Value, count int, lazy lazily) Value {
	p := f(0)
	var result func(...Value) Value
	if count > 1 {
		result = f(1)
	}
	return lazy("", func(yield func(Value) bool) {
		i := int64(0)
		for x := range s.each {
			inner, ok := r.sequenceOf(p(x, whole(i)))
			if !ok {
				r.refuse("breakwire does not know the elements of what the lambda gives")
			}
			i++
			for y := range inner.each {
				if result != nil {
					y = result(x, y)
				}
				if !yield(y) {
					return
				}
			}
		}
	})
}

func (r *run) castAll(s *sequence, of *csharp.Member, lazy lazily) Value {
	if len(of.Args) != 1 {
		r.foreign("%s takes a type", of.Name)
	}
	t := r.typeFor(of.Args[0])
	return lazy(t.full, func(yield func(Value) bool) {
		for x := range s.each {
			yes, certain := r.isType(x, t)
			switch {
			case !certain:
				r.refuse("whether a %s is a %s cannot be told", x.Type, t.full)
			case !yes && x.isNull() && of.Name == "Cast" && !isStruct(t.full):
			case !yes && of.Name == "Cast":
				r.throw("System.InvalidCastException", "Unable to cast an element of type %s to %s.", x.Type, t.full)
			case !yes:
				continue
			case x.Boxed:
				x = r.opened(x)
			}
			if !yield(x) {
				return
			}
		}
	})
}

// one is a method that gives an element.
func (r *run) one(s *sequence, name string, args []Value, test func() func(Value) bool) Value {
	orDefault := strings.HasSuffix(name, "OrDefault") || strings.HasPrefix(name, "Find")
	none := func(message string) Value {
		if !orDefault {
			r.throw("System.InvalidOperationException", "%s", message)
		}
		if len(args) == 1 && args[0].Type != "lambda" && !strings.HasPrefix(name, "Find") && !isDelegate(args[0].Type) {
			return args[0]
		}
		if s.elem == "" {
			r.refuse("the type of the elements is not known, so its default neither")
		}
		return r.zero(r.typeFor(r.parseType(s.elem)))
	}
	p := func(Value) bool { return true }
	if len(args) > 0 && (args[0].Type == "lambda" || isDelegate(args[0].Type)) {
		p = test()
	}
	message := "Sequence contains no elements"
	if len(args) > 0 {
		message = "Sequence contains no matching element"
	}
	switch {
	case strings.HasPrefix(name, "ElementAt"):
		i := r.position(args[0])
		for x := range s.each {
			if i == 0 {
				return x
			}
			i--
		}
		if !orDefault {
			r.throw("System.ArgumentOutOfRangeException", "Index was out of range.")
		}
		args = nil
		return none(message)
	case strings.HasPrefix(name, "Last") || name == "FindLast":
		if s.index != nil && s.size != nil && len(args) == 0 {
			if last, ok := s.index(s.size() - 1); ok {
				return last
			}
			return none(message)
		}
		found, ok := Value{}, false
		for x := range s.each {
			if p(x) {
				found, ok = x, true
			}
		}
		if !ok {
			return none(message)
		}
		return found
	case strings.HasPrefix(name, "Single"):
		found, n := Value{}, 0
		for x := range s.each {
			if p(x) {
				if found, n = x, n+1; n > 1 {
					r.throw("System.InvalidOperationException", "Sequence contains more than one matching element")
				}
			}
		}
		if n == 0 {
			return none(message)
		}
		return found
	case name == "FindIndex":
		i := int64(0)
		for x := range s.each {
			if p(x) {
				return whole(i)
			}
			i++
		}
		return whole(-1)
	}
	if s.index != nil && s.size != nil && len(args) == 0 {
		if first, ok := s.index(0); ok {
			return first
		}
		return none(message)
	}
	for x := range s.each {
		if p(x) {
			return x
		}
	}
	return none(message)
}

// collected makes a list, an array or a set.
func (r *run) collected(s *sequence, kind string) Value {
	l := r.listed(s)
	if l.elem == "" {
		r.unknownElements(l, kind)
	}
	switch kind {
	case "Array":
		l.shown = l.elem + "[]"
		if i := strings.Index(l.elem, "["); i > 0 {
			l.shown = l.elem[:i] + "[]" + l.elem[i:]
		}
	case "HashSet":
		l.items = r.distinct(l.items, func(v Value) Value { return v })
		l.shown = collections + "HashSet<" + l.elem + ">"
	default:
		l.shown = collections + "List<" + l.elem + ">"
	}
	return Value{Type: l.shown, Data: l.sequence()}
}

// unknownElements names the type of a sequence without elements and without a known type.
func (r *run) unknownElements(l *list, kind string) {
	l.elem = "object"
	r.notes = append(r.notes, "the type of the elements is not known, because there are none")
	_ = kind
}
