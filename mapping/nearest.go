package mapping

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns the known word that was most likely meant, "" when none is similar. Similar words differ only in
// case, underscores and hyphens (stopAtEntry, stop_at_entry), begin with the word, or have a small edit distance. Of
// several the first is returned.
func Nearest(word string, known []string) string {
	w := plain(word)
	if w == "" {
		return ""
	}
	best, bestDistance := "", min(len(w)/3+1, len(w)-1)+1
	for _, k := range known {
		p := plain(k)
		if p == w {
			return k
		}
		d := distance(w, p)
		if len(w) >= 3 && strings.HasPrefix(p, w) {
			d = min(d, 1)
		}
		if d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// Near returns the known names that were most likely meant, the nearest first; all when none is near. A name is as near
// as the part of it behind a space, dot, slash or colon that is nearest.
func Near(word string, known []string) []string {
	w := plain(word)
	type candidate struct {
		name string
		rank int
	}
	all := make([]candidate, len(known))
	for i, k := range known {
		whole := plain(k)
		rank := distance(w, whole)
		for at, c := range k {
			if strings.ContainsRune(" ./:", c) {
				rank = min(rank, distance(w, plain(k[at+1:])))
			}
		}
		if strings.Contains(whole, w) || len(whole) >= 3 && strings.Contains(w, whole) {
			rank = min(rank, 1)
		}
		all[i] = candidate{k, rank}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	var near []string
	for _, c := range all {
		if c.rank <= len(w)/3+1 || len(all) > 0 && all[0].rank > len(w)/3+1 {
			near = append(near, c.name)
		}
	}
	return near
}

// plain removes differences of style.
func plain(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

// distance counts insertions, deletions, replacements and swaps of adjacent characters.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
