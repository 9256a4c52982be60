# SPDX-License-Identifier: Apache-2.0
# The commands of every script under tests/scripts besides those of bash. Sourced by run.py, which provides
# DRAY (the program), KUBECTL and KUBECTL_OTHER, ROOT (the project), SHARED (../shared or nothing), a
# scratch folder to work in, and the end of everything that `serve` starts.
# shellcheck shell=bash

# reserve_port: sets $port to one on which no process listens and that no other test gets (ports.py) until this
# shell and what it has started end. The system does not give it to outgoing connections, so a server that was ended
# can be started there again.
reserve_port() {
  local first folder=/tmp/dray-test-ports-$UID lock
  read -r first _ </proc/sys/net/ipv4/ip_local_port_range
  if ((first <= 10000)); then first=32768; fi
  mkdir -p -m 700 "$folder"
  while true; do
    port=$((10000 + (RANDOM * 32768 + RANDOM) % (first - 10000)))
    exec {lock}>>"$folder/$port"
    if flock -n "$lock" && ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
    exec {lock}>&-
  done
}

# serve [FLAG...]: starts `dray serve` on a port of its own, or at $LISTEN, and returns once /readyz answers.
# Pods need no accounts there, as in upstream's own tests, unless a flag names admission plug-ins.
# Then $SERVER is its URL, $TOKEN is empty, and kubectl and `api` talk to it.
serve() {
  local port listen=${LISTEN:-}
  if [[ -z $listen ]]; then
    reserve_port
    listen=127.0.0.1:$port
  fi
  local accounts=(--disable-admission-plugins=ServiceAccount)
  [[ "$*" != *-admission-plugins* ]] || accounts=()
  "$DRAY" serve --data-dir "$PWD/data" --listen "$listen" "${accounts[@]}" "$@" >serve.log 2>&1 &
  echo $! >>pids
  while kill -0 "$(tail -n 1 pids)" 2>/dev/null; do
    if [[ -s data/kubeconfig ]]; then
      SERVER=$(sed -n 's/^ *server: *//p' data/kubeconfig | head -n 1)
      if curl -ks --max-time 600 -o /dev/null "$SERVER/readyz"; then
        export KUBECONFIG=$PWD/data/kubeconfig SERVER
        return 0
      fi
    fi
    sleep 0.05 # between polls of another process; no result depends on it
  done
  echo "dray serve did not get ready:" >&2
  cat serve.log >&2
  return 1
}

# restart [FLAG...]: ends what the last `serve` started and starts it again at the same address.
restart() {
  local server
  server=$(tail -n 1 pids)
  kill "$server" && wait "$server"
  LISTEN=${SERVER#*://} serve "$@"
}

# compile_client FOLDER: CLIENT is the client program in that folder, compiled once for all scripts; skips
# the script where that takes what this machine lacks.
compile_client() {
  local status=0
  CLIENT=$("$ROOT/tests/clients/compile.sh" "$1" 2>compile.log) || status=$?
  case $status in
    0) ;;
    77) skip "$(tail -n 1 compile.log)" ;;
    *)
      cat compile.log
      exit 1
      ;;
  esac
}

# restarting COMMAND...: runs the command and prints what it prints; when it makes the file `restart`,
# the server is restarted and the file removed.
restarting() {
  "$@" >restarting.out 2>&1 &
  local client=$!
  eventually bash -c "test -e restart || ! kill -0 $client 2>/dev/null" &&
    { test ! -e restart || { restart --components=apiserver && rm restart; }; }
  wait $client
  cat restarting.out
}

# The real kubectl; skips the script where there is none.
kubectl() {
  if [[ -z $KUBECTL ]]; then skip "no kubectl: run dev/install-packages.sh"; fi
  "$KUBECTL" "$@"
}

# api METHOD PATH [CURL ARGUMENT...]: one request as the administrator of the kubeconfig.
api() {
  find_credentials
  curl -sS --cacert certificate-authority.pem "${credentials[@]}" -X "$1" "$SERVER$2" "${@:3}"
}

# service_account_token NAMESPACE NAME: a token of that account (`kubectl create token` is there since 1.24).
service_account_token() {
  api POST "/api/v1/namespaces/$1/serviceaccounts/$2/token" -H 'Content-Type: application/json' -d '{}' |
    python3 "$ROOT/tests/scripts/answer.py" get .status.token
}

# follow PATH FILE: the same for a GET that does not end, a watch, writing to FILE as it comes, until
# `kill $FOLLOWER` or the end of the script.
follow() {
  find_credentials
  curl -sS --cacert certificate-authority.pem "${credentials[@]}" -N "$SERVER$1" >"$2" 2>&1 &
  FOLLOWER=$!
  echo $FOLLOWER >>pids
}

# follow_kubectl FILE ARGUMENT...: kubectl likewise.
follow_kubectl() {
  "$KUBECTL" "${@:2}" >"$1" 2>&1 &
  FOLLOWER=$!
  echo $FOLLOWER >>pids
}

# Sets `credentials` to curl's flags for the user of the kubeconfig.
find_credentials() {
  if [[ ! -s client.pem ]]; then
    local key
    for key in certificate-authority client-certificate client-key; do
      sed -n "s/^ *$key-data: *//p" "$KUBECONFIG" | base64 -d >"$key.pem"
    done
    cat client-certificate.pem client-key.pem >client.pem
  fi
  local token
  credentials=()
  token=$(sed -n 's/^ *token: *//p' "$KUBECONFIG" | tr -d '"')
  if [[ -n $token ]]; then credentials+=(-H "Authorization: Bearer $token"); fi
  if [[ -s client-key.pem ]]; then credentials+=(--cert client.pem); fi
}

# anonymous METHOD PATH [CURL ARGUMENT...]: one request without credentials.
anonymous() {
  find_credentials # makes certificate-authority.pem
  curl -sS --cacert certificate-authority.pem -X "$1" "$SERVER$2" "${@:3}"
}

# ask METHOD PATH [CURL ARGUMENT...]: as api, but prints one line: the code and the answer, as
# answer.py prints it. The answer itself stays in ./body, its head in ./head.
ask() { answered api "$@"; }

# ask_anonymous METHOD PATH [CURL ARGUMENT...]: likewise, as anonymous.
ask_anonymous() { answered anonymous "$@"; }

answered() {
  local code
  : >body
  code=$("$@" -o body -D head -w '%{http_code}') || return
  python3 "$ROOT/tests/scripts/answer.py" line "$code" <body
}

# field .PATH...: values in ./body, one a line.
field() {
  local path
  for path; do python3 "$ROOT/tests/scripts/answer.py" get "$path" <body; done
}

# events [FILE]: the watch events of a file, one a line: type, kind, name.
events() { python3 "$ROOT/tests/scripts/answer.py" events <"${1:-body}"; }

# eventually COMMAND...: repeats the command until it succeeds. A command that fails for ten minutes
# ends the script.
eventually() {
  local end=$((SECONDS + 600))
  until "$@" >eventually.out 2>&1; do
    if ((SECONDS >= end)); then
      echo "never: $*"
      cat eventually.out
      exit 1
    fi
    sleep 0.05
  done
}

# wait_for LINE COMMAND...: repeats the command until it prints exactly LINE.
wait_for() {
  local want=$1
  shift
  # shellcheck disable=SC2317,SC2329  # called by eventually
  prints() {
    local got
    got=$("${@:2}" 2>&1) || true
    echo "$got"
    [[ $got == "$1" ]]
  }
  eventually prints "$want" "$@"
}

# The input with what differs from run to run replaced: uids, times, the port, revisions.
stable() {
  sed -E \
    -e 's/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/UID/g' \
    -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z/TIME/g' \
    -e 's/127\.0\.0\.1:[0-9]+/ADDRESS/g' \
    -e 's/("resourceVersion": *")[0-9]+"/\1REVISION"/g' \
    -e 's/(resourceVersion: *")[0-9]+"/\1REVISION"/g'
}

# Ends the script as skipped, with a reason.
skip() {
  echo "skipped: $*" >skip
  kill -s USR1 $$
  exit 77
}
