package mcptest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"breakwire/adapter"
	"breakwire/dapclient"
)

// Live is a manager of the debuggers of this machine. When the test fails, the last DAP frames of each session are
// logged: they tell who waited for whom. A benchmark records nothing.
func Live(t testing.TB, o adapter.Options) *adapter.Manager {
	if _, benchmark := t.(*testing.B); benchmark {
		return adapter.NewManager(o)
	}
	o.Backends.Record = func(session, backend, _ string) (dapclient.Recorder, error) {
		last := &lastFrames{began: time.Now()}
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("the last frames of %s (%s):\n%s", session, backend, last)
			}
		})
		return last, nil
	}
	return adapter.NewManager(o)
}

// lastFrames keeps the last frames of a session, each with the time since its start.
type lastFrames struct {
	began time.Time
	mu    sync.Mutex
	kept  [80]string
	next  int // counts all frames
}

func (f *lastFrames) Record(dir dapclient.Direction, body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept[f.next%len(f.kept)] = fmt.Sprintf("%9.3f s %s %.600s", time.Since(f.began).Seconds(), dir, body)
	f.next++
}

func (f *lastFrames) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next <= len(f.kept) {
		return strings.Join(f.kept[:f.next], "\n")
	}
	at := f.next % len(f.kept)
	return strings.Join(append(append([]string{}, f.kept[at:]...), f.kept[:at]...), "\n")
}
