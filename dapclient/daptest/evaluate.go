package daptest

import (
	"errors"
	"strconv"
	"strings"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// varsOf returns the variables of a frame, with the values that setVariable changed.
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

// evalIn evaluates in a frame: first the program's Eval, then variables, then the expression language.
func (e *engine) evalIn(t *thread, index int, expr, context string) (Var, error) {
	vars := e.varsOf(t, index)
	if e.shape.Family == FamilyDelve {
		if show, ok := strings.CutPrefix(expr, "dlv config showGlobalVariables "); ok {
			e.showGlobals = show == "true"
			return Var{Value: "showGlobalVariables\t" + show}, nil
		}
	}
	if e.prog.Eval != nil {
		v, ok := e.prog.Eval(EvalCall{Thread: t.id, Frame: index, Expression: expr, Context: context, Step: &t.cur,
			Vars: vars})
		if ok {
			if v.Err != "" {
				return v, errors.New(v.Err)
			}
			return v, nil
		}
	}
	if v, ok := e.memoryAnswer(t, index, expr); ok {
		return v, nil
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
		return findVar(e.globals, name)
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
	expression, context := rawjson.String(m.Arguments, "expression"), rawjson.String(m.Arguments, "context")
	if said, ok := e.command(expression); ok && context == "repl" {
		e.evaluated(m, Var{Value: said}, nil)
		return
	}
	if name, value, ok := strings.Cut(expression, " = "); ok && context == "repl" && e.shape.Family == FamilyDebugpy {
		e.assign(m, varRef{vars: e.varsOf(t, index), thread: t, frame: index}, name, value)
		return
	}
	v, err := e.evalIn(t, index, expression, context)
	if v.Calls != 0 {
		e.beginCall(m, t, v)
		return
	}
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

// top returns the thread of the last stop.
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
