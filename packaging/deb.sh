#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/deb.sh PROGRAM LIBRARY OUT: two packages, `dray` with the program of one build tree and `libdray-dev`
# with the library of another. They are for the Debian that they are made on: the program loads that Debian's
# libraries, which get their security updates from there; dpkg-shlibdeps finds out which.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly program_build=$1 library_build=$2 out=$3
source packaging/parts.sh
architecture=$(dpkg --print-architecture)
maintainer=$(git log -1 --format='%an <%ae>')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
readonly main=$work/dray library=$work/libdray-dev

# make_package NAME ROOT: the .deb of what is in ROOT; the rest of its control file is read. Prints its name.
make_package() {
  local name=$1 root=$2 doc=$2/usr/share/doc/$1
  local file=$out/${name}_${version}-1_$architecture.deb
  install -D -m 644 packaging/debian/copyright "$doc/copyright"
  gzip --best --no-name <CHANGELOG.md >"$doc/changelog.gz"
  printf 'dray (%s-1) unstable; urgency=medium\n\n  * Commit %s.\n    changelog.gz says what is new.\n\n -- %s  %s\n' \
    "$version" "$(git rev-parse HEAD)" "$maintainer" "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" |
    gzip --best --no-name >"$doc/changelog.Debian.gz"
  mkdir -p "$root/DEBIAN"
  (cd "$root" && find . -path ./DEBIAN -prune -o -path ./etc -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z |
    xargs -0 md5sum >DEBIAN/md5sums)
  cat >"$root/DEBIAN/control" <<CONTROL
Package: $name
Source: dray
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du --apparent-size --summarize --block-size=1024 --exclude=DEBIAN "$root" | cut -f 1)
$(cat)
CONTROL
  chmod -R u=rwX,go=rX "$root"
  find "$root/DEBIAN" -name 'p*' -exec chmod 755 {} +
  find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  mkdir -p "$out"
  rm -f "$out/${name}"_*.deb
  dpkg-deb --root-owner-group -Zxz --build "$root" "$file" >/dev/null
  echo "$file"
}

place_program "$program_build" "$main/usr/bin"
place_texts "$main/usr/bin/dray" "$main/usr/share/man/man1" "$main/usr/share/bash-completion/completions" \
  "$main/usr/share/zsh/vendor-completions" "$main/usr/share/fish/vendor_completions.d"
gzip --best --no-name "$main"/usr/share/man/man1/*.1
ln -s dray.1.gz "$main/usr/share/man/man1/kubectl-dra.1.gz"
install -D -m 644 packaging/dray.service "$main/lib/systemd/system/dray.service"
install -D -m 644 packaging/dray.default "$main/etc/default/dray"
mkdir -p "$main/usr/share/doc/dray"
packaging/sbom.py --build "$program_build" --program "$main/usr/bin/dray" --version "$version" \
  --output "$main/usr/share/doc/dray/dray.spdx.json"
mkdir "$main/DEBIAN"
install -m 755 packaging/debian/{postinst,prerm,postrm} "$main/DEBIAN/"
echo /etc/default/dray >"$main/DEBIAN/conffiles"

# Which packages the program's libraries are in, and from which version on.
mkdir -p "$work/debian"
printf 'Source: dray\n\nPackage: dray\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps --warnings=1 -O -e"$main/usr/bin/dray" -e"$main/usr/lib/dray/dray-etcd.so" |
  sed -n 's/^shlibs:Depends=//p')

make_package dray "$main" <<CONTROL
Depends: $depends
Recommends: tzdata
Suggests: kubernetes-client, libdray-dev
Section: admin
Priority: optional
Description: Kubernetes Dynamic Resource Allocation in one program
 Dray is an API server for unmodified clients of Kubernetes with the kinds of
 resource.k8s.io, the structured allocator, scheduler, controllers and
 simulated nodes: drivers and manifests are tried without a cluster and
 without hardware. Its other commands need no server: they say who would get
 which devices, why a pod waits, and which manifests an API server refuses.
 .
 The service dray.service is neither enabled nor started by the installation.
CONTROL

cmake --install "$library_build" --prefix "$library/usr" --component library >"$work/install.log"
llvm-strip-19 --strip-unneeded "$library/usr/lib/libdray.a"
rm -r "$library/usr/share/doc"  # LICENSE; `copyright` says where Debian has it
make_package libdray-dev "$library" <<CONTROL
Depends: libboost-json1.81-dev, libfmt-dev, libre2-dev, libyaml-dev
Suggests: pkg-config
Section: libdevel
Priority: optional
Description: Kubernetes Dynamic Resource Allocation as a library for C++
 The archive, headers and find_package(dray) for programs that embed the
 allocator of Dray: who would get which devices, and why not.
CONTROL
