package inspect

import (
	"fmt"
	"strings"
	"time"
)

// Difference is a value that only one of two captures has.
type Difference struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// Modification is a value that differs. OldType is set when the type differs too.
type Modification struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Type     string `json:"type"`
	OldType  string `json:"oldType,omitempty"`
	OldValue string `json:"oldValue"`
	NewValue string `json:"newValue"`
}

// DiffSummary counts the values of both captures.
type DiffSummary struct {
	Added     int `json:"added"`
	Removed   int `json:"removed"`
	Modified  int `json:"modified"`
	Unchanged int `json:"unchanged"`
}

// CaptureDiff is the result of snapshot_diff for A and then B. The summary covers all differences, the lists are one
// page. NextStart is the start of the next page, 0 at the end.
type CaptureDiff struct {
	A              string         `json:"snapshotIdA"`
	B              string         `json:"snapshotIdB"`
	ThreadMismatch bool           `json:"threadMismatch"`
	TimeDelta      string         `json:"timeDelta"` // hh:mm:ss.fffffff, as .NET writes it
	Summary        DiffSummary    `json:"summary"`
	Modified       []Modification `json:"modified"`
	Added          []Difference   `json:"added"`
	Removed        []Difference   `json:"removed"`
	NextStart      int            `json:"nextStart,omitempty"`
	Note           string         `json:"note,omitempty"`
}

func Diff(a, b *Capture, start int) *CaptureDiff {
	d := &CaptureDiff{
		A: a.ID, B: b.ID, ThreadMismatch: a.ThreadID != b.ThreadID, TimeDelta: timeDelta(b.at.Sub(a.at)),
		Modified: []Modification{}, Added: []Difference{}, Removed: []Difference{}, Note: diffNote(a, b),
	}
	before := make(map[string]*Variable, len(a.values))
	for i := range a.values {
		before[a.values[i].Path] = &a.values[i]
	}
	seen, size := 0, 0
	// fits reports whether the next difference belongs to this page, and counts it.
	fits := func(bytes int) bool {
		seen++
		if seen <= start || d.NextStart > 0 {
			return false
		}
		if size += bytes + 80; size > capturePage && seen > start+1 {
			d.NextStart = seen - 1
			return false
		}
		return true
	}
	var added []*Variable
	for i := range b.values {
		now := &b.values[i]
		was := before[now.Path]
		switch {
		case was == nil:
			added = append(added, now)
			continue
		case was.Value == now.Value && was.Type == now.Type && was.ChildCount == now.ChildCount:
			d.Summary.Unchanged++
		default:
			d.Summary.Modified++
			if fits(len(was.Value) + len(now.Value) + len(now.Path) + len(now.Type) + len(now.Name)) {
				m := Modification{now.Name, now.Path, now.Type, was.Type, shownCount(was), shownCount(now)}
				if m.OldType == m.Type {
					m.OldType = ""
				}
				d.Modified = append(d.Modified, m)
			}
		}
		delete(before, now.Path)
	}
	d.Summary.Added = len(added)
	one := func(list *[]Difference, x *Variable) {
		if fits(len(x.Value) + len(x.Path) + len(x.Type) + len(x.Name)) {
			*list = append(*list, Difference{x.Name, x.Path, x.Type, x.Value})
		}
	}
	for _, x := range added {
		one(&d.Added, x)
	}
	for i := range a.values {
		x := &a.values[i]
		if before[x.Path] != x {
			continue
		}
		d.Summary.Removed++
		one(&d.Removed, x)
	}
	return d
}

// diffNote says why a difference may be insignificant.
func diffNote(a, b *Capture) string {
	var notes []string
	if a.FunctionName != b.FunctionName {
		notes = append(notes, fmt.Sprintf("they are of different functions: %s and %s", a.FunctionName, b.FunctionName))
	}
	if a.Depth != b.Depth {
		notes = append(notes,
			fmt.Sprintf("they are of different depths, %d and %d: what only the deeper one looked at counts as added "+
				"or removed", a.Depth, b.Depth))
	}
	if a.Truncated || b.Truncated {
		notes = append(notes, "not all values fitted into a snapshot: values may count as added or removed, or be missing")
	}
	return strings.Join(notes, "; ")
}

// shownCount returns a value with its number of children, which may be the only difference.
func shownCount(x *Variable) string {
	if x.ChildCount == 0 || strings.Contains(x.Value, fmt.Sprint(x.ChildCount)) {
		return x.Value
	}
	return fmt.Sprintf("%s (%d)", x.Value, x.ChildCount)
}

// timeDelta formats a duration as .NET does.
func timeDelta(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	ticks := d.Nanoseconds() / 100
	seconds := ticks / 1e7
	return fmt.Sprintf("%s%02d:%02d:%02d.%07d", sign, seconds/3600, seconds/60%60, seconds%60, ticks%1e7)
}
