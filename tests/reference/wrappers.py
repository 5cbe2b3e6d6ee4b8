#!/usr/bin/env python3
"""Every wrapper of the reference's T.ptx, T.cuda and T.nvshmem, and each of its parameters, is one of ours.

    wrappers.py PROGRAM [--release 0.26]

PROGRAM is the built wrapper_names. TILEWRIGHT_REFERENCE names the program that answers for the reference; without it 77.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# Written by hand or by position only: the reference's signature says *args, or its parameter is a keyword of Python's.
FREE = {"args", "kwargs", "kwds", "all_args"}

PROBE = r'''
import inspect, json, os
from tvm.script import tirx as T
out = {}
def walk(value, path, depth):
    for name in dir(value):
        if name.startswith("_") and not name.startswith("__shfl") and name != "__activemask":
            continue
        member = getattr(value, name, None)
        if callable(member):
            try:
                signature = inspect.signature(member)
                out[path + "." + name] = [(p.name, str(p.kind)) for p in signature.parameters.values()]
            except (TypeError, ValueError):
                pass
        if type(member).__module__.startswith("tvm") and not inspect.isfunction(member) and depth < 4:
            walk(member, path + "." + name, depth + 1)
for space in ("ptx", "cuda", "nvshmem"):
    walk(getattr(T, space), space, 0)
json.dump(out, open(os.environ["WRAPPERS_OUT"], "w"))
'''


def theirs(release):
    with tempfile.TemporaryDirectory() as scratch:
        probe, out = os.path.join(scratch, "probe.py"), os.path.join(scratch, "out.json")
        with open(probe, "w") as f:
            f.write(PROBE)
        subprocess.run([sys.executable, os.environ["TILEWRIGHT_REFERENCE"], probe, "--release", release], check=False,
                       capture_output=True, env={**os.environ, "WRAPPERS_OUT": out})
        with open(out) as f:
            return json.load(f)


def ours(program, release):
    found = {}
    for line in subprocess.run([program, release], check=True, capture_output=True, text=True).stdout.splitlines():
        name, _, operands = line.partition("\t")
        found.setdefault(name, set()).update(operands.split())
    return found


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("--release", default="0.26")
    args = ap.parse_args()
    if not os.environ.get("TILEWRIGHT_REFERENCE"):
        print("TILEWRIGHT_REFERENCE is not set")
        return 77
    mine, names, parameters, wrong = ours(args.program, args.release), 0, 0, []
    for name, signature in sorted(theirs(args.release).items()):
        names += 1
        if name not in mine:
            wrong.append(f"{name} is missing")
            continue
        for parameter, kind in signature:
            if "VAR_" in kind or parameter in FREE:
                continue
            parameters += 1
            if parameter not in mine[name]:
                wrong.append(f"{name} lacks {parameter}=")
    print("\n".join(wrong))
    print(f"{names} wrappers, {parameters} parameters of {args.release}, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
