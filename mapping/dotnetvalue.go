package mapping

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Readable texts of .NET values, made from the fields that a debugger shows.

const (
	ticksPerSecond = 10_000_000
	ticksMask      = 0x3FFF_FFFF_FFFF_FFFF
	unixTicks      = 621_355_968_000_000_000 // of 1970-01-01
)

// DateTimeText returns a System.DateTime from its _dateData: ISO 8601, with Z for UTC and no suffix for an unknown
// kind.
func DateTimeText(data uint64) string {
	text := ticksText(int64(data & ticksMask))
	switch data >> 62 {
	case 1:
		return text + "Z"
	case 2, 3:
		return text + " (local)"
	}
	return text
}

func ticksText(ticks int64) string {
	ticks -= unixTicks
	seconds := floorDiv(ticks, ticksPerSecond)
	at := time.Unix(seconds, (ticks-seconds*ticksPerSecond)*100).UTC()
	return at.Format("2006-01-02T15:04:05.9999999")
}

// DateTimeOffsetText returns a System.DateTimeOffset from its UTC time and its offset in minutes.
func DateTimeOffsetText(data uint64, offsetMinutes int) string {
	sign := '+'
	local := int64(data&ticksMask) + int64(offsetMinutes)*60*ticksPerSecond
	if offsetMinutes < 0 {
		sign, offsetMinutes = '-', -offsetMinutes
	}
	return fmt.Sprintf("%s%c%02d:%02d", ticksText(local), sign, offsetMinutes/60, offsetMinutes%60)
}

// TimeSpanText returns a System.TimeSpan from its ticks: [-][d.]hh:mm:ss[.fffffff].
func TimeSpanText(ticks int64) string {
	sign, u := "", uint64(ticks)
	if ticks < 0 {
		sign, u = "-", -u
	}
	days, rest := u/(86400*ticksPerSecond), u%(86400*ticksPerSecond)
	text := sign
	if days > 0 {
		text += strconv.FormatUint(days, 10) + "."
	}
	s := rest / ticksPerSecond
	text += fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if frac := rest % ticksPerSecond; frac > 0 {
		text += fmt.Sprintf(".%07d", frac)
	}
	return text
}

// DateOnlyText returns a System.DateOnly from its _dayNumber.
func DateOnlyText(day int64) string {
	return time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(day)).Format("2006-01-02")
}

// GuidText returns a System.Guid from its fields _a to _k, "" when one is missing.
func GuidText(field func(name string) (string, bool)) string {
	var parts [11]uint64
	for i := range parts {
		text, ok := field("_" + string(rune('a'+i)))
		if !ok {
			return ""
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return ""
		}
		parts[i] = uint64(n)
	}
	var last strings.Builder
	for _, b := range parts[5:] {
		fmt.Fprintf(&last, "%02x", byte(b))
	}
	return fmt.Sprintf("%08x-%04x-%04x-%02x%02x-%s", uint32(parts[0]), uint16(parts[1]), uint16(parts[2]),
		byte(parts[3]), byte(parts[4]), last.String())
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

var (
	arrayValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\{(.*)\[(\d+(?:, ?\d+)*)\]((?:\[,*\])*)\}$`)
	})
	charValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^\d+ ('.*')$`) })
)

// ArrayText parses the value of a .NET array, "{int[2, 3]}". It returns the text to show and the number of elements.
func ArrayText(value string) (text string, count int, ok bool) {
	dims := ArrayLengths(value)
	if dims == nil {
		return "", 0, false
	}
	count = 1
	for _, n := range dims {
		if n > 0 && count > math.MaxInt32/n {
			return "", 0, false
		}
		count *= n
	}
	return value[1 : len(value)-1], count, true
}

// ArrayLengths returns the lengths of a .NET array in each of its dimensions: 2 and 3 for "{int[2, 3]}", 3 for
// "{int[3][]}". It is nil when the value is not an array.
func ArrayLengths(value string) []int {
	m := arrayValue().FindStringSubmatch(value)
	if m == nil {
		return nil
	}
	var dims []int
	for dim := range strings.SplitSeq(m[2], ",") {
		n, err := strconv.Atoi(strings.TrimSpace(dim))
		if err != nil || n < 0 {
			return nil
		}
		dims = append(dims, n)
	}
	return dims
}

// CharText removes the number that netcoredbg puts before a character.
func CharText(value string) string {
	if m := charValue().FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return value
}

// FloatText writes NaN and the infinities as C# does.
func FloatText(value string) string {
	switch strings.ToLower(value) {
	case "nan", "-nan", "-nan(ind)", "nan(ind)", "+nan":
		return "NaN"
	case "inf", "infinity", "+inf":
		return "Infinity"
	case "-inf", "-infinity":
		return "-Infinity"
	}
	return value
}

var genericType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^([\\w.+`]+)<(.*)>$") })

// GenericType splits "System.Collections.Generic.List<string>" into the name and the type arguments.
func GenericType(typ string) (name, args string) {
	if m := genericType().FindStringSubmatch(typ); m != nil {
		return m[1], m[2]
	}
	return typ, ""
}
