# hcpio: `make demo` shows it, `make test` proves it. Everything they need they install themselves.
SHELL := /bin/bash
.DEFAULT_GOAL := help
NODE := node_modules/node/bin/node
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

.PHONY: help install check test demo tools lab generate format bench bench-plan bench-lab deploy bench-operator
help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

install: node_modules/.installed ## the npm packages, Node 24 among them
# Not `npm ci`: it insists on lock entries for the binaries of every platform, and mirrors do not carry them all. The versions are the lock's all the same.
node_modules/.installed: package.json package-lock.json
	npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

check: install ## types, style, dead code; seconds
	tsc --noEmit
	biome check .
	oxlint --type-aware --deny-warnings
	knip

tools: install ## the daemons that tests run against, built once and cached
	$(NODE) tools/build.ts test

lab: install ## everything the lab needs, built once and cached
	@$(NODE) tools/build.ts lab && $(NODE) src/lab/images/build.ts && echo "everything the lab needs is there after $$SECONDS s"

test: check tools lab ## all tests; the last line is `N passed, N failed`
	vitest run

demo: lab ## the lab and the operator: an annotation, and a VM on an isolated VLAN joins through the gateway
	bin/hcpio lab demo --name demo

LAB ?= demo
deploy: lab ## the operator into the lab LAB=demo, which is brought up if it does not stand
	if bin/hcpio lab status --name $(LAB) >/dev/null 2>&1; then bin/hcpio lab deploy --name $(LAB); else bin/hcpio lab up --operator --name $(LAB); fi

generate: install ## renew the CRD and the reference pages
	$(NODE) src/cli/generate.ts

format: install ## tidy the sources
	biome check --write .

bench: bench-plan bench-lab bench-operator ## all benchmarks; results go to bench/results

bench-plan: install ## planning and rendering of 1, 100 and 1,000 tenants
	$(NODE) --expose-gc bench/plan.ts

bench-lab: lab ## building the lab from nothing, bringing it up, what it costs, 1 to 100 workers (needs root)
	$(NODE) bench/lab.ts $(ARGS)

bench-operator: tools ## the operator on a real API server with 1, 100 and 1,000 tenants: ARGS="100" for one of them
	$(NODE) bench/operator.ts $(ARGS)
