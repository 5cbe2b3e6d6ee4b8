#!/usr/bin/env python3
"""Counts of `run --on sim --profile` beside those that NVIDIA's Nsight Compute reads from a GPU.

    beside_ncu.py prepare TILEWRIGHT LIST FOLDER     # here: cubins, plans and profiles of the kernels of a list (cubins.py)
    beside_ncu.py measure FOLDER [--ncu PROGRAM]     # there: FOLDER/ncu.csv, each kernel launched once
    beside_ncu.py compare FOLDER                     # here or there

A line a kernel and counter tells both numbers; the last ones how many are equal and how many lie within 2 %. To measure needs a
GPU, the right to read its counters, ncu, and Python alone.
"""
import argparse
import csv
import io
import json
import os
import subprocess
import sys

import cubins

# Counter of ours: ncu's. Copies by cp.async count with the reads of global memory there, too.
COUNTERS = {
    ("global_read", "sectors"): ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    ("global_write", "sectors"): ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    ("shared_read", "wavefronts"): ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    ("shared_write", "wavefronts"): ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
}

def prepare(options):
    os.makedirs(options.folder, exist_ok=True)
    number = 0
    for script, entry in cubins.read_list(options.list):
        base = os.path.join(options.folder, f"{number:04}")
        if not cubins.make(options.tilewright, script, entry, options.arch, base):
            print(f"left out: {os.path.basename(script)}: {entry}", file=sys.stderr)
            continue
        done = subprocess.run([options.tilewright, "run", script, "--entry", entry, "--arch", options.arch, "--on", "sim", "--schedules", "1",
                               "--profile", "--json"], capture_output=True, text=True)
        profile = json.loads(done.stdout).get("profile") if done.stdout else None
        if not profile or not profile["complete"]:
            print(f"no whole profile: {os.path.basename(script)}: {entry}", file=sys.stderr)
            os.remove(base + ".cubin")
            os.remove(base + ".plan")
            continue
        done = subprocess.run([options.tilewright, "compile", script, "--entry", entry, "--arch", options.arch, "--emit", "cuda"],
                              capture_output=True, text=True)
        profile["cp_async"] = "cp.async.c" in done.stdout
        with open(base + ".profile", "w") as f:
            json.dump(profile, f)
        number += 1
    print(f"{number} kernels")


def measure(options):
    metrics = ",".join(m for group in COUNTERS.values() for m in group)
    done = subprocess.run([options.ncu, "--csv", "--page", "raw", "--metrics", metrics, sys.executable,
                           os.path.join(os.path.dirname(os.path.abspath(__file__)), "cubins.py"), "once", options.folder],
                          capture_output=True, text=True)
    with open(os.path.join(options.folder, "ncu.csv"), "w") as f:
        f.write(done.stdout)
    if done.returncode:
        sys.exit(done.stdout[-1500:] + done.stderr[-1500:])


def compare(options):
    with open(os.path.join(options.folder, "ncu.csv")) as f:
        lines = [line for line in f.read().splitlines() if line.startswith('"')]
    rows = [r for r in csv.DictReader(io.StringIO("\n".join(lines))) if r.get("ID", "").isdigit()]
    bases = cubins.bases(options.folder)
    if len(rows) != len(bases):
        sys.exit(f"{len(bases)} kernels were launched, ncu has {len(rows)}")
    equal = near = total = exact = apart = 0
    for base, row in zip(bases, rows):
        with open(base + ".plan") as f:
            name = json.load(f)["name"]
        with open(base + ".profile") as f:
            profile = json.load(f)
        same = True
        for (part, unit), counters in COUNTERS.items():
            ours = profile["total"][part][unit]
            theirs = sum(float((row.get(c) or "0").replace(",", "")) for c in counters)
            if ours == 0 and theirs == 0:
                continue
            if part == "shared_write" and profile.get("cp_async"):
                apart += 1  # what cp.async writes: ncu counts it with other counters
                continue
            total += 1
            equal += ours == theirs
            same &= ours == theirs
            near += abs(ours - theirs) <= 0.02 * max(ours, theirs)
            print(f"{'same ' if ours == theirs else 'other'} {part}.{unit} {ours:.0f} ncu {theirs:.0f}  {name}")
        exact += same
    print(f"{apart} counters of writes to shared memory are left out: cp.async is among them, which ncu counts elsewhere")
    print(f"{len(bases)} kernels, {exact} of them equal in all; {total} counters: {equal} equal, {near} within 2 %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("prepare")
    one.add_argument("tilewright")
    one.add_argument("list")
    one.add_argument("folder")
    one.add_argument("--arch", default="sm_90a")
    one = commands.add_parser("measure")
    one.add_argument("folder")
    one.add_argument("--ncu", default="ncu")
    commands.add_parser("compare").add_argument("folder")
    options = parser.parse_args()
    return {"prepare": prepare, "measure": measure, "compare": compare}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
