#!/usr/bin/env bash
# run.sh FUZZER CORPUS [SEEDS...]: one fuzzer for TILEWRIGHT_FUZZ_SECONDS (600). What it finds is written beside CORPUS' folder.
set -euo pipefail
program=$1 corpus=$2
shift 2
mkdir -p "$corpus"
exec "$program" -max_total_time="${TILEWRIGHT_FUZZ_SECONDS:-600}" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
  -artifact_prefix="$(dirname "$(dirname "$corpus")")/$(basename "$program")-" "$corpus" "$@"
