#!/usr/bin/env python3
"""What a call from Python costs on a GPU, beside the same launch from C and beside torch's add_, in one process.

    gpu_bench.py TILEWRIGHT EXTENSION [--rounds 20] [--calls 500] [--gemm 4096] [--driver libcuda.so.1] [--limit 2.5]

EXTENSION is the built _launch.abi3.so. Needs a C compiler (cc) and CUDA's compiler where the binary finds it (CUDA_HOME).
Without torch, tensors are of a class of this file that offers DLPack's C interface as torch does. With torch: the calls
in a CUDA graph and under torch.compile, too. Times are medians over all rounds; the three are measured in turn. Exit
status 1: a result is wrong or a figure over its limit.
"""
import argparse
import base64
import ctypes
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
failures = []


def check(good, words):
    print(("ok      " if good else "FAILED  ") + words)
    if not good:
        failures.append(words)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilewright")
    parser.add_argument("extension")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--gemm", type=int, default=4096)
    parser.add_argument("--driver", default="libcuda.so.1")
    parser.add_argument("--limit", type=float, default=2.5)
    parser.add_argument("--without-torch", action="store_true")
    parser.add_argument("--pretended", action="store_true", help="the driver is that of tests/gpu: results are not looked at")
    return parser.parse_args()


class Loop:
    """Launches from C."""

    def __init__(self, driver, folder):
        path = os.path.join(folder, "launch_loop.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", os.path.join(HERE, "launch_loop.c"), "-o", path, "-ldl"], check=True)
        self.library = ctypes.CDLL(path)
        self.function = self.library.launch_loop
        self.driver = driver.encode()

    def times(self, bare, count, batch):
        out = (ctypes.c_longlong * count)()
        error = self.function(self.driver, ctypes.byref(bare["config"]), bare["function"], bare["pointers"], count, batch, out)
        if error:
            raise RuntimeError(f"cuLaunchKernelEx from C: error {error}")
        return list(out)


class Exchange(ctypes.Structure):
    """DLPack's table of C functions of a type."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p), ("allocate", ctypes.c_void_p),
                ("export_owned", ctypes.c_void_p), ("import_owned", ctypes.c_void_p), ("borrow", ctypes.c_void_p), ("stream", ctypes.c_void_p)]


class Memory:
    """A tensor of device memory without a library."""

    def __init__(self, driver, loop, shape, dtype):
        from tensors import CUDA, Tensor, _capsule

        library = loop.library
        if not hasattr(Memory, "table"):
            Memory.table = Exchange(1, 3, None, None, None, None, ctypes.cast(library.borrow, ctypes.c_void_p).value,
                                    ctypes.cast(library.current_stream, ctypes.c_void_p).value)
            capsule = _capsule(ctypes.addressof(Memory.table), b"dlpack_exchange_api", None)
            Memory.kind = type("OnDevice", (Tensor,), {"__dlpack_c_exchange_api__": capsule})

        pointer, size = ctypes.c_uint64(), 1
        for n in shape:
            size *= n
        size *= {"float16": 2, "float32": 4}[dtype]
        if driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size)):
            raise RuntimeError("cuMemAlloc failed")
        driver.cuMemsetD8_v2(pointer, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        self.tensor = Memory.kind(shape, dtype, (CUDA, 0))
        self.tensor.address = pointer.value
        self.tensor.__dlpack__()
        library.know(ctypes.c_void_p(id(self.tensor)), ctypes.byref(self.tensor.managed.tensor))


def bare_launch(tilewright, script, entry, tensors, folder, driver):
    """The same kernel as C launches it: by the launcher that people copy, up to its last line."""
    spec = importlib.util.spec_from_file_location("torch_kernel", os.path.join(ROOT, "docs", "pytorch", "torch_kernel.py"))
    launcher = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launcher)
    arch = tensors["arch"]
    said = subprocess.run([tilewright, "compile", script, "--entry", entry, "--arch", arch, "--emit", "plan,cubin", "--json"],
                          capture_output=True, text=True, check=True)
    made = json.loads(said.stdout)["kernels"][0]
    cubin, plan = os.path.join(folder, "bare.cubin"), os.path.join(folder, "bare.json")
    with open(cubin, "wb") as f:
        f.write(base64.b64decode(made["sources"]["cubin"]))
    numbers = tensors.get("numbers", {})

    def number(e):
        return eval(e, {}, dict(numbers)) if isinstance(e, str) else e  # the plan's own expressions
    made["plan"]["launch"] = {k: [number(e) for e in v] if isinstance(v, list) else v for k, v in made["plan"]["launch"].items()}
    with open(plan, "w", encoding="utf-8") as f:
        json.dump(made["plan"], f)
    kernel = launcher.Kernel(cubin, plan, driver)
    held = []
    for p, description in kernel.params:
        if description:
            class At:
                @staticmethod
                def data_ptr(name=description["param"]):
                    return tensors["pointers"][name]
            held.append(kernel.tensor_map(description, At))
        elif p["kind"] == "pointer":
            held.append(ctypes.c_void_p(tensors["pointers"][p["name"]]))
        else:
            held.append(launcher.SCALARS[p["dtype"]](numbers[p["name"]]))
    pointers = (ctypes.c_void_p * len(held))(*[ctypes.addressof(h) for h in held])
    attributes, count = kernel.attributes()
    launch = made["plan"]["launch"]
    config = launcher.Config((ctypes.c_uint * 3)(*launch["grid"]), (ctypes.c_uint * 3)(*launch["block"]),
                             launch["dynamic_shared_bytes"], tensors["stream"], attributes, count)
    return {"config": config, "function": kernel.function, "pointers": pointers, "held": (held, kernel, attributes)}


def median(times):
    return statistics.median(times) / 1000


def timed(call, count, batch, wait):
    out, clock = [], time.perf_counter_ns
    for i in range(count):
        if i % batch == 0:
            wait()
        begin = clock()
        call()
        out.append(clock() - begin)
    wait()
    return out


def compare(o, name, loop, bare, call, add, wait, batch, judged):
    from_c, from_python, of_torch = [], [], []
    timed(call, 50, batch, wait)
    for _ in range(o.rounds):
        from_c += loop.times(bare, o.calls, batch)
        from_python += timed(call, o.calls, batch, wait)
        if add:
            of_torch += timed(add, o.calls, batch, wait)
    c, python = median(from_c), median(from_python)
    print(f"{name}: {python:.2f} us a call from Python, {c:.2f} us cuLaunchKernelEx from C, difference {python - c:.2f} us"
          + (f", torch's add_ {median(of_torch):.2f} us" if add else "") + f" (medians of {len(from_c)})")
    if judged:
        check(python - c <= o.limit, f"{name}: at most {o.limit} us over the launch from C")
        if add:
            check(python < median(of_torch), f"{name}: the whole call is below torch's add_")


def main():
    o = arguments()
    sys.path[:0] = [os.path.join(ROOT, "python"), HERE]
    os.environ["TILEWRIGHT_BIN"] = os.path.abspath(o.tilewright)
    os.environ["TILEWRIGHT_DRIVER"] = o.driver
    begin = time.perf_counter()
    import tilewright
    imported = (time.perf_counter() - begin) * 1000
    tilewright.__path__.append(os.path.dirname(os.path.abspath(o.extension)))
    print(f"import tilewright: {imported:.1f} ms")
    check(imported < 30, "the import takes less than 30 ms")
    torch = None
    if not o.without_torch:
        try:
            import torch
        except ImportError:
            print("there is no torch here")
    if torch and not torch.cuda.is_available():
        sys.exit("torch sees no GPU")
    folder = tempfile.mkdtemp(prefix="tilewright-bench-")
    loop = Loop(o.driver, folder)
    driver = ctypes.CDLL(o.driver)
    from tilewright import _launch
    from tilewright._kernel import open_driver

    open_driver()
    if not torch:
        context, device = ctypes.c_void_p(), ctypes.c_int()
        driver.cuDeviceGet(ctypes.byref(device), 0)
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        driver.cuCtxSetCurrent(context)
    else:
        torch.zeros(1, device="cuda")
    major, minor = _launch.capability(0)
    arch = f"sm_{major}{minor}" + ("a" if major >= 9 else "")
    print(f"device {arch}" + (f", {torch.cuda.get_device_name(0)}, torch {torch.__version__}" if torch else ""))

    def make(shape, dtype, random=True):
        if not torch:
            return Memory(driver, loop, shape, dtype).tensor
        out = torch.zeros(shape, dtype=getattr(torch, dtype), device="cuda")
        return out.normal_() if random else out

    def pointer(t):
        return t.data_ptr() if torch else t.address

    wait = torch.cuda.synchronize if torch else driver.cuCtxSynchronize
    stream = torch.cuda.current_stream().cuda_stream if torch else 0

    # ---- three tensors ----
    n = 1024
    a, b, c = make([n], "float32"), make([n], "float32"), make([n], "float32", False)
    script = os.path.join(ROOT, "examples", "vector_add.py")
    add = tilewright.load(script)["vector_add"]
    begin = time.perf_counter()
    add(a, b, c)
    wait()
    print(f"the first call of vector_add, with its compilation: {(time.perf_counter() - begin) * 1000:.0f} ms")
    if torch:
        check(torch.equal(c, a + b), "vector_add is right")
    bare = bare_launch(o.tilewright, script, "vector_add", {"arch": arch, "numbers": {"n": n}, "stream": stream, "pointers": {
        "A": pointer(a), "B": pointer(b), "C": pointer(c)}}, folder, o.driver)
    compare(o, "vector_add of 3 tensors", loop, bare, lambda: add(a, b, c), (lambda: a.add_(b)) if torch else None, wait, 100,
            not o.pretended)

    # ---- the Hopper GEMM ----
    size = o.gemm
    entry = f"gemm({size}, {size}, {size})"
    script = os.path.join(ROOT, "examples", "gemm_hopper.py")
    A, B, C = make([size, size], "float16"), make([size, size], "float16"), make([size, size], "float16", False)
    if torch:
        A.mul_(0.1), B.mul_(0.1)
    gemm = tilewright.load(script)[entry]
    if arch != "sm_90a":
        print(f"left out: the Hopper GEMM, on {arch}")
    else:
        gemm(A, B, C)
        wait()
        if torch:
            check(torch.allclose(C.float(), A.float() @ B.float().T, rtol=2e-2, atol=2e-2), f"{entry} is right")
        bare = bare_launch(o.tilewright, script, entry, {"arch": arch, "stream": stream, "pointers": {
            "A": pointer(A), "B": pointer(B), "C": pointer(C)}}, folder, o.driver)
        compare(o, entry, loop, bare, lambda: gemm(A, B, C), (lambda: a.add_(b)) if torch else None, wait, 50,
                not o.pretended)
    if torch:
        graphs(torch, tilewright, add, gemm if arch == "sm_90a" else None, (a, b, c), (A, B, C))
    print("FAILED: " + "; ".join(failures) if failures else "all figures hold")
    sys.exit(bool(failures))


def graphs(torch, tilewright, add, gemm, small, large):
    a, b, c = small
    graph = torch.cuda.CUDAGraph()
    c.zero_()
    with torch.cuda.graph(graph):
        add(a, b, c)
        if gemm:
            gemm(*large)
    a.fill_(3)
    b.fill_(4)
    if gemm:
        large[2].zero_()
    graph.replay()
    torch.cuda.synchronize()
    good = bool((c == 7).all()) and (not gemm or bool(large[2].abs().sum() > 0))
    check(good, "captured in a CUDA graph, and replayed on other contents")
    side = torch.cuda.Stream()
    c.zero_()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        add(a, b, c)
    side.synchronize()
    check(bool((c == 7).all()), "in the current stream, which is a side stream")
    operator = tilewright.torch_operator(add, "tilewright_bench::vector_add")

    def both(x, y):
        out = torch.empty_like(x)
        operator(x, y, out)
        return out * 2

    compiled = torch.compile(both, fullgraph=True)
    check(torch.allclose(compiled(a, b), (a + b) * 2), "under torch.compile, as an operator of torch.library")


if __name__ == "__main__":
    main()
