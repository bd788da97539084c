package inspect

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

//go:embed python_waits.py
var pythonWaits string

// pythonTimeout bounds the question for tasks and locks.
const pythonTimeout = 2 * time.Second

// pythonPlace is a function, a file and a line.
type pythonPlace []any

// pythonAnswer is what python_waits.py answers.
type pythonAnswer struct {
	Callers []pythonPlace `json:"callers"` // a task's name, then its place
	Threads []struct {
		Name   string        `json:"name"`
		For    string        `json:"for"`
		On     string        `json:"on"`
		HeldBy []string      `json:"heldBy"`
		Likely bool          `json:"likely"`
		Places []pythonPlace `json:"places"`
	} `json:"threads"`
	Tasks []struct {
		Name   string        `json:"name"`
		For    string        `json:"for"`
		Places []pythonPlace `json:"places"`
	} `json:"tasks"`
	Omitted int    `json:"omitted"`
	Problem string `json:"problem"`
}

// askPython asks the stopped thread for a part of what python_waits.py knows: "callers", "places" or "waits".
func (v *View) askPython(want string) (a pythonAnswer, ok bool) {
	frame, err := v.frame(v.Stop.Thread, v.Stop.Frame)
	if err != nil {
		return a, false
	}
	text := "(lambda g: " + builtin + "exec(" + pythonText(pythonWaits) + ", g) or g['answer'])({'want': '" + want + "'})"
	body, err := v.evaluate(frame, text, pythonTimeout)
	if err != nil || body.Type != "str" || len(body.Result) < 2 {
		return a, false
	}
	whole := strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(body.Result[1 : len(body.Result)-1])
	if err := json.Unmarshal([]byte(whole), &a); err != nil || a.Problem != "" {
		v.Log.Debug("tasks and locks are not known", "error", err, "problem", a.Problem)
		return a, err == nil
	}
	return a, true
}

// pythonText returns a text as a literal of Python.
func pythonText(text string) string {
	return strconv.QuoteToASCII(text) // of its escapes, Python has all that ASCII needs
}

// frame returns the place as a frame. ok is false for one that is not understood.
func (p pythonPlace) frame() (f dap.StackFrame, ok bool) {
	if len(p) != 3 {
		return f, false
	}
	name, _ := p[0].(string)
	file, _ := p[1].(string)
	line, _ := p[2].(float64)
	return dap.StackFrame{Name: name, Line: int(line), Source: &dap.Source{Path: file}}, name != ""
}

// pythonCallers returns the coroutines of the tasks that await the running one.
func (v *View) pythonCallers() []Frame {
	a, _ := v.askPython("callers")
	var frames []Frame
	for _, p := range a.Callers {
		if len(p) == 0 {
			continue
		}
		task, _ := p[0].(string)
		if f, ok := p[1:].frame(); ok {
			frames = append(frames, v.asyncFrame(f, task))
		}
	}
	return frames
}

// ThreadPlaces returns where threads are, for a debugger that takes half a second for the stack of each that runs no
// line: debugpy, in Python. names has the threads that one name alone belongs to; 0 is no thread.
func (v *View) ThreadPlaces(names map[string]int) map[int]*Location {
	if v.Profile.Language != dapclient.Python || len(names) < 2 {
		return nil
	}
	a, _ := v.askPython("places")
	at := map[int]*Location{}
	for _, t := range a.Threads {
		if id := names[t.Name]; id != 0 {
			at[id], _ = v.ownPlace(t.Places)
		}
	}
	return at
}

// ownPlace returns the innermost place of the program's own code, else the innermost one, and the function that is
// called there.
func (v *View) ownPlace(places []pythonPlace) (at *Location, called string) {
	for _, p := range places {
		f, ok := p.frame()
		if !ok {
			continue
		}
		own := IsUserFrame(f)
		if own || at == nil {
			at = v.Debugger.Location(&f)
		}
		if own {
			return at, called
		}
		called = f.Name
	}
	return at, ""
}

// inPython takes what the program says of its threads and tasks. It knows threads by their names.
func (w *waitsRead) inPython(names map[string]int) (tasks []Task, omitted int) {
	a, _ := w.askPython("waits")
	for _, t := range a.Threads {
		id := names[t.Name]
		if id == 0 {
			continue
		}
		wait := Wait{For: t.For, On: t.On, Likely: t.Likely}
		if wait.For == "" {
			if _, wait.For = w.ownPlace(t.Places); wait.For == "" {
				continue
			}
		}
		for _, holder := range t.HeldBy {
			if id := names[holder]; id != 0 {
				wait.HeldBy = append(wait.HeldBy, id)
			}
		}
		slices.Sort(wait.HeldBy)
		w.found[id] = wait
	}
	for _, t := range a.Tasks {
		task := Task{Name: t.Name, WaitsFor: cmp.Or(t.For, "a future")}
		if len(t.Places) > 0 && t.For == "" {
			if f, ok := t.Places[0].frame(); ok && !IsUserFrame(f) {
				task.WaitsFor = f.Name
			}
		}
		task.Location, _ = w.ownPlace(t.Places)
		tasks = append(tasks, task)
	}
	return tasks, a.Omitted
}
