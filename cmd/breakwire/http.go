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
	"strings"
	"syscall"

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
	fmt.Fprintf(std.err, "breakwire serves MCP at http://%s%s\nthe token that clients must send is in %s\n", l.Addr(),
		mcpserver.HTTPPath, file)
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
		return nil, usagef("--http %s can be reached from other machines, and whoever debugs here can run any "+
			"program; if that is meant, add --allow-remote", addr)
	}
	return l, nil
}

// httpToken reads the token out of the file given, which is made when it is missing; without one it makes a file for as
// long as the server runs.
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
	if err := checkTokenFolder(filepath.Dir(file), true); err != nil {
		return "", "", nil, err
	}
	f, err := openToken(file)
	if errors.Is(err, fs.ErrNotExist) {
		token, err = newTokenFile(file)
		return token, file, keep, err
	}
	if err != nil {
		return "", "", nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return "", "", nil, fmt.Errorf("read the token: %w", err)
	}
	token = strings.TrimSpace(string(text))
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", "", nil, usagef("--http-token-file: %s must hold one word of at least %d printable characters", file,
			minToken)
	}
	return token, file, keep, nil
}

// openToken opens a token's file. Anything but a regular file is refused before it is opened: the opening of a named
// pipe would wait for a writer.
func openToken(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("open the token: %w", err)
	}
	if err := checkTokenFile(file, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be another one by now
	if err != nil {
		return nil, fmt.Errorf("open the token: %w", err)
	}
	if info, err = f.Stat(); err != nil {
		err = fmt.Errorf("open the token: %w", err)
	} else {
		err = checkTokenFile(file, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func checkTokenFile(file string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return usagef("--http-token-file: %s is no regular file (%s)", file, info.Mode())
	case strange(info):
		return usagef("--http-token-file: %s belongs to another user", file)
	case othersRead(info):
		return usagef("--http-token-file: %s can be read by others (mode %#o); chmod 600 it", file, info.Mode().Perm())
	}
	return nil
}

// tokenDir is a folder of this user's that does not outlive the login where there is such a thing.
func tokenDir() (string, error) {
	parent := os.Getenv("XDG_RUNTIME_DIR")
	if parent == "" {
		var err error
		if parent, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("no folder for the token: %w; give one with --http-token-file", err)
		}
	}
	dir := filepath.Join(parent, "breakwire")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for the token: %w; give one with --http-token-file", err)
	}
	for _, folder := range []string{parent, dir} {
		if err := checkTokenFolder(folder, false); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// checkTokenFolder refuses a folder in which others could put a file of theirs in the token's place. In one with the
// sticky bit they cannot touch a file that is there, so it may hold a file that was named.
func checkTokenFolder(dir string, named bool) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil // the opening says what is wrong
	case strange(info):
		return fmt.Errorf("the token's folder %s belongs to another user; give a file in a folder of your own with "+
			"--http-token-file", dir)
	case othersWrite(info) && !(named && info.Mode()&fs.ModeSticky != 0):
		return fmt.Errorf("the token's folder %s can be written by others (mode %#o); chmod 700 it, or give a file "+
			"elsewhere with --http-token-file",
			dir, info.Mode().Perm())
	}
	return nil
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
