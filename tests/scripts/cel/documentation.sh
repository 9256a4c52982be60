# SPDX-License-Identifier: Apache-2.0
# The examples in docs/cel.md print what they say: commands follow a $, empty lines do not count.
dray() { "$DRAY" "$@"; }
promised() { grep '^    ' "$ROOT/docs/cel.md"; }
printed() {
  promised | grep '^    [$] ' | while IFS= read -r line; do
    echo "$line"
    (cd "$ROOT" && eval "${line#    $ }" 2>&1 </dev/null || true) | sed -n '/./s/^/    /p'
  done
}
[ "$(promised | grep -c '^    [$] ')" -ge 5 ]
diff <(promised) <(printed)
