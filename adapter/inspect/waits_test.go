package inspect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/inspect"
)

func TestDeadlocked(t *testing.T) {
	by := func(holders ...int) inspect.Wait { return inspect.Wait{HeldBy: holders} }
	for _, row := range []struct {
		name  string
		waits map[int]inspect.Wait
		want  []int
	}{
		{"nobody waits", nil, nil},
		{"a holder that runs", map[int]inspect.Wait{1: by(2), 3: by(2)}, nil},
		{"two wait for each other", map[int]inspect.Wait{1: by(2), 2: by(1), 4: by(5)}, []int{1, 2}},
		{"one waits for a circle", map[int]inspect.Wait{1: by(2), 2: by(1), 3: by(1)}, []int{1, 2, 3}},
		{"one of several holders runs", map[int]inspect.Wait{1: by(2, 3), 2: by(1)}, nil},
		{"all holders are in it", map[int]inspect.Wait{1: by(2, 3), 2: by(1), 3: by(2)}, []int{1, 2, 3}},
		{"a holder waits for what nobody holds", map[int]inspect.Wait{1: by(2), 2: by()}, nil},
	} {
		require.Equal(t, row.want, inspect.Deadlocked(row.waits), row.name)
	}
}
