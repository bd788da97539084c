package daptest

import (
	"hash/fnv"
	"path"
	"strconv"
	"strings"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// frames returns the frames of a thread, the top one first.
func (e *engine) frames(t *thread) []Frame {
	frames := make([]Frame, 0, 2+len(t.cur.Callers))
	if e.shape.Family == FamilyDelve && t.exceptionHere() != nil {
		frames = append(frames,
			Frame{File: "/usr/local/go/src/runtime/panic.go", Line: 1456, Func: "runtime.fatalpanic"},
			Frame{File: "/usr/local/go/src/runtime/panic.go", Line: 866, Func: "runtime.gopanic"})
	}
	if e.waitsForCall(t) {
		frames = append(frames, callFrame)
	}
	frames = append(frames, Frame{File: t.cur.File, Line: t.cur.Line, Func: t.cur.Func, Vars: t.cur.Vars})
	return append(frames, t.cur.Callers...)
}

func (e *engine) frameCount(t *thread) int {
	if t.cur.File == "" && t.cur.Func == "" { // not started, or a thread of the runtime
		return 0
	}
	n := 1 + len(t.cur.Callers)
	if e.shape.Family == FamilyDelve && t.exceptionHere() != nil {
		n += 2
	}
	if e.waitsForCall(t) {
		n++
	}
	return n
}

func (e *engine) frame(t *thread, index int) Frame {
	if index == 0 && !e.waitsForCall(t) && (e.shape.Family != FamilyDelve || t.cur.Throws == nil) {
		return Frame{File: t.cur.File, Line: t.cur.Line, Func: t.cur.Func, Vars: t.cur.Vars}
	}
	frames := e.frames(t)
	if index >= len(frames) {
		return Frame{}
	}
	return frames[index]
}

// pc is an invented address of the first instruction of a line.
func (e *engine) pc(file string, line int) string { return e.address(file, line, 0) }

func (e *engine) address(file string, line int, offset uint64) string {
	e.remember(file)
	return "0x" + strconv.FormatUint(uint64(0x400000+e.lastHash&0xffff<<8)+uint64(line)*16+offset, 16)
}

// framePC returns the address of a frame. It is inside the line for a caller, and for a line to which a call has
// returned.
func (e *engine) framePC(t *thread, i int, f Frame) string {
	if i > 0 || t.cur.Landing {
		return e.address(f.File, f.Line, 5)
	}
	return e.pc(f.File, f.Line)
}

// remember stores the base name and hash of a file, because most calls are for the same file as before.
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
	start = max(start, 0)
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
	e.looked(t)
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
		b = append(b, e.framePC(t, i, f)...)
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
		b = append(b, e.framePC(t, i, f)...)
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
