package mapping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPieces(t *testing.T) {
	tests := []struct {
		in   string
		most int
		want []string
	}{
		{`"abcde"`, 3, []string{`"abc"`, `"de"`}},
		{`"ab\ncd"`, 3, []string{`"ab"`, `"\nc"`, `"d"`}},
		{`"a\\\\b"`, 4, []string{`"a\\"`, `"\\b"`}},
		{`"ab\u00e9x"`, 6, []string{`"ab"`, `"\u00e9"`, `"x"`}},
		{`'日本語'`, 2, []string{`'日本'`, `'語'`}},
		{`plain`, 3, []string{`pla`, `in`}},
		{`""`, 3, nil},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, Pieces(tt.in, tt.most), tt.in)
	}
	long := strings.Repeat(`\n`, 3000)
	assert.Equal(t, long, strings.Join(Pieces(long, 1024), ""))
}

func TestUTF16Length(t *testing.T) {
	assert.Equal(t, 24, UTF16Length(`"héllo 世界 😀\r\nsecond line"`))
	assert.Equal(t, 0, UTF16Length(`""`))
	assert.Equal(t, 3, UTF16Length(`"\u00e9\U0001F600"`))
}
