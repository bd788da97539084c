package adapter

import (
	"context"
	"os"
	"sync"
	"time"

	"breakwire/adapter/breakpoint"
	"breakwire/dapclient"
	"breakwire/mapping/portablepdb"
)

const (
	// verdictDelay is how long after a module was reported a breakpoint in it may still become bound.
	verdictDelay = 100 * time.Millisecond
	// settleLimit bounds the wait for symbols that are being read.
	settleLimit = 2 * time.Second
	// keptSymbols is the number of modules whose symbols the process keeps.
	keptSymbols = 512
)

// symbolCache reads the portable PDBs of .NET modules. It reads each build of a module once in the process.
type symbolCache struct {
	mu     sync.Mutex
	byPath map[string]symbolFile
}

type symbolFile struct {
	size    int64
	changed time.Time
	pdb     *portablepdb.PDB
	err     error // why there are none
}

// read returns the symbols of a module.
func (c *symbolCache) read(path string) (*portablepdb.PDB, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	have, ok := c.byPath[path]
	c.mu.Unlock()
	if ok && have.size == info.Size() && have.changed.Equal(info.ModTime()) {
		return have.pdb, have.err
	}
	pdb, err := portablepdb.FromModule(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byPath == nil || len(c.byPath) >= keptSymbols {
		c.byPath = map[string]symbolFile{}
	}
	c.byPath[path] = symbolFile{info.Size(), info.ModTime(), pdb, err}
	return pdb, err
}

// symbols holds the documents that the symbols of a session's modules name. A background goroutine reads the modules,
// because neither the loop nor a client may wait for a disk.
type symbols struct {
	mu        sync.Mutex
	queue     []string
	idle      chan struct{} // closed when the queue is empty; nil when nothing is being read
	last      time.Time     // when the newest module was reported
	documents map[string][]document
	paths     []string // of documents, as the compiler wrote them
	read      map[string]bool
	flaws     []flaw
	lack      map[string]string // modules without symbols, by path: why
}

// document is a source file in the symbols of one module.
type document struct {
	pdb    *portablepdb.PDB
	path   string
	module string // its path
}

// readSymbols adds the documents of a loaded module in the background. The loop calls it.
func (s *Session) readSymbols(m Module) {
	if s.profile.Language != dapclient.DotNet || !s.backend.Local || m.Path == "" {
		return
	}
	y := &s.sources.symbols
	y.mu.Lock()
	defer y.mu.Unlock()
	y.last = time.Now()
	if m.SymbolStatus == "not_found" && m.System() || y.read[m.Path] {
		return
	}
	if y.read == nil {
		y.read = map[string]bool{}
	}
	y.read[m.Path] = true
	y.queue = append(y.queue, m.Path)
	if y.idle == nil {
		y.idle = make(chan struct{})
		s.manager.background.Go(s.readQueue)
	}
}

// readQueue reads all queued modules. Then it has the breakpoints judged again: at once for a paused program, else
// after verdictDelay.
func (s *Session) readQueue() {
	y := &s.sources.symbols
	for {
		y.mu.Lock()
		if len(y.queue) == 0 || s.life.ctx.Err() != nil {
			close(y.idle)
			y.idle, y.queue = nil, nil
			y.mu.Unlock()
			break
		}
		path := y.queue[0]
		y.queue = y.queue[1:]
		y.mu.Unlock()
		pdb, err := s.manager.symbolCache.read(path)
		y.add(path, pdb, err, s.clientPath)
		if s.hasFunctions() {
			s.readFunctions(path)
		}
	}
	s.post(s.judgeAgain)
	s.after(verdictDelay, s.judgeAgain)
}

// judgeAgain updates the bindings, unless the session is ending.
func (s *Session) judgeAgain() {
	if s.life.ending == nil {
		s.spellByDocuments()
		s.spellFunctions()
		s.rebind()
	}
}

// add takes the symbols of a module, or why there are none.
func (y *symbols) add(module string, pdb *portablepdb.PDB, err error, clientPath func(string) string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if err != nil {
		y.explain(module, err)
		return
	}
	if y.documents == nil {
		y.documents = map[string][]document{}
	}
	for _, d := range pdb.Documents() {
		key := fileKey(clientPath(d.Path))
		if len(y.documents[key]) == 0 {
			y.paths = append(y.paths, d.Path)
		}
		y.documents[key] = append(y.documents[key], document{pdb, d.Path, module})
	}
}

// files returns the documents of all modules read so far, as the compiler wrote them.
func (y *symbols) files() []string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.paths
}

// names reports whether a module read so far has a document with that client-side path.
func (y *symbols) names(file string) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	return len(y.documents[fileKey(file)]) > 0
}

// refusal reports whether the symbols name a file but have no code that begins at a line. nearest is the nearest line
// with code, 0 when the file has none. It reports false while a breakpoint there may still become bound.
func (y *symbols) refusal(file string, line int, paused bool) (nearest int, refused bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	documents := y.documents[fileKey(file)]
	if len(documents) == 0 || y.idle != nil || !paused && time.Since(y.last) < verdictDelay {
		return 0, false
	}
	for _, d := range documents {
		n, ok := d.pdb.NearestLine(d.path, line)
		switch {
		case !ok:
		case n == line:
			return 0, false // there is code: the breakpoint is unbound for another reason
		case nearest == 0 || distance(n, line) < distance(nearest, line):
			nearest = n
		}
	}
	return nearest, true
}

func distance(a, b int) int { return max(a-b, b-a) }

// Settle waits, at most settleLimit, until the symbols of the reported modules are read and breakpoints had
// verdictDelay to become bound. After that the message of an unbound breakpoint is final, also that of a refused line.
// It returns at once when every breakpoint at a line or function is bound.
func (s *Session) Settle(ctx context.Context) {
	s.explainLines(ctx)
	s.explainFunctions(ctx)
	if s.profile.Language != dapclient.DotNet || !s.unbound() {
		return
	}
	y := &s.sources.symbols
	y.mu.Lock()
	idle, last := y.idle, y.last
	y.mu.Unlock()
	if last.IsZero() {
		return // no module yet: all are pending
	}
	limit := time.NewTimer(settleLimit)
	defer limit.Stop()
	if idle != nil {
		select {
		case <-idle:
		case <-limit.C:
		case <-ctx.Done():
		case <-s.life.ended:
		}
	}
	if left := verdictDelay - time.Since(last); left > 0 && s.Snapshot().State == Running {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-s.life.ended:
		}
	}
	_, _ = onLoop(ctx, s, func(done func(struct{}, error)) {
		s.judgeAgain()
		done(struct{}{}, nil)
	})
}

// unbound reports whether a breakpoint of this session at a line or function is pending.
func (s *Session) unbound() bool {
	snap := s.Snapshot()
	for _, bp := range s.manager.registry.ForSession(s.id) {
		b := snap.Bindings[bp.ID]
		if bp.Enabled && bp.Spec.Kind != breakpoint.Exception && b != nil && b.State == breakpoint.Pending {
			return true
		}
	}
	return false
}
