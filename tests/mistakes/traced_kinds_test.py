#!/usr/bin/env python3
"""Kinds of mistakes in traced kernels: each is found at its line by `check --json`; those of RUN only where a kernel runs.

    traced_kinds_test.py TILEWRIGHT [--show]

KINDS says what is planted into `tests/simulate/traced/kernels.py`: a line, and what stands there instead. The finding must
be at that line, or name it as a related place or in its chain of calls.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(os.path.dirname(HERE), "simulate", "traced", "kernels.py")

# (kind, how the line begins after its indent, a pattern in it, what stands there instead)
KINDS = [
    ("a name that does not exist", "txl.ptx.st.global_.f32(C.ptr_to([i]), load", r"C\.ptr_to", "D.ptr_to"),
    ("a name of txl misspelt", "txl.cuda.cta_sync()", r"cta_sync", "cta_snyc"),
    ("a name of txl that is not there", "part = txl.smem_pool()", r"smem_pool\(\)", "shared_pool()"),
    ("an instruction misspelt", "txl.ptx.add.f32(a[k]", r"ptx\.add\.f32", "ptx.ad.f32"),
    ("a modifier that the instruction has not", "txl.ptx.add.f32(a[k]", r"add\.f32", "add.cc.f32"),
    ("a type that the instruction has not", "txl.ptx.add.u32(value", r"add\.u32", "add.b32"),
    ("an operand too few", "txl.ptx.add.f32(a[k]", r", b\[k\]\)", ")"),
    ("an operand too many", "txl.ptx.add.f32(a[k]", r", b\[k\]\)", ", b[k], b[k])"),
    ("a vector of three", 'txl.ptx["ld.global.v4.f32"](*[a[k]', r"v4", "v3"),
    ("a vector with too few places", 'txl.ptx["ld.global.v4.f32"](*[a[k]', r"range\(4\)", "range(3)"),
    ("a float where bits of an integer belong", "txl.ptx.st.shared.b32(part", r"value\)", "txl.float16(1))"),
    ("the other state space", "txl.ptx.ld.shared.s32(result", r"totals\.ptr_to\(\[tid\]\)", "A.ptr_to([tid, 0])"),
    ("a subscript too many", "txl.ptx.ld.global_.b32(value, A.ptr_to([row, tid]))", r"\[row, tid\]", "[row, tid, 0]"),
    ("a subscript too few", "txl.ptx.ld.global_.b32(value, A.ptr_to([row, tid]))", r"\[row, tid\]", "[row]"),
    ("an index outside", "txl.ptx.st.shared.b32(part", r"\[warp\]", "[warp + 4]"),
    ("an attribute that a buffer has not", "txl.ptx.st.shared.b32(part", r"ptr_to", "pointer_to"),
    ("a keyword that does not exist", "part = txl.smem_pool()", r"txl\.u32\)", "txl.u32, aligned=16)"),
    ("a dtype that does not exist", "part = txl.smem_pool()", r"txl\.u32\)", '"uint31")'),
    ("an alignment that is no power of two", "rows = pool.alloc((16, 128)", r"align=128", "align=96"),
    ("more shared memory than there is", "ring = txl.smem_pool()", r"\(2, 128\)", "(900, 128)"),
    ("a Python if on a run-time value", "with txl.If(lane == 0), txl.Then():", r"with txl\.If\(lane == 0\), txl\.Then\(\)",
     "if lane == 0"),
    ("a Python while on a run-time value", "with txl.While(i < 1024):", r"with txl\.While\(i < 1024\)", "while i < 1024"),
    ("a Python for over a run-time range", "with txl.serial(8) as i:", r"with txl\.serial\(8\) as i",
     "for i in range(warp)"),
    ("a Python and of run-time values", "with txl.If(tid < 8), txl.Then():", r"tid < 8", "tid < 8 and lane < 8"),
    ("a chained comparison", "with txl.If(tid < 8), txl.Then():", r"tid < 8", "0 < tid < 8"),
    ("T.If without its arm", "with txl.If(tid < 8), txl.Then():", r", txl\.Then\(\)", ""),
    ("an arm without its T.If", "with txl.If(tid < 8), txl.Then():", r"txl\.If\(tid < 8\), ", ""),
    ("an Else before its Then", "with txl.If(tid < 8), txl.Then():", r"txl\.Then\(\)", "txl.Else()"),
    ("an assignment to what is no register", "txl.assign(total", r"txl\.assign\(total", "txl.assign(row"),
    ("an assignment of another type", "txl.assign(i, i + 3", r"i \+ 3 \* 64", '"next"'),
    ("a retired call", "value = txl.uniform(load", r"txl\.uniform\(load\(\"int32\", A\.ptr_to\(\[i\]\)\)\)",
     "txl.cuda.__shfl_sync(0xFFFFFFFF, i, 0, 32)"),
    ("a construction of scripts", "value = txl.local_scalar(\"float32\")", r"txl\.local_scalar\(\"float32\"\)",
     "txl.Bind(1.0)"),
    ("storage of scripts", "part = txl.smem_pool()", r"txl\.smem_pool\(\)\.alloc", "txl.alloc_shared"),
    ("roles that overlap", 'store_role = roles.role("store"', r"range\(4, 8\)", "range(3, 7)"),
    ("a role of warps that are not there", 'store_role = roles.role("store"', r"range\(4, 8\)", "range(4, 12)"),
    ("registers that are no multiple of 8", 'load_role = roles.role("load"', r"regs=24", "regs=25"),
    ("more registers than there are", 'load_role = roles.role("load"', r"regs=24", "regs=264"),
    ("a kind of barrier that does not exist", "pipe = txl.Pipeline(pool", r'full="tma"', 'full="tmem"'),
    ("an argument of a pipeline misspelt", "pipe = txl.Pipeline(pool", r"init_empty", "empty_init"),
    ("a method that a barrier has not", "full.wait(0, 0)", r"wait", "wait_for"),
    ("a field that a state has not", "full.arrive(state.stage)", r"state\.stage", "state.slot"),
    ("a barrier without its stage", "full.wait(0, 0)", r"0, 0", ""),
    ("a parameter without a type", "def first_by_a_lane(A", r"A: txl\.gptr\[txl\.i32, \(128,\)\]", "A"),
    ("a parameter of a wrong type", "def first_by_a_lane(A", r"A: txl\.gptr\[txl\.i32, \(128,\)\]", "A: int"),
    ("an architecture that does not exist", '@txl.kernel(warps=8, arch="sm_90a", min_blocks', "sm_90a", "sm_91x"),
    ("warps that do not fit", '@txl.kernel(warps=8, arch="sm_90a", min_blocks', "warps=8", "warps=40"),
    ("an option of the decorator misspelt", '@txl.kernel(warps=8, arch="sm_90a", min_blocks', "grid=1", "grids=1"),
    ("a grid that is a text of no parameter", '@txl.kernel(warps=8, arch="sm_90a", min_blocks', "grid=1", 'grid="n"'),
    ("a lane mask that is a float", "txl.ptx.shfl_sync.idx.b32(value", r"txl\.uint32\(0xFFFFFFFF\)", "1.5"),
    ("a tuple that does not fit", "a, b = txl.alloc_local", r"a, b = ", "a, b, c = "),
    ("a call of what is none", "totals = txl.smem_pool()", r"txl\.smem_pool\(\)\.alloc", "txl.smem_pool().alloc()"),
    ("a bracket that is not closed", "txl.cuda.cta_sync()", r"cta_sync\(\)", "cta_sync("),
    ("a line indented wrongly", "tiles.init(txl.cta_id())", r"^    tiles", "      tiles"),
    ("a break outside of a loop", "txl.cuda.warp_sync()", r"txl\.cuda\.warp_sync\(\)", "txl.Break()"),
    ("a mma of a shape that does not exist", 'txl.ptx["mma.sync.aligned.m16n8k16', "m16n8k16", "m16n8k24"),
    ("ldmatrix into too few registers", 'txl.ptx["ldmatrix.sync.aligned', r"\.x4\.", ".x2."),
    ("a store through a value", "txl.ptx.st.global_.s32(B.ptr_to([rank", r"B\.ptr_to\(\[rank, lane\]\)", "B[rank, lane]"),
    ("an instruction that the target has not", "txl.cuda.warp_sync()", r"txl\.cuda\.warp_sync\(\)",
     'txl.ptx["tcgen05.fence::before_thread_sync"]()'),
    ("a named barrier beyond the last", "txl.ptx.bar.sync(txl.uint32(1)", r"uint32\(1\)", "uint32(17)"),
    ("a named barrier of a part of a warp", "txl.ptx.bar.sync(txl.uint32(1)", "256", "250"),
    ("a loop misspelt", "with txl.serial(8) as i:", "serial", "serail"),
    ("a barrier without its count", "full.init(1)", r"init\(1\)", "init()"),
    ("a return misspelt", "return value", "return", "retrun"),
    ("an argument too many for a function of the file", "warp_sum(value)", r"\(value\)", "(value, 1)"),
    ("a function of the file misspelt", "warp_sum(value)", "warp_sum", "warp_summ"),
    ("a vector store of three values", 'txl.ptx["st.global.v4.f32"](C', r"range\(4\)", "range(3)"),
    ("a parameter of a type misspelt", "def add_strided(A", r"txl\.f32", "txl.f33"),
]


# What no compiler can know: found by the simulator.
RUN = {"an index outside"}


def of_run(binary, path):
    done = subprocess.run([binary, "run", path, "--on", "sim", "--entry", "all", "--json"], capture_output=True, text=True,
                          check=False)
    return [{"message": f["message"], "places": [f["range"]["start"]["line"]] if f.get("range") else []}
            for r in json.loads(done.stdout)["runs"] for f in r.get("findings", [])]


def findings(binary, path):
    done = subprocess.run([binary, "check", path, "--json"], capture_output=True, text=True, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return [{"message": done.stderr.strip()[:200], "places": []}]
    out = []
    for d in report["diagnostics"]:
        ranges = [d.get("range")] + [r.get("range") for r in d.get("related", []) + d.get("chain", [])]
        places = [r["start"]["line"] for r in ranges if r] + [c["start"]["line"] for c in d.get("chain", []) if "start" in c]
        out.append({"message": d["message"], "places": places, "severity": d["severity"]})
    return out


def planted(lines, start, pattern, by):
    """(line number from 1, text) with the mistake in the first line that begins so; None: there is no such line."""
    for i, line in enumerate(lines):
        if not line.strip().startswith(start):
            continue
        changed = re.sub(pattern, by, line, count=1)
        if changed != line:
            return i + 1, "\n".join([*lines[:i], changed, *lines[i + 1:]])
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    with open(KERNELS, encoding="utf-8") as f:
        lines = f.read().split("\n")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
        before = {f["message"] for f in findings(options.binary, path)}
        for kind, start, pattern, by in KINDS:
            made = planted(lines, start, pattern, by)
            if not made:
                wrong += 1
                print(f"{kind}: no line of the kernels begins with {start!r}")
                continue
            with open(path, "w", encoding="utf-8") as f:
                f.write(made[1])
            look = of_run if kind in RUN else findings
            found = [f for f in look(options.binary, path) if f["message"] not in before]
            there = [f["message"] for f in found if made[0] in f["places"]]
            if not there:
                wrong += 1
            if options.show or not there:
                words = there or [f"elsewhere ({f['places']}): {f['message']}" for f in found] or ["nothing"]
                print(f"{kind}, line {made[0]}: {words[0][:180]}")
    print(f"{len(KINDS)} kinds, {wrong} not found at their lines")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
