package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// api is as much of a Kubernetes client as the stand-ins need.
type api struct {
	server string
	client *http.Client
	token  func() (string, error)
}

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// hubAPI is the hub's API, as the ServiceAccount of this pod.
func hubAPI() (*api, error) {
	pool, err := certPool(serviceAccount + "/ca.crt")
	if err != nil {
		return nil, err
	}
	return &api{
		server: fmt.Sprintf("https://%s:%s", os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")),
		client: tlsClient(&tls.Config{RootCAs: pool}),
		// Read each time: the kubelet replaces it.
		token: func() (string, error) {
			token, err := os.ReadFile(serviceAccount + "/token")
			return strings.TrimSpace(string(token)), err
		},
	}, nil
}

// guestAPI is the hosted cluster's API, with the certificate mounted beside the process.
func guestAPI(server string) (*api, error) {
	pool, err := certPool("/etc/guest/ca/ca.crt")
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair("/etc/guest/client/tls.crt", "/etc/guest/client/tls.key")
	if err != nil {
		return nil, err
	}
	return &api{server: server, client: tlsClient(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}})}, nil
}

func certPool(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", path)
	}
	return pool, nil
}

func tlsClient(config *tls.Config) *http.Client {
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}}
}

type apiError struct {
	status int
	body   string
}

func (e *apiError) Error() string { return fmt.Sprintf("the API answered %d: %s", e.status, e.body) }

func (a *api) do(ctx context.Context, method, path, contentType string, body any, result any) error {
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, a.server+path, reader)
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	if a.token != nil {
		token, err := a.token()
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return &apiError{response.StatusCode, string(content)}
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(content, result)
}

func (a *api) get(ctx context.Context, path string, result any) error {
	return a.do(ctx, http.MethodGet, path, "", nil, result)
}

func (a *api) mergePatch(ctx context.Context, path string, patch any) error {
	return a.do(ctx, http.MethodPatch, path, "application/merge-patch+json", patch, nil)
}

// every calls work at once and then each interval, until ctx ends.
func every(ctx context.Context, interval time.Duration, work func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		work()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
