#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/profile.sh BIN OUT: what of the program runs often. Runs the programs in BIN, built with
# DRAY_PROFILE=generate, as users run them (the loads of bench/, the examples), and writes the counts
# to OUT, for DRAY_PROFILE=OUT: what ran is made fast, what never ran small.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly bin=$1 out=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LLVM_PROFILE_FILE=$work/%m-%p.profraw

load() {
  echo "profile: ${*##*/}" >&2
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

load "$bin/pods_bench" "$bin/dray" example gpu.example.com
load "$bin/pods_bench" "$bin/dray" 8-gpu-server gpu.nvidia.com 100 --memory
load "$bin/writes_bench" "$bin/dray" --rounds 3
load "$bin/writes_bench" "$bin/dray" --rounds 2 --memory --only claim
# With the audit log, which few turn on and which should cost them little.
printf 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n' >"$work/policy.yaml"
load "$bin/writes_bench" "$bin/dray" --rounds 2 --only claim --against "$bin/dray" \
  --other-flag --audit-policy-file --other-flag "$work/policy.yaml" \
  --other-flag --audit-log-path --other-flag "$work/audit.log"
load "$bin/echo_bench" "$bin/dray" --rounds 3
load "$bin/watchers_bench" "$bin/dray" --watchers 1000 --seconds 2
load "$bin/plans_bench" "$bin/dray"
for example in examples/{2,3}-*; do
  load "$bin/dray" validate -f "$example"
  load "$bin/dray" allocate -f "$example" -o json
done

# The profile also names functions that never ran, which are optimised for size.
llvm-profdata-19 merge "$work"/*.profraw -o "$out"
echo "profile: $(stat --format=%s "$out") bytes in $out" >&2
