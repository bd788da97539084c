package adapter

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
	tempPrefix = "breakwire-tmp-"
	tempLock   = ".breakwire.lock"
	// tempUnlocked is the age from which an empty folder without a lock is swept: its maker was killed before it made
	// the lock.
	tempUnlocked = time.Hour
)

// TempFolder is a folder for temporary files of this process, made when it is first needed. The zero value is ready.
type TempFolder struct {
	mu   sync.Mutex
	path string
	lock *os.File
}

// Path returns the folder. It makes it the first time.
func (t *TempFolder) Path() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.path != "" {
		return t.path, nil
	}
	path, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return "", fmt.Errorf("make a folder for temporary files: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, tempLock), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		if err = tryLock(lock); err != nil {
			lock.Close()
		}
	}
	if err != nil {
		os.RemoveAll(path)
		return "", fmt.Errorf("lock the folder for temporary files: %w", err)
	}
	t.path, t.lock = path, lock
	return path, nil
}

// made returns the folder, "" when it has not been made.
func (t *TempFolder) made() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.path
}

// Remove removes the folder with its contents.
func (t *TempFolder) Remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.path == "" {
		return
	}
	removeLocked(t.path, t.lock)
	t.path, t.lock = "", nil
}

// removeLocked removes a folder whose lock we hold. The lock goes last, so that the next start finishes an interrupted
// removal. Windows removes no open file.
func removeLocked(path string, lock *os.File) {
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if e.Name() != tempLock {
			os.RemoveAll(filepath.Join(path, e.Name()))
		}
	}
	lock.Close()
	os.RemoveAll(path)
}

// SweepTemp removes folders for temporary files that killed processes of this user have left.
func SweepTemp(log *slog.Logger) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		info, err := e.Info()
		if err != nil || !isOurs(info) {
			continue
		}
		path := filepath.Join(os.TempDir(), e.Name())
		lock, err := os.OpenFile(filepath.Join(path, tempLock), os.O_RDWR, 0)
		if err != nil {
			if time.Since(info.ModTime()) > tempUnlocked {
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
