package mapping

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSameFunction(t *testing.T) {
	for _, tt := range []struct {
		function string
		yes, no  []string
	}{
		{"Shop.Repository`1.Add", []string{"Add", "Repository.Add", "Repository<T>.Add", "Repository<Order>.Add",
			"Shop.Repository<Shop.Order>.Add", "Repository`1.Add", "Shop.Repository`1.Add", "Shop.dll!Repository.Add",
			"Repository.Add(int, T)"},
			[]string{"Repository<K,V>.Add", "Repository`2.Add", "pository.Add", "Other.Repository.Add", "Add2", "Remove", "",
				"Shop.Repository"}},
		{"Shop.Repository<Shop.Order>.Add()", []string{"Repository`1.Add", "Shop.Repository`1.Add", "Add",
			"Repository<Order>.Add"}, []string{"Repository`2.Add", "List.Add"}},
		{"Shop.Repository`1.Map<U>", []string{"Map", "Map<U>", "Repository.Map", "Repository<T>.Map", "Repository`1.Map<U>",
			"Repository<Order>.Map<int>"}, []string{"Map<A,B>", "Repository.Map.U"}},
		{"Shop.Pair<int,System.Collections.Generic.Dictionary<string,int>>.Swap<bool>()", []string{"Pair`2.Swap<T>",
			"Pair<A,B>.Swap", "Shop.Pair.Swap"}, []string{"Pair<A>.Swap"}},
		{"Shop.Program.<LoadAsync>d__0.MoveNext", []string{"LoadAsync", "Program.LoadAsync", "Shop.Program.LoadAsync",
			"<LoadAsync>d__0.MoveNext", "Program.LoadAsync(int)", "MoveNext"},
			[]string{"Program.MoveNext", "Program.Load"}},
		{"Shop.Repository<Shop.Order>.<EachAsync>d__2<int>.MoveNext()", []string{"Repository.EachAsync",
			"Repository<T>.EachAsync<U>", "Shop.Repository`1.<EachAsync>d__2`1.MoveNext"},
			[]string{"Repository<K,V>.EachAsync"}},
		{"Program.<<Main>$>d__0.MoveNext", []string{"Main", "Program.Main"}, []string{"Program.Start"}},
		{"Program.<Main>$", []string{"Main", "Program.Main"}, nil},
		{"Program.<>c.<Main>b__1_0", nil, []string{"Main", "Program.Main"}},
		{"Program.<Main>g__Twice|0_1", []string{"Twice", "Main.Twice", "Program.Main.Twice"}, []string{"Main"}},
		{"Shop.Outer`1.Inner.Work", []string{"Inner.Work", "Outer.Inner.Work", "Outer<T>.Inner.Work"}, nil},
		{"Shop.Order..ctor", []string{"Order.Order", "Order..ctor", "Shop.Order.Order"}, []string{"Shop.Order.Add"}},
		{"Shop.Order.get_Total", []string{"Order.Total", "get_Total", "Total"}, []string{"Order.otal"}},
	} {
		for _, asked := range tt.yes {
			require.True(t, SameFunction(tt.function, asked), "%s is %s", tt.function, asked)
		}
		for _, asked := range tt.no {
			require.False(t, SameFunction(tt.function, asked), "%s is not %s", tt.function, asked)
		}
	}
}

func TestNearestFunctions(t *testing.T) {
	functions := []string{
		"Shop.Order..ctor", "Shop.Repository`1.Add", "Shop.Repository`1.Map<U>", "Shop.Order.get_Total", "Shop.Program.Main",
		"Shop.Program.<>c.<LoadAsync>b__1_0", "Shop.Program.<LoadAsync>d__0.MoveNext", "Shop.Stock.Load",
	}
	for asked, want := range map[string][]string{
		"Program.LoadAsnc":   {"Shop.Program.LoadAsync"},
		"Programm.LoadAsync": {"Shop.Program.LoadAsync"},
		"Repository.Adds":    {"Shop.Repository.Add"},
		"Order.Totl":         {"Shop.Order.get_Total"},
		"Order.Ordr":         {"Shop.Order.Order"},
		"mian":               {"Shop.Program.Main", "Shop.Repository.Map"},
		"Zzz":                nil,
		"":                   nil,
	} {
		require.Equal(t, want, NearestFunctions(asked, functions, 3), asked)
	}
}
