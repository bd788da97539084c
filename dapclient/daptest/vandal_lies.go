package daptest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"breakwire/dapclient"
)

// brokenFrames are invalid frames, after which the connection can only end.
var brokenFrames = []string{
	fmt.Sprintf("Content-Length: %d\r\n\r\n{", dapclient.DefaultMaxFrame+1),
	"Content-Length: 99999999999999999999\r\n\r\n{}",
	"Content-Length: -1\r\n\r\n",
	"Content-Length: many\r\n\r\n{}",
	"Content-Type: nothing\r\n\r\n{}",
	"a line that is no header\r\n",
	"\x00\xff\xfe\x01\r\n\r\n",
	strings.Repeat("X-Padding: and more of it\r\n", 2000),
	"Content-Length: 100000\r\n\r\n{}", // and then the end
}

// frame returns the frame of a body, with an unusual header.
func (v *Vandal) frame(body []byte) []byte {
	r := v.on[FaultHeaders]
	if r == nil {
		return dapclient.AppendFrame(nil, body)
	}
	header := []string{
		"content-length: %d\r\n\r\n",
		"Content-Length:%d\r\n\r\n",
		"CONTENT-LENGTH:   %d  \r\n\r\n",
		"Content-Length: %d\n\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		"Content-Length: %d\r\nX-Other: a:b:c\r\n\r\n",
		"\r\n\r\nContent-Length: %d\r\n\r\n",
	}[r.IntN(7)]
	return append(fmt.Appendf(nil, header, len(body)), body...)
}

var (
	commandOf      = regexp.MustCompile(`"command":"[^"]*"`)
	threadIDOf     = regexp.MustCompile(`"threadId":(-?\d+)`)
	idOf           = regexp.MustCompile(`"id":(-?\d+)`)
	hitBreakpoints = regexp.MustCompile(`"hitBreakpointIds":\[[^\]]*\]`)
)

// lie changes the content of a message.
func (s *spoiled) lie(m *dapclient.Message, raw []byte) []byte {
	v := s.v
	if m == nil {
		return raw
	}
	if r := v.on[FaultForged]; r != nil && m.Kind == dapclient.KindResponse && len(s.bodies) > 0 && r.IntN(10) == 0 {
		body := s.bodies[r.IntN(len(s.bodies))]
		if len(body) == 0 {
			body = []byte(`{}`)
		}
		return fmt.Appendf(nil, `{"seq":1,"type":"response","request_seq":%d,"success":true,"command":%q,"body":%s}`,
			m.RequestSeq, m.Name, body)
	}
	if v.chance(FaultCommand, 4) && m.Kind == dapclient.KindResponse {
		other := []string{"evaluate", "threads", "nosuch", "", "stackTrace"}[v.on[FaultCommand].IntN(5)]
		raw = commandOf.ReplaceAll(raw, []byte(`"command":"`+other+`"`))
	}
	if v.chance(FaultThreads, 8) && (m.Name == "stopped" || m.Name == "threads" || m.Name == "thread") {
		r := v.on[FaultThreads]
		raw = shifted(raw, threadIDOf, r)
		if m.Name == "threads" {
			raw = shifted(raw, idOf, r)
		}
	}
	if v.chance(FaultFrames, 6) && m.Name == "stackTrace" && m.Kind == dapclient.KindResponse {
		raw = shifted(raw, idOf, v.on[FaultFrames])
	}
	if v.chance(FaultBinding, 3) {
		switch m.Name {
		case "stopped":
			raw = hitBreakpoints.ReplaceAll(raw, []byte(`"hitBreakpointIds":[77777,-1]`))
		case "setBreakpoints", "breakpoint":
			raw = shifted(raw, idOf, v.on[FaultBinding])
		}
	}
	return raw
}

// shifted changes all numbers that match a pattern.
func shifted(raw []byte, pattern *regexp.Regexp, r *rand.Rand) []byte {
	by := []int64{1, -1, 1000, -1_000_000, 1 << 31}[r.IntN(5)]
	return pattern.ReplaceAllFunc(raw, func(match []byte) []byte {
		name, number, _ := bytes.Cut(match, []byte(":"))
		n, _ := strconv.Atoi(string(number))
		return strconv.AppendInt(append(bytes.Clone(name), ':'), int64(n)+by, 10)
	})
}

// harmless are events without an effect.
var harmless = []string{
	`{"seq":1,"type":"event","event":"com.example/unheard","body":{"a":[{}]}}`,
	`{"seq":1,"type":"event","event":"output","body":{"category":"telemetry","output":"x"}}`,
	`{"seq":1,"type":"event","event":"output","body":{"output":""}}`,
	`{"seq":1,"type":"event","event":"capabilities","body":{"capabilities":{}}}`,
	`{"seq":1,"type":"event","event":"module","body":{"reason":"changed","module":{"id":"m","name":"m"}}}`,
	`{"seq":1,"type":"event","event":"invalidated","body":{"areas":["variables"]}}`,
	`{"seq":1,"type":"event","event":"progressUpdate","body":{"progressId":"p","percentage":7}}`,
	`{"seq":1,"type":"event","event":"loadedSource","body":{"reason":"new","source":{"name":"x"}}}`,
	`{"seq":1,"type":"event","event":"memory","body":{"memoryReference":"0x0","offset":0,"count":1}}`,
}

// before returns what is sent before a message.
func (s *spoiled) before(answer bool) (out []byte) {
	v := s.v
	add := func(body string) { out = dapclient.AppendFrame(out, []byte(body)) }
	if v.chance(FaultNoise, 6) {
		add([]string{"this is no JSON", `[1,2,3]`, `{"seq":"77","type":"mystery"}`,
			`{"seq":5,"type":"event","event":"output","body":null}`, "", "null",
			`{"type":"event","event":7}`}[v.on[FaultNoise].IntN(7)])
	}
	if v.chance(FaultUnknown, 6) {
		seq := []string{"0", "-1", "999999", `"abc"`, "null", "1.5"}[v.on[FaultUnknown].IntN(6)]
		add(`{"seq":3,"type":"response","request_seq":` + seq +
			`,"command":"evaluate","success":true,"body":{"result":"666","variablesReference":0}}`)
	}
	if v.chance(FaultTwice, 6) && len(s.answers) > 0 {
		out = append(out, s.answers[v.on[FaultTwice].IntN(len(s.answers))]...)
	}
	if answer && v.chance(FaultAround, 2) {
		add(harmless[v.on[FaultAround].IntN(len(harmless))])
	}
	if v.chance(FaultBinding, 8) {
		add(`{"seq":1,"type":"event","event":"breakpoint","body":{"reason":"` +
			[]string{"removed", "changed", "new"}[v.on[FaultBinding].IntN(3)] +
			`","breakpoint":{"id":88888,"verified":false,"line":3}}}`)
	}
	if v.chance(FaultFlood, 12) {
		for range 200 {
			add(`{"seq":9,"type":"event","event":"output","body":{"category":"stdout","output":"` +
				strings.Repeat("x", 100) + `\n"}}`)
		}
	}
	if v.chance(FaultHog, 20) {
		add(`{"seq":9,"type":"event","event":"output","body":{"category":"console","output":"` +
			strings.Repeat("y", 1<<18) + `"}}`)
	}
	if v.Has(FaultHuge) && s.messages == v.at {
		add(`{"seq":9,"type":"event","event":"output","body":{"category":"stderr","output":"` +
			strings.Repeat("z", 4<<20) + `"}}`)
	}
	return out
}

// after returns what is sent after a message.
func (s *spoiled) after(answer bool, frame []byte) (out []byte) {
	if answer && s.v.chance(FaultTwice, 6) {
		out = append(out, frame...)
	}
	if answer && s.v.chance(FaultAround, 2) {
		out = dapclient.AppendFrame(out, []byte(harmless[s.v.on[FaultAround].IntN(len(harmless))]))
	}
	return out
}
