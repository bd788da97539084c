package adapter

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"breakwire/dapclient"
	"breakwire/mapping"
)

// namedFiles are the source files that the debuggee has named: in frames, bound breakpoints, and the debugger's list of
// sources. A client can read no other file of this disk, except those that the symbols of .NET modules name (symbols).
// Any goroutine may use it.
type namedFiles struct {
	mu    sync.RWMutex
	paths map[string]string // by fileKey, as the debugger spells them
	asked int               // 1 + the number of modules at the last request for sources; 0: none
}

// see adds a file, as the debugger spells it. It is called for each hit, so a known file has to be cheap.
func (n *namedFiles) see(path string) {
	if path == "" || !mapping.IsAbs(path) {
		return
	}
	n.mu.RLock()
	_, known := n.paths[path]
	n.mu.RUnlock()
	if known {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.paths == nil {
		n.paths = map[string]string{}
	}
	n.paths[path] = path
}

func (n *namedFiles) list() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	list := make([]string, 0, len(n.paths))
	for _, p := range n.paths {
		list = append(list, p)
	}
	return list
}

// fileKey returns the same key for all spellings of one path. It does not read the disk.
func fileKey(path string) string {
	path = mapping.Clean(path)
	if mapping.IsWindowsPath(path) {
		return strings.ToLower(path)
	}
	return path
}

// Files returns the source files that the debuggee names, as client-side paths, sorted. It never waits for the
// debugger.
func (s *Session) Files() []string {
	byKey := s.filesByKey()
	files := make([]string, 0, len(byKey))
	for _, path := range byKey {
		files = append(files, path)
	}
	slices.Sort(files)
	return files
}

// filesByKey returns the same files by fileKey.
func (s *Session) filesByKey() map[string]string {
	byKey := map[string]string{}
	for _, path := range append(s.sources.named.list(), s.sources.symbols.files()...) {
		local := mapping.Clean(s.clientPath(path))
		byKey[fileKey(local)] = local
	}
	return byKey
}

// namedSources are the files that the program names.
type namedSources struct {
	named     namedFiles
	symbols   symbols
	functions functions
	names     functionNames
}

// askSources asks for the program's sources (DAP, LoadedSources request), at the first stop and at the next stop after
// modules were loaded. Nobody waits for the answer.
func (s *Session) askSources() {
	if !s.debugger.capabilities.SupportsLoadedSourcesRequest || s.sources.named.asked == len(s.public.modules)+1 {
		return
	}
	s.sources.named.asked = len(s.public.modules) + 1
	s.begin(func(t *turn) {
		replies, ok := t.ask(limits{total: lookTimeout}, question{command: "loadedSources"})
		if !ok || replies[0].err != nil {
			return
		}
		body, err := dapclient.DecodeBody[struct {
			Sources []struct {
				Path string `json:"path"`
			} `json:"sources"`
		}](replies[0].m)
		if err != nil {
			return
		}
		for _, source := range body.Sources {
			s.sources.named.see(source.Path)
		}
	})
}

// onLoadedSource handles a loadedSource event (DAP, LoadedSource event).
func (s *Session) onLoadedSource(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[struct {
		Reason string `json:"reason"`
		Source struct {
			Path string `json:"path"`
		} `json:"source"`
	}](m)
	if err == nil && body.Reason != "removed" {
		s.sources.named.see(body.Source.Path)
	}
}

// matchName returns the named files whose path ends with a relative name.
func matchName(byKey map[string]string, name string) []string {
	tail := "/" + strings.TrimLeft(strings.ReplaceAll(filepath.ToSlash(name), `\`, "/"), "/")
	var found []string
	for _, path := range byKey {
		slashed := strings.ReplaceAll(path, `\`, "/")
		if strings.HasSuffix(slashed, tail) || mapping.IsWindowsPath(path) &&
			strings.HasSuffix(strings.ToLower(slashed), strings.ToLower(tail)) {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found
}
