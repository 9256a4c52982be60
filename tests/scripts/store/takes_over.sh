# SPDX-License-Identifier: Apache-2.0
# One of two servers with components on one etcd leads; the other takes over when it stops.
# shellcheck shell=bash
python3 "$ROOT/tests/scripts/store/takes_over.py" "$DRAY"
