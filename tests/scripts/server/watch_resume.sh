# SPDX-License-Identifier: Apache-2.0
# A broken watch resumes from the last version that it saw, without a gap and without
# repetition; one from before the server's history gets Expired (410) and lists again.
# shellcheck shell=bash
serve --components=apiserver
claims=/apis/resource.k8s.io/v1/namespaces/default/resourceclaims
json=(-H 'Content-Type: application/json')
create() {
  ask POST $claims "${json[@]}" -d '{"metadata":{"name":"'"$1"'"},"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.example.com"}}]}}}' >/dev/null
}
# expect WANT COMMAND...: the command prints WANT.
expect() {
  local got
  got=$("${@:2}")
  [[ $got == "$1" ]] || { printf 'wanted:\n%s\ngot:\n%s\n' "$1" "$got"; return 1; }
}
last_version() { tail -n 1 "$1" | python3 "$ROOT/tests/scripts/answer.py" get .object.metadata.resourceVersion; }

# A watch that runs sees what happens meanwhile, each event as it happens.
ask GET $claims >/dev/null
start=$(field .metadata.resourceVersion)
follow "$claims?watch=1&resourceVersion=$start" first
create a
create b
wait_for 2 grep -c . first
kill "$FOLLOWER"
expect $'ADDED ResourceClaim default/a\nADDED ResourceClaim default/b' events first

# Changes without a watch are delivered when the client watches again.
create c
ask DELETE $claims/a >/dev/null
api GET "$claims?watch=1&resourceVersion=$(last_version first)&timeoutSeconds=1" >second
expect $'ADDED ResourceClaim default/c\nDELETED ResourceClaim default/a' events second

# Without a version the present comes first, then what happens.
follow "$claims?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" list
wait_for 3 grep -c . list
expect $'ADDED ResourceClaim default/b\nADDED ResourceClaim default/c\nBOOKMARK ResourceClaim' events list
grep -q '"k8s.io/initial-events-end":"true"' list
create d
wait_for 4 grep -c . list
kill "$FOLLOWER"
tail -n 1 list >last
expect 'ADDED ResourceClaim default/d' events last

# One object: nothing of the others comes.
api GET "$claims?watch=1&resourceVersion=$start&fieldSelector=metadata.name%3Dc&timeoutSeconds=1" >one
expect 'ADDED ResourceClaim default/c' events one

# A future version is accepted and silent.
api GET "$claims?watch=1&resourceVersion=99999999&timeoutSeconds=1" >silent
expect '' events silent
