#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/tarball.sh PROGRAM OUT: a tarball with the program of a build tree of the preset `static`, and
# OUT/image, from which packaging/Dockerfile makes an image.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly program_build=$1 out=$2
source packaging/parts.sh
readonly name=dray-$version-linux-$(uname -m)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly root=$work/$name
place_program "$program_build" "$root/bin"
if readelf --dynamic "$root/bin/dray" | grep NEEDED; then
  echo "tarball: the program needs shared libraries" >&2
  exit 1
fi
place_texts "$root/bin/dray" "$root/share/man/man1" "$root/share/bash-completion/completions" \
  "$root/share/zsh/site-functions" "$root/share/fish/vendor_completions.d"
mkdir -p "$root/share/doc/dray"
cp LICENSE CHANGELOG.md "$root/share/doc/dray/"
packaging/sbom.py --build "$program_build" --program "$root/bin/dray" --version "$version" \
  --output "$root/share/doc/dray/dray.spdx.json" --licences "$root/share/doc/dray/licences"

mkdir -p "$out"
rm -rf "$out"/dray-*-linux-*.tar.xz "$out/image"
tar --create --xz --file "$out/$name.tar.xz" --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX "$name"
mkdir -p "$out/image/data"
cp "$root/bin/dray" packaging/Dockerfile "$out/image/"
echo "$out/$name.tar.xz"
