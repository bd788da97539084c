package view

import (
	"strings"
	"time"

	"breakwire/dapclient/transcript/timeline"
)

// payload is the data of the page. It has columns instead of rows, and each text once, so that 100,000 events take a
// few megabytes. Its only reader is the script in the same file, so it has no version.
type payload struct {
	Backend  string    `json:"backend"`
	Program  string    `json:"program"`
	Client   string    `json:"client"`
	Started  string    `json:"started"` // RFC 3339, "" when unknown
	Duration int64     `json:"duration"`
	Messages int       `json:"messages"`
	Own      int       `json:"own,omitempty"` // requests that are not shown
	Name     string    `json:"name"`          // of the recording's file
	Version  string    `json:"version"`
	Kinds    []string  `json:"kinds"`
	Strings  []string  `json:"strings"`
	Threads  []thread  `json:"threads"`
	Places   [][3]int  `json:"places"` // file, line, function
	Stacks   [][]int   `json:"stacks"`
	Events   columns   `json:"events"`
	Series   []series  `json:"series"`
	Marks    []mark    `json:"marks"`
	Sources  []srcText `json:"sources"`
}

type thread struct {
	ID   int `json:"id"`
	Name int `json:"name"`
}

// columns has one entry per event in each column. Numbers below 0 mean none. Texts are indexes into Strings.
type columns struct {
	At     []int64 `json:"at"`    // microseconds
	Until  []int64 `json:"until"` // microseconds, 0 for none
	Kind   []int   `json:"kind"`
	Thread []int   `json:"thread"`
	Place  []int   `json:"place"`
	Stack  []int   `json:"stack"`
	Hit    []int   `json:"hit"`
	Name   []int   `json:"name"`
	Text   []int   `json:"text"`
	Resume []int   `json:"resume"`
	Line   []int   `json:"line"`
	// Values has for each event the index in Value where its values begin; one more entry ends the last.
	Values []int    `json:"values"`
	Value  [][5]int `json:"value"` // expression, text, type, depth, flags: 1 failed, 2 listed
}

type series struct {
	Place  int        `json:"place"`
	Expr   int        `json:"expr"`
	Event  []int      `json:"event"`
	Text   []int      `json:"text"`
	Number []*float64 `json:"number"` // null where the text is not a number
}

type mark struct {
	File      int    `json:"file"`
	Line      int    `json:"line"`
	Condition string `json:"condition,omitempty"`
	Hit       string `json:"hit,omitempty"`
	Log       string `json:"log,omitempty"`
	Verified  bool   `json:"verified"`
	Message   string `json:"message,omitempty"`
}

type srcText struct {
	File  int    `json:"file"`
	Text  string `json:"text"`
	Newer bool   `json:"newer,omitempty"` // changed after the recording
}

// table assigns a number to each text.
type table struct {
	list  []string
	index map[string]int
}

func (t *table) of(s string) int {
	i, ok := t.index[s]
	if !ok {
		i = len(t.list)
		t.index[s] = i
		t.list = append(t.list, s)
	}
	return i
}

func newPayload(t *timeline.Timeline, sources []Source, about About) *payload {
	words := &table{index: make(map[string]int)}
	words.of("") // 0 means none
	p := &payload{
		Backend: t.Backend, Program: t.Program, Client: t.Client, Duration: t.Duration.Microseconds(),
		Messages: t.Messages, Own: t.Own,
		Name: about.Name, Version: about.Version, Kinds: timeline.Kinds(), Stacks: t.Stacks,
	}
	if !t.Started.IsZero() {
		p.Started = t.Started.UTC().Format(time.RFC3339)
	}
	for _, th := range t.Threads {
		p.Threads = append(p.Threads, thread{th.ID, words.of(th.Name)})
	}
	for _, at := range t.Places {
		p.Places = append(p.Places, [3]int{words.of(at.File), at.Line, words.of(at.Function)})
	}
	c := &p.Events
	for i := range t.Events {
		e := &t.Events[i]
		c.At = append(c.At, e.At.Microseconds())
		c.Until = append(c.Until, e.Until.Microseconds())
		c.Kind = append(c.Kind, int(e.Kind))
		c.Thread = append(c.Thread, e.Thread)
		c.Place = append(c.Place, e.Place)
		c.Stack = append(c.Stack, e.Stack)
		c.Hit = append(c.Hit, e.Hit)
		c.Name = append(c.Name, words.of(e.Name))
		c.Text = append(c.Text, words.of(strings.TrimRight(e.Text, "\r\n")))
		c.Resume = append(c.Resume, words.of(e.Resume))
		c.Line = append(c.Line, e.Line)
		c.Values = append(c.Values, len(c.Value))
		for _, v := range e.Values {
			flags := 0
			if v.Failed {
				flags |= 1
			}
			if v.Local {
				flags |= 2
			}
			c.Value = append(c.Value, [5]int{words.of(v.Expr), words.of(v.Text), words.of(v.Type), v.Depth, flags})
		}
	}
	c.Values = append(c.Values, len(c.Value))
	for _, s := range t.Series {
		out := series{Place: s.Place, Expr: words.of(s.Expr), Event: s.Events}
		for i, text := range s.Texts {
			out.Text = append(out.Text, words.of(text))
			var number *float64
			if n, ok := timeline.Number(text); ok && !s.Failed[i] {
				number = &n
			}
			out.Number = append(out.Number, number)
		}
		p.Series = append(p.Series, out)
	}
	for _, m := range t.Marks {
		p.Marks = append(p.Marks, mark{words.of(m.File), m.Line, m.Condition, m.HitCondition, m.LogMessage, m.Verified,
			m.Message})
	}
	for _, s := range sources {
		p.Sources = append(p.Sources, srcText{words.of(s.File), s.Text, s.Newer})
	}
	p.Strings = words.list
	return p
}
