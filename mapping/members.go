package mapping

import (
	"regexp"
	"strings"
	"sync"
)

// addressText is how lldb-dap shows a value for which LLDB has no text: its type and address.
var addressText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` @ 0x[0-9a-f]+$`) })

// someMembers is how CodeLLDB shows a struct: only those members that are not structs themselves, without a mark.
var someMembers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\{(\.\.\.\}|[A-Za-z_$][\w$]*:\S)`)
})

// Opaque reports whether LLDB's text of a value with children says nothing of its content, or not all: a struct or
// array, a reference to one, or an optional or variant that holds something.
func Opaque(value, typ string) bool {
	switch {
	case strings.HasPrefix(value, " Has Value=true"), strings.HasPrefix(value, " Active Type ="):
		return true
	case someMembers().MatchString(value):
		return true
	case strings.HasSuffix(typ, "&"):
		return strings.HasPrefix(value, "0x") && !strings.ContainsAny(value, " \"")
	}
	return !strings.HasPrefix(value, `"`) && addressText().MatchString(value)
}

// Member is a member of a struct or an element of an array.
type Member struct{ Name, Value string }

// BaseClass reports whether a child of a C++ object is a base class, whose name is its type.
func BaseClass(name, typ string) bool {
	return name != "" && (name == typ || strings.Contains(name, "<") || strings.Contains(name, "::"))
}

// TupleElement reports whether a base class of libstdc++ holds one element of a std::tuple.
func TupleElement(name string) bool { return strings.HasPrefix(name, "std::_Head_base<") }

// Members is the text of a struct or array: {x: 3, y: 9}. It shows what fits in most bytes; more says that there are
// members beyond those.
func Members(members []Member, more bool, most int) string {
	var out strings.Builder
	out.WriteByte('{')
	for i, m := range members {
		text := m.Value
		if m.Name != "" && m.Name[0] != '[' {
			text = m.Name + ": " + text
		}
		if i > 0 && out.Len()+len(text) > most {
			more = true
			break
		}
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(text)
	}
	if more {
		if len(members) > 0 {
			out.WriteString(", ")
		}
		out.WriteString("...")
	}
	out.WriteByte('}')
	return out.String()
}

// pointedText is how LLDB shows a pointer to a text: its address and the text.
var pointedText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0x[0-9a-f]+ (")`) })

// WithoutAddress returns the text that a pointer points to, or the value itself.
func WithoutAddress(value string) string {
	if at := pointedText().FindStringSubmatchIndex(value); at != nil {
		return value[at[2]:]
	}
	return value
}
