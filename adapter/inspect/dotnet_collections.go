package inspect

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"breakwire/mapping"

	"github.com/google/go-dap"
)

// collection names the fields in which a collection of the runtime keeps its elements.
type collection struct {
	array   string // the field with the elements
	size    string // the field that counts them
	free    string // the field that counts the free entries among them, in hash tables
	next    string // the field of an entry that is below -1 when the entry is free
	key     string // the fields of an entry
	value   string
	reverse bool   // the last element is shown first
	head    string // the field with the index of the first element
}

const generic = "System.Collections.Generic."

// collections has no SortedList: its keys and values are two arrays, which are shown as they are.
var collections = sync.OnceValue(func() map[string]collection {
	return map[string]collection{
		generic + "List":    {array: "_items", size: "_size"},
		generic + "Stack":   {array: "_array", size: "_size", reverse: true},
		generic + "Queue":   {array: "_array", size: "_size", head: "_head"},
		generic + "HashSet": {array: "_entries", size: "_count", free: "_freeCount", next: "Next", value: "Value"},
		generic + "Dictionary": {array: "_entries", size: "_count", free: "_freeCount", next: "next", key: "key",
			value: "value"},
	}
})

func collectionOf(typ string) (collection, bool) {
	name, args := mapping.GenericType(typ)
	if args == "" {
		return collection{}, false
	}
	c, ok := collections()[name]
	return c, ok
}

// countOf returns the number of elements of a collection.
func (v *View) countOf(n node) (int, bool) {
	if c, ok := collectionOf(n.Type); ok {
		return v.count(n, c)
	}
	if c, ok := linkedOf(n.Type); ok {
		return v.linkedCount(n, c)
	}
	return 0, false
}

func (v *View) count(n node, c collection) (int, bool) {
	number := func(field string) (int, bool) {
		f, ok := v.field(n, field)
		if !ok {
			return 0, false
		}
		i, err := strconv.Atoi(f.Value)
		return i, err == nil
	}
	count, ok := number(c.size)
	if !ok {
		return 0, false
	}
	if c.free != "" {
		free, ok := number(c.free)
		if !ok {
			return 0, false
		}
		count -= free
	}
	return count, count >= 0
}

// elements lists the elements of a collection. ok is false for other values, and when its fields cannot be read.
func (v *View) elements(it item) (l listing, ok bool, err error) {
	c, ok := collectionOf(it.Type)
	if !ok {
		l, ok := v.linkedElements(it)
		return l, ok, nil
	}
	count, ok := v.count(it.node, c)
	if !ok {
		return listing{}, false, nil
	}
	if count == 0 {
		return fixed(nil), true, nil
	}
	array, ok := v.field(it.node, c.array)
	if !ok || array.VariablesReference == 0 {
		return listing{}, false, nil
	}
	_, capacity, _ := mapping.ArrayText(array.Value)
	if array.EvaluateName == "" {
		array.EvaluateName = it.path + "." + c.array
	}
	raw := v.paged(item{node: array, scope: it.scope, path: array.EvaluateName}, capacity, "")
	probe, err := raw.at(0, 1)
	if err != nil || len(probe) == 0 {
		return listing{}, false, nil // not readable: show its fields
	}
	if c.value != "" {
		return v.entries(it, c, raw, count, capacity), true, nil
	}
	head := 0
	if c.head != "" {
		f, ok := v.field(it.node, c.head)
		if head, err = strconv.Atoi(f.Value); !ok || err != nil {
			return listing{}, false, nil
		}
	}
	return c.list(it, array.EvaluateName, raw, count, capacity, head), true, nil
}

// list lists elements that are stored in the array itself (raw): in reverse, or as a ring that begins at head.
func (c collection) list(it item, array string, raw listing, count, capacity, head int) listing {
	// named names consecutive elements of the array. index is that of the first one.
	named := func(got []item, index int) []item {
		for i := range got {
			e := &got[i]
			e.name, e.scope = "["+strconv.Itoa(index+i)+"]", it.scope
			switch {
			case c.head == "" && !c.reverse: // the collection itself can be indexed
				e.path = it.path + e.name
			case e.path == "":
				e.path = array + e.Name
			}
		}
		return got
	}
	if c.reverse {
		return listing{total: count, at: func(start, n int) ([]item, error) {
			if n = min(n, count-start); n <= 0 {
				return nil, nil
			}
			got, err := raw.at(count-start-n, n)
			slices.Reverse(got)
			return named(got, start+n-len(got)), err
		}}
	}
	return listing{total: count, at: func(start, n int) ([]item, error) {
		var out []item
		for i, end := start, min(start+n, count); i < end; {
			// One request for each run of consecutive elements.
			first, run := head+i, end-i
			if capacity > 0 {
				first %= capacity
				run = min(run, capacity-first)
			}
			got, err := raw.at(first, run)
			if err != nil {
				return nil, err
			}
			out = append(out, named(got, i)...)
			if len(got) < run {
				break
			}
			i += run
		}
		return out, nil
	}}
}

// entries lists the elements of a hash table, without its free entries.
func (v *View) entries(it item, c collection, raw listing, count, capacity int) listing {
	return listing{total: count, at: func(start, n int) ([]item, error) {
		var out []item
		seen := 0
		for i := 0; i < capacity && len(out) < n; {
			if seen == 0 && i == 0 && c.free != "" && start > 0 {
				if f, ok := v.field(it.node, c.free); ok && f.Value == "0" {
					i, seen = start, start // without gaps, the entry's position is the index
				}
			}
			got, err := raw.at(i, min(batch, capacity-i))
			if err != nil {
				return nil, err
			}
			if len(got) == 0 {
				break
			}
			for _, entry := range got {
				i++
				kids, err := v.variables(entry.VariablesReference)
				if err != nil {
					return nil, err
				}
				next, ok := childNamed(kids, c.next, 0)
				if link, err := strconv.Atoi(next.Value); !ok || err == nil && link < -1 {
					continue
				}
				if seen++; seen <= start {
					continue
				}
				value, ok := childNamed(kids, c.value, entry.VariablesReference)
				if !ok {
					continue
				}
				out = append(out, v.entry(it, c, kids, value, seen-1))
				if len(out) == n {
					break
				}
			}
		}
		return out, nil
	}}
}

func (v *View) entry(it item, c collection, kids []dap.Variable, value node, index int) item {
	e := item{node: value, name: "[" + strconv.Itoa(index) + "]", scope: it.scope, path: value.EvaluateName, child: true}
	if key, ok := childNamed(kids, c.key, 0); c.key != "" && ok {
		e.name = "[" + v.short(key) + "]"
		if strings.HasPrefix(key.Value, `"`) && !strings.Contains(key.Value, `\`) || key.Type == "int" {
			e.path = it.path + "[" + key.Value + "]"
		}
	}
	if e.path == "" {
		e.path = it.path + e.name
	}
	return e
}
