#!/usr/bin/env python3
"""export_test.py TILEWRIGHT: `tilewright export`: a library that tvm_ffi.load_module takes.

The library is called as TVM's FFI calls it, over a driver that says what was launched (no GPU, no TVM).
"""
import json
import os
import shutil
import subprocess
import sys

from case import Case, main

KERNEL = """\
from tvm.script import tirx as T


@T.prim_func
def scaled(a: T.handle, b: T.handle, factor: T.float32):
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "float32")
    B = T.match_buffer(b, (n, 4), "float32")
    T.device_entry()
    bx = T.cta_id([n])
    tx = T.thread_id([32])
    if tx < 4:
        B[bx, tx] = A[bx, tx] * factor


# tilewright: entry scaled
"""

# CUDA's driver and TVM's FFI, as far as the library asks for them: what happens goes to standard output.
DRIVER = r"""
#include <stdio.h>
#include <string.h>
typedef struct { unsigned grid[3], block[3], shared; void* stream; void* attributes; unsigned count; } Config;
int cuInit(unsigned f) { return 0; }
int cuDeviceGet(int* d, int id) { *d = id; return id > 1 ? 101 : 0; }
int cuCtxGetCurrent(void** c) { *c = 0; return 0; }
int cuCtxGetDevice(int* d) { *d = 0; return 0; }
int cuDevicePrimaryCtxRetain(void** c, int d) { *c = (void*)(8L + d); return 0; }
int cuCtxPushCurrent_v2(void* c) { printf("push %ld\n", (long)c - 8); return 0; }
int cuCtxPopCurrent_v2(void** c) { printf("pop\n"); return 0; }
int cuLibraryLoadData(void** l, const char* code, void* a, void* b, unsigned c, void* d, void* e, unsigned f) {
  printf("load %.3s\n", code + 1); *l = (void*)16; return 0; }
int cuLibraryGetKernel(void** k, void* l, const char* name) { printf("kernel %s\n", name); *k = (void*)24; return 0; }
int cuKernelGetFunction(void** f, void* k) { *f = (void*)32; return 0; }
int cuGetErrorName(int error, const char** name) { *name = error == 101 ? "CUDA_ERROR_INVALID_DEVICE" : "CUDA_ERROR"; return 0; }
int cuLaunchKernelEx(const Config* c, void* f, void** arguments, void** extra) {
  float factor; memcpy(&factor, arguments[2], 4);
  printf("launch %u x %u stream %ld %lx %lx %g\n", c->grid[0], c->block[0], (long)c->stream, *(long*)arguments[0], *(long*)arguments[1], factor);
  fflush(stdout);
  return 0;
}
void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) { printf("%s: %s\n", kind, message); fflush(stdout); }
void* TVMFFIEnvGetStream(int type, int id) { return (void*)77; }
"""

# A program that loads both and calls the function once a line of its input.
CALLER = r"""
import ctypes, json, sys
class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]
class Any(ctypes.Structure):
    class Value(ctypes.Union):
        _fields_ = [("integer", ctypes.c_int64), ("number", ctypes.c_double), ("pointer", ctypes.c_void_p)]
    _fields_ = [("type", ctypes.c_int32), ("padding", ctypes.c_uint32), ("value", Value)]
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
function = ctypes.CDLL(sys.argv[2]).__getattr__("__tvm_ffi_scaled")
for line in sys.stdin:
    given, kept = json.loads(line), []
    array = (Any * max(1, len(given)))()
    for at, one in zip(array, given):
        if isinstance(one, dict):
            shape = (ctypes.c_int64 * len(one["shape"]))(*one["shape"])
            strides = (ctypes.c_int64 * len(one["shape"]))(*one["strides"]) if "strides" in one else None
            device = (ctypes.c_int32 * 2)(*one.get("device", [2, 0]))
            t = Tensor(one.get("data", 4096), device, len(shape), one.get("code", 2), one.get("bits", 32), 1, shape, strides, one.get("offset", 0))
            kept += [shape, strides, t]
            at.type, at.value.pointer = 7, ctypes.addressof(t)
        elif isinstance(one, float):
            at.type, at.value.number = 3, one
        else:
            at.type, at.value.integer = 1, one
    print("status", function(None, array, len(given), ctypes.byref(Any())), flush=True)
"""


class Export(Case):
    def library(self, *more):
        if self.run_it("doctor").status != 0 or not shutil.which("c++") or not shutil.which("cc"):
            self.skipTest("no CUDA compiler, or no C++ compiler here")
        out = self.path("scaled.so")
        r = self.expect(0, "export", self.file("scaled.py", KERNEL), "-o", out, *more)
        self.assertRegex(r.text, r"scaled\.so  scaled  sm_\w+\n")
        return out

    def calls(self, library, *given):
        driver = self.path("driver.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", driver], input=DRIVER, text=True, check=True)
        done = subprocess.run([sys.executable, "-c", CALLER, driver, library], input="\n".join(json.dumps(g) for g in given), text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_a_call_checks_and_launches(self):
        good = {"shape": [3, 4]}
        said = self.calls(self.library(), [good, {"shape": [3, 4], "data": 8192, "strides": [4, 1], "offset": 16}, 0.5], [good, good, 2])
        self.assertEqual(said, ["push 0", "load ELF", "kernel scaled_kernel", "launch 3 x 32 stream 77 1000 2010 0.5", "pop", "status 0",
                                "push 0", "launch 3 x 32 stream 77 1000 1000 2", "pop", "status 0"])

    def test_what_is_wrong_is_named_before_the_launch(self):
        good = {"shape": [3, 4]}
        wrong = [([good, good], "TypeError: scaled: the arguments are (A, B, factor), and 2 are given"),
                 ([good, 1, 1.0], "TypeError: scaled: B is a tensor of float32"),
                 ([good, good, good], "TypeError: scaled: factor is a number"),
                 ([{"shape": [3, 4], "bits": 16}, good, 1.0], "TypeError: scaled: A has elements of another dtype than float32"),
                 ([{"shape": [12]}, good, 1.0], "ValueError: scaled: A has 1 dimensions, not 2"),
                 ([{"shape": [3, 5]}, good, 1.0], "ValueError: scaled: A.shape[1] is 5, not 4"),
                 ([good, {"shape": [4, 4]}, 1.0], "ValueError: scaled: B.shape[0] is 4, not 3"),
                 ([{"shape": [3, 4], "strides": [1, 3]}, good, 1.0], "ValueError: scaled: A.strides[0] is 1, not 4 elements"),
                 ([{"shape": [3, 4], "device": [1, 0]}, good, 1.0], "ValueError: scaled: A is not on a CUDA device"),
                 ([good, {"shape": [3, 4], "device": [2, 1]}, 1.0], "ValueError: scaled: B is on another device than the first tensor"),
                 ([{"shape": [3, 4], "data": 4097}, good, 1.0], "ValueError: scaled: A is not aligned to 4 bytes"),
                 ([{"shape": [3, 4], "device": [2, 5]}, {"shape": [3, 4], "device": [2, 5]}, 1.0],
                  "RuntimeError: scaled: CUDA's driver answers CUDA_ERROR_INVALID_DEVICE")]
        said = self.calls(self.library(), *[given for given, _ in wrong])
        self.assertEqual(said, [text for _, message in wrong for text in (message, "status -1")])

    def test_the_text_needs_no_compiler(self):
        path = self.file("scaled.py", KERNEL)
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        self.expect(0, "export", path, "-o", self.path("scaled.cpp"), "--cxx", "/nowhere/c++")
        with open(self.path("scaled.cpp"), encoding="utf-8") as f:
            self.assertIn("__tvm_ffi_scaled", f.read())
        r = self.expect(2, "export", path, "-o", self.path("x.so"), "--cxx", "/nowhere/c++")
        self.assertIn("cannot start /nowhere/c++: No such file or directory; --cxx", r.errors)
        self.assertFalse(os.path.exists(self.path("x.so")))

    def test_what_has_no_library(self):
        self.assertIn("no kernel to export", self.expect(2, "export", self.file("e.py", "x = 1\n"), "-o", self.path("e.so")).errors)
        self.expect(1, "export", self.file("bad.py", KERNEL.replace("A[bx, tx] *", "C[bx, tx] *")), "-o", self.path("e.so"))
        self.assertIn("no such file", self.expect(2, "export", self.path("none.py"), "-o", self.path("e.so")).errors.lower())


if __name__ == "__main__":
    main()
