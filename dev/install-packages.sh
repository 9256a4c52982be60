#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that the build and the tests need and this machine lacks, as root
# or through sudo, and says which. Takes a few milliseconds when nothing is missing.
set -euo pipefail

cd "$(dirname "$0")/.."

readonly packages=(
  # compiler, linker, checks
  clang-19 clang-tidy-19 clang-format-19 lld-19 llvm-19 libclang-rt-19-dev libstdc++-12-dev
  cmake ninja-build ccache pkg-config git
  # libraries: docs/design/dependencies.md says what each is for
  libssl-dev libboost1.81-dev libboost-json1.81-dev libyaml-dev
  libcli11-dev libfmt-dev libsqlite3-dev zlib1g-dev libgtest-dev libgmock-dev
  libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler libre2-dev  # store/etcd
  tzdata  # time zones in expressions, read when they run
  # bench: what codec_bench compares with
  nlohmann-json3-dev
  # tests and demos
  python3 curl openssl
  etcd-server etcd-client  # what store/etcd is tested against
  "$@"  # what one goal of the Makefile needs besides
)
readonly debian_kubectl=build/tools/debian-kubectl/usr/bin/kubectl

say() { echo "install-packages: $*" >&2; }

# The packages among the arguments that are not installed, one a line.
missing_of() {
  local installed
  installed=$(dpkg-query --show --showformat='${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^ii //p' || true)
  comm -23 <(printf '%s\n' "$@" | sort) <(sort <<<"$installed")
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    say "neither root nor sudo: run as root: apt-get install --no-install-recommends ${missing[*]}"
    exit 1
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"  # nobody is there to type a password
  fi
}

# Is the kubectl of the PATH the one of Debian's package kubernetes-client?
path_kubectl_is_debians() {
  local path
  path=$(command -v kubectl) || return 1
  dpkg-query --search "$(readlink -f "$path")" 2>/dev/null | grep -q '^kubernetes-client:'
}

# The tests drive the server with Debian's kubectl (1.20). The package does not install beside
# another package's kubectl, so where there is one it is only unpacked, under build/.
unpack_debian_kubectl() {
  local scratch
  [[ -x $debian_kubectl ]] && return
  if path_kubectl_is_debians; then return; fi
  scratch=$(mktemp -d)
  if (cd "$scratch" && apt-get download -qq kubernetes-client >/dev/null 2>&1) &&
    mkdir -p build/tools/debian-kubectl &&
    dpkg --extract "$scratch"/kubernetes-client_*.deb build/tools/debian-kubectl; then
    say "unpacked Debian's kubectl beside the one of the PATH: $debian_kubectl"
  else
    say "cannot download Debian's kubectl; tests use $(command -v kubectl || echo none)"
  fi
  rm -rf "$scratch"
}

if ! command -v dpkg-query >/dev/null; then
  say "this is not Debian; install the counterparts of: ${packages[*]}"
  exit 1
fi

wanted=("${packages[@]}")
command -v kubectl >/dev/null || wanted+=(kubernetes-client)
mapfile -t missing < <(missing_of "${wanted[@]}")

if ((${#missing[@]} > 0)); then
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends -qq "${missing[@]}" >/dev/null
fi
unpack_debian_kubectl
