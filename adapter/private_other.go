//go:build !linux

package adapter

import (
	"errors"
	"os"
)

// unnamedFile fails: a file that others are to read has a name here.
func unnamedFile(string, []byte) (*os.File, error) { return nil, errors.ErrUnsupported }
