package adapter

import (
	"bytes"
	"os"
	"sync"
	"time"

	"breakwire/mapping"
)

// sources reads source files for excerpts and line counts. It keeps the few it has read last.
type sources struct {
	mu   sync.Mutex
	kept map[string]*sourceFile
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
	trustFor    = time.Second // how long a file is not looked at again
)

func (s *sources) read(file string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.kept[file]
	if have != nil && time.Since(have.checked) < trustFor {
		return have.text, nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil, os.ErrInvalid
	}
	if have != nil && have.size == info.Size() && have.changed.Equal(info.ModTime()) {
		have.checked = time.Now()
		return have.text, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(s.kept) >= keptSources {
		s.kept = nil
	}
	if s.kept == nil {
		s.kept = map[string]*sourceFile{}
	}
	s.kept[file] = &sourceFile{text: text, size: info.Size(), changed: info.ModTime(), checked: time.Now()}
	return text, nil
}

// countLines counts the lines of a file.
func (s *sources) countLines(file string) (int, error) {
	text, err := s.read(file)
	if err != nil {
		return 0, err
	}
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n, nil
}

// excerpt shows the lines around a place, nil when the file cannot be read.
func (s *sources) excerpt(l *Location) []string {
	if l == nil || l.File == "" || l.Line == 0 || !mapping.IsAbs(l.File) {
		return nil
	}
	text, err := s.read(l.File)
	if err != nil {
		return nil
	}
	return mapping.Excerpt(text, l.Line)
}

func isLocalFile(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}
