package main

import (
	"context"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// role makes this test binary something else than the tests: breakwire itself, or an adapter that echoes.
const role = "BREAKWIRE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "breakwire":
		os.Unsetenv(role)
		os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
		io.WriteString(os.Stderr, "the echo ends\n")
		os.Exit(7)
	}
	goleak.VerifyTestMain(m)
}
