package mcpserver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/inspect"
	"breakwire/adapter/mcpserver/jsonrpc"
)

func TestHitsAreWrittenAsTheyEncode(t *testing.T) {
	message, empty := "a \"quoted\" <text>\n\x01é", ""
	for _, h := range []adapter.Hit{
		{},
		{
			Seq: 41, SessionID: "s1", BreakpointID: "tp-2", Type: "tracepoint", ThreadID: 3120, HitCount: 5,
			Location: inspect.Location{File: "/src/a b/Program.cs", Line: 21, Column: 17, FunctionName: "A.B<T>.C()",
				ModuleName: "m"},
			Timestamp: "2026-11-27T10:30:00.123Z", LogMessage: &message, Missed: 7,
		},
		{LogMessage: &empty, Location: inspect.Location{Line: 3}, ThreadID: -1},
		{Exception: &adapter.HitException{Type: "T", Message: "m"}},
		{Exception: &adapter.HitException{Type: "T", IsFirstChance: true}},
	} {
		want, err := jsonrpc.Marshal(h)
		require.NoError(t, err)
		require.Equal(t, string(want), string(appendHit(nil, &h)))
	}
}
