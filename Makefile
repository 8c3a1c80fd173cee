# The commands of the project. `make run` and `make test` install and build what they need.

JOBS   ?= $(shell nproc)
ARGS   ?=
COUNT  ?= 100000
SEED   ?=
SECONDS ?= 600
TARGETS ?=
WRITERS ?= 3
UNSYNCED ?=
ENGINE ?= docker
IMAGE  ?= stele

# The name of the build, for `stele --version`.
COMMIT = "$$(git describe --always --dirty 2>/dev/null || echo development)"

# Without -cross-module-optimization, generics across targets are a hundred times slower. With a
# static standard library, calls into Swift's runtime are direct.
#
# With the flag a target has the code of another one inlined, and with it the layout of the types of
# a third, which it does not name. SwiftPM does not compile it again when that layout changes, and
# the program would write beside its memory. So all is compiled again where a source has changed.
SOURCES = $$(find Package.swift Sources -type f | LC_ALL=C sort | xargs cat | sha1sum | cut -c1-16)
RELEASE = STELE_BUILD=$(COMMIT) \
	swift build -c release --static-swift-stdlib -Xswiftc -cross-module-optimization \
	-Xswiftc -DSTELE_SOURCES_$(SOURCES) -j $(JOBS)

# The allocator's tunable that the image sets as well (Docs/Performance.md).
TUNED = GLIBC_TUNABLES=glibc.malloc.tcache_count=64:glibc.malloc.tcache_max=384

# The tests that run on each kind of store, for PostgreSQL.
ON_POSTGRESQL = 'SteleGraphTests|SteleFilesTests|SteleFeedTests|StelePostgreSQLTests|MigrationTests'

.DEFAULT_GOAL := help
.PHONY: run test build bench differential fuzz sequences live-check rights-check seams stores torture mutate soak fairness planning files openapi-check clients sanitize format docs image clean help dependencies memory

run: build ## build for release and serve; make run ARGS="My.xcdatamodeld --port 9000"
	@$(TUNED) .build/release/stele serve $(ARGS)

test: dependencies ## run the tests
	@swift test -j $(JOBS)
	@STELE_STORES=postgresql swift test -j $(JOBS) --skip-build --filter $(ON_POSTGRESQL)

build: dependencies ## build .build/release/stele
	@$(RELEASE) --product stele

bench: build ## measure ratios against a baseline in the same run
	@$(RELEASE) --product Benchmarks
	@$(TUNED) .build/release/Benchmarks $(ARGS)

differential: dependencies ## compare two stores on random queries; COUNT=1000000 SEED=1
	@$(RELEASE) --product Differential
	@.build/release/Differential $(COUNT) $(SEED)

fuzz: dependencies ## try mutated inputs; SECONDS=600 SEED=1 TARGETS="json dates"
	@swift build -j $(JOBS) --product Fuzz
	@.build/debug/Fuzz $(SECONDS) $(SEED) $(TARGETS)

sequences: export STELE_SEQUENCES = $(if $(filter command,$(origin COUNT)),$(COUNT),10000)
sequences: dependencies ## edit two contexts at random; COUNT=10000, STELE_SEED=1
	@swift test -j $(JOBS) --filter RandomEditing

live-check: export STELE_RESULTS = $(if $(filter command,$(origin COUNT)),$(COUNT),10000)
live-check: dependencies ## follow random queries over random saves; COUNT=10000, STELE_SEED=1
	@swift test -j $(JOBS) --filter RandomResults

rights-check: export STELE_QUESTIONS = $(if $(filter command,$(origin COUNT)),$(COUNT),10000)
rights-check: dependencies ## ask a role of services whose hidden data differ; COUNT=10000, STELE_SEED=1
	@swift test -j $(JOBS) --filter RandomRights

seams: export STELE_SEAMS = $(if $(filter command,$(origin COUNT)),$(COUNT),20)
seams: dependencies ## write, read and copy values of each type by every road; COUNT=20 rounds, STELE_SEED=1
	@swift test -j $(JOBS) --filter Seam
	@STELE_STORES=postgresql swift test -j $(JOBS) --skip-build --filter Seam

stores: export STELE_RANDOM_STORES = $(if $(filter command,$(origin COUNT)),$(COUNT),2000)
stores: dependencies ## serve, write and migrate stores as Core Data has them; COUNT=2000, STELE_SEED=1
	@swift test -j $(JOBS) --filter RandomStore

torture: export STELE_KILLS = $(if $(filter command,$(origin COUNT)),$(COUNT),20)
torture: export STELE_WRITERS = $(WRITERS)
torture: dependencies ## kill a server under subscribers and writers; COUNT=20 WRITERS=3 UNSYNCED=1, STELE_SEED=1
	@swift test -j $(JOBS) --filter 'TortureTests/$(if $(UNSYNCED),answeredSaves,eachSubscriber)'

mutate: build ## send mutations of valid requests to a server; COUNT=1000 of each, SEED=1
	@$(RELEASE) --product Mutate
	@$(TUNED) .build/release/Mutate $(if $(filter command,$(origin COUNT)),$(COUNT),1000) $(SEED)

soak: build ## a mixed load with faults on a server; SECONDS=600 SEED=1
	@$(RELEASE) --product Soak
	@$(TUNED) .build/release/Soak $(SECONDS) $(SEED)

fairness: build ## measure what clients get beside others that ask for too much; SECONDS=5
	@Tests/Fairness/measure.py .build/release/stele $(if $(filter command,$(origin SECONDS)),$(SECONDS),5)

planning: build ## send predicates of COUNT=100000 nested or listed parts to every place that takes one
	@Tests/Fairness/planning.py .build/release/stele $(COUNT)

memory: build ## measure the memory of a service whose store has one very large save; COUNT=362891 objects
	@$(TUNED) Tests/Memory/measure.py .build/release/stele $(if $(filter command,$(origin COUNT)),$(COUNT),362891) $(BEFORE)

files: dependencies ## import files that other programs write, where they are installed; PYTHON=python3
	@swift build -j $(JOBS) --product stele
	@$(or $(PYTHON),python3) Tests/Tables/check.py .build/debug/stele

openapi-check: export COUNT := $(if $(filter command,$(origin COUNT)),$(COUNT),20)
openapi-check: dependencies ## check /openapi.json with tools of others; COUNT=20 SEED=1
	@swift build -j $(JOBS) --product stele
	@Tests/OpenAPI/check.sh

clients: ## install what generates clients of /openapi.json, for the tests; as root also the compilers
	@Tests/OpenAPI/install.sh

# A small quarantine for freed memory, because some tests measure memory.
sanitize: export ASAN_OPTIONS = quarantine_size_mb=8
sanitize: export STELE_TEST_INSTANTS = 50000
sanitize: dependencies ## run the tests under the thread, then the address sanitizer
	@swift test -j $(JOBS) --disable-xctest --sanitize=thread --scratch-path .build-tsan \
		-Xswiftc -DSTELE_THREAD_SANITIZER
	@LSAN_OPTIONS=suppressions=$(CURDIR)/Config/lsan-suppressions.txt:print_suppressions=0 \
		swift test -j $(JOBS) --disable-xctest --sanitize=address --scratch-path .build-asan

format: ## format the sources
	@swift format --in-place --recursive --parallel Package.swift Sources Tests

docs: dependencies ## build the reference of the library, a web site in .build/documentation
	@swift build -j $(JOBS) --target Stele
	@Config/build-documentation.sh .build/documentation

image: ## build the container image; ENGINE=podman, IMAGE=name:tag
	@$(ENGINE) build --build-arg STELE_BUILD=$(COMMIT) -t $(IMAGE) .

clean: ## remove the build folders
	@rm -rf .build .build-tsan .build-asan

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

dependencies:
	@Config/install-dependencies.sh
