package inspect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
)

// WatchQuery asks for the memory of an expression. Access is write, read or readwrite.
type WatchQuery struct {
	Expression, Access string
	Frame              int // of the stopped thread
}

// Watched is memory that a watchpoint can watch.
type Watched struct {
	Key    string // the same for the same memory
	DataID string // the debugger's (DAP, DataBreakpointInfo)
	Access string // in the words of DAP
	Value  string // the expression that reads it in any frame
	First  string // what it held when it was found
	Frame  *WatchedFrame
}

// WatchedFrame is the frame of a watched local.
type WatchedFrame struct {
	Thread   int
	Function string
	Returns  string // the instruction at which its caller goes on
	Gone     string // a condition that is true there when the frame is gone
}

// widestWatch is how many bytes one register of the processor watches.
const widestWatch = 8

// place is the memory of an expression, as the debugger's language tells it.
type place struct {
	address uint64
	typ     string
	value   string // as Watched.Value
	name    string // what DataBreakpointInfo is asked for
	frame   *WatchedFrame
}

// Watch finds the memory of an expression.
func (v *View) Watch(q WatchQuery) (*Watched, error) {
	if err := v.choose(0, q.Frame); err != nil {
		return nil, err
	}
	here, err := v.evaluate(v.Here, q.Expression, evaluateTimeout)
	if err != nil {
		return nil, err
	}
	access := map[string]string{"readwrite": "readWrite"}[q.Access]
	if access == "" {
		access = q.Access
	}
	at := place{value: q.Expression, name: q.Expression}
	switch v.Profile.Watches {
	case "delve":
		at, err = v.goPlace(q, access)
	case "lldb":
		at, err = v.nativePlace(q)
	}
	if err != nil {
		return nil, err
	}
	m, err := v.Call(CallTimeout, "dataBreakpointInfo", dapclient.DataBreakpointInfoArguments{
		Name: at.name, FrameID: v.Here.Id})
	if err != nil {
		return nil, v.Debugger.Failed(err, q.Expression+" cannot be watched")
	}
	info, err := dapclient.DecodeBody[struct {
		DataID      *string  `json:"dataId"`
		Description string   `json:"description"`
		AccessTypes []string `json:"accessTypes"`
	}](m)
	if err != nil || info.DataID == nil {
		return nil, cannotWatch(q.Expression, strings.TrimSpace(info.Description))
	}
	if len(info.AccessTypes) > 0 && !slices.Contains(info.AccessTypes, access) {
		return nil, fault.Errorf(fault.NotSupported, "%s watches %s for %s only", v.Profile.Name, q.Expression,
			strings.Join(info.AccessTypes, ", ")).With("feature", "access").With("accessTypes", info.AccessTypes)
	}
	if _, size, ok := strings.Cut(*info.DataID, "/"); ok && v.Profile.Watches == "lldb" {
		if n, err := strconv.Atoi(size); err == nil && (n == 0 || n > widestWatch) {
			return nil, cannotWatch(q.Expression, fmt.Sprintf("it has %d bytes, and the processor watches 1 to %d", n,
				widestWatch))
		}
	}
	if again, err := v.evaluate(v.Here, at.value, evaluateTimeout); err != nil {
		at.value = q.Expression // such as a type that cannot be named in an expression
	} else {
		here = again
	}
	w := &Watched{Key: *info.DataID, DataID: *info.DataID, Access: access, Value: at.value, Frame: at.frame,
		First: Displayed(v.Profile.Language, here.Result, here.Type)}
	if at.address != 0 {
		w.Key = fmt.Sprintf("%#x %s", at.address, at.typ)
	}
	return w, nil
}

func cannotWatch(expression, why string) *fault.Error {
	return fault.Errorf(fault.InvalidParameter, "%s cannot be watched: %s; watch a variable, field or element of a "+
		"simple type", expression, why).With("parameter", "expression").With("backendMessage", why)
}

// goPlace finds the memory by its address, since a name means another variable in another call. Stacks of Go move, so
// a local is found by its distance from the end of the stack.
func (v *View) goPlace(q WatchQuery, access string) (place, error) {
	at := place{value: q.Expression}
	pointer, err := v.evaluate(v.Here, "&("+q.Expression+")", evaluateTimeout)
	if err != nil {
		return at, cannotWatch(q.Expression, "it has no address")
	}
	at.typ = strings.TrimPrefix(pointer.Type, "*")
	var numbers [4]int64 // the address, the ends of the stack, the frame
	for i, text := range []string{"uintptr(&(" + q.Expression + "))", "runtime.curg.stack.lo", "runtime.curg.stack.hi",
		"runtime.frameoff"} {
		body, err := v.evaluate(v.Here, text, evaluateTimeout)
		if err != nil && i == 0 {
			return at, cannotWatch(q.Expression, "it has no address")
		}
		word, _, _ := strings.Cut(body.Result, " ")
		numbers[i], _ = strconv.ParseInt(word, 10, 64)
	}
	address, low, high, frame := numbers[0], numbers[1], numbers[2], numbers[3]
	at.address = uint64(address)
	typ := at.typ
	if strings.ContainsAny(typ, "/-") {
		typ = strconv.Quote(typ)
	}
	at.name = fmt.Sprintf("*(*%s)(%#x)", typ, at.address)
	at.value = at.name
	if address >= low && address < high {
		if v.index != 0 {
			return at, fault.Errorf(fault.InvalidFrame, "%s is a local of frame %d, and %s watches locals of the innermost "+
				"function only; step out to it first", q.Expression, v.index, v.Profile.Name).With("frameIndex", v.index)
		}
		at.value = fmt.Sprintf("*(*%s)(runtime.curg.stack.hi - %d)", typ, high-address)
		at.frame = v.frameOf(0, fmt.Sprintf("runtime.frameoff > %d", frame))
	}
	if access != "write" { // Delve amends a watchpoint of the same name, but not how it watches
		at.name = "(" + at.name + ")"
	}
	if access == "readWrite" {
		at.name = "(" + at.name + ")"
	}
	return at, nil
}

// stackDepth is how many frames are looked at for the owner of a local.
const stackDepth = 20

// redZone is how far below its stack pointer a function may have variables (System V ABI of x86-64).
const redZone = 128

// nativePlace finds the memory by its address. It is of a frame when it is between the stack pointers of the frame and
// of its caller.
func (v *View) nativePlace(q WatchQuery) (place, error) {
	at := place{name: "&(" + q.Expression + ")", value: q.Expression}
	pointer, err := v.evaluate(v.Here, at.name, evaluateTimeout)
	if err != nil {
		return at, cannotWatch(q.Expression, "it has no address")
	}
	m := hexNumber().FindString(pointer.Result)
	if at.address, err = strconv.ParseUint(m, 0, 64); err != nil {
		return at, cannotWatch(q.Expression, "its address is not known")
	}
	if typ := strings.TrimSpace(pointer.Type); strings.HasSuffix(typ, "*") && !strings.Contains(typ, "(") {
		at.typ = typ
		at.value = fmt.Sprintf("*(%s)%#x", at.typ, at.address)
	}
	frames, _, err := v.stack(v.HereThread, 0, stackDepth)
	if err != nil {
		return at, nil
	}
	var below uint64
	for i, f := range frames {
		body, err := v.evaluate(f, "$sp", evaluateTimeout)
		pointer, bad := strconv.ParseUint(body.Result, 0, 64)
		if err != nil || bad != nil {
			break
		}
		if i > 0 && at.address >= below-redZone && at.address < pointer {
			at.frame = v.frameOf(i-1, fmt.Sprintf("$sp >= %d", pointer))
			break
		}
		below = pointer
	}
	return at, nil
}

var hexNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0x[0-9a-fA-F]+`) })

// frameOf returns the frame of a local in the chosen thread, nil when nobody knows where it returns to.
func (v *View) frameOf(index int, gone string) *WatchedFrame {
	frames, _, err := v.stack(v.HereThread, 0, index+2)
	if err != nil || len(frames) < index+2 || frames[index+1].InstructionPointerReference == "" {
		return nil
	}
	return &WatchedFrame{Thread: v.HereThread, Function: frames[index].Name,
		Returns: frames[index+1].InstructionPointerReference, Gone: gone}
}
