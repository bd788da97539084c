package daptest

import (
	"errors"
	"hash/fnv"
	"path"
	"strconv"
	"strings"

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
	lastPath  string   // one entry of memory for names of files and addresses
	lastBase  string
	lastHash  uint32
}

type frameRef struct {
	thread *thread
	index  int
}

type varRef struct {
	vars   []Var
	thread *thread // whose pokes setVariable makes; nil below the top
	frame  int
}

// resetHandles voids all ids: at a stop and at a resume.
func (e *engine) resetHandles(first bool) {
	e.frameRefs = e.frameRefs[:0]
	clear(e.refs)
	e.refs = e.refs[:0]
	for _, t := range e.threads {
		t.frameIDs = t.frameIDs[:0]
	}
	switch e.shape.Family {
	case FamilyNetcoredbg: // frames rise across stops, references start again
		e.frameBase, e.refBase = e.nextFrame, 1
	case FamilyDelve:
		e.frameBase, e.nextFrame, e.refBase = 1000, 1000, 1000
	case FamilyDebugpy: // one counter for both, that rises across stops
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

// frameID gives the id of a frame of this stop.
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
			e.frameRefs = append(e.frameRefs, frameRef{}) // ids that went to variables
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

// reference registers children and gives their variablesReference.
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

// frames are the frames of a thread, the top one first.
func (e *engine) frames(t *thread) []Frame {
	frames := make([]Frame, 0, 2+len(t.cur.Callers))
	if e.shape.Family == FamilyDelve && t.exceptionHere() != nil {
		frames = append(frames,
			Frame{File: "/usr/local/go/src/runtime/panic.go", Line: 1456, Func: "runtime.fatalpanic"},
			Frame{File: "/usr/local/go/src/runtime/panic.go", Line: 866, Func: "runtime.gopanic"})
	}
	frames = append(frames, Frame{File: t.cur.File, Line: t.cur.Line, Func: t.cur.Func, Vars: t.cur.Vars})
	return append(frames, t.cur.Callers...)
}

func (e *engine) frameCount(t *thread) int {
	if t.cur.File == "" && t.cur.Func == "" { // not begun, or a thread of the runtime
		return 0
	}
	n := 1 + len(t.cur.Callers)
	if e.shape.Family == FamilyDelve && t.exceptionHere() != nil {
		n += 2
	}
	return n
}

func (e *engine) frame(t *thread, index int) Frame {
	if index == 0 && (e.shape.Family != FamilyDelve || t.cur.Throws == nil) {
		return Frame{File: t.cur.File, Line: t.cur.Line, Func: t.cur.Func, Vars: t.cur.Vars}
	}
	frames := e.frames(t)
	if index >= len(frames) {
		return Frame{}
	}
	return frames[index]
}

// pc is a made-up address, the same for the same line.
func (e *engine) pc(file string, line int) string {
	e.remember(file)
	return "0x" + strconv.FormatUint(uint64(0x400000+e.lastHash&0xffff<<8)+uint64(line)*16, 16)
}

// remember looks up the base name and hash of a file, most often the last one asked for.
func (e *engine) remember(file string) {
	if e.lastPath == file {
		return
	}
	h := fnv.New32a()
	h.Write([]byte(file))
	e.lastPath, e.lastBase, e.lastHash = file, path.Base(strings.ReplaceAll(file, `\`, "/")), h.Sum32()
}

func (e *engine) stackTrace(m *dapclient.Message) {
	id, ok := rawjson.Int(m.Arguments, "threadId")
	if !ok {
		e.fail(m, failure{why: whyArguments, detail: "key 'threadId' not found"})
		return
	}
	t := e.threadByID(id)
	switch {
	case e.state == stateEnded || e.state == stateNew:
		e.fail(m, failure{why: whyUnspecified})
		return
	case t == nil || e.atEntry && e.shape.Family == FamilyDelve:
		e.fail(m, failure{why: whyNoThread, detail: strconv.Itoa(id)})
		return
	case e.state == stateRunning:
		e.fail(m, failure{why: whyRunning})
		return
	}
	start, _ := rawjson.Int(m.Arguments, "startFrame")
	levels, _ := rawjson.Int(m.Arguments, "levels")
	total := e.frameCount(t)
	end := total
	if levels > 0 && start+levels < total {
		end = start + levels
	}
	b := append(e.scratch[:0], `{"stackFrames":[`...)
	for i := start; i < end; i++ {
		if i > start {
			b = append(b, ',')
		}
		b = e.appendFrame(b, t, i)
	}
	b = append(b, `],"totalFrames":`...)
	b = strconv.AppendInt(b, int64(total), 10)
	e.scratch = append(b, '}')
	e.a.wire.response(m, true, "", e.scratch)
}

func (e *engine) appendFrame(b []byte, t *thread, i int) []byte {
	f := e.frame(t, i)
	id := e.frameID(t, i)
	number := func(key string, n int) {
		b = append(b, key...)
		b = strconv.AppendInt(b, int64(n), 10)
	}
	source := func(key string) {
		if f.File == "" {
			return
		}
		e.remember(f.File)
		b = append(b, key...)
		if e.shape.Family == FamilyDebugpy {
			b = append(b, `{"path":`...)
			b = rawjson.AppendString(b, f.File)
			b = append(b, `,"sourceReference":0}`...)
			return
		}
		b = append(b, `{"name":`...)
		b = rawjson.AppendString(b, e.lastBase)
		b = append(b, `,"path":`...)
		b = rawjson.AppendString(b, f.File)
		b = append(b, '}')
	}
	switch e.shape.Family {
	case FamilyNetcoredbg:
		column := 0
		if f.Line > 0 {
			column = 13
		}
		number(`{"column":`, column)
		number(`,"endColumn":`, 2*column)
		number(`,"endLine":`, f.Line)
		number(`,"id":`, id)
		number(`,"line":`, f.Line)
		b = append(b, `,"moduleId":"`...)
		if n := len(e.modules); n > 0 {
			b = append(b, e.modules[n-1].ID...)
		}
		b = append(b, `","name":`...)
		b = rawjson.AppendString(b, f.Func)
		source(`,"source":`)
	case FamilyLLDB:
		number(`{"column":1,"id":`, id)
		b = append(b, `,"instructionPointerReference":"`...)
		b = append(b, e.pc(f.File, f.Line)...)
		number(`","line":`, f.Line)
		b = append(b, `,"name":`...)
		b = rawjson.AppendString(b, f.Func)
		source(`,"source":`)
	case FamilyDelve:
		number(`{"id":`, id)
		b = append(b, `,"name":`...)
		b = rawjson.AppendString(b, f.Func)
		source(`,"source":`)
		number(`,"line":`, f.Line)
		b = append(b, `,"column":0,"instructionPointerReference":"`...)
		b = append(b, e.pc(f.File, f.Line)...)
		b = append(b, '"')
		if strings.HasPrefix(f.Func, "runtime.") {
			b = append(b, `,"presentationHint":"subtle"`...)
		}
	default:
		number(`{"id":`, id)
		b = append(b, `,"name":`...)
		b = rawjson.AppendString(b, f.Func)
		number(`,"line":`, f.Line)
		b = append(b, `,"column":1`...)
		source(`,"source":`)
	}
	return append(b, '}')
}

// varsOf are the variables of a frame, with what setVariable changed.
func (e *engine) varsOf(t *thread, index int) []Var {
	vars := e.frame(t, index).Vars
	ex := t.exceptionHere()
	if len(t.pokes) == 0 && (ex == nil || e.shape.Family != FamilyNetcoredbg || index > 0) {
		return vars
	}
	vars = append([]Var(nil), vars...)
	for i := range vars {
		if value, ok := t.pokes[pokeKey(index, vars[i].Name)]; ok {
			vars[i].Value = value
		}
	}
	if ex != nil && e.shape.Family == FamilyNetcoredbg && index == 0 {
		vars = append([]Var{exceptionVar(ex)}, vars...)
	}
	return vars
}

func pokeKey(frame int, name string) string { return strconv.Itoa(frame) + ":" + name }

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
		body = `{"scopes":[{"expensive":false,"name":"Locals","namedVariables":` + strconv.Itoa(len(vars)) + `,"variablesReference":` + r + `}]}`
	case FamilyDelve:
		body = `{"scopes":[{"name":"Locals","variablesReference":` + r + `,"expensive":false}]}`
	case FamilyLLDB:
		body = `{"scopes":[{"expensive":false,"name":"Locals","namedVariables":` + strconv.Itoa(len(vars)) + `,"presentationHint":"locals","variablesReference":` + r + `},` +
			`{"expensive":false,"name":"Globals","namedVariables":` + strconv.Itoa(len(e.prog.Globals)) + `,"variablesReference":` + strconv.Itoa(e.reference(varRef{vars: e.prog.Globals})) + `},` +
			`{"expensive":false,"name":"Registers","namedVariables":0,"presentationHint":"registers","variablesReference":` + strconv.Itoa(e.reference(varRef{})) + `}]}`
	default:
		body = `{"scopes":[{"name":"Locals","variablesReference":` + r + `,"expensive":false,"presentationHint":"locals","source":{}},` +
			`{"name":"Globals","variablesReference":` + strconv.Itoa(e.reference(varRef{vars: e.prog.Globals})) + `,"expensive":false,"source":{}}]}`
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

// evalIn evaluates in a frame: the program's Eval, then variables, then the small language.
func (e *engine) evalIn(t *thread, index int, expr, context string) (Var, error) {
	vars := e.varsOf(t, index)
	if e.prog.Eval != nil {
		v, ok := e.prog.Eval(EvalCall{Thread: t.id, Frame: index, Expression: expr, Context: context, Step: &t.cur, Vars: vars})
		if ok {
			if v.Err != "" {
				return v, errors.New(v.Err)
			}
			return v, nil
		}
	}
	for i := range vars {
		if vars[i].Name == expr {
			if vars[i].Err != "" {
				return vars[i], errors.New(vars[i].Err)
			}
			return vars[i], nil
		}
	}
	return evalExpr(expr, func(name string) (Var, bool) {
		if v, ok := findVar(vars, name); ok {
			return v, true
		}
		return findVar(e.prog.Globals, name)
	})
}

func (e *engine) evaluate(m *dapclient.Message) {
	t, index := e.top(), 0
	if id, ok := rawjson.Int(m.Arguments, "frameId"); ok && e.state == stateStopped {
		ref, ok := e.frameByID(id)
		if !ok {
			e.fail(m, failure{why: whyNoFrame, detail: strconv.Itoa(id)})
			return
		}
		t, index = ref.thread, ref.index
	}
	switch {
	case e.state == stateRunning:
		e.fail(m, failure{why: whyRunning})
		return
	case e.state != stateStopped || t == nil:
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	e.evals++
	v, err := e.evalIn(t, index, rawjson.String(m.Arguments, "expression"), rawjson.String(m.Arguments, "context"))
	if v.Gate != nil {
		e.a.hold(v.Gate, func() { e.evaluated(m, v, err) })
		return
	}
	e.evaluated(m, v, err)
}

func (e *engine) evaluated(m *dapclient.Message, v Var, err error) {
	if err != nil {
		e.fail(m, failure{why: whyEvaluate, detail: e.evalMessage(err)})
		return
	}
	b := append(e.scratch[:0], '{')
	if len(v.Children) > 0 && e.shape.Family == FamilyNetcoredbg {
		b = append(b, `"namedVariables":`...)
		b = strconv.AppendInt(b, int64(len(v.Children)), 10)
		b = append(b, ',')
	}
	b = append(b, `"result":`...)
	b = rawjson.AppendString(b, v.Value)
	b = append(b, `,"type":`...)
	b = rawjson.AppendString(b, v.Type)
	b = append(b, `,"variablesReference":`...)
	b = strconv.AppendInt(b, int64(e.reference(varRef{vars: v.Children, frame: -1})), 10)
	if e.shape.Family == FamilyDebugpy {
		b = append(b, `,"presentationHint":{}`...)
	}
	e.scratch = append(b, '}')
	e.a.wire.response(m, true, "", e.scratch)
}

// top is the thread of the last stop.
func (e *engine) top() *thread { return e.current }

// setVariable changes a variable until its thread leaves the line.
func (e *engine) setVariable(m *dapclient.Message) {
	id, _ := rawjson.Int(m.Arguments, "variablesReference")
	name, text := rawjson.String(m.Arguments, "name"), rawjson.String(m.Arguments, "value")
	i := id - e.refBase
	if i < 0 || i >= len(e.refs) || e.state != stateStopped {
		e.fail(m, failure{why: whyNoVariable, detail: strconv.Itoa(id)})
		return
	}
	e.assign(m, e.refs[i], name, text)
}

func (e *engine) setExpression(m *dapclient.Message) {
	name, text := rawjson.String(m.Arguments, "expression"), rawjson.String(m.Arguments, "value")
	ref := frameRef{thread: e.top()}
	if id, ok := rawjson.Int(m.Arguments, "frameId"); ok {
		if ref, ok = e.frameByID(id); !ok {
			e.fail(m, failure{why: whyNoFrame, detail: strconv.Itoa(id)})
			return
		}
	}
	if e.state != stateStopped || ref.thread == nil {
		e.fail(m, failure{why: whyRunning})
		return
	}
	e.assign(m, varRef{vars: e.varsOf(ref.thread, ref.index), thread: ref.thread, frame: ref.index}, name, text)
}

func (e *engine) assign(m *dapclient.Message, in varRef, name, text string) {
	old, ok := findVar(in.vars, name)
	if !ok {
		e.fail(m, failure{why: whyEvaluate, detail: "Variable name not found."})
		return
	}
	t, frame := in.thread, in.frame
	if t == nil {
		t, frame = e.top(), 0
	}
	v, err := e.evalIn(t, frame, text, "")
	if err != nil {
		e.fail(m, failure{why: whyEvaluate, detail: e.evalMessage(err)})
		return
	}
	if v.Type != "" && old.Type != "" && v.Type != old.Type && e.shape.Family == FamilyNetcoredbg {
		e.a.wire.response(m, false, "", nil) // measured: an empty message
		return
	}
	for i := range in.vars {
		if in.vars[i].Name == name {
			in.vars[i].Value = v.Value
		}
	}
	if in.thread != nil {
		if t.pokes == nil {
			t.pokes = make(map[string]string)
		}
		t.pokes[pokeKey(frame, name)] = v.Value
	}
	if e.prog.OnSet != nil {
		e.prog.OnSet(t.id, name, v.Value)
	}
	e.a.wire.response(m, true, "", append(rawjson.AppendString([]byte(`{"value":`), v.Value), '}'))
}
