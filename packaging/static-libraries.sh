#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/static-libraries.sh: archives of the libraries that Debian packages as shared ones only, for the
# preset `static`, in build/tools/static. They are made from Debian's own sources, in the version whose
# headers are installed; apt checks their signatures. Nothing is done when they are there.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly folder=$PWD/build/tools/static
readonly compiler=${CXX:-clang++-19}
readonly flags=(-std=c++17 -O2 -DNDEBUG -fPIC -ffunction-sections -fdata-sections -fstack-protector-strong
  -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -w)

# Where apt-get gets Debian's packages from gives their sources, too; the machine's own lists stay.
find_sources() {
  local state=$work/apt
  mkdir -p "$state/lists/partial"
  apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | sort -u >"$state/sources.list"
  apt_options=(-qq -o APT::Sandbox::User=root -o "Dir::State::lists=$state/lists" -o "Dir::Etc::sourcelist=$state/sources.list"
    -o Dir::Etc::sourceparts=- -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
  apt-get "${apt_options[@]}" update
}

# unpack PACKAGE: the source of what the installed package PACKAGE was built from, in $work/PACKAGE.
unpack() {
  local source
  source=$(dpkg-query --show --showformat='${source:Package}=${source:Version}' "$1")
  mkdir "$work/$1.download"
  (cd "$work/$1.download" && apt-get "${apt_options[@]}" source --download-only "$source" &&
    dpkg-source --extract ./*.dsc "$work/$1") >"$work/$1.log" 2>&1 ||
    { cat "$work/$1.log" >&2 && exit 1; }
}

# archive NAME SOURCE...: libNAME.a of the sources; their headers are those that are installed.
archive() {
  local name=$1 source objects=()
  shift
  for source in "$@"; do
    objects+=("$work/$name-$(basename "$source" .cc).o")
    "$compiler" "${flags[@]}" -c "$source" -o "${objects[-1]}"
  done
  rm -f "$folder/lib$name.a"
  llvm-ar-19 rcsD "$folder/lib$name.a" "${objects[@]}"
}

versions=$(dpkg-query --show libfmt-dev prometheus-cpp-dev)
if [[ $versions == $(cat "$folder/versions" 2>/dev/null) ]]; then exit 0; fi
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_sources
unpack libfmt-dev
archive fmt "$work"/libfmt-dev/src/{format,os}.cc
unpack prometheus-cpp-dev
archive prometheus-cpp-core "$work"/prometheus-cpp-dev/core/src/{*,detail/*}.cc
echo "$versions" >"$folder/versions"
echo "static-libraries: made libfmt.a and libprometheus-cpp-core.a in build/tools/static"
