#!/bin/sh
# Makes the plugin as it is installed: Lua, help with its tags, parser and queries, and the server.
#
#   package.sh FOLDER [BINARY]
#
# FOLDER becomes the plugin's root; BINARY its bin/tilewright, which goes before one of PATH.
set -eu
[ $# -ge 1 ] || { echo "usage: package.sh FOLDER [BINARY]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cp -R "$here/plugin" "$here/lua" "$here/doc" "$here/syntax" "$here/build.sh" "$out/"
sh "$here/build.sh" "$out"
# The tags of the help, as :helptags makes them: sorted by byte.
grep -o '\*tilewright[^* ]*\*\|\*:Tilewright[^* ]*\*' "$out/doc/tilewright.txt" | tr -d '*' | LC_ALL=C sort -u |
  awk '{ print $0 "\ttilewright.txt\t/*" $0 "*" }' >"$out/doc/tags"
if [ $# -ge 2 ]; then
  mkdir -p "$out/bin"
  cp "$2" "$out/bin/tilewright.new"
  mv "$out/bin/tilewright.new" "$out/bin/tilewright"
  chmod 755 "$out/bin/tilewright"
fi
