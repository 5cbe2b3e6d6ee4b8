#!/bin/sh
# Builds the tree-sitter parser of tile scripts and puts the queries where Neovim looks for them.
#
#   build.sh [FOLDER]    into FOLDER (default: this plugin)
#
# The grammar is that of the repository (../../grammar), or the copy that a package brings (grammar/). A C compiler does
# it: $CC, else cc, gcc or clang. Plugin managers call this as their build step, packages when they are made.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
grammar=$here/grammar
[ -f "$grammar/src/parser.c" ] || grammar=$here/../../grammar
[ -f "$grammar/src/parser.c" ] || { echo "build.sh: no grammar: neither $here/grammar nor $here/../../grammar has src/parser.c" >&2; exit 1; }
compiler=
for name in ${CC:-} cc gcc clang; do
  if command -v "$name" >/dev/null 2>&1; then compiler=$name; break; fi
done
[ -n "$compiler" ] || { echo "build.sh: no C compiler; install gcc or clang, or set CC" >&2; exit 1; }
mkdir -p "$out/parser" "$out/queries/tilescript"
"$compiler" -O2 -fPIC -shared -I "$grammar/src" -o "$out/parser/tilescript.so.new" "$grammar/src/parser.c" "$grammar/src/scanner.c"
mv "$out/parser/tilescript.so.new" "$out/parser/tilescript.so"  # one that is loaded stays whole
cp "$grammar"/queries/*.scm "$out/queries/tilescript/"
