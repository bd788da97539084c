package mapping

import (
	"regexp"
	"strings"
	"sync"
)

var (
	closureClass = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^<>c(__DisplayClass[0-9_]+)?(`\\d+)?(<.*>)?$")
	})
	stateMachine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^<(.+)>d(__\\d+)?(`\\d+)?(<.*>)?$")
	})
	lambdaMethod = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<(.*)>b__[0-9_]+(<.*>)?$`)
	})
	localFunction = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<(.*)>g__([^|]+)\|[0-9_]+(<.*>)?$`)
	})
	topLevel     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<(\w+)>\$$`) })
	asyncWrapper = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<([A-Z]\w*)>$`) })

	hoistedLocal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<([^<>]+)>5__\d+$`) })
	backingField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<([^<>]+)>k__BackingField$`)
	})
)

// lambdaSuffix follows the name of the enclosing function, for a function without a name.
const lambdaSuffix = " lambda"

// shownName is how many characters of a function's name are shown: names of C++ templates can have thousands.
const shownName = 120

// ShownFunction is LogicalFunction, cut in the middle when it is long.
func ShownFunction(name string) string { return CutMiddle(LogicalFunction(name), shownName) }

// LogicalFunction returns the name of a function as its programmer wrote it. Names that no compiler made are returned
// unchanged, also those of Go, Python and C++.
//
//	Program.<Work>d__3.MoveNext()                 Program.Work()         async method or iterator
//	Program.<>c__DisplayClass1_0.<Main>b__0()     Program.Main() lambda
//	Program.<Main>g__Add|0_1()                    Program.Main.Add()     local function
//	Program.<Main>$()                             Program.Main()         top-level statements
func LogicalFunction(name string) string {
	if !strings.Contains(name, "<") {
		return name
	}
	head, params := name, ""
	if strings.HasSuffix(name, ")") {
		if i := parametersStart(name); i >= 0 {
			head, params = name[:i], name[i:]
		}
	}
	segments, ok := splitName(head)
	if !ok {
		return name
	}
	var (
		out     []string
		changed bool
		lambda  bool
	)
	for i, s := range segments {
		last := i == len(segments)-1
		switch {
		case closureClass().MatchString(s) && !last:
			changed = true
		case s == "MoveNext" && i > 0 && stateMachine().MatchString(segments[i-1]):
			// went with the state machine
		default:
			logical, isLambda, ok := logicalSegment(s, last || i == len(segments)-2 && segments[i+1] == "MoveNext")
			changed, lambda = changed || ok, lambda || isLambda
			out = append(out, logical)
		}
	}
	if !changed {
		return name
	}
	result := strings.Join(out, ".") + params
	if lambda {
		result += lambdaSuffix
	}
	return result
}

// logicalSegment translates one part between dots. A state machine's name can contain another generated name.
func logicalSegment(s string, last bool) (logical string, lambda, ok bool) {
	if m := stateMachine().FindStringSubmatch(s); m != nil {
		inner, lambda, _ := logicalSegment(m[1], last)
		return inner, lambda, true
	}
	if m := localFunction().FindStringSubmatch(s); m != nil {
		outer, lambda, _ := logicalSegment(m[1], last)
		return strings.TrimPrefix(outer+"."+m[2], "."), lambda, true
	}
	if m := lambdaMethod().FindStringSubmatch(s); m != nil {
		outer, _, _ := logicalSegment(m[1], last)
		return outer, true, true
	}
	if m := topLevel().FindStringSubmatch(s); m != nil {
		return m[1], false, true
	}
	if m := asyncWrapper().FindStringSubmatch(s); m != nil && last {
		return m[1], false, true
	}
	return s, false, false
}

// splitName splits at the dots outside of angle brackets.
func splitName(name string) ([]string, bool) {
	var out []string
	depth, from := 0, 0
	for i := range len(name) {
		switch name[i] {
		case '<':
			depth++
		case '>':
			depth--
			if depth < 0 {
				return nil, false // an operator or an arrow
			}
		case '.':
			if depth == 0 {
				out = append(out, name[from:i])
				from = i + 1
			}
		}
	}
	return append(out, name[from:]), depth == 0
}

// parametersStart returns the index of the parenthesis that the last one closes.
func parametersStart(name string) int {
	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// LogicalVariable returns the name of a variable or field as its programmer wrote it. hidden is true for what only
// the compiler uses: state and builder of an async method, closures, temporaries.
//
//	<x>5__2                 x         local of an async method or iterator
//	<Name>k__BackingField   Name
//	<>4__this               this
//	<>1__state              hidden
func LogicalVariable(name string) (logical string, hidden bool) {
	if m := hoistedLocal().FindStringSubmatch(name); m != nil {
		return m[1], false
	}
	if m := backingField().FindStringSubmatch(name); m != nil {
		return m[1], false
	}
	if name == "<>4__this" {
		return "this", false
	}
	if strings.HasPrefix(name, "<>") || strings.HasPrefix(name, "CS$<>") {
		return name, true
	}
	return name, false
}

// PublicName returns the name by which a program calls a function of glibc: pthread_cond_wait for ___pthread_cond_wait.
// Other names are returned unchanged.
func PublicName(name string) string {
	if !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") || strings.ContainsAny(name, ":( ") {
		return name
	}
	public := strings.TrimLeft(strings.TrimPrefix(name, "__GI_"), "_")
	for _, inner := range []string{"libc_", "new_"} {
		public = strings.TrimPrefix(public, inner)
	}
	public, _, _ = strings.Cut(public, "@")
	return public
}
