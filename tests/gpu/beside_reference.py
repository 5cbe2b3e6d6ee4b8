#!/usr/bin/env python3
"""The same inputs through our CUDA and through the reference's, on a GPU: beside_reference.py TILEWRIGHT SCRIPTS ANSWERS [--arch sm_90a]

SCRIPTS is a folder of scripts with module-level kernels without tensor maps (tests/reference/generate.py), ANSWERS one of
JSON files of the same names: what the reference compiler made of each, with launch and CUDA text. Contents come from the
`run` comment above a kernel, else they are small whole numbers. Every tensor has to end with the same bytes; where it
does not, the largest difference is told, and how far either is from the contents that the comment expects.
Needs PyTorch and nvcc.
"""
import argparse
import concurrent.futures
import ctypes
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench/beside_torch"))
from launch import bound  # noqa: E402

TYPES = {
    "float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32, "float64": torch.float64,
    "int8": torch.int8, "uint8": torch.uint8, "int16": torch.int16, "int32": torch.int32, "uint32": torch.int32,
    "int64": torch.int64, "float8_e4m3fn": torch.float8_e4m3fn, "float8_e5m2": torch.float8_e5m2,
}  # fmt: skip


DRIVER = ctypes.CDLL("libcuda.so.1")


def comments(script):
    """What the `run` comment above each kernel gives, by the kernel's name."""
    found, given = {}, {}
    for line in script.read_text().splitlines():
        if line.startswith("# tilewright: run "):
            given = dict(word.split("=", 1) for word in line.split() if "=" in word)
        elif match := re.match(r"def (\w+)\(", line):
            found[match[1]], given = given, {}
    return found


def contents(params, given, folder, seed):
    """A tensor for each parameter of a plan."""
    random = torch.Generator().manual_seed(seed)
    out = {}
    for p in params:
        if (name := given.get(p["name"], "")).endswith(".npy"):
            out[p["name"]] = torch.from_numpy(numpy.load(folder / name)).cuda()
            continue
        whole = torch.randint(-3, 4, [max(1, n) for n in p["shape"]], generator=random)
        out[p["name"]] = whole.to(TYPES[p["dtype"]]).cuda()
    return out


def call(name, *arguments):
    if status := getattr(DRIVER, name)(*arguments):
        raise RuntimeError(f"{name}: error {status} of the driver")


def launch_reference(cubin, answer, tensors):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoad", ctypes.byref(module), str(cubin).encode())
    symbol = answer["name"] + "_kernel"
    call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
    names = re.search(symbol + r"\(([^)]*)\)", answer["cuda"])[1].split(",")
    slots = []
    for name in names:
        slots.append(ctypes.c_uint64(tensors[re.sub(r"_ptr$", "", name.split()[-1].lstrip("*"))].data_ptr()))
    params = (ctypes.c_void_p * len(slots))(*(ctypes.addressof(s) for s in slots))
    launch = answer["launch"]
    shared = launch.get("dynamic_shared_bytes") or 0
    call("cuFuncSetAttribute", function, 8, ctypes.c_int(shared))
    call("cuLaunchKernel", function, *launch["grid"], *launch["block"], shared, None, params, None)


def build(binary, script, answer, arch, folder):
    """(our cubin and plan, the reference's cubin), or why not."""
    folder.mkdir()
    ours = subprocess.run([binary, "compile", script, "--entry", answer["name"], "--arch", arch, "--emit", "cubin", "--emit", "plan",
                           "-o", folder], capture_output=True, text=True)
    if ours.returncode:
        return "we refuse it: " + (ours.stdout + ours.stderr)[:160]
    source = folder / "reference.cu"
    source.write_text(answer["cuda"])
    theirs = subprocess.run(["nvcc", "-cubin", "-arch", arch, "-o", folder / "reference.bin", source], capture_output=True, text=True)
    if theirs.returncode:
        return "the reference's CUDA does not compile: " + theirs.stderr[:160]
    return next(folder.glob("*.cubin")), next(folder.glob("*.json")), folder / "reference.bin"


def compare(script, answer, given, built, seed):
    plan = json.loads(built[1].read_text())
    tensors = contents(plan["params"], given, script.parent, seed)
    mine, theirs = ({n: t.clone() for n, t in tensors.items()} for _ in range(2))
    bound(built[0], built[1], mine)()
    try:
        torch.cuda.synchronize()
    except RuntimeError as e:
        return f"OURS FAULTS: {str(e).splitlines()[0]}"
    launch_reference(built[2], answer, theirs)
    try:
        torch.cuda.synchronize()
    except RuntimeError as e:
        return f"the reference's faults: {str(e).splitlines()[0]}"
    worst = []
    for name in tensors:
        a, b = mine[name].view(torch.uint8), theirs[name].view(torch.uint8)
        if torch.equal(a, b):
            continue
        text = f"{name} differs by at most {(mine[name].double() - theirs[name].double()).abs().max().item():.3g}"
        if expected := given.get("expected." + name):
            wanted = torch.from_numpy(numpy.load(script.parent / expected)).cuda().double()
            off = [(t[name].double() - wanted).abs().max().item() for t in (mine, theirs)]
            text += f" (from what is expected: ours {off[0]:.3g}, the reference {off[1]:.3g})"
        worst.append(text)
    return "; ".join(worst)


def one(binary, script, answer, given, arch, seed):
    """What there is to say of one kernel; in a process of its own, since a fault ends a process's GPU context."""
    with tempfile.TemporaryDirectory() as folder:
        built = build(binary, script, answer, arch, Path(folder) / "made")
        return built if isinstance(built, str) else compare(script, answer, given, built, seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("scripts", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--arch", default="sm_90a")
    options = parser.parse_args()
    jobs = []
    for path in sorted(options.answers.glob("*.json")):
        script = options.scripts / (path.stem + ".py")
        if not script.exists() or not path.stat().st_size:
            continue
        given = comments(script)
        for answer in json.loads(path.read_text())["kernels"]:
            if answer.get("cuda") and not answer.get("error"):
                jobs.append((script, answer, given.get(answer["name"], {})))
    same, other = 0, []
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(12, mp_context=spawn, max_tasks_per_child=1) as pool:
        tasks = [pool.submit(one, options.binary, s, a, g, options.arch, i) for i, (s, a, g) in enumerate(jobs)]
        for (_, answer, _), task in zip(jobs, tasks):
            if said := task.result():
                other.append(f"{answer['name']}: {said}")
            else:
                same += 1
    print(f"{torch.cuda.get_device_name()}: {len(jobs)} kernels of which the reference has CUDA, {same} with the same bytes")
    print("\n".join("  " + line for line in other))


if __name__ == "__main__":
    main()
