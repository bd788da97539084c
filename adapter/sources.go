package adapter

import (
	"bytes"
	"os"
	"sync"
	"time"

	"breakwire/adapter/sourcefile"
)

// sources reads source files for excerpts and line counts. It caches those read last.
type sources struct {
	mu   sync.Mutex
	kept map[sourceKey]*sourceFile
}

// sourceKey separates files that were read under different rules.
type sourceKey struct {
	file     string
	replayed bool
}

type sourceFile struct {
	text    []byte
	size    int64
	changed time.Time
	checked time.Time
}

const (
	maxSource   = 4 << 20
	keptSources = 32
	trustFor    = time.Second // how long a file is not checked again
)

func (s *sources) read(r sourcefile.Reader, file string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sourceKey{file, r.Limited}
	have := s.kept[key]
	if have != nil && time.Since(have.checked) < trustFor {
		return have.text, nil
	}
	if have != nil {
		if info, err := os.Stat(file); err == nil && have.size == info.Size() && have.changed.Equal(info.ModTime()) {
			have.checked = time.Now()
			return have.text, nil
		}
	}
	text, info, err := r.Read(file)
	if err != nil {
		return nil, err
	}
	if len(s.kept) >= keptSources {
		s.kept = nil
	}
	if s.kept == nil {
		s.kept = map[sourceKey]*sourceFile{}
	}
	s.kept[key] = &sourceFile{text: text, size: info.Size(), changed: info.ModTime(), checked: time.Now()}
	return text, nil
}

// countLines returns the number of lines of a file.
func (s *sources) countLines(file string) (int, error) {
	text, err := s.read(sourcefile.Reader{Most: maxSource}, file)
	if err != nil {
		return 0, err
	}
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n, nil
}

// reader returns the rules by which a session reads files of this machine. With a recording, files must be below the
// project root or a local side of a path map, and have the name of a source file.
func (s *Session) reader() sourcefile.Reader {
	r := sourcefile.Reader{Most: maxSource}
	if s.backend.Replayed {
		r.Sources, r.Limited, r.Below = true, true, s.manager.sourceRoots
	}
	return r
}
