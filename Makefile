# SPDX-License-Identifier: Apache-2.0
# Each goal works as the first command after cloning: it installs the missing Debian packages
# (dev/install-packages.sh), configures, builds, and then does what its name says.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PRESET ?= test  # of test: test, dev, asan, tsan, shared, coverage, release
OPTIMIZED ?= release  # of build, run, serve, bench: release, or package (LTO)
ARGS ?=        # of test: for ctest, e.g. ARGS='-R store'; of serve: for dray serve
SINCE ?=       # of lint: only files that changed since this commit
PREFIX ?= /usr/local  # of install
FUZZ_SECONDS ?= 60

# One compiler for each CPU, but never more than memory carries: 1.5 GB for the heaviest unit.
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell awk -v cpus=$$(nproc) \
  '/^MemAvailable/ {fit = int($$2 / 1500000); print fit < 1 ? 1 : fit < cpus ? fit : cpus}' /proc/meminfo)
# One more than CPUs: some tests wait for most of their time.
TEST_JOBS ?= $(shell echo $$(($$(nproc) + 1)))

preset := $(strip $(PRESET))
optimized := $(strip $(OPTIMIZED))
args := $(strip $(ARGS))

.PHONY: help program build install package run serve test bench fuzz fmt lint soak clean

help:
	@echo 'make run     the main job: a server, three stories, claims allocated, pods bound'
	@echo 'make test    build and test       (PRESET=asan, ARGS="-R store")'
	@echo 'make build   optimised programs in build/bin/, benchmarks too   (OPTIMIZED=package: with LTO)'
	@echo 'make install the library, headers and find_package(dray)   (PREFIX=$(strip $(PREFIX)))'
	@echo 'make package a .deb, a tarball and an image in build/packages, tried in clean roots (docs/packages.md)'
	@echo 'make serve   a server with simulated nodes that stays up   (ARGS="--nodes ...")'
	@echo 'make bench   the numbers of bench/README.md'
	@echo 'make fuzz    every fuzz target for $(strip $(FUZZ_SECONDS)) s'
	@echo 'make fmt     format all C++ files'
	@echo 'make lint    clang-tidy, layers, headers, build budget   (SINCE=HEAD~1: changed files only)'
	@echo 'make soak    the tests under asan, tsan and shared; random ones, optimised, twenty times as long;'
	@echo '             five minutes beside hostile users; ten minutes of big answers to real clients'
	@echo 'make clean   delete build/'

# dray alone: what a newcomer waits for.
program:
	@dev/install-packages.sh run $(filter package,$(optimized))
	@cmake --preset $(optimized)
	@cmake --build --preset $(optimized) --target dray
	@dev/link-programs.sh build/$(optimized)/bin build/bin

build:
	@dev/install-packages.sh run bench $(filter package,$(optimized))
	@cmake --preset $(optimized)
	@cmake --build --preset $(optimized) --target programs
	@dev/link-programs.sh build/$(optimized)/bin build/bin

install:
	@dev/install-packages.sh build
	@cmake --preset release
	@cmake --build --preset release --target dray_library
	@cmake --install build/release --prefix $(strip $(PREFIX)) --component library

package:
	@dev/install-packages.sh package
	@packaging/build.sh

run: program
	@dev/run-demo.sh

serve: program
	@exec build/bin/dray serve --data-dir build/serve $(if $(args),$(args),--nodes example=2)

test:
	@dev/install-packages.sh run test
	@# The clients of other languages come from their registries while ours is compiled.
	@tests/clients/compile.sh & \
	  cmake --preset $(preset) && cmake --build --preset $(preset) && wait
	@ctest --preset $(preset) --output-on-failure -j$(TEST_JOBS) $(args)

bench: build
	@bench/run.sh

fuzz:
	@dev/install-packages.sh run test
	@cmake --preset fuzz
	@cmake --build --preset fuzz --target fuzz_targets
	@dev/fuzz.sh build/fuzz/bin $(strip $(FUZZ_SECONDS))

fmt:
	@dev/install-packages.sh lint
	@git ls-files -z '*.h' '*.cc' | xargs -0 -r clang-format-19 -i

lint:
	@dev/install-packages.sh run test lint
	@cmake --preset dev
	@cmake --build --preset dev
	@cmake --build --preset dev --target all_verify_interface_header_sets
	@ctest --preset dev -R '^(layer|style)\.'
	@dev/build_budget.py build/dev
	@dev/lint.py build/dev $(if $(strip $(SINCE)),--since $(strip $(SINCE)))

soak:
	@for preset in asan tsan shared; do $(MAKE) test PRESET=$$preset || exit 1; done
	@cmake --preset release
	@cmake --build --preset release --target random_tests dray
	@DRAY_SOAK=20 ctest --preset release -L random -j$(TEST_JOBS)
	@DRAY_HOSTILE_SECONDS=300 ctest --preset release -V -R '^script\.server\.hostile$$'
	@DRAY_PROGRESS_SECONDS=600 DRAY_PROGRESS_OBJECTS=50000 ctest --preset release -V -R '^script\.clients\.progress$$'

clean:
	@rm -rf build
