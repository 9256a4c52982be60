# SPDX-License-Identifier: Apache-2.0
# Two servers on one etcd: reads see what the other answered, racing reservations exclude each other.
# shellcheck shell=bash
python3 "$ROOT/tests/scripts/store/races.py" "$DRAY" $((1000 * ${DRAY_SOAK:-1}))
