package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSizeText(t *testing.T) {
	for _, tt := range []struct {
		value, typ string
		want       int
	}{
		{"size=3000", "std::vector<int>", 3000},
		{"0x00007fffffffe1f0 size=3", "std::vector<int> &", 3},
		{`"size=3"`, "std::string", 0},
		{"int[3][2] @ 0x7fffffffe010", "int[3][2]", 3},
		{"ns::Der @ 0x7fffffffe030", "ns::Der", 0},
		{"0x00007fffffffe4d8", "char **", 0},
		{"size=99999999999999999999", "std::vector<int>", 0},
	} {
		assert.Equal(t, tt.want, SizeText(tt.value, tt.typ), tt.value)
	}
}

func TestCollectionOf(t *testing.T) {
	for _, tt := range []struct {
		typ  string
		want CollectionType
	}{
		// C#, as netcoredbg names types
		{"int[]", CollectionType{Array, "", "int"}},
		{"int[][,]", CollectionType{Array, "", "int[,]"}},
		{"string[,]", CollectionType{Array, "", "string"}},
		{"System.Collections.Generic.List<int>", CollectionType{List, "", "int"}},
		{"System.Collections.Generic.List<int>[]", CollectionType{Array, "", "System.Collections.Generic.List<int>"}},
		{"System.Collections.Generic.List<System.Collections.Generic.Dictionary<string, int[]>>",
			CollectionType{List, "", "System.Collections.Generic.Dictionary<string, int[]>"}},
		{"System.Collections.Generic.Dictionary<string, System.Collections.Generic.List<int>>",
			CollectionType{Dictionary, "string", "System.Collections.Generic.List<int>"}},
		{"System.Collections.Generic.HashSet<string>", CollectionType{Set, "", "string"}},
		{"System.Collections.Generic.Queue<int>", CollectionType{Queue, "", "int"}},
		{"System.Collections.Generic.Stack<int>", CollectionType{Stack, "", "int"}},
		{"ThreadsApp.Order", CollectionType{}},
		{"string", CollectionType{}},
		{"System.Collections.Generic.KeyValuePair<string, int>", CollectionType{}},
		// Go, as Delve does
		{"[]int", CollectionType{List, "", "int"}},
		{"[4]float64", CollectionType{Array, "", "float64"}},
		{"[][]string", CollectionType{List, "", "[]string"}},
		{"*[]main.T", CollectionType{List, "", "main.T"}},
		{"map[string]int", CollectionType{Dictionary, "string", "int"}},
		{"map[[2]int]map[string]bool", CollectionType{Dictionary, "[2]int", "map[string]bool"}},
		{"main.Ints", CollectionType{}},
		{"*main.Tree[string,int]", CollectionType{}},
		{"[]main.Pair[string,int]", CollectionType{List, "", "main.Pair[string,int]"}},
		{"chan int", CollectionType{}},
		// Python
		{"list", CollectionType{Kind: List}},
		{"dict", CollectionType{Kind: Dictionary}},
		{"frozenset", CollectionType{Kind: Set}},
		{"NoneType", CollectionType{}},
		// C++, C and Rust
		{"std::vector<int, std::allocator<int> >", CollectionType{List, "", "int"}},
		{"const std::__1::map<std::string, std::pair<int, int>> &",
			CollectionType{Dictionary, "std::string", "std::pair<int, int>"}},
		{"int[5]", CollectionType{Array, "", "int"}},
		{"int [2][3]", CollectionType{Array, "", "int[3]"}},
		{"alloc::vec::Vec<i32, alloc::alloc::Global>", CollectionType{List, "", "i32"}},
		{"[i32; 5]", CollectionType{Array, "", "i32"}},
		{"&[u8]", CollectionType{Array, "", "u8"}},
		// broken
		{"", CollectionType{}}, {"[", CollectionType{}}, {"map[", CollectionType{}}, {"List<", CollectionType{}},
		{"]", CollectionType{}},
	} {
		assert.Equal(t, tt.want, CollectionOf(tt.typ), tt.typ)
	}
}

func TestIsNullText(t *testing.T) {
	for _, null := range []string{"null", "nil", "None", "NULL", "nullptr", "<nil>", "0x0", "0x0000000000000000",
		"*main.P nil", "interface {} nil", "[]string len: 0, cap: 0, nil"} {
		assert.True(t, IsNullText(null), null)
	}
	for _, value := range []string{"", "0", "0x", "0x10", `"null"`, `"a nil"`, "nilly", "Nothing"} {
		assert.False(t, IsNullText(value), value)
	}
}

func TestNumberText(t *testing.T) {
	for in, want := range map[string]float64{
		"1": 1, "-2.5": -2.5, "1e3": 1000, "255 = 0xff": 255, "interface {}(int) 7": 7, "+0.5": 0.5,
	} {
		got, ok := NumberText(in)
		assert.True(t, ok, in)
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "NaN", "nan", "Infinity", "+Inf", "inf", `"5"`, "true", "0x10", "0x1p-2", "1_000",
		"1 2", "97 'a'", `interface {}(string) "7"`} {
		_, ok := NumberText(in)
		assert.False(t, ok, in)
	}
}

func TestIsNumericType(t *testing.T) {
	for _, typ := range []string{"int", "int?", "decimal", "float64", "interface {}(int)", "unsigned long", "usize",
		"float"} {
		assert.True(t, IsNumericType(typ), typ)
	}
	for _, typ := range []string{"", "string", "bool", "char", "interface {}", "interface {}(string)", "main.Celsius"} {
		assert.False(t, IsNumericType(typ), typ)
	}
}

func FuzzCollectionOf(f *testing.F) {
	for _, s := range []string{"int[][,]", "map[[2]int]T", "List<Dictionary<a, b[]>>", "[i32; 5]", "<>[]", "a<b>[",
		">[<]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typ string) {
		c := CollectionOf(typ)
		if c.Kind == "" && (c.Key != "" || c.Element != "") {
			t.Fatalf("%q is no collection and has elements: %+v", typ, c)
		}
		if len(c.Key)+len(c.Element) > len(typ) {
			t.Fatalf("%q: %+v is longer", typ, c)
		}
	})
}
