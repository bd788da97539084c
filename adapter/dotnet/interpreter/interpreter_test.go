package interpreter

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/mapping/csharp"
)

// places is a program that knows the values of some texts and refuses all others.
type places struct {
	values map[string]Answer
	kids   map[int][]Answer
	asked  []string
	any    func(text string) (Answer, bool)

	variables string // the names of the frame's variables
}

func (p *places) Ask(text string) (Answer, error) {
	p.asked = append(p.asked, text)
	if a, ok := p.values[text]; ok {
		return a, nil
	}
	if p.any != nil {
		if a, ok := p.any(text); ok {
			return a, nil
		}
	}
	return Answer{}, &NotAnswered{errors.New("the debugger cannot")}
}

func (p *places) Members(reference, start, count int) ([]Answer, error) {
	kids := p.kids[reference]
	if count == 0 {
		return kids, nil
	}
	return kids[min(start, len(kids)):min(start+count, len(kids))], nil
}

func (p *places) Names(name string) []string {
	return []string{"App.Frame." + name, "App." + name, name}
}
func (p *places) Calls() bool { return true }
func (p *places) Extensions(function string) []string {
	if function == "Doubled" {
		return []string{"App.Tools"}
	}
	return nil
}
func (p *places) Variable(name string) bool {
	return slices.Contains(strings.Fields(p.variables), name)
}
func (p *places) Unknown(name string) string { return "there is no variable " + name + " here" }

func (p *places) MemberNames(string, Answer) []string { return []string{"Name", "Next"} }

func (p *places) Hiding(member string) []string {
	return map[string][]string{"Label": {"App.Vip"}, "Rank": {"App.Vip"}}[member]
}

func (p *places) VariableTuple(variable string) []string {
	return map[string][]string{"pair": {"Id", "Name"}, "nested": {"Count", "", "X", "Y"}, "pairs": {"Id", "Name"},
		"byKey": {"A", "B", "C", "D"}}[variable]
}

func (p *places) MemberTuple(typ, member string) []string {
	return map[string][]string{"App.Node.Range": {"Min", "Max"}, "App.Node.Find()": {"At", "Of"}}[typ+"."+member]
}

func (p *places) Declared(variable string) string {
	return map[string]string{"vip": "Vip", "asNode": "Node"}[variable]
}

func program() *places {
	return &places{
		variables: "i some due node",
		values: map[string]Answer{
			"i":                      {Value: "7", Type: "int"},
			"zero":                   {Value: "0", Type: "int"},
			"max":                    {Value: "2147483647", Type: "int"},
			"b":                      {Value: "200", Type: "byte"},
			"u":                      {Value: "3000000000", Type: "uint"},
			"ul":                     {Value: "18446744073709551615", Type: "ulong"},
			"m":                      {Value: "12.50", Type: "decimal"},
			"c":                      {Value: "120 'x'", Type: "char"},
			"flag":                   {Value: "true", Type: "bool"},
			"d":                      {Value: "0.1", Type: "double"},
			"nul":                    {Value: "null", Type: "string"},
			"s":                      {Value: `"Hello, World"`, Type: "string"},
			"missing":                {Value: "null", Type: "int?"},
			"some":                   {Value: "4", Type: "int?"},
			"box":                    {Value: "{int}", Type: "int", Reference: 2},
			"box.m_value":            {Value: "42", Type: "int"},
			"nums":                   {Value: "{int[4]}", Type: "int[]", Reference: 1},
			"nums[0]":                {Value: "5", Type: "int"},
			"nums[3]":                {Value: "1", Type: "int"},
			"nobody":                 {Value: "null", Type: "App.Node"},
			"node":                   {Value: "{App.Node}", Type: "App.Node", Reference: 3},
			"node.Name.get_Length()": {Value: "3", Type: "int"},
			"node.Name":              {Value: `"Ann"`, Type: "string"},
			`System.Type.GetType("App.Tools").GetCustomAttributesData().Count`: {Value: "1", Type: "int"},
			`System.Type.GetType("App.Tools").GetCustomAttributesData()[0].AttributeType.FullName`: {
				Value: `"System.Runtime.CompilerServices.ExtensionAttribute"`, Type: "string"},
			"App.Tools.Doubled(7)":            {Value: "14", Type: "int"},
			"vip":                             {Value: "{App.Vip}", Type: "App.Vip", Reference: 4},
			"asNode":                          {Value: "{App.Vip}", Type: "App.Vip", Reference: 4},
			"unsure":                          {Value: "{App.Vip}", Type: "App.Vip", Reference: 4},
			"vip.Label()":                     {Value: `"vip"`, Type: "string"},
			"vip.Rank":                        {Value: "2", Type: "int"},
			`System.Type.GetType("App.Vip")`:  {Value: "{System.RuntimeType}", Type: "System.RuntimeType"},
			`System.Type.GetType("App.Node")`: {Value: "{System.RuntimeType}", Type: "System.RuntimeType"},
			`System.Type.GetType("App.Node").GetMember("Label")`: {Value: "{System.Reflection.MemberInfo[1]}",
				Type: "System.Reflection.MemberInfo[]"},
			`System.Type.GetType("App.Node").GetMember("Label")[0].ToString()`: {Value: `"System.String Label()"`,
				Type: "string"},
			`System.Type.GetType("App.Node").GetMember("Label")[0].CreateDelegate<System.Func<App.Vip, System.Object>>()` +
				`.Invoke(asNode)`: {Value: `"node"`, Type: "string"},
			`System.Type.GetType("App.Node").GetMember("Label")[0].CreateDelegate<System.Func<App.Vip, System.Object>>()` +
				`.Invoke(vip)`: {Value: `"node"`, Type: "string"},
			`System.Type.GetType("App.Node").GetMember("get_Rank")`: {Value: "{System.Reflection.MemberInfo[1]}",
				Type: "System.Reflection.MemberInfo[]"},
			`System.Type.GetType("App.Node").GetMember("get_Rank")[0].ToString()`: {Value: `"Int32 get_Rank()"`,
				Type: "string"},
			`System.Type.GetType("App.Node").GetMember("get_Rank")[0].CreateDelegate<System.Func<App.Vip, int>>()` +
				`.Invoke(asNode)`: {Value: "1", Type: "int"},
			"vip.GetType().FullName":                               {Value: `"App.Vip"`, Type: "string"},
			"vip.GetType().BaseType.FullName":                      {Value: `"App.Node"`, Type: "string"},
			"node.Pick<int>(1, 2)":                                 {Value: "2", Type: "int"},
			"node.Run()":                                           {Value: "1", Type: "int"},
			"s.get_Length()":                                       {Value: "12", Type: "int"},
			"System.BitConverter.DoubleToInt64Bits(d)":             {Value: "4591870180066957722", Type: "long"},
			"System.Globalization.CultureInfo.CurrentCulture.Name": {Value: `""`, Type: "string"},
		},
		kids: map[int][]Answer{1: {
			{Value: "5", Type: "int", Text: "nums[0]"}, {Value: "3", Type: "int", Text: "nums[1]"},
			{Value: "8", Type: "int", Text: "nums[2]"}, {Value: "1", Type: "int", Text: "nums[3]"}}},
	}
}

func TestEvaluate(t *testing.T) {
	for _, tt := range []struct{ text, value, typ string }{
		{"i + 2 * 3", "13", "int"},
		{"max * 2", "-2", "int"},
		{`"x".GetType()`, "typeof(string)", "System.Type"},
		{"nums.GetType()", "typeof(int[])", "System.Type"},
		{"max + 1L", "2147483648", "long"},
		{"b + b", "400", "int"},
		{"(byte)(b + b)", "144", "byte"},
		{"u + 1", "3000000001", "uint"},
		{"u - 3000000001u", "4294967295", "uint"},
		{"u + i", "3000000007", "long"},
		{"ul + 1", "0", "ulong"},
		{"1 << 33", "2", "int"},
		{"-13 >> 1", "-7", "int"},
		{"-13 >>> 28", "15", "int"},
		{"i / 2", "3", "int"},
		{"-7 % 3", "-1", "int"},
		{"~i", "-8", "int"},
		{"unchecked((int)3000000000u)", "-1294967296", "int"},
		{"checked(i + 1)", "8", "int"},
		{"m * 1.1m", "13.750", "decimal"},
		{"100m / 3m", "33.333333333333333333333333333", "decimal"},
		{"10m / 4m", "2.5", "decimal"},
		{"1.00m + 1m", "2.00", "decimal"},
		{"2m / 3m", "0.6666666666666666666666666667", "decimal"},
		{"m + i", "19.50", "decimal"},
		{"(int)-3.99", "-3", "int"},
		{"(decimal)1.5f", "1.5", "decimal"},
		{"0.1f + 0.2f", "0.3", "float"},
		{"d + 0.2", "0.30000000000000004", "double"},
		{"1 / 3.0", "0.3333333333333333", "double"},
		{"1e20", "1E+20", "double"},
		{"c + 1", "121", "int"},
		{"(char)(c + 1)", "'y'", "char"},
		{"1 > 2 || flag", "true", "bool"},
		{"flag ? 1 : 2.5", "1", "double"},
		{"nul ?? \"x\"", `"x"`, "string"},
		{"nul?.Length", "null", ""},
		{"nul?.Length < 3", "false", "bool"},
		{"missing + 1", "null", "int?"},
		{"some + 1", "5", "int?"},
		{"some.Value + 1", "5", "int"},
		{"missing == null", "true", "bool"},
		{"missing > 3", "false", "bool"},
		{"missing.HasValue", "false", "bool"},
		{"missing ?? 3", "3", "int"},
		{"nobody?.Name", "null", ""},
		{"node?.Name", `"Ann"`, "string"},
		{"s + 1", `"Hello, World1"`, "string"},
		{"\"\" + flag + null + 'c' + 1.5", `"Truec1.5"`, "string"},
		{"s[^1]", "'d'", "char"},
		{"s[7..]", `"World"`, "string"},
		{"s[..^7]", `"Hello"`, "string"},
		{"s.Split(',')", `["Hello", " World"]`, "string[]"},
		{"s.Length", "12", "int"},
		{`$"{i,4}|{i,-3}|{s}|{{x}}"`, `"   7|7  |Hello, World|{x}"`, "string"},
		{`$"{nul}"`, `""`, "string"},
		{`"""raw "x" """`, `"raw \"x\" "`, "string"},
		{"nameof(node.Name)", `"Name"`, "string"},
		{"default(int)", "0", "int"},
		{"sizeof(char)", "2", "int"},
		{"box is int", "true", "bool"},
		{"box is long", "false", "bool"},
		{"box is 42", "true", "bool"},
		{"box is int n && n > 41", "true", "bool"},
		{"(int)box", "42", "int"},
		{"i is > 5 and < 10", "true", "bool"},
		{"i is 1 or 7", "true", "bool"},
		{"i is not 7", "false", "bool"},
		{"node is { Name: \"Ann\" }", "true", "bool"},
		{"node is { Name: { Length: > 3 } }", "false", "bool"},
		{"nobody is { Name: \"Ann\" }", "false", "bool"},
		{"nums is [5, _, ..]", "true", "bool"},
		{"nums is [.., 1]", "true", "bool"},
		{"nums is []", "false", "bool"},
		{"i switch { < 0 => \"neg\", > 0 and < 10 => \"digit\", _ => \"big\" }", `"digit"`, "string"},
		{"(i, s)", `(7, "Hello, World")`, "(int, string)"},
		{"(X: 1, Y: 2).Y", "2", "int"},
		{"(1, \"a\") == (1, \"a\")", "true", "bool"},
		{"new { A = 1, B = s }.B", `"Hello, World"`, "string"},
		{"new[] { 1, 2.5 }", "[1, 2.5]", "double[]"},
		{"new int[2, 2].Length", "4", "int"},
		{"new[,] { { 1, 2 }, { 3, 4 } }", "[[1, 2], [3, 4]]", "int[,]"},
		{"new List<int> { 1, 2 }.Count", "2", "int"},
		{"new Dictionary<int, string> { [1] = \"a\" }[1]", `"a"`, "string"},
		{"nums.Length", "4", "int"},
		{"nums.Where(n => n > 2)", "[5, 3, 8]", "System.Collections.Generic.IEnumerable<int>"},
		{"nums.Where((n, at) => at % 2 == 0).ToList()", "[5, 8]", "System.Collections.Generic.List<int>"},
		{"nums.Select(n => n * 2).Sum()", "34", "int"},
		{"nums.Average()", "4.25", "double"},
		{"nums.OrderByDescending(n => n).First()", "8", "int"},
		{"nums.OrderBy(n => n % 2).ThenBy(n => n).ToArray()", "[8, 1, 3, 5]", "int[]"},
		{"nums.GroupBy(n => n % 2 == 0).ToDictionary(g => g.Key, g => g.Count())", "{false: 3, true: 1}",
			"System.Collections.Generic.Dictionary<bool, int>"},
		{"nums.Aggregate((a, x) => a + x)", "17", "int"},
		{"nums.Aggregate(0m, (sum, x) => sum + x)", "17", "decimal"},
		{"nums.Zip(nums.Skip(1), (a, x) => a - x).ToList()", "[2, -5, 7]", "System.Collections.Generic.List<int>"},
		{"nums.Any(n => n > 80)", "false", "bool"},
		{"nums.First(n => 10 / (n - 3) > 0)", "5", "int"}, // the next one would divide by zero
		{"(from n in nums where n > 2 orderby n descending select n * 2).ToList()", "[16, 10, 6]",
			"System.Collections.Generic.List<int>"},
		{"(from n in nums from k in nums where n == k + 2 let z = n * k select z).ToList()", "[15, 3]",
			"System.Collections.Generic.List<int>"},
		{"i.Doubled()", "14", "int"},
		{"i.Doubled() + node.Pick(1, 2)", "16", "int"},
		{"vip.Label()", `"vip"`, "string"},
		{"asNode.Label()", `"node"`, "string"},
		{"((Node)vip).Label()", `"node"`, "string"},
		{"asNode.Rank + vip.Rank", "3", "int"},
		{"nums.Max(n => n) is 8", "true", "bool"},
		{"nums.Sum(n => b)", "800", "int"},
		{"nums.Sum(n => c) + nums.Sum(n => u)", "12000000480", "long"},
		{"Enumerable.Range(1, 3).Select(x => x * x).Sum()", "14", "int"},
	} {
		tree, err := csharp.Parse(tt.text)
		require.NoError(t, err, tt.text)
		got, err := Evaluate(program(), tree)
		if assert.NoError(t, err, tt.text) {
			assert.Equal(t, tt.value, got.Value, tt.text)
			assert.Equal(t, tt.typ, got.Type, tt.text)
		}
	}
}

// What C# does not compile or what throws has no value.
func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"ul + i":                              "cannot be applied to ulong and int",
		"m * d":                               "cannot be applied to decimal and double",
		"i ?? 0":                              "never null",
		"i / zero":                            "DivideByZeroException",
		"100m / 0m":                           "DivideByZeroException",
		"checked(max + 1)":                    "OverflowException",
		"79228162514264337593543950335m + 1":  "OverflowException",
		"2147483647 + 1":                      "the constant overflows",
		"(byte)300":                           "does not fit into byte",
		"nobody.Name":                         "NullReferenceException",
		"missing.Value":                       "must have a value",
		"nums[9]":                             "IndexOutOfRangeException",
		"nums.Single(n => n > 1)":             "more than one",
		"new int[0].Max()":                    "no elements",
		"nums.First(n => n > 80)":             "no matching element",
		"x => x":                              "a lambda has no value of its own",
		"i = 5":                               "changes no variable",
		"i switch { 1 => 2 }":                 "SwitchExpressionException",
		"nums.Sum(n => \"a\")":                "no Sum of string",
		"(long)box":                           "InvalidCastException",
		"s.Substring(50)":                     "ArgumentOutOfRangeException",
		"unknown":                             "no variable",
		"unsure.Label()":                      "cast it, as in ((App.Vip)unsure).Label",
		"Enumerable.Range(0, 100000).Count()": "at most 10000",
	} {
		tree, err := csharp.Parse(text)
		require.NoError(t, err, text)
		got, err := Evaluate(program(), tree)
		assert.ErrorContains(t, err, want, "%s: %s", text, got.Value)
	}
}

// The side that C# does not evaluate is not asked for, and nothing is asked twice.
func TestAsksLittle(t *testing.T) {
	for text, want := range map[string][]string{
		"flag || node.Run() > 0":          {"flag"},
		"nul != null && nul.Length > 3":   {"nul"},
		"flag ? i : node.Run()":           {"flag", "i"},
		"node?.Name + node.Name":          {"node", "node.Name"},
		"s ?? node.Name":                  {"s"},
		"nums.Any()":                      {"nums"},
		"nums.Select(n => i).First() + i": {"nums", "i"},
	} {
		tree, err := csharp.Parse(text)
		require.NoError(t, err, text)
		p := program()
		_, err = Evaluate(p, tree)
		require.NoError(t, err, text)
		assert.Equal(t, want, p.asked, text)
	}
}
