# SPDX-License-Identifier: Apache-2.0
# A full disk: writes are refused with a reason and change nothing, reads continue, and once there is
# room again writes continue too; no acknowledged write is lost.
# shellcheck shell=bash
mkdir data
mount -t tmpfs -o size=6m none data 2>mount.log || skip "cannot mount a small disk: $(cat mount.log)"
trap 'kill -9 $(cat pids) 2>/dev/null; umount -l data' EXIT
serve --components=apiserver
maps=/api/v1/namespaces/default/configmaps
json=(-H 'Content-Type: application/json')
text=$(head -c 40000 /dev/zero | tr '\0' x)
body() { printf '{"metadata":{"name":"%s"},"data":{"text":"%s"}}' "$1" "$text"; }

dd if=/dev/zero of=data/ballast bs=1k count=4200 status=none
stored=()
for ((i = 0; i < 100; i++)); do
  body "m$i" >request
  answer=$(ask POST $maps "${json[@]}" --data-binary @request)
  [[ $answer == 201* ]] || break
  stored+=("m$i")
done
echo "$answer"
((${#stored[@]} >= 3 && ${#stored[@]} < 60))
grep -Eq '^503 .*(disk is full|no space)' <<<"$answer"

# Stored objects can be read, and the refused one does not exist.
[[ $(ask GET $maps/m0) == "200 ConfigMap default/m0" ]]
[[ $(ask GET "$maps/m${#stored[@]}") == 404* ]]

# With room again, writes succeed in the same process.
rm data/ballast
[[ $(ask POST $maps "${json[@]}" --data-binary @request) == 201* ]]

# And everything is there for the next process.
{ kill -9 "$(tail -n 1 pids)" && wait "$(tail -n 1 pids)"; } 2>killed || true
serve --components=apiserver
for name in "${stored[@]}" "m${#stored[@]}"; do
  [[ $(ask GET "$maps/$name") == "200 ConfigMap default/$name" ]]
done
