package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOpaque(t *testing.T) {
	for _, tt := range []struct {
		value, typ string
		want       bool
	}{
		{"Pt @ 0x7fffffffe280", "Pt", true},
		{"std::pair<const std::basic_string<char>, int> @ 0x55555556eed0", "std::pair<int, int>", true},
		{"int[2][3] @ 0x7fffffffdca0", "int[2][3]", true},
		{"0x00007fffffffe030", "Node &", true},
		{"7", "int &", false},
		{`"a @ 0x12"`, "std::string", false},
		{"size=2", "std::vector<int>", false},
		{"0x00007fffffffe030", "Node *", false},
		{" Has Value=true ", "std::optional<int>", true},
		{" Has Value=false ", "std::optional<int>", false},
		{" Active Type = int ", "std::variant<int>", true},
	} {
		assert.Equal(t, tt.want, Opaque(tt.value, tt.typ), "%s of type %s", tt.value, tt.typ)
	}
}

func TestMembers(t *testing.T) {
	assert.Equal(t, "{}", Members(nil, false, 100))
	assert.Equal(t, "{...}", Members(nil, true, 100))
	assert.Equal(t, "{x: 3, y: 9}", Members([]Member{{"x", "3"}, {"y", "9"}}, false, 100))
	assert.Equal(t, "{1, 2, ...}", Members([]Member{{"[0]", "1"}, {"[1]", "2"}}, true, 100))
	assert.Equal(t, "{5}", Members([]Member{{"", "5"}}, false, 100), "an anonymous union")
	assert.Equal(t, "{x: 3, ...}", Members([]Member{{"x", "3"}, {"y", "999"}}, false, 8))
	assert.Equal(t, "{text: long}", Members([]Member{{"text", "long"}}, false, 1), "the first is always shown")
}

func TestWithoutAddress(t *testing.T) {
	assert.Equal(t, `"two"`, WithoutAddress(`0x0000555555564017 "two"`))
	assert.Equal(t, "0x0000555555564017", WithoutAddress("0x0000555555564017"))
	assert.Equal(t, `"0x12 \"x\""`, WithoutAddress(`"0x12 \"x\""`))
}

func TestBaseClass(t *testing.T) {
	assert.True(t, BaseClass("Shape", "Shape"))
	assert.True(t, BaseClass("std::_Tuple_impl<0, int>", "std::_Tuple_impl<0, int>"))
	assert.False(t, BaseClass("x", "double"))
	assert.False(t, BaseClass("", "Deep::(unnamed union)"))
}
