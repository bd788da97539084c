# Thin names for the commands that people and CI run. `make help` lists them.

GO       ?= go
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X main.version=$(VERSION)
FUZZTIME ?= 5s
BENCH    ?= .
COUNT    ?= 1
SOAK     ?= 1h

# What `lint` vets and `cross` builds: what releases are made for.
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 windows/386

EXE := $(shell $(GO) env GOEXE)

.DEFAULT_GOAL := help
.PHONY: help build cross test race race-live lint fuzz bench peers cost demo cover house soak test-netcoredbg clean

help: ## this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## bin/breakwire, a static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "$(LDFLAGS)" -o bin/breakwire$(EXE) ./cmd/breakwire

cross: ## build for every platform that releases are made for
	@for p in $(PLATFORMS); do echo "go build $$p"; \
	CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build ./... || exit 1; done

test: bin/dlv$(EXE) ## all tests; builds Delve first when it is missing
	$(GO) test -timeout 30m ./...
	cd tools && $(GO) test ./peers ./house ./cost

# Tests that start real debuggers. They take most of the time, so under the race detector they have their own target.
LIVE := ^(TestLive|TestAcceptance)

race: bin/dlv$(EXE) ## all tests but the live ones under the race detector, shuffled, twice (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -shuffle=on -timeout 40m -skip '$(LIVE)' ./...
	CGO_ENABLED=1 $(GO) test -race -shuffle=on -timeout 40m -skip '$(LIVE)' -count=1 ./...

race-live: bin/dlv$(EXE) ## the live tests under the race detector, shuffled
	CGO_ENABLED=1 $(GO) test -race -shuffle=on -timeout 60m -run '$(LIVE)' ./...

lint: bin/staticcheck$(EXE) ## gofmt, lines of at most 120 columns, go vet on every platform, staticcheck
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; fi
	cd tools && $(GO) run ./house -long ..
	@for p in $(PLATFORMS); do echo "go vet $$p"; \
	CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./... || exit 1; done
	cd tools && $(GO) vet ./...
	bin/staticcheck$(EXE) ./...

fuzz: ## every fuzz target for FUZZTIME (5s)
	@for pkg in $$($(GO) list ./...); do \
	for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; done; done

bench: bin/dlv$(EXE) ## benchmarks; BENCH=pattern, COUNT=n for bin/benchstat; those of .NET with NETCOREDBG_PATH and dotnet
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...

peers: bin/dlv$(EXE) build ## ours and other MCP servers (PEER_...=command, tools/peers) through the same work, beside a raw DAP client
	cd tools && $(GO) build -o ../bin/peers$(EXE) ./peers && cd .. && bin/peers$(EXE) $(PEERS)

cost: bin/dlv$(EXE) build ## twenty tasks: calls and bytes; COST="-before FILE" with a binary of a168d9a compares
	cd tools && $(GO) build -o ../bin/cost$(EXE) ./cost && cd .. && \
	DLV_PATH="$${DLV_PATH:-$(CURDIR)/bin/dlv$(EXE)}" bin/cost$(EXE) $(COST)

soak: bin/dlv$(EXE) ## sessions, hits and output for SOAK (1h) each; memory, files and goroutines must stay flat
	BREAKWIRE_SOAK=$(SOAK) $(GO) test ./adapter/mcpserver ./cmd/breakwire -run TestSoak -v -count=1 -timeout 0

demo: bin/dlv$(EXE) build ## a whole debugging session, narrated
	DLV_PATH="$${DLV_PATH:-$(CURDIR)/bin/dlv$(EXE)}" bin/breakwire$(EXE) demo

cover: bin/dlv$(EXE) ## test coverage: total here, by line in bin/cover.html
	$(GO) test -coverpkg=./... -coverprofile=bin/cover.out ./...
	$(GO) tool cover -html=bin/cover.out -o bin/cover.html
	$(GO) tool cover -func=bin/cover.out | tail -n 1

house: ## the structure of the code in figures: at the start of the redesign, target, now; HOUSE=-list names what was counted
	@cd tools && $(GO) run ./house $(HOUSE) ..

test-netcoredbg: ## the session script against a real netcoredbg (NETCOREDBG_PATH, dotnet on PATH)
	@if [ ! -x "$${NETCOREDBG_PATH:-}" ]; then echo "skipped: NETCOREDBG_PATH does not name a netcoredbg executable"; \
	elif ! command -v dotnet >/dev/null; then echo "skipped: dotnet is not on PATH"; \
	else $(GO) test ./cmd/breakwire ./adapter/mcpserver -run "TestLiveNetcoredbg|TestAcceptance/netcoredbg" -v -count=1 \
		-timeout 1h; fi

clean: ## remove bin/
	rm -rf bin

# Tools of the tests, at the versions of tools/go.mod. The go command leaves an up-to-date file alone, hence touch.
bin/dlv$(EXE): tools/go.mod
	cd tools && $(GO) build -o ../$@ github.com/go-delve/delve/cmd/dlv && touch ../$@

bin/staticcheck$(EXE): tools/go.mod
	cd tools && $(GO) build -o ../$@ honnef.co/go/tools/cmd/staticcheck && touch ../$@

bin/benchstat$(EXE): tools/go.mod
	cd tools && $(GO) build -o ../$@ golang.org/x/perf/cmd/benchstat && touch ../$@
