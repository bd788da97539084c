package mapping

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDateTimeText(t *testing.T) {
	// The first value is ThreadsApp's, as netcoredbg shows the field.
	assert.Equal(t, "2026-11-27T12:34:56Z", DateTimeText(5250999815387387904))
	assert.Equal(t, "0001-01-01T00:00:00", DateTimeText(0))
	assert.Equal(t, "9999-12-31T23:59:59.9999999", DateTimeText(3155378975999999999))
	assert.Equal(t, "1970-01-01T00:00:00.0000001 (local)", DateTimeText(2<<62|unixTicks+1))
	assert.Equal(t, "1970-01-01T05:30:00+05:30", DateTimeOffsetText(unixTicks, 330))
	assert.Equal(t, "1969-12-31T23:00:00-01:00", DateTimeOffsetText(unixTicks, -60))
	assert.Equal(t, "2026-11-27", DateOnlyText(739946))
}

func TestTimeSpanText(t *testing.T) {
	assert.Equal(t, "00:00:01.5000000", TimeSpanText(15_000_000))
	assert.Equal(t, "-1.00:00:00", TimeSpanText(-86400*ticksPerSecond))
	assert.Equal(t, "-10675199.02:48:05.4775808", TimeSpanText(math.MinInt64))
}

func TestGuidText(t *testing.T) {
	fields := map[string]string{
		"_a": "286335522", "_b": "13107", "_c": "17476", "_d": "85", "_e": "85", "_f": "102", "_g": "102", "_h": "119",
		"_i": "119", "_j": "136", "_k": "136",
	}
	get := func(name string) (string, bool) { v, ok := fields[name]; return v, ok }
	assert.Equal(t, "11112222-3333-4444-5555-666677778888", GuidText(get))
	fields["_a"] = "-1"
	assert.Equal(t, "ffffffff-3333-4444-5555-666677778888", GuidText(get))
	delete(fields, "_k")
	assert.Empty(t, GuidText(get))
}

func TestArrayText(t *testing.T) {
	tests := []struct {
		in, text string
		count    int
		ok       bool
	}{
		{"{int[2500]}", "int[2500]", 2500, true},
		{"{int[2, 3]}", "int[2, 3]", 6, true},
		{"{string[0]}", "string[0]", 0, true},
		{"{A.Dict<string, int>.Entry[3]}", "A.Dict<string, int>.Entry[3]", 3, true},
		{"{int[3][]}", "int[3][]", 3, true},
		{"{int[2, 3][,][]}", "int[2, 3][,][]", 6, true},
		{"{A.B}", "", 0, false},
		{"[1]", "", 0, false},
		{"{int[99999999999999999999]}", "", 0, false},
	}
	for _, tt := range tests {
		text, count, ok := ArrayText(tt.in)
		assert.Equal(t, tt.ok, ok, tt.in)
		assert.Equal(t, tt.text, text)
		assert.Equal(t, tt.count, count)
	}
}

func TestSimpleTexts(t *testing.T) {
	assert.Equal(t, `'Z'`, CharText(`90 'Z'`))
	assert.Equal(t, `'\''`, CharText(`39 '\''`))
	assert.Equal(t, `7`, CharText(`7`))
	assert.Equal(t, "NaN", FloatText("-nan"))
	assert.Equal(t, "-Infinity", FloatText("-inf"))
	assert.Equal(t, "0.5", FloatText("0.5"))
	name, args := GenericType("System.Collections.Generic.Dictionary<string, System.Collections.Generic.List<int>>")
	assert.Equal(t, "System.Collections.Generic.Dictionary", name)
	assert.Equal(t, "string, System.Collections.Generic.List<int>", args)
	name, args = GenericType("System.Collections.Generic.Dictionary<string, int>.Entry")
	assert.Equal(t, "System.Collections.Generic.Dictionary<string, int>.Entry", name)
	assert.Empty(t, args)
}
