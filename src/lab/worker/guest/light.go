package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lightWorker does what a worker does between its lease and its Node, without a kernel, a kubelet or Ignition of its own: DNS, the
// config over TLS with the stub's headers and CA, a certificate by CSR, a Node with a heartbeat. It is there for numbers.
func lightWorker(ctx context.Context, args []string) error {
	var steps reporter
	set := flag.NewFlagSet("light", flag.ExitOnError)
	steps.flags(set)
	dir := set.String("dir", "", "where the DHCP client left hostname, address and resolv.conf")
	userData := set.String("user-data", "", "the stub")
	_ = set.Parse(args)
	resolvConf := filepath.Join(*dir, "resolv.conf")

	var address []byte
	if err := retry(ctx, 50*time.Millisecond, "waiting for a lease", func() (err error) {
		address, err = os.ReadFile(filepath.Join(*dir, "lease"))
		return err
	}); err != nil {
		return err
	}
	hostname, err := os.ReadFile(filepath.Join(*dir, "hostname"))
	if err != nil {
		hostname = []byte("localhost")
	}
	name := strings.TrimSpace(string(hostname))
	s, source, err := readStub(*userData)
	if err != nil {
		return err
	}
	found, err := resolveUntilFound(ctx, resolvConf, source.Hostname())
	if err != nil {
		return err
	}
	if err := steps.reached("dns", source.Hostname()+" "+strings.Join(found, ",")); err != nil {
		return err
	}
	bootstrap, err := fetchKubeconfig(ctx, s, source, resolvConf)
	if err != nil {
		return err
	}
	if err := steps.reached("ignition", source.Host); err != nil {
		return err
	}
	api, err := join(ctx, bootstrap, name, resolvConf)
	if err != nil {
		return err
	}
	if err := steps.reached("certificate", "system:node:"+name); err != nil {
		return err
	}
	return beNode(ctx, api, name, strings.TrimSpace(string(address)), steps)
}

// fetchKubeconfig gets the merged config and takes the bootstrap kubeconfig out of it.
func fetchKubeconfig(ctx context.Context, s *stub, source *url.URL, resolvConf string) (*kubeconfig, error) {
	pool := x509.NewCertPool()
	for _, authority := range s.Ignition.Security.TLS.CertificateAuthorities {
		pem, err := dataURL(authority.Source)
		if err != nil {
			return nil, err
		}
		pool.AppendCertsFromPEM(pem)
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Resolver: resolverOf(resolvConf)}
	transport := &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: pool}}
	client := &http.Client{Timeout: 30 * time.Second, Transport: transport}
	defer transport.CloseIdleConnections()
	var payload []byte
	err := retry(ctx, time.Second, "ignition", func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, source.String(), nil)
		if err != nil {
			return err
		}
		for _, header := range s.Ignition.Config.Merge[0].HTTPHeaders {
			request.Header.Set(header.Name, header.Value)
		}
		request.Header.Set("User-Agent", "Ignition/light (lab stand-in)")
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if payload, err = io.ReadAll(response.Body); err == nil && response.StatusCode != http.StatusOK {
			err = &refusal{response.StatusCode, string(payload)}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var config struct {
		Storage struct {
			Files []struct {
				Path     string `json:"path"`
				Contents struct {
					Source string `json:"source"`
				} `json:"contents"`
			} `json:"files"`
		} `json:"storage"`
	}
	if err := json.Unmarshal(payload, &config); err != nil {
		return nil, err
	}
	for _, file := range config.Storage.Files {
		if file.Path == "/etc/kubernetes/kubeconfig" {
			text, err := dataURL(file.Contents.Source)
			if err != nil {
				return nil, err
			}
			return parseKubeconfig(text)
		}
	}
	return nil, errors.New("the config has no /etc/kubernetes/kubeconfig")
}

func dataURL(text string) ([]byte, error) {
	meta, data, found := strings.Cut(text, ",")
	if !found || !strings.HasPrefix(meta, "data:") {
		return nil, errors.New("not a data URL")
	}
	if strings.HasSuffix(meta, ";base64") {
		return base64.StdEncoding.DecodeString(data)
	}
	plain, err := url.PathUnescape(data)
	return []byte(plain), err
}

const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests"

// join asks for the certificate of a node as kubelets do, with the credentials every worker starts with.
func join(ctx context.Context, bootstrap *kubeconfig, name, resolvConf string) (*cluster, error) {
	user := bootstrap.Users[0].User
	starter, err := tls.X509KeyPair(user.Cert, user.Key)
	if err != nil {
		return nil, err
	}
	api, err := bootstrap.dial(starter, resolvConf)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	subject := pkix.Name{CommonName: "system:node:" + name, Organization: []string{"system:nodes"}}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key)
	if err != nil {
		return nil, err
	}
	request := map[string]any{
		"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
		"metadata": map[string]any{"generateName": "csr-"},
		"spec": map[string]any{
			"request":    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			"signerName": "kubernetes.io/kube-apiserver-client-kubelet",
			"usages":     []string{"digital signature", "client auth"},
		},
	}
	var asked struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Status struct {
			Certificate []byte `json:"certificate"`
		} `json:"status"`
	}
	if err := retry(ctx, time.Second, "asking for a certificate", func() error {
		return api.do(ctx, http.MethodPost, csrs, "application/json", request, &asked)
	}); err != nil {
		return nil, err
	}
	if err := retry(ctx, 500*time.Millisecond, "waiting for the certificate", func() error {
		if err := api.do(ctx, http.MethodGet, csrs+"/"+asked.Metadata.Name, "", nil, &asked); err != nil {
			return err
		}
		if len(asked.Status.Certificate) == 0 {
			return fmt.Errorf("%s is pending", asked.Metadata.Name)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(asked.Status.Certificate, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
	if err != nil {
		return nil, err
	}
	return bootstrap.dial(pair, resolvConf)
}

// beNode registers, says Ready, and renews its lease until it is told to end.
func beNode(ctx context.Context, api *cluster, name, address string, steps reporter) error {
	object := map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": name, "labels": map[string]string{"kubernetes.io/hostname": name, "lab.hcpio.io/worker": "light"}},
	}
	if err := retry(ctx, time.Second, "registering", func() error {
		err := api.do(ctx, http.MethodPost, "/api/v1/nodes", "application/json", object, nil)
		if isStatus(err, http.StatusConflict) {
			return nil
		}
		return err
	}); err != nil {
		return err
	}
	if err := steps.reached("registered", name); err != nil {
		return err
	}
	host, _, _ := strings.Cut(address, "/")
	if err := retry(ctx, time.Second, "saying Ready", func() error { return sayReady(ctx, api, name, host) }); err != nil {
		return err
	}
	if err := steps.reached("ready", name); err != nil {
		return err
	}
	for {
		if err := renewLease(ctx, api, name); err != nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "lease: %v\n", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(10 * time.Second):
		}
	}
}

func sayReady(ctx context.Context, api *cluster, name, address string) error {
	now := time.Now().UTC().Format(time.RFC3339)
	status := map[string]any{"status": map[string]any{
		"conditions": []map[string]string{{
			"type": "Ready", "status": "True", "reason": "LightWorker", "message": "a light worker of the lab: no kubelet",
			"lastHeartbeatTime": now, "lastTransitionTime": now,
		}},
		"addresses": []map[string]string{{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}},
	}}
	return api.do(ctx, http.MethodPatch, "/api/v1/nodes/"+name+"/status", "application/strategic-merge-patch+json", status, nil)
}

func renewLease(ctx context.Context, api *cluster, name string) error {
	const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
	spec := map[string]any{"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")}
	err := api.do(ctx, http.MethodPatch, leases+"/"+name, "application/merge-patch+json", map[string]any{"spec": spec}, nil)
	if isStatus(err, http.StatusNotFound) {
		lease := map[string]any{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": map[string]any{"name": name, "namespace": "kube-node-lease"}, "spec": spec}
		return api.do(ctx, http.MethodPost, leases, "application/json", lease, nil)
	}
	return err
}
