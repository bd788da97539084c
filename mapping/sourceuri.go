package mapping

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

const (
	sourceScheme  = "debugger://source/"
	sessionScheme = "debugger://sessions/"
)

// ErrNotSourceURI is returned for a URI of another kind.
var ErrNotSourceURI = errors.New("not a debugger://source/ URI")

// SourceURI returns the resource URI of a source file, encoded as a client expands the template
// debugger://source/{file} (RFC 6570). Everything except letters, digits and -._~ is escaped, also slashes. So both
// get the same URI, and no client removes a leading slash.
func SourceURI(p string) string { return sourceScheme + escapePath(p) }

// SessionSourceURI is SourceURI for the sources of one session.
func SessionSourceURI(session, p string) string {
	return sessionScheme + url.PathEscape(session) + "/source/" + escapePath(p)
}

func escapePath(p string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var b strings.Builder
	for i := range len(p) {
		if c := p[i]; strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// SplitSourceURI returns the path in a debugger://source/ or debugger://sessions/ID/source/ URI, and the session, ""
// when the URI names none.
//
// Clients write these URIs by hand, so the path may be percent-encoded, or raw with any of space, %, # and ?. It is
// decoded when every % in it begins an escape. A path with folders that is neither a Windows path nor has a leading
// slash gets one: /src/a.cs arrives as source//src/a.cs, source/%2Fsrc%2Fa.cs or, without the slash, as
// source/src/a.cs. A bare file name stays one; the caller looks it up among the known files. A path with a NUL is
// refused.
func SplitSourceURI(uri string) (session, p string, err error) {
	raw, ok := cutPrefixFold(uri, sourceScheme)
	if !ok {
		rest, isSession := cutPrefixFold(uri, sessionScheme)
		if !isSession {
			return "", "", ErrNotSourceURI
		}
		session, raw, ok = strings.Cut(rest, "/source/")
		if !ok || session == "" || strings.Contains(session, "/") {
			return "", "", ErrNotSourceURI
		}
		if s, err := url.PathUnescape(session); err == nil {
			session = s
		}
	}
	p = raw
	if decoded, err := url.PathUnescape(raw); err == nil {
		p = decoded
	}
	switch {
	case p == "" || strings.Trim(p, "/") == "":
		return "", "", errors.New("the source URI names no file")
	case strings.IndexByte(p, 0) >= 0:
		return "", "", errors.New("the source URI holds a NUL character")
	}
	return session, rooted(p), nil
}

var slashedDrive = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/+[A-Za-z]:[/\\]`) })

// rooted restores the beginning that the path had before it became part of a URI.
func rooted(p string) string {
	if slashedDrive().MatchString(p) {
		return strings.TrimLeft(p, "/") // /C:/src, as in file URIs
	}
	if IsWindowsPath(p) || strings.HasPrefix(p, "/") || !strings.Contains(p, "/") {
		return p
	}
	return "/" + p
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
