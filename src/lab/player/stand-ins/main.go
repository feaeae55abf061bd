// Stand-ins for the parts of a hosted control plane that the lab does not run for real. One static binary, one subcommand each,
// nothing but the standard library. Each says in its first line of log what it stands for.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var parts = map[string]func(ctx context.Context, args []string) error{
	"ignition-server":       ignitionServer,
	"ignition-server-proxy": ignitionServerProxy,
	"oauth-openshift":       oauthServer,
	"machine-approver":      machineApprover,
	"kas-bootstrap":         kasBootstrap,
}

func main() {
	if len(os.Args) < 2 || parts[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: stand-ins PART [flags]; parts:")
		for name := range parts {
			fmt.Fprintln(os.Stderr, "  "+name)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	log.SetFlags(log.LstdFlags | log.Lmicroseconds)
	log.Printf("%s: a stand-in of the lab, not the real component", os.Args[1])
	if err := parts[os.Args[1]](ctx, os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

// serving are the flags of everything that listens.
type serving struct{ listen, cert, key string }

func (s *serving) flags(set *flag.FlagSet) {
	set.StringVar(&s.listen, "listen", ":8443", "address to listen on")
	set.StringVar(&s.cert, "cert-file", "", "serving certificate")
	set.StringVar(&s.key, "key-file", "", "its key")
}

// serve speaks HTTP/1.1 over TLS until ctx ends. No HTTP/2, as with the real ones.
func (s *serving) serve(ctx context.Context, handler http.Handler) error {
	server := &http.Server{
		Addr:         s.listen,
		Handler:      logged(handler),
		ReadTimeout:  5 * time.Second,
		WriteTimeout: 10 * time.Second,
		TLSConfig:    &tls.Config{MinVersion: tls.VersionTLS12},
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
		ErrorLog:     log.New(quiet{}, "", 0),
	}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServeTLS(s.cert, s.key); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// quiet leaves out those who connect and say nothing: the gateway looks every few seconds whether the port is open.
type quiet struct{}

func (quiet) Write(line []byte) (int, error) {
	if !bytes.HasSuffix(line, []byte(": EOF\n")) {
		log.Print(string(bytes.TrimSpace(line)))
	}
	return len(line), nil
}

func logged(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			log.Printf("%s %s from %s (%s)", r.Method, r.URL.Path, r.RemoteAddr, r.UserAgent())
		}
		handler.ServeHTTP(w, r)
	})
}

func healthz(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }
