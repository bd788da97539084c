//go:build !linux

package scratch

import (
	"errors"
	"os"
)

// unnamedFile fails: on this system a file for other programs needs a name.
func unnamedFile(string, []byte) (*os.File, error) { return nil, errors.ErrUnsupported }
