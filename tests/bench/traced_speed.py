#!/usr/bin/env python3
"""Modules of the traced library to CUDA text: the reference compiler beside ours, in one run.

    traced_speed.py TILEWRIGHT LIBRARY [--modules 25] [--runs 3] [--out FILE]

Run it with a Python that has the reference (apache-tvm 0.27); LIBRARY is the folder that holds `tirx_kernels`, and a
`torch` whose dtypes can be imported. Of the N smallest and the N largest modules with a kernel, by their text, the
configuration CONFIGS[0] is made. The reference's figure is the time to execute the module, to trace its kernels and to
build them to CUDA text in a process that has imported the package and the library already; ours is the whole process,
from its start to the last byte of CUDA. Each is the least of some runs, one after the other on the same machine.
"""
import argparse
import glob
import importlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time


def modules(library):
    """(bytes, module, path) of the modules that name a kernel, the smallest first."""
    found = []
    for path in glob.glob(os.path.join(library, "tirx_kernels", "**", "*.py"), recursive=True):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if re.search(r"(?m)^KERNEL_META = ", text) and "\nCONFIGS" in text:
            found.append((len(text), os.path.relpath(path, library)[:-3].replace(os.sep, "."), path))
    return sorted(found)


def reference_once(module):
    """Seconds, bytes of CUDA."""
    import tvm

    def compiled(code, *_):
        sizes.append(len(code))
        return b""

    sizes = []
    tvm.register_global_func("tvm_callback_cuda_compile", compiled, override=True)
    start = time.perf_counter()
    m = importlib.import_module(module)
    config = dict(m.CONFIGS[0])
    config.pop("label", None)
    made = m.get_kernel(**config)
    made = list(made.values()) if isinstance(made, dict) else made if isinstance(made, (list, tuple)) else [made]
    for kernel in made:
        function = getattr(kernel, "func", None) or kernel
        target = {"kind": "cuda", "arch": str(function.attrs.get("tirx.cuda_arch", "sm_100a"))}
        try:
            tvm.tirx.build(tvm.IRModule.from_expr(function), target, "tirx")
        except Exception as e:  # noqa: BLE001  a package without CUDA stops after the source text
            if "CUDA" not in str(e):
                raise
    return time.perf_counter() - start, sum(sizes)


def reference_seconds(module, runs):
    """The least of some runs, each in a process of its own that has imported all but the module."""
    best = None
    for _ in range(runs):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                said = json.dumps(reference_once(module))
            except BaseException as e:  # noqa: BLE001
                said = json.dumps(f"{type(e).__name__}: {e}"[:200])
            os.write(writer, said.encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as f:
            answer = json.loads(f.read() or '"ended"')
        os.waitpid(child, 0)
        if isinstance(answer, str):
            return answer
        best = answer[0] if best is None else min(best, answer[0])
    return best


def our_seconds(binary, path, runs):
    best = None
    for _ in range(runs):
        with tempfile.TemporaryFile() as out:
            start = time.perf_counter()
            done = subprocess.run([binary, "compile", path, "--entry", "get_kernel(**CONFIGS[0])", "--emit", "cuda"],
                                  stdout=out, stderr=subprocess.PIPE, text=True, check=False)
            took = time.perf_counter() - start
            if done.returncode or not os.fstat(out.fileno()).st_size:
                return (done.stderr.splitlines() or ["no CUDA"])[0]
        best = took if best is None else min(best, took)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("library")
    parser.add_argument("--modules", type=int, default=25)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out")
    options = parser.parse_args()
    sys.path.insert(0, options.library)
    importlib.import_module("tirx_kernels.tirx_lite")
    importlib.import_module("tirx_kernels.runner")
    known = modules(options.library)
    chosen = known if len(known) <= 2 * options.modules else known[: options.modules] + known[-options.modules:]
    rows = []
    for size, module, path in chosen:
        ours = our_seconds(options.binary, path, options.runs)
        theirs = reference_seconds(module, options.runs) if isinstance(ours, float) else "not tried"
        rows.append({"module": module, "bytes": size, "ours": ours, "reference": theirs})
        both = isinstance(ours, float) and isinstance(theirs, float)
        print(f"{module} ({size} bytes): ours {ours}, reference {theirs}"
              + (f", {theirs / ours:.0f} times" if both else ""), flush=True)
    times = [r for r in rows if isinstance(r["ours"], float) and isinstance(r["reference"], float)]
    if times:
        ratios = [r["reference"] / r["ours"] for r in times]
        print(f"{len(times)} of {len(rows)} modules: ours median {statistics.median(r['ours'] for r in times):.3f} s, "
              f"largest {max(r['ours'] for r in times):.3f} s; reference median "
              f"{statistics.median(r['reference'] for r in times):.2f} s, largest "
              f"{max(r['reference'] for r in times):.1f} s; ratio median {statistics.median(ratios):.0f}, "
              f"least {min(ratios):.0f}")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
