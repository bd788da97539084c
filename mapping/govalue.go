package mapping

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// GoText returns a value of Go as people read it, beside what Delve shows: the text of bytes, the units of a
// time.Duration, a time.Time alone. ok is false where Delve's own text says it already.
func GoText(value, typ string) (text string, ok bool) {
	switch typ {
	case "time.Duration":
		return durationText(value)
	case "time.Time":
		return timeText(value)
	case "[]uint8", "[]byte", "encoding/json.RawMessage", "json.RawMessage":
		return bytesText(value)
	}
	if strings.HasPrefix(typ, "[") && (strings.HasSuffix(typ, "]uint8") || strings.HasSuffix(typ, "]byte")) {
		return bytesText(value)
	}
	return "", false
}

// timeText returns a time with its fraction of a second, which Delve leaves out: it is in the low bits of wall.
func timeText(value string) (string, bool) {
	const fraction = 1<<30 - 1
	_, rest, ok := strings.Cut(value, "time.Time(")
	end := strings.IndexAny(rest, ",)")
	if !ok || end < 0 {
		return "", false
	}
	text := rest[:end]
	_, wall, _ := strings.Cut(rest[end:], "{wall: ")
	wall, _, _ = strings.Cut(wall, ",")
	bits, err := strconv.ParseUint(wall, 10, 64)
	if at, wrong := time.Parse(time.RFC3339, text); err == nil && wrong == nil && bits&fraction != 0 {
		text = at.Add(time.Duration(bits & fraction)).Format(time.RFC3339Nano)
	}
	return text, true
}

// durationText adds the units to nanoseconds. Delve shows a number, or a constant with its number: time.Second
// (1000000000).
func durationText(value string) (string, bool) {
	number := value
	if _, rest, ok := strings.Cut(value, " ("); ok {
		number = strings.TrimSuffix(rest, ")")
	}
	ns, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return "", false
	}
	return time.Duration(ns).String() + " (" + number + " ns)", true
}

// byteList matches the bytes in Delve's text of a slice or an array, and how many more there are.
var byteList = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[(\d+(?:,\d+)*)(,\.\.\.\+\d+ more)?\]$`)
})

// bytesText adds the text of bytes, where all of them are printable UTF-8. A rune that Delve's limit has cut is left
// out.
func bytesText(value string) (string, bool) {
	m := byteList().FindStringSubmatch(value)
	if m == nil {
		return "", false
	}
	fields := strings.Split(m[1], ",")
	raw := make([]byte, len(fields))
	for i, field := range fields {
		n, err := strconv.ParseUint(field, 10, 8)
		if err != nil {
			return "", false
		}
		raw[i] = byte(n)
	}
	more := ""
	if m[2] != "" {
		more = "..."
		for cut := len(raw) - 1; cut >= 0 && cut >= len(raw)-utf8.UTFMax; cut-- {
			if utf8.RuneStart(raw[cut]) {
				if !utf8.FullRune(raw[cut:]) {
					raw = raw[:cut]
				}
				break
			}
		}
	}
	text := string(raw)
	unprintable := func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsPrint(r) && r != '\n' && r != '\r' && r != '\t'
	}
	if strings.ContainsFunc(text, unprintable) {
		return "", false
	}
	return value + " " + strconv.Quote(text) + more, true
}

// GoWaitReason returns why a goroutine waits, in words: "chan receive" for Delve's waitReasonChanReceive (19). It
// returns "" for a goroutine that does not wait.
func GoWaitReason(value string) string {
	name, _, _ := strings.Cut(value, " ")
	name, ok := strings.CutPrefix(name, "waitReason")
	if !ok || name == "Zero" {
		return ""
	}
	var words strings.Builder
	for i, r := range name {
		// A word begins at a capital letter, but not inside a run of them, unless its second letter follows.
		ends := i > 0 && unicode.IsLower(rune(name[i-1]))
		begins := i > 0 && i+1 < len(name) && unicode.IsLower(rune(name[i+1]))
		if unicode.IsUpper(r) && (ends || begins) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return words.String()
}
