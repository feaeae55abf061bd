package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"time"
)

const (
	clientSigner  = "kubernetes.io/kube-apiserver-client-kubelet"
	servingSigner = "kubernetes.io/kubelet-serving"
	bootstrapper  = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
)

type machine struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Addresses []struct {
			Type    string `json:"type"`
			Address string `json:"address"`
		} `json:"addresses"`
	} `json:"status"`
}

type csr struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Request    []byte `json:"request"`
		SignerName string `json:"signerName"`
		Username   string `json:"username"`
	} `json:"spec"`
	Status struct {
		Conditions []struct {
			Type string `json:"type"`
		} `json:"conditions"`
	} `json:"status"`
}

// machineApprover lets a kubelet in when its name is that of a Machine, and gives it a serving certificate when the addresses in the
// request are the Machine's. A worker that calls itself otherwise stays pending, as with the real cluster-machine-approver.
func machineApprover(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("machine-approver", flag.ExitOnError)
	server := set.String("server", "", "URL of the hosted API")
	_ = set.Parse(args)
	hub, err := hubAPI()
	if err != nil {
		return err
	}
	guest, err := guestAPI(*server)
	if err != nil {
		return err
	}
	namespace, err := os.ReadFile(serviceAccount + "/namespace")
	if err != nil {
		return err
	}
	told := map[string]string{}
	every(ctx, time.Second, func() {
		if err := approveAll(ctx, hub, guest, string(namespace), told); err != nil && ctx.Err() == nil {
			log.Print(err)
		}
	})
	return nil
}

func approveAll(ctx context.Context, hub, guest *api, namespace string, told map[string]string) error {
	var requests struct {
		Items []csr `json:"items"`
	}
	if err := guest.get(ctx, "/apis/certificates.k8s.io/v1/certificatesigningrequests", &requests); err != nil {
		return err
	}
	pending := slices.DeleteFunc(requests.Items, func(c csr) bool { return len(c.Status.Conditions) > 0 })
	if len(pending) == 0 {
		return nil
	}
	var machines struct {
		Items []machine `json:"items"`
	}
	if err := hub.get(ctx, "/apis/cluster.x-k8s.io/v1beta2/namespaces/"+namespace+"/machines", &machines); err != nil {
		return err
	}
	for _, request := range pending {
		name := request.Metadata.Name
		if err := judge(request, machines.Items); err != nil {
			if told[name] != err.Error() {
				log.Printf("%s stays pending: %v", name, err)
				told[name] = err.Error()
			}
			continue
		}
		if err := approve(ctx, guest, name); err != nil {
			return err
		}
		log.Printf("approved %s of %s for %s", name, request.Spec.Username, request.Spec.SignerName)
	}
	return nil
}

func judge(request csr, machines []machine) error {
	block, _ := pem.Decode(request.Spec.Request)
	if block == nil {
		return errors.New("no PEM in it")
	}
	asked, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(machines, func(m machine) bool { return "system:node:"+m.Metadata.Name == asked.Subject.CommonName })
	if index < 0 {
		return fmt.Errorf("there is no Machine for %s", asked.Subject.CommonName)
	}
	if !slices.Equal(asked.Subject.Organization, []string{"system:nodes"}) {
		return fmt.Errorf("it asks for the groups %v", asked.Subject.Organization)
	}
	switch request.Spec.SignerName {
	case clientSigner:
		if request.Spec.Username != bootstrapper && request.Spec.Username != asked.Subject.CommonName {
			return fmt.Errorf("%s may not ask for it", request.Spec.Username)
		}
		return nil
	case servingSigner:
		if request.Spec.Username != asked.Subject.CommonName {
			return fmt.Errorf("%s may not ask for it", request.Spec.Username)
		}
		return judgeNames(asked, machines[index])
	}
	return fmt.Errorf("not a signer of kubelets: %s", request.Spec.SignerName)
}

func judgeNames(asked *x509.CertificateRequest, of machine) error {
	known := map[string]bool{of.Metadata.Name: true}
	for _, address := range of.Status.Addresses {
		known[address.Address] = true
	}
	for _, name := range asked.DNSNames {
		if !known[name] {
			return fmt.Errorf("the Machine is not known as %s", name)
		}
	}
	for _, address := range asked.IPAddresses {
		if !known[address.String()] {
			return fmt.Errorf("the Machine has no address %s (yet)", address)
		}
	}
	return nil
}

func approve(ctx context.Context, guest *api, name string) error {
	path := "/apis/certificates.k8s.io/v1/certificatesigningrequests/" + name
	var whole map[string]any
	if err := guest.get(ctx, path, &whole); err != nil {
		return err
	}
	whole["status"] = map[string]any{"conditions": []map[string]string{{
		"type": "Approved", "status": "True", "reason": "NodeCSRApprove", "message": "The lab's machine-approver knows this Machine",
	}}}
	return guest.do(ctx, http.MethodPut, path+"/approval", "application/json", whole, nil)
}
