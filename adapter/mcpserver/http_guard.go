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

// guard decides who may come in. It looks at nothing but headers, and before anything else is read.
//
// A page in a browser can reach a server on this machine by a name of its own that it has rebound to 127.0.0.1; it
// cannot choose the Host header then, nor leave Origin out of a POST. So Host must be a name that only this machine
// answers to, and an Origin, if there is one, the server itself. And whoever it is must know the token.
type guard struct {
	token  [sha256.Size]byte
	open   bool // no token is asked for
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

// check returns 0 for a request that may come in, else the status and the reason.
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
	// Hashes have one length, so neither the token's bytes nor its length show in the time this takes.
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], g.token[:]) != 1 {
		return http.StatusUnauthorized, "the token is not the server's"
	}
	return 0, ""
}

// knows tells whether a Host header names this machine in a way that no other name can be made to resolve to. An
// address cannot be rebound; "localhost" is resolved by the browser itself.
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

// hostName is a Host header without its port and brackets.
func hostName(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(name)
}

// sameOrigin tells whether a page comes from this very server. It serves none, but tools that send an Origin by habit
// send that.
func sameOrigin(origin, host string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(origin), "http://")
	if !ok {
		rest, ok = strings.CutPrefix(strings.ToLower(origin), "https://")
	}
	return ok && rest == strings.ToLower(host)
}

// IsLoopback tells whether an address to listen on can only be reached from this machine.
func IsLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
