package interpreter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/mapping/csharp"
)

func TestParseSignature(t *testing.T) {
	for shown, want := range map[string]signature{
		"Void .ctor(Int32, Shop.Item[])": {name: ".ctor", returns: "Void", params: []string{"Int32", "Shop.Item[]"}},
		"System.String Greet()":          {name: "Greet", returns: "System.String"},
		"T Second[T](System.Collections.Generic.IList`1[T])": {name: "Second", returns: "T", generics: []string{"T"},
			params: []string{"System.Collections.Generic.IList`1[T]"}},
		"System.Func`2[A,B] Map[U,V](System.Func`2[U,V], Int32)": {name: "Map", returns: "System.Func`2[A,B]",
			generics: []string{"U", "V"}, params: []string{"System.Func`2[U,V]", "Int32"}},
	} {
		got, ok := parseSignature("", shown)
		assert.True(t, ok, shown)
		assert.Equal(t, want, got, shown)
	}
	_, ok := parseSignature("", "Int32 Port")
	assert.False(t, ok, "a property")
}

func TestCSharpNames(t *testing.T) {
	for clr, want := range map[string]string{
		"Int32": "int", "System.String": "string", "Shop.Item[]": "Shop.Item[]", "Int32[,]": "int[,]",
		"System.Nullable`1[System.Int32]":                    "int?",
		"Shop.Box`1+Lid[System.Int32]":                       "Shop.Box<int>.Lid",
		"Shop.Shelf+Slot":                                    "Shop.Shelf.Slot",
		"System.Collections.Generic.List`1[Shop.Item]":       "System.Collections.Generic.List<Shop.Item>",
		"A`2[System.Char,B`1[System.Decimal]]":               "A<char, B<decimal>>",
		"System.Collections.Generic.List`1[System.Int32[]]":  "System.Collections.Generic.List<int[]>",
		"System.Collections.Generic.List`1[System.Int32][,]": "System.Collections.Generic.List<int>[,]",
	} {
		assert.Equal(t, want, csName(clr), clr)
	}
	assert.Equal(t, "System.Func`2[System.Int32,TU]", replaceWord("System.Func`2[T,TU]", "T", "System.Int32"))
}

// described adds a method to a program: its signature, and its parameters' names and default values.
func (p *places) described(text, shown string, names []string, defaults map[int]Answer) {
	p.values[text+".ToString()"] = Answer{Value: quote(shown), Type: "string"}
	p.values[text+".IsStatic"] = Answer{Value: "false", Type: "bool"}
	for i, name := range names {
		at := text + ".GetParameters()[" + string(rune('0'+i)) + "]."
		p.values[at+"Name"] = Answer{Value: quote(name), Type: "string"}
		d, ok := defaults[i]
		p.values[at+"HasDefaultValue"] = Answer{Value: map[bool]string{true: "true", false: "false"}[ok], Type: "bool"}
		if ok {
			p.values[at+"DefaultValue"] = d
		}
	}
}

// Calls that the debugger cannot do as they are written become calls with all arguments, or delegates.
func TestReflectedCalls(t *testing.T) {
	p := program()
	members := `node.GetType().GetMember("Greet")`
	p.values[members] = Answer{Value: "{System.Reflection.MemberInfo[1]}", Type: "System.Reflection.MemberInfo[]"}
	p.described(members+"[0]", "System.String Greet(System.String, Int32)", []string{"greeting", "times"},
		map[int]Answer{0: {Value: `"Hello"`, Type: "string"}, 1: {Value: "1", Type: "int"}})
	p.values[`node.Greet("Hello", 1)`] = Answer{Value: `"Hello Ann"`, Type: "string"}
	p.values[`node.Greet("Yo", 3)`] = Answer{Value: `"Yo Yo Yo Ann"`, Type: "string"}
	members = `node.GetType().GetMember("Pay")`
	p.values[members] = Answer{Value: "{System.Reflection.MemberInfo[2]}", Type: "System.Reflection.MemberInfo[]"}
	p.described(members+"[0]", "Int32 Pay(Int64)", []string{"cents"}, nil)
	p.described(members+"[1]", "Int32 Pay(System.Decimal)", []string{"amount"}, nil)
	p.values["node.Pay(5L)"] = Answer{Value: "1", Type: "int"}
	members = `node.GetType().GetMember("Both")`
	p.values[members] = Answer{Value: "{System.Reflection.MemberInfo[2]}", Type: "System.Reflection.MemberInfo[]"}
	p.described(members+"[0]", "Int32 Both(Int32, Int64)", []string{"a", "b"}, nil)
	p.described(members+"[1]", "Int32 Both(Int64, Int32)", []string{"a", "b"}, nil)
	members = `node.GetType().GetMember("Holds")`
	p.values[members] = Answer{Value: "{System.Reflection.MemberInfo[1]}", Type: "System.Reflection.MemberInfo[]"}
	p.described(members+"[0]", "Boolean Holds(System.Object)", []string{"x"}, nil)
	p.values[members+`[0].CreateDelegate<System.Func<App.Node, App.Node, bool>>().Invoke(node, node)`] =
		Answer{Value: "true", Type: "bool"}
	for text, want := range map[string]string{
		"node.Greet()":                            `"Hello Ann"`,
		`node.Greet(times: 3, greeting: "Yo")`:    `"Yo Yo Yo Ann"`,
		"node.Pay(cents: 5)":                      "1",
		"node.Holds(x: node)":                     "true",
		"node.Both(a: 1, b: 2)":                   "refused: cannot tell which one C# means",
		"node.Greet(cents: 3)":                    "refused: cannot be called like that",
		`node.Greet(greeting: "a", greeting: "")`: "refused: cannot be called like that",
	} {
		tree, err := csharp.Parse(text)
		require.NoError(t, err, text)
		got, err := Evaluate(p, tree)
		if why, refused := strings.CutPrefix(want, "refused: "); refused {
			assert.ErrorContains(t, err, why, text)
			continue
		}
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, got.Value, text)
		}
	}
}

// A new object is made once: it is kept in the program, and its place is emptied.
func TestNewObject(t *testing.T) {
	p := program()
	typ := `System.Type.GetType("App.Vip")`
	p.values[typ] = Answer{Value: "{System.RuntimeType}", Type: "System.RuntimeType", Reference: 9}
	p.values[typ+".GetConstructors()"] = Answer{Value: "{System.Reflection.ConstructorInfo[1]}",
		Type: "System.Reflection.ConstructorInfo[]"}
	p.described(typ+".GetConstructors()[0]", "Void .ctor(Int32, System.String)", []string{"id", "name"}, nil)
	p.values[typ+".IsValueType"] = Answer{Value: "false", Type: "bool"}
	p.any = func(text string) (Answer, bool) {
		switch {
		case strings.Contains(text, "SetData"), strings.Contains(text, "InsertRange"):
			return Answer{Value: "Expression has been evaluated and has no value", Type: "void"}, true
		case strings.HasSuffix(text, ").Name"):
			return Answer{Value: `"Eve"`, Type: "string"}, true
		case strings.HasPrefix(text, "System.AppContext.GetData("):
			return Answer{Value: "{App.Vip}", Type: "App.Vip", Reference: 11}, true
		}
		return Answer{}, false
	}
	tree, err := csharp.Parse(`new Vip(8, "Eve").Name + new Vip(8, "Eve").Name`)
	require.NoError(t, err)
	got, err := Evaluate(p, tree)
	require.NoError(t, err)
	assert.Equal(t, `"EveEve"`, got.Value)
	made, emptied := 0, 0
	for _, text := range p.asked {
		if strings.Contains(text, ".GetConstructors()[0].Invoke(") {
			made++
		}
		if strings.HasSuffix(text, ", null)") && strings.HasPrefix(text, "System.AppContext.SetData(") {
			emptied++
		}
	}
	assert.Equal(t, 2, made)
	assert.Equal(t, 4, emptied, "two objects and two lists of arguments")
	p.asked = nil
	tree, err = csharp.Parse(`new Vip("Eve")`)
	require.NoError(t, err)
	_, err = Evaluate(p, tree)
	assert.ErrorContains(t, err, "new App.Vip cannot be called like that")
}
