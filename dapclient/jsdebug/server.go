package jsdebug

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/mempipe"
)

// Command is how to start js-debug and what it starts.
type Command struct {
	Node   string // runs js-debug
	Script string // js-debug's server
	Guard  []string
	Folder func() (string, error) // for the socket; nil: it listens on TCP
	Log    *slog.Logger
}

// Server is one js-debug, which serves a program and its children.
type Server struct {
	mu      sync.Mutex
	address string // empty until it is known
}

// announcement is what js-debug prints when it listens.
var announcement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`Debug server listening at (.+?)\s*$`)
})

// longestFolder is the length of a folder in which js-debug's sockets have names that every system takes. It leaves
// sockets and files behind in its folder for temporary files; the session's is removed.
const longestFolder = 58

// Start starts js-debug and returns the stream of a session. The process is js-debug's.
func (s *Server) Start(ctx context.Context, c Command) (io.ReadWriteCloser, *dapclient.Process, error) {
	command := dapclient.Command{Path: c.Node, Args: []string{c.Script, "0", "127.0.0.1"}, Log: c.Log, Guard: c.Guard}
	if c.Folder != nil && runtime.GOOS != "windows" { // a socket is faster, and for this user only
		if folder, err := c.Folder(); err == nil {
			command.Args = []string{c.Script, filepath.Join(folder, "js-debug")}
			if len(folder) <= longestFolder {
				command.Env = set(os.Environ(), "TMPDIR", folder)
			}
		}
	}
	address := ""
	proc, stream, err := dapclient.StartAnnounced(ctx, command, announcement())
	if err != nil {
		return nil, nil, err
	}
	if remote, ok := stream.(interface{ RemoteAddr() net.Addr }); ok {
		address = remote.RemoteAddr().String()
	}
	s.mu.Lock()
	s.address = address
	s.mu.Unlock()
	return s.open(c, stream, proc), proc, nil
}

// Dial connects to a js-debug that listens at address, and returns the stream of a session.
func (s *Server) Dial(ctx context.Context, address string, c Command) (io.ReadWriteCloser, error) {
	stream, err := dapclient.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.address = address
	s.mu.Unlock()
	return s.open(c, stream, nil), nil
}

// Child returns the stream of a session that js-debug has asked for.
func (s *Server) Child(ctx context.Context, c Command) (io.ReadWriteCloser, error) {
	s.mu.Lock()
	address := s.address
	s.mu.Unlock()
	if address == "" {
		return nil, errors.New("js-debug has not been started")
	}
	stream, err := dapclient.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	near, far := mempipe.New()
	b := newBridge(s, c, far, nil)
	b.connectChild(stream)
	go b.serve()
	return near, nil
}

func (s *Server) open(c Command, stream io.ReadWriteCloser, proc *dapclient.Process) io.ReadWriteCloser {
	near, far := mempipe.New()
	b := newBridge(s, c, far, proc)
	b.connectRoot(stream)
	go b.serve()
	return near
}
