package daptest

import (
	"strconv"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// handles are the frame ids and variable references of one stop.
type handles struct {
	nextFrame int
	frameBase int
	frameRefs []frameRef // frame id - frameBase
	nextRef   int
	refBase   int
	refs      []varRef // reference - refBase
	evals     int      // counts evaluations, for lldb-dap's messages
	// showGlobals: Delve was told to show the variables of packages.
	showGlobals bool
	lastPath    string // a cache of one entry for names of files and addresses
	lastBase    string
	lastHash    uint32
}

type frameRef struct {
	thread *thread
	index  int
}

type varRef struct {
	vars   []Var
	thread *thread // its pokes are changed by setVariable; nil below the top
	frame  int
}

// resetHandles invalidates all ids, at a stop and at a resume.
func (e *engine) resetHandles(first bool) {
	e.frameRefs = e.frameRefs[:0]
	clear(e.refs)
	e.refs = e.refs[:0]
	for _, t := range e.threads {
		t.frameIDs = t.frameIDs[:0]
	}
	switch e.shape.Family {
	case FamilyNetcoredbg: // frame ids rise across stops, references begin again
		e.frameBase, e.refBase = e.nextFrame, 1
	case FamilyDelve:
		e.frameBase, e.nextFrame, e.refBase = 1000, 1000, 1000
	case FamilyDebugpy: // one counter for both, which rises across stops
		if first {
			e.nextFrame = 2
		}
		e.frameBase, e.refBase = e.nextFrame, e.nextFrame
	default:
		e.refBase = 1
		if first {
			e.nextFrame = 1
		}
		e.frameBase = e.nextFrame
	}
	e.nextRef = e.refBase
}

// frameID returns the id of a frame of this stop.
func (e *engine) frameID(t *thread, index int) int {
	if e.shape.Family == FamilyLLDB {
		return (t.index+1)<<19 | index
	}
	for len(t.frameIDs) <= index {
		t.frameIDs = append(t.frameIDs, -1)
	}
	if t.frameIDs[index] < 0 {
		id := e.nextFrame
		e.nextFrame++
		for len(e.frameRefs) < id-e.frameBase {
			e.frameRefs = append(e.frameRefs, frameRef{}) // ids that are used for variables
		}
		e.frameRefs = append(e.frameRefs, frameRef{t, index})
		t.frameIDs[index] = id
	}
	return t.frameIDs[index]
}

func (e *engine) frameByID(id int) (frameRef, bool) {
	if e.shape.Family == FamilyLLDB {
		n, index := id>>19-1, id&(1<<19-1)
		if n < 0 || n >= len(e.threads) || index > len(e.threads[n].cur.Callers) {
			return frameRef{}, false
		}
		return frameRef{e.threads[n], index}, true
	}
	if i := id - e.frameBase; i >= 0 && i < len(e.frameRefs) && e.frameRefs[i].thread != nil {
		return e.frameRefs[i], true
	}
	return frameRef{}, false
}

// reference registers children and returns their variablesReference.
func (e *engine) reference(r varRef) int {
	if len(r.vars) == 0 && r.frame < 0 {
		return 0
	}
	if e.shape.Family == FamilyDebugpy {
		e.nextRef = e.nextFrame
		e.nextFrame++
	}
	for len(e.refs) < e.nextRef-e.refBase {
		e.refs = append(e.refs, varRef{frame: -1})
	}
	e.refs = append(e.refs, r)
	e.nextRef++
	return e.nextRef - 1
}

func (e *engine) scopes(m *dapclient.Message) {
	id, _ := rawjson.Int(m.Arguments, "frameId")
	ref, ok := e.frameByID(id)
	if !ok || e.state != stateStopped {
		e.fail(m, failure{why: whyNoFrame, detail: strconv.Itoa(id)})
		return
	}
	vars := e.varsOf(ref.thread, ref.index)
	r := strconv.Itoa(e.reference(varRef{vars: vars, thread: ref.thread, frame: ref.index}))
	var body string
	switch e.shape.Family {
	case FamilyNetcoredbg:
		body = `{"scopes":[{"expensive":false,"name":"Locals","namedVariables":` + strconv.Itoa(len(vars)) +
			`,"variablesReference":` + r + `}]}`
	case FamilyDelve:
		body = `{"scopes":[{"name":"Locals","variablesReference":` + r + `,"expensive":false}`
		if e.showGlobals {
			body += `,{"name":"Globals (package main)","variablesReference":` +
				strconv.Itoa(e.reference(varRef{vars: e.globals})) + `,"expensive":false}`
		}
		body += `]}`
	case FamilyLLDB:
		body = `{"scopes":[{"expensive":false,"name":"Locals","namedVariables":` + strconv.Itoa(len(vars)) +
			`,"presentationHint":"locals","variablesReference":` + r + `},` +
			`{"expensive":false,"name":"Globals","namedVariables":` + strconv.Itoa(len(e.globals)) +
			`,"variablesReference":` + strconv.Itoa(e.reference(varRef{vars: e.globals})) + `},` +
			`{"expensive":false,"name":"Registers","namedVariables":0,"presentationHint":"registers",` +
			`"variablesReference":` + strconv.Itoa(e.reference(varRef{})) + `}]}`
	default:
		body = `{"scopes":[{"name":"Locals","variablesReference":` + r +
			`,"expensive":false,"presentationHint":"locals","source":{}},` +
			`{"name":"Globals","variablesReference":` + strconv.Itoa(e.reference(varRef{vars: e.globals})) +
			`,"expensive":false,"source":{}}]}`
	}
	e.a.wire.response(m, true, "", []byte(body))
}

func (e *engine) variables(m *dapclient.Message) {
	id, _ := rawjson.Int(m.Arguments, "variablesReference")
	i := id - e.refBase
	if i < 0 || i >= len(e.refs) || e.refs[i].frame < 0 && len(e.refs[i].vars) == 0 || e.state != stateStopped {
		e.fail(m, failure{why: whyNoVariable, detail: strconv.Itoa(id)})
		return
	}
	vars := e.refs[i].vars
	filter := rawjson.String(m.Arguments, "filter")
	if filter == "indexed" && e.shape.Family == FamilyNetcoredbg {
		vars = nil
	}
	start, _ := rawjson.Int(m.Arguments, "start")
	count, _ := rawjson.Int(m.Arguments, "count")
	start = min(max(start, 0), len(vars))
	vars = vars[start:]
	if count > 0 {
		vars = vars[:min(count, len(vars))]
	}
	b := append(e.scratch[:0], `{"variables":[`...)
	for i, v := range vars {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.appendVariable(b, v)
	}
	e.scratch = append(b, `]}`...)
	e.a.wire.response(m, true, "", e.scratch)
}

func (e *engine) appendVariable(b []byte, v Var) []byte {
	text := func(key, value string) {
		b = append(b, key...)
		b = rawjson.AppendString(b, value)
	}
	ref := e.reference(varRef{vars: v.Children, frame: -1})
	switch e.shape.Family {
	case FamilyNetcoredbg:
		text(`{"evaluateName":`, v.Name)
		text(`,"name":`, v.Name)
		if len(v.Children) > 0 {
			b = append(b, `,"namedVariables":`...)
			b = strconv.AppendInt(b, int64(len(v.Children)), 10)
		}
		text(`,"type":`, v.Type)
		text(`,"value":`, v.Value)
	case FamilyLLDB:
		text(`{"$__lldb_extensions":{"value":`, v.Value)
		text(`},"evaluateName":`, v.Name)
		text(`,"id":-1,"name":`, v.Name)
		text(`,"type":`, v.Type)
		text(`,"value":`, v.Value)
	default:
		text(`{"name":`, v.Name)
		text(`,"value":`, v.Value)
		text(`,"type":`, v.Type)
		text(`,"evaluateName":`, v.Name)
	}
	b = append(b, `,"variablesReference":`...)
	b = strconv.AppendInt(b, int64(ref), 10)
	return append(b, '}')
}
