#!/usr/bin/env python3
"""Kernels of tvm_tirx beside the package itself: launch, parameters and the multiset of instructions of the CUDA.

    package_test.py TILEWRIGHT [--python PYTHON] [--count 72] [--seed N|day] [--arch sm_90a] [--or-skip] [FILE ...]

PYTHON is one that has the package (default: what TILEWRIGHT_REFERENCE_PACKAGE names). FILEs are compared besides the
generated kernels.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CALL = re.compile(r"\b(tvm_builtin_\w+|__shfl\w*|__syncthreads|__syncwarp)\(")
SIGNATURE = re.compile(r'extern "C" __global__ void (?P<bounds>__(?:launch_bounds|maxnreg)__\([\d, ]+\) )?'
                       r'(?P<name>\w+)_kernel\((?P<parameters>[^)]*)\) \{')
# Conversions of pointers, ids, and what names no instruction.
IGNORED = re.compile(r"tvm_builtin_(cuda_cvta_generic_to_shared|ptx_fetch_register_\w+|ptx_mapa_\w+|"
                     r"ptx_tcgen05_encode_matrix_descriptor_\d)")
# The same under two names.
SAME = [(r"__syncthreads", "tvm_builtin_cuda_cta_sync"), (r"__syncwarp", "tvm_builtin_cuda_warp_sync"),
        (r"tvm_builtin_ptx_mbarrier_try_wait", "tvm_builtin_cuda_mbarrier_wait"),
        (r"tvm_builtin_cuda_warp_(?:reduce_)?(sum|max|min)_\w+", r"tvm_builtin_cuda_warp_\1"),
        (r"tvm_builtin_(?:ptx_)?elect_\w+", "tvm_builtin_elect")]


# ---- what is compared -----------------------------------------------------------------------------------------------

def parameters(text, body):
    """Those that the body names; a tensor that is handed over twice for its views counts once."""
    out = []
    for word in filter(None, (w.strip() for w in text.split(","))):
        word = word.replace("__restrict__ ", "").replace("const __grid_constant__ ", "")
        dtype, name = word.rsplit(" ", 1)
        if re.search(rf"\b{name}\b", body):
            name = "map" + str(len(out)) if dtype.strip() == "CUtensorMap" else re.sub(r"_ptr(_\d+)?$", "", name)
            out.append((re.sub(r"\bunsigned( int)?(?=\*|$)", "uint", dtype.strip()), name))
    return list(dict.fromkeys(out))


def spelled(call):
    for pattern, instead in SAME:
        call = re.sub(f"^(?:{pattern})$", instead, call)
    return call


def contents(cuda, name):
    """Bounds, parameters and instructions of one kernel."""
    m = next(m for m in SIGNATURE.finditer(cuda) if m.group("name") == name)
    body = cuda[m.end():]
    calls = collections.Counter(spelled(c) for c in CALL.findall(body) if not IGNORED.fullmatch(c))
    return (m.group("bounds") or "").strip(), parameters(m.group("parameters"), body), calls


def ours(binary, path, arch):
    done = subprocess.run([binary, "compile", path, "--emit", "cuda", "--json", "--arch", arch],
                          capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    found = {}
    for k in answer["kernels"]:
        found[k["name"]] = {"cuda": k.get("sources", {}).get("cuda"), "launch": k.get("launch")}
    return found, [d["message"] for d in answer.get("diagnostics", []) if d.get("severity") == "error"]


def launch_of(launch):
    out = {}
    for field in ("grid", "block", "cluster"):
        for axis, extent in zip("xyz", launch.get(field) or []):
            out[f"{field}.{axis}"] = extent if isinstance(extent, int) else None
    return out


def differences(name, theirs, mine, written_out):
    """`written_out`: only the package writes loops of T.unroll out, so that numbers say nothing."""
    if "error" in theirs:
        return [f"the package refuses it: {theirs['error']}"]
    if not mine or not mine["cuda"]:
        return ["no CUDA of ours"]
    out = []
    for what, a, b in zip(("bounds", "parameters", "instructions"), contents(theirs["cuda"], name),
                          contents(mine["cuda"], name)):
        if written_out and what == "instructions":
            a, b = collections.Counter(set(a)), collections.Counter(set(b))
        if a != b:
            out.append(f"{what}: {dict(a - b) if isinstance(a, collections.Counter) else a} there, "
                       f"{dict(b - a) if isinstance(b, collections.Counter) else b} here")
    launch = launch_of(mine["launch"])
    for field, value in theirs["launch"].items():
        if field in launch and launch[field] != value and value is not None:
            out.append(f"{field}: {value} there, {launch[field]} here")
    return out


# ---- kernels --------------------------------------------------------------------------------------------------------

LOADS = [("float32", "f32", "v4"), ("float32", "f32", "v2"), ("uint32", "b32", "v4"), ("uint32", "u32", ""),
         ("int32", "s32", ""), ("float32", "f32", ""), ("uint64", "b64", "v2"), ("float16", "b16", "")]
ARITHMETIC = ["add.f32", "mul.rn.f32", "fma.rn.f32", "max.f32", "ex2.approx.ftz.f32", "rcp.approx.ftz.f32", "neg.f32"]


class Maker:
    def __init__(self, random_):
        self.random = random_

    def launch(self):
        r = self.random
        block = r.choice(["128", "(64, 2)", "(32, 4)", "(8, 4, 4)", "96", "256"])
        cluster = r.choice([None, None, "2", "(2, 1)"])
        grid = r.choice(["8", "(4, 2)", "(2, 3, 2)"]) if cluster is None else r.choice(["8", "(4, 2)"])
        words = [f"grid={grid}", f"block={block}"]
        if cluster:
            words.append(f"cluster={cluster}")
        attributes = r.choice(["", "", ", kernel_attrs=T.cuda.KernelAttributes(min_blocks_per_sm=2)",
                               ", kernel_attrs=T.cuda.KernelAttributes(max_registers_per_thread=64)"])
        return f"T.device_entry(launch=T.cuda.LaunchConfig({', '.join(words)}){attributes})"

    def statements(self):
        r = self.random
        kinds = [self.ids, self.memory, self.arithmetic, self.shared, self.loop, self.branch, self.barrier, self.tiles,
                 self.shuffle, self.async_copy]
        out = []
        for _ in range(r.randint(2, 5)):
            out += r.choice(kinds)()
        return out

    def fresh(self, stem):
        self.count = getattr(self, "count", 0) + 1
        return f"{stem}{self.count}"

    def ids(self):
        r = self.random
        id_ = r.choice(['block_idx("x")', 'block_idx("y")', 'thread_idx("x")', 'thread_idx("y")', "lane_id()",
                        "linear_thread_id()"])
        return [f"I[{r.randint(0, 63)}] = T.cuda.{id_}"]

    def memory(self):
        dtype, type_, vec = self.random.choice(LOADS)
        count = int(vec[1:]) if vec else 1
        a, view = self.fresh("a"), self.fresh("m")
        words = ".".join(filter(None, [vec, type_]))
        regs = ", ".join(f"{a}[{i}]" for i in range(count))
        return [f'{view} = M.view("{dtype}")', f'{a} = T.alloc_local(({count},), "{dtype}")',
                f'T.ptx["ld.global.{words}"]({regs}, {view}.ptr_to([t * {count}]))',
                f'T.ptx["st.global.{words}"]({view}.ptr_to([t * {count}]), {regs})']

    def arithmetic(self):
        x, y = self.fresh("x"), self.fresh("y")
        op = self.random.choice(ARITHMETIC)
        operands = {"fma": f"{x}, {y}, {x}", "ex2": y, "rcp": y, "neg": y}.get(op.split(".")[0], f"{x}, {y}")
        return [f"{x}: T.float32 = 1.0", f"{y}: T.float32 = F[t]", f'T.ptx["{op}"]({x}, {operands})', f"F[t] = {x}"]

    def shared(self):
        s = self.fresh("s")
        return [f'{s} = T.alloc_shared((256,), "float32")', f"{s}[t] = F[t]", "T.cuda.cta_sync()",
                f"F[t] = {s}[255 - t]"]

    def loop(self):
        i, n = self.fresh("i"), self.random.randint(2, 6)
        kind = self.random.choice([f"range({n})", f"T.serial({n})", f"T.serial(1, {n + 2})"])
        return [f"for {i} in {kind}:", f"    I[{i}] = I[{i}] + {i}",
                f'    T.ptx["red.global.add.s32"](I.ptr_to([{i}]), T.int32(1))']

    def branch(self):
        n = self.random.randint(1, 31)
        return [f"if t < {n}:", f'    T.ptx["st.global.s32"](I.ptr_to([t]), T.int32({n}))', "else:", f"    I[t] = {n}"]

    def barrier(self):
        b = self.fresh("bar")
        return [f'{b} = T.alloc_shared((1,), "uint64")', "if t == 0:",
                f'    T.ptx["mbarrier.init.shared.b64"]({b}.ptr_to([0]), T.uint32(1))', "T.cuda.cta_sync()",
                "if t == 0:", f'    T.ptx["mbarrier.arrive.shared.b64"]({b}.ptr_to([0]), T.uint32(1))',
                f"T.cuda.mbarrier_wait({b}.ptr_to([0]), 0)"]

    def tiles(self):
        r, view = self.fresh("r"), self.fresh("w")
        repeat, vec = self.random.choice([(1, 4), (2, 4), (4, 2), (3, 1)])
        words = f"v{vec}.f32" if vec > 1 else "f32"
        return [f"{view} = F.view({4096 // (256 * vec)}, 256, {vec})",
                f'{r} = T.alloc_local(({repeat}, 1, {vec}), "float32", layout="default")',
                f'T.cuda.tile.apply("ld.global.{words}", {r}, {view}[0:{repeat}, t:t + 1, :])',
                f'T.cuda.tile.apply("st.global.{words}", {view}[0:{repeat}, t:t + 1, :], {r})']

    def shuffle(self):
        v = self.fresh("v")
        return [f"{v}: T.int32 = I[t]",
                f'T.ptx["shfl_sync.bfly.b32"]({v}, {v}, T.uint32(1), T.uint32(31), T.uint32(0xFFFFFFFF))', f"I[t] = {v}"]

    def async_copy(self):
        s = self.fresh("c")
        return [f'{s} = T.alloc_shared((256, 4), "float32", align=128, layout="default")',
                f'T.ptx["cp.async.cg.shared.global"]({s}.ptr_to([t, 0]), F.ptr_to([t * 4]), 16)',
                'T.ptx["cp.async.commit_group"]()', 'T.ptx["cp.async.wait_group"](0)']

    def kernel(self, name):
        extent = self.random.choice(["4096", "4096", "n"])
        signature = f'M: T.Tensor((8192,), "float32"), F: T.Tensor(({extent},), "float32"), I: T.Tensor((4096,), "int32")'
        if self.random.random() < 0.4:
            signature += ", s: T.float32, k: T.int32"
        body = [self.launch(), "t = T.cuda.linear_thread_id()", "M[0] = F[1]", *self.statements(), "I[63] = t"]
        if "s: T" in signature:
            body.append("M[1] = s * T.cast(k, \"float32\")")
        if extent == "n":
            body = [line for line in body if "F.view" not in line and "tile.apply" not in line]
        return f"@T.function\ndef {name}({signature}):\n" + "".join(f"    {line}\n" for line in body)


def script(seed, count):
    maker = Maker(random.Random(seed))
    head = 'from tvm_tirx.script import tirx as T\n\nn = T.dynamic("n")\n'
    return head + "".join(f"\n\n{maker.kernel(f'k{i}')}" for i in range(count))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--python", default=os.environ.get("TILEWRIGHT_REFERENCE_PACKAGE"))
    parser.add_argument("--count", type=int, default=72)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--or-skip", action="store_true")
    parser.add_argument("--keep", help="leave the generated script here")
    options = parser.parse_intermixed_args()
    if not options.python:
        print("no Python with tvm_tirx: set TILEWRIGHT_REFERENCE_PACKAGE")
        return 0 if options.or_skip else 2
    seed = time.strftime("%Y%m%d") if options.seed == "day" else options.seed
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        generated = options.keep or os.path.join(folder, "generated.py")
        with open(generated, "w", encoding="utf-8") as f:
            f.write(script(seed, options.count))
        for path in [generated, *options.files]:
            there = subprocess.run([options.python, os.path.join(HERE, "package", "answer.py"), path,
                                    "--arch", options.arch],
                                   capture_output=True, text=True, check=False)
            if there.returncode != 0:
                sys.exit(f"{path}: {there.stderr[-2000:]}")
            mine, errors = ours(options.binary, path, options.arch)
            for message in errors:
                print(f"{path}: error: {message}")
            with open(path, encoding="utf-8") as f:
                written_out = "T.unroll" in f.read()
            for name, theirs in json.loads(there.stdout).items():
                compared += 1
                if found := differences(name, theirs, mine.get(name), written_out):
                    wrong += 1
                    print(f"{os.path.basename(path)} {name}: " + "; ".join(found))
    print(f"{compared} kernels compared (seed {seed}), {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
