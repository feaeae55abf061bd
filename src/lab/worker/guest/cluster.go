package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// kubeconfig is the bootstrap kubeconfig that Ignition wrote; the lab's is JSON, which is YAML too.
type kubeconfig struct {
	Clusters []struct {
		Cluster struct {
			Server string `json:"server"`
			CA     []byte `json:"certificate-authority-data"`
		} `json:"cluster"`
	} `json:"clusters"`
	Users []struct {
		User struct {
			Cert []byte `json:"client-certificate-data"`
			Key  []byte `json:"client-key-data"`
		} `json:"user"`
	} `json:"users"`
}

func parseKubeconfig(text []byte) (*kubeconfig, error) {
	var k kubeconfig
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, err
	}
	if len(k.Clusters) == 0 || len(k.Users) == 0 {
		return nil, errors.New("the kubeconfig names no cluster or no user")
	}
	return &k, nil
}

// cluster is the hosted API, seen from a worker: by its published name, through whatever stands between.
type cluster struct {
	server string
	client *http.Client
}

type refusal struct {
	status int
	body   string
}

func (r *refusal) Error() string { return fmt.Sprintf("the API answered %d: %s", r.status, r.body) }

func (k *kubeconfig) dial(identity tls.Certificate, resolvConf string) (*cluster, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(k.Clusters[0].Cluster.CA) {
		return nil, errors.New("the kubeconfig holds no CA")
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second, Resolver: resolverOf(resolvConf)}
	transport := &http.Transport{
		DialContext:       dialer.DialContext,
		TLSClientConfig:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{identity}},
		ForceAttemptHTTP2: true,
	}
	return &cluster{k.Clusters[0].Cluster.Server, &http.Client{Timeout: 15 * time.Second, Transport: transport}}, nil
}

func (c *cluster) do(ctx context.Context, method, path, contentType string, body, result any) error {
	encoded := []byte(nil)
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", contentType)
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return &refusal{response.StatusCode, string(content)}
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(content, result)
}

func isStatus(err error, status int) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == status
}

// retry calls work until it succeeds or ctx ends. What went wrong is said once, until it is something else.
func retry(ctx context.Context, interval time.Duration, what string, work func() error) error {
	said := ""
	for {
		err := work()
		if err == nil {
			return nil
		}
		if err.Error() != said {
			said = err.Error()
			fmt.Fprintf(os.Stderr, "%s: %s\n", what, said)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, err)
		case <-time.After(interval):
		}
	}
}

type node struct {
	Status struct {
		Conditions []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
		} `json:"conditions"`
	} `json:"status"`
}

func (n node) ready() bool {
	for _, condition := range n.Status.Conditions {
		if condition.Type == "Ready" {
			return condition.Status == "True"
		}
	}
	return false
}

// watchNode reports when the kubelet's Node appears and when it is Ready, asked as the kubelet itself.
func watchNode(ctx context.Context, args []string) error {
	var steps reporter
	set := flag.NewFlagSet("watch-node", flag.ExitOnError)
	steps.flags(set)
	bootstrap := set.String("bootstrap-kubeconfig", "", "what Ignition wrote")
	identity := set.String("identity", "", "the kubelet's certificate and key")
	name := set.String("name", "", "the Node's name")
	_ = set.Parse(args)
	text, err := os.ReadFile(*bootstrap)
	if err != nil {
		return err
	}
	config, err := parseKubeconfig(text)
	if err != nil {
		return err
	}
	const interval = 250 * time.Millisecond
	var api *cluster
	if err := retry(ctx, interval, "waiting for the kubelet's certificate", func() error {
		pair, err := tls.LoadX509KeyPair(*identity, *identity)
		if err != nil {
			return err
		}
		api, err = config.dial(pair, "/etc/resolv.conf")
		return err
	}); err != nil {
		return err
	}
	if err := steps.reached("certificate", "system:node:"+*name); err != nil {
		return err
	}
	var seen node
	get := func() error { return api.do(ctx, http.MethodGet, "/api/v1/nodes/"+*name, "", nil, &seen) }
	if err := retry(ctx, interval, "waiting for the Node", get); err != nil {
		return err
	}
	if err := steps.reached("registered", *name); err != nil {
		return err
	}
	if err := retry(ctx, interval, "waiting for Ready", func() error {
		if err := get(); err != nil {
			return err
		}
		if !seen.ready() {
			return errors.New("the Node is not Ready")
		}
		return nil
	}); err != nil {
		return err
	}
	return steps.reached("ready", *name)
}
