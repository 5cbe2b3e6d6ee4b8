#!/usr/bin/env python3
"""Counts of `run --on sim --profile` beside those that NVIDIA's Nsight Compute reads from a GPU.

    beside_ncu.py prepare TILEWRIGHT LIST FOLDER     # here: cubins, plans and profiles of the kernels of a list (cubins.py)
    beside_ncu.py measure FOLDER [--ncu PROGRAM]     # there: FOLDER/ncu.csv and source.csv, each kernel launched once for each
    beside_ncu.py compare FOLDER                     # here or there

A line a kernel and counter tells both numbers; the last ones how many are equal and how many lie within 2 %. The hardware's
counter of wavefronts contains the turns that other traffic to the same banks costs (tensor cores' operands, TMA); source.csv has
what each instruction's own addresses take, as ncu's source page sums them up, and the line tells it where it is another number.
To measure needs a GPU, the right to read its counters, ncu, and Python alone.
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


    source = os.path.join(options.folder, "source")
    for command in (["--section", "SourceCounters", "-f", "-o", source, sys.executable,
                     os.path.join(os.path.dirname(os.path.abspath(__file__)), "cubins.py"), "once", options.folder],
                    ["--import", source + ".ncu-rep", "--page", "source", "--print-source", "sass", "--csv"]):
        done = subprocess.run([options.ncu, *command], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout[-1500:] + done.stderr[-1500:])
    with open(source + ".csv", "w") as f:
        f.write(done.stdout)


# Of an instruction's row of ncu's source page what counts, by its name.
INSTRUCTIONS = {"LDG": ("global_read", "sectors"), "LDGSTS": ("global_read", "sectors"), "STG": ("global_write", "sectors"),
                "LDS": ("shared_read", "wavefronts"), "LDSM": ("shared_read", "wavefronts"),
                "STS": ("shared_write", "wavefronts"), "STSM": ("shared_write", "wavefronts")}
COLUMNS = {"sectors": "L2 Theoretical Sectors Global", "wavefronts": "L1 Wavefronts Shared"}


def by_instruction(folder):
    """Sums of each kernel's instructions by counter, in the order of the launches; empty: they were not read."""
    path = os.path.join(folder, "source.csv")
    if not os.path.exists(path):
        return []
    out = []
    with open(path, errors="replace") as f:
        kernels = f.read().split('"Kernel Name"')[1:]
    for kernel in kernels:
        sums = dict.fromkeys(COUNTERS, 0)
        for row in csv.DictReader(io.StringIO("\n".join(line for line in kernel.splitlines()[1:] if line.startswith('"')))):
            words = [w for w in row["Source"].split() if not w.startswith("@")]
            counter = INSTRUCTIONS.get(words[0].split(".")[0]) if words else None
            if counter:
                sums[counter] += int(float(row.get(COLUMNS[counter[1]]) or 0))
        out.append(sums)
    return out


def compare(options):
    with open(os.path.join(options.folder, "ncu.csv")) as f:
        lines = [line for line in f.read().splitlines() if line.startswith('"')]
    rows = [r for r in csv.DictReader(io.StringIO("\n".join(lines))) if r.get("ID", "").isdigit()]
    bases = cubins.bases(options.folder)
    if len(rows) != len(bases):
        sys.exit(f"{len(bases)} kernels were launched, ncu has {len(rows)}")
    equal = near = total = exact = apart = borne_out = 0
    sums = by_instruction(options.folder)
    for number, (base, row) in enumerate(zip(bases, rows)):
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
            of_instructions = sums[number][part, unit] if number < len(sums) else theirs
            borne_out += ours in (theirs, of_instructions)
            more = f" by instruction {of_instructions}" if of_instructions != theirs else ""
            print(f"{'same ' if ours == theirs else 'other'} {part}.{unit} {ours:.0f} ncu {theirs:.0f}{more}  {name}")
        exact += same
    print(f"{apart} counters of writes to shared memory are left out: cp.async is among them, which ncu counts elsewhere")
    print(f"{len(bases)} kernels, {exact} of them equal in all; {total} counters: {equal} equal, {near} within 2 %; "
          f"{borne_out} equal to the counter or to what its instructions sum up to")


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
