#!/usr/bin/env python3
"""Script text to CUDA text: the reference compiler beside ours, warm medians, one table.

    reference_speed.py --bench build/release/tests/bench/pipeline_bench [--runs 30] FILE.py ...

Run it with a Python that has the reference (apache-tvm 0.25) installed. The reference's figure is the time to execute
the script (which parses its kernels) plus the time to build them, without importing the package; ours is parsing,
evaluation, dispatch, lowering and CUDA text of the same file in process, without memo or cache.
"""
import argparse
import io
import contextlib
import inspect
import re
import statistics
import subprocess
import sys
import time


def made_of(get_kernel, config):
    """The kernel of a configuration, which may say more than the factory asks for."""
    parameters = inspect.signature(get_kernel).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        config = {key: value for key, value in config.items() if key in parameters}
    return get_kernel(**config)


def reference_seconds(path, arch, runs):
    import importlib.util

    import tvm

    tvm.register_global_func("tvm_callback_cuda_compile", lambda code, *_: b"", override=True)
    samples = []
    entries = re.findall(r"^# tilewright: entry (.+)$", open(path).read(), re.M)
    for n in range(runs):
        start = time.perf_counter()
        spec = importlib.util.spec_from_file_location(f"bench_{n}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        kernels = []
        made = [eval(e, vars(module)) for e in entries]
        made += [made_of(module.get_kernel, config) for config in getattr(module, "CONFIGS", [])]
        for value in [*vars(module).values(), *made]:
            kernels += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, tvm.tirx.PrimFunc)]
        for kernel in kernels:
            try:
                tvm.tirx.build(tvm.IRModule.from_expr(kernel), {"kind": "cuda", "arch": arch}, "tirx")
            except Exception as e:  # noqa: BLE001  a package without CUDA stops after the source text
                if "CUDA runtime is not linked" not in str(e):
                    raise
        samples.append(time.perf_counter() - start)
    return statistics.median(samples), len(kernels)


def our_seconds(bench, path, arch, runs):
    out = subprocess.run([bench, path, str(runs), arch], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"script text to CUDA text ([\d.]+) ms", out).group(1)) / 1000


def target(path, default):
    """The default architecture when the script is meant for it, else the first that it names."""
    named = re.search(r"^# tilewright: arch (.+)$", open(path).read(), re.M)
    archs = named.group(1).split() if named else [default]
    return default if default in archs else archs[0]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("files", nargs="+")
    ap.add_argument("--bench", required=True)
    ap.add_argument("--runs", type=int, default=30)
    ap.add_argument("--arch", default="sm_90a")
    args = ap.parse_args()
    print("| script | kernels | reference ms | ours ms | times faster |\n|---|---|---|---|---|")
    worst = None
    for path in args.files:
        arch = target(path, args.arch)
        ours = our_seconds(args.bench, path, arch, args.runs)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                reference, kernels = reference_seconds(path, arch, args.runs)
        except Exception as e:  # noqa: BLE001  nothing to compare with: its own defect or a later dialect
            said = str(e).strip().splitlines() or [type(e).__name__]
            print(f"| {path} | | refused: {next((t for t in said if 'invalid' in t), said[0])[:60]} | {ours * 1000:.3f} | |")
            continue
        ratio = reference / ours
        worst = ratio if worst is None else min(worst, ratio)
        print(f"| {path} | {kernels} | {reference * 1000:.1f} | {ours * 1000:.3f} | {ratio:.0f} |", flush=True)
    if worst is None:
        return 1
    print(f"slowest ratio {worst:.0f}")
    return 0 if worst >= 100 else 1


if __name__ == "__main__":
    sys.exit(main())
