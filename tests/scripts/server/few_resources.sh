# SPDX-License-Identifier: Apache-2.0
# A server that may open few files, and one that may have little memory: strangers do not keep users
# out, and a request that is too large for the machine ends alone.
# shellcheck shell=bash
program=$DRAY
json=(-H 'Content-Type: application/json')
maps=/api/v1/namespaces/default/configmaps
# limited LIMIT...: DRAY is the program under these limits of the shell's ulimit. Arenas of malloc
# reserve address space for each thread, so their number is set.
limited() {
  printf '#!/bin/bash\nulimit %s && MALLOC_ARENA_MAX=2 exec "%s" "$@"\n' "$*" "$program" >limited-dray
  chmod +x limited-dray
  DRAY=$PWD/limited-dray
}
# expect WANT COMMAND...: the command prints WANT.
expect() {
  local got
  got=$("${@:2}")
  [[ $got == "$1" ]] || { printf 'wanted:\n%s\ngot:\n%s\n' "$1" "$got"; return 1; }
}

# 200 files: 100 connections, of which strangers have 25. They try to have 150.
limited -n 200
serve --components=apiserver
port=${SERVER##*:}
held=()
for ((i = 0; i < 150; i++)); do
  exec {socket}<>"/dev/tcp/127.0.0.1/$port"
  printf 'G' >&"$socket"
  held+=("$socket")
done
expect '200 ConfigMapList' ask GET $maps
expect '201 ConfigMap default/a' ask POST $maps "${json[@]}" -d '{"metadata":{"name":"a"}}'
expect ok api GET /healthz
for socket in "${held[@]}"; do exec {socket}>&-; done
grep -q 'cannot accept' serve.log && { cat serve.log; exit 1; }
server=$(tail -n 1 pids)
kill "$server"
wait "$server" || true

# Memory for the objects, but not for an answer with all of them ten times over. A sanitizer takes
# more address space than there is.
rm data/dray.db* data/kubeconfig
limited -v 300000
if ! "$DRAY" version >version 2>&1; then skip "the program needs more address space by itself"; fi
serve --components=apiserver
head -c 1000000 /dev/zero | tr '\0' 'x' >large
for ((i = 0; i < 20; i++)); do
  { printf '{"metadata":{"name":"m-%d"},"data":{"x":"' "$i"; cat large; printf '"}}'; } >body.json
  expect "201 ConfigMap default/m-$i" ask POST $maps "${json[@]}" --data-binary @body.json
done
for ((i = 0; i < 12; i++)); do
  api GET "$maps?pretty=1" -o /dev/null -w '%{http_code}\n' >>codes &
  readers[i]=$!
done
wait "${readers[@]}"
sort -u codes
# Each was answered, or refused in a known way; the server is whole. 504: a busy machine did not do all of
# it in the minute that the server gives a request.
if grep -Evx '200|429|500|504|000' codes; then exit 1; fi
expect ok api GET /healthz
expect '201 ConfigMap default/after' ask POST $maps "${json[@]}" -d '{"metadata":{"name":"after"}}'
