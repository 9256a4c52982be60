#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/install/tarball.sh FILE: the program of a tarball in a Debian of five years ago, and in a root in which
# there is nothing else, as in an image from scratch.
set -euo pipefail

cd "$(dirname "$0")/../.."
readonly tarball=$1
source tests/install/clean-root.sh
work=$(mktemp -d /var/tmp/dray-tarball-XXXXXX)
server=
finish() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; fi
  rm -rf --one-file-system "$work"
}
trap finish EXIT
die() {
  echo "tarball: $*" >&2
  cat "$work/serve.log" >&2 2>/dev/null || true
  exit 1
}

# try_in ROOT: a question about files, and a server, as a user without any right.
try_in() {
  local root=$1 url
  local -r in=(chroot --userspec=65532:65532 "$root" /usr/bin/dray)
  mkdir -p "$root/in" "$root/var/lib/dray" "$root/etc"
  cp examples/2-gpu-with-nic/* "$root/in/"
  chown 65532:65532 "$root/var/lib/dray"
  echo '127.0.0.1 my-server' >"$root/etc/hosts"
  "${in[@]}" version
  [[ $("${in[@]}" allocate -f /in | grep --count trainer-0) == 2 ]] || die "dray allocate has another answer"
  "${in[@]}" serve --data-dir /var/lib/dray --listen 127.0.0.1:0 >"$work/serve.log" 2>&1 &
  server=$!
  until_true "a kubeconfig" test -s "$root/var/lib/dray/kubeconfig"
  url=$(sed -n 's/ *server: //p' "$root/var/lib/dray/kubeconfig")
  until_true "a server that is ready" curl --silent --fail --cacert "$root/var/lib/dray/pki/ca.crt" "$url/readyz"
  # Names of servers are found without the C library's modules.
  sed "s/127.0.0.1/my-server/" "$root/var/lib/dray/kubeconfig" >"$root/in/kubeconfig"
  "${in[@]}" capacity --kubeconfig /in/kubeconfig >"$work/answer" 2>&1 || true  # its certificate is for localhost
  grep -q 'my-server.*hostname mismatch' "$work/answer" || die "the name is not found: $(cat "$work/answer")"
  kill "$server"
  wait "$server" || die "the server ends with code $?"
  server=
}

mkdir "$work/unpacked"
tar --extract --file "$tarball" --directory "$work/unpacked"
program=$(echo "$work"/unpacked/*/bin/dray)

echo "tarball: nothing else"
mkdir -p "$work/scratch/usr/bin"
cp "$program" "$work/scratch/usr/bin/dray"
try_in "$work/scratch"

echo "tarball: Debian 11"
clean_root bullseye "$work/bullseye"
cp "$program" "$work/bullseye/usr/bin/dray"
try_in "$work/bullseye"
echo "tarball: runs everywhere"
