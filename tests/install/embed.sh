#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# embed.sh SOURCE BUILD COMPILER [LAUNCHER]: installs the library of a build tree into a folder of
# it, and uses it from there.
set -euo pipefail

readonly source=$1 build=$2 work=$2/install-test
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" --component library >"$work/install.log"
"$source/tests/install/embed-prefix.sh" "$source" "$work" "$work/prefix" "${@:3}"
