#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaging/deb.sh PROGRAM LIBRARY OUT: a .deb of the program of one build tree and the library of another.
# It is for the Debian that it is made on: the program loads that Debian's libraries, which get their
# security updates from there; dpkg-shlibdeps finds out which.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly program_build=$1 library_build=$2 out=$3
source packaging/parts.sh
architecture=$(dpkg --print-architecture)
readonly file=$out/dray_${version}-1_$architecture.deb

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
readonly root=$work/root doc=$work/root/usr/share/doc/dray

place_program "$program_build" "$root/usr/bin"
place_texts "$root/usr/bin/dray" "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" \
  "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
gzip --best --no-name "$root"/usr/share/man/man1/*.1
ln -s dray.1.gz "$root/usr/share/man/man1/kubectl-dra.1.gz"
cmake --install "$library_build" --prefix "$root/usr" --component library >"$work/install.log"
llvm-strip-19 --strip-debug "$root/usr/lib/libdray.a"
rm "$doc/LICENSE"  # `copyright` says where Debian has it
install -D -m 644 packaging/dray.service "$root/lib/systemd/system/dray.service"
install -D -m 644 packaging/dray.default "$root/etc/default/dray"

install -m 644 packaging/debian/copyright "$doc/copyright"
gzip --best --no-name <CHANGELOG.md >"$doc/changelog.gz"
maintainer=$(git log -1 --format='%an <%ae>')
printf 'dray (%s-1) unstable; urgency=medium\n\n  * Commit %s.\n    changelog.gz says what is new.\n\n -- %s  %s\n' \
  "$version" "$(git rev-parse HEAD)" "$maintainer" "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" |
  gzip --best --no-name >"$doc/changelog.Debian.gz"
packaging/sbom.py --build "$program_build" --program "$root/usr/bin/dray" --version "$version" --output "$doc/dray.spdx.json"

# Which packages the program's libraries are in, and from which version on.
mkdir -p "$work/debian"
printf 'Source: dray\n\nPackage: dray\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e"$root/usr/bin/dray" -e"$root/usr/lib/dray/dray-etcd.so" | sed -n 's/^shlibs:Depends=//p')

mkdir "$root/DEBIAN"
install -m 755 packaging/debian/{postinst,prerm,postrm} "$root/DEBIAN/"
echo /etc/default/dray >"$root/DEBIAN/conffiles"
(cd "$root" && find lib usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
cat >"$root/DEBIAN/control" <<CONTROL
Package: dray
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du --apparent-size --summarize --block-size=1024 --exclude=DEBIAN "$root" | cut -f 1)
Depends: $depends
Recommends: tzdata
Suggests: kubernetes-client, libboost-json1.81-dev, libfmt-dev, libre2-dev, libyaml-dev, pkg-config
Section: admin
Priority: optional
Description: Kubernetes Dynamic Resource Allocation in one program
 Dray is an API server for unmodified clients of Kubernetes with the kinds of
 resource.k8s.io, the structured allocator, scheduler, controllers and
 simulated nodes: drivers and manifests are tried without a cluster and
 without hardware. Its other commands need no server: they say who would get
 which devices, why a pod waits, and which manifests an API server refuses.
 .
 The library, its headers and find_package(dray) are for programs that embed
 the allocator; they need the packages that are suggested.
 .
 The service dray.service is neither enabled nor started by the installation.
CONTROL
chmod -R u=rwX,go=rX "$root"
chmod 755 "$root"/DEBIAN/{postinst,prerm,postrm}
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$out"
rm -f "$out"/dray_*.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$file" >/dev/null
echo "$file"
