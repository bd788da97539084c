package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient/transcript"
)

// TestRequestsThatChangedNothing: a client need not repeat a failed start, a pause of a stopped program or a continue
// of a running one.
func TestRequestsThatChangedNothing(t *testing.T) {
	rec := load(t,
		`> {"seq":1,"type":"request","command":"initialize"}`,
		`< {"seq":1,"type":"response","request_seq":1,"success":true,"command":"initialize"}`,
		`> {"seq":2,"type":"request","command":"launch","arguments":{"program":"wrong"}}`,
		`< {"seq":2,"type":"response","request_seq":2,"success":false,"command":"launch","message":"no such program"}`,
		`> {"seq":3,"type":"request","command":"launch","arguments":{"program":"right"}}`,
		`< {"seq":3,"type":"response","request_seq":3,"success":true,"command":"launch"}`,
		`> {"seq":4,"type":"request","command":"configurationDone"}`,
		`< {"seq":4,"type":"response","request_seq":4,"success":true,"command":"configurationDone"}`,
		`> {"seq":5,"type":"request","command":"continue","arguments":{"threadId":7}}`,
		`< {"seq":5,"type":"response","request_seq":5,"success":true,"command":"continue"}`,
		`< {"seq":6,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":7}}`,
		`> {"seq":6,"type":"request","command":"pause","arguments":{"threadId":7}}`,
		`< {"seq":7,"type":"response","request_seq":6,"success":true,"command":"pause"}`,
		`> {"seq":7,"type":"request","command":"evaluate","arguments":{"expression":"a"}}`,
		`< {"seq":8,"type":"response","request_seq":7,"success":true,"command":"evaluate","body":{"result":"1"}}`,
		`> {"seq":8,"type":"request","command":"next","arguments":{"threadId":7}}`,
		`< {"seq":9,"type":"response","request_seq":8,"success":true,"command":"next"}`,
		`< {"seq":10,"type":"event","event":"stopped","body":{"reason":"step","threadId":7}}`,
	)
	t.Run("left out", func(t *testing.T) {
		d := drive(t, rec, transcript.PlayOptions{})
		d.call("initialize", "")
		require.True(t, d.call("launch", `{"program":"other"}`).Success)
		require.True(t, d.call("configurationDone", "").Success)
		require.NotNil(t, d.last("stopped"))
		assert.Contains(t, string(d.call("evaluate", `{"expression":"a"}`).Body), `"1"`)
		require.True(t, d.call("next", `{"threadId":7}`).Success)
		assert.Contains(t, string(d.last("stopped").Body), `"step"`)
	})
	t.Run("asked", func(t *testing.T) {
		d := drive(t, rec, transcript.PlayOptions{})
		d.call("initialize", "")
		assert.Equal(t, "no such program", d.call("launch", `{"program":"wrong"}`).Text)
		require.True(t, d.call("launch", `{"program":"wrong"}`).Success, "once")
		require.True(t, d.call("configurationDone", "").Success)
		require.True(t, d.call("continue", `{"threadId":7}`).Success)
		require.True(t, d.call("pause", `{"threadId":7}`).Success)
		require.True(t, d.call("next", `{"threadId":7}`).Success)
	})
}
