package mcpserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

// guard decides which requests are accepted. It reads only headers, before anything else is read.
//
// A page in a browser can reach a local server through a host name of its own that it has rebound to 127.0.0.1. But
// it cannot choose the Host header, nor omit Origin from a POST. So Host must be a name that only this machine has,
// and Origin, if present, must be this server. In addition every client must send the token.
type guard struct {
	token  [sha256.Size]byte
	open   bool // no token is required
	remote bool
	names  []string // of this machine, when remote
}

func newGuard(token string, remote bool) guard {
	g := guard{token: sha256.Sum256([]byte(token)), open: token == "", remote: remote}
	if name, err := os.Hostname(); remote && err == nil {
		g.names = append(g.names, strings.ToLower(name))
	}
	return g
}

// check returns 0 for a request that is accepted, else the HTTP status and the reason.
func (g *guard) check(r *http.Request) (status int, why string) {
	if !g.knows(r.Host) {
		return http.StatusForbidden, "this Host is not served here: use the address that the server listens on"
	}
	switch origins := r.Header.Values("Origin"); {
	case len(origins) == 0:
	case len(origins) > 1 || !sameOrigin(origins[0], r.Host):
		return http.StatusForbidden, "requests of web pages are not answered"
	}
	if g.open {
		return 0, ""
	}
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return http.StatusUnauthorized, "send the server's token: Authorization: Bearer TOKEN"
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	got := sha256.Sum256([]byte(strings.TrimSpace(token)))
	// Hashes have equal lengths, so the time of the comparison reveals neither the token nor its length.
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], g.token[:]) != 1 {
		return http.StatusUnauthorized, "the token is not the server's"
	}
	return 0, ""
}

// knows reports whether a Host header names this machine in a way that no other name can be rebound to. An address
// cannot be rebound, and browsers resolve "localhost" themselves.
func (g *guard) knows(host string) bool {
	name := hostName(host)
	if addr, err := netip.ParseAddr(name); err == nil {
		return g.remote || addr.Unmap().IsLoopback()
	}
	if name == "localhost" {
		return true
	}
	for _, own := range g.names {
		if name == own || strings.HasPrefix(name, own+".") {
			return true
		}
	}
	return false
}

// hostName returns a Host header without its port and brackets.
func hostName(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(name)
}

// sameOrigin reports whether origin is this server. The server has no pages, but some tools always send an Origin.
func sameOrigin(origin, host string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(origin), "http://")
	if !ok {
		rest, ok = strings.CutPrefix(strings.ToLower(origin), "https://")
	}
	return ok && rest == strings.ToLower(host)
}

// IsLoopback reports whether a listening address is reachable only from this machine.
func IsLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
