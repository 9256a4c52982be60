#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/install/deb.sh FILE LIBRARY: installs a .deb in a clean Debian in which systemd runs, over a package of an
# older version and its objects in a store of the schema before, uses what was installed, the library too, and
# removes it.
set -euo pipefail

cd "$(dirname "$0")/../.."
readonly deb=$1 library=$2
source tests/install/clean-root.sh
work=$(mktemp -d /var/tmp/dray-deb-XXXXXX)
readonly root=$work/root
leader=
finish() {
  if [[ -n $leader ]]; then
    kill -s RTMIN+4 "$leader" 2>/dev/null || true  # systemd's signal for poweroff
    wait "$container" 2>/dev/null || true
  fi
  rm -rf --one-file-system "$work"
}
trap finish EXIT

heading() { echo "deb: $*"; }
die() {
  echo "deb: $*" >&2
  inside journalctl --no-pager --unit dray 2>/dev/null | tail -n 20 >&2 || true
  exit 1
}
# In the container, as its root.
inside() { nsenter --target "$leader" --all -- "$@"; }
install_package() { inside apt-get install --yes -qq --no-install-recommends "$1" >"$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2 && die "apt-get install $1"; }; }

heading "a clean root"
clean_root bookworm "$root" systemd systemd-sysv
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$work/old"
dpkg-deb --raw-extract "$deb" "$work/old"
sed -i 's/^Version: .*/Version: 0.0.1-1/' "$work/old/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/old" "$root/opt/old.deb" >/dev/null
cp "$deb" "$root/opt/new.deb"

heading "systemd"
systemd-nspawn --quiet --directory "$root" --boot --register=no --keep-unit --console=pipe --resolv-conf=off \
  --link-journal=no </dev/null >"$work/boot.log" 2>&1 &
container=$!
until_true "a container" pgrep --parent "$container"
leader=$(pgrep --parent "$container")
until_true "a booted system" inside test -S /run/systemd/private
inside systemctl is-system-running --wait >/dev/null || true  # parts that a container lacks may have failed

heading "the older version, and what it kept"
inside apt-get update -qq
install_package /opt/old.deb
[[ $(inside systemctl is-enabled dray || true) == disabled ]] || die "the service is enabled"
inside mkdir -p /var/lib/private/dray
cp tests/data/store/schema-v1.db "$root/var/lib/private/dray/dray.db"
inside ln -s private/dray /var/lib/dray

heading "upgrade"
install_package /opt/new.deb
inside dray version
echo 'DRAY_OPTIONS="--listen=127.0.0.1:0 --nodes=example=1"' >"$root/etc/default/dray"
inside systemctl enable --quiet --now dray || die "the service does not start"
until_true "a kubeconfig" inside test -s /var/lib/dray/kubeconfig
url=$(inside sed -n 's/ *server: //p' /var/lib/dray/kubeconfig)
readonly data=$root/var/lib/private/dray
ask() { curl --silent --fail --cacert "$data/pki/ca.crt" --cert "$data/pki/admin.crt" --key "$data/pki/admin.key" "$url$1"; }
until_true "a server that is ready" ask /readyz
kept=$(inside dray store status --data-dir /var/lib/dray -o json; inside dray store dump --data-dir /var/lib/dray --prefix /r/pods/)
[[ $kept == *'"id": "0000000000000011"'* && $kept == *'"key":"/r/pods/a"'* ]] || die "another store: $kept"
until_true "slices of the simulated node" bash -c "$(declare -f ask); data=$data url=$url; ask /apis/resource.k8s.io/v1/resourceslices | grep -q gpu-0"
[[ $(inside stat --format %a /var/lib/private/dray) == 700 ]] || die "the folder is open to others"
pid=$(inside systemctl show --property MainPID --value dray)
[[ $(inside sed -n 's/^Uid:\t\([0-9]*\).*/\1/p' "/proc/$pid/status") != 0 ]] || die "the service is root"
[[ $(inside sed -n 's/^CapEff:\t//p' "/proc/$pid/status") == 0000000000000000 ]] || die "the service has capabilities"
[[ $(inside sed -n 's/^Seccomp:\t//p' "/proc/$pid/status") == 2 ]] || die "the service has no filter of system calls"

heading "an upgrade while it runs"
inside dpkg --install /opt/new.deb >/dev/null
[[ $(inside systemctl show --property MainPID --value dray) != "$pid" ]] || die "the service was not restarted"
inside systemctl is-active --quiet dray || die "the service does not run"

heading "a store in etcd, which is a module's work"
install_package etcd-server
readonly etcd=http://127.0.0.1:23790
inside etcd --data-dir /var/tmp/etcd --listen-client-urls $etcd --advertise-client-urls $etcd \
  --listen-peer-urls http://127.0.0.1:23800 >"$work/etcd.log" 2>&1 &
until_true "etcd" inside dray store status --etcd-servers $etcd

heading "pages and completion"
inside test -s /usr/share/man/man1/dray-serve.1.gz
bash -n "$root/usr/share/bash-completion/completions/dray"
python3 -c 'import json, sys; assert json.load(sys.stdin)["spdxVersion"] == "SPDX-2.3"' <"$root/usr/share/doc/dray/dray.spdx.json"

heading "the library"
dpkg-deb --extract "$library" "$root"
tests/install/embed-prefix.sh "$PWD" "$work/embed" "$root/usr" clang++-19

heading "remove and purge"
pid=$(inside systemctl show --property MainPID --value dray)
[[ $pid != 0 ]] || die "the service does not run any more"
inside apt-get remove --yes -qq dray >/dev/null
[[ ! -e $root/usr/bin/dray && -s $data/dray.db ]] || die "remove leaves the program, or takes the objects"
inside test ! -e "/proc/$pid" || die "the service still runs"
inside apt-get purge --yes -qq dray >/dev/null
[[ ! -e $data && ! -e $root/etc/default/dray ]] || die "purge leaves something"
echo "deb: installed, upgraded, served, removed"
