# Everything a developer or CI types. `make` alone lists the targets.
# Needs Go only: Postgres comes from DATABASE_URL, from the machine, or is
# fetched once (package internal/pgembed says how). Two tests also run node: the
# client of EventStoreDB, and ours in clients/typescript. Without node and npm they
# are skipped, on CI they fail. Tests through a pooler take PgBouncer 1.21 or newer, or build it
# from Debian's source, as root.

GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# What `make bench AREA=...` measures, and where.
BENCH_eventstore = ./eventstore/postgres
BENCH_turn       = ./cmd/stepledger ./domain/slot ./domain/complexity
BENCH_page       = ./internal/dom ./commands/interact
BENCH_ledger     = ./projections/usage ./internal/billing
BENCH_verify     = ./internal/reason/rules
BENCH_api        = ./cmd/stepledger
BENCH_client     = ./internal/browser
BENCH_timetravel = ./projections/tasks ./projections/history ./cmd/stepledger
BENCH_knowledge  = ./projections/knowledge
BENCH_operate    = ./cmd/stepledger
# Which of the benchmarks there, where not all, and which not.
ONLY_timetravel = Find|Looking|TimeTravel
ONLY_api        = APILoad
ONLY_operate    = Operate
SKIP_turn       = TimeTravel|APILoad|Operate
AREAS = eventstore turn page ledger verify api timetravel client knowledge operate
AREA ?= $(AREAS)

# The folder of a checkout of message-db, which `make bench` then compares with.
MESSAGE_DB ?=
export MESSAGE_DB

# A file of recorded tasks of people, a JSON object a line (website, query, actions):
# `make bench AREA=turn` then also measures what is read of them without a model.
QUERIES ?=
override QUERIES := $(abspath $(QUERIES))
export QUERIES

FUZZTIME ?= 30s
COUNT    ?= 20

.DEFAULT_GOAL := help
.PHONY: help run demo build extension extension-store extension-page test race flakes soak drill cluster bench bench-large accname corpus train-router train-slots verdicts verdicts-record agent knowledge tasks-record api-release fuzz lint fmt tidy deploy-check check rebuild

help: ## list the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## serve HTTP, with a private Postgres unless DATABASE_URL is set, and print a demo login
	@echo "The first run also compiles: a minute or two."
	@CGO_ENABLED=0 go build -trimpath -o bin/stepledger ./cmd/stepledger && exec bin/stepledger serve --demo

demo: ## do one task in a real Chromium, turn by turn, and show what each reader gets of it
	@echo "The first run also compiles: a minute or two."
	@CGO_ENABLED=0 go build -trimpath -o bin/stepledger ./cmd/stepledger && exec bin/stepledger demo

build: ## build the binary bin/stepledger
	CGO_ENABLED=0 go build -trimpath -o bin/stepledger ./cmd/stepledger

extension: ## build the browser extension into extension/dist, and a zip of it (needs node 20 and npm)
	cd extension && npm ci --no-audit --no-fund --ignore-scripts && npm run -s build && npm run -s zip

extension-store: ## write the texts and pictures of the store anew, from the built extension [SCREENSHOTS=extension/store]
	cd extension && npm ci --no-audit --no-fund --ignore-scripts && npm run -s build && node store/icons.js && node store/listing.js
	go test ./extension/uitest -count=1 -run '^TestScreenshots$$' -screenshots '$(abspath $(or $(SCREENSHOTS),extension/store))'

extension-page: ## make the scripts anew that Go embeds of extension/page
	cd extension && npm ci --no-audit --no-fund --ignore-scripts && npm run -s page

rebuild: ## build every projection anew from the log, beside the running server
	go run ./cmd/stepledger projection rebuild

test: ## run every test, on a real Postgres (some 20 minutes on two cores)
	@echo "Every test in random order; a private Postgres starts by itself. The first run also compiles: a few minutes."
	go test -shuffle=on -timeout 45m ./...

race: ## the same under the race detector
	go test -race -shuffle=on -timeout 45m ./...

flakes: ## repeat every test COUNT=20 times under the race detector, for what fails now and then
	go test -race -shuffle=on -count=$(COUNT) -timeout 8h ./...

MINUTES ?= 60
soak: ## MINUTES=60 of mixed load with faults on two servers, then look whether anything is stuck, lost, paid twice or growing [SEED=of an earlier run]
	SOAK_MINUTES=$(MINUTES) SEED=$(SEED) go test -count=1 -timeout $$(($(MINUTES) + 45))m -v -run '^TestSoak$$' ./cmd/stepledger

DRILLS ?= 50
drill: ## restore DRILLS=50 points in time of a database under load, and look at all of each
	RESTORE_DRILLS=$(DRILLS) go test -count=1 -timeout 2h -v -run '^TestRestore_' ./cmd/stepledger

cluster: ## restart, kill and fail over four replicas, half of them through PgBouncer, under TASKS=10000 open tasks and RATE=10 requests a second, which two cores take: some quarter of an hour; prints "BAR operate.name ours=.. ref=.. ratio=.. unit=.."
	TASKS=$(or $(TASKS),10000) RATE=$(or $(RATE),10) go test -count=1 -timeout 2h -parallel 8 -v -run '^TestCluster$$' ./cmd/stepledger

bench: ## measure against the references [AREA=eventstore|turn|page|ledger|verify|api|timetravel|client|knowledge|operate] [MESSAGE_DB=folder]; prints "BAR area.name ours=.. ref=.. ratio=.. unit=.."
	@for area in $(AREA); do \
		case " $(AREAS) " in *" $$area "*) ;; *) echo "make bench: no area $$area, one of: $(AREAS)" >&2; exit 2;; esac; \
	done
	$(foreach area,$(AREA),go test -p 1 -run '^$$' -bench '$(or $(ONLY_$(area)),.)' -skip 'Large$(addprefix |,$(SKIP_$(area)))' -benchtime 1x -timeout 20m $(BENCH_$(area)) &&) true
	$(if $(filter verify,$(AREA)),@$(MAKE) --no-print-directory verdicts)

bench-large: ## the same on a log of ten million events and a month of ten million model calls: some twenty minutes and 25 GB of disk
	go test -p 1 -run '^$$' -bench Large -benchtime 1x -timeout 120m ./eventstore/postgres ./internal/billing

accname: ## count the accessible names read right of the accname folder of web-platform-tests, and list the others: DIR=folder
	@test -d "$(DIR)/manual" || { echo "make accname: DIR must be a folder with manual and name in it" >&2; exit 2; }
	@ACCNAME_DIR="$(abspath $(DIR))" go test -run '^$$' -bench '^BenchmarkAccname$$' -benchtime 1x ./internal/dom | grep -E '^(miss|manual|FAIL)'

corpus: ## report what a model is shown of real pages: DIR=folder of .html files
	@test -n "$(DIR)" || { echo "make corpus: say which folder of .html files, DIR=..." >&2; exit 2; }
	go run ./cmd/stepledger corpus "$(DIR)"

train-router: ## fit the weights of domain/complexity anew: QUERIES=file of recorded tasks
	@test -f "$(QUERIES)" || { echo "make train-router: say which file of recorded tasks, QUERIES=..." >&2; exit 2; }
	TRAIN_ROUTER=1 go test -run '^$$' -bench '^BenchmarkTrainRouter$$' -benchtime 1x ./domain/complexity

train-slots: ## fit the weights of domain/slot anew: QUERIES=file of recorded tasks; then train-router, which counts what it finds
	@test -f "$(QUERIES)" || { echo "make train-slots: say which file of recorded tasks, QUERIES=..." >&2; exit 2; }
	TRAIN_SLOTS=1 go test -run '^$$' -bench '^BenchmarkTrainSlots$$' -benchtime 1x ./domain/slot

verdicts: ## judge the recorded cases of verdicts/ and compare with the truth; prints "BAR verify.name ours=.. ref=.. ratio=.. unit=.." [ARGS="--undecided verdicts/train", ARGS="show train/mailbox"]
	@go run ./cmd/stepledger verdicts $(or $(ARGS),verdicts)

verdicts-record: ## drive those cases through a real Chromium anew: two hours [ARGS="verdicts/train/shop"]
	go run ./cmd/stepledger verdicts record $(or $(ARGS),verdicts)

agent: ## do tasks of checkouts without a model and count what came of them: MINIWOB=folder SPLIT=file [SEEDS=5] and INFINITY=folder APPS=a,b, or one of the two [TASKS=a,b] [WORKERS=4] [ARGS="--verbose --json FILE"]
	@test -n "$(MINIWOB)$(INFINITY)" || { echo "make agent: say which checkout, MINIWOB=folder SPLIT=file or INFINITY=folder APPS=a,b" >&2; exit 2; }
	@go run ./cmd/stepledger agent $(if $(MINIWOB),--miniwob "$(MINIWOB)/miniwob/html/miniwob" --split "$(SPLIT)") $(if $(INFINITY),--infinity "$(INFINITY)/apps" --apps "$(APPS)") \
		--tasks "$(TASKS)" $(if $(SEEDS),--seeds $(SEEDS)) $(if $(WORKERS),--workers $(WORKERS)) $(ARGS)

knowledge: ## measure what is read of documents and found in them: DIR=folder with articles (ground-truth.json, html/*.html.gz), pdf (*/*.pdf), docx (*.docx beside *.native), cranfield and xquad
	@test -d "$(DIR)" || { echo "make knowledge: say which folder of sets, DIR=..." >&2; exit 2; }
	@KNOWLEDGE_DIR="$(abspath $(DIR))" go test -p 1 -run '^$$' -bench '^Benchmark(Articles|Docx|PDF)$$' -benchtime 1x -timeout 20m ./internal/knowledge/extract
	@KNOWLEDGE_SETS="$(abspath $(DIR))" go test -p 1 -run '^$$' -bench '^BenchmarkKnowledge(Abstracts|Paragraphs)$$' -benchtime 1x -timeout 40m ./projections/knowledge

RECORDED = cmd/stepledger/testdata/tasks
RELEASE ?= $(shell ls $(RECORDED) | sort -V | tail -n 1)
tasks-record: ## record the tasks that CI replays anew, by the tests that make them: two minutes [RELEASE=v2 begins a new folder; those of older releases stay]
	@case "$(RELEASE)" in v[0-9]*) ;; *) echo "make tasks-record: say which release, RELEASE=v1" >&2; exit 2;; esac
	rm -rf "$(RECORDED)/$(RELEASE)"
	go test -count=1 ./cmd/stepledger -run '^Test(Branches_|Faults_|Secrets_|Replay_|Pause|Interact_UnderJudgement|Reactions_AnArchivedSession)' -record-tasks '$(RELEASE)'

api-release: ## make the present description of the API the one clients may rely on: what breaks them, `make test` refuses until then
	go test ./api -count=1 -v -run '^TestDescription_BreaksNoClient$$' -release

fuzz: ## fuzz every Fuzz target for FUZZTIME=30s each
	@grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort | while IFS=: read -r file func; do \
		name=$${func#func }; \
		echo "$$name in $${file%/*}"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$${file%/*}" </dev/null || exit 1; \
	done

lint: ## formatting, go vet, golangci-lint (.golangci.yml)
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted (make fmt):" $$files >&2; exit 1; fi
	go vet ./...
	go run $(GOLANGCI_LINT) run

fmt: ## format every Go file
	gofmt -w .

tidy: ## fail when go.mod or go.sum is not what the code needs
	go mod tidy -diff

deploy-check: ## check deploy/: image, manifests, rules, dashboard, runbook; a module of its own. The first run compiles: some minutes
	cd deploy/check && go vet ./... && go mod tidy -diff && go test -count=1 ./...

check: lint tidy test deploy-check ## what CI runs (.ci/run), and lint and tidy before it
