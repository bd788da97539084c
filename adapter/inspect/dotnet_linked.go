package inspect

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"breakwire/mapping"

	"github.com/google/go-dap"
)

// linked names the fields of a collection of the runtime whose elements are not in one array of its own: they are in
// nodes, or in the array of an ImmutableArray, or in the two arrays of a SortedList.
type linked struct {
	count string // the path of the number of elements
	root  string // the path of the first node, or of the array
	item  string // the members of a node
	left  string // "" in a list
	right string
	keyed bool // an item is a pair of a key and a value
	plain bool // the members of a node are fields: no getter of the runtime has to run
}

// elementsTime bounds reading the elements of one collection; the rest is on the next page.
const elementsTime = 5 * time.Second

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

const immutable = "System.Collections.Immutable."

var linkedTypes = sync.OnceValue(func() map[string]linked {
	sorted := linked{count: "count", root: "root", item: "Item", left: "Left", right: "Right"}
	pairs := linked{count: "_set.count", root: "_set.root", item: "Item", left: "Left", right: "Right", keyed: true}
	tree := linked{count: "_root._count", root: "_root", item: "_key", left: "_left", right: "_right",
		plain: true}
	return map[string]linked{
		generic + "SortedSet": sorted, generic + "SortedDictionary": pairs,
		generic + "LinkedList":       {count: "count", root: "head", item: "item", right: "next", plain: true},
		generic + "SortedList":       {count: "_size", root: "values", keyed: true},
		immutable + "ImmutableArray": {root: "array"}, immutable + "ImmutableList": tree,
		immutable + "ImmutableSortedSet": tree,
	}
})

func linkedOf(typ string) (linked, bool) {
	name, args := mapping.GenericType(typ)
	if args == "" {
		return linked{}, false
	}
	c, ok := linkedTypes()[name]
	return c, ok
}

func (v *View) linkedCount(n node, c linked) (int, bool) {
	if c.count == "" { // an array
		array, ok := v.field(n, c.root)
		if array.Value == "null" {
			return 0, ok
		}
		_, count, ok2 := mapping.ArrayText(array.Value)
		return count, ok && ok2
	}
	count, ok := v.number(n, c.count)
	return int(count), ok && int64(count) >= 0
}

// linkedElements lists the elements of such a collection. ok is false for other values, and when its fields cannot be
// read.
func (v *View) linkedElements(it item) (l listing, ok bool) {
	c, ok := linkedOf(it.Type)
	if !ok {
		return listing{}, false
	}
	v.lookUntil = later(v.lookUntil, time.Now().Add(elementsTime)) // the elements are what was asked for
	count, ok := v.linkedCount(it.node, c)
	if !ok || count == 0 {
		return fixed(nil), ok
	}
	root, ok := v.at(it.node, c.root)
	if !ok || c.plain && root.EvaluateName == "" || root.VariablesReference == 0 {
		return listing{}, false
	}
	switch {
	case c.item != "":
		w := walk{v: v, c: c, of: it, most: count}
		w.down(root)
		return listing{total: count, at: w.at}, true
	case c.keyed:
		return v.sortedList(it, root, count)
	}
	array := item{node: root, scope: it.scope, path: root.EvaluateName}
	if array.path == "" {
		array.path = it.path + "." + c.root
	}
	return v.paged(array, count, ""), true
}

// sortedList lists the pairs of a SortedList.
func (v *View) sortedList(it item, values node, count int) (listing, bool) {
	keys, ok := v.field(it.node, "keys")
	if !ok || keys.VariablesReference == 0 {
		return listing{}, false
	}
	return listing{total: count, at: func(start, n int) ([]item, error) {
		n = min(n, count-start)
		names, err := v.someVariables(dap.VariablesArguments{VariablesReference: keys.VariablesReference, Start: start,
			Count: n})
		if err != nil {
			return nil, err
		}
		all, err := v.someVariables(dap.VariablesArguments{VariablesReference: values.VariablesReference, Start: start,
			Count: n})
		if err != nil {
			return nil, err
		}
		var out []item
		for i := range min(len(names), len(all)) {
			value := node{all[i], values.VariablesReference}
			out = append(out, v.pairItem(it, node{names[i], keys.VariablesReference}, value, start+i))
		}
		return out, nil
	}}, true
}

// pairItem is the element of a dictionary.
func (v *View) pairItem(it item, key, value node, index int) item {
	return v.entry(it, collection{key: "key"}, []dap.Variable{{Name: "key", Value: key.Value, Type: key.Type,
		EvaluateName: key.EvaluateName, VariablesReference: key.VariablesReference}}, value, index)
}

// walk goes through the nodes of a collection in their order, as far as it was asked.
type walk struct {
	v     *View
	c     linked
	of    item
	most  int
	stack []visit // nodes whose items come next, the last one first
	found []item
	err   error
}

// visit is a node whose left side was taken.
type visit struct {
	kids      []dap.Variable
	reference int
}

// down takes a node and those to its left.
func (w *walk) down(n node) {
	for n.VariablesReference > 0 && w.err == nil && len(w.stack) < 100 {
		kids, err := w.members(n)
		if err != nil {
			w.err = err
			return
		}
		if height, ok := childNamed(kids, "_height", 0); ok && height.Value == "0" { // the empty node of immutable trees
			return
		}
		w.stack = append(w.stack, visit{kids, n.VariablesReference})
		left, ok := childNamed(kids, w.c.left, n.VariablesReference)
		if !ok {
			return
		}
		n = left
	}
}

// members returns the members of a node that lead on.
func (w *walk) members(n node) (kids []dap.Variable, err error) {
	if !w.c.plain {
		return w.v.variables(n.VariablesReference)
	}
	for _, name := range []string{w.c.item, w.c.left, w.c.right} {
		if name == "" {
			continue
		}
		body, err := w.v.evaluate(w.v.Here, n.EvaluateName+"."+name, evaluateTimeout)
		if err != nil {
			return nil, err
		}
		kid := evaluatedNode(n.EvaluateName+"."+name, body).Variable
		if kid.Name = name; name == w.c.left && kid.Value == "null" { // the empty node of an immutable tree
			kids = append(kids, dap.Variable{Name: "_height", Value: "0"})
		}
		kids = append(kids, kid)
	}
	return kids, nil
}

func (w *walk) at(start, count int) ([]item, error) {
	for len(w.found) < min(start+count, w.most) && len(w.stack) > 0 && w.err == nil {
		if len(w.found) > start && !w.v.mayLook() {
			break
		}
		top := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		value, ok := childNamed(top.kids, w.c.item, top.reference)
		if !ok {
			break
		}
		w.found = append(w.found, w.element(value))
		right, ok := childNamed(top.kids, w.c.right, top.reference)
		if ok && len(w.found) < w.most { // the last node of a LinkedList leads to the first one
			w.down(right)
		}
	}
	start = min(start, len(w.found))
	return w.found[start:min(start+count, len(w.found))], w.err
}

func (w *walk) element(value node) item {
	index := len(w.found)
	if w.c.keyed {
		if kids, err := w.v.variables(value.VariablesReference); err == nil {
			key, ok1 := childNamed(kids, "key", value.VariablesReference)
			inner, ok2 := childNamed(kids, "value", value.VariablesReference)
			if ok1 && ok2 {
				return w.v.pairItem(w.of, key, inner, index)
			}
		}
	}
	name := "[" + strconv.Itoa(index) + "]"
	it := item{node: value, name: name, scope: w.of.scope, path: value.EvaluateName, child: true}
	if it.path == "" || strings.Contains(it.path, ".Left.") || strings.Contains(it.path, ".Right.") {
		it.path = w.of.path + name
	}
	return it
}
