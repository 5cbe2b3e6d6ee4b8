#!/usr/bin/env python3
"""Makes launches of the reference compiler ready to be carried to a GPU, for gpu_suite --carried.

    prepare.py FILE.py ... --reference PATH --tilewright PATH --suite PATH -o DIR [--arch sm_90a] [--set n=128] [--jobs N]
               [--release 0.25]

FILEs hold module-level kernels (tests/reference/generate.py). PATH of --reference is a program that takes FILE.py
--arch A --fields calls,launch,host,cuda and prints, as one JSON object, what the reference compiler made of each kernel
(compare.py of tests/reference uses the same). Of every kernel that the reference compiles, DIR/<file>/<kernel> gets

    .cu      the reference's CUDA text
    .json    its launch: grid, block, cluster, parameters in order, tensor maps as its host part encodes them
    .cubin   the text, compiled by our toolchain (gpu_suite --build-carried)
    .defect  where a Note of the specification says that the reference is wrong there: which, and why

Tensors are matched by name when the suite runs them.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "reference"))
import compare  # noqa: E402
import defects  # noqa: E402
import exceptions  # noqa: E402

SLOT = re.compile(r"T\.tvm_struct_set\(stack_ffi_any, (\d+), 15, (.*)\)$")
CALL = re.compile(r'T\.call_packed_lowered\("([^"]+)", stack_ffi_any, 0, (\d+)\)')
OFFSET = re.compile(r"T\.handle_add_byte_offset\((.+), (\d+)\)")
# The driver's CUtensorMapDataType.
MAP_TYPES = {
    "uint8": 0, "int8": 0, "bool": 0, "uint16": 1, "int16": 1, "uint32": 2, "int32": 3, "uint64": 4, "int64": 5,
    "float16": 6, "float32": 7, "float64": 8, "bfloat16": 9,
}  # fmt: skip
# The reference's own runtime gives NVRTC this type; cuda.h is not for device code there.
TENSOR_MAP = "struct alignas(128) CUtensorMap { unsigned long long opaque[16]; };\n"
SCALAR_BYTES = {"int": 4, "unsigned int": 4, "uint": 4, "int64_t": 8, "long long": 8, "short": 2, "signed char": 1}


class Unclear(Exception):
    """Something in the reference's answer that is not understood."""


def host_calls(text):
    """Packed calls of the host part with their arguments, as text."""
    slots, calls = {}, []
    for line in map(str.strip, text.splitlines()):
        if m := SLOT.match(line):
            slots[int(m.group(1))] = m.group(2)
        elif m := CALL.search(line):
            calls.append((m.group(1), [slots.get(i, "") for i in range(int(m.group(2)))]))
    return calls


def tensor_of(name):
    """"A0" of "A0_ptr", "A0_ptr_1", "A0_ptr_tensormap" and, from 0.26 on, "A0_1.data"."""
    m = re.match(r"(\w+?)(?:_ptr(?:_\d+|_tensormap\w*)?|(?:_\d+)?\.data)$", name.strip())
    if not m:
        raise Unclear(f"pointer {name}")
    return m.group(1)


def signature(cuda, symbol):
    """[(type, name)] of the kernel's parameters."""
    m = re.search(r"\b" + re.escape(symbol) + r"\(([^)]*)\)\s*[;{]", cuda)
    if not m:
        raise Unclear("no signature of " + symbol)
    out = []
    for p in filter(None, map(str.strip, m.group(1).split(","))):
        words = p.replace("*", " * ").replace("__restrict__", " ").split()
        out.append((" ".join(words[:-1]), words[-1]))
    return out


def launch_of(kernel, values):
    """The plan of one kernel, as compiler/run/job.h reads it."""
    def number(text):
        try:
            return int(compare.by_value(text, values))
        except Exception as e:  # noqa: BLE001
            raise Unclear(f"the value {text}") from e

    symbol = kernel["name"] + "_kernel"
    calls = host_calls(kernel["host"])
    buffers, maps, numbers = [], [], {}

    def buffer(name):
        if name not in buffers:
            buffers.append(name)
        return buffers.index(name)

    for name, a in calls:
        if name != "runtime.cuTensorMapEncodeTiled":
            continue
        dtype, rank = re.search(r'"(\w+)"', a[1]).group(1), number(a[2])
        at = [4, 4 + rank, 3 + 2 * rank, 3 + 3 * rank, 3 + 4 * rank]
        dims, strides, box, steps = ([number(x) for x in a[at[i]:at[i + 1]]] for i in range(4))
        interleave, swizzle, l2, fill = map(number, a[at[4]:at[4] + 4])
        if dtype not in MAP_TYPES and not dtype.startswith("float8"):
            raise Unclear(f"a tensor map of {dtype}")
        numbers[a[0]] = len(maps)
        at = OFFSET.fullmatch(a[3])
        base, offset = at.groups() if at else (a[3], "0")
        maps.append({
            "buffer": buffer(tensor_of(base)), "byte_offset": int(offset), "dtype": MAP_TYPES.get(dtype, 0), "dims": dims,
            "strides": strides, "box": box, "element_strides": steps, "interleave": interleave, "swizzle": swizzle,
            "l2_promotion": l2, "oob_fill": fill,
        })  # fmt: skip
    arguments = next((a for n, a in calls if n == symbol), None)
    if arguments is None:
        raise Unclear("no call of " + symbol)
    params = []
    for (kind, name), value in zip(signature(kernel["cuda"], symbol), arguments):
        if "CUtensorMap" in kind:
            if value not in numbers:
                raise Unclear(f"the tensor map {value}")
            params.append({"kind": "tensor_map", "index": numbers[value]})
        elif "*" in kind:
            params.append({"kind": "pointer", "index": buffer(tensor_of(name))})
        else:
            size = SCALAR_BYTES.get(kind)
            if size is None:
                raise Unclear(f"a parameter of type {kind}")
            params.append({"kind": "scalar", "bytes": number(value).to_bytes(size, "little", signed=True).hex()})
    launch = kernel["launch"]
    three = {key: [number(x) for x in launch[key]] for key in ("grid", "block", "cluster")}
    return {
        "symbol": symbol, **three, "dynamic_shared_bytes": number(launch["dynamic_shared_bytes"]),
        "buffers": [{"name": b, "bytes": 0, "role": "inout"} for b in buffers], "params": params, "tensor_maps": maps,
    }  # fmt: skip


def readable(script):
    """The script with each kernel where an error passes: from 0.26 on the reference refuses to read a whole file for one."""
    with open(script, encoding="utf-8") as f:
        header, *kernels = re.split(r"\n\n\n(?=# family: )", f.read())
    path = script.replace(".py", ".readable.py")
    compare.write_if_new(path, header + compare.tried(kernels))
    return path


def ask(script, args):
    own = script if args.release == "0.25" else readable(script)
    reference = compare.answer(
        [sys.executable, args.reference, own, "--arch", args.arch, "--fields", "calls,launch,host,cuda", *args.of_release],
        (script + f".carried.{args.arch}.json", script),
    )
    command = [args.tilewright, "compile", script, "--arch", args.arch, "--emit", "cuda", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return script, reference, json.loads(done.stdout)


def defects_of(script, reference, ours, diagnostics, plan, release):
    source = exceptions.Source(script)
    ours["diagnostics"] = source.diagnostics_of(ours, diagnostics)
    return defects.defects(defects.Carried(source, reference, ours, plan, compare.differences(reference, ours, release)))


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("files", nargs="+")
    for option in ("--reference", "--tilewright", "--suite"):
        ap.add_argument(option, required=True)
    ap.add_argument("-o", "--output", required=True)
    ap.add_argument("--arch", default="sm_90a")
    ap.add_argument("--set", default="n=128", help="the one value of symbolic extents, as gpu_suite's")
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    ap.add_argument("--release", choices=compare.generate.releases.RELEASES, default="0.25", help="of the scripts and of the reference")
    args = ap.parse_args()
    args.of_release = [] if args.release == "0.25" else ["--release", args.release]
    values = int(args.set.split("=")[1])
    carried = unclear = dead = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for script, reference, ours in pool.map(lambda f: ask(f, args), args.files):
            folder = os.path.join(args.output, os.path.splitext(os.path.basename(script))[0])
            os.makedirs(folder, exist_ok=True)
            mine = {k["name"]: k for k in ours["kernels"]}
            for k in reference["kernels"]:
                if k.get("error") or not k.get("cuda") or not k.get("launch"):
                    dead += 1
                    continue
                base = os.path.join(folder, k["name"])
                try:
                    plan = launch_of(k, values)
                except Unclear as e:
                    unclear += 1
                    print(f"{script}: {k['name']}: not understood: {e}")
                    continue
                write(base + ".cu", (TENSOR_MAP if plan["tensor_maps"] else "") + k["cuda"])
                write(base + ".json", json.dumps(plan, indent=1))
                own = mine.get(k["name"])
                notes = defects_of(script, k, own, ours["diagnostics"], plan, args.release) if own else []
                if notes:
                    write(base + ".defect", "; ".join(notes))
                elif os.path.exists(base + ".defect"):
                    os.remove(base + ".defect")
                carried += 1
    print(f"{carried} kernels of the reference, {dead} that it refuses, {unclear} not understood")
    build = [args.suite, "--build-carried", args.output, "--arch", args.arch, "--jobs", str(args.jobs)]
    sys.exit(subprocess.run(build, check=False).returncode or unclear > 0)


if __name__ == "__main__":
    main()
