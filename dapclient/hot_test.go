package dapclient

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

// Hand-written decoding gives the same as encoding/json, over all messages of all recordings.
func TestHotBodiesAreReadAsByEncodingJSON(t *testing.T) {
	files, err := filepath.Glob("../fixtures/transcripts/*/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[string]int{}
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var line struct {
				Dir string          `json:"dir"`
				Msg json.RawMessage `json:"msg"`
			}
			if json.Unmarshal(lines.Bytes(), &line) != nil || line.Dir != "recv" || line.Msg == nil {
				continue
			}
			m, err := Decode(line.Msg)
			if err != nil {
				continue
			}
			switch {
			case m.Kind == KindEvent && m.Name == "stopped":
				want, err := DecodeBody[Stopped](m)
				require.NoError(t, err)
				require.Equal(t, want, DecodeStopped(m), "%s", m.Raw)
			case m.Kind == KindResponse && m.Name == "stackTrace" && m.Success:
				want, err := DecodeBody[dap.StackTraceResponseBody](m)
				require.NoError(t, err)
				top := DecodeTopFrame(m)
				if len(want.StackFrames) == 0 {
					require.Nil(t, top)
					continue
				}
				require.Equal(t, &want.StackFrames[0], top, "%s", m.Raw)
			case m.Kind == KindResponse && m.Name == "threads" && m.Success:
				want, err := DecodeBody[dap.ThreadsResponseBody](m)
				require.NoError(t, err)
				require.ElementsMatch(t, want.Threads, DecodeThreads(m), "%s", m.Raw) // nil equals an empty list
			case m.Kind == KindResponse && m.Name == "evaluate" && m.Success:
				want, err := DecodeBody[dap.EvaluateResponseBody](m)
				require.NoError(t, err)
				want.PresentationHint = nil // not decoded
				require.Equal(t, want, DecodeEvaluation(m), "%s", m.Raw)
			default:
				continue
			}
			seen[m.Name]++
		}
		require.NoError(t, lines.Err())
		f.Close()
	}
	require.Greater(t, seen["stopped"], 1000)
	require.Greater(t, seen["stackTrace"], 1000)
	require.Greater(t, seen["evaluate"], 1000)
	require.Greater(t, seen["threads"], 30)
}

func TestHotBodiesThatAreStrange(t *testing.T) {
	for _, body := range []string{``, `null`, `[]`, `{}`,
		`{"threadId":"12","reason":5,"hitBreakpointIds":["3",4,null]}`, `{"stackFrames":null}`, `{"stackFrames":[null]}`,
		`{"threads":null}`, `{"threads":[null,{"id":"1","name":null}]}`,
	} {
		m := &Message{Body: []byte(body)}
		DecodeTopFrame(m)
		DecodeEvaluation(m)
		DecodeThreads(m)
		s := DecodeStopped(m)
		if s.ThreadID != nil {
			require.Equal(t, 12, *s.ThreadID, "a number in a string")
			require.Equal(t, []int{3, 4}, s.HitBreakpointIDs)
		}
	}
}

func TestHotArgumentsAreWrittenAsByEncodingJSON(t *testing.T) {
	zero, seven := 0, 7
	for _, args := range []appender{
		ContinueArguments{ThreadID: 12}, StackTraceArguments{ThreadID: 1, StartFrame: 2, Levels: 3},
		EvaluateArguments{Expression: "a\"b\\c\nd\u2028é\x01<&>"}, EvaluateArguments{FrameID: &zero, Context: "watch"},
		EvaluateArguments{Expression: "x", FrameID: &seven, Format: &dap.ValueFormat{Hex: true}},
		EvaluateArguments{Format: &dap.ValueFormat{}},
	} {
		want, err := json.Marshal(args)
		require.NoError(t, err)
		got := args.appendArguments(nil)
		if e, ok := args.(EvaluateArguments); ok && e.Format != nil && !e.Format.Hex {
			require.JSONEq(t, `{"expression":""}`, string(got))
			continue
		}
		require.JSONEq(t, string(want), string(got))
	}
}
