package portablepdb

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"breakwire/mapping/ecma335"
)

// FromModule reads the symbols of a module, a .dll or .exe file. It looks at the .pdb file beside it, at the PDB
// embedded in it, and where the compiler says that it wrote one. The first that can be read and is of the same build is
// taken. When there is none, the error is that of the first that was found (ErrMismatch, ErrFormat, ErrTooLarge), else
// ErrNoSymbols.
func FromModule(path string) (*PDB, error) {
	pdb, err := fromModule(path)
	if err != nil {
		return nil, fmt.Errorf("symbols of %s: %w", path, err)
	}
	return pdb, nil
}

func fromModule(path string) (*PDB, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	im, err := readImage(file, size)
	if err != nil {
		return nil, err
	}
	var problem error
	for _, load := range im.candidates(path) {
		pdb, err := load.read()
		if err == nil && pdb == nil {
			continue
		}
		if err == nil && !im.owns(pdb.id) {
			err = fmt.Errorf("id %s: %w", pdb.id, ErrMismatch)
		}
		if err == nil {
			return pdb, nil
		}
		if problem == nil {
			problem = fmt.Errorf("%s: %w", load.name, err)
		}
	}
	if problem == nil {
		problem = ErrNoSymbols
	}
	return nil, problem
}

// candidate is a place where symbols may be. Its read gives nil when there are none.
type candidate struct {
	name string
	read func() (*PDB, error)
}

// candidates are the places to look at, in order.
func (im *image) candidates(module string) []candidate {
	beside := strings.TrimSuffix(module, filepath.Ext(module)) + ".pdb"
	places := []candidate{{beside, func() (*PDB, error) { return readFile(beside) }}}
	if im.embedded != nil {
		places = append(places, candidate{"embedded", func() (*PDB, error) {
			data, err := im.decompress()
			if err != nil {
				return nil, err
			}
			return Read(data)
		}})
	}
	for _, path := range im.paths {
		if path != beside && local(path) {
			places = append(places, candidate{path, func() (*PDB, error) {
				pdb, err := readFile(path)
				if _, failed := errors.AsType[*fs.PathError](err); failed {
					return nil, nil // a path of another machine may mean anything here, or be closed to us
				}
				return pdb, err
			}})
		}
	}
	return places
}

// local reports whether a path that a module names may be opened: not relative to wherever we happen to run, and not on
// another machine, which on Windows would be told who we are.
func local(path string) bool {
	return filepath.IsAbs(path) && len(filepath.VolumeName(path)) <= len("C:")
}

// readFile reads a .pdb file. It is nil without error when there is no file or it is a PDB of another kind.
func readFile(path string) (*PDB, error) {
	file, size, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size > MaxSize {
		return nil, fmt.Errorf("%d bytes: %w", size, ErrTooLarge)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, err
	}
	if !ecma335.IsMetadata(data) {
		return nil, nil
	}
	return Read(data)
}

// openRegular opens a file, but nothing that could block or never end. The size is that of the open file.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	if info, err = file.Stat(); err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}
