// Command gosdk is a debugging session through the official Go MCP SDK, as a client that does not know breakwire's
// code.
//
//	gosdk [-protocol 2025-11-25] BREAKWIRE LOOP LOOP_SOURCE LONGRUN
//	gosdk [-protocol 2025-11-25] -resources BREAKWIRE LONGRUN LONGRUN_SOURCE
//
// BREAKWIRE is the server's executable, or the URL of a server over HTTP, with its token in BREAKWIRE_TOKEN. The
// others are the Go programs of fixtures/programs/go, built without optimisation, and their main.go. It prints one
// line for each check, and exits with 1 at the first failure.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	protocol := flag.String("protocol", "", "MCP `version` to ask for (default: the newest that the SDK knows)")
	onlyResources := flag.Bool("resources", false, "resources and subscriptions instead of tools")
	flag.Parse()
	if flag.NArg() != 4 && !(*onlyResources && flag.NArg() == 3) {
		fmt.Fprintln(os.Stderr, "usage: gosdk [-protocol VERSION] BREAKWIRE LOOP LOOP_SOURCE LONGRUN\n"+
			"       gosdk [-protocol VERSION] -resources BREAKWIRE LONGRUN LONGRUN_SOURCE")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := connect(ctx, flag.Arg(0), *protocol)
	switch {
	case err != nil:
	case *onlyResources:
		err = resources(c, flag.Arg(1), flag.Arg(2))
	default:
		err = session(c, flag.Arg(1), flag.Arg(2), flag.Arg(3))
	}
	if err != nil {
		fmt.Printf("FAILED  %v\n", err)
		c.report()
		os.Exit(1)
	}
	fmt.Println("the whole session passed")
}
