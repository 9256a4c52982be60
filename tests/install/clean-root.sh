# SPDX-License-Identifier: Apache-2.0
# Clean roots of Debian, for tests of packages; sourced. As root, since only root has a chroot.

# clean_root RELEASE FOLDER PACKAGE...: a new root of Debian RELEASE with these packages beside the
# essential ones. The first time takes a minute and downloads 60 MB; then build/tools/roots has it.
clean_root() {
  local release=$1 folder=$2 include archive
  shift 2
  include=$(IFS=,; echo "$*")
  archive=build/tools/roots/$release${include:+-${include//,/-}}.tar
  if [[ ! -f $archive ]]; then
    mkdir -p build/tools/roots
    mmdebstrap --quiet --variant=apt ${include:+--include="$include"} "$release" "$archive.new.tar" \
      http://deb.debian.org/debian
    mv "$archive.new.tar" "$archive"
  fi
  mkdir -p "$folder"
  tar --extract --file "$archive" --directory "$folder" --numeric-owner
}

# until_true WHAT COMMAND...: repeats the command until it succeeds, for ten minutes.
until_true() {
  local what=$1 end=$((SECONDS + 600))
  shift
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= end)); then
      echo "this does not come to pass: $what" >&2
      return 1
    fi
    sleep 0.1
  done
}
