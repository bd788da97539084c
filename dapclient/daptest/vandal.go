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

// Fault is one kind of an adapter's misbehaviour.
type Fault string

// The faults. The first group is allowed but unusual. The second group is wrong content. The third ends the
// connection or leaves a request unanswered.
const (
	FaultSplit   Fault = "split"   // frames arrive in pieces
	FaultDelay   Fault = "delay"   // short pauses
	FaultReorder Fault = "reorder" // an answer comes after the next message, or after the next answer
	FaultAround  Fault = "around"  // meaningless events directly before and after answers
	FaultHeaders Fault = "headers" // headers that the protocol allows but nobody writes
	FaultFlood   Fault = "flood"   // endless output
	FaultHog     Fault = "hog"     // large output
	FaultHuge    Fault = "huge"    // one body of several MiB
	FaultNoise   Fault = "noise"   // bodies that are not messages

	FaultUnknown Fault = "unknown" // answers to requests that nobody has sent
	FaultTwice   Fault = "twice"   // answers repeated, at once or later
	FaultCommand Fault = "command" // answers with another command
	FaultForged  Fault = "forged"  // answers with another request's body
	FaultThreads Fault = "threads" // wrong thread ids
	FaultFrames  Fault = "frames"  // wrong frame ids
	FaultBinding Fault = "binding" // wrong ids of breakpoints, and events about breakpoints that do not exist

	FaultMute   Fault = "mute"   // one answer never comes
	FaultCut    Fault = "cut"    // the end, at any byte
	FaultBroken Fault = "broken" // an invalid frame: lengths above the limit, below zero, not numbers, missing
)

// rarity n means that one of n vandals has the fault.
var rarity = map[Fault]int{FaultHuge: 40, FaultFlood: 5, FaultHog: 6, FaultForged: 8, FaultThreads: 8, FaultFrames: 8,
	FaultBinding: 6, FaultMute: 25, FaultCut: 4, FaultBroken: 6}

// Faults lists all faults. A seed depends on their order.
var Faults = []Fault{
	FaultSplit, FaultDelay, FaultReorder, FaultAround, FaultHeaders, FaultFlood, FaultHog, FaultHuge, FaultNoise,
	FaultUnknown, FaultTwice,
	FaultCommand, FaultForged, FaultThreads, FaultFrames, FaultBinding, FaultMute, FaultCut, FaultBroken,
}

// Vandal changes at random what an adapter sends. The same seed changes the same messages in the same way, and
// excluding a fault does not affect the others.
type Vandal struct {
	on     map[Fault]*rand.Rand // each fault has its own, used by the stream's goroutine
	at     int                  // the message at which the connection ends or an answer is omitted
	closed chan struct{}
	once   sync.Once
}

// NewVandal selects faults by the seed; with only, from these alone.
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

// Faults returns the faults of the vandal.
func (v *Vandal) Faults() (faults []Fault) {
	for _, f := range Faults {
		if v.Has(f) {
			faults = append(faults, f)
		}
	}
	return faults
}

// Closed returns a channel that is closed when the client has closed its stream, which ends the adapter's input.
func (v *Vandal) Closed() <-chan struct{} { return v.closed }

// chance is true once in n times on average, and never without the fault.
func (v *Vandal) chance(f Fault, n int) bool {
	r := v.on[f]
	return r != nil && r.IntN(n) == 0
}

// Between returns the client's end of a stream from an adapter with the vandal's faults, and owns the stream from
// then on. It is for one stream. One goroutine reads the adapter. It ends with the adapter, or when the client
// closes.
func (v *Vandal) Between(stream io.ReadWriteCloser) io.ReadWriteCloser {
	s := &spoiled{v: v, stream: stream, out: mempipe.NewBuffer()}
	if r := v.on[FaultSplit]; r != nil {
		s.out.Chunk(r.Uint64())
	}
	go s.run()
	return s
}

// spoiled is the stream with the faults.
type spoiled struct {
	v        *Vandal
	stream   io.ReadWriteCloser
	out      *mempipe.Buffer
	messages int
	muted    bool     // an answer was omitted
	answers  [][]byte // sent before
	bodies   [][]byte // of answers

	mu   sync.Mutex
	held []byte // an answer that waits for the next message
	wait bool   // wait for the next answer
}

// Read returns the bytes that have passed.
func (s *spoiled) Read(p []byte) (int, error) { return s.out.Read(p) }

// Write sends to the adapter without a change.
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

// ends ends the connection if this message is the one where it must end.
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

// pass passes on one message.
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

// hold keeps an answer until another message has come, or for a short time.
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
	_, _ = s.out.Write(s.held) // errors do not matter after the client has gone
	s.held = nil
}

func (s *spoiled) write(p []byte) {
	if len(p) > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = s.out.Write(p)
	}
}
