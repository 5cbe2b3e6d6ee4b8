#!/usr/bin/env python3
"""tune_spaces.py TILEWRIGHT [--only gemm|softmax|attention]: `tune` over a space of each of three examples beside an
exhaustive search of the same space, on a real GPU: how far its best is from the exhaustive search's, measured in pairs,
one launch after the other, and with what share of its launches. Fails where that is beyond 1 % or 25 %."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")


def example(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as f:
        return "# tilewright: dialect 0.25\n" + f.read()


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def gemm():
    """75 candidates."""
    text = replaced(
        example("gemm_hopper.py"), ("TILE_M, TILE_N, TILE_K, STAGES = 128, 256, 64, 4", "TILE_M, TILE_K = 128, 64"),
        ("BYTES = (TILE_M + TILE_N) * TILE_K * 2\n", ""), ("# tilewright: entry gemm(256, 512, 256, ctas=2)\n", ""),
        ("def gemm(M, N, K, ctas=132):\n",
         "def gemm(M, N, K, TILE_N=256, STAGES=4, ctas=132):\n    BYTES = (TILE_M + TILE_N) * TILE_K * 2\n\n"),
        ("def plain(M, N, K, ctas):", "def plain(M, N, K, TILE_N=0, STAGES=0, ctas=0):"))
    return (text, "gemm(4096, 4096, 4096, *)", "gemm(256, 512, 256, *)",
            "TILE_N=64,128,256 STAGES=2..6 ctas=132,128,120,112,99")


def attention():
    """72 candidates: keys of a step, slots of the rings, and which of heads and queries neighbouring CTAs share."""
    text = replaced(
        example("attention_hopper.py"), ("QUERIES, KEYS, STAGES = 64, 128, 2", "QUERIES = 64"),
        ("ring.full.arrive(slot.stage, KEYS * tiles.shape[2] * 2)",
         "ring.full.arrive(slot.stage, tiles.shape[1] * tiles.shape[2] * 2)"),
        ("def attention(heads, length, D):\n",
         "def attention(heads, length, D, KEYS=128, K_SLOTS=2, V_SLOTS=2, HEADS_FIRST=0):\n"),
        ("# tilewright: run attention(1, 512, 64) reference=plain(...) atol=1e-3\n",
         "# tilewright: run reference=plain(...) atol=1e-3\n"),
        ("def plain(heads, length, D):", "def plain(heads, length, D, KEYS=0, K_SLOTS=0, V_SLOTS=0, HEADS_FIRST=0):"),
        ("        block, head = T.cta_id([length // (2 * QUERIES), heads])\n",
         "        first_id, second_id = T.cta_id([heads, length // (2 * QUERIES)] if HEADS_FIRST == 1 else "
         "[length // (2 * QUERIES), heads])\n"
         "        block = T.meta_var(second_id if HEADS_FIRST == 1 else first_id)\n"
         "        head = T.meta_var(first_id if HEADS_FIRST == 1 else second_id)\n"),
        ("k_tiles = pool.alloc_mma((STAGES,", "k_tiles = pool.alloc_mma((K_SLOTS,"),
        ("v_tiles = pool.alloc_mma((STAGES,", "v_tiles = pool.alloc_mma((V_SLOTS,"),
        ("k_ring = Pipeline(pool, STAGES,", "k_ring = Pipeline(pool, K_SLOTS,"),
        ("v_ring = Pipeline(pool, STAGES,", "v_ring = Pipeline(pool, V_SLOTS,"),
        ("                    fill = PipelineState(STAGES, phase=1)\n",
         "                    fill = PipelineState(K_SLOTS, phase=1)\n"
         "                    fill_v = PipelineState(V_SLOTS, phase=1)\n"),
        ("load(v_ring, fill, v_tiles", "load(v_ring, fill_v, v_tiles"),
        ("                        fill.advance()\n", "                        fill.advance()\n                        fill_v.advance()\n"),
        ("            use = PipelineState(STAGES, phase=0)\n",
         "            use = PipelineState(K_SLOTS, phase=0)\n            use_v = PipelineState(V_SLOTS, phase=0)\n"),
        ("v_ring.full.wait(use.stage, use.phase)", "v_ring.full.wait(use_v.stage, use_v.phase)"),
        ("v_tiles[use.stage]", "v_tiles[use_v.stage]"),
        ("v_ring.empty.arrive(use.stage)", "v_ring.empty.arrive(use_v.stage)"),
        ("                use.advance()\n", "                use.advance()\n                use_v.advance()\n"))
    return (text, "attention(16, 4096, 64, *)", "attention(1, 512, 64, *)",
            "KEYS=64,128,256 K_SLOTS=2..5 V_SLOTS=2..4 HEADS_FIRST=0,1")


def softmax():
    """72 candidates: threads of a CTA, elements of a vector, rows of a CTA."""
    text = replaced(
        example("softmax_rows.py"), ("THREADS, VECTOR = 256, 8\nWARPS = THREADS // 32\n\n", ""),
        ("def row_layout(columns):", "def row_layout(columns, THREADS, VECTOR):"),
        ("row_layout(columns))", "row_layout(columns, THREADS, VECTOR))"),
        ("def softmax(rows, columns, rows_each):  # tilewright: tune rows_each=1,2,4,8,16\n",
         "def softmax(rows, columns, rows_each=1, THREADS=256, VECTOR=8):\n    WARPS = THREADS // 32\n"),
        ("# tilewright: entry softmax(6, 4096, 2)\n# tilewright: entry softmax(2, 2048, 1)\n", ""),
        ("def plain(rows, columns, rows_each):", "def plain(rows, columns, rows_each=1, THREADS=0, VECTOR=0):"))
    return (text, "softmax(8192, 4096, *)", "softmax(128, 4096, *)",
            "rows_each=1,2,4,8,16,32,64,128 THREADS=128,256,512 VECTOR=2,4,8")


SPACES = {"gemm": gemm, "softmax": softmax, "attention": attention}


def tuned(binary, path, entry, space, *rest):
    begin = time.monotonic()
    done = subprocess.run([binary, "tune", path, "--entry", entry, "--space", space, "--json", *rest],
                          stdout=subprocess.PIPE, check=False)
    record = json.loads(done.stdout)
    record["seconds"] = time.monotonic() - begin
    return record


def apart(binary, path, ours, best):
    """How much longer ours takes, as the ratio of pairs; 0: they are the same."""
    if ours == best:
        return 0.0
    done = subprocess.run([binary, "run", path, "--entry", best, "--against", ours, "--on", "gpu", "--reference", "none", "--repeat", "60",
                           "--json"], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["timing"]["against"]["compared_cold"]["ratio"] - 1


def compared(name, binary, path, quick, every):
    """One line of figures; whether they are within bounds."""
    medians = {c["entry"]: c["median_us"] for c in every["candidates"] if c["median_us"]}
    best = min(medians, key=medians.get)
    off = apart(binary, path, quick["best"], best)
    share = quick["timed_launches"] / every["timed_launches"]
    print(f"{name}: {len(quick['candidates'])} candidates, {len(medians)} measured, {quick['timed_launches']} of "
          f"{every['timed_launches']} launches ({100 * share:.1f} %), {quick['seconds']:.0f} s and {every['seconds']:.0f} s", flush=True)
    print(f"  best {quick['best']}, of the exhaustive search {best}: {100 * off:.2f} % off in pairs; medians there "
          f"{medians[quick['best']]:.2f} us and {medians[best]:.2f} us", flush=True)
    return off <= 0.01 and share <= 0.25


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilewright")
    parser.add_argument("--only", choices=sorted(SPACES))
    parser.add_argument("--out", help="a folder for the records")
    parser.add_argument("--write", help="write the scripts into this folder, and do nothing else")
    parser.add_argument("--no-races", action="store_true")
    options = parser.parse_args()
    bad = 0
    folder = options.write or tempfile.mkdtemp()
    for name in [options.only] if options.only else SPACES:
        text, entry, small, space = SPACES[name]()
        path = os.path.join(folder, name + ".py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        print(name, entry, space, flush=True)
        if options.write:
            continue

        def kept(kind, name=name):
            return ["-o", os.path.join(options.out, f"{name}-{kind}.json")] if options.out else []

        races = ["--no-races"] if options.no_races else ["--small", small]
        quick = tuned(options.tilewright, path, entry, space, *races, *kept("quick"))
        every = tuned(options.tilewright, path, entry, space, "--no-races", "--exhaustive", *kept("all"))
        if not quick["best"] or not every["best"]:
            print(f"{name}: no best: {quick.get('failure')}, {every.get('failure')}")
            bad += 1
            continue
        bad += not compared(name, options.tilewright, path, quick, every)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
