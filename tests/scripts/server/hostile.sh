# SPDX-License-Identifier: Apache-2.0
# Eight users do their worst while one schedules pods and lists claims: that user loses nothing, times and memory stay within
# bounds, and the store stays sound (tests/hostile/hostile.py). DRAY_HOSTILE_SECONDS and DRAY_HOSTILE_SEED choose.
# shellcheck shell=bash
if [[ -z ${DRAY_HOSTILE_SECONDS:-} ]]; then skip "DRAY_HOSTILE_SECONDS is not set: make soak has five minutes of it"; fi
python3 "$ROOT/tests/hostile/hostile.py" "$DRAY" --seconds "$DRAY_HOSTILE_SECONDS" --seed "${DRAY_HOSTILE_SEED:-1}" \
  --judge-times
