#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every layer against its row, as the tests layer.* do, without a configured build: the rows are
# read from the dray_layer() calls.
set -euo pipefail

cd "$(dirname "$0")/.."
status=0
for list in */CMakeLists.txt; do
  layer=${list%%/*}
  grep -q "^dray_layer($layer\b" "$list" || continue
  uses=$(tr '\n' ' ' <"$list" | sed -n "s/.*dray_layer($layer\b *\(.*\)/\1/p" |
    sed -n 's/^USES \(.*\)/\1/p' | sed 's/ \(LINKS\|HEADERS\|SOURCES\|TESTS\|TEST_LINKS\) .*//')
  python3 dev/check_layer.py --layer "$layer" --uses "$uses" "$layer" || status=1
done
exit "$status"
