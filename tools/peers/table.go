package main

import (
	"fmt"
	"slices"
	"strings"
)

// median returns the median of values: of an even number the mean of the middle two, of none 0.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// spread returns a median with its range, `-` for no values.
func spread(values []float64) string {
	switch {
	case len(values) == 0:
		return "-"
	case len(values) == 1:
		return short(values[0])
	}
	return fmt.Sprintf("%s (%s - %s)", short(median(values)), short(slices.Min(values)), short(slices.Max(values)))
}

// short formats a number with a useful number of digits.
func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func count(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// table returns the Markdown table: each server without a debuggee, then its sessions.
func table(rows []*row) string {
	var b strings.Builder
	b.WriteString("| | cold start, ms | tools; bytes of their list | resident, MB |\n|-|-|-|-|\n")
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.subject.name] {
			continue
		}
		seen[r.subject.name] = true
		tools := fmt.Sprintf("%d; %d", r.tools, r.listed)
		if n := len(r.sessions); n > 0 && r.sessions[n-1].inSession != r.tools {
			tools += fmt.Sprintf(" (in a session %d; %d)", r.sessions[n-1].inSession, r.sessions[n-1].inSessionBytes)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.1f |\n", r.subject.name, spread(r.starts), tools, r.resident/1024)
	}
	b.WriteString("\n| | launch to stop, ms | floor | of floor | cycle, ms | floor | of floor | look, ms | floor | " +
		"of floor | cycle and look, of floor |\n" +
		"|-|-|-|-|-|-|-|-|-|-|-|\n")
	for _, r := range rows {
		of := func(value func(figures) float64) []float64 {
			var values []float64
			for _, f := range r.sessions {
				values = append(values, value(f))
			}
			return values
		}
		fmt.Fprintf(&b, "| %s, %s | %s |\n", r.subject.name, r.program.debug.name, strings.Join([]string{
			spread(of(func(f figures) float64 { return f.launch })),
			spread(of(func(f figures) float64 { return f.floorLaunch })),
			spread(of(func(f figures) float64 { return f.launch / f.floorLaunch })),
			spread(of(func(f figures) float64 { return f.cycle })),
			spread(of(func(f figures) float64 { return f.floorCycle })),
			spread(of(func(f figures) float64 { return f.cycle / f.floorCycle })),
			spread(of(func(f figures) float64 { return f.look })),
			spread(of(func(f figures) float64 { return f.floorLook })),
			spread(of(func(f figures) float64 { return f.look / f.floorLook })),
			spread(of(func(f figures) float64 { return f.both / f.floor })),
		}, " | "))
	}
	b.WriteString("\n| calls; bytes of their answers | launch | cycle | look | sessions that failed |\n|-|-|-|-|-|\n")
	for _, r := range rows {
		if len(r.sessions) == 0 {
			fmt.Fprintf(&b, "| %s, %s | - | - | - | %d of %d |\n", r.subject.name, r.program.debug.name, r.failed, r.planned)
			continue
		}
		f := r.sessions[len(r.sessions)-1]
		fmt.Fprintf(&b, "| %s, %s | %d; %d | %s; %.0f | %s; %.0f | %d of %d |\n", r.subject.name, r.program.debug.name,
			f.launchCalls, f.launchBytes, count(f.cycleCalls), f.cycleBytes, count(f.lookCalls), f.lookBytes, r.failed,
			r.planned)
	}
	return b.String()
}
