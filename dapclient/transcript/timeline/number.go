package timeline

import (
	"math"
	"strconv"
	"strings"
)

// Number parses a value as debuggers write numbers: 12, -1.5e3, 0x1f, Go's "5 = 0x5", C#'s "97 'a'", true and false
// (1 and 0). It reports false for anything else, also for values that are not finite.
func Number(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	switch text {
	case "true", "True":
		return 1, true
	case "false", "False":
		return 0, true
	case "":
		return 0, false
	}
	if c := text[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return 0, false
	}
	if first, rest, ok := strings.Cut(text, " "); ok && (strings.HasPrefix(rest, "= 0x") || strings.HasPrefix(rest, "'")) {
		text = first
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return float64(n), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, false
	}
	return f, true
}
