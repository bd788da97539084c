package dapclient

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBelow(t *testing.T) {
	all := []relative{{1, 0, "a"}, {2, 1, "b"}, {5, 3, "e"}, {3, 2, "c"}, {4, 1, "d"}, {6, 6, "f"}, {7, 8, "g"},
		{8, 7, "h"}}
	for _, tt := range []struct {
		name string
		pid  int
		want []ProcInfo
	}{
		{"children and theirs", 2, []ProcInfo{{Pid: 3, Start: "c"}, {Pid: 5, Start: "e"}}},
		{"none", 5, nil},
		{"unknown", 99, nil},
		{"its own parent", 6, nil},
		{"a ring of numbers read at different times", 7, []ProcInfo{{Pid: 8, Start: "h"}}},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, below(all, tt.pid)) })
	}
}
