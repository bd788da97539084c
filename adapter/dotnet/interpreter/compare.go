package interpreter

import (
	"math/big"
	"sort"
	"strings"
)

// compare is the order of two values that LINQ sorts by.
func (r *run) compare(a, b Value) int {
	switch {
	case a.isNull() && b.isNull():
		return 0
	case a.isNull():
		return -1
	case b.isNull():
		return 1
	}
	if x, ok := a.Data.(bool); ok {
		y, _ := b.Data.(bool)
		if x == y {
			return 0
		}
		if x {
			return 1
		}
		return -1
	}
	if x, ok := a.Data.(string); ok {
		if y, ok := b.Data.(string); ok {
			return r.compareTexts(x, y)
		}
	}
	if t, ok := a.Data.(*tuple); ok {
		if u, ok := b.Data.(*tuple); ok && a.Type != "anonymous type" && len(t.items) == len(u.items) {
			for i := range t.items {
				if c := r.compare(t.items[i], u.items[i]); c != 0 {
					return c
				}
			}
			return 0
		}
	}
	if r.truth(r.combine("<", a, b)) {
		return -1
	}
	if r.truth(r.combine(">", a, b)) {
		return 1
	}
	return 0
}

// compareTexts compares as the culture of the program does, where all cultures agree; else it asks the program.
func (r *run) compareTexts(a, b string) int {
	if a == b {
		return 0
	}
	letters := func(s string) bool {
		return strings.IndexFunc(s, func(c rune) bool {
			return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
		}) < 0
	}
	x, y := strings.ToLower(a), strings.ToLower(b)
	if letters(a) && letters(b) && x != y && (x < y) == (a < b) {
		return map[bool]int{true: -1, false: 1}[x < y]
	}
	n, ok := r.must(quote(a) + ".CompareTo(" + quote(b) + ")").Data.(*big.Int)
	if !ok {
		r.refuse("the order of the texts %s and %s depends on the culture", quote(a), quote(b))
	}
	return n.Sign()
}

// same reports whether two values are equal as the default comparer of their type says.
func (r *run) same(a, b Value) bool {
	switch {
	case a.isNull() || b.isNull():
		return a.isNull() && b.isNull()
	}
	if x, ok := a.Data.(*tuple); ok {
		y, ok := b.Data.(*tuple)
		if !ok || len(x.items) != len(y.items) {
			return false
		}
		for i := range x.items {
			if !r.same(x.items[i], y.items[i]) {
				return false
			}
		}
		return true
	}
	if isNumeric(a.inner()) && isNumeric(b.inner()) {
		a, b = r.exact(a), r.exact(b)
		if x, ok := a.Data.(float64); ok {
			if y, ok := b.Data.(float64); ok && x != x && y != y { // the comparer holds two NaN for equal
				return true
			}
		}
	}
	a.Type, b.Type = a.inner(), b.inner()
	got := Value{}
	if !r.try(func() { got = r.combine("==", a, b) }) || a.Data == nil && !isValueType(a) {
		if a.Text != "" && a.Text == b.Text && isPlain(a.Text) {
			return true
		}
		r.refuse("breakwire does not compare references of %s", a.Type)
	}
	return r.truth(got)
}

// isValueType reports whether == of the program's operators means what the default comparer does.
func isValueType(v Value) bool {
	return structs()[v.inner()] || v.Shown != "" && !strings.HasPrefix(v.Shown, "{")
}

func (r *run) distinct(all []Value, key func(Value) Value) (out []Value) {
	var keys []Value
	known := map[string]bool{}
next:
	for _, x := range all {
		k := key(x)
		if text, ok := plainKey(k); ok {
			if known[text] {
				continue
			}
			known[text] = true
			out = append(out, x)
			continue
		}
		for _, have := range keys {
			if r.same(k, have) {
				continue next
			}
		}
		keys = append(keys, k)
		out = append(out, x)
	}
	return out
}

// plainKey writes a value so that equal values have equal texts.
func plainKey(v Value) (string, bool) {
	switch data := v.Data.(type) {
	case null:
		return "n", true
	case string:
		return "s" + data, true
	case bool:
		return map[bool]string{true: "t", false: "f"}[data], true
	case *big.Int:
		return v.inner() + data.String(), true
	}
	return "", false
}

// order is a key of OrderBy.
type order struct {
	key        func(...Value) Value
	descending bool
}

func (r *run) sorted(s *sequence, orders []order) Value {
	out := &sequence{elem: s.elem, shown: "System.Linq.IOrderedEnumerable<" + s.elem + ">", orders: orders, source: s}
	out.each = func(yield func(Value) bool) {
		all := r.all(s)
		keys := make([][]Value, len(all))
		for i, x := range all {
			for _, o := range orders {
				keys[i] = append(keys[i], o.key(x))
			}
		}
		index := make([]int, len(all))
		for i := range index {
			index[i] = i
		}
		sort.SliceStable(index, func(a, b int) bool {
			for i, o := range orders {
				if c := r.compare(keys[index[a]][i], keys[index[b]][i]); c != 0 {
					return (c < 0) != o.descending
				}
			}
			return false
		})
		for _, i := range index {
			if !yield(all[i]) {
				return
			}
		}
	}
	return Value{Type: out.shown, Data: out}
}
