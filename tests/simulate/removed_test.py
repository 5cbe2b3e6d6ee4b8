#!/usr/bin/env python3
"""Every wait, fence, barrier, expect and commit of the examples is needed, and its loss is found.

    removed_test.py TILEWRIGHT EXAMPLES [--every N]

Takes each call that synchronises out of each example, one at a time, and runs all entries on the simulator. A finding has to
come, at a line of the script; where the call is not needed HARMLESS says why, and then there must be none. The examples as they
stand have none either. `--every`: only each Nth call of all examples, and not the examples as they stand.
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

CALLS = re.compile(r"\b((cta|warp|cluster|warpgroup)_sync|\w*wait\w*|fence\.\w+|\w*fence\w*|commit\w*|\w*arrive\w*|\w*expect_tx|"
                   r"[\w.]*(wait|arrive)\.\w+)\(")
OWN = "each thread reads only what it has written itself"
EVERYTHING_CAME = "each CTA has waited for all that others send it, so nothing touches its memory afterwards"
FENCED_ONCE = "the barrier orders it on the hardware there is; only a kernel that fences on both sides is held to its fences"
LAST_COLUMNS = "of the last: columns are only given back behind it"
GENERIC = "copies and commits access their mbarrier by the generic proxy (PTX ISA 9.3), so the barrier of the CTA or cluster publishes it"
INITIALISED = ("async_dsmem", "async_tmem", "attention_hopper", "blackwell_gemm", "bulk_add_one", "bulk_prefetch", "gemm_hopper",
               "st_async_ring", "tcgen05_gemm", "tcgen05_pair", "tcgen05_pipeline", "tensormap_encode_consume", "tensormap_on_device",
               "tensormap_places", "tma_boxes", "tma_multicast", "tma_out_of_bounds", "tma_pipeline", "wgmma_gemm")
HARMLESS = {
    **{(f"{name}.py", "T.ptx.fence.mbarrier_init()"): GENERIC for name in INITIALISED},
    ("async_tma.py", 'T.ptx.fence.proxy_async("shared::cta")'): GENERIC,
    ("fallback.py", "T.cuda.cta_sync()"): "one thread makes both copies",
    ("gmem_smem_dtypes.py", "T.cuda.cta_sync()"): OWN,
    ("gmem_smem_scopes.py", "T.cuda.cta_sync()"): OWN,
    ("gmem_smem_swizzle.py", "T.cuda.cta_sync()"): OWN,
    ("pool_round_trip.py", "T.cuda.cta_sync()"): OWN,
    ("recipe_batched.py", "T.cuda.cta_sync()"): OWN,
    ("st_async_ring.py", "T.cuda.cluster_sync()"): EVERYTHING_CAME,
    ("async_tmem.py", "T.ptx.tcgen05.fence.after_thread_sync()"): FENCED_ONCE,
    ("blackwell_gemm.py", "T.ptx.tcgen05.fence.after_thread_sync()"): FENCED_ONCE,
    ("blackwell_gemm.py", "T.ptx.tcgen05.fence.before_thread_sync()"): LAST_COLUMNS,
    ("tcgen05_gemm.py", "T.ptx.tcgen05.fence.after_thread_sync()"): FENCED_ONCE,
    ("tcgen05_pair.py", "T.ptx.tcgen05.fence.after_thread_sync()"): FENCED_ONCE,
    ("tcgen05_gemm.py", "T.cuda.cta_sync()"): "one warp allocates, initialises and issues, and all others wait at the next one",
    ("tcgen05_pipeline.py", "T.ptx.tcgen05.fence.before_thread_sync()"): LAST_COLUMNS,
    ("tma_multicast.py", "T.cuda.cluster_sync()"): EVERYTHING_CAME,
}


def removals(path):
    lines = open(path, encoding="utf-8").read().split("\n")
    for i, line in enumerate(lines):
        call = line.strip()
        if not CALLS.search(call) or call.startswith(("#", "def ", "@", "from ", "if ", "while ", "for ", "return ")):
            continue
        if "=" in call.split("(")[0] or not call.endswith(")"):
            continue
        if call == "pool.commit()":  # fixes sizes, and synchronises nothing
            continue
        indent = line[: len(line) - len(line.lstrip())]
        yield i + 1, call, "\n".join([*lines[:i], indent + "pass", *lines[i + 1 :]])


def findings(binary, path):
    done = subprocess.run([binary, "run", path, "--entry", "all", "--on", "sim", "--schedules", "4", "--steps", "20000000"],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return re.findall(r":(\d+):\d+: (?:error|warning)\[(TW50\d\d)\]", done.stdout + done.stderr)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("binary")
    options.add_argument("examples")
    options.add_argument("--every", type=int, default=1)
    options = options.parse_args()
    binary, examples, all_of_them = options.binary, options.examples, options.every == 1
    problems, found, harmless, number = [], 0, set(), itertools.count()
    with tempfile.TemporaryDirectory(prefix="tilewright-removed-") as folder:
        jobs = []
        for name in sorted(os.listdir(examples)):
            if not name.endswith(".py"):
                continue
            path = os.path.join(examples, name)
            if all_of_them:
                jobs.append((name, 0, "", path))
            for line, call, text in removals(path):
                if next(number) % options.every:
                    continue
                broken = os.path.join(folder, f"{name[:-3]}_{line}.py")
                with open(broken, "w", encoding="utf-8") as f:
                    f.write(text)
                jobs.append((name, line, call, broken))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda job: findings(binary, job[3]), jobs))
    for (name, line, call, _), said in zip(jobs, results):
        if line == 0:
            if said:
                problems.append(f"{name}: as it stands it has findings: {said}")
        elif said:
            found += 1
        elif (name, call) in HARMLESS:
            harmless.add((name, call))
        else:
            problems.append(f"{name}:{line}: the loss of {call} is not found")
    if all_of_them:
        problems += [f"{name}: {call} is called harmless and is not" for name, call in sorted(set(HARMLESS) - harmless)]
    print("\n".join(problems + [f"{len(jobs)} scripts, {found} losses found, {len(problems)} problems"]))
    return 1 if problems or found < 100 / options.every else 0


sys.exit(main())
