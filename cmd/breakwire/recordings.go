package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// recordings are the files of `serve --record`. A recording is one session: the first goes to the file itself, the
// second to FILE-2, the third to FILE-3, with the number before the extension.
type recordings struct {
	file string

	mu    sync.Mutex
	count int
}

// newRecordings refuses a file that cannot be written, now rather than when the first session starts.
func newRecordings(file string) (*recordings, error) {
	_, err := os.Stat(file)
	missing := os.IsNotExist(err)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	f.Close()
	if missing { // an empty file would be no recording
		os.Remove(file)
	}
	return &recordings{file: file}, nil
}

// open starts the recording of a session.
func (r *recordings) open(_, backend, program string) (dapclient.Recorder, error) {
	r.mu.Lock()
	r.count++
	n := r.count
	r.mu.Unlock()
	return transcript.Create(r.name(n), transcript.Header{Backend: backend, Program: program})
}

// name is the file of the nth session.
func (r *recordings) name(n int) string {
	if n == 1 {
		return r.file
	}
	ext := filepath.Ext(r.file)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(r.file, ext), n, ext)
}
