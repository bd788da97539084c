package mcpserver

import "strings"

// nearestWindow is the longest word that is compared: a name is short, what a client sends may not be.
const nearestWindow = 64

// nearest returns the known word that the given one was probably meant to be, "" when none is near.
// Case and the separators of snake_case, kebab-case and camelCase do not count.
func nearest(word string, known []string) string {
	w := fold(word)
	if w == "" || len(w) > nearestWindow {
		return ""
	}
	best, bestDistance := "", 0
	for _, k := range known {
		f := fold(k)
		d := distance(w, f)
		// A word that contains the other is near too: path for file_path, timeout for timeout_ms.
		if len(f) >= 3 && len(w) >= 3 && (strings.Contains(f, w) || strings.Contains(w, f)) {
			d = min(d, 1)
		}
		if d > max(1, max(len(w), len(f))/3) {
			continue
		}
		if best == "" || d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
}

// distance is the number of edits (insert, delete, replace, swap of neighbours) between two words.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
