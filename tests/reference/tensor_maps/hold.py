#!/usr/bin/env python3
"""Holds tma_auto and tma_explicit against the planners of the reference, map for map and refusal for refusal.

    hold.py [--release 0.26|0.27] [--seed N|day|fresh] [--count 300] [--work DIR] [--record FILE]
    hold.py --recorded FILE                     without the reference, against answers that it gave before
    hold.py --execute 200                       on the simulator: the copies beside loads and stores

--tilewright and --reference as in compare.py. The problems are those of problems.py, and --count draws of the seed. A
map agrees if dims, strides, box, element strides, swizzle, element type, promotion and fill do; a refusal if it has
the same stage and the same rules, or where it has none the same words. What differs and why is in `NOTES`.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import compare  # noqa: E402
from support.seeds import seed  # noqa: E402
from tensor_maps import problems  # noqa: E402
from tensor_maps.problem import HEADER  # noqa: E402

PER_FILE = 60
RULES = re.compile(r"(?:^|; |: )([a-z_0-9]+): [^;]*\[(?:disproven|unknown)\]")


def files(release, all_problems, folder):
    """[(path, architecture, its problems)], many kernels a start of the reference."""
    out = []
    for arch in sorted({p.arch for p in all_problems}):
        mine = [p for p in all_problems if p.arch == arch]
        for first in range(0, len(mine), PER_FILE):
            part = mine[first : first + PER_FILE]
            path = os.path.join(folder, f"maps_{arch}_{first // PER_FILE:03d}.py")
            write(release, arch, part, path)
            out.append((path, arch, part))
    return out


def write(release, arch, part, path):
    text = f"# tilewright: dialect {release}\n# tilewright: arch {arch}\n{HEADER}\n"
    compare.write_if_new(path, text + "\n\n".join(p.kernel() for p in part))


def refusal(reason):
    """What of a refusal has to agree: its stage and rules, else its words."""
    reason = re.sub(r"^\w+(?:Error|Exception): ", "", reason or "").strip()
    if m := re.match(r"(tma_\w+) stage=([\w-]+|[\w-]+\[\d+\]): (.*)", reason, re.DOTALL):
        return f"{m[1]} stage={m[2]}" + "".join(f" {rule}" for rule in RULES.findall(m[3]))
    return reason.split(";")[0].split("\n")[0]


def outcome(kernel):
    """How one call ended, as a small value that can be recorded."""
    call = kernel["calls"][0] if kernel.get("calls") else {"variant": None, "trials": []}
    if call["variant"] is None:
        asked = [t for t in call["trials"] if t["outcome"] != "not_tried" and t["variant"].startswith("tma")]
        return {"refused": [refusal(t.get("reason")) for t in asked]}
    maps = []
    for m in kernel.get("tensor_maps") or []:
        one = {f: m[f] for f in compare.FIELDS + compare.LISTS}
        if one["dtype"] == "tf32":  # the reference hands the type on beside the name of the elements
            one["dtype"] = "float32"
        if one not in maps:
            maps.append(one)
    return {"variant": call["variant"], "maps": maps}


def key(p):
    """A problem in recorded.json; another call under its name is another problem."""
    return f"{p.name} {p.call()}"


def same(a, b):
    if "refused" in a or "refused" in b:
        return a == b
    return a["variant"] == b["variant"] and compare.map_difference(a["maps"], b["maps"]) is None


def words(value):
    if "refused" in value:
        return "refused: " + " / ".join(value["refused"])
    return f"{value['variant']}: " + "; ".join(map(compare.map_words, value["maps"]))


# Where ours differs on purpose: (pattern of the reference's words, pattern of ours, why).
NOTES = [
    (r"refused: .*shared-pointer", r"tma_auto: ", "a stage of a ring of one: the variable is 0"),
    (r"refused: error: invalid cache_hint", r"refused: 'cache_hint' is", "the instruction's own words"),
    (
        r"refused: module 'tvm.error' has no attribute 'TVMError'$", r"refused: tma_auto stage=group-(shared|global)$",
        "the reference fails at its own refusal",
    ),  # fmt: skip
]


def ours_of(binary, path, arch):
    command = [binary, "compile", path, "--arch", arch, "--emit", "cuda", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return {k["name"]: k for k in json.loads(done.stdout)["kernels"]}
    except json.JSONDecodeError:
        sys.exit(f"tilewright {path}: no JSON (exit {done.returncode})\n{done.stderr[-2000:]}")


UNREADABLE = re.compile(r'I\.GlobalVar\("(\w+)"\)')  # the kernel for which the reference refuses to read the whole file


def theirs_of(args, path, arch, part):
    command = [sys.executable, args.reference, path, "--arch", arch, "--release", args.release]
    answer = compare.answer([*command, "--fields", "calls,tensor_maps"], (f"{path}.{args.release}.json", path))
    if answer.get("error"):
        name = UNREADABLE.search(answer["error"])
        left = [p for p in part if not name or p.name != name[1]]
        if len(left) < len(part):
            path = path.removesuffix(".py") + ".without.py"
            write(args.release, arch, left, path)
            return theirs_of(args, path, arch, left)
        sys.exit(f"{path}: the reference cannot read the file: {answer['error'][-1500:]}")
    # A kernel that is dispatched and refused later, by the host's part, has no maps.
    return {
        k["name"]: outcome(k)
        for k in answer["kernels"]
        if not (k.get("error") and (not k.get("calls") or k["calls"][0]["variant"]))
    }


def hold(args, parts, recorded=None):
    good, bad, notes, chosen = 0, 0, collections.Counter(), collections.Counter()
    record = {}
    for path, arch, part in parts:
        theirs = recorded or theirs_of(args, path, arch, part)
        mine = ours_of(args.tilewright, path, arch)
        for p in part:
            expected = theirs.get(key(p) if recorded else p.name)
            if expected is None:
                chosen["not answered by the reference"] += 1
                continue
            record[key(p)] = expected
            chosen[expected.get("variant", "refused")] += 1
            got = outcome(mine[p.name]) if p.name in mine else {"refused": ["no kernel"]}
            if same(expected, got):
                good += 1
                continue
            note = next((w for a, b, w in NOTES if re.match(a, words(expected)) and re.match(b, words(got))), None)
            if note:
                notes[note] += 1
                good += 1
                continue
            bad += 1
            print(f"{os.path.basename(path)} {p.name}: {p.call()}")
            print(f"  expected {words(expected)}\n  got      {words(got)}")
    print(", ".join(f"{k}: {n}" for k, n in sorted(chosen.items())))
    for note, n in notes.items():
        print(f"differs on purpose, {n} times: {note}")
    print(f"{good} passed, {bad} failed", flush=True)
    return bad, record


def told_of(args, path, arch):
    """What compiling says: the kernels that are served, and those with a warning of what the tensor unit does."""
    command = [args.tilewright, "compile", path, "--arch", arch, "--emit", "cuda", "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    warned = set()
    for d in answer["diagnostics"]:
        if d["code"] == "TW3113":
            above = [line for line in lines[: d["range"]["start"]["line"]] if line.startswith("def ")]
            warned.add(above[-1][4:].split("(")[0])
    return {k["name"] for k in answer["kernels"] if not k["failed"]}, warned


def execute(args, all_problems):
    """Runs copies on the simulator, each beside loads and stores that mean the same. A copy is verified, or refused, or
    a warning has said that the tensor unit does otherwise, and then it does."""
    todo = [p for p in all_problems if p.runs()]
    todo = todo[:: max(1, len(todo) // args.execute)]
    verdicts, bad = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for arch in sorted({p.arch for p in todo}):
            path = os.path.join(args.work or folder, f"run_{arch}.py")
            mine = [p for p in todo if p.arch == arch]
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"# tilewright: dialect {args.release}\n# tilewright: arch {arch}\n{HEADER}\n")
                f.write("\n\n".join(p.executed() for p in mine))
            served, warned = told_of(args, path, arch)
            for p in mine:
                name = f"run_{p.name}"
                if name not in served:
                    verdicts["refused"] += 1
                    continue
                command = [args.tilewright, "run", path, "--on", "sim", "--entry", name, "--schedules", "1", "--json"]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                try:
                    answer = json.loads(done.stdout)
                except json.JSONDecodeError:
                    answer = {"problems": [done.stdout[-300:] + done.stderr[-300:]]}
                verdict = answer.get("verdict", "not run")
                verdicts[verdict + (", with a warning" if name in warned else "")] += 1
                if (verdict == "verified") == (name not in warned):
                    continue
                bad += 1
                why = [f["message"] for f in answer.get("findings", [])] + answer.get("problems", [])
                print(f"{arch} {p.name}: {p.call()}: {verdict}: {'; '.join(why)[:600]}")
    print(f"executed: {dict(verdicts)}")
    return bad


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--release", choices=["0.26", "0.27"], default="0.26")
    ap.add_argument("--seed", type=seed, default=1)
    ap.add_argument("--count", type=int, default=300, help="draws beside the problems of problems.py")
    ap.add_argument("--tilewright", default=os.path.join(compare.ROOT, "build", "release", "tilewright"))
    ap.add_argument("--reference", default=os.environ.get("TILEWRIGHT_REFERENCE") or compare.reference_tool())
    ap.add_argument("--or-skip", action="store_true", help="status 77 where there is no reference program")
    ap.add_argument("--work", help="folder for scripts and answers; kept")
    ap.add_argument("--record", help="writes some of the reference's answers there")
    ap.add_argument("--recorded", help="answers that the reference gave: it is not asked")
    ap.add_argument("--execute", type=int, default=0, help="so many copies run on the simulator")
    args = ap.parse_args()
    everything = problems.systematic() + problems.drawn(args.seed, args.count)
    if args.execute:
        sys.exit(execute(args, everything) != 0)
    recorded = None
    if args.recorded:
        with open(args.recorded, encoding="utf-8") as f:
            recorded = json.load(f)
        everything = [p for p in everything if key(p) in recorded]
        if len(everything) < len(recorded):
            sys.exit(f"{len(recorded) - len(everything)} recorded problems are not made any more: --record them again")
    elif args.or_skip and not os.path.exists(args.reference or ""):
        print("skipped: there is no reference program; TILEWRIGHT_REFERENCE names one")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        if args.work:
            os.makedirs(args.work, exist_ok=True)
        bad, record = hold(args, files(args.release, everything, args.work or scratch), recorded)
    if args.record:  # a few, and each way to refuse once
        kept = dict(list(record.items())[::12])
        for k, v in record.items():
            if "refused" in v and v not in kept.values():
                kept[k] = v
        with open(args.record, "w", encoding="utf-8") as f:
            f.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in kept.items()) + "\n}\n")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
