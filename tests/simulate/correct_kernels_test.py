#!/usr/bin/env python3
"""Kernels that are right, on the simulator: each must be verified against the plain one beside it, and nothing may be found.

    correct_kernels_test.py TILEWRIGHT [--seed N|day|fresh] [--count M] [--schedules K]
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support.seeds import seed  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--seed", type=seed, default=1)
    parser.add_argument("--count", type=int, default=90)
    parser.add_argument("--schedules", type=int, default=3)
    options = parser.parse_args()
    verdicts, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(HERE, "correct_kernels.py"), "--seed", str(options.seed), "--count",
                        str(options.count), "-o", folder], check=True)
        for script in sorted(os.listdir(folder)):
            done = subprocess.run([options.binary, "run", os.path.join(folder, script), "--on", "sim", "--entry", "all", "--schedules",
                                   str(options.schedules), "--json"], capture_output=True, text=True, check=False)
            try:
                runs = json.loads(done.stdout)["runs"]
            except (ValueError, KeyError):
                sys.exit(f"{script}: no answer, status {done.returncode}\n{done.stderr}")
            for run in runs:
                verdicts[run["verdict"]] += 1
                if run["verdict"] == "verified" and not run["findings"]:
                    continue
                wrong += 1
                why = [f["message"] for f in run["findings"]] + run.get("problems", []) + run.get("notes", [])
                print(f"{script} {run['entry']} (seed {options.seed}): {run['verdict']}: {'; '.join(why)}")
    print(f"seed {options.seed}: {', '.join(f'{n} {verdict}' for verdict, n in verdicts.most_common())}")
    if sum(verdicts.values()) != options.count:
        sys.exit(f"{options.count} kernels were made")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
