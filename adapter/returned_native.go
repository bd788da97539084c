package adapter

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/google/go-dap"

	"breakwire/dapclient"
)

var (
	// returnValue matches the line of lldb's thread info.
	returnValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)\nReturn value: \((.*?)\) (\$\d+) = (.*)$`)
	})
	// lldbResult matches lldb's answer to an expression.
	lldbResult = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\$\d+ = (.*)$`) })
	// lldbMember matches the members in the text of a struct on one line.
	lldbMember = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^\(|, )([A-Za-z_]\w*) = `) })
)

// returnedInNative reads lldb's own value. Numbers, pointers and what is returned in memory are right. Structs in
// registers are not when they have base classes, arrays, unions or bit fields, or are of Rust; and for one with a
// destructor it takes the address in the register for the struct (LLDB 19).
func (s *Session) returnedInNative(t *turn, from *Stop, frame *dap.StackFrame) (*Returned, bool) {
	info, ok := s.sayLLDB(t, frame, "thread info")
	if !ok {
		return nil, false
	}
	m := returnValue().FindStringSubmatch(info[0])
	if m == nil {
		return nil, true
	}
	value := &Returned{Type: m[1], Value: strings.TrimSpace(m[3])}
	if !strings.ContainsAny(value.Value, "({") || strings.HasPrefix(value.Value, `"`) {
		return value, true
	}
	rust := strings.HasSuffix(from.Location.File, ".rs")
	answers, ok := s.sayLLDB(t, frame, "expression -- "+structCheck(m[2], value.Value, rust), "expression -- "+m[2])
	if !ok {
		return nil, false
	}
	switch kind := lldbText(answers[0]); {
	case kind == "1":
		value.Value = lldbText(answers[1])
	case kind == "2":
		if answers, ok = s.sayLLDB(t, frame, fmt.Sprintf("expression -- *(__typeof__(%s)*)$rax", m[2])); !ok {
			return nil, false
		}
		value.Value = lldbText(answers[0])
	default:
		value.Value = ""
	}
	if value.Value == "" {
		return nil, true
	}
	return value, true
}

// structCheck is an expression about lldb's value of a struct: 1 when it is right, 2 when the struct is at the address
// that x86-64 returns in RAX, 0 when nobody knows.
func structCheck(name, text string, rust bool) string {
	size := fmt.Sprintf("sizeof(%s) > 16", name)
	if rust {
		return size + " ? 1 : 0"
	}
	typ := "__typeof__(" + name + ")"
	simple := "0"
	if !strings.ContainsAny(text, "\n[@") {
		simple = fmt.Sprintf("__is_trivially_copyable(%s) && __is_aggregate(%s) && !__is_union(%s)", typ, typ, typ)
		for _, m := range lldbMember().FindAllStringSubmatch(text, -1) {
			// The address of a bit field is an error.
			simple += fmt.Sprintf(" && sizeof(%s.%s) <= 8 && sizeof(&%s.%s) > 0", name, m[1], name, m[1])
		}
	}
	return fmt.Sprintf("%s || (%s) ? 1 : __is_trivially_destructible(%s) ? 0 : 2", size, simple, typ)
}

// lldbText returns the value in lldb's answer to an expression, "" when it is an error.
func lldbText(answer string) string {
	if m := lldbResult().FindStringSubmatch(answer); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// sayLLDB gives commands to lldb. The answer to one that failed is "".
func (s *Session) sayLLDB(t *turn, frame *dap.StackFrame, commands ...string) (answers []string, ok bool) {
	questions := make([]question, len(commands))
	for i, c := range commands {
		questions[i] = question{"evaluate", dapclient.EvaluateArguments{
			Expression: "`" + c, Context: "repl", FrameID: &frame.Id}}
	}
	replies, ok := t.ask(limits{total: returnTimeout}, questions...)
	answers = make([]string, len(commands))
	for i := range replies {
		if replies[i].err == nil {
			body, _ := evaluated(replies[i])
			answers[i] = body.Result
		}
	}
	return answers, ok
}
