package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// recordings are the files of `serve --record`, one for each session. The first session goes to the file itself, the
// second to FILE-2, the third to FILE-3, with the number before the extension.
type recordings struct {
	file string

	mu   sync.Mutex
	made []*transcript.Writer
}

// newRecordings refuses a file that cannot be written, before the first session starts.
func newRecordings(file string) (*recordings, error) {
	_, err := os.Stat(file)
	missing := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	f.Close()
	if missing { // an empty file is not a valid recording
		os.Remove(file)
	}
	return &recordings{file: file}, nil
}

// open starts the recording of a session.
func (r *recordings) open(_, backend, program string) (dapclient.Recorder, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w, err := transcript.Create(r.name(len(r.made)+1), transcript.Header{Backend: backend, Program: program})
	if err != nil {
		return nil, err
	}
	r.made = append(r.made, w)
	return w, nil
}

// close completes the files. A session closes its own file when its connection has ended, which may be shortly after
// the session.
func (r *recordings) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.made {
		if err := w.Close(); err != nil {
			slog.Error("the recording is not complete", "error", err)
		}
	}
}

// name is the file of the nth session.
func (r *recordings) name(n int) string {
	if n == 1 {
		return r.file
	}
	ext := filepath.Ext(r.file)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(r.file, ext), n, ext)
}
