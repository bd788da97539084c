package adapter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// A debugger of C++ says that something was thrown, but not what. The runtime has it in memory (Itanium C++ ABI,
// "Exception Handling" and "Run-Time Type Information"): at a throw, the first arguments are the object and its
// std::type_info, which has the mangled name and leads to those of the base types.

// cppObject says where the exception of a stop is: expressions for its type_info and for the object itself.
type cppObject struct{ info, object string }

// Offsets, with pointers of 64 bits, from the exception that the unwinder knows (_Unwind_Exception), as at a catch, and
// from the header of an exception. The header is that of libstdc++ or of libc++.
const (
	cppCaughtInfo   = "*((void**)$arg1 - 10)"
	cppCaughtObject = "((char*)$arg1 + 32)"
	cppCurrentInfo  = "(void*)__cxa_current_exception_type()"
	cppHeader       = "*(void**)__cxa_get_globals()"
	gnuHeaderSize   = 112
	llvmHeaderSize  = 128
	stdException    = "St9exception"
	stdTerminate    = "std::terminate("
)

// examineCpp completes the exception of a C++ program. A throw that the runtime itself repeats before it ends the
// program is passed over, and so is the end by an exception that was reported when it was thrown.
func (s *Session) examineCpp(t *turn, v *pendingStop) bool {
	e, named := v.thrown.exception, v.named()
	e.filter = e.Type
	if named == nil || named.frame == nil {
		return true
	}
	place, _, _ := strings.Cut(named.frame.Name, "(")
	aborted := e.Type == s.profile.SignalType && strings.Contains(v.primary().Description, "SIGABRT")
	if aborted {
		place = ""
	}
	at, known := map[string]cppObject{
		"__cxa_throw": {"$arg2", "$arg1"}, "__cxa_begin_catch": {cppCaughtInfo, cppCaughtObject},
	}[place]
	if place == "__cxa_throw" {
		delete(s.exceptions.raised, v.thread()) // a new object may have the address of an old one
	}
	if place == "__cxa_rethrow" || aborted {
		replies, ok := t.ask(limits{total: lookTimeout}, topFrames(v.thread(), inspect.LevelsAhead))
		if !ok {
			return false
		}
		if aborted && onStack(replies[0], isPanicFunction) {
			e.passing = s.exceptions.raised[v.thread()].object == inspect.PanicType
			return true
		}
		ends := onStack(replies[0], func(name string) bool { return strings.HasPrefix(name, stdTerminate) })
		if e.passing = ends && !aborted; e.passing || aborted && !ends {
			return true
		}
		if at, known, ok = s.currentCpp(t, named); !ok {
			return false
		}
	}
	if !known {
		return true
	}
	address, found, ok := s.cppType(t, named, at)
	if !ok || found == nil {
		return ok
	}
	e.Type, e.object = found.name, address
	v.thrown.bases = append([]string{found.name}, found.bases...)
	if aborted {
		e.IsFirstChance, e.BreakMode = false, "unhandled"
	}
	e.passing = place != "__cxa_throw" && e.filter != "cpp_catch" && s.exceptions.raised[v.thread()].object == address
	e.Message, ok = s.cppMessage(t, named, found, address)
	return ok
}

// onStack reports whether a stack has such a function.
func onStack(stack reply, is func(name string) bool) bool {
	if stack.err != nil {
		return false
	}
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](stack.m)
	return err == nil && slices.ContainsFunc(body.StackFrames, func(f dap.StackFrame) bool { return is(f.Name) })
}

// values evaluates expressions at a frame. A value that could not be read is empty.
func (s *Session) values(t *turn, th *stoppedThread, expressions ...string) ([]dap.EvaluateResponseBody, bool) {
	questions := make([]question, len(expressions))
	for i, e := range expressions {
		questions[i] = s.evaluation(e, th.frame)
	}
	a := s.send(limits{total: testTimeout}, questions...)
	replies, ok := t.wait(a)
	if !ok {
		return nil, false
	}
	s.noteLate(a, func(int) lateEvaluation {
		return lateEvaluation{expression: "the type and message of the exception", thread: th.id, frame: th.frame}
	})
	values := make([]dap.EvaluateResponseBody, len(replies))
	for i, r := range replies {
		if body, err := evaluated(r); err == nil {
			values[i] = body
		}
	}
	return values, true
}

// address returns the number of a pointer, in hexadecimal; "" for null and what is no pointer.
func address(v dap.EvaluateResponseBody) string {
	text, _, _ := strings.Cut(v.Result, " ")
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil || n == 0 {
		return ""
	}
	return fmt.Sprintf("%#x", n)
}

func moved(address string, by uint64) string {
	n, _ := strconv.ParseUint(address, 0, 64)
	return fmt.Sprintf("%#x", n+by)
}

// text returns what a char pointer points to.
func (s *Session) text(v dap.EvaluateResponseBody) string {
	if v.Result == "" || address(v) == "" {
		return ""
	}
	return inspect.Displayed(s.profile.Language, v.Result, "char *")
}

// currentCpp finds the exception that the thread handles at present.
func (s *Session) currentCpp(t *turn, th *stoppedThread) (at cppObject, known, ok bool) {
	got, ok := s.values(t, th, cppCurrentInfo, cppHeader, "*(void**)"+cppHeader, "(*(void***)__cxa_get_globals())[2]")
	if !ok {
		return cppObject{}, false, false
	}
	info, header := address(got[0]), address(got[1])
	switch {
	case info == "" || header == "":
		return cppObject{}, false, true
	case info == address(got[2]):
		return cppObject{info, moved(header, gnuHeaderSize)}, true, true
	case info == address(got[3]):
		return cppObject{info, moved(header, llvmHeaderSize)}, true, true
	}
	// std::rethrow_exception: the header begins with the address of the object
	return cppObject{info: info, object: address(got[2])}, true, true
}

// cppType is a thrown type. exception is the way to the std::exception in its objects, nil when there is none.
type cppType struct {
	mangled   string
	name      string
	bases     []string
	exception cppPath
}

// cppPath leads from an object to one of its bases. It is never nil for a base that was found.
type cppPath []cppStep

// cppStep is the place of a direct base: behind by bytes, or, for a virtual base, by the number at that place of the
// table of virtual functions.
type cppStep struct {
	by      int64
	virtual bool
}

// from returns the expression of the base's address.
func (p cppPath) from(object string) string {
	at := "(char*)" + object
	for _, step := range p {
		if step.virtual {
			at = fmt.Sprintf("(%s + *(long*)(*(char**)(%s) + (%d)))", at, at, step.by)
		} else if step.by != 0 {
			at = fmt.Sprintf("(%s + %d)", at, step.by)
		}
	}
	return at
}

// cppType reads the type of an exception, and the address of the object. The type is nil when it could not be read.
func (s *Session) cppType(t *turn, th *stoppedThread, at cppObject) (object string, found *cppType, ok bool) {
	got, ok := s.values(t, th, "(void*)("+at.info+")", "(void*)("+at.object+")", "((char**)("+at.info+"))[1]")
	if !ok {
		return "", nil, false
	}
	info, mangled := address(got[0]), s.text(got[2])
	object = address(got[1])
	if have := s.exceptions.cpp[info]; have != nil && have.mangled == mangled {
		return object, have, true
	}
	name, understood := mapping.DemangleType(mangled)
	if info == "" || !understood {
		return "", nil, true
	}
	found = &cppType{mangled: mangled, name: name}
	if !s.cppBases(t, th, info, found) {
		return "", nil, false
	}
	if s.exceptions.cpp == nil {
		s.exceptions.cpp = map[string]*cppType{}
	}
	s.exceptions.cpp[info] = found
	return object, found, true
}

// cppBase is a type whose bases are still to be read.
type cppBase struct {
	info string
	path cppPath
}

// maxDirectBases bounds the direct bases of a type that are read.
const maxDirectBases = 8

// cppBases reads the base types of a type, level by level. Which members a type_info has follows from its own type.
func (s *Session) cppBases(t *turn, th *stoppedThread, info string, found *cppType) bool {
	level := []cppBase{{info, cppPath{}}}
	for len(level) > 0 && len(found.bases) < maxBaseTypes {
		var questions []string
		for _, b := range level {
			questions = append(questions, "((char**)(*(void***)"+b.info+")[-1])[1]", "((void**)"+b.info+")[2]",
				"((unsigned*)((void**)"+b.info+" + 2))[1]", "((char**)"+b.info+")[1]")
		}
		got, ok := s.values(t, th, questions...)
		if !ok {
			return false
		}
		var next []cppBase
		for i, b := range level {
			kind, mangled := s.text(got[4*i]), s.text(got[4*i+3])
			if b.info != info {
				if name, ok := mapping.DemangleType(mangled); ok && !slices.Contains(found.bases, name) {
					found.bases = append(found.bases, name)
				}
			}
			if mangled == stdException && found.exception == nil {
				found.exception = b.path
			}
			switch {
			case strings.HasSuffix(kind, "__si_class_type_infoE"):
				next = append(next, cppBase{address(got[4*i+1]), b.path})
			case strings.HasSuffix(kind, "__vmi_class_type_infoE"):
				count, _ := strconv.Atoi(got[4*i+2].Result)
				several, ok := s.directBases(t, th, b, min(count, maxDirectBases))
				if !ok {
					return false
				}
				next = append(next, several...)
			}
		}
		level = slices.DeleteFunc(next, func(b cppBase) bool { return b.info == "" })
	}
	return true
}

// directBases reads the bases of a type that has several, or a virtual one: pairs of a type_info and of flags with the
// place.
func (s *Session) directBases(t *turn, th *stoppedThread, of cppBase, count int) (bases []cppBase, ok bool) {
	var questions []string
	for i := range count {
		at := "((void**)((char*)((void**)" + of.info + " + 2) + 8))"
		questions = append(questions, fmt.Sprintf("%s[%d]", at, 2*i), fmt.Sprintf("((long*)%s)[%d]", at, 2*i+1))
	}
	if len(questions) == 0 {
		return nil, true
	}
	got, ok := s.values(t, th, questions...)
	for i := 0; i+1 < len(got); i += 2 {
		flags, err := strconv.ParseInt(got[i+1].Result, 10, 64)
		if err != nil {
			continue
		}
		step := cppStep{by: flags >> 8, virtual: flags&1 != 0}
		bases = append(bases, cppBase{address(got[i]), append(slices.Clone(of.path), step)})
	}
	return bases, ok
}

// cppMessage reads what an exception says: what() of a std::exception, or the value itself. The text of a
// std::runtime_error or std::logic_error is in memory. Another what() is a function of the program, which is called
// unless the server is read-only.
func (s *Session) cppMessage(t *turn, th *stoppedThread, found *cppType, object string) (message string, ok bool) {
	if object == "" {
		return "", true
	}
	if found.exception == nil {
		return s.cppValue(t, th, found.name, object)
	}
	at := found.exception.from(object)
	what := "((void(**)())*(void**)(" + at + "))[2]"
	got, ok := s.values(t, th, what, "((char**)("+at+"))[1]")
	if !ok {
		return "", false
	}
	function := got[0].Result
	if strings.Contains(function, "std::runtime_error::what") || strings.Contains(function, "std::logic_error::what") {
		return s.text(got[1]), true
	}
	if s.manager.opts.Permissions.ReadOnly || address(got[0]) == "" {
		return "", true
	}
	got, ok = s.values(t, th, "((const char*(*)(void*))(*(void***)("+at+"))[2])((void*)("+at+"))")
	if !ok {
		return "", false
	}
	return s.text(got[0]), true
}

// cppPlain are the types without members whose value is the message.
var cppPlain = []string{
	"bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long",
	"unsigned long", "long long", "unsigned long long", "float", "double",
}

func (s *Session) cppValue(t *turn, th *stoppedThread, name, object string) (value string, ok bool) {
	text := slices.Contains([]string{"const char*", "char*", "std::string"}, name)
	if !text && !slices.Contains(cppPlain, name) {
		return "", true
	}
	expression := "*(" + name + "*)" + object
	if text {
		expression = "*(char**)" + object // a std::string of libstdc++ begins with this pointer
	}
	got, ok := s.values(t, th, expression)
	if !ok || !text {
		if ok {
			value = got[0].Result
		}
		return value, ok
	}
	return s.text(got[0]), true
}
