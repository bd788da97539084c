package tracepoints

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseHitCondition(t *testing.T) {
	tests := []struct {
		name, in, want string
		matches        []uint64 // of 1..12
	}{
		{"number", "5", "==5", []uint64{5}},
		{"equal", "==5", "==5", []uint64{5}},
		{"at least", ">=10", ">=10", []uint64{10, 11, 12}},
		{"more", ">10", ">10", []uint64{11, 12}},
		{"less", "<3", "<3", []uint64{1, 2}},
		{"at most", "<=3", "<=3", []uint64{1, 2, 3}},
		{"every", "%5", "%5", []uint64{5, 10}},
		{"every one", "%1", "%1", []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"spaces", "  >=  11 ", ">=11", []uint64{11, 12}},
		{"tab", "%\t6", "%6", []uint64{6, 12}},
		{"leading zeros", "007", "==7", []uint64{7}},
		{"never", "==0", "==0", nil},
		{"largest", ">18446744073709551615", ">18446744073709551615", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := ParseHitCondition(tt.in)
			require.NoError(t, err)
			assert.Equal(t, tt.want, h.String())
			assert.False(t, h.IsZero())
			var matches []uint64
			for n := uint64(1); n <= 12; n++ {
				if h.Match(n) {
					matches = append(matches, n)
				}
			}
			assert.Equal(t, tt.matches, matches)
		})
	}
}

func TestParseHitConditionErrors(t *testing.T) {
	for _, in := range []string{
		"", "  ", "abc", "==", "> ", "%", "%0", "=5", "!=5", "5.5", "-5", "+5", "5 5", ">=>5", "= =5", "% 5 x", "0x5", "5th",
		"18446744073709551616", "i > 5", "٥",
	} {
		t.Run(in, func(t *testing.T) {
			_, err := ParseHitCondition(in)
			require.ErrorContains(t, err, "write 5, ==5, >=5, >5, <5, <=5 or %5")
		})
	}
}

func TestNoHitConditionMatchesAlways(t *testing.T) {
	assert.True(t, HitCondition{}.Match(1))
	assert.True(t, HitCondition{}.IsZero())
	assert.Empty(t, HitCondition{}.String())
}

func FuzzParseHitCondition(f *testing.F) {
	for _, s := range []string{"5", "==5", ">= 5", "%0", "<", "abc", "99999999999999999999"} {
		f.Add(s, uint64(5))
	}
	f.Fuzz(func(t *testing.T, s string, n uint64) {
		h, err := ParseHitCondition(s)
		if err != nil {
			return
		}
		again, err := ParseHitCondition(h.String())
		require.NoError(t, err)
		require.Equal(t, h, again)
		require.Equal(t, h.Match(n), again.Match(n))
	})
}
