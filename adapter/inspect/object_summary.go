package inspect

import (
	"breakwire/mapping"
	"strings"
)

// ObjectField is one field of an object. CollectionCount is the number of elements of a collection.
type ObjectField struct {
	Name                  string `json:"name"`
	Type                  string `json:"type"`
	Value                 string `json:"value"`
	CollectionCount       *int   `json:"collectionCount,omitempty"`
	CollectionElementType string `json:"collectionElementType,omitempty"`
}

// InterestingField is a field whose value often is a mistake.
type InterestingField struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Value  string `json:"value"`
	Reason string `json:"reason"` // empty_string, nan, infinity, default_datetime, default_guid
}

// ObjectSummary is the result of object_summarize. Fields are the first fields; the counts, NullFields and
// InterestingFields cover all.
type ObjectSummary struct {
	TypeName               string             `json:"typeName"`
	IsNull                 bool               `json:"isNull"`
	Value                  string             `json:"value,omitempty"` // as the debugger shows the whole value
	TotalFieldCount        int                `json:"totalFieldCount"`
	InaccessibleFieldCount int                `json:"inaccessibleFieldCount"`
	Fields                 []ObjectField      `json:"fields"`
	NullFields             []string           `json:"nullFields"`
	InterestingFields      []InterestingField `json:"interestingFields"`
}

// unreadable reports whether a field's value is the reason why it has none.
func unreadable(value string) bool {
	for _, start := range []string{"threw ", "<error", "(unreadable", "<unavailable", "<optimized out"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	return false
}

// oddity returns why a value often is a mistake: an empty text, NaN or infinity, a date or id that was never set. ""
// for other values.
func oddity(typ, value string) string {
	value, _, _ = strings.Cut(value, " = 0x")
	switch strings.TrimLeft(strings.ToLower(value), "+-") {
	case `""`, "''":
		return "empty_string"
	case "nan":
		return "nan"
	case "inf", "infinity", "∞":
		return "infinity"
	case "00000000-0000-0000-0000-000000000000":
		return "default_guid"
	}
	if strings.HasPrefix(value, "0001-01-01") || strings.HasPrefix(value, typ+"(0001-01-01T00:00:00Z)") {
		return "default_datetime"
	}
	return ""
}

// SummarizeObject lists the fields of a value and reports suspicious ones.
func (v *View) SummarizeObject(q SummaryQuery) (ObjectSummary, error) {
	it, err := v.subject(q)
	if err != nil {
		return ObjectSummary{}, err
	}
	shown := v.show(it)
	o := ObjectSummary{
		TypeName: shown.Type, IsNull: mapping.IsNullText(shown.Value), Value: mapping.Clip(shown.Value, maxPreview),
		Fields: []ObjectField{}, NullFields: []string{}, InterestingFields: []InterestingField{},
	}
	if o.IsNull || v.isText(it.node) {
		return o, nil
	}
	l, err := v.children(it)
	if err != nil {
		return ObjectSummary{}, err
	}
	o.TotalFieldCount = l.total
	fields, err := l.at(0, min(l.total, maxListed))
	if err != nil {
		return ObjectSummary{}, err
	}
	for i, f := range fields {
		out := v.show(f)
		value := mapping.Clip(out.Value, maxPreview)
		if mapping.IsNullText(out.Value) || out.Type == "undefined" && out.Value == "undefined" {
			o.NullFields = append(o.NullFields, out.Name)
		}
		if unreadable(out.Value) {
			o.InaccessibleFieldCount++
		}
		if reason := oddity(out.Type, out.Value); reason != "" {
			o.InterestingFields = append(o.InterestingFields, InterestingField{out.Name, out.Type, value, reason})
		}
		if i >= q.Preview {
			continue
		}
		field := ObjectField{Name: out.Name, Type: out.Type, Value: value}
		if t := v.collectionType(f); t.Kind != "" && !mapping.IsNullText(out.Value) {
			field.CollectionElementType = t.Element
			if out.ChildCount > 0 || !out.HasChildren {
				field.CollectionCount = &out.ChildCount
			}
		}
		o.Fields = append(o.Fields, field)
	}
	return o, nil
}
