#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# embed-prefix.sh SOURCE WORK PREFIX COMPILER [LAUNCHER]: builds examples/embed in the folder WORK against nothing
# but the library in PREFIX, and compares what it prints.
set -euo pipefail

readonly source=$1 work=$2 prefix=$3 compiler=$4 launcher=${5:-}
mkdir -p "$work"
cp -r "$source/examples/embed" "$work/source" # no header of ours beside it
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" >"$work/configure.log"
cmake --build "$work/build" >"$work/build.log" || {
  cat "$work/build.log" >&2
  exit 1
}
# The path of the sources must not leak, because the copy works on a machine that has only the prefix.
if grep -rlF "$source/" "$prefix/lib/cmake/dray"; then
  echo "the package names the source tree" >&2
  exit 1
fi
# Only include/dray/ and the headers that it includes may be installed.
if inside=$(find "$prefix/include/dray" -type d -regex '.*/\(allocator\|cel\)') && [ -n "$inside" ]; then
  echo "internal headers are installed: $inside" >&2
  exit 1
fi
if grep -rn '#include "' "$prefix/include/dray"; then
  echo "a header needs more than the prefix's include folder" >&2
  exit 1
fi
diff - <("$work/build/embed") <<'WANT'
gpu-0 is another
gpu-1 is the second
gpus: gpu.example.com/worker-0/gpu-0
gpus: gpu.example.com/worker-0/gpu-1
WANT
# What the page says that it prints.
diff <(sed -n '/^    a: runs on/,/^    2 more nodes/s/^    //p' "$source/docs/library.md") <("$work/build/autoscale")
