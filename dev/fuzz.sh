#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dev/fuzz.sh FOLDER SECONDS: runs each *_fuzz of FOLDER for SECONDS. What a run learns is kept in
# FOLDER/corpus and continued by the next one; seeds in tests/fuzz/corpus/TARGET are read if there.
# Exit code 1 when a target fails; the input is left in FOLDER/crashes/TARGET.
set -euo pipefail

folder=$1
seconds=$2
status=0
found=0
for target in "$folder"/*_fuzz; do
  [[ -x $target ]] || continue
  found=1
  name=${target##*/}
  corpora=("$folder/corpus/$name")
  [[ -d tests/fuzz/corpus/$name ]] && corpora+=("tests/fuzz/corpus/$name")
  mkdir -p "${corpora[0]}" "$folder/crashes/$name"
  echo "== $name: $seconds s"
  "$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="$folder/crashes/$name/" \
    "${corpora[@]}" || status=1
done
if ((found == 0)); then
  echo "no fuzz target in $folder" >&2
  exit 1
fi
exit "$status"
