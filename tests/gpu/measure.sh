#!/usr/bin/env bash
# Measures copies on a real GPU in all the ways of `tilewright run`, by hand; answers go to the folder $2.
#   tests/gpu/measure.sh build/release/tilewright build/gpu/measured
# A machine with NVRTC needs nothing else.
set -u
T=$(realpath "$1"); OUT=$2; mkdir -p "$OUT"; OUT=$(realpath "$OUT")
D=$(mktemp -d); trap 'rm -rf "$D"' EXIT
[ -z "${CUDA_HOME:-}" ] && [ -d /usr/local/cuda ] && export CUDA_HOME=/usr/local/cuda
export XDG_CACHE_HOME=$D/cache
exec > >(tee "$OUT/log.txt") 2>&1

timed() { echo "== ${*//$D\//}"; /usr/bin/env time -f '%e s wall, %M KB' "$@" || echo "status $?"; }

# What a copy leaves needs no reference, which would take longer than the GPU.
GIVEN=(--input A=arange --expect B=arange)
"$T" check docs/copies.py
timed "$T" run docs/copies.py --on gpu --entry all --set n=$((8 << 20))
# Twice the same: no difference may be seen. Then a difference, in both directions.
timed "$T" run docs/copies.py --on gpu --entry 'wide(1024)' --against 'wide(1024)' "${GIVEN[@]}" --set n=$((32 << 20))
timed "$T" run docs/copies.py --on gpu --entry 'wide(1024)' --against 'narrow(64)' "${GIVEN[@]}" --set n=$((32 << 20))
timed "$T" run docs/copies.py --on gpu --entry 'narrow(64)' --against 'wide(1024)' "${GIVEN[@]}" --set n=$((32 << 20))
# Within the L2 cache, where hot and cold are far apart.
timed "$T" run docs/copies.py --on gpu --entry 'wide(256)' --against 'narrow(1024)' "${GIVEN[@]}" --set n=$((1 << 20))
# A gigabyte of each tensor, beside the driver's copy; then without the management library.
timed "$T" run docs/copies.py --on gpu --entry 'wide(1024)' "${GIVEN[@]}" --set n=$((256 << 20)) --repeat 20
timed "$T" run docs/copies.py --on gpu --entry 'wide(1024)' "${GIVEN[@]}" --set n=$((1 << 20)) --nvml libnone.so
"$T" compile docs/copies.py --entry 'narrow(1024)' --emit cubin -o "$D/made" > /dev/null
timed "$T" run docs/copies.py --on gpu --entry 'narrow(1024)' --against "$(find "$D/made" -name '*.cubin' | head -1)" \
  "${GIVEN[@]}" --set n=$((32 << 20))
"$T" run docs/copies.py --on gpu --entry 'wide(1024)' --against 'narrow(64)' "${GIVEN[@]}" --set n=$((32 << 20)) --json > "$OUT/against.json"
timed "$T" run examples/vector_add.py --on gpu --set n=$((8 << 20)) --seed secret
timed "$T" run examples/tma_pipeline.py --on gpu --entry all
timed "$T" run examples/bulk_reduce.py --on gpu --entry all
