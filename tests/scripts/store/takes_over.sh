# SPDX-License-Identifier: Apache-2.0
# Of two servers with components on one etcd one leads; the other goes on when it stops.
# shellcheck shell=bash
python3 "$ROOT/tests/scripts/store/takes_over.py" "$DRAY"
