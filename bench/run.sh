#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints every number of bench/README.md after the command that measures it (make bench). Needs the
# release build in build/bin. Upstream's workloads for schedulers need a checkout of Kubernetes at
# DRAY_KUBERNETES. The comparisons with Kubernetes' own engines need Go and the folder
# ../shared/peers (or DRAY_SHARED) and are skipped with a message without them. BENCH_QUICK=1 checks
# that everything runs; its numbers mean little.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly bin=${BIN:-build/bin}
readonly peer_source=${DRAY_SHARED:-../shared}/peers/allocator
readonly peer=build/tools/allocator-peer/allocator-peer

nodes=100 more_nodes=400 sizes=100,1000,5000 pods=4000 memory=(5000 20000) label=performance seconds=() watchers=() custom_objects=1000 definitions=200
if [[ -n ${BENCH_QUICK-} ]]; then
  nodes=30 more_nodes=40 sizes=10,30 pods=80 memory=(20 80) label=short seconds=(--seconds 0.01) watchers=(--watchers 500 --seconds 1)
  custom_objects=20 definitions=10
fi

heading() { printf '\n== %s\n' "$*"; }

# show COMMAND...: prints the command, then its output.
show() {
  printf '$ %s\n' "$*"
  "$@"
}

heading "machine: $(nproc) CPUs, $(sed -n 's/^model name\t*: //p' /proc/cpuinfo | head -n 1), load $(cut -d ' ' -f 1-3 /proc/loadavg)"

heading "how long until dray serve is ready"
show "$bin/serve_ready" "$bin/dray"

heading "pods with a claim each"
show "$bin/pods_bench" "$bin/dray" example gpu.example.com "$nodes"
# the same without a disk
show "$bin/pods_bench" "$bin/dray" example gpu.example.com "$nodes" --memory
show "$bin/pods_bench" "$bin/dray" 8-gpu-server gpu.nvidia.com "$nodes"
# four times as much: a quadratic walk would show
show "$bin/pods_bench" "$bin/dray" example gpu.example.com "$more_nodes"

heading "what grows with the cluster"
show "$bin/scale_bench" "$bin/dray" --nodes "$sizes" --pods "$pods"

heading "what objects take in memory"
show "$bin/memory_bench" "$bin/dray" "${memory[@]}"

heading "upstream's workloads for schedulers"
if [[ -z ${DRAY_KUBERNETES-} ]]; then
  echo "needs a checkout of Kubernetes at DRAY_KUBERNETES"
else
  show "$bin/scheduler_perf_bench" "$bin/dray" --folder "$DRAY_KUBERNETES/test/integration/scheduler_perf/dra" --label "$label"
fi

heading "several servers on one etcd, and the one that schedules goes"
if ! command -v etcd >/dev/null; then
  echo "needs etcd"
else
  show bench/scale/take_over.py "$bin/dray"
  show bench/scale/take_over.py "$bin/dray" --lease 1s
fi

heading "what a request costs the server"
# --against another build of dray compares, in turns
show "$bin/writes_bench" "$bin/dray"
show "$bin/writes_bench" "$bin/dray" --memory
# a custom kind, and a built-in one of the same size
show "$bin/writes_bench" "$bin/dray" --memory --custom --objects "$custom_objects"

heading "definitions of custom kinds, and webhooks"
show "$bin/definitions_bench" "$bin/dray" --definitions "$definitions"

heading "ten thousand watches on HTTP/2 streams"
show "$bin/watchers_bench" "$bin/dray" "${watchers[@]}"

heading "a request over HTTP/2 and TLS, and a bare echo"
show "$bin/echo_bench" "$bin/dray"
show "$bin/echo_bench" "$bin/dray" --memory

heading "a device in one allocation only"
show "$bin/allocations_bench" "$bin/dray" --memory
show "$bin/allocations_bench" "$bin/dray"

heading "questions about a large cluster in a file"
show "$bin/plans_bench" "$bin/dray"

heading "stores"
show "$bin/store_bench"

heading "objects from and to bytes"
show "$bin/codec_bench"

heading "selectors"
readonly cel_peer_source=${DRAY_SHARED:-../shared}/peers/cel
readonly cel_peer=build/tools/cel-peer/cel-peer
if ! command -v go >/dev/null || [[ ! -d $cel_peer_source ]]; then
  echo "without Kubernetes' engine: needs go and $cel_peer_source"
  show "$bin/cel_bench"
else
  if [[ ! -x $cel_peer ]]; then
    mkdir -p "${cel_peer%/*}/source"
    cp "$cel_peer_source"/* "${cel_peer%/*}/source/"
    (cd "${cel_peer%/*}/source" && go build -o ../cel-peer .)
  fi
  # one core for both: single runs differ by up to two on a shared machine
  show taskset -c 1 "$bin/cel_bench" "$cel_peer"
fi

heading "a unit of work"
show "$bin/work_bench"

heading "one call of the allocator"
if ! command -v go >/dev/null || [[ ! -d $peer_source ]]; then
  echo "without Kubernetes' allocator: needs go and $peer_source"
  show taskset -c 1 "$bin/allocator_bench" "${seconds[@]}"
else
  if [[ ! -x $peer ]]; then
    mkdir -p "${peer%/*}/source"
    cp "$peer_source"/* "${peer%/*}/source/"
    (cd "${peer%/*}/source" && go build -o ../allocator-peer .)
  fi
  show taskset -c 1 "$bin/allocator_bench" "${seconds[@]}" "$peer"
  show taskset -c 1 "$bin/allocator_bench" --vectors tests/data/vectors/allocator "$peer"
fi
