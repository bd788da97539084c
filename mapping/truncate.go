package mapping

import "unicode/utf8"

// MaxValue is the largest number of characters of a value that is shown.
const MaxValue = 1024

// Truncate cuts a value to MaxValue characters, and reports whether it did.
func Truncate(s string) (string, bool) { return TruncateTo(s, MaxValue) }

// CutMiddle shortens a text to limit characters by cutting it in the middle, where it then has an ellipsis.
func CutMiddle(s string, limit int) string {
	runes := []rune(s)
	if len(s) <= limit || len(runes) <= limit {
		return s
	}
	head := (limit - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-1-head):])
}

// TruncateTo cuts a text to limit characters (runes; a byte that is not UTF-8 counts as one), and reports whether it
// did. It does not read beyond the limit.
func TruncateTo(s string, limit int) (string, bool) {
	if len(s) <= limit {
		return s, false
	}
	end := 0
	for range limit {
		if end == len(s) {
			return s, false
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end], end < len(s)
}
