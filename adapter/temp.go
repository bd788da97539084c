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

// A folder for temporary files is locked by the process that made it for as long as that lives, however it ends. So the
// next start can tell what nobody needs any more.
const (
	tempPrefix = "breakwire-tmp-"
	tempLock   = ".breakwire.lock"
	// tempUnlocked is how old a folder without a lock must be to be swept, if it is empty: its maker was killed before
	// it made one.
	tempUnlocked = time.Hour
)

// TempFolder is a folder for temporary files of this process. It is made when it is first asked for. The zero value is
// ready.
type TempFolder struct {
	mu   sync.Mutex
	path string
	lock *os.File
}

// Path makes the folder.
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

// made is the folder if there is one.
func (t *TempFolder) made() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.path
}

// Remove removes the folder with what is in it.
func (t *TempFolder) Remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.path == "" {
		return
	}
	removeLocked(t.path, t.lock)
	t.path, t.lock = "", nil
}

// removeLocked removes a folder whose lock we hold. The lock goes last, so that an interrupted removal is taken up by
// the next start. Windows removes no file that is open.
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
				os.Remove(path) // nothing but an empty folder
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
