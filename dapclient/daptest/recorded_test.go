package daptest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/dapclient/internal/rawjson"
	"breakwire/dapclient/transcript"
)

// These tests send the recorded requests of real adapters to the fake. They compare which messages come, in which
// order, and with which members.

// tape is a Recorder that keeps the received messages.
type tape struct {
	mu   sync.Mutex
	msgs []string
}

func (r *tape) Record(dir dapclient.Direction, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if dir == dapclient.Received {
		r.msgs = append(r.msgs, signature(body))
	}
}

func (r *tape) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.msgs...)
}

// signature is the form of a message without its values: its keys in order, the keys inside of the body sorted, the
// types of values. An array has the form of its first element.
func signature(raw []byte) string {
	m, err := dapclient.Decode(raw)
	if err != nil {
		return "not DAP"
	}
	var b strings.Builder
	rawjson.Each(raw, func(key []byte, start, end int) bool {
		var v any
		if err := json.Unmarshal(raw[start:end], &v); err != nil {
			return false
		}
		fmt.Fprintf(&b, "%s:", key)
		form(v, &b)
		b.WriteByte(' ')
		return true
	})
	if m.Kind == dapclient.KindEvent {
		return "event " + m.Name + " " + b.String()
	}
	return fmt.Sprintf("response %s %v %s", m.Name, m.Success, b.String())
}

func form(v any, b *strings.Builder) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(key + ":")
			form(v[key], b)
			b.WriteByte(' ')
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		if len(v) > 0 {
			form(v[0], b)
		}
		b.WriteByte(']')
	default:
		fmt.Fprintf(b, "%T", v)
	}
}

// played is a recording up to its first stops.
type played struct {
	sent     []*dapclient.Message
	received []string
}

func upToStop(t *testing.T, backend string, stops int) played {
	t.Helper()
	f, err := os.Open("../../fixtures/transcripts/" + backend + "/tour-loop.jsonl")
	require.NoError(t, err)
	defer f.Close()
	r, err := transcript.NewReader(f)
	require.NoError(t, err)
	var p played
	for {
		var e transcript.Entry
		require.NoError(t, r.Next(&e))
		body := append([]byte(nil), e.Body...)
		m, err := dapclient.Decode(body)
		require.NoError(t, err)
		if e.Dir == dapclient.Sent {
			p.sent = append(p.sent, m)
			continue
		}
		p.received = append(p.received, signature(body))
		if m.Name == "stopped" {
			if stops--; stops == 0 {
				return p
			}
		}
	}
}

// loosely removes what the fake does not imitate: the number of module and output events, and what depends on the
// values of the real program.
func loosely(msgs []string) []string {
	var out []string
	for _, m := range msgs {
		switch {
		case strings.HasPrefix(m, "event output"), strings.HasPrefix(m, "event module"):
			if len(out) > 0 && out[len(out)-1] == m {
				continue
			}
		}
		m = strings.ReplaceAll(m, "declaration:{column:float64 line:float64 path:string } ", "")
		out = append(out, m)
	}
	return out
}

func TestSameFormAsRecorded(t *testing.T) {
	caller := func(file, fn string, line int) daptest.Frame { return daptest.Frame{File: file, Line: line, Func: fn} }
	vars := func(i int) []daptest.Var {
		return []daptest.Var{intVar("i", i), intVar("square", i*i), intVar("result", 0)}
	}
	programs := map[string]daptest.Program{
		"netcoredbg": {
			PID: 3139, Path: "/src/LoopApp/LoopApp.dll",
			Modules: []daptest.Module{{Path: "/usr/share/dotnet/System.Private.CoreLib.dll"}},
			Threads: []daptest.Thread{{Code: daptest.Seq(
				daptest.Lines(daptest.Step{File: "/src/LoopApp/Program.cs", Line: 18, Stdout: "start 30\n",
					Loads: &daptest.Module{Path: "/usr/share/dotnet/System.Console.dll"}}),
				daptest.Loop(30, func(i int) daptest.Step {
					return daptest.Step{File: "/src/LoopApp/Program.cs", Line: 21, Func: "LoopApp.Program.Main()", Vars: []daptest.Var{
						{Name: "args", Value: "{string[1]}", Type: "string[]",
							Children: []daptest.Var{{Name: "[0]", Value: `"30"`, Type: "string"}}},
						intVar("n", 30), intVar("sum", 0), intVar("i", i), intVar("w", 0),
					}}
				}, func(int) daptest.Step {
					return daptest.Step{File: "/src/LoopApp/Program.cs", Line: 22, Func: "LoopApp.Program.Main()",
						Stdout: "progress\n"}
				}))}},
			Eval: func(c daptest.EvalCall) (daptest.Var, bool) {
				switch c.Expression {
				case "i.ToString()", "Work(3)":
					return daptest.Var{Value: "2", Type: "int"}, true
				case "sum == 0 ? 1 : 2", "1/0":
					return daptest.Var{Err: "refused"}, true
				}
				return daptest.Var{}, false
			},
		},
		"dlv": {Threads: []daptest.Thread{{Code: daptest.Loop(150, func(i int) daptest.Step {
			return daptest.Step{File: "/src/go/main.go", Line: 12, Func: "main.Work", Vars: vars(i),
				Callers: []daptest.Frame{caller("/src/go/main.go", "main.main", 27)}}
		})}}},
		"lldb-dap": {Threads: []daptest.Thread{{ID: 9048, Code: daptest.Loop(150, func(i int) daptest.Step {
			s := daptest.Step{File: "/src/c/loop.c", Line: 8, Func: "Work", Vars: vars(i),
				Callers: []daptest.Frame{caller("/src/c/loop.c", "main", 18)}}
			if i == 0 {
				s.Stdout = "progress\n"
			}
			return s
		})}}},
		"debugpy": {Threads: []daptest.Thread{{Code: daptest.Loop(150, func(i int) daptest.Step {
			return daptest.Step{File: "/src/py/loop.py", Line: 7, Func: "Work", Vars: vars(i),
				Callers: []daptest.Frame{caller("/src/py/loop.py", "main", 16), caller("/src/py/loop.py", "<module>", 25)}}
		})}}, Globals: []daptest.Var{{Name: "special variables", Children: []daptest.Var{{Name: "__name__"}}}}},
	}
	for backend, p := range programs {
		t.Run(backend, func(t *testing.T) {
			want := upToStop(t, backend, 2)
			rec := &tape{}
			a := daptest.New(t, shapes[backend](), p)
			stops := make(chan struct{}, 100)
			var once sync.Once
			ready := make(chan struct{})
			conn := dapclient.NewConn(a.Stream(), dapclient.Options{Recorder: rec, OnEvent: func(m *dapclient.Message) {
				switch m.Name {
				case "stopped":
					stops <- struct{}{}
				case "initialized":
					once.Do(func() { close(ready) })
				}
			}})
			c := &client{t: t, conn: conn}
			t.Cleanup(func() {
				a.Close()
				<-conn.Done()
			})
			for _, m := range want.sent {
				var args any
				if m.Arguments != nil {
					args = m.Arguments
				}
				if m.Name == "launch" {
					_, err := conn.Send(dapclient.Request{Command: m.Name, Args: args})
					require.NoError(t, err)
					<-ready
					continue
				}
				_, _ = c.call(m.Name, args)
				if m.Name == "configurationDone" || m.Name == "continue" {
					<-stops
				}
			}
			got, expected := loosely(rec.all()), loosely(want.received)
			// Output comes at other places than in the real program.
			assert.Equal(t, without(expected, "event output", "event module", "event thread"),
				without(got, "event output", "event module", "event thread"))
			assert.Equal(t, forms(expected, "event "), forms(got, "event "))
		})
	}
}

func without(msgs []string, prefixes ...string) []string {
	var out []string
next:
	for _, m := range msgs {
		for _, p := range prefixes {
			if strings.HasPrefix(m, p) {
				continue next
			}
		}
		out = append(out, m)
	}
	return out
}

// forms returns the different forms of messages with a prefix, sorted.
func forms(msgs []string, prefix string) []string {
	seen := map[string]bool{}
	for _, m := range msgs {
		if strings.HasPrefix(m, prefix) && !strings.HasPrefix(m, "event output") && !strings.HasPrefix(m, "event module") {
			seen[m] = true
		}
	}
	var out []string
	for m := range seen {
		out = append(out, m)
	}
	sort.Strings(out)
	return out
}
