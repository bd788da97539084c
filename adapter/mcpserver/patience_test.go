package mcpserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPatience(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name              string
		wait              *bool
		certain, possible bool
		left, want        time.Duration
	}{
		{"asked to wait", &yes, false, false, 30 * time.Second, 30 * time.Second},
		{"asked to wait for the entry", &yes, true, false, 30 * time.Second, 30 * time.Second},
		{"asked to wait, no time left", &yes, false, true, -time.Second, -time.Second},
		{"asked not to wait", &no, false, true, 30 * time.Second, 250 * time.Millisecond},
		{"asked not to wait, at the entry", &no, true, true, 30 * time.Second, 10 * time.Second},
		{"with a breakpoint", nil, false, true, 30 * time.Second, 2 * time.Second},
		{"with a breakpoint, little time left", nil, false, true, time.Second, time.Second},
		{"without a breakpoint", nil, false, false, 30 * time.Second, 250 * time.Millisecond},
		{"at the entry", nil, true, true, 30 * time.Second, 10 * time.Second},
		{"at the entry, little time left", nil, true, false, time.Second, time.Second},
		{"at the entry, no time left", nil, true, false, -time.Second, 250 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, patience(tt.wait, tt.certain, tt.possible, tt.left))
		})
	}
}
