package program

import (
	"errors"
	"os"
)

// IsFile reports whether a path is a regular file of this disk.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// PathReason returns why a file could not be used, without its path.
func PathReason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
