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

// minToken is the least length of a token from the user: a shorter one could be guessed.
const minToken = 16

// serveHTTP serves clients over HTTP instead of the standard streams, until ctx is cancelled.
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

// listen opens the port. Without a host it listens on loopback only. Any other address needs remote.
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
	// The actual address, not the requested one: a name may resolve to any address.
	if !remote && !mcpserver.IsLoopback(l.Addr()) {
		l.Close()
		return nil, usagef("--http %s can be reached from other machines, and whoever debugs here can run any "+
			"program; if that is meant, add --allow-remote", addr)
	}
	return l, nil
}

// httpToken reads the token from the given file, and creates the file when it is missing. Without a file it creates
// one that exists while the server runs.
func httpToken(file string) (token, path string, remove func(), err error) {
	keep := func() {}
	if file == "" {
		dir, err := tokenDir()
		if err != nil {
			return "", "", nil, err
		}
		path = filepath.Join(dir, fmt.Sprintf("token-%d", os.Getpid()))
		_ = os.Remove(path) // of an earlier process with this pid
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

// openToken opens the token's file. Anything but a regular file is refused before the open, because opening a named
// pipe would wait for a writer.
func openToken(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("open the token: %w", err)
	}
	if err := checkTokenFile(file, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // the file may have been replaced by now
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

// tokenDir returns a folder of this user; where the system has one, a folder that is removed at logout.
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

// checkTokenFolder refuses a folder in which other users could replace the token's file. In a folder with the sticky
// bit they cannot replace an existing file, so it may hold a named file.
func checkTokenFolder(dir string, named bool) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil // the open reports what is wrong
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

// newTokenFile writes a new token to a file that must not exist, so that no other process has it open.
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
