#!/usr/bin/env python3
"""Kernels of the traced library from their own sources, beside what the reference traced of them.

    traced.py TILEWRIGHT LIBRARY CLOSED [--only WORDS] [--jobs N] [--out FILE]

LIBRARY: the folder that holds `tirx_kernels`. CLOSED: a folder with the scripts that the reference printed, a module
`gemm_fp16_bf16_gemm_0.py` each, and a `.json` beside it that names the module. Each module is evaluated with
`get_kernel(**CONFIGS[0])`. Of each kernel the launch and the multiset of instructions, as both print them, are compared.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import time

CALL = re.compile(r"T\.(ptx|cuda)\.([A-Za-z_0-9.]+)\(")
ID = re.compile(r"T\.(cta_id|cta_id_in_cluster|cluster_id|warp_id|warpgroup_id|lane_id|thread_id)\(\[(.*?)\]")


def arguments(text, start):
    """The arguments of the call whose bracket opens before `start`, at the top level."""
    depth, out, begin, i, quote = 1, [], start, start, False
    while i < len(text):
        c = text[i]
        if quote:
            quote = c != '"'
        elif c == '"':
            quote = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif c == "," and depth == 1:
            out.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    last = text[begin:i].strip()
    return out + [last] if last else out


def contents(text):
    """The launch and the instructions of a printed kernel."""
    launch = collections.Counter()
    for m in ID.finditer(text):
        extents = re.sub(r"T\.\w+\((\d+)\)", r"\1", m.group(2)).replace(" ", "")
        if m.group(1) != "lane_id":
            launch[(m.group(1), extents if re.fullmatch(r"[\d,]+", extents) else "computed")] += 1
    instructions = collections.Counter()
    for m in CALL.finditer(text):
        if m.group(1) == "cuda":
            instructions["cuda." + m.group(2)] += 1
            continue
        words = [a[1:-1] for a in arguments(text, m.end()) if a.startswith('"') and a != '""']
        instructions[".".join([m.group(2), *words])] += 1
    return launch, instructions


def kernels_of(text):
    """The printed kernels of a text, by name."""
    out = {}
    for part in re.split(r"(?m)^(?= *@T\.prim_func)", text):
        name = re.search(r"(?m)^ *def (\w+)\(", part)
        if name:
            out[name.group(1)] = part
    return out


def closed_scripts(folder):
    """{module: {kernel: text}} of what the reference printed."""
    out = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as f:
            about = json.load(f)
        kernels = {}
        for script in sorted(glob.glob(path[:-5] + "_[0-9]*.py")):
            with open(script, encoding="utf-8") as f:
                kernels.update(kernels_of(f.read()))
        if kernels:
            out[about["module"]] = kernels
    return out


def compare(options, module, wanted):
    """What the module comes to, and the time that took."""
    path = os.path.join(options.library, *module.split(".")) + ".py"
    if not os.path.exists(path):
        path = os.path.join(options.library, *module.split("."), "__init__.py")
    began = time.monotonic()
    try:
        done = subprocess.run([options.binary, "compile", path, "--entry", "get_kernel(**CONFIGS[0])", "--emit", "tirx",
                               "--quiet"] if options.quiet else
                              [options.binary, "compile", path, "--entry", "get_kernel(**CONFIGS[0])", "--emit", "tirx"],
                              capture_output=True, text=True, timeout=options.limit, check=False)
    except subprocess.TimeoutExpired:
        return "too slow", f"more than {options.limit} s", time.monotonic() - began
    took = time.monotonic() - began
    ours = kernels_of(done.stdout)
    errors = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line]
    if not ours:
        return "no kernel", (errors or ["nothing was printed"])[0], took
    problems = []
    for name, text in wanted.items():
        if name not in ours:
            problems.append(f"{name} is missing")
            continue
        launch, instructions = contents(ours[name])
        their_launch, theirs = contents(text)
        if launch != their_launch:
            problems.append(f"{name}: launch {dict(launch)}, reference {dict(their_launch)}")
        more, less = instructions - theirs, theirs - instructions
        if more or less:
            shown = [f"+{n} {k}" for k, n in more.most_common(4)] + [f"-{n} {k}" for k, n in less.most_common(4)]
            problems.append(f"{name}: {sum(more.values())} more, {sum(less.values())} fewer: {', '.join(shown)}")
    if problems:
        return "differs", "; ".join(problems), took
    if done.returncode:
        return "same, with errors later", (errors or ["no message"])[0], took
    return "same", "", took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("library")
    parser.add_argument("closed")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--out")
    options = parser.parse_args()
    scripts = {m: k for m, k in closed_scripts(options.closed).items() if options.only in m}
    verdicts, rows = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(compare, options, m, k): m for m, k in scripts.items()}
        for done in concurrent.futures.as_completed(waiting):
            verdict, why, took = done.result()
            verdicts[verdict] += 1
            rows.append({"module": waiting[done], "verdict": verdict, "why": why, "seconds": round(took, 2)})
            print(f"{waiting[done]}: {verdict} ({took:.1f} s){': ' + why[:400] if why else ''}", flush=True)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)
    print(", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
    return 0 if set(verdicts) <= {"same"} else 1


if __name__ == "__main__":
    sys.exit(main())
