#!/usr/bin/env python3
"""Kernels of the traced library from their own sources, beside what the reference traced of them.

    traced.py TILEWRIGHT LIBRARY CLOSED [--only WORDS] [--jobs N] [--out FILE]

LIBRARY: the folder that holds `tirx_kernels`. CLOSED: a folder with the scripts that the reference printed, a module
`gemm_fp16_bf16_gemm_0.py` each, and a `.json` beside it that names the module. Each module is evaluated with
`get_kernel(**CONFIGS[0])`. Of each kernel the launch and the multiset of instructions are compared: those of the traced
kernel, and those of the printed script as TILEWRIGHT reads it. Where it cannot read one (the reference reads some of its
own prints no more), the families of its text are compared. Conversions of pointers into shared addresses are left out: the
reference prints those that it adds. With --all the registered modules whose kernels the reference did not print are
compiled, too. Some compute their CONFIGS by searches beyond the evaluator's usual limits, so these are raised.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import time

CALL = re.compile(r"T\.(ptx|cuda)\.([A-Za-z_0-9.]+)\(")
ID = re.compile(r"T\.(cta_id|cta_id_in_cluster|cluster_id|warp_id|warpgroup_id|lane_id|thread_id)\(\[(.*?)\]")


def arguments(text, start):
    """The arguments of the call whose bracket opens before `start`, at the top level."""
    depth, out, begin, i, quote = 1, [], start, start, False
    while i < len(text):
        c = text[i]
        if quote:
            quote = c != '"'
        elif c == '"':
            quote = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif c == "," and depth == 1:
            out.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    last = text[begin:i].strip()
    return out + [last] if last else out


def contents(text):
    """The launch and the instructions of a printed kernel."""
    launch = collections.Counter()
    for m in ID.finditer(text):
        extents = re.sub(r"T\.\w+\((\d+)\)", r"\1", m.group(2)).replace(" ", "")
        if m.group(1) != "lane_id":
            launch[(m.group(1), extents if re.fullmatch(r"[\d,]+", extents) else "computed")] += 1
    instructions = collections.Counter()
    for m in CALL.finditer(text):
        if m.group(1) == "cuda":
            instructions["cuda." + m.group(2)] += 1
            continue
        words = [a[1:-1] for a in arguments(text, m.end()) if a.startswith('"') and a != '""']
        instructions[".".join([m.group(2).rstrip("_"), *words])] += 1
    return launch, instructions


def kernels_of(text):
    """The printed kernels of a text, by name."""
    out = {}
    for part in re.split(r"(?m)^(?= *@T\.prim_func)", text):
        name = re.search(r"(?m)^ *def (\w+)\(", part)
        if name:
            out[name.group(1)] = part
    return out


def closed_scripts(folder):
    """{module: {kernel: (script, text)}} of what the reference printed."""
    out = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as f:
            about = json.load(f)
        kernels = {}
        for script in sorted(glob.glob(path[:-5] + "_[0-9]*.py")):
            with open(script, encoding="utf-8") as f:
                kernels.update({name: (script, text) for name, text in kernels_of(f.read()).items()})
        if kernels:
            out[about["module"]] = kernels
    return out


def printed(options, path, *more):
    """The kernels of a script as TILEWRIGHT prints them, what it complains about, and how long that took."""
    began = time.monotonic()
    try:
        done = subprocess.run([options.binary, "compile", path, *more, "--emit", "tirx"], capture_output=True, text=True,
                              timeout=options.limit, check=False)
    except subprocess.TimeoutExpired:
        return {}, [f"more than {options.limit} s"], time.monotonic() - began
    errors = [line for line in (done.stderr + done.stdout).splitlines() if "error[" in line]
    return kernels_of(done.stdout), errors, time.monotonic() - began


# Calls that one of the two writes out as its instructions.
WRITTEN_OUT = {"cuda.wait_until": {"ld_relaxed": 2, "ld_acquire": 1}, "cuda.sm100_2sm_leader_smem_addr": {}}
# Modules whose `get_kernel(**CONFIGS[0])` makes no kernel in the reference either, or asks a package for numbers.
ENTRIES = {
    "tirx_kernels.gemm.allgather_gemm": "get_kernel()",
    "tirx_kernels.gemm.gemm_reduce_scatter": "get_kernel()",
    "tirx_kernels.mla.mla_dsv4_multishape": (  # its get_kernel gives positions to keywords
        '(lambda r: (lambda f, q, k: (lambda p: make_kernel(fp8=f, h_total=int(r["num_heads"]), h_valid=p["h_valid"], '
        'groups=p["groups"], q_tokens=q, ktot=k, splits=p["splits"], bpc=p["bpc"], nstage=p["nstage"], '
        'swa_rows=_pool_row_counts(r)[0], comp_rows=_pool_row_counts(r)[1], n_items=q * p["groups"]))'
        '(plan(int(r["num_heads"]), q, k, f, prefill=q > 64)))'
        '(str(r["kv_dtype"]) == "float8_e4m3fn", _query_lengths(r)[0], int(r["sparse_topk"])))(_config(**CONFIGS[0]))'
    ),
    "tirx_kernels.msa.msa_decode_multishape": (  # its get_kernel makes tensors
        "(lambda t: make_kernel_kv(plan_config_kv(t((8, 64, 128), torch.bfloat16), t((65536, 4, 128), torch.bfloat16), "
        "t((4, 8, 16), torch.int32), None, 2, 4, 148)))"
        '(lambda shape, dtype: type("Tensor", (), {"shape": shape, "dtype": dtype}))'
    ),
    "tirx_kernels.ported.deepep.combine": "get_kernel(num_sms=24)",
    "tirx_kernels.ported.deepep.dispatch": "get_kernel(num_sms=24)",
    "tirx_kernels.ported.fastcu.nvfp4_gemm_gb300": "make_kernel()",
}
LIMITS = ["--limit", "steps=4000000000", "--limit", "memory_mb=8000"]


def families(instructions):
    out = collections.Counter()
    for name, count in instructions.items():
        for part, times in WRITTEN_OUT.get(name, {}).items():
            out[part] += times * count
        if name in WRITTEN_OUT:
            continue
        out[name if name.startswith("cuda.") else name.split(".")[0]] += count
    return out


def difference(ours, theirs, whole):
    """How two printed kernels differ; empty: they do not."""
    launch, instructions = contents(ours)
    their_launch, their_instructions = contents(theirs)
    for counter in (instructions, their_instructions):
        counter.pop("cuda.cvta_generic_to_shared", None)
    if not whole:
        instructions, their_instructions = families(instructions), families(their_instructions)
    if launch != their_launch:
        return f"launch {dict(launch)}, reference {dict(their_launch)}"
    more, less = instructions - their_instructions, their_instructions - instructions
    if not more and not less:
        return ""
    shown = [f"+{n} {k}" for k, n in more.most_common(4)] + [f"-{n} {k}" for k, n in less.most_common(4)]
    return f"{sum(more.values())} more, {sum(less.values())} fewer: {', '.join(shown)}"


def compare(options, module, wanted):
    """What the module comes to, why, and the time that took."""
    path = os.path.join(options.library, *module.split("."))
    path = path + ".py" if os.path.exists(path + ".py") else os.path.join(path, "__init__.py")
    entry = ENTRIES.get(module, "get_kernel(**CONFIGS[0])")
    ours, errors, took = printed(options, path, "--entry", entry, *LIMITS)
    if not ours or (errors and not wanted):
        return "no kernel", (errors or ["nothing was printed"])[0], took
    problems, by_family = [], False
    for name, (script, text) in wanted.items():
        read, wrong, _ = printed(options, script)
        if len(read) == 1:  # a printed function may be called otherwise than its kernel
            read = {name: next(iter(read.values()))}
        whole = name in read and not wrong
        by_family = by_family or not whole
        mine = ours.get(name) or (next(iter(ours.values())) if len(ours) == len(wanted) == 1 else None)
        why = difference(mine, read[name] if whole else text, whole) if mine else "is missing"
        if why:
            problems.append(f"{name}: {why}")
    if problems:
        return "differs", "; ".join(problems), took
    if not wanted:
        return "compiled", "", took
    return "same by families" if by_family else "same", "", took


def registered(library):
    """The modules of the library that name a kernel."""
    for path in sorted(glob.glob(os.path.join(library, "tirx_kernels", "**", "*.py"), recursive=True)):
        with open(path, encoding="utf-8") as f:
            if re.search(r"(?m)^KERNEL_META = ", f.read()):
                yield os.path.relpath(path, library)[:-3].replace(os.sep, ".").removesuffix(".__init__")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("library")
    parser.add_argument("closed")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=120)
    parser.add_argument("--out")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    scripts = {m: k for m, k in closed_scripts(options.closed).items() if options.only in m}
    if options.all:
        scripts.update({m: {} for m in registered(options.library) if m not in scripts and options.only in m})
    verdicts, rows = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(compare, options, m, k): m for m, k in scripts.items()}
        for done in concurrent.futures.as_completed(waiting):
            verdict, why, took = done.result()
            verdicts[verdict] += 1
            rows.append({"module": waiting[done], "verdict": verdict, "why": why, "seconds": round(took, 2)})
            print(f"{waiting[done]}: {verdict} ({took:.1f} s){': ' + why[:400] if why else ''}", flush=True)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)
    print(", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
    return 0 if set(verdicts) <= {"same", "same by families", "compiled"} else 1


if __name__ == "__main__":
    sys.exit(main())
