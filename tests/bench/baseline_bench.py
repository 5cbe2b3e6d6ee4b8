#!/usr/bin/env python3
"""baseline_bench.py TILEWRIGHT [COUNT]: `tilewright build --baseline` on this machine's GPU. Kernels that did not change are built and measured
COUNT times (default 100): how many alarms? Then each is made slower by a known part, one after the other: which are found?
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

BINARY = os.path.abspath(sys.argv[1])
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 100
SLOWER = (6, 8, 10, 15, 20, 30, 50, 100)  # percent

SCRIPT = """from tvm.script import tirx as T

CTAS, ROUNDS = {ctas}, {rounds}


# tilewright: run work
@T.prim_func
def work(A: T.Buffer((CTAS * 1024,), "float32"), B: T.Buffer((CTAS * 1024,), "float32")):
    T.device_entry()
    cta = T.cta_id([CTAS])
    i = T.thread_id([256])
    kept = T.alloc_buffer((4,), "float32", scope="local")
    for j in T.unroll(4):
        kept[j] = A[cta * 1024 + j * 256 + i]
    for r in T.serial(ROUNDS):
        for j in T.unroll(4):
            kept[j] = kept[j] * T.float32(0.999) + kept[(j + 1) % 4]
    for j in T.unroll(4):
        B[cta * 1024 + j * 256 + i] = kept[j]
"""
SIZES = ((264, 20_000), (2640, 4_000), (528, 100_000))


def main():
    root = tempfile.mkdtemp(prefix="tilewright-baseline-")

    def write(n, rounds):
        with open(os.path.join(root, f"k{n}.py"), "w") as f:
            f.write(SCRIPT.format(ctas=SIZES[n][0], rounds=rounds))

    def build(*words):
        done = subprocess.run([BINARY, "build", "--on", "gpu", *words], cwd=root, capture_output=True, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": os.path.join(root, ".store")})
        assert done.returncode in (0, 1), done.stderr
        return done

    for n, (_, rounds) in enumerate(SIZES):
        write(n, rounds)
    build("--write-baseline", "baseline.json")
    with open(os.path.join(root, "baseline.json")) as f:
        for run in json.load(f)["runs"]:
            print(run["script"], run["device"], "cold", run["cold"]["median_us"], "hot", run["hot"]["median_us"], "µs")
    begun, alarms = time.monotonic(), 0
    for _ in range(COUNT):
        done = build("--baseline", "baseline.json")
        if done.returncode:
            alarms += 1
            print("ALARM", done.stdout)
    print(f"{COUNT} builds of kernels that did not change: {alarms} alarms, {(time.monotonic() - begun) / COUNT:.2f} s a build", flush=True)
    found = 0
    for percent in SLOWER:
        for n, (_, rounds) in enumerate(SIZES):
            write(n, rounds * (100 + percent) // 100)
            done = build("--baseline", "baseline.json", "--json")
            slow = {c["script"] for c in json.loads(done.stdout)["baseline"] if c["kind"] == "worse" and c["cost"] == "time"}
            right = slow == {f"k{n}.py"}
            found += right
            print(f"k{n}.py slower by {percent} %: {'found' if right else f'told of {sorted(slow)}'}", flush=True)
            write(n, rounds)
    print(f"{found} of {len(SLOWER) * len(SIZES)} found")
    shutil.rmtree(root)


main()
