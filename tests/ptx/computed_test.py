#!/usr/bin/env python3
"""What instructions compute, against what an H100 computed (h100.txt), and against results that are stated (stated.txt).

    computed_test.py PTX_ANSWER
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = {"h100.txt": "an H100 gives", "stated.txt": "stated is"}


def held(program, name):
    """Whether all results of a file are computed."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        cases = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    asked = "".join(f"E\t{row}\t{words}\t{inputs}\n" for row, words, inputs, _ in cases)
    answers = subprocess.run([program], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(answers) == len(cases)
    bad = 0
    for (row, words, inputs, wanted), answer in zip(cases, answers):
        have = [int(word.split(":")[1], 16) for word in answer[2:].split()] if answer.startswith("+") else answer
        if have == [int(word, 16) for word in wanted.split()]:
            continue
        bad += 1
        if bad <= 20:
            print(f"{row} {words} of {inputs}: {SOURCES[name]} {wanted}, not {answer[2:]}")
    print(f"{name}: {len(cases) - bad} of {len(cases)} results of {len({case[0] for case in cases})} rows are the same")
    return bool(cases) and not bad


if __name__ == "__main__":
    sys.exit(not all([held(sys.argv[1], name) for name in SOURCES]))
