package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

var collections = map[string]string{
	"Namespace":          "/api/v1/namespaces",
	"ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}

// kasBootstrap creates the guest's first objects and then keeps still, as the container of that name does.
func kasBootstrap(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("kas-bootstrap", flag.ExitOnError)
	server := set.String("server", "", "URL of the hosted API")
	file := set.String("manifests", "", "JSON list of objects")
	_ = set.Parse(args)
	text, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	var manifests []json.RawMessage
	if err := json.Unmarshal(text, &manifests); err != nil {
		return err
	}
	guest, err := guestAPI(*server)
	if err != nil {
		return err
	}
	done, stop := context.WithCancel(ctx)
	every(done, 500*time.Millisecond, func() {
		if err := createAll(ctx, guest, manifests); err != nil {
			log.Printf("not yet: %v", err)
			return
		}
		log.Printf("%d objects are there", len(manifests))
		stop()
	})
	<-ctx.Done()
	return nil
}

func createAll(ctx context.Context, guest *api, manifests []json.RawMessage) error {
	for _, manifest := range manifests {
		var about struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(manifest, &about); err != nil {
			return err
		}
		path, known := collections[about.Kind]
		if !known {
			return fmt.Errorf("no path for %s", about.Kind)
		}
		var refusal *apiError
		err := guest.do(ctx, http.MethodPost, path, "application/json", manifest, nil)
		if errors.As(err, &refusal) && refusal.status == http.StatusConflict {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
