package adapter

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNextLine(t *testing.T) {
	lines := []int{3, 5, 9}
	for line, want := range map[int]int{1: 3, 3: 5, 4: 5, 6: 9, 8: 9, 9: 9, 12: 9} {
		assert.Equal(t, want, nextLine(lines, line), line)
	}
	assert.Zero(t, nextLine(nil, 4))
}
