package mapping_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"breakwire/mapping"
)

func TestDemangleType(t *testing.T) {
	const text = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
	for _, tt := range []struct{ mangled, want string }{
		{"9BankError", "BankError"},
		{"*9BankError", "BankError"}, // compared by address
		{"i", "int"}, {"h", "unsigned char"}, {"e", "long double"}, {"Dn", "std::nullptr_t"},
		{"PKc", "const char*"}, {"Pc", "char*"}, {"PKPKN4bank5ErrorE", "const bank::Error* const*"},
		{"A3_i", "int [3]"}, {"PA3_i", "int (*)[3]"}, {"PFiicE", "int (*)(int, char)"},
		{"MN4bank5ErrorEi", "int bank::Error::*"}, {"MN4bank5ErrorEKFviE", "void (bank::Error::*)(int) const"},
		{"St13runtime_error", "std::runtime_error"}, {"N4bank3Out3In2E", "bank::Out::In2"},
		{"NSt10filesystem7__cxx1116filesystem_errorE", "std::filesystem::filesystem_error"},
		{"NSt8ios_base7failureB5cxx11E", "std::ios_base::failure"},
		{"N4bank12_GLOBAL__N_16HiddenE", "bank::(anonymous namespace)::Hidden"},
		{text, "std::string"},
		{"NSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE", "std::string"}, // libc++
		{"N4bank3ErrISt6vectorI" + text + "SaIS7_EEEE", "bank::Err<std::vector<std::string, std::allocator<std::string>>>"},
		{"N4bank3NumILin3ELb1EEE", "bank::Num<-3, true>"}, {"3LngILl7EE", "Lng<(long)7>"},
		{"3ColIL6Colour0EE", "Col<(Colour)0>"}, {"2FnIXadL_Z1fiEEE", "Fn<&f(int)>"},
		{"N4bank4PackIJiNS_5ErrorENS_3ErrIS1_EEEEE", "bank::Pack<int, bank::Error, bank::Err<bank::Error>>"},
		{"N4bank4PackIJEEE", "bank::Pack<>"}, {"N4bank3ErrIFvvEEE", "bank::Err<void ()>"},
		{"N4bank3ErrIPVKiEE", "bank::Err<volatile const int*>"}, {"N4bank3Out3In3IS0_EE", "bank::Out::In3<bank::Out>"},
		{"St4pairIN4bank5ErrorES_IS1_S1_EE", "std::pair<bank::Error, std::pair<bank::Error, bank::Error>>"},
		{"St8functionIFiRKN4bank5ErrorEPS1_EE", "std::function<int (const bank::Error&, bank::Error*)>"},
		{"Z4mainE3Bad", "main::Bad"}, {"Z4mainEUliE_", "main::{lambda(int)}"}, {"ZN1W1mEiE1Q", "W::m(int)::Q"},
		{"Z5localIiEPKcvE1L", "local<int>()::L"}, {"Z5localI" + text + "EPKcvE1L", "local<std::string>()::L"},

		{"", ""}, {"9Bank", ""}, {"N4bank", ""}, {"N4bank3ErrIiE", ""}, {"S_", ""}, {"SZ_", ""}, {"T_", ""}, {"Q", ""},
		{"99999999999999999999x", ""}, {"ii", ""}, {strings.Repeat("P", 5000) + "i", ""}, {strings.Repeat("i", 9000), ""},
		{strings.Repeat("1aI", 200) + strings.Repeat("E", 200), ""},
	} {
		got, ok := mapping.DemangleType(tt.mangled)
		assert.Equal(t, tt.want, got, tt.mangled)
		assert.Equal(t, tt.want != "", ok, tt.mangled)
	}
}

// Each substitution doubles the name. The reader gives up before it is large.
func TestDemangleTypeIsBounded(t *testing.T) {
	name := "1aIi"
	for range 30 {
		name = "1aI" + name + "S_"
	}
	got, _ := mapping.DemangleType(name + strings.Repeat("E", 31))
	assert.LessOrEqual(t, len(got), 16<<10)
}

func FuzzDemangleType(f *testing.F) {
	for _, s := range []string{"9BankError", "N4bank3ErrIiEE", "PFiicE", "Z5localIiEPKcvE1L", "MN1aEKFviE", "A3_i"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, ok := mapping.DemangleType(s)
		assert.Equal(t, ok, name != "")
		assert.LessOrEqual(t, len(name), 64<<10)
	})
}
