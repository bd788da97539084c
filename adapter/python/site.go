package python

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"os"
)

// sitecustomize makes debugpy about nine times faster; the file says how.
//
//go:embed sitecustomize.py
var sitecustomize []byte

// BeforePath returns our PYTHONPATH with a folder or archive in front.
func BeforePath(path string) string {
	if old := os.Getenv("PYTHONPATH"); old != "" && path != "" {
		return path + string(os.PathListSeparator) + old
	}
	return path
}

// SiteArchive returns an archive with sitecustomize.py. Python accepts an archive in the place of a folder.
func SiteArchive() ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	file, err := w.CreateHeader(&zip.FileHeader{Name: "sitecustomize.py", Method: zip.Store})
	if err == nil {
		_, err = file.Write(sitecustomize)
	}
	err = errors.Join(err, w.Close())
	return buf.Bytes(), err
}
