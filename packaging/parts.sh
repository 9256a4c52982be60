# SPDX-License-Identifier: Apache-2.0
# What packages have in common; sourced by deb.sh and tarball.sh. Sets `version`, and the time that
# every file of a package has, so that the same programs make the same package.

version=$(sed -nE 's/^project\(dray VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# Between releases: newer than the one before, older than the one to come.
if [[ $(git tag --points-at HEAD) != *"v$version"* ]]; then
  version+="~git$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).$(git rev-parse --short=8 HEAD)"
fi

# place_program BUILD FOLDER: the program of a build tree, stripped, and as a plugin of kubectl; into lib/dray
# beside FOLDER its module for etcd, where it has one.
place_program() {
  mkdir -p "$2"
  llvm-strip-19 --strip-all "$1/bin/dray" -o "$2/dray"
  ln -sf dray "$2/kubectl-dra"
  if [[ -f $1/bin/dray-etcd.so ]]; then
    mkdir -p "$2/../lib/dray"
    llvm-strip-19 --strip-all "$1/bin/dray-etcd.so" -o "$2/../lib/dray/dray-etcd.so"
  fi
}

# place_texts PROGRAM MAN BASH ZSH FISH: man pages of all commands, completion for three shells, each
# into its folder. They are what the program says of itself.
place_texts() {
  local program=$1 man=$2 command below
  mkdir -p "$man" "$3" "$4" "$5"
  "$program" help --man >"$man/dray.1"
  for command in $("$program" __complete ''); do
    "$program" help --man "$command" >"$man/dray-$command.1"
    for below in $("$program" help "$command" | sed -nE '/^Commands:/,/^[A-Z][a-z]+:$/s/^  ([a-z]+) .*/\1/p'); do
      "$program" help --man "$command" "$below" >"$man/dray-$command-$below.1"
    done
  done
  "$program" completion bash >"$3/dray"
  "$program" completion zsh >"$4/_dray"
  "$program" completion fish >"$5/dray.fish"
}
