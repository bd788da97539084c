package inspect

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// maxLookedAt is the number of elements of a collection that a summary reads; maxListed is the number of values that
// other lists read of one value.
const (
	maxLookedAt = 10_000
	maxListed   = 500

	lookedAtOnce = 500
)

// SummaryQuery selects the value to summarise. Preview is the number of elements or fields shown.
type SummaryQuery struct {
	Expression    string
	Thread, Frame int
	Preview       int
	Timeout       time.Duration
}

// Element is one element of a collection.
type Element struct {
	Index int    `json:"index"`
	Value string `json:"value"`
	Type  string `json:"type"`
}

// KeyValue is one element of a dictionary.
type KeyValue struct {
	Key       string `json:"key"`
	KeyType   string `json:"keyType,omitempty"`
	Value     string `json:"value"`
	ValueType string `json:"valueType"`
}

// NumericStats covers the elements that were read. The values are texts in the program's own form.
type NumericStats struct {
	Min     string `json:"min"`
	Max     string `json:"max"`
	Average string `json:"average"`
}

// TypeCount is the number of elements of one type.
type TypeCount struct {
	TypeName string `json:"typeName"`
	Count    int    `json:"count"`
}

// CollectionSummary is the result of collection_analyze. IsSampled means that only the first elements were read, and
// the numbers cover only those.
type CollectionSummary struct {
	Count            int                    `json:"count"`
	ElementType      string                 `json:"elementType,omitempty"`
	CollectionType   string                 `json:"collectionType"`
	Kind             mapping.CollectionKind `json:"kind"`
	NullCount        int                    `json:"nullCount"`
	NumericStats     *NumericStats          `json:"numericStats,omitempty"`
	TypeDistribution []TypeCount            `json:"typeDistribution,omitempty"`
	FirstElements    []Element              `json:"firstElements,omitempty"`
	LastElements     []Element              `json:"lastElements,omitempty"`
	KeyValuePairs    []KeyValue             `json:"keyValuePairs,omitempty"`
	IsSampled        bool                   `json:"isSampled"`
	LookedAt         int                    `json:"lookedAt,omitempty"` // with isSampled
}

// held returns the value in a Go interface, which Delve shows as its only child.
func (v *View) held(it item) (item, error) {
	if v.Profile.Language != dapclient.Go || it.VariablesReference == 0 || !strings.HasSuffix(it.Type, ")") ||
		strings.HasPrefix(it.Type, "func(") {
		return it, nil
	}
	vars, err := v.variables(it.VariablesReference)
	if err != nil || len(vars) != 1 || vars[0].Name != "data" {
		return it, err
	}
	inner, _ := v.named(node{vars[0], it.VariablesReference}, &it)
	return inner, nil
}

// collectionType returns the kind of a value: by its type, else by the way in which the debugger shows it.
func (v *View) collectionType(it item) mapping.CollectionType {
	if v.Profile.Language == dapclient.JavaScript {
		kind, _ := mapping.JavaScriptCollection(it.Value, it.Type)
		return mapping.CollectionType{Kind: kind}
	}
	t := mapping.CollectionOf(it.Type)
	if t.Kind == "" && v.Profile.Language == dapclient.Go && it.IndexedVariables > 0 { // a named type
		if t.Kind = mapping.Dictionary; strings.HasPrefix(it.Value, it.Type+" len:") {
			t.Kind = mapping.List
		}
	}
	return t
}

func (v *View) analyze(it item, q SummaryQuery) (CollectionSummary, error) {
	until := time.Now().Add(q.Timeout)
	shown := v.show(it)
	kind, l, part, err := v.asCollection(it, shown, q.Expression)
	if err != nil {
		return CollectionSummary{}, err
	}
	keyed := kind.Kind == mapping.Dictionary
	c := CollectionSummary{Count: l.total, ElementType: kind.Element, CollectionType: shown.Type, Kind: kind.Kind}
	tally := newTally()
	for at := 0; at < l.total && at < maxLookedAt; {
		if at > 0 {
			if time.Now().After(until) {
				break
			}
			if part, err = l.at(at, min(lookedAtOnce, l.total-at, maxLookedAt-at)); err != nil {
				return CollectionSummary{}, err
			}
		}
		if len(part) == 0 {
			break
		}
		for _, e := range part {
			out := v.show(e)
			tally.add(out)
			switch {
			case at >= q.Preview:
			case keyed:
				c.KeyValuePairs = append(c.KeyValuePairs, v.keyValue(e, out, kind.Key))
			default:
				c.FirstElements = append(c.FirstElements, elementAt(at, out))
			}
			at++
		}
		tally.seen = at
	}
	if !keyed && (kind.Kind != mapping.Set || l.total <= maxLookedAt) { // reading a large hash table to its end takes long
		start := max(len(c.FirstElements), l.total-q.Preview)
		last, err := l.at(start, l.total-start)
		if err != nil {
			return CollectionSummary{}, err
		}
		for i, e := range last {
			c.LastElements = append(c.LastElements, elementAt(start+i, v.show(e)))
		}
	}
	tally.into(&c)
	return c, nil
}

// asCollection returns the elements of a collection and the first of them. It refuses other values.
func (v *View) asCollection(it item, shown Variable, expression string) (kind mapping.CollectionType, l listing,
	first []item, err error) {
	kind = v.collectionType(it)
	none := func(why string) (mapping.CollectionType, listing, []item, error) {
		return kind, l, nil, fault.Errorf(fault.NotCollection,
			"%s (%s) %s; object_summarize shows fields, variables_get with "+
				"expand what is in it", expression, shown.Type, why).
			With("expression", expression).With("type", shown.Type)
	}
	language := v.Profile.Language
	if mapping.IsNullText(shown.Value) &&
		(language != dapclient.Go || kind.Kind == "" || strings.HasPrefix(it.Type, "*")) {
		return none("is " + shown.Value)
	}
	if v.isText(it.node) {
		return none("is a text")
	}
	if l, err = v.children(it); err == nil {
		l = l.elements()
		first, err = l.at(0, min(lookedAtOnce, l.total))
	}
	indexed := len(first) == 0 || strings.HasPrefix(first[0].name, "[")
	switch {
	case err != nil:
		return kind, l, nil, err
	case kind.Kind == "" && (!indexed || language == dapclient.JavaScript):
		return none("is no collection")
	case !indexed && (language == dapclient.DotNet || language == dapclient.C):
		return none("is a collection whose elements " + v.Profile.Name + " does not show")
	case kind.Kind == "" && len(first) == 0:
		return none("is no collection, or an empty one of a type that its name does not tell")
	case kind.Kind == "":
		kind.Kind = mapping.Other
	}
	return kind, l, first, nil
}

// pair returns the key and value of an element of a C++ dictionary, which are its children.
func (v *View) pair(e item) (first, second Variable, ok bool) {
	if v.Profile.Language != dapclient.C || e.VariablesReference == 0 {
		return Variable{}, Variable{}, false
	}
	l, err := v.children(e)
	if err != nil || l.total != 2 {
		return Variable{}, Variable{}, false
	}
	parts, err := l.at(0, 2)
	if err != nil || len(parts) != 2 || parts[0].Name != "first" || parts[1].Name != "second" {
		return Variable{}, Variable{}, false
	}
	return v.show(parts[0]), v.show(parts[1]), true
}

// maxPreview is the number of characters of a value in a summary.
const maxPreview = 200

func elementAt(index int, out Variable) Element {
	return Element{index, mapping.Clip(out.Value, maxPreview), out.Type}
}

func (v *View) keyValue(e item, out Variable, keyType string) KeyValue {
	if first, second, ok := v.pair(e); ok {
		return KeyValue{mapping.Clip(first.Value, maxPreview), cmp.Or(keyType, first.Type),
			mapping.Clip(second.Value, maxPreview), second.Type}
	}
	if key, _, ok := strings.Cut(e.Type, ": "); ok && keyType == "" {
		keyType = key // Delve's type of a map's element
	}
	key := out.Name
	if v.Profile.Language == dapclient.DotNet {
		key = strings.TrimSuffix(strings.TrimPrefix(key, "["), "]")
	}
	return KeyValue{mapping.Clip(key, maxPreview), keyType, mapping.Clip(out.Value, maxPreview), out.Type}
}

// tally accumulates statistics over elements.
type tally struct {
	seen, nulls, numbers int
	least, most          float64
	leastText, mostText  string
	sum                  float64
	types                map[string]int
}

func newTally() *tally { return &tally{types: map[string]int{}} }

func (t *tally) add(e Variable) {
	if mapping.IsNullText(e.Value) {
		t.nulls++
		return
	}
	t.types[e.Type]++
	n, ok := mapping.NumberText(e.Value)
	if !ok {
		return
	}
	text, _, _ := strings.Cut(e.Value, " = 0x")
	if t.numbers == 0 || n < t.least {
		t.least, t.leastText = n, text
	}
	if t.numbers == 0 || n > t.most {
		t.most, t.mostText = n, text
	}
	t.sum += n
	t.numbers++
}

// into writes the result. Numeric statistics exist only when all elements are numbers; NaN is left out of them.
func (t *tally) into(c *CollectionSummary) {
	c.NullCount = t.nulls
	if c.IsSampled = t.seen < c.Count; c.IsSampled {
		c.LookedAt = t.seen
	}
	names := slices.SortedFunc(maps.Keys(t.types), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.types[b], t.types[a]), cmp.Compare(a, b))
	})
	if c.ElementType == "" && len(names) == 1 {
		c.ElementType = names[0]
	}
	if len(names) > 1 {
		for _, name := range names[:min(len(names), 20)] {
			c.TypeDistribution = append(c.TypeDistribution, TypeCount{name, t.types[name]})
		}
	}
	others := 0
	for name, n := range t.types {
		if !mapping.IsNumericType(name) {
			others += n
		}
	}
	if t.numbers > 0 && others == 0 {
		c.NumericStats = &NumericStats{Min: t.leastText, Max: t.mostText,
			Average: strconv.FormatFloat(t.sum/float64(t.numbers), 'g', 10, 64)}
	}
}

// AnalyzeCollection counts and samples the elements of a collection. It returns NotCollection for other values.
func (v *View) AnalyzeCollection(q SummaryQuery) (CollectionSummary, error) {
	it, err := v.subject(q)
	if err != nil {
		return CollectionSummary{}, err
	}
	return v.analyze(it, q)
}

// subject evaluates the expression of a summary.
func (v *View) subject(q SummaryQuery) (item, error) {
	v.lookUntil = time.Now().Add(q.Timeout) // the values are what was asked for
	v.NoCalls = true
	if err := v.choose(q.Thread, q.Frame); err != nil {
		return item{}, err
	}
	it, err := v.resolve(q.Expression)
	if err != nil {
		return item{}, err
	}
	return v.held(it)
}
