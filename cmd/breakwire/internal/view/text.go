package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"breakwire/dapclient/transcript/timeline"
)

// Style has a terminal's escape sequences for colours. The zero Style writes plain text.
type Style struct{ Bold, Dim, Red, Green, Yellow, Blue, Magenta, Cyan, Reset string }

// Colours is the Style for terminals, with the eight colours that every colour scheme defines.
var Colours = Style{
	Bold: "\x1b[1m", Dim: "\x1b[2m", Red: "\x1b[31m", Green: "\x1b[32m", Yellow: "\x1b[33m", Blue: "\x1b[34m",
	Magenta: "\x1b[35m", Cyan: "\x1b[36m", Reset: "\x1b[0m",
}

// Paint returns the text in a colour of the style.
func (s Style) Paint(colour, text string) string {
	if colour == "" || text == "" {
		return text
	}
	return colour + text + s.Reset
}

func (s Style) of(k timeline.Kind) string {
	switch k {
	case timeline.Stop:
		return s.Yellow
	case timeline.Trace:
		return s.Green
	case timeline.Breakpoint:
		return s.Magenta
	case timeline.Failure:
		return s.Red
	case timeline.Start, timeline.End:
		return s.Blue
	case timeline.Thread, timeline.Process, timeline.Note:
		return s.Cyan
	}
	return s.Dim
}

// TextOptions are the options of Text.
type TextOptions struct {
	Style Style
	Width int // columns; 0: no limit
}

// Text writes the timeline as lines: one per event, then a summary of the values.
func Text(w io.Writer, t *timeline.Timeline, o TextOptions) error {
	out := bufio.NewWriter(w)
	s := o.Style
	head := []string{t.Backend, t.Duration.Round(time.Millisecond).String(), fmt.Sprintf("%d messages", t.Messages)}
	if t.Own > 0 {
		head[2] += fmt.Sprintf(" (%d questions of breakwire's own are not shown)", t.Own)
	}
	if !t.Started.IsZero() {
		head = append(head, t.Started.Format("2006-01-02 15:04:05"))
	}
	fmt.Fprintf(out, "%s  %s\n\n", s.Paint(s.Bold, printable(t.Program)),
		s.Paint(s.Dim, printable(strings.Join(head, ", "))))
	for i := range t.Events {
		line(out, t, &t.Events[i], o)
	}
	summary(out, t, o)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the timeline: %w", err)
	}
	return nil
}

func line(out *bufio.Writer, t *timeline.Timeline, e *timeline.Event, o TextOptions) {
	s := o.Style
	kind := e.Kind.String()
	if e.Kind == timeline.Output {
		kind = e.Name
	}
	left := fmt.Sprintf("%10.4f  %-10.10s ", e.At.Seconds(), printable(kind))
	var parts []string
	if e.Place >= 0 && e.Kind != timeline.Breakpoint {
		p := t.Places[e.Place]
		where := fmt.Sprintf("%s:%d", p.File[strings.LastIndexAny(p.File, `/\`)+1:], p.Line)
		if p.Function != "" {
			where += " " + p.Function
		}
		if e.Hit > 0 {
			where += fmt.Sprintf(" #%d", e.Hit)
		}
		parts = append(parts, where)
	}
	if e.Thread >= 0 && len(t.Threads) > 1 {
		parts = append(parts, fmt.Sprintf("[%d]", t.Threads[e.Thread].ID))
	}
	if e.Name != "" && e.Kind != timeline.Output && e.Kind != timeline.Trace {
		parts = append(parts, e.Name)
	}
	if e.Text != "" {
		parts = append(parts, strings.TrimRight(e.Text, "\r\n"))
	}
	for _, v := range e.Values {
		if v.Depth > 0 || v.Local {
			continue
		}
		text := v.Text
		if v.Failed {
			text = "<error: " + text + ">"
		}
		parts = append(parts, v.Expr+"="+text)
	}
	if e.Kind == timeline.Stop && e.Resume != "" {
		parts = append(parts, fmt.Sprintf("-> %s after %s", e.Resume, short(e.Until-e.At)))
	}
	rest := cut(strings.TrimRight(printable(strings.Join(parts, "  ")), " "), o.Width-utf8.RuneCountInString(left),
		o.Width > 0)
	colour := s.of(e.Kind)
	if e.Kind == timeline.Output && e.Name == "stderr" {
		colour = s.Red
	}
	fmt.Fprintln(out, s.Paint(colour, left)+rest)
}

// summary draws each series of more than one point in one line.
func summary(out *bufio.Writer, t *timeline.Timeline, o TextOptions) {
	s, place := o.Style, -1
	for _, series := range t.Series {
		if len(series.Events) < 3 {
			continue
		}
		numbers := make([]float64, 0, len(series.Texts))
		for i, text := range series.Texts {
			if n, ok := timeline.Number(text); ok && !series.Failed[i] {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) < 3 {
			continue
		}
		if place != series.Place {
			place = series.Place
			p := t.Places[place]
			fmt.Fprintf(out, "\n%s\n", s.Paint(s.Bold, printable(fmt.Sprintf("%s:%d %s", p.File, p.Line, p.Function))))
		}
		low, high := numbers[0], numbers[0]
		for _, n := range numbers {
			low, high = min(low, n), max(high, n)
		}
		fmt.Fprintf(out, "  %-24s %s  %s\n", cut(printable(series.Expr), 24, true),
			s.Paint(s.Green, sparkline(numbers, low, high, 40)),
			s.Paint(s.Dim, fmt.Sprintf("%d hits, %g to %g, last %g", len(numbers), low, high, numbers[len(numbers)-1])))
	}
}

var bars = []rune("▁▂▃▄▅▆▇█")

// sparkline draws numbers in at most columns characters, each the mean of its part.
func sparkline(numbers []float64, low, high float64, columns int) string {
	columns = min(columns, len(numbers))
	var line strings.Builder
	for c := range columns {
		from, to := c*len(numbers)/columns, (c+1)*len(numbers)/columns
		sum := 0.0
		for _, n := range numbers[from:to] {
			sum += n / float64(to-from)
		}
		level := 0
		if high > low {
			level = int((sum - low) / (high - low) * float64(len(bars)))
		}
		line.WriteRune(bars[max(0, min(level, len(bars)-1))])
	}
	return line.String()
}

// printable replaces control characters by visible ones, so that a program's output cannot move the cursor or change
// colours.
func printable(text string) string {
	clean := func(r rune) rune {
		switch {
		case r == '\n', r == '\r':
			return '⏎'
		case r == '\t':
			return ' '
		case r == 0x1b:
			return '␛'
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return '·'
		}
		return r
	}
	return strings.Map(clean, text)
}

// cut shortens a text to most characters if must is set.
func cut(text string, most int, must bool) string {
	if !must || utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(0, most-1)]) + "…"
}

func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}
