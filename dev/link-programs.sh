#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dev/link-programs.sh FROM TO: makes each program of the folder FROM appear in TO, as a link.
set -euo pipefail

from=$1
to=$2
mkdir -p "$to"
find "$to" -maxdepth 1 -type l -delete
for program in "$from"/*; do
  if [[ -f $program && -x $program && $program != *_test && $program != *.so ]]; then
    ln -s "$(realpath --relative-to="$to" "$program")" "$to/${program##*/}"
  fi
done
