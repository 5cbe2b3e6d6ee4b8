#!/usr/bin/env python3
"""Compiled kernels, made here and launched on a machine that has a GPU, with Python and numpy alone (ctypes).

    cubins.py prepare TILEWRIGHT LIST FOLDER      # here: a .cubin and a .plan for each line SCRIPT: ENTRY of the list
    cubins.py once FOLDER                         # there: each once, for a profiler around it
    cubins.py time FOLDER > times.jsonl           # there: how long each takes, a line of JSON a kernel

A time is that of one launch among many of a CUDA graph, which follow each other without the host (hot), and of one after the
L2 cache was overwritten (cold), both between CUDA events; the samples are told, too. A kernel that faults ends alone. Tensors of floating types get numbers around 0, whole numbers 0 to 255,
and a tensor with the name `follow` a chain through all its lines.
"""
import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile

BYTES = {"int8": 1, "uint8": 1, "bool": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2,
         "int32": 4, "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8}
MAP_TYPES = {"uint8": 0, "int8": 0, "uint16": 1, "int16": 1, "uint32": 2, "int32": 3, "uint64": 4, "int64": 5, "float16": 6,
             "float32": 7, "float64": 8, "bfloat16": 9}


def fits(plan):
    """Whether this file can launch it: extents are known, no clusters, a tensor map a parameter at most."""
    maps = [m["param"] for m in plan.get("tensor_maps", [])]
    if "tensor_maps" in plan.get("attributes", {}):
        return False  # they are not among the parameters
    for p in plan["params"]:
        if not all(isinstance(e, int) for e in p.get("shape", [])):
            return False
        if p["kind"] == "pointer":
            if p.get("dtype") not in BYTES:
                return False
        elif p["kind"] != "tensor_map" or maps.count(p["name"]) != 1:
            return False
    maps_fit = all(m["dtype"] in MAP_TYPES and all(isinstance(d, int) for d in m["dims"] + m["strides"]) for m in plan.get("tensor_maps", []))
    launch = plan["launch"]
    return maps_fit and launch["cluster"] == [1, 1, 1] and all(isinstance(e, int) for e in launch["grid"] + launch["block"])


def make(tilewright, script, entry, arch, base):
    """Writes base.cubin and base.plan; the plan, or None where the entry does not compile or cannot be launched."""
    done = subprocess.run([tilewright, "compile", script, "--entry", entry, "--arch", arch, "--emit", "plan"], capture_output=True, text=True)
    try:
        plan = json.loads(done.stdout)
    except ValueError:
        print(f"no plan of {script} {entry}: {done.stderr[-300:]}", file=sys.stderr)
        return None
    if not fits(plan):
        return None
    made = tempfile.mkdtemp(dir=os.path.dirname(base) or ".")
    done = subprocess.run([tilewright, "compile", script, "--entry", entry, "--arch", arch, "--emit", "cubin", "-o", made, "--json"],
                          capture_output=True, text=True)
    cubins = [os.path.join(made, f) for f in os.listdir(made) if f.endswith(".cubin")]
    if len(cubins) == 1:
        os.replace(cubins[0], base + ".cubin")
        plan["name"] = f"{os.path.basename(script)}: {entry}"
        with open(base + ".plan", "w") as f:
            json.dump(plan, f)
    shutil.rmtree(made)
    return plan if len(cubins) == 1 else None


def read_list(path):
    """Pairs of script and entry; scripts are beside the list, or in examples/."""
    here = os.path.dirname(os.path.abspath(path))
    examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")
    for line in open(path):
        line = line.split("#")[0].strip()
        if line:
            script, entry = line.split(": ", 1)
            beside = os.path.join(here, script)
            yield (beside if os.path.exists(beside) else os.path.normpath(os.path.join(examples, script))), entry


def prepare(options):
    os.makedirs(options.folder, exist_ok=True)
    number = 0
    for script, entry in read_list(options.list):
        if make(options.tilewright, script, entry, options.arch, os.path.join(options.folder, f"{number:04}")):
            number += 1
        else:
            print(f"left out: {os.path.basename(script)}: {entry}", file=sys.stderr)
    print(f"{number} kernels")


# ---- there ----

class Device:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check(self.cuda.cuInit(0), "cuInit")
        self.context, device = ctypes.c_void_p(), ctypes.c_int()
        self.check(self.cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
        self.check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), device), "cuDevicePrimaryCtxRetain")
        self.check(self.cuda.cuCtxSetCurrent(self.context), "cuCtxSetCurrent")
        self.held = []

    @staticmethod
    def check(result, what):
        if result:
            raise RuntimeError(f"{what}: CUDA error {result}")

    def allocate(self, size):
        at = ctypes.c_uint64()
        self.check(self.cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(max(size, 256))), "cuMemAlloc")
        self.held.append(at)
        return at

    def free(self):
        for at in self.held:
            self.cuda.cuMemFree_v2(at)
        self.held = []

    def event(self):
        out = ctypes.c_void_p()
        self.check(self.cuda.cuEventCreate(ctypes.byref(out), 0), "cuEventCreate")
        return out

    def between(self, first, last):
        out = ctypes.c_float()
        self.check(self.cuda.cuEventSynchronize(last), "cuEventSynchronize")
        self.check(self.cuda.cuEventElapsedTime(ctypes.byref(out), first, last), "cuEventElapsedTime")
        return out.value * 1000


def contents(name, dtype, count):
    import numpy
    if name == "follow":
        step = 32 * 10007 if count > 1 << 20 else 32 * 7 if count > 32 else 7
        return ((numpy.arange(count, dtype=numpy.int64) + step) % count).astype(numpy.int32)
    drawn = numpy.random.default_rng(1)
    if dtype in ("float16", "float32", "float64"):
        return drawn.standard_normal(count, dtype=numpy.float32).astype(dtype)
    if dtype == "bfloat16":
        return (drawn.standard_normal(count, dtype=numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    return drawn.integers(0, 64, count).astype({1: numpy.uint8, 2: numpy.int16, 4: numpy.int32, 8: numpy.int64}[BYTES[dtype]])


class Kernel:
    def __init__(self, device, base, filled):
        self.device = device
        with open(base + ".plan") as f:
            self.plan = json.load(f)
        with open(base + ".cubin", "rb") as f:
            cubin = f.read()
        cuda, launch = device.cuda, self.plan["launch"]
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        device.check(cuda.cuModuleLoadData(ctypes.byref(self.module), cubin), base)
        device.check(cuda.cuModuleGetFunction(ctypes.byref(self.function), self.module, self.plan["symbol"].encode()), self.plan["symbol"])
        self.shared = launch["dynamic_shared_bytes"]
        if self.shared:
            device.check(cuda.cuFuncSetAttribute(self.function, 8, self.shared), "cuFuncSetAttribute")
        at, self.values = {}, []
        maps = {m["param"]: m for m in self.plan.get("tensor_maps", [])}
        for p in self.plan["params"]:
            if p["name"] not in at:
                at[p["name"]] = self.tensor(p, maps.get(p["name"]), filled)
            self.values.append(self.map_of(maps[p["name"]], at[p["name"]]) if p["kind"] == "tensor_map" else at[p["name"]])
        pointers = [ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) if not isinstance(v, int) else ctypes.c_void_p(v) for v in self.values]
        self.arguments = (ctypes.c_void_p * max(len(pointers), 1))(*pointers)

    def tensor(self, p, of_map, filled):
        dtype = p["dtype"] if p["dtype"] in BYTES else of_map["dtype"]
        count = 1
        for extent in p["shape"]:
            count *= extent
        out = self.device.allocate(count * BYTES[dtype])
        if filled:
            data = contents(p["name"], dtype, count)
            self.device.check(self.device.cuda.cuMemcpyHtoD_v2(out, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(data.nbytes)), "copy")
        else:
            self.device.check(self.device.cuda.cuMemsetD8_v2(out, ctypes.c_ubyte(0), ctypes.c_size_t(max(count * BYTES[dtype], 256))), "set")
        return out

    def map_of(self, m, at):
        """The address of a tensor map, on a multiple of 64 bytes."""
        room = ctypes.create_string_buffer(256)
        self.room = getattr(self, "room", []) + [room]
        place = (ctypes.addressof(room) + 63) // 64 * 64
        rank = m["rank"]
        self.device.check(self.device.cuda.cuTensorMapEncodeTiled(
            ctypes.c_void_p(place), MAP_TYPES[m["dtype"]], rank, ctypes.c_uint64(at.value + m["byte_offset"]),
            (ctypes.c_uint64 * rank)(*m["dims"]), (ctypes.c_uint64 * max(rank - 1, 1))(*m["strides"]), (ctypes.c_uint32 * rank)(*m["box"]),
            (ctypes.c_uint32 * rank)(*m["element_strides"]), m["interleave"], m["swizzle"], m["l2_promotion"], m["oob_fill"]), "tensor map")
        return place

    def launch(self, stream=None):
        launch = self.plan["launch"]
        self.device.check(self.device.cuda.cuLaunchKernel(self.function, *launch["grid"], *launch["block"], self.shared, stream, self.arguments, None),
                          self.plan["name"])

    def end(self):
        self.device.check(self.device.cuda.cuCtxSynchronize(), self.plan["name"])

    def unload(self):
        self.device.cuda.cuModuleUnload(self.module)
        self.device.free()


def bases(folder):
    return [os.path.join(folder, f[:-5]) for f in sorted(os.listdir(folder)) if f.endswith(".plan")]


def go_on(options, number):
    """From a kernel on, in a new process: what a fault leaves cannot be used again."""
    filled = ["--filled"] if options.filled else []
    os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), options.command, options.folder, "--first", str(number), *filled])


def once(options):
    device = Device()
    for number, base in list(enumerate(bases(options.folder)))[options.first:]:
        try:
            kernel = Kernel(device, base, options.filled)
            kernel.launch()
            kernel.end()
            kernel.unload()
        except RuntimeError as e:
            print(f"{os.path.basename(base)}: {e}", file=sys.stderr, flush=True)
            go_on(options, number + 1)


class Graph:
    """So many launches of a kernel, one after the other."""

    def __init__(self, kernel, count):
        self.cuda, check = kernel.device.cuda, kernel.device.check
        self.stream, self.graph, self.made = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        check(self.cuda.cuStreamCreate(ctypes.byref(self.stream), 1), "cuStreamCreate")
        check(self.cuda.cuStreamBeginCapture_v2(self.stream, 2), "cuStreamBeginCapture")
        for _ in range(count):
            kernel.launch(self.stream)
        check(self.cuda.cuStreamEndCapture(self.stream, ctypes.byref(self.graph)), "cuStreamEndCapture")
        check(self.cuda.cuGraphInstantiateWithFlags(ctypes.byref(self.made), self.graph, ctypes.c_uint64(0)), "cuGraphInstantiate")

    def launch(self):
        self.cuda.cuGraphLaunch(self.made, self.stream)

    def free(self):
        self.cuda.cuStreamSynchronize(self.stream)
        self.cuda.cuGraphExecDestroy(self.made)
        self.cuda.cuGraphDestroy(self.graph)
        self.cuda.cuStreamDestroy_v2(self.stream)


def timed(device, kernel, batches=9, together_us=1500.0, cold=9):
    first, last, cuda = device.event(), device.event(), device.cuda

    def batch(graph, count):
        cuda.cuEventRecord(first, graph.stream)
        graph.launch()
        cuda.cuEventRecord(last, graph.stream)
        return device.between(first, last) / count

    kernel.launch()
    kernel.end()
    try_out = Graph(kernel, 10)
    batch(try_out, 10)
    count = max(2, min(400, int(together_us / max(batch(try_out, 10), 0.5))))
    try_out.free()
    # The difference of two lengths leaves out what a graph itself costs.
    short, long = Graph(kernel, count), Graph(kernel, 2 * count)
    hot = []
    for n in range(batches + 1):
        one, two = batch(short, 1), batch(long, 1)
        if n:
            hot.append((two - one) / count)
    short.free()
    long.free()
    flush, after = device.allocate(256 << 20), []
    for n in range(cold):
        cuda.cuMemsetD8Async(flush, ctypes.c_ubyte(n), ctypes.c_size_t(256 << 20), None)
        cuda.cuEventRecord(first, None)
        kernel.launch()
        cuda.cuEventRecord(last, None)
        after.append(device.between(first, last))
    return {"hot": sorted(hot), "cold": sorted(after)}


def time(options):
    device = Device()
    for number, base in list(enumerate(bases(options.folder)))[options.first:]:
        try:
            kernel = Kernel(device, base, True)
            answer = timed(device, kernel)
            print(json.dumps({"name": kernel.plan["name"], "grid": kernel.plan["launch"]["grid"], "block": kernel.plan["launch"]["block"],
                              "hot_us": answer["hot"][len(answer["hot"]) // 2], "cold_us": answer["cold"][len(answer["cold"]) // 2], **answer}), flush=True)
            kernel.unload()
        except RuntimeError as e:
            print(json.dumps({"base": os.path.basename(base), "error": str(e)}), flush=True)
            go_on(options, number + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("prepare")
    one.add_argument("tilewright")
    one.add_argument("list")
    one.add_argument("folder")
    one.add_argument("--arch", default="sm_90a")
    for name in ("once", "time"):
        one = commands.add_parser(name)
        one.add_argument("folder")
        one.add_argument("--first", type=int, default=0, help="the number of the first kernel")
        one.add_argument("--filled", action="store_true", help="with the contents that `time` gives, instead of zeros")
    options = parser.parse_args()
    return {"prepare": prepare, "once": once, "time": time}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
