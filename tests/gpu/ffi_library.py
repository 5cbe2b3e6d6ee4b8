#!/usr/bin/env python3
"""ffi_library.py TILEWRIGHT: libraries of `tilewright export` in the real tvm_ffi, on a GPU. Run by hand.

Needs torch, apache-tvm-ffi, a C++ compiler and CUDA (CUDA_HOME). Results, streams, a CUDA graph, and what is wrong with a call;
exit status 1: something is not as expected. Prints what a call costs beside torch's add_.
"""
import os
import subprocess
import sys
import tempfile
import time

import torch
import tvm_ffi

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples")
failures = []


def check(good, words):
    print(("ok      " if good else "FAILED  ") + words, flush=True)
    if not good:
        failures.append(words)


def exported(folder, script, entry):
    out = os.path.join(folder, script + ".so")
    arch = "sm_%d%d" % torch.cuda.get_device_capability() + ("a" if torch.cuda.get_device_capability()[0] >= 9 else "")
    subprocess.run([sys.argv[1], "export", os.path.join(EXAMPLES, script + ".py"), "--entry", entry, "--arch", arch, "-o", out], check=True)
    return getattr(tvm_ffi.load_module(out), entry.split("(")[0])


def added(add):
    a, b = torch.rand(100_003, device="cuda"), torch.rand(100_003, device="cuda")
    c = torch.zeros_like(a)
    add(a, b, c)
    torch.cuda.synchronize()
    check(torch.equal(c, a + b), "vector_add of torch's tensors")
    c.zero_()
    add(tvm_ffi.from_dlpack(a), tvm_ffi.from_dlpack(b), tvm_ffi.from_dlpack(c))
    torch.cuda.synchronize()
    check(torch.equal(c, a + b), "of tensors of tvm_ffi")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        large = [torch.full((1 << 24,), v, device="cuda") for v in (1.0, 2.0, 0.0)]
        for _ in range(20):
            large[0] += 1
        add(*large)
        large[2] += 1
    stream.synchronize()
    check(bool((large[2] == 24).all()), "in torch's current stream")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add(a, b, c)
    c.zero_()
    graph.replay()
    torch.cuda.synchronize()
    check(torch.equal(c, a + b), "captured in a CUDA graph")
    for words, given in (("dtype", (a.half(), b, c)), ("shape", (a[:5], b, c)), ("device", (a.cpu(), b, c)), ("count", (a, b)),
                         ("stride", (a[::2], b[::2].contiguous(), c[::2].contiguous()))):
        try:
            add(*given)
            check(False, f"{words}: no error")
        except (TypeError, ValueError) as e:
            check(True, f"{words}: {str(e).splitlines()[-1]}")


def multiplied(gemm):
    a, b = (torch.randn(4096, 4096, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.zeros(4096, 4096, device="cuda", dtype=torch.float16)
    gemm(a, b, c)
    torch.cuda.synchronize()
    off = float((c.float() - a.float() @ b.float().T).abs().max())
    check(off < 1 < float(c.abs().max()), f"the Hopper GEMM: at most {off:.3f} from torch's float32")


def median(call, count=2000):
    times = []
    for n in range(count):
        began = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - began)
        if n % 100 == 99:
            torch.cuda.synchronize()
    return sorted(times)[count // 2] / 1000


def main():
    print("tvm_ffi", tvm_ffi.__version__, "torch", torch.__version__, torch.cuda.get_device_name())
    with tempfile.TemporaryDirectory() as folder:
        add = exported(folder, "vector_add", "vector_add")
        added(add)
        if torch.cuda.get_device_capability()[0] == 9:
            multiplied(exported(folder, "gemm_hopper", "gemm(4096, 4096, 4096)"))
        a, b, c = (torch.rand(1024, device="cuda") for _ in range(3))
        median(lambda: add(a, b, c))
        print(f"a call of 3 tensors: {median(lambda: add(a, b, c)):.2f} us; torch's add_: {median(lambda: c.add_(a)):.2f} us")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
