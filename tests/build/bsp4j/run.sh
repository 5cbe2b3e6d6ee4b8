#!/usr/bin/env bash
# run.sh TILEWRIGHT FOLDER: the build server under a client on the Build Server Protocol project's own library, with Maven,
# whose output goes to FOLDER. Status 77: there is no Maven, or its repository cannot be reached.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v mvn >/dev/null || { echo "skipped: there is no Maven"; exit 77; }
run() { mvn -B -ntp "$@" test -Dout="$folder" -Dtilewright="$binary" 2>&1 | tee "$folder/log"; }
run -o >/dev/null || run || {
  if grep -qE 'Could not transfer artifact|Unknown host|Temporary failure in name resolution|Connection refused' "$folder/log" &&
    ! grep -q 'Tests run:' "$folder/log"; then
    echo "skipped: Maven's repository cannot be reached"
    exit 77
  fi
  exit 1
}
grep -E 'Tests run: [0-9]+, Failures' "$folder/log" | tail -1
