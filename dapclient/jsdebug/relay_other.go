//go:build !linux

package jsdebug

import "net"

// acknowledge does nothing: only Linux lets a program ask for it.
func acknowledge(net.Conn) {}
