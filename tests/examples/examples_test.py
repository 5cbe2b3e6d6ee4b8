#!/usr/bin/env python3
"""Every kernel of examples/ for every architecture that its file claims: checked, and compiled to a cubin.

    examples_test.py TILEWRIGHT [--one] [FILE...]

Fails on an error, on a warning that the file is not about, on a file without `# tilewright: arch` or `reference`, and
on anything that NVRTC remarks. Prints the number of (kernel, architecture) pairs. Exit status 77 without NVRTC. Artifacts
are kept in TILEWRIGHT_TEST_CACHE between runs. --one: each file for one of its architectures, the next file for the next one.
"""
import ast
import base64
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ABOUT_WARNINGS = {"fallback.py": {"TW3106": 1}}  # file -> code -> how many
ELF = b"\x7fELF"


def tilewright(binary, *arguments):
    environment = dict(os.environ)
    if cache := os.environ.get("TILEWRIGHT_TEST_CACHE"):
        environment["XDG_CACHE_HOME"] = cache
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, env=environment, cwd=ROOT, timeout=300)
    if done.returncode > 1:
        raise RuntimeError(f"{' '.join(arguments)}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.returncode, json.loads(done.stdout)


def diagnostics_of(report, expected):
    """What was said beyond the warnings that belong to the example."""
    said, seen = [], {}
    for d in report["diagnostics"]:
        if d["severity"] in ("information", "hint"):
            continue
        line = f"line {d['range']['start']['line']}: " if d.get("range") else ""
        text = f"{line}{d['severity']}[{d['code']}]: {d['message']}"
        if d["severity"] == "warning" and d["code"] in expected:
            seen.setdefault(d["code"], set()).add(text)
        else:
            said.append(text)
    for code, n in expected.items():
        if len(seen.get(code, ())) != n:
            said.append(f"{code}: {len(seen.get(code, ()))} warnings, {n} expected")
    return said


def examine(binary, path, turn):
    """(pairs, failures) of one file. `turn`: which of its architectures, from 0 and round; None: all of them."""
    name = os.path.basename(path)
    with open(os.path.join(ROOT, path)) as file:
        text = file.read()
    failures = []
    archs = re.search(r"^# tilewright: arch (.+)$", text, re.M)
    if not archs:
        return 0, [f"{name}: no '# tilewright: arch' comment"]
    archs = archs.group(1).split()
    if turn is not None:
        archs = [archs[turn % len(archs)]]
    if not any(isinstance(s, ast.FunctionDef) and s.name == "reference" for s in ast.parse(text).body):
        failures.append(f"{name}: no function `reference`")
    expected = ABOUT_WARNINGS.get(name, {})

    status, report = tilewright(binary, "check", path, "--format", "json")
    said = diagnostics_of(report, expected)
    if status != 0 or said:
        return 0, failures + [f"{name}: check: {s}" for s in said or [f"exit status {status}"]]

    entries = tilewright(binary, "entries", path, "--json")[1]["entries"]
    wanted = {(e["entry"], kernel, arch) for e in entries for kernel in e["kernels"] for arch in archs}
    if not wanted:
        failures.append(f"{name}: no entry")
    flags = [word for arch in archs for word in ("--arch", arch)]
    status, report = tilewright(binary, "compile", path, "--emit", "cubin", "--json", *flags)
    failures += [f"{name}: compile: {s}" for s in diagnostics_of(report, expected)]
    made = set()
    for kernel in report["kernels"]:
        pair = (kernel["entry"], kernel["name"], kernel["arch"])
        if base64.b64decode(kernel["sources"].get("cubin", "")).startswith(ELF):
            made.add(pair)
        else:
            failures.append(f"{name}: {pair[0]} ({pair[1]}) for {pair[2]}: no cubin")
    failures += [f"{name}: {e} ({k}) for {a}: not compiled" for e, k, a in sorted(wanted - made)]
    return len(made & wanted), failures


def main():
    binary = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)
    words = sys.argv[2:]
    one = "--one" in words
    files = [w for w in words if w != "--one"] or sorted(glob.glob(os.path.join(ROOT, "examples", "*.py")))
    home = os.environ.get("CUDA_HOME") or os.path.join(ROOT, ".cuda/nvidia/cu13")
    if not glob.glob(os.path.join(home, "lib*", "libnvrtc.so*")):
        if not glob.glob("/usr/local/cuda/lib*/libnvrtc.so*"):
            print("examples_test.py: no NVRTC: skipped")
            sys.exit(77)
    else:
        os.environ["CUDA_HOME"] = home
    pairs, failures = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        turns = range(len(files)) if one else [None] * len(files)
        for n, said in pool.map(lambda path, turn: examine(binary, os.path.relpath(path, ROOT), turn), files, turns):
            pairs += n
            failures += said
    for failure in failures:
        print(failure)
    print(f"{len(files)} examples, {pairs} pairs of kernel and architecture compiled, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
