#!/usr/bin/env python3
"""`check --simulate examples`: clean, every kernel wholly checked, within 40 s of processor time (20 s on two cores).

    examples_checked_test.py TILEWRIGHT
"""
import json
import pathlib
import resource
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def main():
    binary = sys.argv[1]
    done = subprocess.run([binary, "check", "--simulate", "--json", str(EXAMPLES)], capture_output=True, text=True, check=False)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(done.stdout)
    wrong = [str((d["code"], d.get("range"), d["message"])) for d in answer["diagnostics"]
             if d["code"].startswith("TW50") or d["severity"] == "error"]
    if answer.get("not_checked"):
        wrong.append(f"not checked: {answer['not_checked']}")
    seconds = spent.ru_utime + spent.ru_stime
    if seconds > 40:
        wrong.append(f"took {seconds:.1f} s of processor time")
    if done.returncode != 0:
        wrong.append(f"status {done.returncode}: {done.stderr}")
    for line in wrong:
        print(line)
    print(f"{len(list(EXAMPLES.glob('*.py')))} examples in {seconds:.1f} s of processor time, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
