package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"breakwire/adapter/golang"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// goBlocking are the functions in which a goroutine waits: what for, and the argument that is it.
func goBlocking(function string) (kind, argument string, ok bool) {
	switch strings.TrimPrefix(function, "internal/") {
	case "runtime.chanrecv", "runtime.chansend":
		return "chan", "c", true
	case "sync.(*Mutex).Lock", "sync.(*Mutex).lockSlow":
		return "sync.Mutex", "m", true
	case "sync.(*RWMutex).Lock", "sync.(*RWMutex).RLock":
		return "sync.RWMutex", "rw", true
	case "sync.(*WaitGroup).Wait":
		return "sync.WaitGroup", "wg", true
	case "sync.(*Cond).Wait":
		return "sync.Cond", "c", true
	}
	return "", "", false
}

// inGo finds the channels and locks that goroutines wait for. Go stores no owner: a likely holder of a mutex is in a
// function that has locked it, one of a channel has it in a variable.
func (w *waitsRead) inGo() {
	sends := map[int]bool{}
	chans, locks := false, false
	for _, id := range w.threads {
		frames := w.waiting(id)
		for i := len(frames) - 1; i >= 0 && !w.late(); i-- {
			kind, argument, ok := goBlocking(frames[i].Name)
			if !ok {
				continue
			}
			address, ok := w.address(frames[i], argument)
			if !ok {
				continue
			}
			w.found[id] = Wait{On: fmt.Sprintf("%s at %#x", kind, address)}
			sends[id] = frames[i].Name == "runtime.chansend"
			chans, locks = chans || kind == "chan", locks || strings.HasSuffix(kind, "Mutex")
			break
		}
	}
	for _, id := range w.threads {
		for _, f := range w.own(id) {
			if locks {
				w.goHeld(id, f)
			}
			if chans {
				w.goChannels(id, f, sends)
			}
		}
	}
}

// address evaluates a pointer in a frame.
func (w *waitsRead) address(f dap.StackFrame, pointer string) (uint64, bool) {
	if w.late() {
		return 0, false
	}
	body, err := w.evaluate(f, "uintptr("+pointer+")", evaluateTimeout)
	if err != nil {
		return 0, false
	}
	return goNumber(body.Result)
}

// goNumber reads a number as Delve shows it: 16 = 0x10.
func goNumber(text string) (uint64, bool) {
	text, _, _ = strings.Cut(text, " ")
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && n > 0
}

// goHeld records the mutexes that a frame likely holds.
func (w *waitsRead) goHeld(thread int, f dap.StackFrame) {
	for _, mutex := range golang.Held(w.source(f), f.Line) {
		for _, pointer := range []string{mutex, "&" + mutex, "&" + mutex + ".Mutex", "&" + mutex + ".RWMutex"} {
			if address, ok := w.address(f, pointer); ok {
				w.held(fmt.Sprintf("sync.Mutex at %#x", address), thread, true)
				w.held(fmt.Sprintf("sync.RWMutex at %#x", address), thread, true)
			}
		}
	}
}

// goChannels records the channels in a frame's variables, for those that wait for their other end.
func (w *waitsRead) goChannels(thread int, f dap.StackFrame, sends map[int]bool) {
	if w.late() {
		return
	}
	scopes, err := w.Call(CallTimeout, "scopes", dap.ScopesArguments{FrameId: f.Id})
	if err != nil {
		return
	}
	body, _ := dapclient.DecodeBody[dap.ScopesResponseBody](scopes)
	for _, scope := range body.Scopes {
		list, err := w.variables(scope.VariablesReference)
		if err != nil {
			return
		}
		for _, x := range list {
			typ := strings.TrimPrefix(x.Type, "<-")
			if !strings.HasPrefix(typ, "chan") {
				continue
			}
			read, err := w.evaluate(f, "*(*uintptr)(uintptr(&"+x.Name+"))", evaluateTimeout)
			address, ok := goNumber(read.Result)
			if err != nil || !ok {
				continue
			}
			on := fmt.Sprintf("chan at %#x", address)
			for id, wait := range w.found {
				same := w.found[thread].On == on && sends[thread] == sends[id] // it waits for the same itself
				wrong := sends[id] && strings.HasPrefix(x.Type, "chan<-") || !sends[id] && typ != x.Type
				if wait.On == on && !same && !wrong {
					w.heldFor(id, thread)
				}
			}
		}
	}
}

// goCreator returns the place that created a goroutine. Main has none.
func (v *View) goCreator(frames []dap.StackFrame, thread int) []Frame {
	if thread == 1 || len(frames) == 0 || !v.Capabilities.SupportsDisassembleRequest {
		return nil
	}
	body, err := v.evaluate(frames[0], "runtime.curg.gopc", evaluateTimeout)
	pc, ok := goNumber(body.Result)
	if err != nil || !ok {
		return nil
	}
	// gopc follows the call that created it.
	m, err := v.Call(CallTimeout, "disassemble", dap.DisassembleArguments{
		MemoryReference: fmt.Sprintf("%#x", pc), InstructionOffset: -1, InstructionCount: 1})
	if err != nil {
		return nil
	}
	code, err := dapclient.DecodeBody[dap.DisassembleResponseBody](m)
	if err != nil || len(code.Instructions) == 0 || code.Instructions[0].Location == nil {
		return nil
	}
	at := code.Instructions[0]
	frame := dap.StackFrame{Name: "go statement", Source: at.Location, Line: at.Line}
	if !IsUserFrame(frame) {
		return nil
	}
	if name := golang.FunctionAt(v.source(frame), at.Line); name != "" {
		frame.Name = name
	}
	task := ""
	if parent, err := v.evaluate(frames[0], "runtime.curg.parentGoid", evaluateTimeout); err == nil {
		if id, ok := goNumber(parent.Result); ok {
			task = "goroutine " + strconv.FormatUint(id, 10)
		}
	}
	return []Frame{v.asyncFrame(frame, task)}
}
