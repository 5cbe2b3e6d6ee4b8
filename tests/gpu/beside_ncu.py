#!/usr/bin/env python3
"""Counts of `run --on sim --profile` beside those that NVIDIA's Nsight Compute reads from a GPU.

    beside_ncu.py TILEWRIGHT SCRIPT... [--ncu PROGRAM] [--folder DIR]

Every entry of the scripts that takes pointers alone, with extents that are known, is profiled on the simulator, compiled for
the device, and launched once under ncu. A line a kernel and counter tells both numbers; the last one how many are equal and
how many lie within 2 %. Needs a GPU, the right to read its counters, ncu and NVRTC; Python alone launches (ctypes).
"""
import argparse
import csv
import ctypes
import io
import json
import os
import subprocess
import sys
import tempfile

# Counter of ours: ncu's. Copies by cp.async count with the reads of global memory.
COUNTERS = {
    ("global_read", "sectors"): ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"],
    ("global_write", "sectors"): ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    ("shared_read", "wavefronts"): ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    ("shared_write", "wavefronts"): ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
}
BYTES = {"int8": 1, "uint8": 1, "bool": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2,
         "int32": 4, "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8}


def check(result, what):
    if result:
        sys.exit(f"{what}: CUDA error {result}")


def launch(folder):
    """Launches each NAME.cubin of the folder once, in the order of their names, with zeros in all tensors."""
    cuda = ctypes.CDLL("libcuda.so.1")
    check(cuda.cuInit(0), "cuInit")
    context, device = ctypes.c_void_p(), ctypes.c_int()
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    for name in sorted(f for f in os.listdir(folder) if f.endswith(".plan")):
        with open(os.path.join(folder, name)) as f:
            plan = json.load(f)
        with open(os.path.join(folder, name[:-5] + ".cubin"), "rb") as f:
            cubin = f.read()
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), cubin), name)
        check(cuda.cuModuleGetFunction(ctypes.byref(function), module, plan["symbol"].encode()), plan["symbol"])
        pointers = []
        for p in plan["params"]:
            size = BYTES[p["dtype"]]
            for extent in p["shape"]:
                size *= extent
            at = ctypes.c_uint64()
            check(cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(max(size, 256))), "cuMemAlloc")
            check(cuda.cuMemsetD8_v2(at, ctypes.c_ubyte(0), ctypes.c_size_t(max(size, 256))), "cuMemsetD8")
            pointers.append(at)
        arguments = (ctypes.c_void_p * max(len(pointers), 1))(*[ctypes.cast(ctypes.pointer(p), ctypes.c_void_p) for p in pointers])
        shared = plan["launch"]["dynamic_shared_bytes"]
        if shared:
            check(cuda.cuFuncSetAttribute(function, 8, shared), "cuFuncSetAttribute")
        check(cuda.cuLaunchKernel(function, *plan["launch"]["grid"], *plan["launch"]["block"], shared, None, arguments, None), name)
        check(cuda.cuCtxSynchronize(), name)


def answer(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout, done


def fits(plan):
    return (all(p["kind"] == "pointer" and p.get("dtype") in BYTES and all(isinstance(e, int) for e in p["shape"]) for p in plan["params"])
            and plan["launch"]["cluster"] == [1, 1, 1] and all(isinstance(e, int) for e in plan["launch"]["grid"] + plan["launch"]["block"]))


def collect(options, folder):
    """Profiles of the kernels that can be launched here, in order, and their files in the folder."""
    profiles = []
    for script in options.scripts:
        text, done = answer(options.tilewright, "entries", script, "--json")
        entries = json.loads(text)["entries"] if text else []
        for e in dict.fromkeys(e["entry"] for e in entries):
            text, _ = answer(options.tilewright, "compile", script, "--entry", e, "--arch", options.arch, "--emit", "plan")
            try:
                plan = json.loads(text)
            except ValueError:
                continue
            if not fits(plan):
                continue
            made = os.path.join(folder, "made")
            _, done = answer(options.tilewright, "compile", script, "--entry", e, "--arch", options.arch, "--emit", "cubin", "-o", made)
            cubins = [os.path.join(made, f) for f in os.listdir(made)] if os.path.isdir(made) else []
            cubins = [f for f in cubins if f.endswith(".cubin")]
            text, _ = answer(options.tilewright, "run", script, "--entry", e, "--arch", options.arch, "--on", "sim", "--schedules", "1",
                             "--profile", "--json")
            profile = json.loads(text).get("profile") if text else None
            if len(cubins) == 1 and profile:
                base = os.path.join(folder, f"{len(profiles):04}")
                os.replace(cubins[0], base + ".cubin")
                with open(base + ".plan", "w") as f:
                    json.dump(plan, f)
                profiles.append((f"{os.path.basename(script)} {e}", profile))
            for f in cubins:
                if os.path.exists(f):
                    os.remove(f)
    return profiles


def measured(options, folder):
    """A dictionary of ncu's counters for each launch."""
    metrics = ",".join(m for group in COUNTERS.values() for m in group)
    done = subprocess.run([options.ncu, "--csv", "--page", "raw", "--metrics", metrics, sys.executable, os.path.abspath(__file__),
                           "--launch", folder], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    if not rows:
        sys.exit(f"ncu measured nothing: {done.stdout[-1500:]}{done.stderr[-1500:]}")
    return [r for r in rows if r.get("ID", "").isdigit()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tilewright", nargs="?")
    parser.add_argument("scripts", nargs="*")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--folder")
    parser.add_argument("--launch", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.launch:
        return launch(options.launch)
    folder = options.folder or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    profiles = collect(options, folder)
    rows = measured(options, folder)
    if len(rows) != len(profiles):
        sys.exit(f"{len(profiles)} kernels were launched, ncu has {len(rows)}")
    equal = near = total = 0
    for (name, profile), row in zip(profiles, rows):
        for (part, unit), counters in COUNTERS.items():
            ours = profile["total"][part][unit]
            theirs = sum(float((row.get(c) or "0").replace(",", "")) for c in counters)
            if ours == 0 and theirs == 0:
                continue
            total += 1
            equal += ours == theirs
            near += abs(ours - theirs) <= 0.02 * max(ours, theirs)
            print(f"{'same ' if ours == theirs else 'other'} {part}.{unit} {ours:.0f} ncu {theirs:.0f}  {name}")
    print(f"{len(profiles)} kernels, {total} counters: {equal} equal, {near} within 2 %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
