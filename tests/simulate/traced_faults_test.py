#!/usr/bin/env python3
"""Faults of synchronisation in traced kernels: each is found at a line of the kernel, with the calls that led there.

    traced_faults_test.py TILEWRIGHT [--kernels FILE] [--schedules K] [--only KERNEL] [--jobs N] [--show] [--least N]

`traced/kernels.py`, or FILE, has kernels that are right. Into each, one at a time, faults are planted by RULES: an ordering line is
taken out, moved beyond its neighbour, made once too often, left to a part of the threads or made weaker; a count, a phase,
a stage, a number of bytes or of threads is changed. A fault is found when the simulator has a finding whose place, related
place or chain of calls is in the kernel's own lines. EQUAL lists the changes that leave a kernel right, with the reason.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from traced_test import alone, lines_of, run, without_line  # noqa: E402

KERNELS = os.path.join(HERE, "traced", "kernels.py")

ORDERS = re.compile(
    r"txl\.cuda\.(cta|warp)_sync\(\)|\.(wait|arrive|init)\(|txl\.ptx\.bar\.\w+\(|\[\"(barrier\.cluster|"
    r"cp\.async\.(wait|commit)_group|fence\.)"
)


def replaced(pattern, by):
    """The line with the first match changed; None: there is no match."""

    def rule(line):
        out, n = re.subn(pattern, by, line, count=1)
        return out if n and out != line else None

    return rule


# What a line becomes, by kind of fault.
RULES = [
    ("count", replaced(r"\.init\((\d+)\)", lambda m: f".init({int(m[1]) + 1})")),
    ("count", replaced(r"\.init\((\d+)\)", lambda m: f".init({2 * int(m[1]) + 1})")),
    ("count", replaced(r"\.init\((\d\d+)\)", lambda m: f".init({int(m[1]) - 1})")),
    ("count", replaced(r"\.init\((\d\d+)\)", lambda m: f".init({int(m[1]) // 2})")),
    ("count", replaced(r"init_empty=(\d+)", lambda m: f"init_empty={int(m[1]) - 1}")),
    ("count", replaced(r"init_empty=(\d+)", lambda m: f"init_empty={int(m[1]) + 1}")),
    ("count", replaced(r"init_empty=(\d+)", "init_empty=1")),
    ("count", replaced(r"init_empty=128", "init_empty=128, init_full=2")),
    ("phase", replaced(r"PipelineState\((\d), (\d)\)", lambda m: f"PipelineState({m[1]}, {1 - int(m[2])})")),
    ("phase", replaced(r"RingState\((\d)\)", r"RingState(\1, phase=1)")),
    ("phase", replaced(r"RingState\((\d), phase=1\)", r"RingState(\1)")),
    ("phase", replaced(r"\.wait\(state\.stage, state\.phase\)", ".wait(state.stage, state.phase ^ 1)")),
    ("phase", replaced(r"\.wait\(0, 0\)", ".wait(0, 1)")),
    ("phase", replaced(r"\.wait\(state\.stage, state\.phase\)", ".wait(state.stage, 0)")),
    ("phase", replaced(r"\.wait\(state\.stage, state\.phase\)", ".wait(state.stage, 1)")),
    ("stage", replaced(r"\.(wait|arrive)\(state\.stage", r".\1(0")),
    ("stage", replaced(r"\.(wait|arrive)\(state\.stage", r".\1(1")),
    ("stage", replaced(r"ptr_to\(\[state\.stage([,\]])", r"ptr_to([(state.stage + 1) % 3\1")),
    ("stage", replaced(r"ptr_to\(\[state\.stage([,\]])", r"ptr_to([0\1")),
    ("stage", replaced(r"ptr_to\(\[state\.stage([,\]])", r"ptr_to([(state.stage + 2) % 3\1")),
    ("bytes", replaced(r"arrive\((0|state\.stage), (.*)\)$", r"arrive(\1, \2 + 16)")),
    ("bytes", replaced(r"arrive\((0|state\.stage), (.*)\)$", r"arrive(\1, \2 - 16)")),
    ("bytes", replaced(r"arrive\((0|state\.stage), (.*)\)$", r"arrive(\1, 2 * \2)")),
    ("bytes", replaced(r"txl\.uint32\(512\), pipe", "txl.uint32(256), pipe")),
    ("bytes", replaced(r"txl\.uint32\(16 \* 128 \* 4\), full", "txl.uint32(8 * 128 * 4), full")),
    ("threads", replaced(r"bar\.(sync|arrive)\(txl\.uint32\(1\), txl\.uint32\(256\)\)",
                         r"bar.\1(txl.uint32(1), txl.uint32(128))")),
    ("threads", replaced(r"bar\.(sync|arrive)\(txl\.uint32\(1\), txl\.uint32\(256\)\)",
                         r"bar.\1(txl.uint32(1), txl.uint32(288))")),
    ("threads", replaced(r"bar\.(sync|arrive)\(txl\.uint32\(1\)", r"bar.\1(txl.uint32(2)")),
    ("threads", replaced(r"bar\.sync\(txl\.uint32\(1\)", "bar.sync(txl.uint32(0)")),
    ("weaker", replaced(r"txl\.cuda\.cta_sync\(\)", "txl.cuda.warp_sync()")),
    ("weaker", replaced(r"arrive\.release\.aligned", "arrive.relaxed.aligned")),
    ("weaker", replaced(r"bar\.sync\(", "bar.arrive(")),
    ("groups", replaced(r"wait_group\"\]\(1 if (.*) else 0\)", r'wait_group"](1)')),
    ("groups", replaced(r"wait_group\"\]\(1 if (.*) else 0\)", r'wait_group"](2 if \1 else 0)')),
    ("groups", replaced(r"wait_group\"\]\(1 if (.*) else 0\)", r'wait_group"](2 if \1 else 1)')),
    ("groups", replaced(r"wait_group\"\]\(1 if (.*) else 0\)", r'wait_group"](3)')),
    ("groups", replaced(r"(wait_group(?:\.read)?)\"\]\((\d)\)", lambda m: f'{m[1]}"]({int(m[2]) + 1})')),
    ("groups", replaced(r"wait_group\.read\"\]\(1\)", 'wait_group"](3)')),
    ("ring", replaced(r"row % (4|2)([,\]])", r"row % (\1 - 1)\2")),
    ("ring", replaced(r"row % 4, tid \^ 1", "(row + 1) % 4, tid ^ 1")),
    ("ring", replaced(r"row % 2, 127 - tid", "(row + 1) % 2, 127 - tid")),
    ("half", replaced(r"txl\.If\(tid < half\)", "txl.If(tid <= half)")),
    ("half", replaced(r"tid \+ half", "(tid + half // 2) % 256")),
    ("bytes", replaced(r"arrive\(0, 512\)", "arrive(0, 508)")),
    ("threads", replaced(r"txl\.uint32\(64\)\)", "txl.uint32(32))")),
    ("threads", replaced(r"txl\.uint32\(64\)\)", "txl.uint32(96))")),
    ("threads", replaced(r"txl\.uint32\(2\), txl\.uint32\(64\)", "txl.uint32(1), txl.uint32(64)")),
    ("lanes", replaced(r"txl\.uint32\(0xFFFFFFFF\)", "txl.uint32(0x0000FFFF)")),
    ("elected", replaced(r"txl\.If\(txl\.tid_in_role\(\) == 0\)", "txl.If(txl.tid_in_role() < 2)")),
    ("elected", replaced(r"txl\.If\(txl\.tid_in_role\(\) == 0\)", "txl.If(txl.tid_in_role() < 0)")),
    ("elected", replaced(r"txl\.If\(tid == 0\)", "txl.If(tid < 2)")),
    ("elected", replaced(r"txl\.If\(tid == 0\)", "txl.If(tid < 0)")),
    ("ring", replaced(r"ptr_to\(\[row % 2, tid\]\)", "ptr_to([0, tid])")),
    ("ring", replaced(r"ptr_to\(\[row % 2, tid\]\)", "ptr_to([1 - row % 2, tid])")),
    ("ring", replaced(r"state\.advance\(\)", "pass")),
    ("depth", replaced(r"(Pipeline|Ring)State\(4", r"\1State(2")),
    ("depth", replaced(r"(Pipeline|Ring)State\(3", r"\1State(2")),
    ("depth", replaced(r"(Pipeline|Ring)State\(4", r"\1State(3")),
    ("rounds", replaced(r"txl\.serial\(16\) as r", "txl.serial(15) as r")),
    ("rounds", replaced(r"txl\.serial\(12\) as r", "txl.serial(11) as r")),
    ("rounds", replaced(r"txl\.serial\(16\) as r", "txl.serial(4, 16) as r")),
    ("rounds", replaced(r"txl\.serial\(12\) as r", "txl.serial(3, 12) as r")),
]

# (kernel, what stands in the line, kind): changes that leave the kernel right.
EQUAL = [
    ("", "fence.mbarrier_init", "missing"),  # the barriers of one CTA are ordered by the cta_sync behind it
    ("", "fence.mbarrier_init", "part"),
    ("", "fence.mbarrier_init", "late"),
    ("", "fence.mbarrier_init", "early"),
    ("sums", "tid == 0", "elected"),  # two threads store the same sum, or none does: no matter of order
    ("copy_in_bulk", "txl.serial(16)", "rounds"),  # rows that are never copied: no matter of order
    ("tree", "tid == 0", "elected"),  # two threads store the same sum, or none does
    ("warps_in_turn", "txl.serial(16)", "rounds"),  # numbers that are left out
    ("warps_in_turn", "tid_in_role() == 0", "elected"),  # two lanes store the same number, or none stores the sum
    ("warps_in_turn", "bar.arrive(txl.uint32(1)", "early"),  # both add by atomics, and the first reads its own
    ("out_in_bulk", "tid == 0", "elected"),  # two threads copy the same row, or none does
    ("read_of_the_other", "barrier.cluster.arrive", "early"),  # the second one: nothing is in shared memory any more
    ("read_of_the_other", "barrier.cluster.wait", "part"),  # the second one: those that do not wait have ended
    ("store_to_the_other", "barrier.cluster.wait", "part"),
    ("store_to_the_other", "barrier.cluster.arrive", "weaker"),  # fence.mbarrier_init releases, and the other is the end
    ("store_to_the_other", "warp_sync", "missing"),  # bytes may come before they are announced: the arrival is missing
    ("in_and_out", "tid == 0", "elected"),  # two threads wait or copy the same row, or none does
    ("totals_by_shuffles", "tid == 0", "elected"),  # two threads store the same sum, or none does
    ("rows_ahead", "cta_sync", "weaker"),  # neighbours are lanes of one warp
]


def is_equal(name, line, kind):
    return any(n in ("", name) and part in line and kind == k for n, part, k in EQUAL)


def part_of_threads(line, lanes):
    """The line for some lanes of each warp, as two lines."""
    indent = re.match(r" *", line).group()
    return [indent + f"with txl.If(txl.thread_id() % 32 {lanes}), txl.Then():", indent + "    " + line.strip()]


def kernels(lines):
    """(name, first line, line behind the last) of each traced kernel."""
    for start in (i for i, line in enumerate(lines) if line.startswith("@txl.kernel")):
        name = re.match(r"def (\w+)", lines[start + 1]).group(1)
        end = next((i for i in range(start + 2, len(lines)) if lines[i] and not lines[i].startswith(" ")), len(lines))
        yield name, start, end


WAITS = re.compile(r"_sync\(|\.wait[_(.]|bar\.sync")
USES = re.compile(r"^ *txl\.ptx[.\[].*(\bld\b|\bst\b|ldmatrix|cp\.async\.(ca|bulk)|\bred\b).*\)$")


def moves_over(line, other):
    """Does the other one, in the same block, access memory in one line?"""
    return re.match(r" *", line).group() == re.match(r" *", other).group() and bool(USES.match(other))


def faults(lines):
    """(kernel, first, last, line, kind, text) of each fault."""
    for name, start, end in kernels(lines):
        seen, loops = set(), 0
        whole = alone(lines, start, end)

        def planted(i, kind, changed, name=name, start=start, end=end, whole=whole, seen=seen):
            text = "\n".join(changed)
            if text in seen or is_equal(name, lines[i], kind):
                return None
            seen.add(text)
            return name, start, end, i, kind, text

        for i in range(start + 2, end):
            line = lines[i]
            made = []
            if ORDERS.search(line) and line.rstrip().endswith(")") and "tiles." not in line and " = " not in line:
                made.append(("missing", without_line(whole, i)))
                waits, arrives = bool(WAITS.search(line)), ".arrive" in line or "commit" in line
                if waits and moves_over(line, lines[i + 1]):  # what it waits for is used before
                    made.append(("late", [*whole[:i], whole[i + 1], line, *whole[i + 2:]]))
                if arrives and moves_over(line, lines[i - 1]):  # it says that something is done that is not
                    made.append(("early", [*whole[: i - 1], line, whole[i - 1], *whole[i + 1:]]))
                if ".arrive(" in line or ".init(" in line:
                    made.append(("twice", [*whole[: i + 1], line, *whole[i + 1:]]))
                for lanes in ("!= 0", "> 15"):
                    made.append(("part", [*whole[:i], *part_of_threads(line, lanes), *whole[i + 1:]]))
            loops += "txl.serial(" in line
            for kind, rule in RULES:
                changed = rule(line)
                # The first loop of a ring fills it; rows that the second one leaves out are no matter of order.
                if changed is not None and (kind != "rounds" or loops == 1):
                    made.append((kind, [*whole[:i], changed, *whole[i + 1:]]))
            for kind, changed in made:
                one = planted(i, kind, changed)
                if one:
                    yield one


def verdict(binary, folder, number, fault, schedules):
    """What the simulator says of a fault: found, elsewhere, missed; and its words."""
    name, start, end, i, kind, text = fault
    path = os.path.join(folder, f"kernels_{number}.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    runs = run(binary, path, schedules, name)
    found = [f for r in runs for f in r.get("findings", [])]
    said = [f["message"] for f in found] + [p for r in runs for p in r.get("problems", [])]
    places = [line for f in found for line in lines_of(f, path)]
    os.unlink(path)
    if any(start < line <= end for line in places):
        return "found", said
    wrong = any(r.get("verdict") != "verified" for r in runs) or not runs
    return ("elsewhere" if found else "wrong" if wrong else "missed"), said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--kernels", default=KERNELS)
    parser.add_argument("--schedules", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--least", type=int, default=0, help="faults that must be found")
    options = parser.parse_args()
    with open(options.kernels, encoding="utf-8") as f:
        lines = f.read().split("\n")
    all_faults = [fault for fault in faults(lines) if options.only in fault[0]]
    counts, by_kind = collections.Counter(), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(verdict, options.binary, folder, n, f, options.schedules)
                   for n, f in enumerate(all_faults)]
        for fault, done in zip(all_faults, waiting):
            name, _, _, i, kind, text = fault
            what, said = done.result()
            counts[what] += 1
            by_kind[kind][what] += 1
            if what != "found" or options.show:
                print(f"{what}: {name}, {kind}, line {i + 1}: {lines[i].strip()}: {(said or ['nothing'])[0][:160]}",
                      flush=True)
    for kind, found in sorted(by_kind.items()):
        print(f"  {kind}: " + ", ".join(f"{n} {what}" for what, n in found.most_common()))
    print(f"{len(all_faults)} faults: " + ", ".join(f"{n} {what}" for what, n in counts.most_common()))
    if options.least:
        return 0 if counts["found"] >= options.least else 1
    return 0 if set(counts) <= {"found"} else 1


if __name__ == "__main__":
    sys.exit(main())
