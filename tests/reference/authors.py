#!/usr/bin/env python3
"""Holds kernels in their authors' form against the reference compiler: its own tests, kernels of books and repositories.

    authors.py FOLDER|FILE.py ... --release 0.26|0.27 [--at-least 98] [-v]

The files are other people's and are not kept here; a folder holds them as they were published, without what runs them.
Each kernel at module level is an entry, and each function without parameters whose name has no leading underscore and
that returns a kernel: so a test `def test_x(): @T.prim_func ...; check(kernel)` becomes one by `return kernel`. Lines
`# entry: EXPRESSION` name entries with arguments instead, `# arch: sm_90a` the architecture (sm_100a if there is none).

Compared for each entry: whether it is accepted; if so, as in compare.py, the variants tried and chosen for each call, the
launch and the tensor maps. A kernel that both refuse is counted apart, and so is one that 0.27.0.post1 fails to build
because of a defect of its own. --tilewright and --reference as in compare.py.
"""

import argparse
import ast
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import compare  # noqa: E402
import exceptions  # noqa: E402

# What 0.27.0.post1 does not build, whatever the kernel does: a run-time address of tensor memory, shared reductions.
OWN_DEFECT = re.compile(r"are used, but are not passed in|Invalid use of undefined variable|used before its definition")

# Kernels that are only printed: private ones, and those whose threads nothing launches.
NOT_BUILT = re.compile(
    r"does not have a corresponding C Type|Index 0 out of bounds 0|no thread launch parameters"
    r"|\(args\.size\(\) == 1 && load\) is false"  # the address of a tensor map that nothing takes
)


def decorated(node):
    return any(re.search(r"prim_func|jit|ir_module", ast.unparse(d)) for d in node.decorator_list)


def entries_of(text):
    """The entries of a file as expressions: named by lines, or its kernels and the functions that make one."""
    named = re.findall(r"^# entry: (.+)$", text, re.MULTILINE)
    if named:
        return named
    out = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and decorated(node):
            out.append(node.name)
        elif isinstance(node, ast.FunctionDef) and decorated(node):
            out.append(node.name)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not node.args.args:
            out.append(node.name + "()")
    return out


def json_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=compare.PATIENCE)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"kernels": [], "error": f"no JSON, exit {done.returncode}: {done.stderr[-300:]}", "diagnostics": []}


def of_reference(path, arch, names, args):
    """The reference's kernels by entry. A file or kernel that ends it is asked entry by entry."""
    command = [sys.executable, args.reference, path, "--arch", arch, "--release", args.release]
    command += ["--fields", "calls,launch,tensor_maps"]
    made = json_of([*command, *(w for n in names for w in ("--entry", n))])
    if made.get("error") and made["error"].startswith("no JSON") and len(names) > 1:
        parts = [of_reference(path, arch, [n], args) for n in names]
        return {k: v for p in parts for k, v in p.items()}
    if made.get("error"):
        return {n: [{"entry": n, "error": made["error"]}] for n in names}
    out = collections.defaultdict(list)
    for k in made["kernels"]:
        out[k["entry"]].append(k)
    return out


def of_ours(path, arch, name, args):
    command = [args.tilewright, "compile", path, "--arch", arch, "--dialect", args.release]
    made = json_of([*command, "--emit", "cuda", "--json", "--entry", name])
    lines = exceptions.Source(path)
    for k in made["kernels"]:
        k["diagnostics"] = lines.diagnostics_of(k, made["diagnostics"])
    return made


def refusal_of(made):
    """Why Tilewright refuses the entry; nothing: it does not."""
    failed = [k for k in made["kernels"] if k["failed"]]
    if made["kernels"] and not failed:
        return None
    some = [d for k in failed for d in k["diagnostics"]] or made["diagnostics"]
    return next((d["message"] for d in some if d["severity"] == "error"), made.get("error") or "no diagnostic")


def apart(theirs, refused, release):
    """What it is that the reference alone refuses: it fails to build what the author only had it read, or it is wrong."""
    if release == "0.27" and OWN_DEFECT.search(refused):
        return "a defect of 0.27.0.post1"
    read = all("name" in k for k in theirs)
    return "read by the reference and not built" if read and NOT_BUILT.search(refused) else "differs"


def held(theirs, made, source, release):
    """(what became of the entry, in a word; what differs, in words)"""
    ours = refusal_of(made)
    refused = next((k["error"] for k in theirs if k.get("error")), None)
    if refused and ours:
        return "refused by both", f"{refused[:200]!r} | {ours[:200]!r}"
    if ours and not any(k.get("launch") for k in theirs):
        return "launched by neither", ours[:200]  # the reference makes a function of the host of it
    out, noted = [], []
    if len(theirs) != len(made["kernels"]):
        out.append(f"{len(theirs)} kernels in the reference, {len(made['kernels'])} here")
    for k, mine in zip(theirs, made["kernels"]):
        if not refused and not k["launch"]:
            continue
        for i, text in compare.differences({"calls": []} | k, mine, release):
            rule = exceptions.explain(exceptions.Case(source, {"calls": []} | k, mine, i, text))
            (noted if rule else out).append(text)
    if not out:
        return ("explained by a note", "; ".join(noted)[:300]) if noted else ("the same", "")
    return (apart(theirs, refused, release) if refused else "differs"), "; ".join(out)


def hold(path, args):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    names = entries_of(text)
    arch = re.search(r"^# arch: (\w+)", text, re.MULTILINE)
    arch = arch.group(1) if arch else "sm_100a"
    known, source = of_reference(path, arch, names, args), exceptions.Source(path)
    made = {n: of_ours(path, arch, n, args) for n in names}
    rows = {n: (path, n, *held(known.get(n) or [], made[n], source, args.release)) for n in names}
    again = [n for n in names if rows[n][2] == "differs" and args.release == "0.27" and known.get(n)]
    # What 0.26 builds and 0.27.0.post1 does not, of the same text, is a defect of the latter, and 0.26 says what is right.
    older = of_reference(path, arch, again, compare.changed(args, release="0.26")) if again else {}
    for n in again:
        if any(k.get("error") for k in known[n]) and older.get(n) and not any(k.get("error") for k in older[n]):
            kind, why = held(older[n], made[n], source, args.release)
            rows[n] = (path, n, "the same as 0.26, not built by 0.27" if kind == "the same" else kind, why)
    return list(rows.values())


def files_of(places):
    for place in places:
        if os.path.isdir(place):
            for folder, _, names in sorted(os.walk(place)):
                yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(".py"))
        else:
            yield place


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("places", nargs="*", default=os.environ.get("TILEWRIGHT_AUTHORS", "").split())
    ap.add_argument("--release", choices=["0.25", "0.26", "0.27"], required=True)
    ap.add_argument("--at-least", type=float, default=98, help="the share that must be the same, in percent")
    ap.add_argument("--tilewright", default=os.path.join(compare.ROOT, "build", "release", "tilewright"))
    ap.add_argument("--reference", default=os.environ.get("TILEWRIGHT_REFERENCE") or compare.reference_tool())
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--or-skip", action="store_true", help="status 77 without a reference program or files")
    ap.add_argument("-v", "--verbose", action="store_true", help="also print what both refuse")
    args = ap.parse_args()
    places = [os.path.join(p, args.release) if os.path.isdir(os.path.join(p, args.release)) else p for p in args.places]
    if not places or not os.path.exists(args.reference or ""):
        print("skipped: TILEWRIGHT_AUTHORS names no files of other authors, or there is no reference program")
        sys.exit(77 if args.or_skip else 1)
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for rows in pool.map(lambda path: hold(path, args), list(files_of(places))):
            for path, name, kind, text in rows:
                counts[kind] += 1
                if kind == "differs" or (args.verbose and text):
                    print(f"{path}: {name}: {kind}: {text}", flush=True)
    apart_ = ("read by the reference and not built", "a defect of 0.27.0.post1", "launched by neither")
    told = sum(n for kind, n in counts.items() if kind not in apart_)
    good = told - counts["differs"]
    print(", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    print(f"{good} of {told} ({100 * good / max(1, told):.1f} %)")
    sys.exit(not told or 100 * good < args.at_least * told)


if __name__ == "__main__":
    main()
