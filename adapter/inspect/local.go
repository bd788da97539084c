package inspect

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Local is an argument or local of the frame that a stop names, as text.
type Local struct {
	Name, Text string
	value      string // as far as the debugger showed it
}

// Locals are the locals of a stop in the order in which they are shown. They encode as an object of names and texts.
type Locals []Local

// MarshalJSON implements json.Marshaler.
func (l Locals) MarshalJSON() ([]byte, error) {
	members := make([][]byte, len(l))
	for i, x := range l {
		members[i] = x.member()
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// member returns the local as a member of a JSON object.
func (x Local) member() []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(x.Name) // a text can always be encoded
	out.Truncate(out.Len() - 1)
	out.WriteByte(':')
	_ = enc.Encode(x.Text)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

const (
	localsBytes = 700 // length of the encoded locals of a stop
	wholeValue  = 64  // length of the longest value that is shown whole
)

// shownLocals returns what a stop shows of its locals: first those whose values are not as before, then the others, as
// many as fit. omitted counts the rest. before has the values by name; it is empty when none are known.
func shownLocals(all []Local, before map[string]string) (shown Locals, omitted int) {
	all = innermost(all)
	if len(before) > 0 {
		same := func(x Local) int {
			if value, known := before[x.Name]; known && value == x.value {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(all, func(a, b Local) int { return same(a) - same(b) })
	}
	shown = Locals{}
	room := localsBytes - len("{}")
	for i, x := range all {
		if room -= len(x.member()); room < 0 {
			return shown, len(all) - i
		}
		room -= len(",")
		shown = append(shown, x)
	}
	return shown, 0
}

// innermost returns the locals without those that a later one of the same name hides.
func innermost(all []Local) []Local {
	last := map[string]int{}
	for i, x := range all {
		last[x.Name] = i
	}
	var kept []Local
	for i, x := range all {
		if last[x.Name] == i {
			kept = append(kept, x)
		}
	}
	return kept
}

// valuesOf returns the values of locals by name.
func valuesOf(all []Local) map[string]string {
	values := make(map[string]string, len(all))
	for _, x := range all {
		values[x.Name] = x.value
	}
	return values
}

// localText returns the text of a local: a short value whole, any other one as its type and size. raw is the value as
// the debugger gave it.
func localText(x Variable, raw dap.Variable, language dapclient.Language) string {
	text := x.Value
	if language == dapclient.C {
		text = mapping.WithoutAddress(text)
	}
	if x.Type == "" || len(text) <= wholeValue && !contentless(x, language) {
		return mapping.Clip(text, wholeValue)
	}
	typ := mapping.Clip(x.Type, wholeValue)
	size := raw.IndexedVariables
	switch {
	case language == dapclient.DotNet && x.Type == "string":
		size = mapping.UTF16Length(raw.Value)
	case strings.HasPrefix(raw.Value, `"`) || x.Type == "str" || language == dapclient.JavaScript && x.Type == "string":
		size = textLength(raw.Value)
	case language == dapclient.JavaScript:
		size = x.ChildCount
	case language == dapclient.DotNet:
		size = x.ChildCount
	case language == dapclient.C && size == 0:
		size = mapping.SizeText(x.Value, x.Type)
	}
	if size == 0 || strings.Contains(typ, "["+strconv.Itoa(size)+"]") {
		return typ
	}
	return typ + " (" + strconv.Itoa(size) + ")"
}

// identityText is how Python shows an object whose class says nothing of its content.
var identityText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` at 0x[0-9a-fA-F]+>$`) })

// contentless reports whether a debugger's text of a value says nothing of its content.
func contentless(x Variable, language dapclient.Language) bool {
	switch language {
	case dapclient.DotNet:
		return strings.HasPrefix(x.Value, "{")
	case dapclient.Python:
		return identityText().MatchString(x.Value)
	case dapclient.C:
		if mapping.IsNullText(x.Value) {
			return false
		}
		pointer := x.HasChildren && strings.HasPrefix(x.Value, "0x") && mapping.WithoutAddress(x.Value) == x.Value
		return pointer || mapping.Opaque(x.Value, x.Type) || mapping.SizeText(x.Value, x.Type) > 0
	}
	return false
}

// textLength returns the number of characters of a text in quotes, 0 when that is not certain.
func textLength(quoted string) int {
	more := 0
	if at := moreText().FindStringSubmatchIndex(quoted); at != nil { // Delve left out the rest
		more, _ = strconv.Atoi(quoted[at[2]:at[3]])
		quoted = strings.TrimSuffix(quoted[:at[0]], `"`) + `"`
	}
	switch {
	case len(quoted) < 2 || quoted[len(quoted)-1] != quoted[0]:
		return 0
	case strings.Contains(quoted, `\`), strings.Contains(quoted, "..."): // debugpy leaves out the middle
		return 0
	}
	return utf8.RuneCountInString(quoted) - 2 + more
}
