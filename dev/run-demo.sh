#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job, start to end (make run): a server on a free port, the three stories of examples/
# applied with kubectl, each promise checked, one pod that waits for another to go. Ends by itself;
# exit code 1 when a promise is broken.
set -euo pipefail
export LC_ALL=C

cd "$(dirname "$0")/.."
readonly dray=${DRAY:-build/bin/dray}
readonly wait_seconds_max=600

work=$(mktemp -d)
server=
finish() {
  if [[ -n $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap finish EXIT

die() {
  echo "run-demo: $*" >&2
  echo "the server's last words:" >&2
  tail -n 20 "$work/serve.log" >&2 || true
  exit 1
}

kubectl=build/tools/debian-kubectl/usr/bin/kubectl
[[ -x $kubectl ]] || kubectl=$(command -v kubectl) || die "no kubectl: run dev/install-packages.sh"
# The cache is by address, and ports come back: each run has its own.
k() { "$kubectl" --kubeconfig "$work/data/kubeconfig" --cache-dir "$work/cache" "$@"; }

heading() { printf '\n== %s\n' "$*"; }

# until_prints WANT COMMAND...: repeats the command until it prints WANT.
until_prints() {
  local want=$1 got='' end=$((SECONDS + wait_seconds_max))
  shift
  until got=$("$@" 2>&1) && [[ $got == "$want" ]]; do
    if ((SECONDS >= end)); then die "promised '$want', got '$got' from: $*"; fi
    sleep 0.05
  done
}

# The devices of all claims reserved for a pod, in one line.
devices() {
  local namespace=$1 pod=$2
  k get resourceclaims -n "$namespace" -o jsonpath='{range .items[*]}{.status.reservedFor[*].name}{"|"}{.status.allocation.devices.results[*].device}{"\n"}{end}' |
    awk -F '|' -v pod="$pod" '(" " $1 " ") ~ (" " pod " ") {print $2}' | sort | xargs
}

# promise NAMESPACE POD DEVICE...: the pod is bound and has these devices.
promise() {
  local namespace=$1 pod=$2
  shift 2
  until_prints "$*" devices "$namespace" "$pod"
  until_prints True k get pod -n "$namespace" "$pod" \
    -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].status}'
  printf '  %-14s on %-10s has %s\n' "$pod" \
    "$(k get pod -n "$namespace" "$pod" -o 'jsonpath={.spec.nodeName}')" "$*"
}

apply() {
  local file
  for file in "$@"; do k apply -f "$file" | sed 's/^/  /'; done
}

show() {
  k get resourceclaims -n "$1" -o custom-columns='CLAIM:.metadata.name,DRIVER:.status.allocation.devices.results[*].driver,POOL:.status.allocation.devices.results[*].pool,DEVICE:.status.allocation.devices.results[*].device,FOR:.status.reservedFor[*].name'
  echo
  k get pods -n "$1" -o custom-columns='POD:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase'
}

heading "dray serve: API server, scheduler, controllers, one simulated node of the example driver"
"$dray" serve --data-dir "$work/data" --listen 127.0.0.1:0 --nodes example=1 \
  >"$work/serve.log" 2>&1 &
server=$!
while true; do
  kill -0 "$server" 2>/dev/null || die "the server ended"
  if [[ -s $work/data/kubeconfig ]] && k get --raw /readyz >/dev/null 2>&1; then break; fi
  sleep 0.05
done
k get --raw /readyz >/dev/null || die "the server did not get ready"
k version --short 2>/dev/null | sed 's/^/  /' || true

heading "1  the example driver: GPUs of one's own, shared, selected"
story=examples/1-example-driver
apply $story/01-class.yaml $story/02-separate-gpus.yaml
promise example-driver separate-0 gpu-0
promise example-driver separate-1 gpu-1
apply $story/03-shared-by-containers.yaml
promise example-driver containers-0 gpu-2
apply $story/04-shared-by-pods.yaml
promise example-driver reader-0 gpu-3
promise example-driver reader-1 gpu-3
apply $story/05-selected-gpus.yaml
promise example-driver selected-0 gpu-4 gpu-5 gpu-6

heading "   and a pod that must wait: two GPUs, one left"
apply $story/06-waiting.yaml
until_prints False k get pod -n example-driver trainer-0 \
  -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].status}'
echo "  trainer-0 waits: $(k get pod -n example-driver trainer-0 \
  -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].message}')"
k delete pod -n example-driver separate-1 --wait=false | sed 's/^/  /'
promise example-driver trainer-0 gpu-1 gpu-7
show example-driver

heading "2  a GPU and a NIC on the same PCIe root, of two drivers"
story=examples/2-gpu-with-nic
apply $story/nodes.yaml $story/01-classes.yaml $story/02-aligned.yaml
promise gpu-with-nic trainer-0 gpu-2 pci-0000-9a-00-0
promise gpu-with-nic trainer-1 gpu-3 pci-0000-c0-00-0
show gpu-with-nic

heading "3  one big GPU, or else two small ones"
story=examples/3-prioritized-list
apply $story/nodes.yaml $story/01-class.yaml $story/02-big-or-two-small.yaml
promise prioritized-list infer-0 0000-4d-00-0-0x0bda
promise prioritized-list infer-1 0000-2a-00-0-0x56c0 0000-2d-00-0-0x56c0
promise prioritized-list infer-2 0000-30-00-0-0x56c0 0000-33-00-0-0x56c0
show prioritized-list

heading "every promise was kept"
cat <<TEXT
To keep a server:  make serve
and talk to it:    $kubectl --kubeconfig build/serve/kubeconfig get resourceslices
TEXT
