# SPDX-License-Identifier: Apache-2.0
# SIGKILL in the middle of 64 writers over HTTP loses nothing that was answered, and watches resume.
# shellcheck shell=bash
python3 "$ROOT/tests/scripts/store/kill_under_load.py" "$DRAY" $((3 * ${DRAY_SOAK:-1}))
