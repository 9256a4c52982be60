#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dev/install-packages.sh GOAL...: installs the Debian 12 packages that these goals (build, run, test,
# lint, package, bench) need and this machine lacks, as root or through sudo, and says which. Takes a
# few milliseconds when nothing is missing. ccache is used where it is and not installed.
set -euo pipefail

cd "$(dirname "$0")/.."

# What `dray` is built from; docs/design/dependencies.md explains each library.
readonly build=(
  clang-19 lld-19 libstdc++-12-dev cmake ninja-build pkg-config python3
  libssl-dev libnghttp2-dev libboost1.81-dev libboost-json1.81-dev libyaml-dev
  libcli11-dev libfmt-dev libsqlite3-dev zlib1g-dev libjemalloc-dev
  prometheus-cpp-dev
  libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler libre2-dev  # store/etcd
  libgtest-dev libgmock-dev  # CMake looks for all libraries at once; these are small
)
# What it needs beside that to run, with the stories of `make run`; kubectl comes to these.
readonly run=(
  "${build[@]}"
  tzdata  # time zones in expressions
)
readonly test=(
  "${run[@]}"
  git curl openssl
  clang-format-19                            # style.format
  aspell aspell-en                           # style.spelling
  libclang-rt-19-dev llvm-19                 # sanitizers, fuzzing, coverage
  etcd-server etcd-client                    # what store/etcd is tested against
)
readonly lint=(clang-tidy-19 clang-format-19 git libclang-19-dev llvm-19-dev)  # dev/lint.py
readonly package=(
  "${run[@]}"
  llvm-19                             # llvm-ar knows the archives of LTO; llvm-strip, llvm-profdata
  libclang-rt-19-dev                  # what counts in the preset `profile`
  dpkg-dev lintian xz-utils git       # packaging/
  mmdebstrap systemd-container curl   # clean roots to try packages in
)
readonly bench=("${run[@]}" nlohmann-json3-dev)  # what codec_bench compares with
# What is better with than without, so that its lack ends nothing: the dashboard is bundled by npm
# (dev/web_bundle.py), and looked at by its tests in a browser.
readonly dashboard=(nodejs npm)
readonly browser=(chromium fonts-dejavu-core)
readonly debian_kubectl=build/tools/debian-kubectl/usr/bin/kubectl
readonly debian_prometheus=build/tools/debian-prometheus/usr/bin/prometheus

say() { echo "install-packages: $*" >&2; }

# The packages among the arguments that are not installed, one a line.
missing_of() {
  local installed
  installed=$(dpkg-query --show --showformat='${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^ii //p' || true)
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
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
    sudo -n "$@"  # fails instead of asking for a password
  fi
}

# Installs packages, or says that there is no way.
try_to_install() {
  local missing
  mapfile -t missing < <(missing_of "$@")
  ((${#missing[@]} > 0)) || return 0
  say "installing ${missing[*]}"
  if ! (as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install --yes --no-install-recommends -qq "${missing[@]}" >/dev/null); then
    say "cannot install ${missing[*]}; going on without"
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

# Prometheus and its promtool, which script.server.monitoring runs, are only unpacked: the package would
# start a service.
unpack_debian_prometheus() {
  local scratch
  [[ -x $debian_prometheus ]] && return
  if command -v prometheus >/dev/null && command -v promtool >/dev/null; then return; fi
  scratch=$(mktemp -d)
  if (cd "$scratch" && apt-get download -qq prometheus >/dev/null 2>&1) &&
    mkdir -p build/tools/debian-prometheus &&
    dpkg --extract "$scratch"/prometheus_*.deb build/tools/debian-prometheus; then
    say "unpacked Debian's Prometheus: $debian_prometheus"
  else
    say "cannot download Debian's Prometheus; script.server.monitoring is skipped"
  fi
  rm -rf "$scratch"
}

wanted=()
for goal in "$@"; do
  case $goal in
    build) wanted+=("${build[@]}") ;;
    run) wanted+=("${run[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    package) wanted+=("${package[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    *) say "unknown goal $goal: build, run, test, lint, package, bench" && exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  say "this is not Debian; install the counterparts of: ${wanted[*]}"
  exit 1
fi

command -v kubectl >/dev/null || [[ ! " $* " =~ \ (run|test)\  ]] || wanted+=(kubernetes-client)
mapfile -t missing < <(missing_of "${wanted[@]}")

if ((${#missing[@]} > 0)); then
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends -qq "${missing[@]}" >/dev/null
fi
if [[ " $* " =~ \ (run|test)\  ]]; then unpack_debian_kubectl; fi
if [[ " $* " =~ \ test\  ]]; then unpack_debian_prometheus; fi
# Node.js of others (nodesource) brings npm along, and does not install beside Debian's.
if [[ " $* " =~ \ (build|run|test|package)\  ]] && ! command -v npm >/dev/null; then
  try_to_install "${dashboard[@]}"
fi
if [[ " $* " =~ \ test\  ]] && ! command -v chromium >/dev/null; then try_to_install "${browser[@]}"; fi
