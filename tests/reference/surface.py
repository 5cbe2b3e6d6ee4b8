#!/usr/bin/env python3
"""Holds what a release reads against the reference compiler: small scripts, one function a case, many to a start.

    surface.py [--release 0.26|0.27] [-v]

--tilewright and --reference as in compare.py. Of each case: whether it is accepted, and if so the launch, the tensor maps
the bounds of the kernel, the variants chosen and the constant places that the CUDA text stores to.
"""

import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import compare  # noqa: E402

FILES = {
    "0.26": ["v0_26.py", "calls_0_26.py", "regions.py", "mixed.py"],
    "0.27": ["v0_27.py", "calls_0_27.py", "regions.py", "mixed.py"],
}
# Cases that the reference accepts or refuses otherwise, and why ours differs.
EXCEPTIONS = {
    ("0.26", "chunk_that_does_not_divide"): "the reference cuts 128 into three chunks of 42 and leaves out the rest",
    ("0.26", "product_desc_of_another_name"): "the reference takes any word for smem_desc=",
    ("0.27", "product_desc_of_another_name"): "the reference takes any word for smem_desc=",
    ("0.26", "tma_dtype_tf32"): "the reference hands the type on beside the name of the elements, as tensor_maps/hold.py says",
}
# Of both releases: what the reference takes, and the driver, the assembler or the bounds of a buffer would refuse.
BEYOND = {
    "extents_of_half_a_warp": "a warp has 32 lanes",
    "extents_of_zero": "a grid has CTAs",
    "extents_too_many_threads": "a CTA has at most 1,024 threads",
    "cluster_in_two": "a cluster's dimensions divide those of the grid",
    "copy_beyond_the_end": "the slice ends outside the tensor",
    "window_out_of_the_registers": "the slice ends outside the registers",
    "view_reshaped_to_more": "a view has no more elements than its buffer",
    "pool_of_an_odd_alignment": "an alignment is a power of two",
}
EXCEPTIONS |= {(release, name): why for release in FILES for name, why in BEYOND.items()}
ARCH = "sm_100a"
STORE = re.compile(r"(?:\(\(\w+\*\)\w+\)|\b(\w+))\[(\d+)\] = ")
POINTER = re.compile(r"([\w ]+)\* (\w+) = (\w+) \+ (\d+);")  # half* v = s + 8192;
OF_BYTES = re.compile(r"([\w ]+)\* (\w+) = \([\w ]+\*\)&\w+\[(\d+)\];")  # half* b = (half*)&pool_buf[8192];
SCALAR = re.compile(r"\b(\w+)\[1\];")
SIZES = {"half": 2, "float": 4, "int": 4, "unsigned long long": 8}


def cases(path):
    with open(path, encoding="utf-8") as f:
        return re.findall(r"^def ([a-z]\w*)\(\):", f.read(), re.MULTILINE)


def entries(names):
    return [word for name in names for word in ("--entry", name + "()")]


def places(cuda):
    """Where stores with a constant subscript go, as elements from the start of their storage; scalars left out."""
    kernel = (cuda or "")[(cuda or "").rfind('extern "C"'):]
    start = {m.group(2): int(m.group(3)) // SIZES.get(m.group(1).strip(), 1) for m in OF_BYTES.finditer(kernel)}
    for m in POINTER.finditer(kernel):
        start[m.group(2)] = start.get(m.group(3), 0) + int(m.group(4))
    scalars = {m.group(1) for m in SCALAR.finditer(kernel)} | set(re.findall(r"\b_ptr(?:_\d+)?\b", kernel))  # the latter are tables
    stores = [m for m in STORE.finditer(kernel) if m.group(1) not in scalars]
    return sorted(int(m.group(2)) + start.get(m.group(1), 0) for m in stores)


def bounds(cuda):
    """What the kernel asks of its compiler."""
    return set(re.findall(r"__(?:launch_bounds|maxnreg)__\([\d, ]+\)", cuda or ""))


def answers(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(command[:4])}: no JSON (exit {done.returncode})\n{done.stderr[-2000:]}")


def of_reference(reference, path, release, names):
    made = answers(
        [sys.executable, reference, path, "--release", release, "--fields", "launch,tensor_maps,cuda,calls", "--arch", ARCH, *entries(names)]
    )
    if made.get("error"):
        sys.exit(f"{path}: {made['error']}")
    return {k["entry"][:-2]: k for k in made["kernels"]}


def of_ours(binary, path, release, name):
    made = answers([binary, "compile", path, "--entry", name + "()", "--dialect", release, "--arch", ARCH, "--emit", "cuda", "--json"])
    errors = [d["message"] for d in made["diagnostics"] if d["severity"] == "error"]
    return (made["kernels"] or [{}])[0], errors


def differences(reference, ours, errors):
    refused = reference.get("error")
    if bool(refused) != bool(errors):
        return [f"the reference says {refused!r}, ours {errors!r}"]
    if refused:
        return []
    out = []
    for key in ("grid", "block", "cluster"):
        if not all(map(compare.same_extent, reference["launch"][key], ours["launch"][key])):
            out.append(f"{key}: {reference['launch'][key]} and {ours['launch'][key]}")
    bytes_of_both = [x["launch"]["dynamic_shared_bytes"] for x in (reference, ours)]
    if not compare.same_extent(*bytes_of_both):
        out.append("dynamic shared bytes: {} and {}".format(*bytes_of_both))
    if text := compare.map_difference(reference.get("tensor_maps") or [], ours["tensor_maps"]):
        out.append(text)
    if bounds(reference["cuda"]) != bounds(ours["sources"]["cuda"]):
        out.append(f"bounds: {bounds(reference['cuda'])} and {bounds(ours['sources']['cuda'])}")
    chosen = [[c.get("variant") for c in x.get("calls") or []] for x in (reference, ours)]
    if chosen[0] != chosen[1]:
        out.append("variants: {} and {}".format(*chosen))
    theirs, mine = places(reference["cuda"]), places(ours["sources"]["cuda"])
    if theirs != mine:
        out.append(f"places: {theirs} and {mine}")
    return out


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--release", choices=FILES, action="append")
    ap.add_argument("--tilewright", default=os.path.join(HERE, "..", "..", "build", "release", "tilewright"))
    ap.add_argument("--reference", default=os.environ.get("TILEWRIGHT_REFERENCE") or compare.reference_tool())
    ap.add_argument("--or-skip", action="store_true", help="status 77 where there is no reference program")
    ap.add_argument("-v", "--verbose", action="store_true")
    args = ap.parse_args()
    reference = args.reference
    if not reference or not os.path.exists(reference):
        print("skipped: there is no reference program; TILEWRIGHT_REFERENCE names one")
        return 77 if args.or_skip else 1
    bad = count = 0
    for release in args.release or FILES:
        for file in FILES[release]:
            path = os.path.join(HERE, "surface", file)
            names = cases(path)
            known = of_reference(reference, path, release, names)
            for name in names:
                count += 1
                ours, errors = of_ours(args.tilewright, path, release, name)
                found = differences(known[name], ours, errors)
                if found and (release, name) not in EXCEPTIONS:
                    bad += 1
                    print(f"{release} {name}: " + "; ".join(found))
                elif args.verbose:
                    print(f"{release} {name}: " + ("refused" if errors else "same"))
    print(f"{count} cases, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
