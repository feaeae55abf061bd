// guest is the lab's own program inside a worker: it tells how far the worker has come, and lets a test run commands in it. In a light
// worker it also does the work itself (see light.go). One static binary, nothing but the standard library.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

var commands = map[string]func(ctx context.Context, args []string) error{
	"agent":      agent,
	"dns":        waitForDNS,
	"watch-node": watchNode,
	"light":      lightWorker,
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: guest agent|dns|watch-node|light [flags]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := commands[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "guest "+os.Args[1]+":", err)
		os.Exit(1)
	}
}
