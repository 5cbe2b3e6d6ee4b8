#!/usr/bin/env python3
"""Generated matrix products, run by the simulator and held against plain kernels.

    products_test.py TILEWRIGHT [--release 0.25] [--seed N|day|fresh] [--count M] [--at-least K]

Writes M kernels each of `gemm` and `gemm_async` (tests/reference/generate.py), and runs all that compile: what they leave must be
what the plain kernel that each names leaves, at every order of the tensor core's work that is tried, and nothing may be found.
Kernels that are meant to be refused must be refused by a variant, not by anything else. At least K of each must be right.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import generate  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support.seeds import seed  # noqa: E402


def families(paths):
    """{kernel: family}"""
    out, family = {}, None
    for path, _ in paths:
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.startswith("# family: "):
                    family = line.split(": ")[1].strip()
                elif m := re.match(r"def ((?:gemm|gemm_async)_\d+)\(", line):
                    out[m.group(1)] = family
    return out


def refusals(binary, path):
    """{kernel: codes of its errors}"""
    done = subprocess.run([binary, "compile", path, "--json"], capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    errors = [d for d in answer["diagnostics"] if d["severity"] == "error"]
    out = collections.defaultdict(set)
    for kernel in answer["kernels"]:
        following = [k["range"]["start"]["line"] for k in answer["kernels"]]
        first = kernel["range"]["start"]["line"]
        last = min((n for n in following if n > first), default=sys.maxsize)
        for d in errors:
            if first <= d["range"]["start"]["line"] < last:
                out[kernel["name"]].add(d["code"])
    return out


def run(binary, path):
    """(problem or None, its kernel) of every kernel of a file."""
    done = subprocess.run([binary, "run", path, "--entry", "all", "--on", "sim", "--json"], capture_output=True, text=True, check=False)
    codes = None
    for r in json.loads(done.stdout)["runs"]:
        if r["status"] == "errors":
            codes = codes if codes is not None else refusals(binary, path)
            told = codes.get(r["entry"], set())
            yield ("refused" if told == {"TW3104"} else f"errors {sorted(told)}"), r["entry"]
            continue
        compared = [t["comparison"] for t in r["tensors"] if t.get("comparison")]
        problems = r["problems"] + [f["message"] for f in r["findings"]]
        if r["status"] == "done" and compared and not problems:
            yield None, r["entry"]
        else:
            yield "; ".join(problems) or r["error"] or f"{r['status']}, nothing compared", r["entry"]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("tilewright")
    ap.add_argument("--seed", type=seed, default=1)
    ap.add_argument("--count", type=int, default=40)
    ap.add_argument("--at-least", type=int, default=0)
    ap.add_argument("--release", choices=generate.releases.RELEASES, default="0.25")
    args = ap.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for primitive in generate.PRODUCTS:
            paths = generate.write(args.seed, args.count, folder, primitive=primitive, release=args.release)
            family, right, refused = families(paths), 0, 0
            for path, _ in paths:
                for problem, kernel in run(args.tilewright, path):
                    right += problem is None
                    refused += problem == "refused"
                    # What 0.25 refuses a later release may serve; with what, reference/newer says.
                    if args.release != "0.25" and family[kernel].startswith("refused"):
                        continue
                    if problem is not None and problem != "refused":
                        failed += 1
                        print(f"seed {args.seed}, {kernel} ({family[kernel]}): {problem}")
            print(f"{primitive}: {right} right, {refused} refused, of {args.count}")
            failed += right < args.at_least
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
