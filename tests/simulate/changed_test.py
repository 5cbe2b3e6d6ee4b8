#!/usr/bin/env python3
"""Every byte count, phase, arrival count and barrier index of the examples matters, and a wrong one is found.

    changed_test.py TILEWRIGHT EXAMPLES [EXAMPLE.py ...] [--every N]

Changes each of them, one at a time, and runs all entries on the simulator. A finding has to come, at a line of the script, or an
output that is not as expected; where neither comes HARMLESS says why the change does no harm.
`--every`: only each Nth change of an example.
"""
import argparse
import ast
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

MORE, LESS, OTHER, NEXT = "({}) + 16", "({}) - 16", "1 - ({})", "({}) + 1"
# Where Python has numpy the reference of the example does say it.
SHORTER = "a copy out of shared memory may be shorter; what B should hold then, only a reference could say"
HARMLESS = {
    (
        "bulk_add_one.py",
        "T.ptx.cp_async_bulk_s2g(B.ptr_to([block, 0]), data.ptr_to([0]), LENGTH * 4): LENGTH * 4 -> (LENGTH * 4) - 16",
    ): SHORTER,
    (
        "bulk_reduce.py",
        "T.ptx.cp_async_bulk_s2g_reduce(B.ptr_to([0]), data.ptr_to([0]), LENGTH * 4, op='add', dtype='s32'): "
        "LENGTH * 4 -> (LENGTH * 4) - 16",
    ): SHORTER,
    ("gemm_hopper.py", "PipelineState(STAGES, phase=0): 0 -> 1 - (0)"): "of the slots that are given back only the stage is read",
}


def name_of(call):
    return ast.unparse(call.func)


def changes_of(call):
    """(expression, how it is changed) for what a call says about barriers, bytes and groups."""
    name, args = name_of(call), call.args
    last = name.rsplit(".", 1)[-1]
    if last == "expect_tx" and len(args) > 1:
        yield from ((args[1], MORE), (args[1], LESS))
    elif last in ("wait", "try_wait", "test_wait", "mbarrier_test_wait_parity") and "cluster" not in name and len(args) > 1:
        yield args[1], OTHER
        if not name.startswith("T."):
            yield args[0], NEXT
    elif last == "arrive" and not name.startswith("T.") and args:
        yield args[0], NEXT
        if len(args) > 1:
            yield from ((args[1], MORE), (args[1], LESS))
    elif last == "init" and "mbarrier" in name and len(args) > 1:
        yield args[1], NEXT
    elif last == "init" and len(args) in (1, 2) and not name.startswith("T."):  # more: a descriptor
        yield args[0], NEXT
    elif last in ("wait_group",) and args:
        yield args[0], NEXT
    elif "cp_async_bulk" in name and len(args) > 2:
        yield from ((args[2], MORE), (args[2], LESS))
    elif last == "PipelineState" and len(args) > 1:
        yield args[1], OTHER
    elif name in ("T.ptx.bar.sync", "T.ptx.bar.arrive"):
        yield args[0], NEXT
    for keyword in call.keywords:
        if keyword.arg == "phase":
            yield keyword.value, OTHER
        if keyword.arg in ("init_empty", "init_full"):
            yield keyword.value, NEXT
    # The barrier that it is about.
    barriers = [k.value for k in call.keywords if k.arg in ("mbar", "mbarrier", "bar")]
    if "mbarrier" in name or "expect_tx" in name or "tcgen05.commit" in name:
        barriers += args[:1]
    if "g2s" in name or "st_async" in name:
        barriers += args
    for barrier in barriers:
        if isinstance(barrier, ast.Call) and name_of(barrier).endswith(".ptr_to") and isinstance(barrier.args[0], ast.List):
            if len(barrier.args[0].elts) == 1:
                yield barrier.args[0].elts[0], NEXT


def changes(path):
    text = open(path, encoding="utf-8").read()
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()) + 1)
    raw, seen = text.encode(), set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        for expression, how in changes_of(node):
            begin = starts[expression.lineno - 1] + expression.col_offset
            end = starts[expression.end_lineno - 1] + expression.end_col_offset
            if (begin, end, how) in seen:
                continue
            seen.add((begin, end, how))
            was = raw[begin:end].decode()
            changed = raw[:begin] + how.format(was).encode() + raw[end:]
            yield expression.lineno, f"{ast.unparse(node)}: {was} -> {how.format(was)}", changed.decode()


def said(binary, path):
    done = subprocess.run([binary, "run", path, "--entry", "all", "--on", "sim", "--schedules", "4", "--steps", "20000000"],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    text = done.stdout + done.stderr
    return re.findall(r":(\d+):\d+: (?:error|warning)\[(TW\d{4})\]", text) + re.findall(r"are not (as expected)", text)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("binary")
    options.add_argument("examples")
    options.add_argument("only", nargs="*")
    options.add_argument("--every", type=int, default=1)
    options = options.parse_args()
    binary, examples, only = options.binary, options.examples, options.only
    problems, found, harmless = [], 0, set()
    with tempfile.TemporaryDirectory(prefix="tilewright-changed-") as folder:
        jobs = []
        for name in sorted(os.listdir(examples)):
            if not name.endswith(".py") or (only and name not in only):
                continue
            every = itertools.islice(changes(os.path.join(examples, name)), 0, None, options.every)
            for number, (line, change, text) in enumerate(every):
                path = os.path.join(folder, f"{name[:-3]}_{number}.py")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                jobs.append((name, line, change, path))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda job: said(binary, job[3]), jobs))
    for (name, line, change, _), findings in zip(jobs, results):
        if findings:
            found += 1
        elif (name, change) in HARMLESS:
            harmless.add((name, change))
        else:
            problems.append(f"{name}:{line}: not found: {change}")
    if not only and options.every == 1:
        needed = {case for case, why in HARMLESS.items() if why != SHORTER}
        problems += [f"{name}: called harmless and is not: {change}" for name, change in sorted(needed - harmless)]
    print("\n".join(problems + [f"{len(jobs)} changes, {found} found, {len(harmless)} harmless, {len(problems)} problems"]))
    return 1 if problems or (not only and found < 100 / options.every) else 0


sys.exit(main())
