package adapter

import (
	"sync"

	"github.com/google/go-dap"
)

// node is a value as the backend gave it, and where it came from.
type node struct {
	dap.Variable
	container int // the reference whose child it is, 0 for one that was evaluated
}

// places remembers the values that have been shown at the current stop, by frame and path, so that a path can be
// expanded or set without asking again what it means; some paths mean nothing to the backend's evaluator.
type places struct {
	mu    sync.Mutex
	epoch uint64
	known map[int]map[string]node // frame id, path
}

func (p *places) put(epoch uint64, frame int, path string, n node) {
	if epoch == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.epoch != epoch || p.known == nil {
		p.epoch, p.known = epoch, map[int]map[string]node{}
	}
	if p.known[frame] == nil {
		p.known[frame] = map[string]node{}
	}
	p.known[frame][path] = n
}

func (p *places) get(epoch uint64, frame int, path string) (node, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.epoch != epoch || epoch == 0 {
		return node{}, false
	}
	n, ok := p.known[frame][path]
	return n, ok
}

// forget is called when values may have changed although the program has not run on.
func (p *places) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = nil
}
