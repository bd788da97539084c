package breakpoint

import "path/filepath"

// RealPath follows the links in a path on this disk. It returns "" when there is no such file.
func RealPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

// Link is a folder that a launch names through a symbolic link, and its real path.
type Link struct{ Given, Real string }

// LinkIn finds the link in the path of a program or folder.
func LinkIn(path string) (l Link, ok bool) {
	if path == "" || !filepath.IsAbs(path) {
		return Link{}, false
	}
	l = Link{filepath.Clean(path), RealPath(path)}
	if l.Real == "" || l.Real == l.Given {
		return Link{}, false
	}
	for filepath.Base(l.Given) == filepath.Base(l.Real) && filepath.Dir(l.Given) != l.Given {
		l = Link{filepath.Dir(l.Given), filepath.Dir(l.Real)}
	}
	return l, true
}
