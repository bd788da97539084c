// Package scratch has what this process lends other programs of the same user: files, pipes and folders. Nothing of it
// stays when the process ends, however it ends.
package scratch

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The process that makes a folder for temporary files locks it for its lifetime, however it ends. So the next start can
// tell which folders nobody needs any more.
const (
	prefix   = "breakwire-tmp-"
	lockName = ".breakwire.lock"
	// unlocked is the age from which an empty folder without a lock is swept: its maker was killed before it made
	// the lock.
	unlocked = time.Hour
)

// Folder is a folder for temporary files of this process, made when it is first needed. The zero value is ready.
type Folder struct {
	mu   sync.Mutex
	path string
	lock *os.File
}

// Path returns the folder. It makes it the first time.
func (f *Folder) Path() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path != "" {
		return f.path, nil
	}
	path, err := os.MkdirTemp("", prefix)
	if err != nil {
		return "", fmt.Errorf("make a folder for temporary files: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		if err = tryLock(lock); err != nil {
			lock.Close()
		}
	}
	if err != nil {
		os.RemoveAll(path)
		return "", fmt.Errorf("lock the folder for temporary files: %w", err)
	}
	f.path, f.lock = path, lock
	return path, nil
}

// Made returns the folder, "" when it has not been made.
func (f *Folder) Made() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.path
}

// Remove removes the folder with its contents.
func (f *Folder) Remove() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return
	}
	removeLocked(f.path, f.lock)
	f.path, f.lock = "", nil
}

// removeLocked removes a folder whose lock we hold. The lock goes last, so that the next start finishes an interrupted
// removal. Windows removes no open file.
func removeLocked(path string, lock *os.File) {
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if e.Name() != lockName {
			os.RemoveAll(filepath.Join(path, e.Name()))
		}
	}
	lock.Close()
	os.RemoveAll(path)
}

// Sweep removes folders for temporary files that killed processes of this user have left.
func Sweep(log *slog.Logger) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		info, err := e.Info()
		if err != nil || !isOurs(info) {
			continue
		}
		path := filepath.Join(os.TempDir(), e.Name())
		lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
		if err != nil {
			if time.Since(info.ModTime()) > unlocked {
				os.Remove(path) // removes only an empty folder
			}
			continue
		}
		if tryLock(lock) != nil {
			lock.Close()
			continue // its process lives
		}
		removeLocked(path, lock)
		log.Info("removed what a killed breakwire has left", "folder", path)
	}
}
