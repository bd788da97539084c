package interpreter

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/mapping/csharp"
)

// An error names the part of an expression that is the reason.
func TestExplain(t *testing.T) {
	for text, want := range map[string]string{
		"nobody.Name.Length": "nobody is null, so nobody.Name throws System.NullReferenceException; ?. gives " +
			"null instead",
		"nobody.Run(1)": "nobody is null, so nobody.Run throws",
		"1 + nobody[3]": "nobody is null, so nobody[3] throws",
		"node.Nane": "node (App.Node) has no member Nane that netcoredbg can read; there are Name, " +
			"Next; did you mean Name?",
		"node.Runs()":                      "node.Runs cannot be called like that; check its name",
		"nums[7].X":                        "the index 7 is outside of nums, which is a int[4]",
		"unheard == 1":                     "there is no variable unheard here",
		"flag && unheard > 0":              "there is no variable unheard here",
		"Nowhere.Value":                    "netcoredbg does not know Nowhere; it is no variable of this frame",
		"System.Nowhere(1)":                "netcoredbg cannot evaluate System.Nowhere(1); check its name and arguments",
		"i is { Foo: 1 }":                  "has no member Foo",
		"nums.Select(n => n.Foo).ToList()": "int has no member Foo",
	} {
		tree, err := csharp.Parse(text)
		require.NoError(t, err, text)
		got, err := Evaluate(program(), tree)
		assert.ErrorContains(t, err, want, "%s: %s", text, got.Value)
	}
}

// What a ?. cuts short is no reason, and a method is not called again for an explanation.
func TestExplainRunsNothing(t *testing.T) {
	p := program()
	tree, err := csharp.Parse("nobody?.Name.Length + node.Run().Foo + node.Make(i).Bar")
	require.NoError(t, err)
	_, err = Evaluate(p, tree)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "is null")
	calls := 0
	for _, text := range p.asked {
		if text == "node.Run()" {
			calls++
		}
	}
	assert.LessOrEqual(t, calls, 1)
}

func TestSuspects(t *testing.T) {
	for text, want := range map[string][2][]string{
		"order.Due.ToString()":                           {{"order.Due"}, nil},
		"order.Due?.AddDays(1)":                          {{"order.Due"}, nil},
		"order.Due.AddDays(1)":                           {},
		"due.ToString()":                                 {}, // a variable is read right
		"a.b().ToString()":                               {}, // it would call b twice
		"byColor.ContainsKey(Color.Red)":                 {nil, {"Color.Red"}},
		"f(x, a.when, 1 + a.c, b.d())":                   {nil, {"a.when"}},
		"f(a.b, a.b, a.b, a.b, a.b, a.b, a.b, a.b, a.b)": {nil, {"a.b", "a.b", "a.b", "a.b", "a.b", "a.b", "a.b", "a.b"}},
		"a.b == 1":                                       {},
		"f((":                                            {},
	} {
		on, passed := Suspects(text)
		assert.Equal(t, want, [2][]string{on, passed}, text)
	}
}

func TestNullReceiver(t *testing.T) {
	for text, want := range map[string][2]string{
		"gone.Describe()":     {"gone", "gone.Describe"},
		"a.b[0].c(x, y)":      {"a.b[0]", "a.b[0].c"},
		"a?.when.c()":         {},
		"make().c()":          {},
		"c()":                 {},
		"gone.Describe() + 1": {},
	} {
		of, member, ok := NullReceiver(text)
		assert.Equal(t, want[0] != "", ok, text)
		if ok {
			assert.Equal(t, want, [2]string{of, member}, text)
		}
	}
}

// fieldsOnly is a program in which a text is evaluated only when it is one of these.
func fieldsOnly(variables string, texts map[string]string) *places {
	p := &places{values: map[string]Answer{}, variables: variables}
	for text, typ := range texts {
		p.values[text] = Answer{Value: "{" + typ + "}", Type: typ}
	}
	return p
}

func TestRepeatable(t *testing.T) {
	p := fieldsOnly("a xs when", map[string]string{"a": "App.A", "xs": "int[]", "when": "System.DateTime",
		`a.GetType().GetDeclaredField("field")`: "System.Reflection.FieldInfo", "a.field": "App.B",
		`a.GetType().GetDeclaredField("<Auto>k__BackingField")`: "System.Reflection.FieldInfo"})
	p.values["xs"] = Answer{Value: "{int[3]}", Type: "int[]"}
	for text, want := range map[string]bool{
		"a": true, "a.field": true, "a.Auto": true, "xs[1]": true, "when.Year": true, "this.x": false, "a.Getter": false,
		"b": false, "f(1)": false, "a.field.Call()": false, "xs[f(1)]": false, "System.Math.Max(xs[0], 1) + 1": true,
		"System.DateTime.Now": true, "System.IO.File.Delete(a)": false, "due.get_Value()": false, "when.get_Value()": true,
		"a = 1": false, "a++": false, "new A()": false, "xs.Where(x => x)": false, "-a * (xs[0] - 1)": true, "((": false,
	} {
		assert.Equal(t, want, Repeatable(p, text), text)
	}
}

func TestMisread(t *testing.T) {
	p := fieldsOnly("", map[string]string{`order.GetType().GetDeclaredField("Kept")`: "System.Reflection.FieldInfo"})
	p.values["order.Due"] = Answer{Value: "{System.DateTime}", Type: "System.DateTime?"}
	p.values["order.Kept"] = Answer{Value: "{System.DateTime}", Type: "System.DateTime?"}
	p.values["Color.Red"] = Answer{Value: "Red", Type: "App.Color"}
	for text, want := range map[string]string{
		"order.Due.ToString()": "order.Due", "order.Kept.ToString()": "", "f(Color.Red)": "Color.Red argument", "f(i)": "",
	} {
		part, ok := Misread(p, text)
		if !ok {
			if part, ok = Mispassed(p, text); ok {
				part += " argument"
			}
		}
		assert.Equal(t, want != "", ok, text)
		assert.Equal(t, want, part, text)
	}
	enum, ok := Misheard(p, "Paint(1, Color.Red)")
	assert.True(t, ok)
	assert.Equal(t, "Color.Red", enum)
	_, ok = Misheard(p, "Paint(order.Due)")
	assert.False(t, ok)
}
