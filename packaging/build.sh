#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/build.sh: what `make package` does: builds the programs and the library, makes two .debs and a
# tarball in build/packages, refuses them if lintian finds an error, and tries all in clean roots.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly out=build/packages

packaging/static-libraries.sh
# A build that counts what the loads of bench/ run; then those whose compiler knows it.
readonly counts=$PWD/build/profile/dray.profdata
cmake --preset profile >/dev/null
cmake --build --preset profile --target dray pods_bench writes_bench echo_bench watchers_bench plans_bench
packaging/profile.sh build/profile/bin "$counts"
# Named by what it says, so that other counts are another option of the compiler: objects of two do not link.
profile=$PWD/build/profile/$(sha256sum "$counts" | cut -c 1-16).profdata
cp "$counts" "$profile"
for preset in package static; do
  cmake --preset $preset -DDRAY_PROFILE="$profile" >/dev/null
  cmake --build --preset $preset --target dray
done
# Not of the preset `package`: archives of LTO are for one compiler only.
cmake --preset release >/dev/null
cmake --build --preset release --target dray_library

made=$(packaging/deb.sh build/package build/release "$out")
mapfile -t debs <<<"$made"
tarball=$(packaging/tarball.sh build/static "$out")
(cd "$out" && sha256sum -- *.deb *.tar.xz >SHA256SUMS)

lintian --fail-on error "${debs[@]}"
tests/install/deb.sh "${debs[@]}"
tests/install/tarball.sh "$tarball"
ls -l "$out"
for deb in "${debs[@]}"; do
  echo "package: installed, $(dpkg-deb --field "$deb" Package) takes $(dpkg-deb --field "$deb" Installed-Size) KiB"
done
