package mapping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHasFunction(t *testing.T) {
	functions := []string{
		"main.main", "main.(*Cart).Total", "main.Map[go.shape.int,go.shape.string]",
		"example.com/app/store.(*Set[go.shape.int]).Add",
		"shop::Cart::total", "ns::add<int>", "(anonymous namespace)::hidden", "ns::Point::operator()",
	}
	for _, asked := range []string{
		"main", "main.main", "Total", "Cart.Total", "(*Cart).Total", "main.(*Cart).Total", "main.Cart.Total", "main.Map",
		"store.Set.Add", "example.com/app/store.(*Set[...]).Add", "total", "Cart::total", "shop::Cart::total",
		"shop::Cart::total(int) const", "ns::add<long>", "hidden", "Point::operator()",
	} {
		require.True(t, HasFunction(asked, functions), asked)
	}
	for _, asked := range []string{"", "mian", "Cart", "main.Total", "shop::total", "tota", "x.main.main"} {
		require.False(t, HasFunction(asked, functions), asked)
	}
}

func TestSimilarFunctions(t *testing.T) {
	own := []string{
		"main.main", "main.work", "main.(*Cart).Total", "main.Cart.Subtotal",
		"example.com/app/store.Open", "main.Map[go.shape.int]",
		"ns::Shape::area", "ns::scale", "ns::other::area",
	}
	library := []string{"fmt.Println", "fmt.Printf", "os.wrk", "std::sort"}
	for asked, want := range map[string][]string{
		"main.wrk":          {"main.work"},
		"wrk":               {"main.work"},
		"Work":              {"main.work"},
		"Cart.Totl":         {"main.(*Cart).Total"},
		"(*Cart).Totals":    {"main.(*Cart).Total"},
		"main.Cart.Total":   {"main.(*Cart).Total"},
		"mian.work":         {"main.work"},
		"store.Opne":        {"example.com/app/store.Open"},
		"main.Mop":          {"main.Map"},
		"fmt.Printl":        {"fmt.Printf", "fmt.Println"},
		"Printl":            nil,
		"ns::Shape::aera":   {"ns::Shape::area", "ns::other::area"},
		"Shape::aera":       {"ns::Shape::area", "ns::other::area"},
		"scal":              {"ns::scale"},
		"ns::scale(double)": {"ns::scale"},
		"std::srt":          {"std::sort"},
		"xyzzyPlugh":        nil,
		"main.Subt":         {"main.Cart.Subtotal"},
		"pain":              {"main.main"},
		"prin":              nil,
		"x":                 nil,
		"":                  nil,
	} {
		require.Equal(t, want, SimilarFunctions(asked, own, library, 3), asked)
	}
}

func TestOwnGoFunction(t *testing.T) {
	for name, want := range map[string][2]bool{
		"main.work": {true, true}, "main.(*Cart).Total": {true, true},
		"app/store.Open": {true, true}, "app.Run": {true, true},
		"example.com/x/y.Z": {true, true}, "fmt.Println": {true, false}, "net/http.(*conn).serve": {true, false},
		"runtime.gopanic": {true, false}, "main.main.func1": {}, "main.init.0": {}, "type:.eq.main.T": {},
		"go:buildid": {}, "main.(*Cart).Total-fm": {}, "_start": {}, "main.run.gowrap1": {}, "main.funcs": {true, true},
	} {
		written, own := OwnGoFunction(name, "app")
		require.Equal(t, want, [2]bool{written, own}, name)
	}
}

func TestNativeFunction(t *testing.T) {
	for symbol, want := range map[string]string{
		"main": "main", "work": "work", "_start": "", "frame_dummy": "frame_dummy", "memcpy@GLIBC_2.14": "memcpy",
		"_Z4workii":                                 "work",
		"_ZN2ns5Shape4areaEv":                       "ns::Shape::area",
		"_ZNK2ns5Shape4areaEv":                      "ns::Shape::area",
		"_ZN2ns5ShapeC2Ei":                          "ns::Shape::Shape",
		"_ZN2ns5ShapeD0Ev":                          "ns::Shape::~Shape",
		"_ZN12_GLOBAL__N_16hiddenEi":                "(anonymous namespace)::hidden",
		"_ZL6statici":                               "static",
		"_ZN2ns3addIiEET_S1_S1_":                    "ns::add<int>",
		"_ZN2ns5Shape4areaEv.cold":                  "ns::Shape::area",
		"_ZNSt6vectorIiSaIiEE9push_backEOi":         "std::vector<int, std::allocator<int>>::push_back",
		"_ZTV5Shape":                                "", // not a function
		"_ZN1s4shop4Cart5total17h6c8bfb238dc94b6aE": "s::shop::Cart::total",
		"_ZN1s4main28_$u7b$$u7b$closure$u7d$$u7d$17h6c8bfb238dc94b6aE":            "",
		"_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h6c8bfb238dc94b6aE": "",
		"_RNvCsd2pkCS1BQMS_1s4main":                                               "s::main",
		"_RNvNtCsd2pkCS1BQMS_1s4shop3sum":                                         "s::shop::sum",
		"_RNvMNtCsd2pkCS1BQMS_1s4shopNtB2_4Cart5total":                            "s::shop::Cart::total",
		"_RINvNtCsd2pkCS1BQMS_1s4shop3sumlReE":                                    "s::shop::sum",
		"_RNCNvCsd2pkCS1BQMS_1s4main0B3_":                                         "",
		"_RNvXCsd2pkCS1BQMS_1sNtB2_4CartNtNtCsgEmfK2I1SDS_4core3fmt5Debug3fmt":    "",
		"_RNvMB1_": "", "_R": "", "_RN": "", "_RC99x": "", "_Z": "", "_RNvB_1a": "",
		"_R" + strings.Repeat("B_", 200): "", "_R" + strings.Repeat("Nv", 500): "",
	} {
		name, _ := NativeFunction(symbol)
		require.Equal(t, want, name, symbol)
	}
	for symbol, want := range map[string]bool{
		"main": true, "frame_dummy": false, "_start": false, "_ZNSt6vectorIiSaIiEE9push_backEOi": false,
		"_ZN2ns5Shape4areaEv": true, "_RNvNtCsgEmfK2I1SDS_4core3fmt5write": false,
	} {
		_, own := NativeFunction(symbol)
		require.Equal(t, want, own, symbol)
	}
}
