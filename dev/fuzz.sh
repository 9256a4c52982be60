#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dev/fuzz.sh FOLDER SECONDS: runs each *_fuzz of FOLDER for SECONDS. A run's corpus is kept in
# FOLDER/corpus and continued by the next one; seeds in tests/fuzz/corpus/TARGET are read if there, those of
# tests/fuzz/large_inputs.py, and upstream's objects in ../shared/vectors/api (or below DRAY_SHARED) by the
# targets of their form. Inputs are up to 3 MiB, as bodies of requests are, and a head.
# Exit code 1 when a target fails; the input is left in FOLDER/crashes/TARGET.
set -euo pipefail

folder=$1
seconds=$2
status=0
found=0
declare -Ar forms=([json_object_fuzz]=json [yaml_fuzz]=yaml [protobuf_fuzz]=pb)
vectors=${DRAY_SHARED:-../shared}/vectors/api

# vectors_for TARGET: the folder with links to upstream's objects in the form that the target reads.
vectors_for() {
  local form=${forms[$1]:-} links=$folder/vectors/$1
  [[ -n $form && -d $vectors ]] || return 0
  mkdir -p "$links"
  find "$(realpath "$vectors")" -name "*.$form" | while read -r file; do
    ln -sf "$file" "$links/$(basename "$(dirname "$file")")-${file##*/}"
  done
  echo "$links"
}

tests/fuzz/large_inputs.py "$folder/large"

for target in "$folder"/*_fuzz; do
  [[ -x $target ]] || continue
  found=1
  name=${target##*/}
  corpora=("$folder/corpus/$name")
  [[ -d tests/fuzz/corpus/$name ]] && corpora+=("tests/fuzz/corpus/$name")
  [[ -d $folder/large/$name ]] && corpora+=("$folder/large/$name")
  more=$(vectors_for "$name")
  [[ -n $more ]] && corpora+=("$more")
  mkdir -p "${corpora[0]}" "$folder/crashes/$name"
  echo "== $name: $seconds s"
  "$target" -max_total_time="$seconds" -max_len=3211264 -timeout=60 -rss_limit_mb=2048 \
    -dict=tests/fuzz/dictionary/values.dict \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="$folder/crashes/$name/" \
    "${corpora[@]}" || status=1
done
if ((found == 0)); then
  echo "no fuzz target in $folder" >&2
  exit 1
fi
exit "$status"
