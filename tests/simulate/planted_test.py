#!/usr/bin/env python3
"""One fault in each of many generated correct kernels: a finding, or values that are not as expected.

    planted_test.py TILEWRIGHT [--seed N|day|fresh] [--count M] [--schedules K] [--jobs N] [--keep FOLDER] [--least SHARE]

`correct_kernels.py` makes the kernels; RULES take a line that orders threads out of one, make it weaker, or change a count, a phase,
a number of bytes, a guard or a start value. Some faults do no harm: a guard that never decides, a barrier after which nothing is
shared, a ring that never comes round, the fence after the initialisation of a barrier of one CTA. They are counted as silent, and
with --keep they are written to a folder, to be read.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support.seeds import seed  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ORDERS = re.compile(r"^\s*(T\.cuda\.\w*sync\(|T\.ptx\.(?!mbarrier\.init\()[\w.]*(wait|arrive|commit|fence|bar\.)[\w.]*\()")


def replaced(pattern, by):
    """A rule: the line with the first match changed; None: there is no match."""

    def rule(line):
        out, n = re.subn(pattern, by, line, count=1)
        return out if n and out != line else None

    return rule


# What a line becomes, by kind of fault.
RULES = [
    ("missing", lambda line: re.sub(r"\S.*", "pass", line) if ORDERS.match(line) else None),
    ("count", replaced(r"(mbarrier\.init\(.*, )(\d+)\)", lambda m: f"{m[1]}{int(m[2]) + 1})")),
    ("count", replaced(r"(mbarrier\.init\(.*, )(\d\d+)\)", lambda m: f"{m[1]}{int(m[2]) - 1})")),
    ("bytes", replaced(r"(expect_tx\(.*), (\d+)\)", lambda m: f"{m[1]}, {int(m[2]) + 16})")),
    ("bytes", replaced(r"(expect_tx\(.*), (\d+)\)", lambda m: f"{m[1]}, {int(m[2]) - 16})")),
    ("phase", replaced(r"(try_wait\(.*?\]\)), (.*)\)$", r"\1, 1 - (\2))")),
    ("groups", replaced(r"wait_group\((\d+)", lambda m: f"wait_group({int(m[1]) + 1}")),
    ("weaker", replaced(r"T\.cuda\.cta_sync", "T.cuda.warp_sync")),
    ("weaker", replaced(r"T\.cuda\.cluster_sync", "T.cuda.cta_sync")),
    ("guard", replaced(r"if (tid|lane|warp) == (\d+):", r"if \1 < \2:")),
    ("guard", replaced(r"if (tid|lane) == 0:", r"if \1 < 2:")),
    ("start", replaced(r"(\w+: T\.int32 = )(-?\d+)$", lambda m: f"{m[1]}{int(m[2]) + 1}")),
]


def faults(text):
    """(kind, line number, what it was, whole text) of each fault that the kernel can have; the plain one beside it has none."""
    lines = text.split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith("# tilewright: reference"))
    for i in range(begin, len(lines)):
        for kind, rule in RULES:
            changed = rule(lines[i])
            if changed is not None:
                yield kind, i + 1, lines[i].strip(), "\n".join([*lines[:i], changed, *lines[i + 1:]])


def outcome(binary, path, schedules):
    """`finding`, `values`, `refused` or `silent`, and the lines of findings."""
    done = subprocess.run([binary, "run", path, "--on", "sim", "--entry", "all", "--schedules", str(schedules), "--json"],
                          capture_output=True, text=True, check=False)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return "no answer", done.stderr
    runs = answer.get("runs", [])
    findings = [f for run in runs for f in run["findings"]]
    if findings:
        return "finding", findings
    if not runs or any(d["severity"] == "error" for d in answer.get("diagnostics", [])):
        return "refused", []
    verdicts = {run["verdict"] for run in runs}
    return ("silent" if verdicts <= {"verified"} else "values"), sorted(verdicts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--seed", type=seed, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--schedules", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--least", type=float, default=0.7, help="share that must be found")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    jobs, by_kind = [], collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(HERE, "correct_kernels.py"), "--seed", str(options.seed), "--count",
                        str(options.count), "--per-file", "1", "-o", folder], check=True)
        for script in sorted(os.listdir(folder)):
            path = os.path.join(folder, script)
            with open(path, encoding="utf-8") as file:
                possible = list(faults(file.read()))
            if not possible:
                by_kind["none"]["no fault fits"] += 1
                continue
            wanted = rng.choice(sorted({kind for kind, *_ in possible}))
            kind, line, was, text = rng.choice([fault for fault in possible if fault[0] == wanted])
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            jobs.append((path, kind, line, was, text))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(lambda job: outcome(options.binary, job[0], options.schedules), jobs))
    broken = 0
    for (path, kind, line, was, text), (what, detail) in zip(jobs, outcomes):
        by_kind[kind][what] += 1
        if what in ("finding", "values"):
            continue
        name = os.path.basename(path)
        print(f"{name}:{line} (seed {options.seed}): {kind}, {what}: {was}")
        if what == "no answer":
            broken += 1
            print(detail)
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
            with open(os.path.join(options.keep, name), "w", encoding="utf-8") as file:
                file.write(f"# {kind}, {what}, line {line + 1}: {was}\n{text}")
    total = collections.Counter()
    for kind in sorted(by_kind):
        total.update(by_kind[kind])
        print(f"{kind:10}" + ", ".join(f"{n} {what}" for what, n in by_kind[kind].most_common()))
    print(f"seed {options.seed}: {len(jobs)} faults: " + ", ".join(f"{n} {what}" for what, n in total.most_common()))
    return 1 if broken or total["finding"] + total["values"] < options.least * len(jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
