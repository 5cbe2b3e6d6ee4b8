#!/usr/bin/env python3
"""Writes seeded tile scripts that copy in every way the dialect knows.

    generate.py --seed N --count M -o DIR [--per-file 25]

Each script is one module-level kernel; DIR/copies_<i>.py holds --per-file of them. The same seed gives the same text.
A kernel is a chain global -> shared (-> registers -> shared) -> global, so that what a copy moved can be seen in the
tensors after a run. All tensors are inputs and outputs at once: what no copy means to touch has to stay as it is.
Steps that share memory are parted by a barrier of the whole CTA; guarded steps keep the barrier outside of the guard.

A family (folder copies) is a function that fills a Kernel. Families draw their details at random and do not ask
whether a variant will serve: that is what the comparison wants to know. Calls that are meant to be refused come last,
because the reference stops at the first call that no variant serves.
"""

import argparse
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from copies import memory, refusals, registers, views  # noqa: E402
from copies.kernel import HEADER, Kernel  # noqa: E402

FAMILIES = [
    (memory.family_gmem_smem, 24),
    (memory.family_two_scopes, 8),
    (registers.family_reg, 18),
    (registers.family_reg_global, 8),
    (registers.family_ldstmatrix, 18),
    (memory.family_fallback, 14),
    (refusals.family_refused, 12),
    (refusals.family_elect, 4),
    (refusals.family_inexact, 5),
    (memory.family_symbolic, 4),
    (views.family_views, 9),
]


def make(seed, index):
    """Kernel `index` of a seed. Draws that would not fit (too much shared memory) are drawn again."""
    rng = random.Random(f"{seed}/{index}")
    families = [f for f, weight in FAMILIES for _ in range(weight)]
    while True:
        family = rng.choice(families)
        k = Kernel(rng, f"copy_{index:04d}", family.__name__.removeprefix("family_"))
        if family(k, rng) and k.shared_left >= 0:
            return k


def write(seed, count, folder, per_file=25, keep=False):
    """Paths of the files, in order. With `keep` a file that already has its text is left alone."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    for begin in range(0, count, per_file):
        path = os.path.join(folder, f"copies_{begin // per_file:03d}.py")
        paths.append(path)
        text = f'"""Copies of seed {seed}, made by generate.py."""\n' + HEADER
        text += "".join(make(seed, i).text() for i in range(begin, min(begin + per_file, count)))
        if keep and os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                if f.read() == text:
                    continue
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return paths


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--per-file", type=int, default=25)
    ap.add_argument("-o", "--output", required=True)
    args = ap.parse_args()
    for path in write(args.seed, args.count, args.output, args.per_file):
        print(path)


if __name__ == "__main__":
    main()
