package adapter

import "path/filepath"

// realPath follows the links in a path on this disk. It returns "" when there is no such file.
func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

// link is a folder that a launch names through a symbolic link, and its real path.
type link struct{ given, real string }

// linkIn finds the link in the path of a program or folder.
func linkIn(path string) (l link, ok bool) {
	if path == "" || !filepath.IsAbs(path) {
		return link{}, false
	}
	l = link{filepath.Clean(path), realPath(path)}
	if l.real == "" || l.real == l.given {
		return link{}, false
	}
	for filepath.Base(l.given) == filepath.Base(l.real) && filepath.Dir(l.given) != l.given {
		l = link{filepath.Dir(l.given), filepath.Dir(l.real)}
	}
	return l, true
}
