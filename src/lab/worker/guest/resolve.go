package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
)

// stub is the user data as HyperShift writes it, as far as it is needed here.
type stub struct {
	Ignition struct {
		Config struct {
			Merge []struct {
				Source      string `json:"source"`
				HTTPHeaders []struct {
					Name  string `json:"name"`
					Value string `json:"value"`
				} `json:"httpHeaders"`
			} `json:"merge"`
		} `json:"config"`
		Security struct {
			TLS struct {
				CertificateAuthorities []struct {
					Source string `json:"source"`
				} `json:"certificateAuthorities"`
			} `json:"tls"`
		} `json:"security"`
	} `json:"ignition"`
}

func readStub(path string) (*stub, *url.URL, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var s stub
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, nil, err
	}
	if len(s.Ignition.Config.Merge) != 1 {
		return nil, nil, fmt.Errorf("%s merges %d configs, expected 1", path, len(s.Ignition.Config.Merge))
	}
	source, err := url.Parse(s.Ignition.Config.Merge[0].Source)
	return &s, source, err
}

// waitForDNS tries until the name of the ignition server resolves, and reports that as a step of its own: a worker that hangs here has
// a lease but no DNS.
func waitForDNS(ctx context.Context, args []string) error {
	var steps reporter
	set := flag.NewFlagSet("dns", flag.ExitOnError)
	steps.flags(set)
	userData := set.String("user-data", "", "the stub")
	resolvConf := set.String("resolv-conf", "/etc/resolv.conf", "which servers to ask")
	_ = set.Parse(args)
	_, source, err := readStub(*userData)
	if err != nil {
		return err
	}
	addresses, err := resolveUntilFound(ctx, *resolvConf, source.Hostname())
	if err != nil {
		return err
	}
	return steps.reached("dns", source.Hostname()+" "+strings.Join(addresses, ","))
}

func resolveUntilFound(ctx context.Context, resolvConf, host string) ([]string, error) {
	if net.ParseIP(host) != nil {
		return []string{host}, nil
	}
	for {
		addresses, err := resolverOf(resolvConf).LookupHost(ctx, host)
		if err == nil {
			return addresses, nil
		}
		fmt.Fprintf(os.Stderr, "%s does not resolve: %v\n", host, err)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// resolverOf asks the servers of a resolv.conf that need not be the system's: a light worker shares its files with the host.
func resolverOf(resolvConf string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		failure := fmt.Errorf("%s names no server", resolvConf)
		for _, server := range nameservers(resolvConf) {
			connection, err := dialer.DialContext(ctx, network, net.JoinHostPort(server, "53"))
			if err == nil {
				return connection, nil
			}
			failure = err
		}
		return nil, failure
	}}
}

func nameservers(path string) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var found []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == "nameserver" {
			found = append(found, fields[1])
		}
	}
	return found
}
