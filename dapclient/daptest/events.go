package daptest

import (
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"

	"breakwire/dapclient/internal/rawjson"
)

// stopped sends a stopped event.
func (e *engine) stopped(h halt, focus bool) {
	if focus {
		e.current = h.thread
	}
	body := make([]byte, 0, 256)
	id := 0
	if h.thread != nil && (h.reason != "pause" || !e.shape.PauseWithoutThread || h.thread.cur.Break) {
		id = h.thread.id
	}
	text := func(key, value string) {
		if value != "" {
			body = append(body, `,"`+key+`":`...)
			body = rawjson.AppendString(body, value)
		}
	}
	ids := func() {
		if len(h.ids) == 0 || !e.shape.HitIDs {
			return
		}
		body = append(body, `,"hitBreakpointIds":[`...)
		for i, id := range h.ids {
			if i > 0 {
				body = append(body, ',')
			}
			body = strconv.AppendInt(body, int64(id), 10)
		}
		body = append(body, ']')
	}
	thread := func() {
		if id != 0 {
			body = append(body, `,"threadId":`...)
			body = strconv.AppendInt(body, int64(id), 10)
		}
	}
	if e.shape.BodyFirst {
		body = append(body, `{"allThreadsStopped":true`...)
		if e.shape.Family == FamilyLLDB && h.description == "" && len(h.ids) > 0 {
			h.description = "breakpoint " + strconv.Itoa(h.ids[0]) + ".1"
		}
		text("description", h.description)
		ids()
		if e.shape.Family == FamilyLLDB {
			body = append(body, `,"preserveFocusHint":`...)
			body = strconv.AppendBool(body, !focus)
		}
		text("reason", h.reason)
		text("text", h.text)
		if e.shape.Family == FamilyLLDB && focus {
			body = append(body, `,"threadCausedFocus":true`...)
		}
		thread()
	} else {
		body = append(body, `{"reason":`...)
		body = rawjson.AppendString(body, h.reason)
		text("description", h.description)
		thread()
		text("text", h.text)
		if e.shape.Family == FamilyDebugpy {
			body = append(body, `,"preserveFocusHint":false`...)
		}
		body = append(body, `,"allThreadsStopped":true`...)
		ids()
	}
	e.a.wire.event("stopped", append(body, '}'))
}

func (e *engine) continuedEvent(thread int) {
	var b [128]byte
	body := b[:0]
	if e.shape.BodyFirst {
		body = append(body, `{"allThreadsContinued":true,"threadId":`...)
		body = strconv.AppendInt(body, int64(thread), 10)
	} else {
		body = append(body, `{"threadId":`...)
		body = strconv.AppendInt(body, int64(thread), 10)
		body = append(body, `,"allThreadsContinued":true`...)
	}
	e.a.wire.event("continued", append(body, '}'))
}

func (e *engine) threadEvent(t *thread, reason string) {
	e.a.wire.event("thread", []byte(`{"reason":"`+reason+`","threadId":`+strconv.Itoa(t.id)+`}`))
}

// output sends an output event. Delve writes the program's own output to its stdout unless it was asked for it.
func (e *engine) output(category, text string) {
	if e.shape.Family == FamilyDelve && category != "console" && !e.remote {
		return
	}
	if e.shape.Family == FamilyLLDB && category == "stdout" {
		text = strings.ReplaceAll(text, "\n", "\r\n") // by the terminal
	}
	body := append([]byte(`{"category":"`+category+`","output":`), rawjson.AppendString(nil, text)...)
	if e.shape.Family == FamilyDebugpy && e.attached {
		body = append(body, `,"source":{}`...) // not so what its launcher reads
	}
	e.a.wire.event("output", append(body, '}'))
}

func (e *engine) processEvent() {
	if e.shape.Family == FamilyNetcoredbg && e.attached {
		return
	}
	method := "launch"
	if e.attached {
		method = "attach"
	}
	body := map[string]any{
		"isLocalProcess": true, "name": e.prog.Name, "startMethod": method, "systemProcessId": e.prog.PID,
	}
	if e.shape.Family == FamilyDebugpy {
		body["pointerSize"] = 64
	}
	e.a.wire.event("process", mustJSON(body))
}

// loadModules loads the initial modules, the main module last.
func (e *engine) loadModules() {
	for _, m := range e.prog.Modules {
		e.loadModule(m)
	}
	e.loaded = true
	name := e.prog.Path
	if name == "" {
		name = "/app/app.dll"
	}
	e.loadModule(Module{Path: name, Symbols: !e.prog.NoSymbols})
}

// loadModule reports a module, and binds the breakpoints in its sources.
func (e *engine) loadModule(m Module) {
	if m.Name == "" {
		m.Name = m.Path[strings.LastIndexAny(m.Path, `/\`)+1:]
	}
	if m.ID == "" {
		m.ID = moduleID(m.Name)
	}
	e.modules = append(e.modules, m)
	if e.shape.Family == FamilyNetcoredbg {
		status := "Symbols not found."
		if m.Symbols {
			status = "Symbols loaded."
		}
		e.a.wire.event("module", mustJSON(map[string]any{"reason": "new", "module": map[string]any{
			"id": m.ID, "name": m.Name, "path": m.Path, "symbolStatus": status,
		}}))
	}
	e.bindPending()
}

// moduleID is the same for the same name: recordings compare.
func moduleID(name string) string {
	h := fnv.New64a()
	h.Write([]byte(name))
	hex := leftPad(strconv.FormatUint(h.Sum64(), 16), 16)
	return hex[:8] + "-" + hex[8:12] + "-4000-8000-" + hex[4:16]
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own maps and structs come here
	}
	return b
}
