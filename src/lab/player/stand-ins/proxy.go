package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// ignitionServerProxy ends the TLS of workers under the published name and opens its own to ignition-server, checking it against the
// root CA; HyperShift configures an haproxy to do this.
func ignitionServerProxy(ctx context.Context, args []string) error {
	var at serving
	var upstream, ca string
	set := flag.NewFlagSet("ignition-server-proxy", flag.ExitOnError)
	at.flags(set)
	set.StringVar(&upstream, "upstream", "", "URL of ignition-server")
	set.StringVar(&ca, "upstream-ca", "", "what signed its certificate")
	_ = set.Parse(args)
	target, err := url.Parse(upstream)
	if err != nil {
		return err
	}
	pool, err := certPool(ca)
	if err != nil {
		return err
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	return at.serve(ctx, proxy)
}

// oauthServer has the right certificate and the usual paths, and logs nobody in.
func oauthServer(ctx context.Context, args []string) error {
	var at serving
	set := flag.NewFlagSet("oauth-openshift", flag.ExitOnError)
	at.flags(set)
	_ = set.Parse(args)
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", healthz)
	mux.HandleFunc("/oauth/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="openshift"`)
		http.Error(w, "this is the lab's stand-in for the OAuth server: nobody can log in here", http.StatusUnauthorized)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "oauth-openshift (stand-in)") })
	return at.serve(ctx, mux)
}
