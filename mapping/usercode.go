package mapping

import (
	"path"
	"strings"
)

// IsUserCode tells whether a frame with source belongs to the program rather than to a library that came with its language.
// file may have separators of any system.
func IsUserCode(function, file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	switch {
	case file == "":
		return false
	case strings.Contains(file, "/pkg/mod/"), strings.Contains(file, "/site-packages/"), strings.Contains(file, "/dist-packages/"):
		return false
	case strings.HasPrefix(file, "<"): // Python: <frozen importlib._bootstrap>, <string>
		return false
	}
	switch path.Ext(file) {
	case ".go", ".s":
		// The standard library: /usr/local/go/src/net/http/server.go holds net/http.(*conn).serve.
		pkg := goPackage(function)
		first, _, _ := strings.Cut(pkg, "/")
		return pkg == "main" || strings.Contains(first, ".") || !strings.Contains(file, "/src/"+pkg+"/")
	case ".py":
		lib := strings.LastIndex(file, "/lib/python")
		return lib < 0 || strings.Count(file[lib+len("/lib/python"):], "/") == 0
	}
	return true
}

// goPackage is the package of a function's full name.
func goPackage(function string) string {
	slash := strings.LastIndexByte(function, '/')
	dot := strings.IndexByte(function[slash+1:], '.')
	if dot < 0 {
		return function
	}
	return function[:slash+1+dot]
}
