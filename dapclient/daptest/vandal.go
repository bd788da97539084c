package daptest

import (
	"bufio"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/mempipe"
)

// Fault is one way in which an adapter misbehaves.
type Fault string

// The faults. The first ones are allowed, if unusual; then come lies; the last ones end the connection or leave a
// question open.
const (
	FaultSplit   Fault = "split"   // frames arrive in pieces
	FaultDelay   Fault = "delay"   // a moment of silence now and then
	FaultReorder Fault = "reorder" // an answer comes after the next message, or after the next answer
	FaultAround  Fault = "around"  // events that mean nothing, right before and after answers
	FaultHeaders Fault = "headers" // headers as the protocol allows them, and nobody writes them
	FaultFlood   Fault = "flood"   // output without end
	FaultHog     Fault = "hog"     // large output
	FaultHuge    Fault = "huge"    // one body of several MiB
	FaultNoise   Fault = "noise"   // bodies that are no messages

	FaultUnknown Fault = "unknown" // answers to questions that nobody has asked
	FaultTwice   Fault = "twice"   // answers given again, at once or later
	FaultCommand Fault = "command" // answers that name another command
	FaultForged  Fault = "forged"  // answers with another question's body
	FaultThreads Fault = "threads" // wrong thread ids
	FaultFrames  Fault = "frames"  // wrong frame ids
	FaultBinding Fault = "binding" // wrong ids of breakpoints, and events about breakpoints that are not there

	FaultMute   Fault = "mute"   // one answer never comes
	FaultCut    Fault = "cut"    // the end, at any byte
	FaultBroken Fault = "broken" // a frame that is none: lengths above the limit, below zero, not numbers, none at all
)

// rarity is in how many vandals one has the fault.
var rarity = map[Fault]int{FaultHuge: 40, FaultFlood: 5, FaultHog: 6, FaultForged: 8, FaultThreads: 8, FaultFrames: 8,
	FaultBinding: 6, FaultMute: 25, FaultCut: 4, FaultBroken: 6}

// Faults are all of them. Their order is part of what a seed means.
var Faults = []Fault{
	FaultSplit, FaultDelay, FaultReorder, FaultAround, FaultHeaders, FaultFlood, FaultHog, FaultHuge, FaultNoise,
	FaultUnknown, FaultTwice,
	FaultCommand, FaultForged, FaultThreads, FaultFrames, FaultBinding, FaultMute, FaultCut, FaultBroken,
}

// Vandal spoils what an adapter sends, by chance. The same seed spoils the same messages in the same way, and a fault
// that is left out changes nothing in the others.
type Vandal struct {
	on     map[Fault]*rand.Rand // each fault has its own, owned by the goroutine of the stream
	at     int                  // the message at which the connection ends or an answer is left out
	closed chan struct{}
	once   sync.Once
}

// NewVandal chooses faults by the seed; with only, no others than these.
func NewVandal(seed uint64, only ...Fault) *Vandal {
	r := rand.New(rand.NewPCG(seed, 0))
	v := &Vandal{on: map[Fault]*rand.Rand{}, closed: make(chan struct{})}
	for i, f := range Faults {
		n := 3
		if rarity[f] > 0 {
			n = rarity[f]
		}
		if r.IntN(n) == 0 && (len(only) == 0 || slices.Contains(only, f)) {
			v.on[f] = rand.New(rand.NewPCG(seed, uint64(i)+1))
		}
	}
	v.at = 1 + r.IntN(80)
	return v
}

// Has reports whether the vandal has one of these faults.
func (v *Vandal) Has(faults ...Fault) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return v.on[f] != nil })
}

// Faults are those that the vandal has.
func (v *Vandal) Faults() (faults []Fault) {
	for _, f := range Faults {
		if v.Has(f) {
			faults = append(faults, f)
		}
	}
	return faults
}

// Closed is closed when the client has closed its stream, which is the end of the adapter's input.
func (v *Vandal) Closed() <-chan struct{} { return v.closed }

// chance is one in n, and never without the fault.
func (v *Vandal) chance(f Fault, n int) bool {
	r := v.on[f]
	return r != nil && r.IntN(n) == 0
}

// Between puts the vandal between a stream from an adapter, which it owns from then on, and the client. It is for one
// stream. One goroutine reads the adapter; it ends with it, or when the client closes.
func (v *Vandal) Between(stream io.ReadWriteCloser) io.ReadWriteCloser {
	s := &spoiled{v: v, stream: stream, out: mempipe.NewBuffer()}
	if r := v.on[FaultSplit]; r != nil {
		s.out.Chunk(r.Uint64())
	}
	go s.run()
	return s
}

// spoiled is the stream between.
type spoiled struct {
	v        *Vandal
	stream   io.ReadWriteCloser
	out      *mempipe.Buffer
	messages int
	muted    bool     // an answer has been left out
	answers  [][]byte // given already
	bodies   [][]byte // of answers

	mu   sync.Mutex
	held []byte // an answer that waits for the next message
	wait bool   // for the next answer
}

// Read returns what has come through.
func (s *spoiled) Read(p []byte) (int, error) { return s.out.Read(p) }

// Write goes to the adapter as it is.
func (s *spoiled) Write(p []byte) (int, error) { return s.stream.Write(p) }

// Close ends both sides.
func (s *spoiled) Close() error {
	s.v.once.Do(func() { close(s.v.closed) })
	err := s.stream.Close()
	s.out.CloseBuffer(true)
	return err
}

func (s *spoiled) run() {
	defer func() {
		s.release()
		s.out.CloseBuffer(false)
		s.stream.Close()
	}()
	r := bufio.NewReaderSize(s.stream, 64<<10)
	for {
		raw, err := dapclient.ReadFrame(r, 0)
		if err != nil {
			return
		}
		s.messages++
		if s.messages >= s.v.at && s.ends(raw) {
			return
		}
		if r := s.v.on[FaultDelay]; r != nil && r.IntN(8) == 0 {
			<-time.After(time.Duration(r.IntN(2000)) * time.Microsecond)
		}
		s.pass(raw)
	}
}

// ends ends the connection, if it is to end here.
func (s *spoiled) ends(raw []byte) bool {
	switch cut, broken := s.v.on[FaultCut], s.v.on[FaultBroken]; {
	case cut != nil:
		frame := dapclient.AppendFrame(nil, raw)
		s.write(frame[:cut.IntN(len(frame)+1)])
	case broken != nil:
		s.write([]byte(brokenFrames[broken.IntN(len(brokenFrames))]))
	default:
		return false
	}
	return true
}

// pass hands one message on.
func (s *spoiled) pass(raw []byte) {
	m, err := dapclient.Decode(raw)
	answer := err == nil && m.Kind == dapclient.KindResponse
	if answer && !s.muted && s.v.Has(FaultMute) && s.messages >= s.v.at {
		s.muted = true
		return
	}
	frame := s.v.frame(s.lie(m, raw))
	s.write(s.before(answer))
	if r := s.v.on[FaultReorder]; answer && r != nil && r.IntN(3) == 0 && s.hold(frame, r) {
		return
	}
	s.write(frame)
	s.write(s.after(answer, frame))
	s.mu.Lock()
	overtaken := s.held != nil && (answer || !s.wait)
	s.mu.Unlock()
	if overtaken {
		s.release()
	}
	if answer {
		s.answers = append(s.answers, frame)
		s.bodies = append(s.bodies, m.Body)
	}
}

// hold keeps an answer back until something else has come, or for a moment.
func (s *spoiled) hold(frame []byte, r *rand.Rand) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		return false
	}
	s.held, s.wait = frame, r.IntN(2) == 0
	time.AfterFunc(time.Duration(1+r.IntN(3000))*time.Microsecond, s.release)
	return true
}

func (s *spoiled) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.Write(s.held) // a client that has gone misses nothing
	s.held = nil
}

func (s *spoiled) write(p []byte) {
	if len(p) > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = s.out.Write(p)
	}
}
