#!/usr/bin/env python3
"""Arithmetic on tiles, on the simulator: generated kernels against a model in plain Python, element by element.

    arithmetic_test.py TILEWRIGHT [--release 0.25] [--seed N|day|fresh] [--count M] [--family elementwise|reduction|permute] [--on gpu]

The kernels are those that tests/reference holds against the reference compiler. Of those for which it is known what must
come out, each that is served has to be verified; nothing may be found in any, and half of them have to be served.
On a GPU, by hand, only the kernels for Hopper are run.
"""

import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support.seeds import seed  # noqa: E402

GENERATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../reference/generate.py")
FAMILIES = ["elementwise", "reduction", "permute"]


def generated(family, seed, count, folder, release):
    """The scripts, and the kernels for which it is known what must come out."""
    subprocess.run(
        [
            sys.executable,
            GENERATE,
            "--seed",
            str(seed),
            "--count",
            str(count),
            "--per-file",
            "50",
            "--primitive",
            family,
            "-o",
            folder,
            "--release",
            release,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    known = set()
    for path in glob.glob(os.path.join(folder, "*.py")):
        with open(path, encoding="utf-8") as script:
            lines = script.read().splitlines()
        known |= {
            lines[i + 2].split("(")[0].removeprefix("def ") for i, line in enumerate(lines) if "expected.Y=" in line
        }
    return sorted(glob.glob(os.path.join(folder, "*.py"))), known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--seed", type=seed, default=1)
    parser.add_argument("--count", type=int, default=60, help="kernels of each family")
    parser.add_argument("--family", choices=FAMILIES)
    parser.add_argument("--release", choices=["0.25", "0.26", "0.27"], default="0.25", help="of the dialect")
    parser.add_argument("--on", default="sim", help="where they run (default: sim)")
    options = parser.parse_args()
    wrong = 0
    for family in [options.family] if options.family else FAMILIES:
        verdicts = collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            scripts, known = generated(family, options.seed, options.count, folder, options.release)
            if options.on != "sim":
                scripts = [s for s in scripts if "sm_90a" in s]
            done = subprocess.run(
                [os.path.abspath(options.binary), "run", *scripts, "--on", options.on, "--entry", "all", "--json"],
                capture_output=True,
                text=True,
                check=False,
                cwd=folder,
            )
            for run in json.loads(done.stdout)["runs"]:
                name, verdict = run["entry"], run.get("verdict", "errors")
                verdicts[verdict] += 1
                # A kernel that is refused has errors; whether rightly, the comparison with the reference says.
                good = verdict in (("verified", "errors") if name in known else ("verified", "errors", "unverified"))
                if not good or run.get("findings"):
                    wrong += 1
                    print(
                        f"{family}: {name} of seed {options.seed} is {verdict}: {run.get('error')} {run.get('findings')}"
                    )
        print(f"{family}: " + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())))
        ran = sum(verdicts.values())
        if 2 * verdicts["verified"] < ran:
            wrong += 1
            print(f"{family}: {verdicts['verified']} of {ran} kernels are served, half are asked for")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
