#!/usr/bin/env python3
"""Modules of the traced library to CUDA text: the reference compiler beside ours, in one run.

    traced_speed.py TILEWRIGHT LIBRARY [--modules 25] [--runs 3] [--out FILE]

Run it with a Python that has the reference (apache-tvm 0.27); LIBRARY is the folder that holds `tirx_kernels`, and a
`torch` whose dtypes can be imported. Of the N smallest and the N largest modules with a kernel, by their text, the
configuration CONFIGS[0] is made. Each side has two figures:

whole: a process, from its start to the last byte of CUDA, which is what a user waits for who runs it. The reference's
    is the start of Python with the imports of the package and the library, and the time of warm.
warm: in a process that has compiled another kernel before (examples/traced_ring.py). The reference executes the module,
    traces its kernels and builds them to CUDA text. Ours is a language server: it opens the module with a comment and a
    constant that it has not seen, and answers with the CUDA text of its kernel; its diagnostics are part of the time,
    simulations of the kernel are switched off.

Each is the least of some runs, one after the other on the same machine; processor time beside it tells what a loaded
machine adds.
"""
import argparse
import glob
import importlib
import json
import os
import re
import resource
import runpy
import statistics
import subprocess
import sys
import tempfile
import time

from traced_keystrokes import Server

WARM_UP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/traced_ring.py")
CONFIG = "get_kernel(**CONFIGS[0])"


def modules(library):
    """(bytes, module, path) of the modules that name a kernel, the smallest first."""
    found = []
    for path in glob.glob(os.path.join(library, "tirx_kernels", "**", "*.py"), recursive=True):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if re.search(r"(?m)^KERNEL_META = ", text) and "\nCONFIGS" in text:
            found.append((len(text), os.path.relpath(path, library)[:-3].replace(os.sep, "."), path))
    return sorted(found)


def reference_builds(made):
    """The kernels of a list to CUDA text."""
    import tvm

    for kernel in made:
        function = getattr(kernel, "func", None) or kernel
        target = {"kind": "cuda", "arch": str(function.attrs.get("tirx.cuda_arch", "sm_100a"))}
        try:
            tvm.tirx.build(tvm.IRModule.from_expr(function), target, "tirx")
        except Exception as e:  # noqa: BLE001  a package without CUDA stops after the source text
            if "CUDA" not in str(e):
                raise


def reference_once(module):
    """Seconds, and those of the processor, after another kernel was built."""
    import tvm

    def compiled(code, *_):
        sizes.append(len(code))
        return b""

    sizes = []
    tvm.register_global_func("tvm_callback_cuda_compile", compiled, override=True)
    reference_builds([runpy.run_path(WARM_UP)["traced_ring"]])
    start, used = time.perf_counter(), time.process_time()
    m = importlib.import_module(module)
    config = dict(m.CONFIGS[0])
    config.pop("label", None)
    made = m.get_kernel(**config)
    reference_builds(made.values() if isinstance(made, dict) else made if isinstance(made, (list, tuple)) else [made])
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
            done = subprocess.run([binary, "compile", path, "--entry", CONFIG, "--emit", "cuda"],
                                  stdout=out, stderr=subprocess.PIPE, text=True, check=False)
            took = [time.perf_counter() - start, children() - used]
            if done.returncode or not os.fstat(out.fileno()).st_size:
                return next((line for line in done.stderr.splitlines() if "error" in line), "no CUDA")
        best = took if best is None else [min(a, b) for a, b in zip(best, took)]
    return best


def processor_seconds(process):
    return time.clock_gettime(~process.pid << 3 | 2)  # CLOCK_PROCESS_CPUTIME_ID of another process


def our_warm_seconds(binary, library, path, runs):
    """The same of a language server that has compiled another kernel, each time a new one."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(WARM_UP, encoding="utf-8") as f:
        warm_up = f.read()
    best = None
    for run in range(runs):
        server = Server(binary, library)
        server.tell("workspace/didChangeConfiguration", {"settings": {"tilewright": {"simulate": False}}})

        def opened(uri, source, **entry):
            server.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1,
                                                                  "text": source}})
            return server.ask("tilewright/view", {"textDocument": {"uri": uri}, "kind": "cuda", **entry})

        opened(f"file://{library}/warm_up.py", warm_up + "import tirx_kernels.runner\n")
        time.sleep(0.3)  # what it does behind its answers
        fresh = text + f"\n# {time.time()}\nFRESH = {run + 1}\n"
        start, used = time.perf_counter(), processor_seconds(server.process)
        answer = opened("file://" + path, fresh, entry=CONFIG)
        took = [time.perf_counter() - start, processor_seconds(server.process) - used]
        server.process.kill()
        server.process.wait()
        if not answer or "__global__" not in answer["text"]:
            return "no CUDA"
        best = took if best is None else [min(a, b) for a, b in zip(best, took)]
    return best


def told(rows, what, begun):
    """Ratios of all modules; `begun` is added to what the reference takes."""
    for i, kind in enumerate(("seconds", "processor seconds") if rows else ()):
        ours, theirs = [r[what][i] for r in rows], [r["reference"][i] + begun[i] for r in rows]
        ratios = [t / o for o, t in zip(ours, theirs)]
        print(f"{what}, {kind} of {len(rows)} modules: ours median {statistics.median(ours):.4f}, largest "
              f"{max(ours):.3f}; reference median {statistics.median(theirs):.2f}, largest {max(theirs):.1f}; ratio "
              f"median {statistics.median(ratios):.0f}, least {min(ratios):.0f}, at least 50 for "
              f"{sum(r >= 50 for r in ratios)}")


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
        row = {"module": module, "bytes": size, "whole": our_seconds(options.binary, path, options.runs)}
        rows.append(row)
        said = f"{module} ({size} bytes): "
        if not isinstance(row["whole"], list):
            print(said + row["whole"], flush=True)
            continue
        row["warm"] = our_warm_seconds(options.binary, os.path.abspath(options.library), path, options.runs)
        row["reference"] = reference_seconds(module, options.runs)
        if not isinstance(row["reference"], list) or not isinstance(row["warm"], list):
            print(said + f"{row['warm']}, {row['reference']}", flush=True)
            continue
        theirs, texts = row["reference"], []
        for what in ("whole", "warm"):
            ratios = [(t + (b if what == "whole" else 0)) / o for t, o, b in zip(theirs, row[what], begun)]
            texts.append(f"{what} {row[what][0]:.4f} s, {row[what][1]:.4f} s of the processor, {ratios[0]:.0f} and "
                         f"{ratios[1]:.0f} times")
        print(said + "; ".join(texts) + f"; reference {theirs[0]:.3f} s, {theirs[1]:.3f} s", flush=True)
    held = [r for r in rows if isinstance(r.get("warm"), list) and isinstance(r.get("reference"), list)]
    told(held, "whole", begun)
    told(held, "warm", (0, 0))
    if options.out:
        with open(options.out, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
