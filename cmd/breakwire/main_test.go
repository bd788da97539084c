package main

import (
	"context"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"

	"breakwire/fixtures"
)

// role makes this test binary run as breakwire itself, as an adapter that echoes, or as one that is not permitted to
// debug.
const role = "BREAKWIRE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "breakwire":
		os.Unsetenv(role)
		os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
	case "adapter":
		os.Exit(playAdapter())
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
		io.WriteString(os.Stderr, "the echo ends\n")
		os.Exit(7)
	case "refuse":
		io.WriteString(os.Stderr, "ptrace: operation not permitted\n")
		os.Exit(1)
	}
	remove, err := fixtures.OwnHome()
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		remove()
		os.Exit(status)
	}))
}
