#!/usr/bin/env python3
"""Samples of `run --on gpu --profile` beside those of Nsight Compute's source page, for one kernel.

    samples_beside_ncu.py REPORT.json NCU.csv

REPORT.json is the report of `tilewright run SCRIPT --entry EXPR --on gpu --profile --json`, NCU.csv what
`ncu --section SourceCounters --page source --print-source sass --csv` says of the same compiled kernel. Tells how many
samples are at a line of the script, and the rank correlation (Spearman) of the two, by instruction and by line: ncu's
samples are put to lines as ours are.
"""
import csv
import json
import sys


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2
        i = j + 1
    return out


def correlation(a, b):
    """Of the ranks; 0 where all of one side are equal."""
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    under = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    return over / under if under else 0.0


def ncu_samples(path):
    """Samples by offset in the kernel's code."""
    with open(path, encoding="utf-8", errors="replace") as f:
        lines = f.read().splitlines()
    head = next(i for i, l in enumerate(lines) if l.startswith('"Address"'))
    table = list(csv.DictReader(l for l in lines[head:] if l.startswith('"')))
    first = int(table[0]["Address"], 16)
    return {int(row["Address"], 16) - first: int(row["# Samples"]) for row in table if row["Address"].startswith("0x")}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        ours = json.load(f)["samples"]
    theirs = ncu_samples(sys.argv[2])
    by_instruction, ways, lines = {}, [], {}
    for line in ours["lines"]:
        for i in line["instructions"]:
            by_instruction[i["offset"]] = by_instruction.get(i["offset"], 0) + i["samples"]
        way = line["samples"], sum(theirs.get(i["offset"], 0) for i in line["instructions"])
        ways.append(way)
        sums = lines.get((line["file"], line["line"]), (0, 0))
        lines[line["file"], line["line"]] = sums[0] + way[0], sums[1] + way[1]
    places = sorted(set(theirs) | set(by_instruction))
    print(f"{ours['samples']} samples, {100 * ours['attributed'] / ours['samples']:.2f} % at lines of the script; ncu: {sum(theirs.values())}")
    print(f"rank correlation by instruction: {correlation([by_instruction.get(p, 0) for p in places], [theirs.get(p, 0) for p in places]):.3f} of {len(places)}")
    print(f"rank correlation by line and calls: {correlation([a for a, _ in ways], [b for _, b in ways]):.3f} of {len(ways)}")
    print(f"rank correlation by line: {correlation([a for a, _ in lines.values()], [b for _, b in lines.values()]):.3f} of {len(lines)}")


if __name__ == "__main__":
    main()
