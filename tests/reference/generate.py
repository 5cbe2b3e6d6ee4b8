#!/usr/bin/env python3
"""Writes seeded tile scripts that copy in every way the dialect knows.

    generate.py --seed N --count M -o DIR [--per-file 25] [--primitive NAME] [--release 0.25|0.26|0.27]

Each script is one module-level kernel; DIR/copies_<i>.py holds --per-file of them, DIR/async_<arch>_<i>.py the
asynchronous ones, half of them for each of two architectures; DIR/gemm_<i>.py and DIR/gemm_async_<i>.py hold matrix
products (folder products), whose plain kernels say what must come out; DIR/<family>_<arch>_<i>.py arithmetic on tiles
(folder compute), with inputs and what must come out beside them. The same seed gives the same text.
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
from async_copies import boxes, clusters, tensor_memory, vectors  # noqa: E402
from async_copies import refusals as async_refusals  # noqa: E402
from async_copies.kernel import HEADER as ASYNC_HEADER  # noqa: E402
from async_copies.kernel import AsyncKernel  # noqa: E402
from compute import elementwise, permute, reductions  # noqa: E402
from compute.kernel import HEADER as COMPUTE_HEADER  # noqa: E402
from compute.kernel import Kernel as ComputeKernel  # noqa: E402
from copies import memory, refusals, registers, views  # noqa: E402
from copies.kernel import HEADER, Kernel  # noqa: E402
from products import fragment_refusals, fragments, tensor_core, tensor_core_refusals  # noqa: E402
from products.kernel import HEADER as PRODUCT_HEADER  # noqa: E402
import releases  # noqa: E402
from newer import copies as newer_copies  # noqa: E402
from newer import products as newer_gemm_async  # noqa: E402
from newer import tensor_memory as newer_async  # noqa: E402
from newer.kernel import HEADER as NEWER_HEADER  # noqa: E402

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
ASYNC_FAMILIES = [
    (vectors.family_ldgsts, 22),
    (vectors.family_ldgsts_whole, 6),
    (boxes.family_tma_load, 30),
    (boxes.family_tma_loop, 10),
    (boxes.family_tma_store, 18),
    (boxes.family_tma_symbolic, 4),
    (clusters.family_multicast, 6),
    (clusters.family_dsmem, 22),
    (async_refusals.family_async_refused, 30),
    (async_refusals.family_no_options, 6),
]
# Half of the kernels are for a target with tensor memory, and of the others a few use it all the same.
TENSOR_MEMORY = [
    (tensor_memory.family_tmem_rows, {"sm_100a": 20, "sm_90a": 1}),
    (tensor_memory.family_tmem_fragments, {"sm_100a": 20, "sm_90a": 1}),
    (tensor_memory.family_smem_tmem, {"sm_100a": 70, "sm_90a": 1}),
]
# What 0.26 adds: kernels that name the plain kernel which says what must come out.
NEWER = {
    "newer_copy": (newer_copies, ["sm_90a", "sm_100a"]),
    "newer_async": (newer_async, ["sm_100a"]),
    "newer_gemm_async": (newer_gemm_async, ["sm_100a"]),
}
COMPUTE_FAMILIES = {"elementwise": elementwise, "reduction": reductions, "permute": permute}


# Products make their own kernels: target, who makes those that are served, and those that are refused. Every third is refused, one
# kind after the other; a few are for targets that lack the instructions.
PRODUCTS = {
    "gemm": ("sm_90a", fragments, fragment_refusals),
    "gemm_async": ("sm_100a", tensor_core, tensor_core_refusals),
}


def make_product(seed, index, primitive, arch):
    rng = random.Random(f"{seed}/{primitive}/{index}")
    usual, served, refused = PRODUCTS[primitive]
    if arch != usual:
        return refused.make(rng, index, index, arch)
    return refused.make(rng, index, index // 3) if index % 3 == 2 else served.make(rng, index)


def families(primitive, arch):
    if primitive in COMPUTE_FAMILIES:
        return [(f, w[arch] if isinstance(w, dict) else w) for f, w in COMPUTE_FAMILIES[primitive].FAMILIES]
    if primitive == "copy":
        return FAMILIES
    return ASYNC_FAMILIES + [(family, weights[arch]) for family, weights in TENSOR_MEMORY]


def make(seed, index, primitive="copy", arch="sm_90a", release="0.25"):
    """Kernel `index` of a seed. Draws that would not fit (too much shared memory) are drawn again."""
    if primitive in PRODUCTS:
        return make_product(seed, index, primitive, arch)
    if primitive in NEWER:
        return NEWER[primitive][0].make(random.Random(f"{seed}/{primitive}/{arch}/{index}"), f"{primitive}_{arch}_{index:04d}", release)
    rng = random.Random(f"{seed}/{index}" if primitive == "copy" else f"{seed}/{arch}/{index}")
    choices = [f for f, weight in families(primitive, arch) for _ in range(weight)]
    while True:
        family = rng.choice(choices)
        name = family.__name__.removeprefix("family_")
        if primitive in COMPUTE_FAMILIES:
            kinds, kind = COMPUTE_FAMILIES[primitive].KINDS, []
            if index % 3 == 2:
                family, *kind = kinds[index // 3 % len(kinds)]
            k = ComputeKernel(rng, f"{primitive}_{arch}_{index:04d}", family.__name__.removeprefix("family_"), arch)
            k.ops = elementwise.OPS + (elementwise.NEWER if release != "0.25" else [])
            if family(k, rng, *kind):
                return k
            continue
        if primitive == "copy":
            k = Kernel(rng, f"copy_{index:04d}", name)
        else:
            k = AsyncKernel(rng, f"async_{index:04d}", name, arch)
        if family(k, rng) and k.shared_left >= 0:
            return k


def put(path, text, keep):
    if keep and os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def write(seed, count, folder, per_file=25, keep=False, primitive="copy", release="0.25", against=None):
    """[(path, architecture)] of the files, in order. With `keep` a file that already has its text is left alone. Where the
    reference answers for another release, `against`, beside each file is FILE.AGAINST.txt, the same kernels in that one."""
    os.makedirs(folder, exist_ok=True)
    archs = [("sm_90a", 0, count)] if primitive == "copy" else [("sm_90a", 0, count - count // 2), ("sm_100a", 0, count // 2)]
    header = HEADER if primitive == "copy" else ASYNC_HEADER
    stem, own = "copies" if primitive == "copy" else "async_{arch}", []  # own: where tensors go
    what = "Products" if primitive in PRODUCTS else "Copies"
    if primitive in PRODUCTS:
        arch, _, refused = PRODUCTS[primitive]
        others, few = refused.refused.archs(), count // 75
        last = count - few * len(others)
        archs = [(arch, 0, last)] + [(a, last + i * few, last + (i + 1) * few) for i, a in enumerate(others)]
        header, stem = PRODUCT_HEADER, primitive
    elif primitive in NEWER:
        header, stem = NEWER_HEADER + getattr(NEWER[primitive][0], "HEADER", ""), primitive + "_{arch}"
        targets = NEWER[primitive][1]
        archs = [(a, 0, (count + i) // len(targets)) for i, a in enumerate(targets)]
    elif primitive in COMPUTE_FAMILIES:
        header, stem, own, what = COMPUTE_HEADER, primitive + "_{arch}", [folder], "Arithmetic"
    paths = []
    for arch, first, end in archs:
        for begin in range(first, end, per_file):
            number = len(paths) if primitive in PRODUCTS else begin // per_file
            path = os.path.join(folder, f"{stem.format(arch=arch)}_{number:03d}.py")
            paths.append((path, arch))
            text = f"# tilewright: arch {arch}\n" if own or primitive in PRODUCTS or primitive in NEWER else ""
            text += f'"""{what} of seed {seed}, made by generate.py."""\n' + header
            last = min(begin + per_file, end)
            text += "".join(make(seed, i, primitive, arch, release).text(*own) for i in range(begin, last))
            if against and against != release:
                put(f"{path}.{against}.txt", releases.in_release(text, against), keep)
            put(path, releases.in_release(text, release), keep)
    return paths


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--per-file", type=int, default=25)
    ap.add_argument("-o", "--output", required=True)
    ap.add_argument("--primitive", choices=["copy", "copy_async", *PRODUCTS, *COMPUTE_FAMILIES, *NEWER], default="copy")
    ap.add_argument("--release", choices=releases.RELEASES, default="0.25", help="of the dialect that the scripts are written in")
    args = ap.parse_args()
    for path, _ in write(
        args.seed, args.count, args.output, args.per_file, primitive=args.primitive, release=args.release
    ):
        print(path)


if __name__ == "__main__":
    main()
