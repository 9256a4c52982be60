#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/clients/compile.sh FOLDER: compiles the client program in FOLDER (from the project's root), or installs
# what it needs, unless that is up to date. Prints the path of a program. Exit code 77 and a reason as the
# last line when this machine lacks the language or cannot fetch packages.
# tests/clients/compile.sh: does so for all of them, the languages beside each other, with a line for each.
#
# Everything lands in build/tools and in the caches of Go and Cargo.
set -euo pipefail
cd "$(dirname "$0")/../.."
HOME=$(getent passwd "$(id -u)" | cut -d: -f6) # that of scripts is a scratch folder
export HOME GOFLAGS=-buildvcs=false GOTOOLCHAIN=local

# Programs of one language are compiled after each other, because they share dependencies.
readonly clients=('tests/progress tests/clients/go tests/clients/envtest tests/access/peer'
  tests/clients/rust tests/clients/python tests/clients/javascript)

lacks() {
  echo "$*" >&2
  exit 77
}

# fetch COMMAND...: fails only for want of a network, or of a language of the right age.
fetch() {
  local said
  said=$("$@" 2>&1) || lacks "no packages: $(tail -n 1 <<<"$said")"
}

needs() { command -v "$1" >/dev/null || lacks "no $2"; }

compile_go() {
  needs go Go && (cd "$1" && fetch go list -deps . && go build -o "$2/client" .)
}

compile_rust() {
  needs cargo Rust && cp -ru "$1/." "$2" &&
    (cd "$2" && fetch cargo fetch -q && cargo build -q --offline) &&
    ln -sf target/debug/dray-client-test "$2/client"
}

# installed FILE FOLDER COMMAND...: FILE lists what the command has installed in FOLDER, or installs now.
installed() {
  cmp -s "$1" "$2/done" || { cp "$1" "$2" && (cd "$2" && fetch "${@:3}") && cp "$1" "$2/done"; }
}

# wrapper FOLDER COMMAND...: the program in FOLDER runs the command.
wrapper() {
  printf '#!/bin/sh\nexec %s "$@"\n' "$(printf '%q ' "${@:2}")" >"$1/client.new" &&
    chmod +x "$1/client.new" && mv "$1/client.new" "$1/client"
}

compile_python() {
  needs python3 Python && installed "$1/requirements.txt" "$2" \
    sh -c 'python3 -m venv --clear venv && venv/bin/pip install -q -r requirements.txt' &&
    wrapper "$2" "$2/venv/bin/python" "$PWD/$1/client.py"
}

compile_javascript() {
  needs npm Node.js && installed "$1/package.json" "$2" npm install --silent --no-audit --no-fund &&
    cp "$1/client.js" "$2" && # it finds its packages beside itself
    wrapper "$2" node "$2/client.js"
}

compile() {
  local source=$1 folder language
  folder=$PWD/build/tools/${1//\//-}
  mkdir -p "$folder"
  for language in go:go.mod rust:Cargo.toml python:requirements.txt javascript:package.json; do
    [[ -e $source/${language#*:} ]] || continue
    # Others may want the same program at the same time.
    (flock 9 && "compile_${language%:*}" "$source" "$folder" >&2) 9>"$folder/lock" || return
    echo "$folder/client"
    return
  done
  echo "$source holds no client program" >&2
  exit 1
}

# Prints the time of each compilation in one line, when it is done.
compile_and_say() {
  local log status=0 begin=$SECONDS
  log=$(compile "$1" 2>&1) || status=$?
  case $status in
    0) echo "clients: $1 is ready, after $((SECONDS - begin)) s" >&2 ;;
    77) echo "clients: $1 is left out: $(tail -n 1 <<<"$log")" >&2 ;;
    *) printf '%s\nclients: %s does not compile\n' "$log" "$1" >&2 ;;
  esac
}

if (($# == 1)); then
  compile "$1"
else
  for alike in "${clients[@]}"; do
    for client in $alike; do compile_and_say "$client"; done &
  done
  wait
fi
