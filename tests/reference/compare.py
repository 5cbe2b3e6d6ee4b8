#!/usr/bin/env python3
"""Holds the choice of variants, the launch and the tensor maps against the reference compiler, call by call.

    compare.py [--primitive NAME|both|products|arithmetic] [--release 0.25] [--seed N|day|fresh] [--count 300] [--work DIR] [-v]
    compare.py FILE.py ... [--arch sm_90a]

--tilewright is the binary, build/release/tilewright if it is not given. --reference is a program that takes FILE.py
--arch A --fields calls,launch,tensor_maps and prints, as one JSON object, what the reference made of each kernel; if it
is not given, the one that TILEWRIGHT_REFERENCE names, or shared/tools/reference.py beside a folder above this checkout.
--work keeps scripts and answers; an answer
that is newer than its script is used again, so that a second run after a repair takes seconds.

Compared for each call up to the first that the reference refuses: the variants tried, their priorities and outcomes
(the reference's "exception" is our "declined"), and the variant chosen; for each kernel: grid, block, cluster and
dynamic shared bytes (symbolic extents by value), the tensor maps field by field, and whether it compiles; for matrix products
also what is issued: every instruction in order with the registers, descriptors, addresses and constants that it names
(instructions.py). A difference passes only when a rule of exceptions.py explains it. Of the arithmetic families
(elementwise, reduction, permute) and the products (gemm, gemm_async) 300 kernels and more have to hold every variant 30 times,
every reason of compute/reasons.py and of the refusals in products/ once, and half of them served. `both` are the copies.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import exceptions  # noqa: E402
import generate  # noqa: E402
import instructions  # noqa: E402
import product_exceptions  # noqa: E402, F401: its rules join those of exceptions.py
import compute.exceptions  # noqa: E402, F401: adds its rules
import compute.reasons  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.seeds import seed  # noqa: E402


PATIENCE = 1200  # seconds for one answer of the reference; it takes about two for a kernel


def answer(command, path):
    """The JSON that a command prints, from the file beside the script when that is fresh."""
    if os.path.exists(path[0]) and os.path.getmtime(path[0]) >= os.path.getmtime(path[1]):
        with open(path[0], encoding="utf-8") as f:
            return json.load(f)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        sys.exit(f"{' '.join(command)}: no answer after {PATIENCE} s")
    try:
        out = json.loads(done.stdout)
    except json.JSONDecodeError:
        if done.returncode < 0:
            return None  # it crashed
        sys.exit(f"{' '.join(command)}: no JSON (exit {done.returncode})\n{done.stderr[-2000:]}")
    with open(path[0], "w", encoding="utf-8") as f:
        f.write(done.stdout)
    return out


UNEQUAL = "TW3123"  # copied regions differ in shape: from 0.26 on the reference refuses to read such a script


def parted(text, names):
    """The script without the kernels of these names, and one that holds them alone, each where an error passes."""
    header, *kernels = re.split(r"\n\n\n(?=# family: )", text)
    name = {k: re.search(r"^def (\w+)\(", k, re.M).group(1) for k in kernels}
    own = "\n\n\n".join([header] + [k.rstrip("\n") for k in kernels if name[k] not in names]) + "\n"
    return own, header + tried(k for k in kernels if name[k] in names)


def tried(kernels):
    return "".join(
        "\n\ntry:\n" + "".join(f"    {line}\n" for line in k.splitlines()) + "except Exception:\n    pass\n" for k in kernels
    )


def write_if_new(path, text):
    if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def ask(script, arch, args):
    if args.release == "0.25":
        return ask_both(script, arch, args)
    # The reference reads a file in which no copy has unequal regions; it must refuse each that we take out.
    ours = compiled(script, arch, args)
    lines = exceptions.Source(script)
    names = {
        k["name"]
        for k in ours["kernels"]
        if any(d["code"] == UNEQUAL for d in lines.diagnostics_of(k, ours["diagnostics"]))
    }
    with open(script, encoding="utf-8") as f:
        own, refusable = parted(f.read(), names)
    readable, unequal = script.replace(".py", ".readable.py"), script.replace(".py", ".unequal.py")
    write_if_new(readable, own)
    if names:
        write_if_new(unequal, refusable)
        refused = reference_answer(unequal, arch, args)
        for k in refused["kernels"]:
            print(f"{script}: {k['name']}: Tilewright alone finds unequal regions")
            args.wrong += 1
    return ask_both(readable, arch, args)


NAMED = re.compile(r"^ *def (\w+)\(", re.M)


def in_other_release(script, release):
    """The kernels of the script as the generator wrote them in that release."""
    with open(script, encoding="utf-8") as f:
        text = f.read()
    folder, name = os.path.split(script)
    with open(os.path.join(folder, f"{name.split('.')[0]}.py.{release}.txt"), encoding="utf-8") as f:
        header, *kernels = re.split(r"\n\n\n(?=# family: )", f.read())
    names = set(NAMED.findall(text))
    kept = [k for k in kernels if re.search(r"^def (\w+)\(", k, re.M).group(1) in names]
    if "\ntry:\n" in text:
        return header + tried(kept)
    return "\n\n\n".join([header, *(k.rstrip("\n") for k in kept)]) + "\n"


def reference_answer(script, arch, args):
    """Of args.against, the release that answers; what builds in no later one is held against an earlier one."""
    if args.against != args.release:
        text = in_other_release(script, args.against)
        script = script.replace(".py", f".in_{args.against}.py")
        write_if_new(script, text)
    fields = ["--fields", "calls,launch,tensor_maps,cuda", "--release", args.against]
    command = [sys.executable, args.reference, script, "--arch", arch, *fields]
    command = command if args.against != "0.25" else command[:-2]
    answered = answer(command, (script + ".reference.json", script)) or in_halves(script, arch, args)
    return served_before(script, arch, args, answered) if args.against == args.release == "0.27" else answered


# What 0.27.0.post1 fails to build, whatever the kernel does: a column of tensor memory that is known at run time.
DEFECT = re.compile(r"variables \(\w+(?:\.source)?,\) are used, but are not passed in")


def changed(args, **said):
    return argparse.Namespace(**(vars(args) | said))


def served_before(script, arch, args, answered):
    """The answer, with 0.26's for kernels that a defect of 0.27.0.post1 leaves unanswered; these are counted apart."""
    names = {k["name"] for k in answered["kernels"] if DEFECT.search(k.get("error") or "")}
    if not names:
        return answered
    before = script.replace(".py", ".before.py")
    with open(script, encoding="utf-8") as f:
        text = f.read()
    write_if_new(before, "\n".join(f"def {n}(" for n in NAMED.findall(text) if n in names))
    older = {k["name"]: k for k in reference_answer(before, arch, changed(args, against="0.26"))["kernels"]}
    args.older.update(older)
    # A kernel on which 0.26 crashes is left out.
    kernels = [older.get(k["name"]) if k["name"] in names else k for k in answered["kernels"]]
    return answered | {"kernels": [k for k in kernels if k]}


def in_halves(script, arch, args):
    """What the reference says of a script that crashes it, without the kernels that do."""
    with open(script, encoding="utf-8") as f:
        header, *kernels = re.split(r"\n\n\n(?=# family: )", f.read())
    if len(kernels) == 1:
        name = re.search(r"^def (\w+)", kernels[0], re.M).group(1)
        print(f"{script}: the reference crashes on {name}, which is left out")
        return {"kernels": [], "error": None}
    both = {"kernels": [], "error": None}
    for name, some in (("a", kernels[: len(kernels) // 2]), ("b", kernels[len(kernels) // 2 :])):
        path = script.replace(".py", f".{name}.py")
        write_if_new(path, "\n\n\n".join([header, *some]) + "\n")
        # The text is in that release already.
        answered = reference_answer(path, arch, changed(args, release=args.against))
        both["kernels"] += answered["kernels"]
        both["error"] = both["error"] or answered.get("error")
    return both


def ask_both(script, arch, args):
    return script, reference_answer(script, arch, args), compiled(script, arch, args)


def compiled(script, arch, args):
    done = subprocess.run(
        [args.tilewright, "compile", script, "--arch", arch, "--emit", "cuda", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        ours = json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"tilewright {script}: no JSON (exit {done.returncode})\n{done.stderr[-2000:]}")
    return ours


def by_value(text, values):
    """An extent's value, with `values` for its names."""
    text = re.sub(r'T\.Cast\("\w+", ', "(", str(text))
    text = re.sub(r', "\w+"\)', ")", text.replace("T.cast(", "("))
    text = re.sub(r"T\.(?:int32|int64)\(", "(", text).replace("T.", "")
    known = {"shift_right": lambda a, b: a >> b, "shift_left": lambda a, b: a << b, "min": min, "max": max}
    names = {n: values for n in re.findall(r"[A-Za-z_]\w*", text)}
    return eval(text, {"__builtins__": {}}, names | known)  # noqa: S307: extents of our own scripts


def same_extent(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    try:
        return all(by_value(a, n) == by_value(b, n) for n in (16, 64, 100, 4096, 12345))
    except Exception:  # noqa: BLE001: an extent that cannot be read is a difference
        return False


OURS = {("gemm_async", "wgmma")}  # variants that the reference has not

NEWER_CALLS = {"newer_copy": ["copy", "copy_async"], "newer_async": ["copy_async"], "newer_gemm_async": ["gemm_async"]}

# What many kernels of a family have to show: the words of refusals, and variants that serve.
FAMILY = compute.reasons.FAMILY | {p: p for p in generate.PRODUCTS}
REASONS = compute.reasons.REASONS | {p: kinds.refused.words() for p, (_, _, kinds) in generate.PRODUCTS.items()}
VARIANTS = compute.reasons.VARIANTS | {"gemm": ["mma.m16n8k*"], "gemm_async": ["tcgen05"]}


def trials(call):
    return [
        (t["variant"], t["priority"], "declined" if t["outcome"] == "exception" else t["outcome"])
        for t in call["trials"]
        if t["outcome"] != "not_tried" and (call["primitive"], t["variant"]) not in OURS
    ]


def words(rows):
    return ", ".join(f"{v} ({p}) {o}" for v, p, o in rows) or "nothing tried"


FIELDS = ("dtype", "rank", "interleave", "swizzle", "l2_promotion", "oob_fill")
LISTS = ("dims", "strides", "box", "element_strides")


def same_map(a, b):
    return all(a[f] == b[f] for f in FIELDS) and all(
        len(a[f]) == len(b[f]) and all(map(same_extent, a[f], b[f])) for f in LISTS
    )


def map_words(m):
    return f"{m['dtype']} " + " | ".join(",".join(map(str, m[f])) for f in LISTS[:3]) + f" | {m['swizzle']}"


def map_difference(reference, ours):
    """What differs between the maps that the two sides encode, in order; the reference encodes some of them twice."""
    theirs = []
    for m in reference:
        if not any(same_map(m, seen) for seen in theirs):
            theirs.append(m)
    mine = []
    for m in ours:
        if not any(same_map(m, seen) for seen in mine):
            mine.append(m)
    for a, b in itertools.zip_longest(theirs, mine):
        if a is None or b is None or not same_map(a, b):
            return f"{map_words(a) if a else 'none'} in the reference, {map_words(b) if b else 'none'} here"
    return None


def differences(reference, ours, release):
    """[(index of the call or None, what differs)]; what instructions are issued is held for 0.25 alone"""
    out = []
    mine = ours["calls"]
    for i, call in enumerate(reference["calls"]):
        if i >= len(mine):
            out.append((i, f"the reference dispatches {call['call']}, we have no such call"))
            break
        a, b = trials(call), trials(mine[i])
        if a != b or call["variant"] != mine[i]["variant"]:
            out.append((i, f"{call['call']}: the reference {words(a)}; we {words(b)}"))
    dead = bool(reference.get("error"))
    if not dead and len(mine) != len(reference["calls"]):
        out.append((None, f"{len(reference['calls'])} calls in the reference, {len(mine)} here"))
    if dead != ours["failed"]:
        why = reference.get("error") or "; ".join(d["message"] for d in ours["diagnostics"]) or "no diagnostic"
        out.append((None, f"{'the reference' if dead else 'Tilewright'} alone refuses the kernel: {why[:400]}"))
    if not dead and not ours["failed"]:
        a, b = reference["launch"], ours["launch"]
        for key in ("grid", "block", "cluster"):
            if not all(map(same_extent, a[key], b[key])):
                out.append((None, f"{key}: {a[key]} in the reference, {b[key]} here"))
        if not same_extent(a["dynamic_shared_bytes"], b["dynamic_shared_bytes"]):
            out.append((None, f"dynamic shared bytes: {a['dynamic_shared_bytes']} and {b['dynamic_shared_bytes']}"))
        if text := map_difference(reference.get("tensor_maps") or [], ours["tensor_maps"]):
            out.append((None, f"tensor maps: {text}"))
        if release == "0.25" and (text := instruction_difference(reference, ours)):
            out.append((None, f"instructions: {text}"))
    return out


def instruction_difference(reference, ours):
    """The first matrix instruction that differs, or the descriptors; nothing for kernels without products."""
    if not any(c["primitive"] in generate.PRODUCTS for c in reference["calls"]):
        return None
    (a, of_a), (b, of_b) = (instructions.issued(k, reference["name"]) for k in (reference["cuda"], ours["sources"]["cuda"]))
    for i, (x, y) in enumerate(itertools.zip_longest(a, b)):
        if x != y:
            return f"number {i} is {x} in the reference, {y} here"
    if of_a != of_b:
        return f"descriptors (ldo, sdo, swizzle) {sorted(of_a)} in the reference, {sorted(of_b)} here"
    return None if a else "none is issued"


class Statistics:
    def __init__(self, primitive):
        self.primitive = primitive
        self.chosen, self.outcomes, self.notes = collections.Counter(), collections.Counter(), collections.Counter()
        self.kernels = self.calls = self.with_refusal = self.dead = self.served = 0
        self.reasons = collections.Counter()

    def add_ours(self, kernel):
        """What our own trials of the reference's variants said."""
        calls = [c for c in kernel["calls"] if FAMILY.get(c["primitive"]) == self.primitive]
        self.served += bool(calls) and all(c["variant"] for c in calls)
        for t in (t for c in calls for t in c["trials"] if (c["primitive"], t["variant"]) not in OURS):
            for reason in REASONS.get(self.primitive, []):
                self.reasons[reason] += re.search(reason, t["reason"] or "") is not None

    def missing(self):
        """What a large number of kernels should have shown and did not."""
        if self.primitive not in REASONS or self.kernels < 300:
            return []
        out = [f"no call was refused for: {r}" for r in REASONS[self.primitive] if not self.reasons[r]]
        out += [f"{v} served {self.chosen[v]} calls, 30 are asked for" for v in VARIANTS[self.primitive] if self.chosen[v] < 30]
        if 2 * self.served < self.kernels:
            out.append(f"{self.served} of {self.kernels} kernels are served, half are asked for")
        return out

    def add(self, reference):
        self.kernels += 1
        own = NEWER_CALLS.get(self.primitive, [self.primitive])
        calls = [c for c in reference["calls"] if FAMILY.get(c["primitive"], c["primitive"]) in own]
        rows = [t for c in calls for t in trials(c)]
        # The pair of memories alone rules variants out of nearly every call; what counts is a refusal that changed
        # where the call ended: nothing serves it, or only the scalar loop does, or a plan was declined.
        last = [c for c in calls if c["variant"] in (None, "fallback")]
        self.with_refusal += bool(last or any(o == "declined" for _, _, o in rows))
        self.dead += any(c["variant"] is None for c in calls)
        self.calls += len(calls)
        for c in calls:
            self.chosen[c["variant"] or "none"] += 1
        for v, _, o in rows:
            self.outcomes[v, o] += 1

    def print(self):
        print(
            f"{self.kernels} kernels, {self.calls} calls of {self.primitive}; {self.with_refusal} kernels "
            f"({100 * self.with_refusal // max(1, self.kernels)} %) with a call that fell back, was declined or "
            f"refused, "
            f"{self.dead} with a call that no variant serves"
        )
        print("chosen: " + ", ".join(f"{v} {n}" for v, n in sorted(self.chosen.items())))
        print("outcomes: " + ", ".join(f"{v} {o} {n}" for (v, o), n in sorted(self.outcomes.items())))
        if self.notes:
            print("explained by a note: " + ", ".join(f"{v} {n}" for v, n in sorted(self.notes.items())))


ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def reference_tool():
    """The reference program beside one of the folders above the checkout; nothing: there is none."""
    folder = ROOT
    while os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        tool = os.path.join(folder, "shared", "tools", "reference.py")
        if os.path.exists(tool):
            return tool
    return None


def hold(primitive, files, args):
    """Compares the kernels of the files; returns how many passed and failed."""
    stats, passed, failed = Statistics(primitive), 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        # The first one alone: a reference that installs itself when it is first asked does so once.
        first = [ask(*f, args) for f in files[:1]]
        for script, reference, ours in itertools.chain(first, pool.map(lambda f: ask(*f, args), files[1:])):
            if reference.get("error"):
                print(f"{script}: the reference cannot read the file: {reference['error']}")
                failed += 1
                continue
            source = exceptions.Source(script)
            mine = {k["name"]: k for k in ours["kernels"]}
            for k in reference["kernels"]:
                stats.add(k)
                other = mine.get(k["name"])
                if other is None:
                    failed += 1
                    print(f"{script}: {k['name']}: no such kernel here")
                    continue
                stats.add_ours(other)
                other["diagnostics"] = source.diagnostics_of(other, ours["diagnostics"])
                open_, noted = [], []
                for index, text in differences(k, other, args.release):
                    rule = exceptions.explain(exceptions.Case(source, k, other, index, text))
                    (noted if rule else open_).append((rule, text))
                for rule, text in noted:
                    stats.notes[f"{rule.note} {rule.name}"] += 1
                    if args.verbose:
                        print(f"{script}: {k['name']}: {rule.note} ({rule.name}): {text}")
                passed += not open_
                failed += bool(open_)
                for _, text in open_:
                    print(f"{script}: {k['name']}: {text}")
    stats.print()
    if args.older:
        print(f"held against 0.26, since 0.27.0.post1 does not build them: {len(args.older)}")
    failed += args.wrong
    args.wrong = 0
    args.older.clear()
    for text in stats.missing() if args.release == "0.25" else []:
        failed += 1
        print(text)
    print(f"{passed} passed, {failed} failed", flush=True)
    return passed, failed


SETS = {"both": ["copy", "copy_async"], "products": list(generate.PRODUCTS), "arithmetic": list(generate.COMPUTE_FAMILIES), "newer": list(generate.NEWER)}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("files", nargs="*")
    ap.add_argument("--primitive", choices=[*(p for s in SETS.values() for p in s), *SETS], default="both")
    ap.add_argument("--seed", type=seed, default=1)
    ap.add_argument("--count", type=int, default=300, help="kernels for each primitive")
    ap.add_argument("--release", choices=generate.releases.RELEASES, default="0.25", help="of the dialect")
    ap.add_argument("--tilewright", default=os.path.join(ROOT, "build", "release", "tilewright"))
    ap.add_argument("--reference", default=os.environ.get("TILEWRIGHT_REFERENCE") or reference_tool())
    ap.add_argument("--or-skip", action="store_true", help="status 77 where there is no reference program")
    ap.add_argument("--arch", default="sm_90a", help="of the FILEs; generated scripts have theirs")
    ap.add_argument("--work", help="folder for scripts and answers; kept")
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("-v", "--verbose", action="store_true", help="also list what a note explains")
    ap.add_argument("--against", choices=generate.releases.RELEASES, help="the reference's release, if it is another one")
    args = ap.parse_args()
    args.wrong, args.older, args.against = 0, set(), args.against or args.release
    beside = "0.26" if args.release == "0.27" and args.against == args.release else args.against
    if args.or_skip and not os.path.exists(args.reference or ""):
        print("skipped: there is no reference program; TILEWRIGHT_REFERENCE names one")
        sys.exit(77)
    if not args.reference:
        sys.exit("compare.py: no reference program; say where it is with --reference")
    if not os.path.exists(args.tilewright):
        sys.exit(f"compare.py: no {args.tilewright}; build it, or say where it is with --tilewright")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for primitive in SETS.get(args.primitive, [args.primitive]):
            folder = args.work or scratch
            files = [(f, args.arch) for f in args.files] or generate.write(
                args.seed, args.count, folder, keep=True, primitive=primitive, release=args.release, against=beside
            )
            good, bad = hold(primitive, files, args)
            passed, failed = passed + good, failed + bad
            if args.files:
                break
    if args.primitive in SETS and not args.files:
        print(f"{', '.join(SETS[args.primitive])}: {passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
