package transcript_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// bodies is a Recorder that keeps the bodies.
type bodies []string

func (b *bodies) Record(_ dapclient.Direction, body []byte) { *b = append(*b, string(body)) }

func TestTap(t *testing.T) {
	frame := func(body string) string { return string(dapclient.AppendFrame(nil, []byte(body))) }
	cases := []struct {
		name, in string
		want     []string
	}{
		{"frames", frame(`{"a":1}`) + frame(`{"b":2}`), []string{`{"a":1}`, `{"b":2}`}},
		{"an empty body", frame(``) + frame(`{}`), []string{``, `{}`}},
		{"other headers", "Content-Type: x\r\ncontent-length:2\r\n\r\n{}", []string{`{}`}},
		{"line ends of LF", "Content-Length: 2\n\n{}", []string{`{}`}},
		{"text before a frame", "Hello there\n" + frame(`{}`), []string{"Hello there", `{}`}},
		{"JSON without a header", `{"seq":1}` + "\r\n\r\n" + frame(`{}`), []string{`{"seq":1}`, `{}`}},
		{"no length", "X: 1\r\n\r\n" + frame(`{}`), []string{"X: 1", `{}`}},
		{"a bad length", "Content-Length: nan\r\n\r\n" + frame(`{}`), []string{"Content-Length: nan", `{}`}},
		{"blank lines", "\r\n\r\n" + frame(`{}`), []string{`{}`}},
		{"cut in the body", "Content-Length: 20\r\n\r\n{\"cut", []string{"Content-Length: 20\r\n\r\n{\"cut"}},
		{"cut in the header", "Content-Len", []string{"Content-Len"}},
		{"binary", "\x00\xff\n\n" + frame(`{}`), []string{"\x00\xff", `{}`}},
		{"no line end", strings.Repeat("x", 20<<10) + frame(`{}`), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 1))
				var got bodies
				tap := transcript.NewTap(&got, dapclient.Sent)
				for rest := c.in; rest != ""; {
					n := min(len(rest), 1+r.IntN(30))
					if seed == 0 {
						n = len(rest)
					}
					tap.Write([]byte(rest[:n]))
					rest = rest[n:]
				}
				tap.Flush()
				if c.want != nil {
					assert.Equal(t, bodies(c.want), got, "seed %d", seed)
				} else {
					assert.GreaterOrEqual(t, len(strings.Join(got, "")), 20<<10, "nothing is lost")
				}
			}
		})
	}
}
