#!/bin/sh
# Builds and runs parse_bench: our grammar beside tree-sitter-python 0.25.0 of npm, on every .py file of Python's
# standard library, its tests included.
#
#   parse_bench.sh [ROUNDS]
#
# Needs npm, a C and a C++ compiler, libtree-sitter and, because that grammar's parser has ABI 15, tree-sitter 0.27.1 to
# generate it again with ABI 14. Nothing of it stays: all is done in a temporary folder (TILEWRIGHT_BENCH_FOLDER to
# keep one).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
PATH="$PATH:${HOME:-/root}/.cargo/bin"
if [ -n "${TILEWRIGHT_BENCH_FOLDER:-}" ]; then
  folder=$TILEWRIGHT_BENCH_FOLDER
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
cd "$folder"
if [ ! -e package/parser.done ]; then
  npm pack --silent tree-sitter-python@0.25.0 >/dev/null
  tar xzf tree-sitter-python-0.25.0.tgz
  (cd package && tree-sitter generate --abi 14 --js-runtime native 2>/dev/null && touch parser.done)
fi
for unit in parser scanner; do
  cc -O2 -I"$root/grammar/src" -c "$root/grammar/src/$unit.c" -o "ours_$unit.o"
  cc -O2 -Ipackage/src -c "package/src/$unit.c" -o "theirs_$unit.o"
done
c++ -std=c++23 -O2 "$root/tests/bench/parse_bench.cpp" ./*_parser.o ./*_scanner.o -ltree-sitter -o parse_bench
library=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
find "$library" -name '*.py' -type f | sort > listing.txt
./parse_bench listing.txt "${1:-7}"
