package inspect

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"breakwire/dapclient"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

func TestLocalText(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tt := range []struct {
		name, value, typ string
		language         dapclient.Language
		indexed, count   int
		children         bool
		want             string
	}{
		{"a number", "5", "int", dapclient.Go, 0, 0, false, "5"},
		{"a short text", `"hey"`, "string", dapclient.Go, 0, 0, false, `"hey"`},
		{"a long text", `"` + long + `"`, "string", dapclient.Go, 0, 0, false, "string (300)"},
		{"a text that Delve cuts", `"` + long + `...+4700 more"`, "string", dapclient.Go, 0, 0, false, "string (5000)"},
		{"a long text with an escape", `"` + long + `\n"`, "string", dapclient.Go, 0, 0, false, "string"},
		{"a short slice", "[]int len: 1, cap: 1, [7]", "[]int", dapclient.Go, 1, 1, true, "[]int len: 1, cap: 1, [7]"},
		{"a long slice", "[]int len: 100, cap: 100, [" + long, "[]int", dapclient.Go, 100, 100, true, "[]int (100)"},
		{"a long array", "[100]int [" + long, "[100]int", dapclient.Go, 100, 100, true, "[100]int"},
		{"a long struct", "main.T {" + long, "main.T", dapclient.Go, 0, 3, true, "main.T"},
		{"nil", "*main.T nil", "*main.T", dapclient.Go, 0, 0, false, "*main.T nil"},

		{"an object", "{App.Node}", "App.Node", dapclient.DotNet, 0, 0, true, "App.Node"},
		{"null", "null", "App.Node", dapclient.DotNet, 0, 0, false, "null"},
		{"an array", "int[3]", "int[]", dapclient.DotNet, 0, 3, true, "int[3]"},
		{"an enum", "Green", "App.Color", dapclient.DotNet, 0, 0, false, "Green"},
		{"a long text of .NET", `"` + long + `\r\n"`, "string", dapclient.DotNet, 0, 0, false, "string (302)"},

		{"a repr", "[1, 2, 3]", "list", dapclient.Python, 0, 0, true, "[1, 2, 3]"},
		{"a long repr", "[" + long, "list", dapclient.Python, 0, 0, true, "list"},
		{"an object without a repr", "<__main__.Foo object at 0x7f00>", "Foo", dapclient.Python, 0, 0, true, "Foo"},
		{"a long str", "'" + long + "'", "str", dapclient.Python, 0, 0, false, "str (300)"},
		{"a str that debugpy cuts", "'" + long + "..." + long + "'", "str", dapclient.Python, 0, 0, false, "str"},

		{"a struct", "Point @ 0x7ffe01", "Point", dapclient.C, 0, 0, true, "Point"},
		{"a pointer", "0x00007ffe01", "Point *", dapclient.C, 0, 0, true, "Point *"},
		{"a null pointer", "0x0000000000000000", "Point *", dapclient.C, 0, 0, true, "0x0000000000000000"},
		{"a text by pointer", `0x00007ffe01 "hello"`, "const char *", dapclient.C, 0, 0, true, `"hello"`},
		{"a vector", "size=100", "std::vector<int>", dapclient.C, 100, 0, true, "std::vector<int> (100)"},
		{"a map", "size=1", "std::map<int, int>", dapclient.C, 0, 1, true, "std::map<int, int> (1)"},
		{"an array of C", "int[3] @ 0x7ffe01", "int[3]", dapclient.C, 3, 0, true, "int[3]"},
		{"a long type", "T @ 0x7ffe01", long, dapclient.C, 0, 0, true, long[:64] + " ..."},
		{"no type", long, "", dapclient.C, 0, 0, false, long[:64] + " ..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := dap.Variable{Value: tt.value, Type: tt.typ, IndexedVariables: tt.indexed}
			x := Variable{Value: tt.value, Type: tt.typ, HasChildren: tt.children, ChildCount: tt.count}
			require.Equal(t, tt.want, localText(x, raw, tt.language))
		})
	}
}

func TestShownLocals(t *testing.T) {
	list := func(pairs ...string) (all []Local) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, Local{pairs[i], pairs[i+1], pairs[i+1]})
		}
		return all
	}
	var many []string
	for i := range 30 {
		many = append(many, "name"+strconv.Itoa(10+i), strings.Repeat("v", 20))
	}
	for _, tt := range []struct {
		name    string
		all     []Local
		before  map[string]string
		want    string
		omitted int
	}{
		{"none", nil, nil, `{}`, 0},
		{"as the debugger lists them", list("b", "1", "a", "2"), nil, `{"b":"1","a":"2"}`, 0},
		{"changed and new ones first", list("a", "1", "b", "2", "c", "3", "d", "4"),
			map[string]string{"a": "1", "b": "9", "c": "3"}, `{"b":"2","d":"4","a":"1","c":"3"}`, 0},
		{"of the same name", list("x", "1", "y", "2", "x", "3"), nil, `{"y":"2","x":"3"}`, 0},
		{"as they are written", list("s", `"<a> & b"`), nil, `{"s":"\"<a> & b\""}`, 0},
		{"a change of what is not shown", []Local{{"a", "1", "1"}, {"l", "list", "[1, 2]"}},
			map[string]string{"a": "1", "l": "[1]"}, `{"l":"list","a":"1"}`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shown, omitted := shownLocals(tt.all, tt.before)
			raw, err := json.Marshal(struct{ Locals Locals }{shown})
			require.NoError(t, err)
			var stop struct{ Locals json.RawMessage }
			require.NoError(t, json.Unmarshal(raw, &stop))
			require.JSONEq(t, tt.want, string(stop.Locals))
			plain, err := shown.MarshalJSON()
			require.NoError(t, err)
			require.Equal(t, tt.want, string(plain), "in this order, and not escaped for HTML")
			require.Equal(t, tt.omitted, omitted)
		})
	}
	t.Run("at most 700 bytes", func(t *testing.T) {
		all := list(many...)
		shown, omitted := shownLocals(all, nil)
		raw, err := shown.MarshalJSON()
		require.NoError(t, err)
		require.LessOrEqual(t, len(raw), 700)
		require.Greater(t, len(raw)+len(all[0].member())+1, 700, "one more does not fit")
		require.Equal(t, len(all), len(shown)+omitted)
		require.Equal(t, all[:len(shown)], []Local(shown))
	})
}
