package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"breakwire/adapter/mcpserver"
)

// minToken is the least length of a token that somebody brings: less can be guessed.
const minToken = 16

// serveHTTP serves clients by HTTP instead of the standard streams, until ctx is cancelled.
func serveHTTP(ctx context.Context, cfg *config, server *mcpserver.Server, std streams) error {
	token, file, removeToken, err := httpToken(cfg.httpToken)
	if err != nil {
		return err
	}
	defer removeToken()
	l, err := listen(cfg.http, cfg.allowRemote)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.err, "breakwire serves MCP at http://%s%s\nthe token that clients must send is in %s\n", l.Addr(), mcpserver.HTTPPath, file)
	return server.ServeHTTP(ctx, l, mcpserver.HTTPOptions{Token: token, Remote: cfg.allowRemote})
}

// listen opens the port. Without a host it is this machine's alone, and more than that must be said twice.
func listen(addr string, remote bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, usagef("--http %q: want HOST:PORT", addr)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	// What was listened on, not what was asked for: a name may resolve to anything.
	if !remote && !mcpserver.IsLoopback(l.Addr()) {
		l.Close()
		return nil, usagef("--http %s can be reached from other machines, and whoever debugs here can run any program; if that is meant, add --allow-remote", addr)
	}
	return l, nil
}

// httpToken reads the token out of the file given, which is made when it is missing; without one it makes a file for as long as the server runs.
func httpToken(file string) (token, path string, remove func(), err error) {
	keep := func() {}
	if file == "" {
		dir, err := tokenDir()
		if err != nil {
			return "", "", nil, err
		}
		path = filepath.Join(dir, fmt.Sprintf("token-%d", os.Getpid()))
		_ = os.Remove(path) // of a process that had this id before
		if token, err = newTokenFile(path); err != nil {
			return "", "", nil, err
		}
		return token, path, func() { os.Remove(path) }, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		token, err = newTokenFile(file)
		return token, file, keep, err
	}
	if err != nil {
		return "", "", nil, fmt.Errorf("open the token: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", "", nil, fmt.Errorf("open the token: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", "", nil, usagef("--http-token-file: %s can be read by others (mode %#o); chmod 600 it", file, info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return "", "", nil, fmt.Errorf("read the token: %w", err)
	}
	token = strings.TrimSpace(string(text))
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", "", nil, usagef("--http-token-file: %s must hold one word of at least %d printable characters", file, minToken)
	}
	return token, file, keep, nil
}

// tokenDir is a folder of this user's that does not outlive the login where there is such a thing.
func tokenDir() (string, error) {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("no folder for the token: %w; give one with --http-token-file", err)
		}
	}
	dir = filepath.Join(dir, "breakwire")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for the token: %w; give one with --http-token-file", err)
	}
	return dir, nil
}

// newTokenFile writes a new token into a file that must not be there yet, so that nobody can have opened it before.
func newTokenFile(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("make the token: %w", err)
	}
	token := rand.Text()
	_, err = io.WriteString(f, token+"\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write the token: %w", err)
	}
	return token, nil
}
