package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// breakpointFacts is what a recording has about each source line and function with a breakpoint, with their ids. A
// replay gives each of them one id, independent of the recorded ones: debugpy assigned a new id at each
// setBreakpoints.
type breakpointFacts struct {
	byKey map[string][]fact
	keyOf map[int]string // recorded id to key
	idOf  map[string]int // key to the id of the replay
	used  map[int]bool
}

// fact is a breakpoint in an answer or an event.
type fact struct {
	pos  int    // the entry that has it
	what string // the requested breakpoint without its line: conditions and the like
	raw  []byte // the Breakpoint (DAP, Breakpoint)
}

func newBreakpointFacts() breakpointFacts {
	return breakpointFacts{
		byKey: make(map[string][]fact), keyOf: make(map[int]string), idOf: make(map[string]int), used: make(map[int]bool),
	}
}

// breakpointKeys returns the keys of the breakpoints in a set...Breakpoints request, in order, with their other
// members.
func breakpointKeys(m *dapclient.Message) (keys, whats []string) {
	prefix := "function\x00"
	if m.Name == "setBreakpoints" {
		source := rawjson.Field(m.Arguments, "source")
		file := rawjson.String(source, "path")
		if file == "" {
			file = rawjson.String(source, "name")
		}
		prefix = strings.ReplaceAll(file, `\`, "/") + "\x00"
	}
	list := rawjson.Field(m.Arguments, "breakpoints")
	rawjson.Elements(list, func(start, end int) bool {
		one := list[start:end]
		if m.Name == "setBreakpoints" {
			n, _ := rawjson.Int(one, "line")
			keys = append(keys, prefix+strconv.Itoa(n))
		} else {
			keys = append(keys, prefix+rawjson.String(one, "name"))
		}
		whats = append(whats,
			strings.Join([]string{rawjson.String(one, "condition"), rawjson.String(one, "hitCondition"),
				rawjson.String(one, "logMessage")}, "\x00"))
		return true
	})
	return keys, whats
}

// answered adds the response to a set...Breakpoints request.
func (f *breakpointFacts) answered(pos int, ask, answer *dapclient.Message) {
	keys, whats := breakpointKeys(ask)
	list := rawjson.Field(answer.Body, "breakpoints")
	i := 0
	rawjson.Elements(list, func(start, end int) bool {
		if i == len(keys) {
			return false
		}
		raw := list[start:end]
		if id, ok := rawjson.Int(raw, "id"); ok && id >= 0 {
			f.learn(keys[i], id)
		}
		f.add(keys[i], fact{pos, whats[i], raw})
		i++
		return true
	})
}

// changed adds a breakpoint event.
func (f *breakpointFacts) changed(pos int, m *dapclient.Message) {
	raw := rawjson.Field(m.Body, "breakpoint")
	id, ok := rawjson.Int(raw, "id")
	if key, known := f.keyOf[id]; ok && known {
		what := ""
		if last := f.byKey[key]; len(last) > 0 {
			what = last[len(last)-1].what
		}
		f.add(key, fact{pos, what, raw})
	}
}

func (f *breakpointFacts) add(key string, one fact) {
	all := f.byKey[key]
	if n := len(all); n > 0 && all[n-1].what == one.what && bytes.Equal(all[n-1].raw, one.raw) {
		return // repeated at each stop: one is enough
	}
	one.raw = bytes.Clone(one.raw)
	f.byKey[key] = append(all, one)
}

func (f *breakpointFacts) learn(key string, id int) {
	if _, known := f.keyOf[id]; !known {
		f.keyOf[id] = key
	}
	if _, has := f.idOf[key]; !has && !f.used[id] {
		f.idOf[key] = id
		f.used[id] = true
	}
}

// at returns the fact about a key at a place of the recording: the latest before it, else the first after it. A
// breakpoint requested with the same members has precedence.
func (f *breakpointFacts) at(key, what string, pos int) (fact, bool) {
	all := f.byKey[key]
	best := -1
	for pass := 0; pass < 2 && best < 0; pass++ {
		for i := range all {
			if pass == 0 && all[i].what != what {
				continue
			}
			if best < 0 || all[i].pos <= pos {
				best = i
			}
		}
	}
	if best < 0 {
		return fact{}, false
	}
	return all[best], true
}

// translate returns the replay's id for a recorded one.
func (f *breakpointFacts) translate(id int) int {
	if key, ok := f.keyOf[id]; ok {
		if now, ok := f.idOf[key]; ok {
			return now
		}
	}
	return id
}

// translateHits rewrites hitBreakpointIds in the body of a stopped event.
func (f *breakpointFacts) translateHits(body []byte) []byte {
	raw := rawjson.Field(body, "hitBreakpointIds")
	if raw == nil {
		return body
	}
	var ids []int
	if json.Unmarshal(raw, &ids) != nil {
		return body
	}
	out := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(f.translate(id)), 10)
	}
	return rawjson.Replace(body, "hitBreakpointIds", append(out, ']'))
}
