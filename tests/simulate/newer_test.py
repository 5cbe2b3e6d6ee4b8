#!/usr/bin/env python3
"""What 0.26 adds to the variants, on the simulator: generated kernels against plain ones, and what trials say.

    newer_test.py TILEWRIGHT [--release 0.26] [--seed N|day|fresh] [--count M] [--primitive NAME]

The kernels are those that tests/reference holds against the reference compiler. Each that names a plain kernel is served and
verified, without a finding; those that are meant to be refused are refused by their variants.
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
from support.seeds import seed  # noqa: E402

HEAD = "# tilewright: dialect {release}\n# tilewright: arch sm_100a\nfrom tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n\n\n"
KERNEL = '''@T.prim_func
def k(A: T.Buffer((128, 64), "float16"), B: T.Buffer((128, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([1])
    tid = T.thread_id([128])
    X = T.alloc_buffer((128, 64), "float16", scope="shared")
    R = T.alloc_buffer((64,), "float16", scope="local")
    {body}
'''
VECTORS = ["vec_128b", "vec_16b", "vec_256b", "vec_32b", "vec_64b"]
# What a call is asked, one variant after the other, by the reference's own words.
TRIALS = [
    ("Tx.cta.copy(X, A)", [(v, "rejected", f"requires explicit dispatch='{v}'") for v in VECTORS]
     + [("ldstmatrix", "rejected", None), ("vec_auto", "chosen", None), ("fallback", "not_tried", None)]),
    ('Tx.copy(R[0:8], A[tid, 0:8], dispatch="vec_128b", cache="nc")', [("vec_128b", "chosen", None)]),
    ('Tx.copy(R[0:8], X[tid, 0:8], dispatch="vec_128b", cache="nc")', [("vec_128b", "rejected", "source is shared")]),
    ('Tx.copy(R[0:4], A[tid, 0:4], dispatch="vec_128b")', [("vec_128b", "rejected", "exactly 8 elements")]),
    ('Tx.warp.copy(X[0, 0:8], A[0, 0:8], dispatch="vec_128b")', [("vec_128b", "rejected", "thread scope")]),
    ('Tx.copy(R[0:8], A[tid, 0:8], dispatch="vec_128b", cache="ca")', [("vec_128b", "rejected", 'one of "nc"')]),
    ("Tx.maximum(R, R, R)", [("reg", "chosen", None), ("smem", "not_tried", "is local")]),
    ("Tx.cta.log2(X, X)", [("reg", "rejected", "is shared"), ("smem", "chosen", None)]),
    ('Tx.copy_async(X[tid, 0:16], A[tid, 0:16], dispatch="ldgsts", direct=True)', [("ldgsts", "declined", "direct=")]),
]


def answer(command, folder):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(command)}: no JSON (exit {done.returncode})\n{done.stderr[-2000:]}")


def compiled(binary, folder, release, body):
    path = os.path.join(folder, "trial.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(HEAD.format(release=release) + KERNEL.format(body=body))
    return answer([binary, "compile", path, "--json"], folder)


def wrong_trials(binary, folder, release):
    """What is asked of calls that are served or refused in a known way."""
    for body, wanted in TRIALS:
        calls = compiled(binary, folder, release, body)["kernels"][0]["calls"]
        got = [(t["variant"], t["outcome"], t["reason"]) for t in calls[0]["trials"]]
        for (variant, outcome, words), t in zip(wanted, got):
            if t[:2] != (variant, outcome) or (words and words not in (t[2] or "")):
                yield f"{body}: {variant} should be {outcome} ({words}), it is {t}"
        if len(wanted) != len(got):
            yield f"{body}: {len(got)} variants are asked, {len(wanted)} should be"
    # A copy does not reshape, whatever serves it; 0.25 leaves that to the variants.
    for release_, code in ((release, "TW3123"), ("0.25", "TW3104")):
        told = compiled(binary, folder, release_, "Tx.cta.copy(X[0:64, 0:64], A[0:32, 0:64])")["diagnostics"]
        if code not in [d["code"] for d in told]:
            yield f"unequal regions in {release_}: {code} is not among {[d['code'] for d in told]}"
    told = compiled(binary, folder, release, 'Tx.cta.copy(X, A, cache="nc")')["diagnostics"]
    if "TW3109" not in [d["code"] for d in told]:
        yield f"hints of a copy to shared memory: {told}"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("tilewright")
    ap.add_argument("--release", choices=["0.26", "0.27"], default="0.26")
    ap.add_argument("--seed", type=seed, default=1)
    ap.add_argument("--count", type=int, default=40, help="kernels of each primitive")
    ap.add_argument("--primitive", choices=list(generate.NEWER))
    args = ap.parse_args()
    binary, wrong = os.path.abspath(args.tilewright), 0
    with tempfile.TemporaryDirectory() as folder:
        for text in wrong_trials(binary, folder, args.release):
            wrong += 1
            print(text)
        for primitive in [args.primitive] if args.primitive else list(generate.NEWER):
            if args.release == "0.27" and primitive != "newer_copy":
                continue  # their kernels call instructions by names that 0.27 respells
            paths = generate.write(args.seed, args.count, folder, primitive=primitive, release=args.release)
            verdicts, known = collections.Counter(), set()
            for path, _ in paths:
                with open(path, encoding="utf-8") as f:
                    known |= set(re.findall(r"# tilewright: run (\w+) ", f.read()))
            runs = answer([binary, "run", *[p for p, _ in paths], "--on", "sim", "--entry", "all", "--json"], folder)["runs"]
            for run in runs:
                name, verdict = run["entry"], run.get("verdict") or "errors"
                verdicts[verdict] += 1
                if verdict != "verified" if name in known else run.get("findings") and run["findings"]:
                    wrong += 1
                    print(f"{primitive}: {name} of seed {args.seed} is {verdict}: {run.get('error')} {run.get('findings')}")
            print(f"{primitive}: " + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())))
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
