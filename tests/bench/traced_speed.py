#!/usr/bin/env python3
"""Modules of the traced library to CUDA text: the reference compiler beside ours, in one run.

    traced_speed.py TILEWRIGHT LIBRARY [--modules 25] [--runs 3] [--out FILE]

Run it with a Python that has the reference (apache-tvm 0.27); LIBRARY is the folder that holds `tirx_kernels`, and a
`torch` whose dtypes can be imported. Of the N smallest and the N largest modules with a kernel, by their text, the
configuration CONFIGS[0] is made. Ours is the whole process, from its start to the last byte of CUDA. The reference has
two figures: the time to execute the module, to trace its kernels and to build them to CUDA text in a process that has
imported the package and the library already; and the same with these imports and the start of Python, which is what a
user waits for who runs it. Each is the least of some runs, one after the other on the same machine; processor time
beside it tells what a loaded machine adds.
"""
import argparse
import glob
import importlib
import json
import os
import re
import resource
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
    """Seconds, and those of the processor."""
    import tvm

    def compiled(code, *_):
        sizes.append(len(code))
        return b""

    sizes = []
    tvm.register_global_func("tvm_callback_cuda_compile", compiled, override=True)
    start, used = time.perf_counter(), time.process_time()
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
    return time.perf_counter() - start, time.process_time() - used


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
        best = answer if best is None else [min(a, b) for a, b in zip(best, answer)]
    return best


def start_seconds(library, runs):
    """The start of Python with the package and the library, as above."""
    program = f"import sys; sys.path.insert(0, {library!r}); import tvm, tirx_kernels.tirx_lite, tirx_kernels.runner"
    best = None
    for _ in range(runs):
        start, used = time.perf_counter(), children()
        subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)
        took = [time.perf_counter() - start, children() - used]
        best = took if best is None else [min(a, b) for a, b in zip(best, took)]
    return best


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def our_seconds(binary, path, runs):
    best = None
    for _ in range(runs):
        with tempfile.TemporaryFile() as out:
            start, used = time.perf_counter(), children()
            done = subprocess.run([binary, "compile", path, "--entry", "get_kernel(**CONFIGS[0])", "--emit", "cuda"],
                                  stdout=out, stderr=subprocess.PIPE, text=True, check=False)
            took = [time.perf_counter() - start, children() - used]
            if done.returncode or not os.fstat(out.fileno()).st_size:
                return (done.stderr.splitlines() or ["no CUDA"])[0]
        best = took if best is None else [min(a, b) for a, b in zip(best, took)]
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
    begun = start_seconds(options.library, options.runs)
    print(f"start of the reference: {begun[0]:.2f} s, {begun[1]:.2f} s of the processor", flush=True)
    known = modules(options.library)
    chosen = known if len(known) <= 2 * options.modules else known[: options.modules] + known[-options.modules:]
    rows = []
    for size, module, path in chosen:
        ours = our_seconds(options.binary, path, options.runs)
        theirs = reference_seconds(module, options.runs) if isinstance(ours, list) else "not tried"
        rows.append({"module": module, "bytes": size, "ours": ours, "reference": theirs})
        both = isinstance(ours, list) and isinstance(theirs, list)
        times = [t / o for o, t in zip(ours, theirs)] if both else []
        print(f"{module} ({size} bytes): ours {ours}, reference {theirs}"
              + (f", {times[0]:.0f} times, by processor time {times[1]:.0f}" if both else ""), flush=True)
    held = [r for r in rows if isinstance(r["ours"], list) and isinstance(r["reference"], list)]
    for i, what in enumerate(("seconds", "processor seconds") if held else ()):
        ours, theirs = [r["ours"][i] for r in held], [r["reference"][i] for r in held]
        ratios = [t / o for o, t in zip(ours, theirs)]
        print(f"{what} of {len(held)} of {len(rows)} modules: ours median {statistics.median(ours):.3f}, largest "
              f"{max(ours):.3f}; reference median {statistics.median(theirs):.2f}, largest {max(theirs):.1f}; ratio "
              f"median {statistics.median(ratios):.0f}, least {min(ratios):.0f}")
        whole = [(t + begun[i]) / o for o, t in zip(ours, theirs)]
        print(f"{what} with the start of the reference: ratio median {statistics.median(whole):.0f}, "
              f"least {min(whole):.0f}; at least 50 for {sum(w >= 50 for w in whole)} of {len(whole)}")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
