package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"sync"
	"time"
)

type order struct {
	ID      int      `json:"id"`
	Argv    []string `json:"argv"`
	Stdin   []byte   `json:"stdin"`
	Seconds float64  `json:"seconds"`
}

type answer struct {
	ID     int    `json:"id"`
	Code   int    `json:"code"`
	Stdout []byte `json:"stdout"`
	Stderr []byte `json:"stderr"`
}

// agent runs what comes in on a virtio port, one JSON order per line, and answers with one JSON line each: a way into the machine that
// does not touch its network, which is what is being tested.
func agent(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("agent", flag.ExitOnError)
	_ = set.Parse(args)
	port, err := os.OpenFile(set.Arg(0), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	var writing sync.Mutex
	for {
		// The port reads as at its end while nobody is connected on the host's side.
		lines := bufio.NewScanner(port)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var o order
			if json.Unmarshal(lines.Bytes(), &o) != nil || len(o.Argv) == 0 {
				continue
			}
			go func() {
				reply, _ := json.Marshal(execute(ctx, o))
				writing.Lock()
				defer writing.Unlock()
				_, _ = port.Write(append(reply, '\n'))
			}()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func execute(ctx context.Context, o order) answer {
	if o.Seconds > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(o.Seconds*float64(time.Second)))
		defer cancel()
		ctx = limited
	}
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, o.Argv[0], o.Argv[1:]...)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(o.Stdin), &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return answer{o.ID, 0, stdout.Bytes(), stderr.Bytes()}
	case errors.As(err, &exit):
		return answer{o.ID, exit.ExitCode(), stdout.Bytes(), stderr.Bytes()}
	default:
		return answer{o.ID, 127, stdout.Bytes(), []byte(err.Error())}
	}
}
