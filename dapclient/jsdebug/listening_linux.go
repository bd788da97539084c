package jsdebug

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listening returns the port at which an inspector of this process answers, 0 when there is none.
func listening(ctx context.Context, pid int) int {
	sockets := map[string]bool{}
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, "socket:[") {
			sockets[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
	}
	f, err := os.Open(fmt.Sprintf("/proc/%d/net/tcp", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		const listen = "0A"
		if len(fields) < 10 || fields[3] != listen || !sockets[fields[9]] {
			continue
		}
		_, hex, _ := strings.Cut(fields[1], ":")
		port, err := strconv.ParseUint(hex, 16, 16)
		if err != nil {
			continue
		}
		if _, err := inspectorAt(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port)))); err == nil {
			return int(port)
		}
	}
	return 0
}
