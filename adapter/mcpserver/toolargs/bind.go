package toolargs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/mapping"
	"breakwire/mapping/expression"
)

// shownBytes is how much of a wrong value an error message repeats.
const shownBytes = 80

// problem is one error in the arguments.
type problem struct {
	Parameter string `json:"parameter"`
	Given     string `json:"given,omitempty"`    // as JSON, cut short
	Expected  string `json:"expected,omitempty"` // in words
	Nearest   string `json:"nearest,omitempty"`  // of an unknown name or value
	text      string
}

// Bind fills the struct that into points to from a call's arguments. One error lists all problems, so that a model
// can correct them together. After an error the struct must not be used.
func Bind(raw json.RawMessage, into any) *fault.Error {
	v := reflect.ValueOf(into).Elem()
	return Of(v.Type()).Bind(raw, v)
}

func (ps *Params) Bind(raw json.RawMessage, v reflect.Value) *fault.Error {
	var given map[string]json.RawMessage
	if !jsonrpc.IsNull(raw) {
		if !jsonrpc.IsObject(raw) {
			return fault.Errorf(fault.InvalidParameter, "the arguments must be a JSON object of parameters, got %s",
				shown(raw))
		}
		if err := json.Unmarshal(raw, &given); err != nil {
			return fault.Errorf(fault.InvalidParameter, "the arguments are not valid JSON: %w", err)
		}
	}
	var problems []problem
	for i := range ps.list {
		p := &ps.list[i]
		value, from, pr := p.pick(given)
		if pr != nil {
			problems = append(problems, *pr)
			continue
		}
		field := v.FieldByIndex(p.index)
		if value == nil {
			switch {
			case p.required:
				problems = append(problems, problemf(p.name, "%q is required: %s", p.name, p.expected()))
			case p.hasDefault:
				_ = p.setDefault(field) // checked when the struct was compiled
			default:
				field.SetZero()
			}
			continue
		}
		if err := p.set(field, value); err != "" {
			problems = append(problems, problem{
				Parameter: from, Given: shown(value), Expected: p.expected(), Nearest: p.nearestValue(value),
				text: fmt.Sprintf("%q %s, got %s", from, err, shown(value)),
			})
		}
	}
	// Sorted, so that the same call always gets the same message.
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, known := ps.byName[name]; !known {
			problems = append(problems, ps.unknown(name))
		}
	}
	return problemsError(problems)
}

// pick finds the value of a parameter under its name or an alias. null is the same as absent.
func (p *param) pick(given map[string]json.RawMessage) (value json.RawMessage, from string, _ *problem) {
	if raw, ok := given[p.name]; ok && !jsonrpc.IsNull(raw) {
		value, from = raw, p.name
	}
	for _, alias := range p.aliases {
		raw, ok := given[alias]
		switch {
		case !ok || jsonrpc.IsNull(raw):
		case value == nil:
			value, from = raw, alias
		case !bytes.Equal(value, raw):
			pr := problemf(from, "%q and %q are the same parameter and say different things; give %q only", from, alias, p.name)
			return nil, "", &pr
		}
	}
	return value, from, nil
}

func (ps *Params) unknown(name string) problem {
	pr := problem{Parameter: Clip(name)}
	switch {
	case len(ps.names) == 0:
		pr.Expected = "no parameters"
		pr.text = fmt.Sprintf("unknown parameter %q: this tool has none", pr.Parameter)
	default:
		pr.Expected = "one of " + strings.Join(ps.names, ", ")
		pr.text = fmt.Sprintf("unknown parameter %q", pr.Parameter)
		if pr.Nearest = mapping.Nearest(name, ps.names); pr.Nearest != "" {
			pr.text += fmt.Sprintf(", did you mean %q?", pr.Nearest)
		}
		pr.text += fmt.Sprintf(" (parameters: %s)", strings.Join(ps.names, ", "))
	}
	return pr
}

func problemf(name, format string, args ...any) problem {
	return problem{Parameter: name, text: fmt.Sprintf(format, args...)}
}

func problemsError(problems []problem) *fault.Error {
	if len(problems) == 0 {
		return nil
	}
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.text
	}
	e := fault.Errorf(fault.InvalidParameter, "%s", strings.Join(texts, "; "))
	return e.With("parameter", problems[0].Parameter).With("problems", problems)
}

// set stores a value in a field. It returns what is wrong with the value, worded to follow the parameter's name.
func (p *param) set(field reflect.Value, raw json.RawMessage) string {
	if p.pointer {
		elem := reflect.New(field.Type().Elem())
		if err := p.setElem(elem.Elem(), raw); err != "" {
			return err
		}
		field.Set(elem)
		return ""
	}
	return p.setElem(field, raw)
}

// maxText is the longest text accepted, except for the program's input: no name, path or expression is longer.
const maxText = expression.MaxLength

func (p *param) setElem(v reflect.Value, raw json.RawMessage) string {
	wrong := "must be " + p.expected()
	switch p.kind {
	case kindString:
		s, ok := p.text(raw)
		switch {
		case !ok || !p.inBounds(int64(utf8.RuneCountInString(s))):
			return wrong
		case len(s) > maxText && !p.long:
			return fmt.Sprintf("has %d bytes, and may have %d", len(s), maxText)
		}
		v.SetString(s)
	case kindInt:
		digits, ok := wholeNumber(raw)
		n, err := strconv.ParseInt(digits, 10, v.Type().Bits())
		if !ok || err != nil || !p.inBounds(n) {
			return wrong
		}
		v.SetInt(n)
	case kindUint:
		digits, ok := wholeNumber(raw)
		n, err := strconv.ParseUint(digits, 10, 64)
		if !ok || err != nil || !p.inBounds(int64(min(n, math.MaxInt64))) {
			return wrong
		}
		v.SetUint(n)
	case kindBool:
		b, ok := trueOrFalse(raw)
		if !ok {
			return wrong
		}
		v.SetBool(b)
	case kindStrings:
		return p.setStrings(v, raw, wrong)
	case kindMap, kindNullableMap:
		return p.setMap(v, raw, wrong)
	case kindObject:
		if err := p.inner.Bind(raw, v); err != nil {
			return "is wrong: " + err.Message
		}
	case kindObjects:
		return p.setObjects(v, raw, wrong)
	case kindValues:
		return p.setValues(v, raw, wrong)
	}
	return ""
}

// setStrings accepts a list of texts, or one text where the parameter has the flag words.
func (p *param) setStrings(v reflect.Value, raw json.RawMessage, wrong string) string {
	if line, ok := p.text(raw); ok && p.words {
		list, err := mapping.SplitWords(line)
		if err != nil {
			return fmt.Sprintf("%s (%v)", wrong, err)
		}
		v.Set(reflect.ValueOf(list))
		return ""
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || !p.inBounds(int64(len(items))) {
		return wrong
	}
	list := make([]string, len(items))
	for i, item := range items {
		s, ok := p.text(item)
		if !ok {
			return fmt.Sprintf("%s (%s is not)", wrong, shown(item))
		}
		list[i] = s
	}
	v.Set(reflect.ValueOf(list))
	return ""
}

// setObjects accepts a list of objects, or a text that holds one.
func (p *param) setObjects(v reflect.Value, raw json.RawMessage, wrong string) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || !p.inBounds(int64(len(items))) {
		return wrong
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if !jsonrpc.IsObject(item) {
			return fmt.Sprintf("%s (item %d is not)", wrong, i)
		}
		if err := p.inner.Bind(item, list.Index(i)); err != nil {
			return fmt.Sprintf("is wrong in item %d: %s", i, err.Message)
		}
	}
	v.Set(list)
	return ""
}

// setValues accepts a list of objects and texts.
func (p *param) setValues(v reflect.Value, raw json.RawMessage, wrong string) string {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || !p.inBounds(int64(len(items))) {
		return wrong
	}
	for i, item := range items {
		if _, text := p.text(item); !text && !jsonrpc.IsObject(item) {
			return fmt.Sprintf("%s (item %d is not)", wrong, i)
		}
	}
	v.Set(reflect.ValueOf(items))
	return ""
}

func (p *param) setMap(v reflect.Value, raw json.RawMessage, wrong string) string {
	var items map[string]json.RawMessage
	if json.Unmarshal(raw, &items) != nil || !p.inBounds(int64(len(items))) {
		return wrong
	}
	m := make(map[string]string, len(items))
	nullable := make(map[string]*string, len(items))
	for _, key := range slices.Sorted(maps.Keys(items)) {
		s, ok := p.text(items[key])
		switch {
		case ok:
			m[key], nullable[key] = s, &s
		case p.kind == kindNullableMap && jsonrpc.IsNull(items[key]):
			nullable[key] = nil
		default:
			return fmt.Sprintf("%s (%q is not)", wrong, Clip(key))
		}
	}
	if p.kind == kindMap {
		v.Set(reflect.ValueOf(m))
	} else {
		v.Set(reflect.ValueOf(nullable))
	}
	return ""
}

// text accepts a JSON string and, when the parameter is loose, a number or boolean literal. For an enum it returns
// the spelling of the enum.
func (p *param) text(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "", false
	}
	switch c := raw[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		if p.enum != nil {
			v, ok := p.enumAliases[strings.ToLower(s)]
			return v, ok
		}
		return s, true
	case p.loose && (c == '-' || c >= '0' && c <= '9' || c == 't' || c == 'f'):
		return string(raw), true
	}
	return "", false
}

func (p *param) inBounds(n int64) bool {
	return (!p.hasMin || n >= p.min) && (!p.hasMax || n <= p.max)
}

// expected describes in words which values are accepted.
func (p *param) expected() string {
	switch p.kind {
	case kindString:
		switch {
		case p.enum != nil:
			return "one of " + strings.Join(p.enum, ", ")
		case p.hasMin && p.min == 1 && !p.hasMax:
			return "text that is not empty"
		}
		return "text" + p.bounds(" of ", " characters")
	case kindInt:
		return "a whole number" + p.bounds(" ", "")
	case kindUint:
		if !p.hasMin && !p.hasMax {
			return "a whole number from 0"
		}
		return "a whole number" + p.bounds(" ", "")
	case kindBool:
		return "true or false"
	case kindStrings:
		items := "texts"
		if p.enum != nil {
			items = strings.Join(p.enum, ", ")
		}
		return "a list of " + items + p.bounds(" with ", " items")
	case kindObject:
		return "an object"
	case kindObjects:
		return "a list of objects" + p.bounds(" with ", " items")
	case kindValues:
		return "a list of objects or texts" + p.bounds(" with ", " items")
	case kindMap:
		return "an object of texts"
	default:
		return "an object of texts or null"
	}
}

func (p *param) bounds(before, after string) string {
	switch {
	case p.hasMin && p.hasMax:
		return fmt.Sprintf("%sfrom %d to %d%s", before, p.min, p.max, after)
	case p.hasMin:
		return fmt.Sprintf("%sfrom %d%s", before, p.min, after)
	case p.hasMax:
		return fmt.Sprintf("%sup to %d%s", before, p.max, after)
	}
	return ""
}

func (p *param) nearestValue(raw json.RawMessage) string {
	var s string
	if p.kind != kindString || p.enum == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return mapping.Nearest(s, p.enum)
}

// wholeNumber returns the decimal digits of an integer that was written as 12, 12.0, 1.2e1 or "12". It avoids float64
// where possible, because ids use all 64 bits.
func wholeNumber(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	lit := string(raw)
	if len(raw) > 0 && raw[0] == '"' {
		if json.Unmarshal(raw, &lit) != nil {
			return "", false
		}
		lit = strings.TrimSpace(lit)
	}
	if lit == "" || strings.Trim(lit, "+-.0123456789eE") != "" {
		return "", false
	}
	if !strings.ContainsAny(lit, ".eE") {
		return lit, true
	}
	if whole, fraction, ok := strings.Cut(lit, "."); ok && fraction != "" && strings.Trim(fraction, "0") == "" {
		return whole, true
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return "", false
	}
	return strconv.FormatInt(int64(f), 10), true
}

// trueOrFalse accepts true and false, also in quotes.
func trueOrFalse(raw json.RawMessage) (v, ok bool) {
	s := strings.ToLower(strings.TrimSpace(strings.Trim(string(bytes.TrimSpace(raw)), `"`)))
	return s == "true", s == "true" || s == "false"
}

// shown formats a value for an error message.
func shown(raw []byte) string { return Clip(string(bytes.TrimSpace(raw))) }

// Clip shortens a text to shownBytes, between runes.
func Clip(s string) string {
	if len(s) > shownBytes {
		cut := shownBytes
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "..."
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
