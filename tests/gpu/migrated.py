#!/usr/bin/env python3
"""Scripts moved to a later release give the same bytes as before, on this machine's GPU.

    migrated.py TILEWRIGHT FOLDER [--to 0.26 --to 0.27] [--on gpu|sim] [--jobs N]

Copies FOLDER, moves the copies with `tilewright migrate --write`, runs every entry of the original and of each copy with the same
inputs, and compares the bytes of every tensor. Scripts of another release than 0.25 are left out. Exit status 1 for any difference,
2 if nothing could be compared.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

# The planner of 0.26 and 0.27 cuts this tile into boxes of 64 bytes, as the reference's does, and we warn of it (TW3113).
DEFECTS = {("tma_boxes.py", 'blocks("float32", (512, 16))')}
CANNOT_RUN = ("errors", "refused", "skipped", "no_device", "not_launched")


def runs(binary, folder, place, jobs):
    """Each entry of the scripts of a folder: its status, what was said, and the digests of its tensors."""
    done = subprocess.run([binary, "run", folder, "--entry", "all", "--on", place, "--repeat", "0", "--jobs", str(jobs), "--json"],
                          capture_output=True, text=True, check=False)
    try:
        reports = json.loads(done.stdout)["runs"]
    except (ValueError, KeyError):
        sys.exit(f"no report of {folder}: {(done.stderr or done.stdout)[-2000:]}")
    out = {}
    for report in reports:
        name = os.path.relpath(report["file"], folder), report["entry"]
        said = report.get("error") or "; ".join(map(str, report.get("problems", [])))
        out[name] = report["status"], said, {t["name"]: t.get("sha256") for t in report.get("tensors", [])}
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("--to", action="append")
    parser.add_argument("--on", default="gpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    count, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        before = os.path.join(scratch, "0.25")
        shutil.copytree(args.folder, before)
        for name in os.listdir(before):
            if re.search(r"_0_\d+\.py$", name):
                os.remove(os.path.join(before, name))
        begun = time.monotonic()
        originals = runs(args.binary, before, args.on, args.jobs)
        for release in args.to or ["0.26", "0.27"]:
            after = os.path.join(scratch, release)
            shutil.copytree(before, after)
            moved = subprocess.run([args.binary, "migrate", after, "--to", release, "--write", "--no-check"], capture_output=True, text=True)
            if moved.returncode:
                bad.append(f"migrate --to {release}: status {moved.returncode}: {(moved.stderr or moved.stdout)[-600:]}")
            now = runs(args.binary, after, args.on, args.jobs)
            for name, (status, _, tensors) in originals.items():
                new_status, said, new_tensors = now.get(name, ("missing", "", {}))
                if status in CANNOT_RUN and new_status in CANNOT_RUN:
                    count[f"{release}: not for this device"] += 1
                elif status == new_status and tensors and tensors == new_tensors:
                    count[f"{release}: the same bytes"] += 1
                elif name in DEFECTS:
                    count[f"{release}: the reference's defect"] += 1
                else:
                    count[f"{release}: other"] += 1
                    bad.append(f"{release} {name[0]} {name[1]}: {status}, then {new_status}: {said[:400]}")
        print(", ".join(f"{what} {n}" for what, n in sorted(count.items())) + f"; {time.monotonic() - begun:.1f} s")
    for line in bad[:30]:
        print("  " + line)
    same = any(what.endswith("the same bytes") for what in count)
    sys.exit(1 if bad else 0 if same else 2)


if __name__ == "__main__":
    main()
