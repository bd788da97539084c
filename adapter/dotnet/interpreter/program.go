package interpreter

import (
	"fmt"
	"math/big"
	"strings"

	"breakwire/mapping/csharp"
)

// Program is the stopped program, as its debugger shows it.
type Program interface {
	// Ask evaluates a text. The error is a NotAnswered when the debugger cannot evaluate it.
	Ask(text string) (Answer, error)
	// Members lists some children of an answer; count 0 lists all.
	Members(reference, start, count int) ([]Answer, error)
	// Names returns the full names that a type's name may stand for at this place, the likeliest first.
	Names(name string) []string
	// Calls reports whether functions of the program may run.
	Calls() bool
	// Extensions returns the types that have a function of that name and may declare it as an extension.
	Extensions(function string) []string
	// Hiding returns the types in which a member hides one of a base class.
	Hiding(member string) []string
	// VariableTuple returns the names of the elements of the tuples in a variable's type, from the outside in, "" for an
	// element without one; nil when they are not known.
	VariableTuple(variable string) []string
	// MemberTuple is VariableTuple for a member of a type; a method's name ends with ().
	MemberTuple(typ, member string) []string
	// Declared returns the type with which the source declares a variable, "" when it is not certain.
	Declared(variable string) string
	// Variable reports whether the frame has a variable of that name.
	Variable(name string) bool
	// Unknown says that the frame has no such variable; "" when its variables cannot be read.
	Unknown(name string) string
	// MemberNames returns the names of some members of a value.
	MemberNames(text string, a Answer) []string
}

// Answer is a value as the debugger shows it. Text is an expression that the debugger evaluates to it.
type Answer struct {
	Name, Value, Type, Text string
	Reference               int
}

// NotAnswered is wrapped by the error of a text that the debugger cannot evaluate.
type NotAnswered struct{ Err error }

func (e *NotAnswered) Error() string { return e.Err.Error() }
func (e *NotAnswered) Unwrap() error { return e.Err }

// Refusal says why an expression has no value here. Type is that of the part that it is about; Name is a name that
// does not exist.
type Refusal struct {
	Why, Type, Name string
	Vague           bool // a name, a member or a call is not found, and nothing is known of it

	foreign bool // the interpreter does not know the construct, so that there may be another way
}

func (e *Refusal) Error() string { return e.Why }

// Thrown is the exception that C# would throw. Null is the part that is null, Of its type, and Member what is read or
// called of it, when that is the reason.
type Thrown struct{ Type, Message, Null, Of, Member string }

func (e *Thrown) Error() string {
	if e.Member != "" {
		return e.Null + " is null, so " + e.Member + " throws " + e.Type + "; ?. gives null instead"
	}
	return "it throws " + e.Type + ": " + e.Message
}

const (
	maxElements  = 10_000
	maxQuestions = 200
	maxDeep      = 200 // calls of lambdas inside of each other
)

// run is one evaluation. Its methods stop with a panic of an error, which Evaluate recovers.
type run struct {
	program   Program
	scope     *scope
	asked     int
	elements  int
	deep      int
	checked   bool
	unchecked int // unchecked(...) around
	notes     []string
	enumTypes map[string]*enum
	places    map[string]Value      // values of texts that have been asked for
	repeats   map[string]bool       // texts that can be evaluated again
	roots     map[csharp.Node]Value // values of parts that are evaluated once
	kept      []string              // keys of what is kept in the program
	prefix    string                // of the keys
}

// scope has the variables of lambdas and patterns.
type scope struct {
	name  string
	value Value
	outer *scope
}

// Result is the value of an expression as an answer shows it. Text is an expression that the debugger evaluates to it;
// Reference is that of its members.
type Result struct {
	Value, Type, Text, Note string
	Reference               int
	Exact                   bool // a double or float of which all digits are known
}

func newRun(program Program, tree csharp.Node) *run {
	return &run{program: program, enumTypes: map[string]*enum{}, places: map[string]Value{},
		roots: map[csharp.Node]Value{}, repeats: map[string]bool{}, prefix: hashed(csharp.String(tree))}
}

// Evaluate evaluates an expression.
func Evaluate(program Program, tree csharp.Node) (result Result, err error) {
	r := newRun(program, tree)
	defer r.release()
	err = caught(func() { result = r.result(r.known(r.eval(tree))) })
	refused, isRefused := err.(*Refusal)
	thrown, isThrown := err.(*Thrown)
	if isRefused && refused.Vague || isThrown && thrown.Type == nullReference && thrown.Null != "" {
		r.scope = nil
		var why error
		if failed := caught(func() { why = r.explain(tree) }); failed != nil {
			why = failed
		}
		if _, explained := why.(*Thrown); why != nil && (isRefused || explained) {
			err = why
		} else if isRefused {
			refused.Vague = false
		}
	}
	return result, err
}

// caught runs a part and returns the error that stopped it.
func caught(part func()) (err error) {
	defer func() {
		if x := recover(); x != nil {
			e, ok := x.(stop)
			if !ok {
				panic(x)
			}
			err = e.err
		}
	}()
	part()
	return nil
}

// result shows a value.
func (r *run) result(v Value) Result {
	switch data := v.Data.(type) {
	case *function:
		r.refuse("a lambda has no value of its own: call it, or pass it to a method")
	case *sequence:
		l := r.listed(data)
		v.Data, v.Type = l, data.typeName()
		if data.shown == "" {
			v.Type = enumerable + l.elem + ">"
		}
		if data.shown == "string" {
			v.Type = "string"
		}
		if strings.HasPrefix(data.shown, "System.Linq.IOrderedEnumerable<") {
			v.Type = "System.Linq.IOrderedEnumerable<" + l.elem + ">"
		}
	case *grid:
		v.Data = data.rows
	case interval, fromEnd:
		r.refuse("a range has no value of its own: it is an index, as in text[1..]")
	}
	if typ := v.inner(); typ == "double" || typ == "float" {
		r.try(func() { v = r.exact(v) })
	}
	if strings.Contains(v.Text, `GetData("breakwire:`) { // it is gone when the answer is there
		v.Text = ""
	}
	out := Result{Value: r.show(v), Type: v.Type, Text: v.Text, Reference: v.Ref, Note: strings.Join(r.notes, "; ")}
	_, out.Exact = v.Data.(float64)
	if v.Type == "null" || v.Type == "" && v.isNull() {
		out.Type = ""
	}
	return out
}

// stop carries an error to Evaluate.
type stop struct{ err error }

func (r *run) refuse(format string, args ...any) {
	panic(stop{&Refusal{Why: fmt.Sprintf(format, args...)}})
}

func (r *run) foreign(format string, args ...any) {
	panic(stop{&Refusal{Why: fmt.Sprintf(format, args...), foreign: true}})
}

// vague is foreign for a name, a member or a call that is not found. Inside of a lambda, nothing explains it better.
func (r *run) vague(format string, args ...any) {
	panic(stop{&Refusal{Why: fmt.Sprintf(format, args...), Vague: r.deep == 0, foreign: true}})
}

func (r *run) throw(typ, format string, args ...any) {
	panic(stop{&Thrown{Type: typ, Message: fmt.Sprintf(format, args...)}})
}

// isNull throws what C# throws when something is read or called of a part that is null.
func (r *run) isNull(part string) {
	panic(stop{&Thrown{Type: nullReference, Message: "Object reference not set to an instance of an object.", Null: part}})
}

// try runs a part whose refusal has another way.
func (r *run) try(part func()) (ok bool) {
	err := caught(part)
	switch err.(type) {
	case nil:
		return true
	case *Refusal, *NotAnswered:
		return false
	}
	panic(stop{err})
}

// attempt runs a part that may not know what it is about. A refusal with a reason of its own stays.
func (r *run) attempt(part func()) (ok bool) {
	err := caught(part)
	if refused, is := err.(*Refusal); err == nil || is && refused.foreign {
		return err == nil
	}
	panic(stop{err})
}

// ask evaluates a text in the program. ok is false when the debugger cannot.
func (r *run) ask(text string) (Value, bool) {
	if v, ok := r.places[text]; ok {
		return v, v.Type != failedType
	}
	if r.asked++; r.asked > maxQuestions {
		r.refuse("it takes more than %d questions to the debugger", maxQuestions)
	}
	a, err := r.program.Ask(text)
	if err != nil {
		if _, is := err.(*NotAnswered); !is {
			panic(stop{err})
		}
		r.places[text] = Value{Type: failedType}
		return Value{}, false
	}
	a.Text = text
	v := r.value(a)
	r.places[text] = v
	return v, true
}

const failedType = "\x00failed"

// must is ask for a text that has to have a value.
func (r *run) must(text string) Value {
	v, ok := r.ask(text)
	if !ok {
		r.refuse("the debugger cannot evaluate %s", text)
	}
	return v
}

func (r *run) members(v Value, start, count int) []Value {
	if r.asked++; r.asked > maxQuestions {
		r.refuse("it takes more than %d questions to the debugger", maxQuestions)
	}
	list, err := r.program.Members(v.Ref, start, count)
	if err != nil {
		panic(stop{err})
	}
	out := make([]Value, len(list))
	for i, a := range list {
		out[i] = r.value(a)
		out[i].Name = a.Name
	}
	return out
}

// value makes a value of what the debugger shows.
func (r *run) value(a Answer) Value {
	v := Value{Type: a.Type, Text: a.Text, Ref: a.Reference, Shown: a.Value}
	inner := strings.TrimSuffix(a.Type, "?")
	switch inner {
	case "IntPtr", "System.IntPtr":
		inner, v.Type = "nint", "nint"
	case "UIntPtr", "System.UIntPtr":
		inner, v.Type = "nuint", "nuint"
	}
	if a.Value == "null" {
		v.Data = null{}
		return v
	}
	if strings.HasPrefix(a.Value, "{") && isSimple(inner) && inner != "string" {
		v.Boxed = true
		return v
	}
	switch {
	case inner == "bool":
		v.Data = a.Value == "true"
	case integers()[inner].bits != 0:
		text, _, _ := strings.Cut(a.Value, " ")
		if n, ok := new(big.Int).SetString(text, 10); ok {
			v.Data = n
		}
	case inner == "decimal":
		if d, ok := parseDecimal(a.Value); ok {
			v.Data = d
		}
	case inner == "string":
		if s, ok := unquote(a.Value); ok {
			v.Data = s
		}
	}
	return v
}
