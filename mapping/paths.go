package mapping

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Paths may come from another machine, where the program was built. So the functions use only the form of a path, not
// the system that they run on.

// IsWindowsPath reports whether a path has the form C:\x, C:/x or \\server\share.
func IsWindowsPath(p string) bool { return hasDrive(p) || strings.HasPrefix(p, `\\`) }

func hasDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z' &&
		(len(p) == 2 || p[2] == '\\' || p[2] == '/')
}

// IsAbs reports whether a path is absolute on its own system.
func IsAbs(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) || hasDrive(p) && len(p) > 2
}

// Clean returns the path in one form: without ., .. and double separators; a Windows path has backslashes and an
// upper-case drive letter. An empty path stays empty.
func Clean(p string) string {
	if p == "" {
		return ""
	}
	if !IsWindowsPath(p) {
		return path.Clean(p)
	}
	slashed := strings.ReplaceAll(p, `\`, "/")
	if unc, ok := strings.CutPrefix(slashed, "//"); ok {
		return `\\` + strings.ReplaceAll(strings.TrimPrefix(path.Clean("/"+unc), "/"), "/", `\`)
	}
	rest := slashed[2:]
	if rest != "" {
		rest = path.Clean(rest)
	}
	return strings.ToUpper(p[:1]) + ":" + strings.ReplaceAll(rest, "/", `\`)
}

// SameFile reports whether two paths name the same file by their text, after Clean. Windows paths are compared
// without case and kind of separator, POSIX paths exactly. It does not follow symbolic links.
func SameFile(a, b string) bool {
	a, b = Clean(a), Clean(b)
	if IsWindowsPath(a) && IsWindowsPath(b) {
		return strings.EqualFold(a, b)
	}
	return a == b && a != ""
}

// Base returns the last element of a path of either system.
func Base(p string) string {
	p = Clean(p)
	if IsWindowsPath(p) {
		return p[strings.LastIndexAny(p, `\:`)+1:]
	}
	return path.Base(p)
}

// PathMap translates between the client's paths, where the sources are, and the debugger's paths. The zero PathMap
// changes nothing.
type PathMap struct{ rules []pathRule }

// pathRule has two clean folders, without a final separator except for the root.
type pathRule struct {
	local, remote string
	drive         string // of remote, in its given case: debuggers compare it exactly
}

// ParsePathMap parses --path-map values FROM=TO. FROM is the debugger's path (from the program's symbols: /_/src,
// C:\build, or the module path of a Go program that was built with -trimpath), TO the client's.
func ParsePathMap(values ...string) (PathMap, error) {
	var m PathMap
	for _, v := range values {
		from, to, ok := strings.Cut(v, "=")
		from, to = strings.TrimSpace(from), strings.TrimSpace(to)
		if !ok || from == "" || to == "" {
			return PathMap{}, fmt.Errorf("path map %q is not of the form FROM=TO", v)
		}
		if !IsAbs(to) {
			return PathMap{}, fmt.Errorf("path map %q: TO must be an absolute path", v)
		}
		rule := pathRule{remote: Clean(from), local: Clean(to)}
		if hasDrive(from) {
			rule.drive = from[:1]
		}
		m.rules = append(m.rules, rule)
	}
	return m, nil
}

// And returns a map with the rules of both. Of equal rules the one of m applies.
func (m PathMap) And(other PathMap) PathMap { return PathMap{slices.Concat(m.rules, other.rules)} }

// Empty reports whether there are no rules.
func (m PathMap) Empty() bool { return len(m.rules) == 0 }

// Locals returns the client's folders in the rules.
func (m PathMap) Locals() []string {
	var folders []string
	for _, r := range m.rules {
		folders = append(folders, r.local)
	}
	return folders
}

// Named returns the rules whose FROM is no absolute path but the name of a module.
func (m PathMap) Named() []SourceFolder {
	var folders []SourceFolder
	for _, r := range m.rules {
		if !IsAbs(r.remote) {
			folders = append(folders, SourceFolder{Here: r.local, Named: r.remote})
		}
	}
	return folders
}

// SourceFolder is a folder with sources, and what the names of its files begin with in the program's symbols.
type SourceFolder struct{ Here, Named string }

// GuessSourceFolder returns the folder of a file and its name in the program's symbols, by the one of the names there
// whose end is most like that of the file. ok is false when none has the file's base name.
func GuessSourceFolder(file string, names []string) (f SourceFolder, ok bool) {
	separator := "/"
	if IsWindowsPath(file) {
		separator = `\`
	}
	elements := func(p string) []string { return strings.Split(strings.ReplaceAll(p, `\`, "/"), "/") }
	here, best := elements(file), 0
	for _, name := range names {
		there, n := elements(name), 0
		for n < len(there) && n < len(here) && there[len(there)-1-n] == here[len(here)-1-n] {
			n++
		}
		if n > best && n < len(here) {
			best = n
			f = SourceFolder{strings.Join(here[:len(here)-n], separator), strings.Join(there[:len(there)-n], "/")}
		}
	}
	return f, best > 0 && f.Here != "" && f.Named != ""
}

// ToLocal translates a path of the debugger. The rule with the longest matching FROM applies, of equal ones the
// first. A path with a drive gets backslashes, so that a file has one spelling: Go's compiler writes C:/x into
// programs.
func (m PathMap) ToLocal(p string) string {
	if hasDrive(p) {
		p = strings.ReplaceAll(p, "/", `\`)
	}
	return m.translate(p, func(r pathRule) (string, string) { return r.remote, r.local })
}

// ToRemote translates a path of the client, by the rule with the longest matching TO.
func (m PathMap) ToRemote(p string) string {
	return m.translate(p, func(r pathRule) (string, string) { return r.local, r.drive + r.remote[len(r.drive):] })
}

func (m PathMap) translate(p string, ends func(pathRule) (from, to string)) string {
	if len(m.rules) == 0 || p == "" {
		return p
	}
	clean := Clean(p)
	best := -1
	var out string
	for _, r := range m.rules {
		from, to := ends(r)
		if rest, ok := below(clean, from); ok && len(from) > best {
			best, out = len(from), join(to, rest)
		}
	}
	if best < 0 {
		return p
	}
	return out
}

// below returns the elements of p under the folder dir. It reports false when p is not in dir.
func below(p, dir string) ([]string, bool) {
	windows := IsWindowsPath(dir)
	if windows != IsWindowsPath(p) || len(p) < len(dir) {
		return nil, false
	}
	head, rest := p[:len(dir)], p[len(dir):]
	if head != dir && !(windows && strings.EqualFold(head, dir)) {
		return nil, false
	}
	if rest != "" && !isSeparator(rest[0], windows) && !isSeparator(dir[len(dir)-1], windows) {
		return nil, false // /src does not contain /src2
	}
	elements := strings.FieldsFunc(rest, func(r rune) bool { return r < 0x80 && isSeparator(byte(r), windows) })
	return slices.Clip(elements), true
}

func isSeparator(c byte, windows bool) bool { return c == '/' || windows && c == '\\' }

// join appends the elements with the separator of dir.
func join(dir string, elements []string) string {
	separator := "/"
	if IsWindowsPath(dir) {
		separator = `\`
	}
	if len(elements) == 0 {
		return dir
	}
	return strings.TrimSuffix(dir, separator) + separator + strings.Join(elements, separator)
}
