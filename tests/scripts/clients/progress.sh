# SPDX-License-Identifier: Apache-2.0
# No request waits for ever: Go, curl and Python ask for big answers, over many connections and streams
# (tests/progress/README.md). DRAY_PROGRESS_SECONDS, DRAY_PROGRESS_OBJECTS and DRAY_PROGRESS_SEED choose.
# shellcheck shell=bash
compile_client tests/progress
home=$(getent passwd "$(id -u)" | cut -d: -f6) # HOME is a scratch folder
GOCACHE=$(HOME=$home go env GOCACHE)
export GOCACHE GOFLAGS=-buildvcs=false GOTOOLCHAIN=local TMPDIR=$PWD
program=$ROOT/tests/progress
(cd "$program" && go vet . && go test .)
token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
echo "$token,progress,1,system:masters" >tokens.csv
serve --components=apiserver --token-file tokens.csv
find_credentials
"$CLIENT" -server "${SERVER#*://}" -pid "$(tail -n 1 pids)" -token "$token" -credentials . -python "$program/client.py" \
  -seconds "${DRAY_PROGRESS_SECONDS:-20}" -objects "${DRAY_PROGRESS_OBJECTS:-5000}" ${DRAY_PROGRESS_SEED:+-seed "$DRAY_PROGRESS_SEED"}
