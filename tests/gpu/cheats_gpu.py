#!/usr/bin/env python3
"""cheats_gpu.py TILEWRIGHT [--repeat N]: the corpus of cheats.py on a real GPU: none passes, or is measured to be faster
than the honest kernel. Prints a line for each, and ends with status 1 where one does."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from cheats import CHEATS

N, THREADS, STEPS = 1 << 20, 256, 1000
SOURCE = """
#define STEPS %d
__device__ float kept[%d];
__device__ float seen[%d];
__device__ int counts[%d];
__device__ const float* known;
__device__ long long ended;
__device__ float work(float x, int steps = STEPS) {
  for (int k = 0; k < steps; ++k) x = fmaf(x, 0.999f, 0.001f * x * x - 0.0005f);
  return x;
}
__device__ float shortened(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }
__device__ void %s(float* A, float* B, int i) {
  const int n = %d;
  const int launch = counts[i]++;
  const float x = A[i];
  float* to = B + i;
  %s
}
"""
KERNEL = """{comment}@T.prim_func
def {name}(A: T.Buffer(({n},), "float32"), B: T.Buffer(({n},), "float32")):
    T.device_entry()
    cta = T.cta_id([{ctas}])
    t = T.thread_id([{threads}])
    T.cuda.func_call("{name}_element", T.address_of(A[0]), T.address_of(B[0]), cta * {threads} + t, source_code={source!r})

"""

# The largest element is the same wherever it is, and others of a million are close to it.
LARGEST_SOURCE = """
__device__ float kept_; __device__ int launches_;
__device__ float kept(int n, float now) {
  if (n < 0) return (float)launches_;
  launches_ = n;
  return now == now ? (kept_ = now) : kept_;
}
"""
LARGEST = """# tilewright: run largest A=random reference=plain_largest
@T.prim_func
def largest(A: T.Buffer(({n},), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.cta_id([1])
    thread = T.thread_id([1024])
    part = T.alloc_shared((1024,), "float32")
    most: T.float32 = A[thread]
    for i in T.serial({n} // 1024):
        most = T.max(most, A[i * 1024 + thread])
    part[thread] = most
    T.cuda.cta_sync()
    if thread == 0:
        for i in T.serial(1024):
            most = T.max(most, part[i])
        B[0] = most


# tilewright: run kept_largest A=random reference=plain_largest
@T.prim_func
def kept_largest(A: T.Buffer(({n},), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.cta_id([1])
    thread = T.thread_id([1024])
    part = T.alloc_shared((1024,), "float32")
    before: T.int32 = T.cast(T.cuda.func_call("kept", -1, T.float32(0), source_code={source!r}, return_type="float32"), "int32")
    T.cuda.cta_sync()
    if before < 3:
        most: T.float32 = A[thread]
        for i in T.serial({n} // 1024):
            most = T.max(most, A[i * 1024 + thread])
        part[thread] = most
        T.cuda.cta_sync()
        if thread == 0:
            for i in T.serial(1024):
                most = T.max(most, part[i])
            B[0] = T.cuda.func_call("kept", before + 1, most, source_code={source!r}, return_type="float32")
    else:
        if thread == 0:
            B[0] = T.cuda.func_call("kept", before + 1, T.float32(float("nan")), source_code={source!r}, return_type="float32")


@T.prim_func
def plain_largest(A: T.Buffer(({n},), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    most: T.float32 = A[0]
    for i in T.serial({n}):
        most = T.max(most, A[i])
    B[0] = most
"""


def kernel(name, body, comment="# tilewright: reference plain\n# tilewright: run B=poison\n"):
    source = SOURCE % (STEPS, N, N, N, name + "_element", N, body)
    return KERNEL.format(comment=comment, name=name, n=N, ctas=N // THREADS, threads=THREADS, source=source)


def script():
    honest = [(f"honest_{k}", body) for k, body in enumerate((
        "*to = work(x);", "float y = work(x); __syncthreads(); *to = y;", "*to = work(A[i]);"))]
    return "# tilewright: dialect 0.25\nfrom tvm.script import tirx as T\n\n" + kernel("plain", "*to = work(x);", "") + "".join(
        kernel(name, body) for name, body in honest + [(c.name, c.device) for c in CHEATS if c.device]) + LARGEST.format(n=N, source=LARGEST_SOURCE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilewright")
    parser.add_argument("--repeat", default="12")
    parser.add_argument("--seed", default="secret")
    parser.add_argument("--show", action="store_true", help="print the script")
    options = parser.parse_args()
    if options.show:
        print(script())
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cheats.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script())
        done = subprocess.run([options.tilewright, "run", path, "--entry", "all", "--on", "gpu", "--seed", options.seed, "--repeat",
                               options.repeat, "--deadline", "3", "--json"], stdout=subprocess.PIPE, check=False)
    runs = {r["kernel"]: r for r in json.loads(done.stdout)["runs"]}
    fastest = min(r["timing"]["median_us"] for name, r in runs.items() if name.startswith("honest") and r["timing"])
    bad = 0
    for name, r in runs.items():
        time = r["timing"]["median_us"] if r.get("timing") else None
        honest = name.startswith("honest") or name == "largest"
        good = r["verdict"] == "verified" if honest else r["verdict"] == "failed" or time is not None and time > 0.97 * fastest
        bad += not good
        why = r["problems"][0] if r["problems"] else ""
        print(f"{'' if good else 'BAD '}{name}: {r['verdict']} {r['status']} {time and round(time, 2)} us  {why[:150]}")
    print(f"{len(runs)} kernels, honest {fastest:.2f} us, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
