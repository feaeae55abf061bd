package main

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"strings"
)

const reached = "hypershift.openshift.io/ignition-reached"

type secret struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Data map[string][]byte `json:"data"`
}

// ignitionServer answers as HyperShift's does: the token of the node pool's token Secret opens, the payload is served, and the Secret
// is annotated, which is how HyperShift learns that a machine got this far. The payload itself is made by the lab's player.
func ignitionServer(ctx context.Context, args []string) error {
	var at serving
	set := flag.NewFlagSet("ignition-server", flag.ExitOnError)
	at.flags(set)
	_ = set.Parse(args)
	hub, err := hubAPI()
	if err != nil {
		return err
	}
	namespace, err := os.ReadFile(serviceAccount + "/namespace")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", healthz)
	mux.HandleFunc("/ignition", payloads{hub, string(namespace)}.serve)
	return at.serve(ctx, mux)
}

type payloads struct {
	hub       *api
	namespace string
}

func (p payloads) serve(w http.ResponseWriter, r *http.Request) {
	encoded, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	token, err := base64.StdEncoding.DecodeString(encoded)
	if !isBearer || err != nil {
		refuse(w, http.StatusUnauthorized, "Unauthorized")
		return
	}
	// <pool>-<hash> is in the names of both Secrets; the headers say which.
	_, pool, _ := strings.Cut(r.Header.Get("NodePool"), "/")
	hash := r.Header.Get("TargetConfigVersionHash")
	if pool == "" || hash == "" {
		refuse(w, http.StatusBadRequest, "NodePool and TargetConfigVersionHash must be given")
		return
	}
	known, err := p.secret(r.Context(), "token-"+pool+"-"+hash)
	if err != nil || subtle.ConstantTimeCompare(known.Data["token"], token) != 1 {
		// A 5xx makes Ignition try again: the token may not have reached us yet.
		refuse(w, http.StatusNetworkAuthenticationRequired, "Token not found")
		return
	}
	payload, err := p.secret(r.Context(), "ignition-payload-"+pool+"-"+hash)
	if err != nil {
		refuse(w, http.StatusNetworkAuthenticationRequired, "Payload not found")
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(payload.Data["payload"])
	if known.Metadata.Annotations[reached] != "True" {
		patch := map[string]any{"metadata": map[string]any{"annotations": map[string]string{reached: "True"}}}
		if err := p.hub.mergePatch(r.Context(), p.path("token-"+pool+"-"+hash), patch); err != nil {
			log.Printf("could not note that ignition was reached: %v", err)
		}
	}
}

func (p payloads) path(name string) string {
	return "/api/v1/namespaces/" + p.namespace + "/secrets/" + name
}

func (p payloads) secret(ctx context.Context, name string) (secret, error) {
	var found secret
	if strings.ContainsAny(name, "/?#%") {
		return found, errors.New("not the name of a Secret")
	}
	err := p.hub.get(ctx, p.path(name), &found)
	if err != nil {
		log.Printf("%s: %v", name, err)
	}
	return found, err
}

func refuse(w http.ResponseWriter, status int, why string) {
	log.Printf("refused with %d: %s", status, why)
	http.Error(w, why, status)
}
