#!/usr/bin/env python3
"""Writes a large tile script: many distinct kernels, each with several tile primitives, half of them swizzled.

    large_script.py [--lines 20000] [--kernels 400] [--seed 1] [--helpers 0] > large.py

Every kernel has its own shapes, dtype, scope and arithmetic, so that nothing of one can be reused for another. With
--helpers N there are N functions and constants before them, and each kernel uses two: a helper of a script of 40 kernels
with 8 helpers serves ten of them.
"""
import argparse
import random

HEADER = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, SwizzleLayout, ComposeLayout, mma_shared_layout
'''


def helper(n, rng):
    """An inlined function, a plain function and a constant; what kernels see of helper `n`."""
    return [
        "",
        "",
        f"SCALE_{n} = {rng.randrange(2, 9)}",
        "",
        "",
        f"def offset_{n}(lane, by=SCALE_{n}):",
        f"    return lane * by + {rng.randrange(1, 5)}",
        "",
        "",
        "@T.inline",
        f"def touch_{n}(tile, row, lane):",
        f"    first = tile[row, lane]",
        f"    tile[row, lane] = tile[row + 1, lane]",
        f"    tile[row + 1, lane] = first",
    ]


def kernel(n, lines, rng, helpers=0):
    dtype = rng.choice(["float16", "float32", "bfloat16"])
    scope, threads = rng.choice([("warp", 32), ("warpgroup", 128), ("cta", 128), ("cta", 256)])
    cols = rng.choice([64, 128]) + 64 * (n % 3)
    # Static shared memory ends at 48 KB.
    rows = rng.choice([r for r in (32, 64, 128) if r * cols * (4 if dtype == "float32" else 2) <= 49152])
    swizzled = n % 2 == 0
    layout = f'mma_shared_layout("{dtype}", 3, ({rows}, {cols}))' if swizzled else f"TileLayout(S[({rows}, {cols})])"
    out = [
        "",
        "",
        f"layout_{n} = {layout}",
        "",
        "",
        "@T.prim_func",
        f"def kernel_{n}(a: T.handle, b: T.handle):",
        f'    A = T.match_buffer(a, ({rows * 4}, {cols}), "{dtype}")',
        f'    B = T.match_buffer(b, ({rows * 4}, {cols}), "{dtype}")',
        "    T.device_entry()",
        "    bx = T.cta_id([4])",
        f"    warp = T.warp_id([{threads // 32}])" if threads > 32 else "    warp = T.warp_id([1])",
        "    lane = T.lane_id([32])",
        f"    tid = T.thread_id([{threads}])",
        f'    tile = T.alloc_buffer(({rows}, {cols}), "{dtype}", scope="shared", layout=layout_{n})',
        f"    Tx.{scope}.copy(tile[:, :], A[bx * {rows}:bx * {rows} + {rows}, :])",
        "    T.cuda.cta_sync()",
    ]
    tail = [
        "    T.cuda.cta_sync()",
        f"    Tx.{scope}.copy(B[bx * {rows}:bx * {rows} + {rows}, :], tile[:, :])",
    ]
    body, scalars = [], []
    if helpers:
        body = [f"    touch_{n % helpers}(tile, {rng.randrange(rows - 1)}, lane)",
                f"    spot: T.int32 = offset_{(n + 1) % helpers}(lane)"]
        scalars.append("spot")
    k = 0
    while len(out) + len(body) + len(tail) + 1 < lines:
        choice = rng.randrange(4)
        if choice == 0:
            scalars.append(f"x{k}")
            body.append(f"    x{k}: T.int32 = lane * {rng.randrange(2, 9)} + warp * {rng.randrange(1, 5)}")
        elif choice == 1:
            body += [f"    if tid < {rng.randrange(1, threads)}:",
                     f"        tile[{rng.randrange(rows)}, lane] = tile[{rng.randrange(rows)}, lane + {rng.randrange(16)}]"]
        elif choice == 2:
            body += [f"    for i{k} in range({rng.randrange(2, 9)}):",
                     f"        tile[i{k}, tid % {cols}] = tile[i{k} + 1, tid % {cols}] + T.{dtype}({rng.randrange(1, 9)})"]
        else:
            body.append(f"    tile[{rng.randrange(rows)}, tid % {cols}] = A[bx * {rows} + {rng.randrange(rows)}, tid % {cols}]")
        k += 1
    used = " + ".join(scalars) or "lane"
    return out + body + [f"    tile[0, lane] = T.{dtype}({used})"] + tail


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--lines", type=int, default=20000)
    ap.add_argument("--kernels", type=int, default=400)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--helpers", type=int, default=0)
    args = ap.parse_args()
    rng = random.Random(args.seed)
    lines = HEADER.splitlines()
    for n in range(args.helpers):
        lines += helper(n, rng)
    each = (args.lines - (len(lines) if args.helpers else 0)) // args.kernels
    for n in range(args.kernels):
        lines += kernel(n, each, rng, args.helpers)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
