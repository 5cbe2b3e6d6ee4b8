#!/usr/bin/env python3
"""defects.py says what is wrong with a kernel of the reference, and nothing of one that is right."""

import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "reference")]
import defects  # noqa: E402
import exceptions  # noqa: E402

SCRIPT = """\
def kernel(A0_ptr: T.handle, B0_ptr: T.handle):
    A0 = T.match_buffer(A0_ptr, (8, 16), "float16"{layout})
    Tx.warp.copy(X0[:, :], {region})
"""
# One vector copy from A0 to shared memory, as the reference writes it.
COPY = """\
extern "C" __global__ void kernel_kernel(half* __restrict__ A0_ptr, half* __restrict__ B0_ptr) {{
  __shared__ alignas(64) half X0_ptr[{elements}];
  for (int f = 0; f < {rounds}; ++f) {{
    s_lin_ptr[0] = ((f * 256) + (((int)threadIdx.x) * 8));
    s_off_ptr[0] = s_lin_ptr[0];
    s_ptr_ptr[0] = tvm_builtin_pointer_offset((&(X0_ptr[{start}])), s_off_ptr[0]);
    g_ptr_ptr[0] = tvm_builtin_pointer_offset((&(A0_ptr[0])), s_off_ptr[0]);
    tvm_builtin_copy_{bits}b(s_ptr_ptr[0], g_ptr_ptr[0]);
  }}
}}
"""
# The same of 0.26 and of 0.27: a load and a store.
NEWER = """\
extern "C" __global__ void kernel_kernel(half* __restrict__ A0_ptr, half* __restrict__ B0_ptr) {{
  extern __shared__ __align__(64) uchar pool_buf_ptr[];
  alignas(64) uint tmp_ptr[4];
  s_off_ptr[0] = (((int)threadIdx.x) * 8);
  void* s_ptr = (void*)tvm_builtin_pointer_offset((&(((half*)pool_buf_ptr)[{start}])), s_off_ptr[0]);
  void* g_ptr = (void*)tvm_builtin_pointer_offset((&(A0_ptr[0])), s_off_ptr[0]);
  tvm_builtin_ptx_ld_{load};
  tvm_builtin_ptx_st_{store};
}}
"""
LOADS = {
    "0.26": ("plain_None_global_v4_u32_to_dst(tmp_ptr, g_ptr, (uint64_t)0)", "plain_shared_v4_u32_from_src(s_ptr, tmp_ptr, (uint64_t)0)"),
    "0.27": ("vec_global_v2_u32(tmp_ptr[0], tmp_ptr[1], g_ptr)",
             "vec_shared_v2_u32(tvm_builtin_cuda_cvta_generic_to_shared(s_ptr), tmp_ptr[0], tmp_ptr[1])"),
}
REGISTERS = """\
extern "C" __global__ void kernel_kernel(half* __restrict__ A0_ptr) {{
  alignas(64) half r_local_ptr[16];
  for (int f = 0; f < {rounds}; ++f) {{
    s_off_ptr[0] = ((((int)threadIdx.x) * {pitch}) + (f * 2));
    s_ptr_ptr[0] = tvm_builtin_pointer_offset((&(A0_ptr[0])), s_off_ptr[0]);
    r_ptr_ptr[0] = tvm_builtin_pointer_offset((&(r_local_ptr[0])), (f * 2));
    tvm_builtin_copy_32b(r_ptr_ptr[0], s_ptr_ptr[0]);
  }}
}}
"""
SWIZZLED = """\
extern "C" __global__ void kernel_kernel(half* __restrict__ A0_ptr) {{
  alignas(64) int v[{entries}];
  v[0] = 4;
  for (int f = 0; f < 16; ++f) {{
    s_off_ptr[0] = ((f & 1) * v[0]);
  }}
}}
"""
MAP = {"dtype": 6, "dims": [64, 512], "strides": [128], "box": [64, 64], "swizzle": 3}


class Defects(unittest.TestCase):
    def notes(self, cuda="", layout="", ours_cuda="", maps=(), per_thread=None, region="A0[0:8, 0:16]"):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
            f.write(SCRIPT.format(layout=layout, region=region))
            f.flush()
            source = exceptions.Source(f.name)
        calls = [] if per_thread is None else [{"variant": "reg", "facts": {"per_thread": per_thread}}]
        ours = {"range": {"start": {"line": 1}}, "calls": calls, "sources": {"cuda": ours_cuda}}
        reference = {"cuda": cuda, "calls": [{"variant": c["variant"]} for c in calls]}
        kernel = defects.Carried(source, reference, ours, {"tensor_maps": list(maps)}, [])
        return [said.split(":")[0] for said in defects.defects(kernel)]

    def copy(self, start=0, bits=128, elements=512, layout="", ours_cuda="", region="A0[0:8, 0:16]"):
        cuda = COPY.format(start=start, bits=bits, elements=elements, rounds=2)
        return self.notes(cuda, layout, ours_cuda or cuda, region=region)

    def test_a_copy_that_is_right(self):
        self.assertEqual(self.copy(), [])
        self.assertEqual(self.copy(start=8), [])

    def test_bases_off_the_access(self):
        self.assertEqual(self.copy(start=4), ["X17"])
        self.assertEqual(self.copy(start=4, bits=64), [])
        self.assertEqual(self.copy(start=3, bits=64), ["X17"])
        self.assertEqual(self.copy(start=3, bits=16), [])

    def test_newer_releases(self):
        apart = ", layout=TileLayout(S[(8, 16) : (32, 2)])"
        for release, (load, store) in LOADS.items():
            for start, layout, notes in ((0, "", []), (4, "", ["X17"] if release == "0.26" else []), (1, "", ["X17"]), (0, apart, ["X5"])):
                with self.subTest(release=release, start=start):
                    self.assertEqual(self.notes(NEWER.format(start=start, load=load, store=store), layout), notes)

    def test_elements_that_lie_apart(self):
        self.assertEqual(self.copy(layout=", layout=TileLayout(S[(8, 16) : (32, 2)])"), ["X5"])
        self.assertEqual(self.copy(layout=", layout=TileLayout(S[(8, 16) : (1, 8)])"), [])
        self.assertEqual(self.copy(layout=", layout=TileLayout(S[(8, 16) : (32, 2)])", bits=16), [])

    def test_regions_of_one_column(self):
        self.assertEqual(self.copy(region="A0[0:8, 3:4]"), ["X5"])
        self.assertEqual(self.copy(region="A0[0:8, 2:4]"), [])
        self.assertEqual(self.copy(region="A0[0:8, k:k + 1]"), [])
        self.assertEqual(self.copy(region="A0[0:8, 3:4]", bits=16), [])

    def test_registers_left_behind(self):
        self.assertEqual(self.notes(REGISTERS.format(rounds=2, pitch=16), per_thread=16), ["X8"])
        self.assertEqual(self.notes(REGISTERS.format(rounds=8, pitch=16), per_thread=16), [])

    def test_threads_off_the_access(self):
        self.assertEqual(self.notes(REGISTERS.format(rounds=8, pitch=5), per_thread=16), ["X9"])
        self.assertEqual(self.notes(REGISTERS.format(rounds=8, pitch=6), per_thread=16), [])

    def test_rounds_of_a_swizzle(self):
        self.assertEqual(self.notes(SWIZZLED.format(entries=3)), ["X7"])
        self.assertEqual(self.notes(SWIZZLED.format(entries=4)), [])

    def test_shared_memory_that_is_too_small(self):
        span = COPY.format(start=0, bits=128, elements=640, rounds=2)
        self.assertEqual(self.copy(ours_cuda=span), ["N10"])
        self.assertEqual(self.copy(elements=640, ours_cuda=span), [])

    def test_maps(self):
        for change, notes in (
            ({}, []),
            ({"box": [64, 512]}, ["V1"]),
            ({"strides": [136]}, ["V2"]),
            ({"box": [4, 64], "swizzle": 0}, ["V3"]),
            ({"box": [128, 64]}, ["V4"]),
            ({"box": [32, 64]}, ["V5"]),
            ({"box": [32, 1]}, []),
        ):
            with self.subTest(change):
                self.assertEqual(self.notes(maps=[MAP | change]), notes)


if __name__ == "__main__":
    unittest.main()
