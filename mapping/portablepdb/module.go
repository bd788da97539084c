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

// FromModule reads the symbols of a module, a .dll or .exe file. It tries the .pdb file beside it, the embedded PDB,
// and the path where the compiler wrote a PDB. The first that is readable and of the same build is used. If there is
// none, the error is that of the first that was found (ErrMismatch, ErrFormat, ErrTooLarge), else ErrNoSymbols.
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

// candidate is a possible place of the symbols. Its read returns nil when there are none.
type candidate struct {
	name string
	read func() (*PDB, error)
}

// candidates returns the places in the order in which they are tried.
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
					return nil, nil // on this machine the path may be something else, or not readable
				}
				return pdb, err
			}})
		}
	}
	return places
}

// local reports whether a path from a module may be opened. It must not be relative to our working folder, nor on
// another machine, to which Windows would send our credentials.
func local(path string) bool {
	return filepath.IsAbs(path) && len(filepath.VolumeName(path)) <= len("C:")
}

// readFile reads a .pdb file. It returns nil without an error when there is no file or the PDB is of another kind.
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

// openRegular opens a regular file; other files could block or have no end. The size is that of the open file.
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
