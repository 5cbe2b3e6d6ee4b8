#!/usr/bin/env python3
"""tune_planted.py TILEWRIGHT [--only gemm|softmax|attention]: spaces of the three examples on a real GPU, each with about 50 candidates
that are wrong, hang, fault or leave out work once they were verified: none wins, and the best is the honest one that an honest
space has. A candidate asks a device function how many steps its loop has; `PLANTS` are what it answers."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
# `full`: the honest answer; `launch`: launches of this module so far; `cta`, `thread`: who asks.
PLANTS = [
    "full - 1", "full / 2", "1", "cta == 1 ? full - 1 : full", "cta % 16 == 3 ? full / 2 : full",
    "launch >= 2 ? full - 1 : full", "launch >= 2 ? full / 2 : full", "launch >= 2 ? 1 : full",
    "launch >= 2 && launch % 2 ? full / 2 : full", "launch >= 2 && launch % 8 ? full / 2 : full",
    "launch >= 9 ? 1 : full", "launch >= 5 && cta >= 4 ? 1 : full", "launch >= 2 && cta == 1 ? full - 1 : full",
    "launch ? full / 2 : full", "launch < 3 ? full : full / 2", "hang", "launch >= 2 ? hang : full",
    "launch >= 4 ? fault : full",
]
SOURCE = """
__device__ int counts[%d];
__device__ int steps_of(int cta, int thread, int full) {
  const int launch = counts[cta * 384 + thread]++;
  int* nowhere = (int*)(16ull << 40);
  %s
  return %s;
}
"""
STEPS = ('T.cuda.func_call("steps_of", {cta}, {thread}, {full}, source_code=STEPS[CHEAT], return_type="int32")')


def source(plant):
    before = ""
    for word, does in (("hang", "for (;;) __nanosleep(1000);"), ("fault", "*nowhere = 1;")):
        if word in plant:
            condition = plant.split("?")[0] if "?" in plant else "true"
            before, plant = f"if ({condition}) {{ {does} }}", "full"
    return SOURCE % (384 * 8192, before, plant)


def example(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as f:
        text = f.read()
    table = "STEPS = [" + ",\n    ".join(repr(source(p)) for p in ["full", *PLANTS]) + "]\n\n"
    return "# tilewright: dialect 0.25\n" + text, table


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def gemm():
    text, table = example("gemm_hopper.py")
    steps = STEPS.format(cta="cta", thread="wg * 128 + tid", full="K // TILE_K")
    text = replaced(
        text, ("TILE_M, TILE_N, TILE_K, STAGES = 128, 256, 64, 4", "TILE_M, TILE_K = 128, 64"),
        ("BYTES = (TILE_M + TILE_N) * TILE_K * 2\n", table),
        ("# tilewright: entry gemm(256, 512, 256, ctas=2)\n", ""),
        ("def gemm(M, N, K, ctas=132):\n", "def gemm(M, N, K, TILE_N=256, STAGES=4, CHEAT=0, ctas=132):\n    BYTES = (TILE_M + TILE_N) * TILE_K * 2\n\n"),
        ("def plain(M, N, K, ctas):", "def plain(M, N, K, TILE_N=0, STAGES=0, CHEAT=0, ctas=0):"),
        ("        pool = T.SMEMPool()\n", f"        steps: T.int32 = {steps}\n        pool = T.SMEMPool()\n"),
        ("T.serial(K // TILE_K)", "T.serial(steps)"))
    return text, "gemm(4096, 4096, 4096, *)", "TILE_N=128,256 STAGES=3,4 CHEAT=0..%d if CHEAT < 16 or TILE_N == 256 and STAGES == 4" % len(PLANTS)


def attention():
    text, table = example("attention_hopper.py")
    steps = STEPS.format(cta="head * (length // (2 * QUERIES)) + block", thread="wg * 128 + tid", full="length // KEYS")
    text = replaced(
        text, ("def attention(heads, length, D):\n", "def attention(heads, length, D, SLOTS=2, CHEAT=0):\n    STAGES = SLOTS\n\n"),
        ("# tilewright: run attention(1, 512, 64) reference=plain(...) atol=1e-3\n", "# tilewright: run reference=plain(...) atol=1e-3\n"),
        ("def plain(heads, length, D):", "def plain(heads, length, D, SLOTS=0, CHEAT=0):"),
        ("        pool = T.SMEMPool()\n", f"        steps: T.int32 = {steps}\n        pool = T.SMEMPool()\n"),
        ("T.serial(length // KEYS)", "T.serial(steps)"))
    return text.replace("\n\n\ndef of_lane", "\n\n" + table + "\ndef of_lane", 1), "attention(16, 4096, 64, *)", "SLOTS=2..5 CHEAT=0..%d if CHEAT < 16 or SLOTS == 2" % len(PLANTS)


def softmax():
    text, table = example("softmax_rows.py")
    steps = STEPS.format(cta="cta", thread="tid", full="rows_each")
    text = replaced(
        text, ("def softmax(rows, columns, rows_each):", "def softmax(rows, columns, rows_each=1, CHEAT=0):"),
        ("# tilewright: entry softmax(6, 4096, 2)\n# tilewright: entry softmax(2, 2048, 1)\n", ""),
        ("def plain(rows, columns, rows_each):", "def plain(rows, columns, rows_each=1, CHEAT=0):"),
        ("        T.thread_id([THREADS])\n", f"        tid = T.thread_id([THREADS])\n        steps: T.int32 = {steps}\n"),
        ("for r in T.serial(rows_each):", "for r in T.serial(steps):"))
    return (text.replace("\n\ndef row_layout", "\n" + table + "\ndef row_layout", 1), "softmax(16384, 4096, *)",
            "rows_each=2,4,8,16 CHEAT=0..%d if CHEAT < 16 or rows_each == 4" % len(PLANTS))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilewright")
    parser.add_argument("--only", choices=("gemm", "softmax", "attention"))
    parser.add_argument("--out", help="a folder for the records")
    parser.add_argument("--write", help="write the scripts into this folder, and do nothing else")
    options = parser.parse_args()
    bad = 0
    folder = options.write or tempfile.mkdtemp()
    for name, make in (("gemm", gemm), ("softmax", softmax), ("attention", attention)):
        if options.only not in (None, name):
            continue
        text, entry, space = make()
        path = os.path.join(folder, name + ".py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        print(name, entry, space, flush=True)
        if options.write:
            continue
        out = ["-o", os.path.join(options.out, name + ".json")] if options.out else []
        done = subprocess.run([options.tilewright, "tune", path, "--entry", entry, "--space", space, "--no-races", "--deadline", "2", "--json",
                               *out], stdout=subprocess.PIPE, check=False)
        record = json.loads(done.stdout)
        planted = [c for c in record["candidates"] if c["settings"]["CHEAT"] != "0"]
        won = [c["entry"] for c in planted if c["fate"] in ("best", "level")]
        fates = {}
        for c in planted:
            fates[c["fate"]] = fates.get(c["fate"], 0) + 1
        bad += bool(won) or not record["best"]
        print(f"{name}: {len(record['candidates'])} candidates, {len(planted)} planted {fates}, best {record['best']}, planted that won: {won}",
              flush=True)
        for c in record["candidates"]:
            print("  ", c["entry"], c["fate"], c["median_us"], c["reason"][:110], flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
