package inspect

import (
	"slices"
	"strconv"
	"strings"

	"breakwire/mapping"
	"breakwire/mapping/symbols"
)

// declared returns how the program wants an object to be shown: by [DebuggerDisplay], or as a record. It reads fields
// and automatic properties only: a getter of the program may have effects, or not end.
func (v *View) declared(n node) (string, bool) {
	if !strings.HasPrefix(n.Value, "{") || !isStoredPath(n.EvaluateName) || v.plain ||
		strings.HasPrefix(n.Type, "System.") {
		return "", false
	}
	d, ok := v.Debugger.Display(plainType(n.Type))
	switch {
	case !ok || strings.HasSuffix(n.Type, "?"):
		return "", false
	case d.Text != "":
		return v.display(n, d)
	case d.Record == nil:
		return "", false
	}
	parts := make([]string, len(d.Record))
	for i, name := range d.Record {
		member, ok := v.field(n, name)
		if !ok {
			return "", false
		}
		parts[i] = name + " = " + v.short(member)
	}
	name := plainType(n.Type)
	return name[strings.LastIndexByte(name, '.')+1:] + " { " + strings.Join(parts, ", ") + " }", true
}

// plainType returns a type without its type arguments.
func plainType(typ string) string {
	var out strings.Builder
	depth := 0
	for _, r := range typ {
		switch {
		case r == '<':
			depth++
		case r == '>':
			depth--
		case depth == 0:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// display returns the text of a [DebuggerDisplay]. A part that would run code of the program stays as it is written.
func (v *View) display(n node, d symbols.Display) (string, bool) {
	var out strings.Builder
	shown := false
	for _, part := range mapping.DisplayParts(d.Text) {
		if part.Path == nil {
			out.WriteString(part.Text)
			continue
		}
		text, ok := v.displayed(n, d, part)
		if !ok {
			text = part.Text
		}
		shown = shown || ok
		out.WriteString(text)
	}
	return out.String(), shown || !strings.Contains(d.Text, "{")
}

// displayed returns the value of one part of a [DebuggerDisplay].
func (v *View) displayed(n node, d symbols.Display, part mapping.DisplayPart) (string, bool) {
	for i, name := range part.Path {
		counts := name == "Count" || name == "Length"
		if count, ok := v.countOf(n); ok && counts {
			return strconv.Itoa(count), i == len(part.Path)-1
		}
		if _, count, ok := mapping.ArrayText(n.Value); ok && counts {
			return strconv.Itoa(count), i == len(part.Path)-1
		}
		if !slices.Contains(d.Stored, name) {
			return "", false
		}
		var ok bool
		if n, ok = v.field(n, name); !ok {
			return "", false
		}
		d, _ = v.Debugger.Display(plainType(n.Type))
	}
	text := v.short(n)
	if _, count, ok := mapping.ArrayText(n.Value); ok {
		text = "Count = " + strconv.Itoa(count)
	} else if count, ok := v.countOf(n); ok {
		text = "Count = " + strconv.Itoa(count)
	}
	if part.NoQuotes && n.Type == "string" && strings.HasPrefix(text, `"`) {
		text = strings.TrimSuffix(text[1:], `"`)
	}
	return text, true
}
