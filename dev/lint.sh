#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dev/lint.sh BUILD [COMMIT]: clang-tidy over every C++ source, or over those that changed since
# COMMIT, with the compile commands of BUILD. Headers are checked through the sources.
set -euo pipefail

build=$1
since=${2-}

# GoogleTest's macros make mutable globals, own raw pointers and count as complex functions.
readonly test_checks='-cppcoreguidelines-avoid-non-const-global-variables'\
',-cppcoreguidelines-owning-memory,-cppcoreguidelines-special-member-functions'\
',-readability-function-cognitive-complexity,-bugprone-unchecked-optional-access'

if [[ -n $since ]]; then
  mapfile -t sources < <(git diff --name-only --diff-filter=d "$since" -- '*.cc')
else
  mapfile -t sources < <(git ls-files '*.cc')
fi

tests=()
others=()
for source in "${sources[@]}"; do
  grep -q "/$source\"" "$build/compile_commands.json" || continue  # built by another preset only
  case $source in
    *_test.cc | *_fuzz.cc | tests/*) tests+=("$source") ;;
    *) others+=("$source") ;;
  esac
done

run() {
  local checks=$1
  shift
  (($# == 0)) || printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" \
    clang-tidy-19 --quiet -p "$build" --checks="$checks"
}

status=0
run '' "${others[@]}" || status=1
run "$test_checks" "${tests[@]}" || status=1
echo "clang-tidy: $((${#others[@]} + ${#tests[@]})) files, $([[ $status == 0 ]] && echo clean || echo errors)"
exit "$status"
