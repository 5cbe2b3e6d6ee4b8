"""Kernels of scripts in a process of PyTorch: compiled for the GPU that is there, launched from cubin and plan, timed.

PyTorch holds the tensors; a kernel is launched by the driver, as its plan says, on PyTorch's current stream.
"""
import ctypes
import json
import subprocess
import sys
from pathlib import Path

import torch

ROUNDS, CALLS = 15, 8

driver = ctypes.CDLL("libcuda.so.1")
# CUtensorMapDataType by the names of plans.
DATA_TYPES = {"float16": 6, "bfloat16": 9, "float32": 7, "int32": 3, "uint8": 0}


def call(name, *args):
    status = getattr(driver, name)(*args)
    if status:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(status, ctypes.byref(text))
        sys.exit(f"{name}: {text.value.decode() if text.value else status}")


def encode(m, address):
    """The tensor map `m` of a plan, of the tensor at `address`."""
    storage = ctypes.create_string_buffer(128 + 64)
    at = (ctypes.addressof(storage) + 63) // 64 * 64
    rank = m["rank"]
    array = lambda kind, values: (kind * len(values))(*values)
    call(
        "cuTensorMapEncodeTiled", ctypes.c_void_p(at), DATA_TYPES[m["dtype"]], ctypes.c_uint32(rank),
        ctypes.c_void_p(address + m["byte_offset"]), array(ctypes.c_uint64, m["dims"]),
        array(ctypes.c_uint64, m["strides"] or [0]), array(ctypes.c_uint32, m["box"]),
        array(ctypes.c_uint32, m["element_strides"]), m["interleave"], m["swizzle"], m["l2_promotion"], m["oob_fill"],
    )
    return storage, at


class Kernel:
    """A cubin and its plan, ready to be launched on tensors, given by the names of its parameters."""

    def __init__(self, cubin, plan, tensors):
        self.plan = json.loads(Path(plan).read_text())
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoad", ctypes.byref(module), str(cubin).encode())
        call("cuModuleGetFunction", ctypes.byref(self.function), module, self.plan["symbol"].encode())
        bytes_ = self.plan["launch"]["dynamic_shared_bytes"]
        call("cuFuncSetAttribute", self.function, 8, ctypes.c_int(bytes_))
        self.keep, slots = [], []
        maps = list(self.plan["tensor_maps"])
        for p in self.plan["params"]:
            address = tensors[p["name"]].data_ptr()
            if p["kind"] == "tensor_map":
                m = next(m for m in maps if m["param"] == p["name"])
                maps.remove(m)
                storage, at = encode(m, address)
                self.keep.append(storage)
                slots.append(at)
            else:
                value = ctypes.c_uint64(address)
                self.keep.append(value)
                slots.append(ctypes.addressof(value))
        self.params = (ctypes.c_void_p * len(slots))(*slots)

    def __call__(self):
        launch = self.plan["launch"]

        class Dim3(ctypes.Structure):
            _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]

        class Attribute(ctypes.Structure):
            _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]

        class Config(ctypes.Structure):
            _fields_ = [("grid", Dim3), ("block", Dim3), ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p),
                        ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]

        cluster = Attribute(4, 0, (ctypes.c_uint * 16)(*launch["cluster"]))
        config = Config(Dim3(*launch["grid"]), Dim3(*launch["block"]), launch["dynamic_shared_bytes"],
                        torch.cuda.current_stream().cuda_stream, ctypes.pointer(cluster), 1)
        call("cuLaunchKernelEx", ctypes.byref(config), self.function, self.params, None)


def compiled(binary, script, entry, folder, tensors):
    folder.mkdir()
    arch = "sm_%d%da" % torch.cuda.get_device_capability()
    for what in ("cubin", "plan"):
        subprocess.run([binary, "compile", script, "--entry", entry, "--arch", arch, "--emit", what, "-o", str(folder)],
                       check=True, stdout=subprocess.DEVNULL)
    cubin, = folder.glob("*.cubin")
    plan, = folder.glob("*.json")
    return Kernel(cubin, plan, tensors)


def in_turns(works):
    """Microseconds of each work, by name: `ROUNDS` rounds in which each takes its turn, so that all see the same clocks."""
    times = {name: [] for name in works}
    for r in range(ROUNDS + 2):
        for name, work in works.items():
            t = microseconds(work)
            if r >= 2:
                times[name].append(t)
    return times


def microseconds(work):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(CALLS):
        work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1000 / CALLS
