package daptest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-dap"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// Invented addresses. The frame with d callers is in the 256 bytes below stackTop-256*d, and its variables go down from
// there.
const (
	stackTop   = 0x7000_0000
	frameSize  = 0x100
	globalsAt  = 0x5000
	watchables = 4 // registers of the processor
)

// Write is a variable that a line writes: a variable of the frame, which has its new value in the next step, or one of
// the Globals, which gets Value.
type Write struct{ Name, Value string }

// watching is what the adapter watches.
type watching struct {
	data    []*dataBreakpoint
	returns []returnPoint
	made    int // numbers the watchpoints of lldb-dap
	globals []Var
}

type dataBreakpoint struct {
	dataID, access string
	address        int
	id             int
}

// returnPoint is a breakpoint where a frame returns to: it is hit by a thread with fewer callers than depth.
type returnPoint struct{ id, depth, thread int }

func bytesOf(typ string) int {
	switch typ {
	case "int", "int32", "float":
		return 4
	case "char", "bool":
		return 1
	case "string", "main.box", "char[64]":
		return 16
	}
	return 8
}

// addressOf returns the address and type of a variable of a frame, or of a global.
func (e *engine) addressOf(t *thread, index int, name string) (address int, typ string, ok bool) {
	depth := t.cur.Depth() - index
	for k, v := range e.varsOf(t, index) {
		if v.Name == name {
			return stackTop - frameSize*depth - 8*(k+1), v.Type, true
		}
	}
	for k, v := range e.globals {
		if v.Name == name {
			return globalsAt + 8*k, v.Type, true
		}
	}
	return 0, "", false
}

// valueAt reads memory in the stack of a thread, or of a global.
func (e *engine) valueAt(t *thread, address int) string {
	if k := (address - globalsAt) / 8; address < stackTop/2 && k >= 0 && k < len(e.globals) {
		return e.globals[k].Value
	}
	depth := (stackTop - address) / frameSize
	k := (stackTop-frameSize*depth-address)/8 - 1
	if index := t.cur.Depth() - depth; index >= 0 {
		if vars := e.varsOf(t, index); k >= 0 && k < len(vars) {
			return vars[k].Value
		}
	}
	return "-559038737"
}

var (
	addressForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(uintptr\()?&\(([^()]+)\)\)?$`) })
	memoryForm  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\(*\*\(\*?([^()]*?) ?\*?\)\(?(0x[0-9a-f]+|runtime\.curg\.stack\.hi - \d+)\)*$`)
	})
	returnForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`-t (\d+) -c '\$sp >= (\d+)' -a (\S+)`)
	})
)

// memoryAnswer evaluates what is about memory. ok is false for other expressions.
func (e *engine) memoryAnswer(t *thread, index int, text string) (v Var, ok bool) {
	native := e.shape.Family == FamilyLLDB
	if !native && e.shape.Family != FamilyDelve {
		return Var{}, false
	}
	depth := t.cur.Depth() - index
	switch text {
	case "runtime.curg.stack.lo":
		return Var{Value: strconv.Itoa(stackTop - 1<<16), Type: "uintptr"}, true
	case "runtime.curg.stack.hi":
		return Var{Value: strconv.Itoa(stackTop), Type: "uintptr"}, true
	case "runtime.frameoff":
		return Var{Value: strconv.Itoa(-frameSize * depth), Type: "int64"}, true
	case "$sp":
		return Var{Value: strconv.Itoa(stackTop - frameSize*(depth+1)), Type: "unsigned long"}, true
	}
	if m := addressForm().FindStringSubmatch(text); m != nil {
		address, typ, ok := e.addressOf(t, index, m[2])
		switch {
		case !ok:
			return Var{}, false
		case native:
			return Var{Value: fmt.Sprintf("0x%016x", address), Type: typ + " *"}, true
		case m[1] != "":
			return Var{Value: fmt.Sprintf("%d = %#x", address, address), Type: "uintptr"}, true
		}
		return Var{Value: "*" + e.valueAt(t, address), Type: "*" + typ}, true
	}
	if address, typ, ok := memoryOf(text); ok {
		return Var{Value: e.valueAt(t, address), Type: typ}, true
	}
	return Var{}, false
}

func memoryOf(text string) (address int, typ string, ok bool) {
	m := memoryForm().FindStringSubmatch(text)
	if m == nil {
		return 0, "", false
	}
	if below, is := strings.CutPrefix(m[2], "runtime.curg.stack.hi - "); is {
		n, _ := strconv.Atoi(below)
		return stackTop - n, m[1], true
	}
	n, err := strconv.ParseInt(m[2], 0, 64)
	return int(n), m[1], err == nil
}

// command runs a command of LLDB that sets or deletes the breakpoint of a return.
func (e *engine) command(text string) (said string, ok bool) {
	if e.shape.Family != FamilyLLDB || !strings.HasPrefix(text, "`breakpoint ") {
		return "", false
	}
	if number, is := strings.CutPrefix(text, "`breakpoint delete "); is {
		id, _ := strconv.Atoi(number)
		e.returns = slices.DeleteFunc(e.returns, func(r returnPoint) bool { return r.id == id })
		return "(lldb) breakpoint delete " + number + "\n1 breakpoints deleted; 0 breakpoint locations disabled.\n", true
	}
	m := returnForm().FindStringSubmatch(text)
	if m == nil {
		return "error: invalid combination of options for the given command\n", true
	}
	thread, _ := strconv.Atoi(m[1])
	pointer, _ := strconv.Atoi(m[2])
	e.returns = append(e.returns, returnPoint{e.nextID, (stackTop - pointer) / frameSize, thread})
	e.nextID++
	return fmt.Sprintf("(lldb) %s\nBreakpoint %d: where = app`main + 27 at main.c:6:40, address = %s\n", text[1:],
		e.nextID-1, m[3]), true
}

func (e *engine) setInstructionBreakpoints(m *dapclient.Message) {
	args, err := dapclient.DecodeArguments[dap.SetInstructionBreakpointsArguments](m)
	if err != nil {
		e.fail(m, failure{why: whyArguments, detail: err.Error()})
		return
	}
	e.returns = nil
	bodies := []map[string]any{}
	for _, b := range args.Breakpoints {
		offset, _ := strconv.Atoi(strings.TrimPrefix(b.Condition, "runtime.frameoff > "))
		e.returns = append(e.returns, returnPoint{id: e.nextID, depth: -offset / frameSize})
		bodies = append(bodies, map[string]any{"id": e.nextID, "verified": true})
		e.nextID++
	}
	e.a.wire.response(m, true, "", mustJSON(map[string]any{"breakpoints": bodies}))
}

func (e *engine) dataBreakpointInfo(m *dapclient.Message) {
	name := rawjson.String(m.Arguments, "name")
	id, _ := rawjson.Int(m.Arguments, "frameId")
	ref, ok := e.frameByID(id)
	if e.state != stateStopped || !ok {
		e.fail(m, failure{why: whyRunning})
		return
	}
	body := map[string]any{"dataId": nil, "accessTypes": []string{"read", "write", "readWrite"}}
	if e.shape.Family == FamilyDelve { // it looks at nothing yet
		body["dataId"], body["description"] = fmt.Sprintf("%d,%d,%s", ref.thread.id, ref.index, name), name
	} else if f := addressForm().FindStringSubmatch(name); f == nil {
		body["description"] = "memory region for address 0 has no read or write permissions"
	} else if address, typ, ok := e.addressOf(ref.thread, ref.index, f[2]); ok {
		body["dataId"], body["description"] = fmt.Sprintf("%X/%d", address, bytesOf(typ)), name
	}
	e.a.wire.response(m, true, "", mustJSON(body))
}

func (e *engine) setDataBreakpoints(m *dapclient.Message) {
	var args struct{ Breakpoints []dap.DataBreakpoint }
	if err := json.Unmarshal(m.Arguments, &args); err != nil || rawjson.Field(m.Arguments, "breakpoints") == nil {
		e.fail(m, failure{why: whyArguments, detail: "breakpoints"})
		return
	}
	if e.state == stateRunning {
		e.fail(m, failure{why: whyRunning})
		return
	}
	old := e.data
	e.data = nil
	bodies := make([]map[string]any, len(args.Breakpoints))
	for i := range args.Breakpoints {
		if e.shape.Family == FamilyLLDB {
			i = len(args.Breakpoints) - 1 - i // measured: the last is set first
		}
		bodies[i] = e.newWatch(args.Breakpoints[i], old)
	}
	e.a.wire.response(m, true, "", mustJSON(map[string]any{"breakpoints": bodies}))
}

func (e *engine) newWatch(want dap.DataBreakpoint, old []*dataBreakpoint) map[string]any {
	b := &dataBreakpoint{dataID: want.DataId, access: string(want.AccessType)}
	refused := func(why string) map[string]any { return map[string]any{"verified": false, "message": why} }
	if e.shape.Family == FamilyLLDB {
		at, _, _ := strings.Cut(want.DataId, "/")
		n, _ := strconv.ParseInt(at, 16, 64)
		b.address = int(n)
		if len(e.data) == watchables {
			return refused("Setting one of the watchpoint resources failed")
		}
		e.made++
		b.id = e.made
		e.data = append(e.data, b)
		return map[string]any{"verified": true}
	}
	parts := strings.SplitN(want.DataId, ",", 3)
	address, typ, ok := memoryOf(parts[2])
	switch {
	case !ok:
		return refused("could not find symbol value for " + parts[2])
	case bytesOf(typ) > 8:
		return refused("can not watch variable of type " + typ)
	case address > stackTop/2 && b.access != "write":
		return refused("can not watch stack allocated variable for reads")
	case len(e.data) == watchables:
		return refused("hardware breakpoints exhausted")
	}
	b.address = address
	if i := slices.IndexFunc(old, func(o *dataBreakpoint) bool { return o.dataID == b.dataID }); i >= 0 {
		b.id = old[i].id
	} else {
		b.id = e.nextID
		e.nextID++
	}
	e.data = append(e.data, b)
	return map[string]any{"id": b.id, "verified": true}
}

// touch runs what a line writes and reads, and returns the watched memory that is touched.
func (e *engine) touch(t *thread) (hits []*dataBreakpoint) {
	find := func(address int, kinds ...string) {
		for _, b := range e.data {
			if b.address == address && slices.Contains(kinds, b.access) {
				hits = append(hits, b)
			}
		}
	}
	for _, w := range t.cur.Writes {
		address, _, ok := e.addressOf(t, 0, w.Name)
		if !ok {
			continue
		}
		if k := (address - globalsAt) / 8; address < stackTop/2 {
			same := e.globals[k].Value == w.Value
			e.globals[k].Value = w.Value
			if same && e.shape.Family == FamilyLLDB {
				continue // measured: it reports changes only
			}
		}
		find(address, "write", "readWrite")
	}
	for _, name := range t.cur.Reads {
		if address, _, ok := e.addressOf(t, 0, name); ok {
			find(address, "read", "readWrite")
		}
	}
	return hits
}

// watchHalt is the stop of a thread that has touched watched memory, nil when it has not.
func (e *engine) watchHalt(t *thread, hits []*dataBreakpoint) *halt {
	if len(hits) == 0 || !t.live {
		return nil
	}
	if e.shape.Family == FamilyLLDB {
		return &halt{thread: t, reason: "breakpoint", description: "watchpoint " + strconv.Itoa(hits[0].id)}
	}
	return &halt{thread: t, reason: "data breakpoint"}
}

// returned is the stop of a thread that has come from a frame with from callers to the breakpoint of a return.
func (e *engine) returned(t *thread, from int) *halt {
	for _, r := range e.returns {
		if t.cur.Depth() < from && t.cur.Depth() < r.depth && (r.thread == 0 || r.thread == t.id) {
			reason := "instruction breakpoint"
			if e.shape.Family == FamilyLLDB {
				reason = "breakpoint"
			}
			return &halt{thread: t, reason: reason, ids: []int{r.id}}
		}
	}
	return nil
}
