#!/usr/bin/env python3
"""Traced kernels, or those of tvm_tirx, on the simulator: the right ones are verified, and what is taken out is missed.

    traced_test.py TILEWRIGHT [--kernels package] [--schedules K]

`traced/kernels.py` and `package/kernels.py` have kernels with a plain one each: all must be verified, with no finding. Then each line of a kernel
that keeps threads in order (a barrier, a wait, an arrival, a fence, an initialisation) is taken out in turn, and the
simulator must say so: a finding in that kernel's own lines, with the calls of the library that led there.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DECORATORS = ("@txl.kernel", "@T.function")
ORDERS = re.compile(r"^ +(\w+\.cuda\.(cta_sync|warp_sync|cluster_sync)\(\)|\w+\.cuda\.mbarrier_wait\(.*\)"
                    r"|\w+(\.\w+)*\.(wait|arrive|init)\(.*\)"
                    r"|\w+\.ptx\.bar\.\w+\(.*\)|\w+\.ptx\[\"(barrier\.cluster|cp\.async\.(wait|commit)_group|"
                    r"fence)[^\"]*\"\]\(.*\))$")
# What may go and changes nothing that a run can tell.
HARMLESS = ("fence.mbarrier_init",)


def run(binary, path, schedules, entry="all"):
    command = [binary, "run", path, "--on", "sim", "--entry", entry, "--schedules", str(schedules), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        answer = json.loads(done.stdout)
        return answer.get("runs", [answer])  # one entry stands alone
    except ValueError:
        sys.exit(f"{path}: no answer, status {done.returncode}\n{done.stdout}{done.stderr}")


def lines_of(finding, path):
    """The lines of the file that a finding names: its own, related ones, and calls that led there."""
    ranges = [finding, *finding.get("related", [])]
    ranges = [r["range"] for r in ranges if r.get("range")] + finding.get("chain", [])
    return [r["start"]["line"] for r in ranges if os.path.basename(r["file"]) == os.path.basename(path)]


def without_line(lines, i):
    """The text without line `i`; a block that would be empty has `pass`."""
    indent = re.match(r" *", lines[i]).group()
    return [*lines[:i], indent + "pass", *lines[i + 1:]]


def mistakes(lines):
    """(kernel, first line, last line, line that goes) of each mistake that is planted; lines from 0."""
    starts = [i for i, line in enumerate(lines) if line.startswith(DECORATORS)]
    for start in starts:
        name = re.match(r"def (\w+)", lines[start + 1]).group(1)
        end = next((i for i in range(start + 2, len(lines)) if lines[i] and not lines[i].startswith((" ", ")"))), len(lines))
        for i in range(start + 2, end):
            if ORDERS.match(lines[i]) and not any(word in lines[i] for word in HARMLESS):
                yield name, start, end, i


def alone(lines, start, end):
    """The file with one of its kernels, and the plain ones; lines stay where they are."""
    out, inside = [], False
    for i, line in enumerate(lines):
        if line.startswith(DECORATORS):
            inside = not start <= i < end and not lines[i + 1].startswith("def plain_")
        elif line and not line.startswith((" ", ")")) and not line.startswith("def "):
            inside = False
        elif line.startswith("def ") and not (i > 0 and lines[i - 1].startswith(DECORATORS)):
            inside = False
        out.append("" if inside else line)
    for i, line in enumerate(out):
        if line.startswith("# tilewright: reference") and not (i + 1 < len(out) and out[i + 1].startswith(DECORATORS)):
            out[i] = ""
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--schedules", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--kernels", default="traced", choices=("traced", "package"))
    options = parser.parse_args()
    wrong = 0
    kernels = os.path.join(HERE, options.kernels, "kernels.py")
    right = run(options.binary, kernels, options.schedules)
    for r in right:
        if r["verdict"] != "verified" or r["findings"]:
            wrong += 1
            why = [f["message"] for f in r.get("findings", [])] + r.get("problems", []) + r.get("notes", [])
            print(f"{r['entry']}: {r['verdict']}: {'; '.join(why)}")
    print(f"{len(right)} kernels, {wrong} not verified")
    with open(kernels, encoding="utf-8") as f:
        lines = f.read().split("\n")
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.py")
        for name, start, end, i in mistakes(lines):
            if options.only not in name:
                continue
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(without_line(alone(lines, start, end), i)))
            found = [f for r in run(options.binary, path, options.schedules) for f in r.get("findings", [])]
            places = [line for f in found for line in lines_of(f, path)]
            there = any(start < line <= end for line in places)
            counts["found" if there else "elsewhere" if found else "missed"] += 1
            if not there:
                wrong += 1
                print(f"{name} without line {i + 1}, {lines[i].strip()}: {[f['message'] for f in found] or 'nothing'}")
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
