package interpreter

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/mapping/csharp"
)

// evaluated is the value of an expression, or why it has none.
func evaluated(t *testing.T, p Program, text string) string {
	tree, err := csharp.Parse(text)
	require.NoError(t, err, text)
	got, err := Evaluate(p, tree)
	if err != nil {
		return "refused: " + err.Error()
	}
	return got.Value
}

// What a call has returned is read by its members: its text would run the call again.
func TestCallsRunOnce(t *testing.T) {
	p := program()
	p.values["node.Lines()"] = Answer{Value: "Count = 2", Type: "System.Collections.Generic.List<int>", Reference: 20}
	p.kids[20] = []Answer{{Name: "_items", Value: "{int[4]}", Type: "int[]", Reference: 21},
		{Name: "_size", Value: "2", Type: "int"}}
	p.kids[21] = []Answer{{Name: "[0]", Value: "4", Type: "int"}, {Name: "[1]", Value: "9", Type: "int"},
		{Name: "[2]", Value: "0", Type: "int"}, {Name: "[3]", Value: "0", Type: "int"}}
	p.values["node.Best()"] = Answer{Value: "{App.Node}", Type: "App.Node", Reference: 22}
	p.kids[22] = []Answer{{Name: "Weight", Value: "5", Type: "int"}}
	p.values["node.Any()"] = Answer{Value: "{int}", Type: "int", Reference: 23}
	p.kids[23] = []Answer{{Name: "m_value", Value: "8", Type: "int"}}
	for text, want := range map[string]string{
		"node.Lines().Select(x => x + 1).ToList()": "[5, 10]",
		"node.Lines().Count(x => x > 4)":           "1",
		"node.Lines()[^1]":                         "9",
		"(int)node.Any() + 1":                      "9",
	} {
		p.asked = nil
		assert.Equal(t, want, evaluated(t, p, text), text)
		ran := 0
		for _, asked := range p.asked {
			if strings.Contains(asked, "node.Lines()") || strings.Contains(asked, "node.Any()") {
				ran++
			}
		}
		assert.LessOrEqual(t, ran, 2, "%s: the text as a whole, which the debugger refuses, and the call: %v", text, p.asked)
	}
	assert.Contains(t, evaluated(t, p, "node.Best().Grow(1)"), "breakwire runs code of the program only once")

	r := &run{program: p, places: map[string]Value{"when": {Type: "System.DateTime"}}, repeats: map[string]bool{}}
	for text, want := range map[string]bool{
		"node.Name": true, "when.AddDays(1d)": true, "System.Math.Max(1, 2)": true, "node.Lines()": false, "Run()": false,
		"when.get_Value()": true, `System.AppContext.GetData("breakwire:x.0")`: true, "node.GetType().FullName": true,
		`System.AppContext.GetData("breakwire:x.0").Append(1)`: false, "f.Invoke(1)": false, "((": false, "": true,
	} {
		assert.Equal(t, want, r.mayRepeat(text), text)
	}
}

// The elements of tuples have the names that the symbols give them.
func TestTupleNames(t *testing.T) {
	p := program()
	pair := "System.ValueTuple<int, string>"
	p.values["pair"] = Answer{Value: `{System.ValueTuple<int, string>}`, Type: pair, Reference: 30}
	p.values["pair.Item1"] = Answer{Value: "1", Type: "int"}
	p.values["pair.Item2"] = Answer{Value: `"one"`, Type: "string"}
	p.values["nested"] = Answer{Value: "{x}", Type: "System.ValueTuple<int, System.ValueTuple<int, int>>", Reference: 31}
	p.values["nested.Item2"] = Answer{Value: "{y}", Type: "System.ValueTuple<int, int>", Reference: 32}
	p.values["nested.Item2.Item2"] = Answer{Value: "7", Type: "int"}
	p.values["pairs"] = Answer{Value: "{System.ValueTuple<int, string>[2]}", Type: pair + "[]", Reference: 33}
	p.values["pairs[1]"] = Answer{Value: "{x}", Type: pair, Reference: 34}
	p.values["pairs[1].Item1"] = Answer{Value: "2", Type: "int"}
	p.kids[33] = []Answer{{Name: "[0]", Value: "{x}", Type: pair, Text: "pairs[0]", Reference: 35},
		{Name: "[1]", Value: "{x}", Type: pair, Text: "pairs[1]", Reference: 34}}
	p.values["pairs[0].Item1"] = Answer{Value: "1", Type: "int"}
	p.values["node.Range"] = Answer{Value: "{x}", Type: "System.ValueTuple<int, int>", Reference: 36}
	p.values["node.Range.Item2"] = Answer{Value: "9", Type: "int"}
	for text, want := range map[string]string{
		"pair.Id": "1", "pair.Name": `"one"`, "pair.Item2": `"one"`, "pair.Id + 1": "2", "nested.Item2.Y": "7",
		"pairs[1].Id": "2", "pairs.Sum(p => p.Id)": "3", "pairs.First(p => p.Id > 1).Id": "2", "node.Range.Max": "9",
		"(pair, 5).Item1.Id": "1",
	} {
		assert.Equal(t, want, evaluated(t, p, text), text)
	}
	assert.Contains(t, evaluated(t, p, "pair.Nope"), "the symbols have no such name for this tuple")
	assert.Equal(t, 4, namesIn("System.ValueTuple<int, System.ValueTuple<A<B, C>, int>>[]"))
	const dictionary = "System.Collections.Generic.Dictionary<System.ValueTuple<int, int>, System.ValueTuple<int, int>>"
	assert.Equal(t, []string{"C", "D"}, namesOfElement(dictionary, []string{"A", "B", "C", "D"}))
}

// BigIntegers, functions of arrays and enums, and methods as arguments need no code of the program.
func TestKnownFunctions(t *testing.T) {
	p := program()
	p.values["googol"] = Answer{Value: "{System.Numerics.BigInteger}", Type: bigInteger, Reference: 40}
	p.kids[40] = []Answer{{Name: "_sign", Value: "-1", Type: "int"},
		{Name: "_bits", Value: "{uint[2]}", Type: "uint[]", Reference: 41}}
	p.kids[41] = []Answer{{Value: "0", Type: "uint"}, {Value: "1", Type: "uint"}}
	p.any = func(text string) (Answer, bool) {
		if strings.HasPrefix(text, "System.Char.IsUpper('") {
			upper := text[21] >= 'A' && text[21] <= 'Z'
			return Answer{Value: map[bool]string{true: "true", false: "false"}[upper], Type: "bool"}, true
		}
		return Answer{}, false
	}
	for text, want := range map[string]string{
		"BigInteger.Pow(2, 64) - 1":                                  "18446744073709551615",
		"googol - 1":                                                 "-4294967297",
		"-googol / 3 > 5":                                            "true",
		"(long)googol % 10":                                          "-6",
		"(byte)BigInteger.Pow(2, 8)":                                 "refused: it throws System.OverflowException",
		"BigInteger.Parse(\"12\").IsEven":                            "true",
		"Array.Find(nums, n => n > 5)":                               "8",
		"Array.FindAll(nums, n => n > 2)":                            "[5, 3, 8]",
		"Array.Exists(nums, n => n == 1)":                            "true",
		"s.Where(char.IsUpper).Count()":                              "2",
		`"a--b-c".Split(new[] { "--", "-" }, 2)`:                     `["a", "b-c"]`,
		`"a;b".Split(";")`:                                           `["a", "b"]`,
		"nums.Take(1..^1).ToArray()":                                 "[3, 8]",
		"new Dictionary<int, string> { [3] = \"c\" }.ContainsKey(3)": "true",
		"new Dictionary<int, string> { [3] = \"c\" }.Values.First()": `"c"`,
		"new SortedSet<int> { 3, 1 }.Min":                            "1",
		"default((int, string)).Item1":                               "0",
		`string.Equals("a", "A", StringComparison.Foo)`:              "refused",
		"(from n in nums join k in nums on n equals k + 2 select n * 10 + k).ToList()": "[53, 31]",
	} {
		got := evaluated(t, p, text)
		if strings.HasPrefix(want, "refused") {
			assert.Contains(t, got, want, text)
			continue
		}
		assert.Equal(t, want, got, text)
	}
}

// What an assignment with an operator stores, as C# 12 has it: what does not fit is cut off, but the right side must
// fit.
func TestCompoundAssigned(t *testing.T) {
	p := program()
	for text, want := range map[string][2]string{
		"i += 2": {"int", "9"}, "max += 1": {"int", "-2147483648"}, "b += 100": {"byte", "44"}, "b++": {"byte", "201"},
		"--i": {"int", "6"}, "i <<= 3L": {"int", "!"}, "i <<= 3": {"int", "56"}, "b >>= 1": {"byte", "100"},
		"c++": {"char", `'y'`}, "d += 1": {"double", "1.1d"}, "m *= 2": {"decimal", "25.00m"},
		"u += 1":   {"uint", "3000000001"},
		`s += "!"`: {"string", `"Hello, World!"`}, "s += i": {"string", `"Hello, World7"`}, "flag ^= true": {"bool", "false"},
		"some += 1": {"int?", "5"}, "missing += 1": {"int?", "null"},
		"i += 1.5": {"int", "!"}, "b += i": {"byte", "!"}, "i += m": {"int", "!"}, "flag += 1": {"bool", "!"},
		"i /= zero": {"int", "!"},
	} {
		tree, err := csharp.Parse(text)
		require.NoError(t, err)
		a, ok := Assignment(tree)
		require.True(t, ok, text)
		got := "!"
		err = Assigned(p, a, want[0], func(text string) error { got = text; return nil })
		assert.Equal(t, want[1] == "!", err != nil, "%s: %v", text, err)
		assert.Equal(t, want[1], got, text)
	}
	for _, text := range []string{"i == 2", "-i", "i!", "x => x++", "Find()", "(i)++ + 1"} {
		tree, err := csharp.Parse(text)
		require.NoError(t, err)
		_, ok := Assignment(tree)
		assert.False(t, ok, text)
	}
}

// An assignment gives the debugger a text of the value; a property is set through the runtime.
func TestAssigned(t *testing.T) {
	p := program()
	p.values["when"] = Answer{Value: "2024-01-01", Type: "System.DateTime"}
	p.values["when.AddDays(1d)"] = Answer{Value: "2024-01-02", Type: "System.DateTime"}
	for text, want := range map[string][2]string{
		"i * 2": {"int", "14"}, "b + 1": {"byte", "201"}, "when.AddDays(1)": {"System.DateTime", "when.AddDays(1d)"},
		`s + "!"`: {"string", `"Hello, World!"`}, "null": {"int?", "null"}, "m + 1": {"decimal", "13.50m"},
	} {
		tree, err := csharp.Parse(text)
		require.NoError(t, err)
		got := ""
		if want[0] == "byte" {
			tree = &csharp.Cast{Type: (&run{}).parseType("byte"), X: &csharp.Paren{X: tree}}
		}
		require.NoError(t, Assigned(p, tree, want[0], func(text string) error { got = text; return nil }), text)
		assert.Equal(t, want[1], got, text)
	}
	tree, err := csharp.Parse(`"x"`)
	require.NoError(t, err)
	assert.ErrorContains(t, Assigned(p, tree, "int", func(string) error { return nil }), "cannot be stored as int")

	info := `node.GetType().GetDeclaredProperty("Age")`
	const runtimeInfo = "System.Reflection.RuntimePropertyInfo"
	p.values[info] = Answer{Value: "{" + runtimeInfo + "}", Type: runtimeInfo, Reference: 50}
	p.values[info+".CanWrite"] = Answer{Value: "true", Type: "bool"}
	p.values[info+".PropertyType.ToString()"] = Answer{Value: "\"System.Nullable`1[System.Int32]\"", Type: "string"}
	p.values["node.GetType().IsValueType"] = Answer{Value: "false", Type: "bool"}
	set := `System.Type.GetType("System.Reflection.PropertyInfo").GetMember("SetValue")`
	p.values[set] = Answer{Value: "{System.Reflection.MemberInfo[1]}", Type: "System.Reflection.MemberInfo[]"}
	p.described(set+"[0]", "Void SetValue(System.Object, System.Object)", nil, nil)
	p.any = func(text string) (Answer, bool) {
		done := strings.Contains(text, "SetData") || strings.Contains(text, "Insert") ||
			strings.Contains(text, "DynamicInvoke")
		return Answer{Value: "Expression has been evaluated and has no value", Type: "void"}, done
	}
	assign := func(path, value string) (bool, error) {
		p.asked = nil
		of, err := csharp.Parse(path)
		require.NoError(t, err)
		tree, err := csharp.Parse(value)
		require.NoError(t, err)
		return SetProperty(p, of, tree)
	}
	ok, err := assign("node.Age", "40")
	require.NoError(t, err)
	assert.True(t, ok)
	invoked := slices.IndexFunc(p.asked, func(text string) bool { return strings.Contains(text, ".DynamicInvoke(") })
	require.GreaterOrEqual(t, invoked, 0)
	assert.Contains(t, p.asked[invoked], set+"[0].CreateDelegate<System.Action<System.Reflection.PropertyInfo")
	ok, err = assign("node.Nope", "40")
	assert.NoError(t, err)
	assert.False(t, ok, "no property")
	p.values[info+".CanWrite"] = Answer{Value: "false", Type: "bool"}
	_, err = assign("node.Age", "40")
	assert.ErrorContains(t, err, "has no setter")
}
