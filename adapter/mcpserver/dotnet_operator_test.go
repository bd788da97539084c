package mcpserver_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// knowing is a loop whose backend evaluates these expressions, and refuses all others as netcoredbg does.
func knowing(values map[string]daptest.Var) daptest.Program {
	program := loop(1)
	program.Eval = func(call daptest.EvalCall) (daptest.Var, bool) {
		v, ok := values[call.Expression]
		if !ok && distance().MatchString(call.Expression) {
			return daptest.Var{Value: "0", Type: "double"}, true
		}
		if !ok {
			v.Err = "error CS0019: Operator cannot be applied to operands of these types"
		}
		return v, true
	}
	return program
}

// distance matches the question for the digits of a double that netcoredbg does not show.
var distance = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^.+ [-+] [\d.]+E[-+]\d\dd$`) })

var (
	fields  = []daptest.Var{{Name: "x", Value: "1", Type: "int"}} // a value with children is an object
	dotnets = map[string]daptest.Var{
		"none":    {Value: "null", Type: "int?"},
		"maybe":   {Value: "7", Type: "int?"},
		"wide":    {Value: "null", Type: "double?"},
		"exactly": {Value: "1.5", Type: "double?"},
		// stored
		"due":                  {Value: "{System.DateTime}", Type: "System.DateTime?", Children: fields},
		"due.get_Value()":      {Value: "{System.DateTime}", Type: "System.DateTime", Children: fields},
		"due.get_Value().Year": {Value: "2024", Type: "int"},
		`this.GetType().GetDeclaredField("due")`: {Value: "{System.Reflection.RtFieldInfo}",
			Type: "System.Reflection.RtFieldInfo"},
		`System.Type.GetType("LoopApp.Program").GetDeclaredField("started")`: {Value: "{System.Reflection.RtFieldInfo}",
			Type: "System.Reflection.RtFieldInfo"},
		"started":                  {Value: "{System.DateTime}", Type: "System.DateTime?", Children: fields},
		"started.get_Value()":      {Value: "{System.DateTime}", Type: "System.DateTime", Children: fields},
		"started.get_Value().Year": {Value: "2024", Type: "int"},
		"Started":                  {Value: "{System.DateTime}", Type: "System.DateTime?", Children: fields},
		"Started.get_Value()":      {Value: "{System.DateTime}", Type: "System.DateTime", Children: fields},
		"Started.get_Value().Year": {Value: "1", Type: "int"},
		"never":                    {Value: "null", Type: "System.DateTime?"},
		// a type of the program with such a method
		"option":                       {Value: "{App.Option}", Type: "App.Option", Children: fields},
		"option.Value":                 {Value: "6", Type: "int"},
		"option.GetValueOrDefault ()":  {Value: "5", Type: "int"},
		"option.GetValueOrDefault (3)": {Value: "3", Type: "int"},
		// of a getter: calls on it give wrong results
		"order.Due": {Value: "{System.DateTime}", Type: "System.DateTime?",
			Children: fields},
		"order.Due.get_Value()": {Value: "{System.DateTime}", Type: "System.DateTime",
			Children: fields},
		"order.Due.get_Value().Year":                    {Value: "1", Type: "int"},
		`order.GetType().GetDeclaredField("Due")`:       {Value: "null", Type: "System.Reflection.FieldInfo"},
		`order.GetType().GetField("Due")`:               {Value: "null", Type: "System.Reflection.FieldInfo"},
		"money":                                         {Value: "1.5", Type: "decimal"},
		"System.Decimal.ToDouble(1.5m)":                 {Value: "1.5", Type: "double"},
		"System.Convert.ToDecimal(exactly.get_Value())": {Value: "1.5", Type: "decimal"},
		"System.Math.Sqrt(16d)":                         {Value: "4", Type: "double"},
		"node.Wide(3L)":                                 {Value: "6", Type: "long"},
		"done": {Value: "{System.Threading.Tasks.Task<int>}",
			Type: "System.Threading.Tasks.Task<int>", Children: fields},
		"done.IsCompleted":  {Value: "true", Type: "bool"},
		"done.get_Result()": {Value: "5", Type: "int"},
		"pending": {Value: "{System.Threading.Tasks.Task<int>}",
			Type: "System.Threading.Tasks.Task<int>", Children: fields},
		"pending.IsCompleted":     {Value: "false", Type: "bool"},
		"pending.get_Result()":    {Value: "0", Type: "int"},
		"name + money.ToString()": {Value: `"a1.5"`, Type: "string"},
		"color.ToString() + name": {Value: `"Reda"`, Type: "string"},
		"ints":                    {Value: "{int[2]}", Type: "int[]", Children: fields},
		"dict": {Value: "{System.Collections.Generic.Dictionary<int, int>}",
			Type: "System.Collections.Generic.Dictionary<int, int>", Children: fields},
		"dict.Count":            {Value: "1", Type: "int"},
		"1L + 1":                {Value: "2", Type: "long"},
		"2L + 1":                {Value: "3", Type: "long"},
		`"count".Trim()`:        {Value: `"count"`, Type: "string"},
		"2.5":                   {Value: "2.5", Type: "double"},
		"2 * 1d":                {Value: "2", Type: "double"},
		"7 * 1d":                {Value: "7", Type: "double"},
		"(2 * 1d) / 4":          {Value: "0.5", Type: "double"},
		"(7 * 1d) / 2":          {Value: "3.5", Type: "double"},
		`"a" + "Read, Write"`:   {Value: `"aRead, Write"`, Type: "string"},
		`"a" + 3`:               {Value: `"a3"`, Type: "string"},
		"name.get_Length()":     {Value: "5", Type: "int"},
		"name.get_Chars(4) + 0": {Value: "56832", Type: "int"},
		"node.Next()": {Value: "{int}", Type: "int",
			Children: []daptest.Var{{Name: "m_value", Value: "8", Type: "int"}}},
		"node.Make().Describe()": {Value: "{System.NullReferenceException}",
			Type: "System.NullReferenceException", Children: fields},
		"node.Paint(node.Make().Color)": {Value: "{System.NullReferenceException}",
			Type: "System.NullReferenceException", Children: fields},
		"order.Rights.ToString()":         {Value: `"Read"`, Type: "string"},
		"order.Paint.ToString()":          {Value: `"1"`, Type: "string"},
		"order.Paint.ToString() + name":   {Value: `"1a"`, Type: "string"},
		`App.Color.Red.ToString() + name`: {Value: `"Reda"`, Type: "string"},
		"order.Due?.ToString()":           {Value: `"01/01/0001"`, Type: "string"},
		"order.Ratio?.ToString()":         {Value: `"5E-324"`, Type: "string"},
		"order.Cost":                      {Value: "1.50", Type: "decimal?"},
		"order.Cost?.ToString()":          {Value: `"65536"`, Type: "string"},
		"(1.50m).ToString()":              {Value: `"1.50"`, Type: "string"},
		"order.Shipped":                   {Value: "null", Type: "System.DateTime?"},
		"order.Shipped.ToString()":        {Value: `"01/01/0001"`, Type: "string"},
		"order.Shipped?.ToString()":       {Value: `"01/01/0001"`, Type: "string"},
		"order.Field":                     {Value: "1", Type: "int?"},
		"order.Field.ToString()":          {Value: `"1"`, Type: "string"},
		`order.GetType().GetDeclaredField("Field")`: {Value: "{System.Reflection.RtFieldInfo}",
			Type: "System.Reflection.RtFieldInfo"},
		"!byColor.ContainsKey(Color.Red)": {Value: "true", Type: "bool"},
		"byColor.ContainsKey(Color.Red)":  {Value: "false", Type: "bool"},
		"byColor.ContainsKey(order.Tint)": {Value: "true", Type: "bool"},
		"order.Tint":                      {Value: "Red", Type: "App.Color", Children: fields},
		`order.GetType().GetDeclaredField("Tint")`: {Value: "{System.Reflection.RtFieldInfo}",
			Type: "System.Reflection.RtFieldInfo"},
		"report": {Value: `"{System.Reflection.TargetParameterCountException}"`,
			Type: "string"},
		`"a"`: {Value: `"a"`, Type: "string"},
		"dict.Any()": {Value: "{System.Reflection.TargetParameterCountException}",
			Type: "System.Reflection.TargetParameterCountException", Children: fields},
		"dict.Sum()": {Value: "{System.Reflection.TargetParameterCountException}",
			Type: "System.Reflection.TargetParameterCountException", Children: fields},
		"gone.Describe()": {Value: "{System.ArgumentNullException}",
			Type:     "System.ArgumentNullException",
			Children: []daptest.Var{{Name: "_message", Value: `"Value cannot be null."`, Type: "string"}}},
		"Failing": {Value: "{System.IO.IOException}", Type: "System.IO.IOException",
			Children: fields},
		`this.GetType().GetProperty("Failing")`: {Value: "{System.Reflection.RuntimePropertyInfo}",
			Type: "System.Reflection.RuntimePropertyInfo"},
		"byColor[Color.Red]":       {Value: "{System.IO.IOException}", Type: "System.IO.IOException", Children: fields},
		"native":                   {Value: "5", Type: "IntPtr", Children: fields},
		"0 + 7":                    {Value: "7", Type: "int"},
		"order":                    {Value: "{App.Order}", Type: "App.Order", Children: fields},
		"order.Ratio":              {Value: "2.5", Type: "double?"},
		"order.Ratio.get_Value()":  {Value: "4.940656458412465e-324", Type: "double"},
		"order.Paint":              {Value: "Red", Type: "App.Color?", Children: fields},
		"order.Paint.get_Value()":  {Value: "1", Type: "App.Color", Children: fields},
		"App.Color.Red.value__":    {Value: "0", Type: "int"},
		"App.Color.Red.ToString()": {Value: `"Red"`, Type: "string"},
		"order.Rights":             {Value: "Read | Write", Type: "App.Access?", Children: fields},
		"App.Access.Read.value__":  {Value: "1", Type: "int"},
		"App.Access.Write.value__": {Value: "2", Type: "int"},
		"Color.Red":                {Value: "Red", Type: "App.Color", Children: fields},
		"Color.Red.value__":        {Value: "0", Type: "int"},
		"count":                    {Value: "3", Type: "int"},
		"huge":                     {Value: "18446744073709551615", Type: "ulong"},
		"ratio":                    {Value: "3", Type: "double"}, // 2.9999999999999996
		"ratio >= 3d":              {Value: "false", Type: "bool"},
		"name":                     {Value: `"a\n☃😀"`, Type: "string"},
		`'\u0061'`:                 {Value: "97 'a'", Type: "char"},
		`'\u000a'`:                 {Value: `10 '\n'`, Type: "char"},
		`'\n'`:                     {Value: `10 '\n'`, Type: "char"},
		"gone":                     {Value: "null", Type: "App.Node"},
		"node":                     {Value: "{App.Derived}", Type: "App.Derived", Children: fields},
		"boxed": {Value: "{int}", Type: "int",
			Children: []daptest.Var{{Name: "m_value", Value: "99", Type: "int"}}},
		"boxed.m_value": {Value: "99", Type: "int"},
		"ratioBox": {Value: "{double}", Type: "double",
			Children: []daptest.Var{{Name: "m_value", Value: "2.5", Type: "double"}}},
		"letterBox": {Value: "{char}", Type: "char",
			Children: []daptest.Var{{Name: "m_value", Value: "122 'z'", Type: "char"}}},
		"jagged":              {Value: "{int[2][]}", Type: "int[][]", Children: fields},
		"jagged[1]":           {Value: "{int[0]}", Type: "int[]"},
		`(name ?? "-") == ""`: {Value: "false", Type: "bool"},
		"access":              {Value: "Read, Write", Type: "App.Access", Children: fields},
		"access.value__":      {Value: "3", Type: "int"},
		"Access.R":            {Value: "Read", Type: "App.Access", Children: fields},
		"Access.R.value__":    {Value: "1", Type: "int"},
		"color":               {Value: "Red", Type: "App.Color", Children: fields},
		"color.value__":       {Value: "0", Type: "int"},
		"list": {Value: "{System.Collections.Generic.List<int>}",
			Type: "System.Collections.Generic.List<int>", Children: fields},
		"list.Count": {Value: "2", Type: "int"},
		"list._size": {Value: "2", Type: "int"},
		"list[0]":    {Value: "10", Type: "int"},
		"list._items": {Value: "{int[4]}", Type: "int[]", Children: []daptest.Var{{Name: "[0]", Value: "10", Type: "int"},
			{Name: "[1]", Value: "20", Type: "int"}}},
		"dict._count":              {Value: "2", Type: "int"},
		"dict._freeCount":          {Value: "1", Type: "int"},
		"System.DateTime.MinValue": {Value: "{System.DateTime}", Type: "System.DateTime", Children: fields},
		"(1.5m).ToString()":        {Value: `"1.5"`, Type: "string"},
		"System.BitConverter.DoubleToInt64Bits(ratio)":               {Value: "4613937818241073151", Type: "long"},
		"System.BitConverter.DoubleToInt64Bits(exactly.get_Value())": {Value: "4609434218613702656", Type: "long"},
		"System.BitConverter.DoubleToInt64Bits(ratioBox.m_value)":    {Value: "4612811918334230528", Type: "long"},
		"list[1]":                      {Value: "20", Type: "int"},
		"array":                        {Value: "{int[0]}", Type: "int[]", Children: fields},
		"1.5":                          {Value: "1.5", Type: "double"},
		"exactly.get_Value()":          {Value: "1.5", Type: "double"},
		"exactly.get_Value() == 1.5":   {Value: "true", Type: "bool"},
		"exactly.get_Value() > 1":      {Value: "true", Type: "bool"},
		"3 + 4":                        {Value: "7", Type: "int"},
		"7 + 1":                        {Value: "8", Type: "int"},
		"3 * 1d":                       {Value: "3", Type: "double"},
		"(3 * 1d) / 2":                 {Value: "1.5", Type: "double"},
		"18446744073709551615UL - 1UL": {Value: "18446744073709551614", Type: "ulong"},
		"-7":                           {Value: "-7", Type: "int"},

		"node.GetType().FullName":                        {Value: `"App.Derived"`, Type: "string"},
		"node.GetType().BaseType.FullName":               {Value: `"App.Node"`, Type: "string"},
		"node.GetType().BaseType.BaseType.FullName":      {Value: `"System.Object"`, Type: "string"},
		`node.GetType().GetInterface("IThing")`:          {Value: "{System.RuntimeType}", Type: "System.RuntimeType"},
		`node.GetType().GetInterface("Other")`:           {Value: "null", Type: "System.Type"},
		`node.GetType().GetInterface("Typo")`:            {Value: "null", Type: "System.Type"},
		"node.GetType().GetInterface(\"IPair`1\")":       {Value: "{System.RuntimeType}", Type: "System.RuntimeType"},
		"node.GetType().GetInterface(\"IPair`2\")":       {Value: "null", Type: "System.Type"},
		"System.Type.GetType(\"App.IPair`2\")":           {Value: "{System.RuntimeType}", Type: "System.RuntimeType"},
		`System.Type.GetType("App.Other")`:               {Value: "{System.RuntimeType}", Type: "System.RuntimeType"},
		`System.Type.GetType("App.Node")`:                {Value: "{System.RuntimeType}", Type: "System.RuntimeType"},
		`System.Type.GetType("App.IThing")`:              {Value: "{System.RuntimeType}", Type: "System.RuntimeType"},
		`node.GetType().GetInterface("IThing").FullName`: {Value: `"App.IThing"`, Type: "string"},
	}
)

// An expression that netcoredbg refuses is evaluated by its parts, and the result is always C#'s. requests is the
// most requests it may need.
func TestDotnetOperators(t *testing.T) {
	m, f := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), knowing(dotnets))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	for _, tt := range []struct {
		text, want string // "!": refused, with this in the message
		requests   int
		safe       string // the same without calls allowed; "" for the same result
	}{
		{"count", "3", 1, ""},
		{"(none ?? 0) > 3", "false", 4, ""},
		{"(maybe ?? 0) > 3", "true", 4, ""},
		{"maybe == count + 4", "true", 6, ""},
		{"maybe + 1 == 8", "true", 4, ""},
		{"none + 1 == 8", "false", 4, ""},
		{"none + 1 == null", "true", 4, ""},
		{"none < 3", "false", 3, ""},
		{"-maybe", "-7", 4, ""},
		{"(gone == null) == (none == null)", "true", 7, ""},
		{`nameof(count) == "x"`, "false", 4, ""},
		{"exactly > 1", "true", 4, "true"},
		{"exactly == 1.5", "true", 5, "!not all digits"},
		{"wide > 1.5", "false", 3, ""},
		{"due.Value.Year", "2024", 6, "!not allowed here"},
		{"order.Ratio.GetValueOrDefault() > 2", "true", 4, "!EVAL_REJECTED"},
		{"none.GetValueOrDefault() + maybe.GetValueOrDefault()", "7", 6, "!EVAL_REJECTED"},
		{"order.Mode.GetValueOrDefault()", "!no member", 9, "!EVAL_REJECTED"},
		{"due?.Year", "2024", 6, "!not allowed here"},
		{"Started.Value.Year", "!wrong bytes", 7, "!not allowed here"}, // a getter in a static method
		{"started.Value.Year", "2024", 8, "!not allowed here"},
		{"never?.Year", "null", 3, ""},
		{"never.GetValueOrDefault()", "{System.DateTime}", 4, "!EVAL_REJECTED"},
		{"option.GetValueOrDefault()", "5", 6, "!EVAL_REJECTED"},
		{"option.GetValueOrDefault(count)", "3", 13, "!EVAL_REJECTED"},
		{"maybe.GetValueOrDefault(count)", "7", 2, "!EVAL_REJECTED"},
		{"none.GetValueOrDefault(count)", "3", 3, "!EVAL_REJECTED"},
		{"wide.GetValueOrDefault(2) / 4", "0.5", 6, "!EVAL_REJECTED"},
		{"never?.Date.Year == null", "true", 4, ""},
		{"order.Due.Value.Year", "!netcoredbg cannot read the System.DateTime in order.Due", 5, "!not allowed here"},
		{"order.Due?.Year", "!wrong bytes", 5, "!not allowed here"},
		{"order.Ratio.Value > 2", "true", 4, ""},
		// netcoredbg answers these from the wrong bytes
		{"order.Rights.ToString()", `"Read, Write"`, 8, "!EVAL_REJECTED"},
		{"order.Paint.ToString() + name", "\"Reda\\n☃😀\"", 10, "!EVAL_REJECTED"},
		{"order.Due?.ToString()", "!wrong bytes", 7, "!EVAL_REJECTED"},
		{"order.Ratio?.ToString()", "!not all digits", 7, "!EVAL_REJECTED"},
		{"order.Cost?.ToString()", `"1.50"`, 6, "!EVAL_REJECTED"},
		{"order.Shipped.ToString()", `""`, 6, "!EVAL_REJECTED"},
		{"order.Shipped?.ToString()", "null", 6, "!EVAL_REJECTED"},
		{"order.Field.ToString()", `"1"`, 4, "!EVAL_REJECTED"},
		{"order.Ratio > 2", "true", 4, ""},
		{"order.Ratio + 1", "!not all digits", 4, ""},
		{"order.Paint == Color.Red", "true", 3, ""},
		{"order.Paint.Value == Color.Red", "true", 6, ""},
		{"order.Paint.Value", "Red", 3, ""},
		{"(int)order.Paint", "0", 5, ""},
		{"order.Paint?.ToString()", `"Red"`, 5, "!EVAL_REJECTED"},
		{"(order.Rights & Access.R) != 0", "true", 10, ""},
		{"order.Rights.Value.HasFlag(Access.R)", "true", 11, "!EVAL_REJECTED"},
		{"huge > 5", "true", 2, ""},
		{"huge == -1", "!cannot be applied to ulong and int", 2, ""},
		{"huge - 1", "18446744073709551614", 3, ""},
		{"(access & Access.R) != 0", "true", 7, ""},
		{"(access & ~Access.R) != 0", "true", 9, ""},
		{"access == (Access.R | Access.R)", "false", 7, ""},
		{"access == 3", "!(int)color == 1", 4, ""},
		{"native + 1", "6", 2, ""},
		{"access == color", "!cannot be applied", 6, ""},
		{"color == 0", "true", 4, ""},
		{"color < Access.R", "!cannot be applied", 6, ""},
		{"access.HasFlag(Access.R)", "true", 6, "!EVAL_REJECTED"},
		{"(int)access", "3", 5, ""},
		{"(int)access + 4", "7", 5, ""},
		{"(int)boxed == 99", "true", 5, ""},
		{"ratioBox", "2.5", 3, ""},
		{"boxed == 99", "true", 4, ""},
		{"boxed == (object)99", "!does not compare the objects", 5, ""},
		{"(object)count == (object)count", "false", 5, ""},
		{"(object)name != name", "false", 5, ""},
		{"(object)count == null", "false", 4, ""},
		{"3 < boxed", "true", 4, ""},
		{"boxed == ratioBox", "!read by a cast", 4, ""},
		{"letterBox", "'z'", 2, ""},
		{"jagged.Length", "2", 3, ""},
		{"jagged.Rank", "1", 3, ""},
		{"jagged[^1]", "int[0]", 4, ""},
		{`name == ""`, "false", 1, ""},
		{"node.Of<int>().Count()", "!cannot be called like that", 9, "!EVAL_REJECTED"},
		{"(long)boxed == 99", "!InvalidCastException", 4, ""},
		{"(int)ratio", "2", 3, "!not all digits"},
		{"(byte)huge", "255", 3, ""},
		{"(sbyte)count", "3", 3, ""},
		{"(uint)-7", "!does not fit", 3, ""},
		{"(byte)300", "!does not fit", 3, ""},
		{"(double)money", "1.5", 4, ""},
		{"(decimal)exactly", "1.5", 5, "!not all digits"},
		{"Math.Sqrt(16)", "4", 9, "!EVAL_REJECTED"},
		{"node.Wide(count)", "6", 13, "!EVAL_REJECTED"},
		{"node.Wide(name)", "!of the very types", 9, "!EVAL_REJECTED"},
		{"done.Result", "5", 5, "!no member"},
		{"pending.Result", "!has not completed", 5, "!no member"},
		{"name + money", "\"a\\n☃😀1.5\"", 5, "!without a call"},
		{"color + name", "\"Reda\\n☃😀\"", 6, ""},
		{"ints[2]", "!outside of ints, which is a int[2]", 6, ""},
		{"dict.Any()", "true", 4, "!EVAL_REJECTED"},
		{"dict.LongCount() + 1", "2", 5, "!EVAL_REJECTED"},
		{"ints.LongLength + 1", "3", 4, ""},
		{"nameof(node.count).Trim()", `"count"`, 2, "!EVAL_REJECTED"},
		{"nameof(List<int>)", `"List"`, 2, "!EVAL_REJECTED"},
		{"(count == 3 ? 2 : 2.5) / 4", "0.5", 9, ""},
		{"(maybe ?? 2.5) / 2", "3.5", 8, ""},
		{"count == 3 ? maybe : null", "7", 4, ""},
		{"(wide ?? 2) / 4", "0.5", 7, ""},
		{`"a" + order.Rights`, `"aRead, Write"`, 10, ""},
		{`"a" + (Access.R | access)`, "!cannot be applied", 9, ""},
		{"dict.Sum()", "!cannot evaluate dict._entries", 6, "!EVAL_REJECTED"},
		{"gone.Describe()", "!gone is null, so gone.Describe throws System.NullReferenceException", 4, "!EVAL_REJECTED"},
		// nothing is called a second time to get more details
		{"node.Make().Describe()", "!threw System.NullReferenceException", 1, "!EVAL_REJECTED"},
		{"node.Paint(node.Make().Color)", "!threw System.NullReferenceException", 2, "!EVAL_REJECTED"},
		{"!byColor.ContainsKey(Color.Red)", "!passes Color.Red, an enum that is in no variable, with a wrong value", 12,
			"!EVAL_REJECTED"},
		{"byColor.ContainsKey(order.Tint)", "true", 3, "!EVAL_REJECTED"},
		{"byColor[Color.Red]", "!passes Color.Red, an enum that is in no variable, with a wrong value", 5, ""},
		{"Failing", "!evaluating Failing threw System.IO.IOException", 4, "{System.IO.IOException}"},
		{"(double)count / 2", "1.5", 6, ""},
		{"(int)none", "!Nullable object must have a value", 3, ""},
		{"(Derived)node", "{App.Derived}", 3, ""},
		{"(Node)node", "{App.Derived}", 12, "!not allowed"},
		{"(Other)node", "!which is no Other", 14, "!not allowed"},
		{"(Color)1", "!no type Color", 5, "!not allowed here"},
		{"name[0] == 'a'", "true", 9, ""},
		{`name[1] == '\n'`, "true", 9, ""},
		{"name[3] == 'a'", "false", 9, ""},
		{"name[9] == 'a'", "!IndexOutOfRangeException", 9, "!does not show the end"},
		{"list.Any()", "true", 4, "!EVAL_REJECTED"},
		{"list.Last()", "20", 5, "!EVAL_REJECTED"},
		{"list[^1]", "20", 5, ""},
		{"list[^3]", "!System.ArgumentOutOfRangeException", 5, ""},
		{"name[^9]", "!System.IndexOutOfRangeException", 5, "!does not show the end"},
		{"name[4]", `'\ude00'`, 4, ""}, // netcoredbg terminates when it has to show that
		{"(char)56832", `'\ude00'`, 2, ""},
		{`"a" + name[4]`, "!half of a surrogate pair", 6, ""},
		{"array.Count() == 0", "true", 4, "!EVAL_REJECTED"},
		{"array.First()", "!no elements", 4, "!EVAL_REJECTED"},
		{"list.Any(x => x == 1)", "false", 9, "!EVAL_REJECTED"},
		{"node is Derived", "true", 3, ""},
		{"node is App.Node", "true", 14, "!not allowed"},
		{"node is IThing", "true", 12, "!not allowed"},
		{"node is not Other", "true", 12, "!not allowed"},
		{"node is IPair<Dictionary<int, string>>", "!no type IPair", 10, "!not allowed"},
		{"node is Typo", "!no type Typo", 30, "!not allowed"},
		{"gone is Node", "false", 4, ""},
		{"count is 3", "true", 2, ""},
		{"count is > 2 and < 3", "false", 2, "!EVAL_REJECTED"},
		{"count is (1 or 3) and not 4", "true", 2, "!EVAL_REJECTED"},
		{"boxed is 99", "true", 4, ""},
		{"node is { x: 1 }", "!has no member x", 4, "!EVAL_REJECTED"},
	} {
		for _, safe := range []bool{false, true} {
			before := f.Last().Count("evaluate")
			want := tt.want
			if safe && tt.safe != "" {
				want = tt.safe
			}
			evaluates(t, c, tt.text, want, safe)
			assert.LessOrEqual(t, f.Last().Count("evaluate")-before, tt.requests, "%s safe=%v", tt.text, safe)
		}
	}
}

// A statement of C# assigns; an expression, a condition and what is safe do not.
func TestDotnetAssignments(t *testing.T) {
	m, f := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), loop(3))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	for _, set := range []struct{ text, note string }{
		{"square = 40;", "square is now 40"}, {"square += 2 ; ", "square is now 42"}, {"square++;", "square is now 43"},
		{"--square;", "square is now 42"}, {"square = square * 2;", "square is now 84"},
		{"square ??= 1;", "square is not null, and was not changed"},
	} {
		r := c.Do("evaluate", mcptest.Args{"expression": set.text})
		require.Equal(t, set.note, r.String("note"), set.text)
		require.Empty(t, r.String("value"), set.text)
	}
	require.Equal(t, "84", c.Do("evaluate", mcptest.Args{"expression": "square"}).String("value"))
	sets := f.Last().Count("setVariable")
	for text, why := range map[string]string{
		"square = 1": "with a semicolon", "square++": "with a semicolon", "(i, square) = (1, 2);": "one variable at a time",
		"square += 1.5;": "cannot be stored as int", "square /= 0;": "System.DivideByZeroException",
		"square = nosuch;": "was not changed", "Next().Count = 1;": "would run twice",
	} {
		r := c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": text})
		require.Contains(t, r.String("error.message"), why, text)
	}
	c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": "square = ;"})
	c.Refused(fault.VariableNotFound, "evaluate", mcptest.Args{"expression": "nosuch = 1;"})
	c.Refused(fault.EvalRejected, "evaluate", mcptest.Args{"expression": "square = 1;", "safe": true})
	require.Equal(t, sets+1, f.Last().Count("setVariable"), "only the unknown value was sent")
	require.Equal(t, "84", c.Do("evaluate", mcptest.Args{"expression": "square;"}).String("value"))
}

// evaluates checks that an expression has this value or, after a "!", is refused with this in the message.
func evaluates(t *testing.T, c *mcptest.Client, text, want string, safe bool) {
	t.Helper()
	r := c.Call("evaluate", mcptest.Args{"expression": text, "safe": safe})
	if part, refused := strings.CutPrefix(want, "!"); refused {
		assert.Contains(t, r.String("error.code"), "EVAL_", text)
		assert.Contains(t, string(r.Raw), part, "%s safe=%v", text, safe)
		return
	}
	assert.Equal(t, want, r.String("value"), "%s safe=%v: %s", text, safe, r.Raw)
}

// netcoredbg shows only the part of a text before a NUL.
func TestDotnetLengthWithoutCalls(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), knowing(dotnets))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	assert.NotContains(t, c.Do("evaluate", mcptest.Args{"expression": "name.Length"}).String("note"), "NUL")
	assert.Contains(t, c.Do("evaluate", mcptest.Args{"expression": "name.Length", "safe": true}).String("note"),
		"a NUL would end it")
}

// A message has the values that evaluate returns, also where netcoredbg returns something else: a box, or an
// exception it threw itself.
func TestDotnetMessagesOfWrongAnswers(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), knowing(dotnets))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set",
		mcptest.Args{"file": loopFile, "line": 10,
			"log_message": "{boxed} {dict.Any()} {order.Ratio.GetValueOrDefault()} {count} {report} {node.Next()} " +
				"{order.Paint.ToString()}"}).String("breakpoint.id")
	runToEnd(t, c)
	assert.Equal(t, []string{"99 true 2.5 3 {System.Reflection.TargetParameterCountException} 8 Red"}, messages(c, id))
}

// However much is refused, the number of requests is limited.
func TestDotnetQuestionsAreBounded(t *testing.T) {
	thrown := "f(" + strings.Repeat("a.b, ", 500) + "a.b)"
	m, f := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), knowing(map[string]daptest.Var{
		"a.b": {Value: "Red", Type: "App.Color", Children: fields},
		thrown: {Value: "{System.IO.IOException}", Type: "System.IO.IOException",
			Children: fields},
		`a.GetType().GetDeclaredField("b")`: {Value: "{System.Reflection.RtFieldInfo}",
			Type: "System.Reflection.RtFieldInfo"},
	}))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	var calls, sums []string
	for _, x := range strings.Split(strings.Repeat("abcdefgh", 5), "") {
		calls = append(calls, x+strings.Repeat(".y", len(calls)%5)+".z("+x+" + 1).Length")
		sums = append(sums, "("+x+" ?? "+strings.Repeat(x, 2+len(sums)/8)+")")
	}
	for _, text := range []string{
		thrown, strings.Join(calls, " + "), "f(" + strings.Join(calls, ", ") + ")", strings.Join(sums, " ?? "),
		"f(" + strings.Join(sums, ", ") + ")", strings.Join(calls, "."),
		strings.Repeat("(", 40) + "a" + strings.Repeat(")", 40), strings.Repeat("!", 40) + "a",
		strings.Repeat("f(", 330) + "a" + strings.Repeat(")", 330), strings.Repeat("a[", 330) + "b" +
			strings.Repeat("]", 330), "a" + strings.Repeat(".b", 500),
		strings.Repeat("(int)", 200) + "a", strings.Repeat("a + ", 250) + "a", strings.Repeat("~", 1000) + "a",
		strings.Repeat("(a)[", 250) + "b" + strings.Repeat("]", 250), "a is " + strings.Repeat("not ", 250) + "b",
		"f(" + strings.Repeat("a + b, ", 120) + "c)", strings.Repeat("f(a+", 200) + "b" + strings.Repeat(")", 200),
		strings.Repeat("f(", 15000) + "a" + strings.Repeat(")", 15000),
	} {
		before := f.Last().Count("evaluate")
		c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": text})
		require.LessOrEqual(t, f.Last().Count("evaluate")-before, 210, "%.200s", text)
	}
}

// A text that is no C# is refused with the place and what was expected there, and nothing else is asked.
func TestDotnetSyntaxErrors(t *testing.T) {
	m, f := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), knowing(dotnets))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	for _, tt := range []struct {
		text, expected string
		column         int
	}{
		{"count +", "an expression", 8},
		{"name == 'Ann'", "one character between ''", 9},
		{"f(count", ", or )", 8},
		{"größe count", "an operator or the end", 7},
		{"if (flag) count", "an expression", 1},
	} {
		before := f.Last().Count("evaluate")
		r := c.Refused(fault.SyntaxError, "evaluate", mcptest.Args{"expression": tt.text})
		require.Equal(t, 1, f.Last().Count("evaluate")-before, tt.text)
		assert.Equal(t, tt.column, r.Int("error.details.column"), "%s", r.Raw)
		assert.Contains(t, r.String("error.details.expected"), tt.expected)
		assert.Contains(t, r.String("error.message"), "found")
	}
}
