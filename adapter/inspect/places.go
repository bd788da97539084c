package inspect

import (
	"maps"
	"sync"

	"github.com/google/go-dap"
)

// node is a value as the debugger gave it, with its container.
type node struct {
	dap.Variable
	container int // the variablesReference of its parent; 0 for an evaluated value
}

// places caches the values that were shown at the current stop, by frame and path. A path can then be expanded or set
// without another question; some paths mean nothing to the debugger's evaluator.
type places struct {
	mu    sync.Mutex
	epoch uint64
	known map[int]map[string]node // by frame id and path
	shown map[string]uint64       // by path: seq of the last stop that showed it
}

// mostShown is how many paths of earlier stops are remembered.
const mostShown = 20_000

func (p *places) put(epoch, stop uint64, frame int, path string, n node) {
	if epoch == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown == nil {
		p.shown = map[string]uint64{}
	}
	if len(p.shown) >= mostShown && p.shown[path] == 0 {
		maps.DeleteFunc(p.shown, func(_ string, seq uint64) bool { return seq != stop })
	}
	p.shown[path] = stop
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

// isOld reports whether a path belongs to an earlier stop: one showed it, and this stop has shown neither the path nor
// a value that it leads through.
func (p *places) isOld(stop uint64, path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.shown[path]; at == 0 || at == stop {
		return false
	}
	for through, at := range p.shown {
		if at == stop && within(path, through) {
			return false
		}
	}
	return true
}

// forget drops the values when they may have changed although the program has not run.
func (p *places) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = nil
}
