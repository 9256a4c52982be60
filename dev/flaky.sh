#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dev/flaky.sh: looks for tests whose result depends on how busy the machine is. Runs `make test` ten
# times: five as it is, three beside six busy loops, one in another order, one on a quarter of a CPU.
# Exit code 1 when a test has failed in any of them; each is named, with its rounds.
#
# A round that was stopped continues with the tests that it had not run. What has run is kept in
# build/flaky/COMMIT, and the output of what failed in ROUND-WAY.log there; changes that are not
# committed have a folder of their own, which starts anew with each run.
#
#   dev/flaky.sh                     all ten, or what is left of them
#   FLAKY_ROUNDS='busy quarter' …    these ways only, a round each
#   PRESET=asan ARGS='-R store' …    as for make test
#
# A quarter of a CPU takes a cgroup, so the rights to make one; ten rounds take two hours on two
# quiet CPUs, the last one half of it.
set -euo pipefail
cd "$(dirname "$0")/.."

read -ra ways <<<"${FLAKY_ROUNDS:-plain busy shuffled busy plain busy plain plain plain quarter}"
readonly preset=${PRESET:-test} args=${ARGS:-}
commit=$(git rev-parse --short=12 HEAD)
git diff --quiet HEAD || commit=changed
readonly folder=build/flaky/$commit
helpers=()
group=

# Processes that a round started beside its tests.
clean_up() {
  ((${#helpers[@]} == 0)) || kill "${helpers[@]}" 2>/dev/null || true
  helpers=()
  if [[ -n $group ]]; then
    while read -r process; do kill -KILL "$process" 2>/dev/null || true; done <"$group/cgroup.procs"
    until rmdir "$group" 2>/dev/null; do sleep 0.1; done
    group=
  fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Six loops that never wait.
start_busy_loops() {
  for _ in {1..6}; do
    (while :; do :; done) &
    helpers+=($!)
  done
}

# A cgroup that gets 25 ms of CPU time in each 100 ms.
make_quarter() {
  local name=dray-flaky-$$
  if [[ -f /sys/fs/cgroup/cgroup.controllers ]]; then
    mkdir "/sys/fs/cgroup/$name" && group=/sys/fs/cgroup/$name
    echo '25000 100000' >"$group/cpu.max"
  else
    mkdir "/sys/fs/cgroup/cpu/$name" && group=/sys/fs/cgroup/cpu/$name
    echo 100000 >"$group/cpu.cfs_period_us"
    echo 25000 >"$group/cpu.cfs_quota_us"
  fi
}

# The lines of ctest about one test each that has run, as "NUMBER NAME RESULT".
results_of() {
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#([0-9]+): ([^ ]+) \.*[ *]*(.*[^ ]) +[0-9.]+ sec.*$/\1 \2 \3/p' "$@"
}

# left_of LOG: the numbers of the tests without a result in LOG.
left_of() { grep -vxFf <(results_of "$1" | cut -d' ' -f1) "$folder/tests" || true; }

# failures_of LOG: the names of the tests that failed there, with what ctest reports about them.
failures_of() { results_of "$1" | cut -d' ' -f2- | grep -vE ' (Passed|Skipped)$' || true; }

# run_round LOG WAY: the tests that are left of it.
run_round() {
  local log=$1 way=$2 left
  left=$(left_of "$log")
  [[ -n $left ]] || return 0
  echo "flaky: $(wc -l <<<"$left") tests, $way ($log)" >&2
  case $way in
    busy) start_busy_loops ;;
    quarter) make_quarter ;;
  esac
  echo "0,0,0,$(paste -sd, <<<"$left")" >"$log.list"
  (
    [[ -z $group ]] || echo "$BASHPID" >"$group/cgroup.procs"
    exec make test PRESET="$preset" ARGS="$args -I $log.list $([[ $way != shuffled ]] || echo --schedule-random)"
  ) </dev/null >>"$log" 2>&1 || true
  clean_up
  if [[ -n $(left_of "$log") ]]; then
    echo "flaky: the round ended before its tests; its log says why: $log" >&2
    exit 2
  fi
}

[[ $commit != changed ]] || rm -rf "$folder"
mkdir -p "$folder"
make test PRESET="$preset" ARGS="-N $args" </dev/null |
  sed -nE 's/^ *Test +#([0-9]+): .*/\1/p' >"$folder/tests"
if [[ ! -s $folder/tests ]]; then
  echo "flaky: there are no tests to run" >&2
  exit 2
fi

status=0
for ((round = 1; round <= ${#ways[@]}; ++round)); do
  log=$folder/$(printf '%02d' "$round")-${ways[round - 1]}.log
  touch "$log"
  run_round "$log" "${ways[round - 1]}"
  while read -r failure; do
    echo "$(basename "$log" .log): $failure"
    status=1
  done < <(failures_of "$log")
done
((status != 0)) || echo "flaky: no test failed in ${#ways[@]} rounds"
exit "$status"
