#!/usr/bin/env python3
"""compiler_notes_test.py TILEWRIGHT: what NVIDIA's compiler says about speed, at the script's line with the fix; each beside a twin that has it."""
import os
import re

from case import Case, main

HEAD = "from tvm.script import tirx as T\n\n\n"
ROLES = HEAD + """@T.prim_func
def kernel(A: T.Buffer((256,), "float32")):
    T.device_entry(){bound}
    T.cta_id([1])
    t = T.thread_id([256])
    if t < 128:
        T.ptx.setmaxnreg(False, 24)
        A[t] = 1.0
    else:
        T.ptx.setmaxnreg(True, 240)
        A[t] = A[t] + 2.0
"""
HELD = HEAD + """@T.prim_func
def kernel(A: T.Buffer(({threads}, 256), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([{threads}])
    r = T.alloc_local((128,), "float32")
    for i in T.unroll(128):
        r[i] = A[t, i]
    T.cuda.cta_sync()
    for i in T.unroll(128):
        A[t, (i * 7) % 128] = r[i] * r[(i + 5) % 128]
"""
INDEXED = HEAD + """@T.prim_func
def kernel(A: T.Buffer((128,), "float32"), at: T.Buffer((128,), "int32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    r = T.alloc_local((16,), "float32")
    for i in T.{loop}(16):
        r[{index}] = A[i]
    A[t] = r[{last}]
"""


class Notes(Case):
    def notes(self, script, *codes):
        r = self.run_it("compile", script, "--emit", "cubin", "--arch", "sm_90a", "-o", self.path("k.cubin"), "--json")
        if "no NVRTC" in r.errors or "there is no CUDA" in r.errors:
            self.skipTest("no NVRTC here")
        self.assertEqual(r.status, 0, r)
        self.fits(r.json, "compile")
        found = [d for d in r.json["diagnostics"] if d["code"].startswith("TW70")]
        self.assertEqual([d["code"] for d in found], list(codes), r)
        for d in found:
            self.assertEqual(d["severity"], "hint")
        return found

    def line(self, diagnostic):
        return diagnostic["range"]["start"]["line"]

    def test_setmaxnreg_that_is_ignored(self):
        (note,) = self.notes(self.file("k.py", ROLES.format(bound="")), "TW7021")
        self.assertEqual(self.line(note), 10)
        self.assertIn("does not know how many registers the kernel starts with (ptxas: (C7508)", note["message"])
        self.assertIn('T.attr({"tirx.launch_bounds_min_blocks_per_sm": 1})', note["hint"])
        # The fix, as it is written there.
        self.notes(self.file("k.py", ROLES.format(bound='\n    T.attr({"tirx.launch_bounds_min_blocks_per_sm": 1})')))

    def test_waits_for_wgmma_that_the_compiler_adds(self):
        with open(os.path.join(os.path.dirname(__file__), "../../examples/wgmma_gemm.py"), encoding="utf-8") as f:
            right = f.read()
        wrong = "".join(l for l in right.splitlines(True) if "wgmma.wait_group" not in l or l.lstrip().startswith("`"))
        self.assertNotEqual(right, wrong)
        head = "# tilewright: dialect 0.25\n"
        self.notes(self.file("k.py", head + right))
        # ptxas of CUDA 13.5 adds the wait and says nothing.
        version = re.search(r"NVRTC .*\(CUDA (\d+)\.(\d+)\)", self.run_it("doctor").text)
        if version and (int(version[1]), int(version[2])) >= (13, 5):
            return self.notes(self.file("k.py", head + wrong))
        (note,) = self.notes(self.file("k.py", head + wrong), "TW7022")
        self.assertIn("results of a wgmma are used before a wait that ends it (ptxas: (C7517)", note["message"])
        self.assertIn("T.ptx.wgmma.wait_group", note["hint"])
        self.assertIsNotNone(note["range"])

    def test_spilled_registers(self):
        (note,) = self.notes(self.file("k.py", HELD.format(threads=1024)), "TW7023")
        self.assertIn("more registers than its 64 a thread", note["message"])
        self.assertRegex(note["message"], r"[1-9][0-9]* bytes are spilled to local memory and [1-9][0-9]* bytes read back")
        self.notes(self.file("k.py", HELD.format(threads=128)))

    def test_arrays_in_local_memory(self):
        (note,) = self.notes(self.file("k.py", INDEXED.format(loop="serial", index="at[t] + i & 15", last="at[t] & 15")), "TW7024")
        self.assertIn("each thread keeps 64 bytes in local memory", note["message"])
        self.notes(self.file("k.py", INDEXED.format(loop="unroll", index="i", last="5")))

    def test_text_shows_them_and_the_status_is_that_of_a_right_kernel(self):
        script = self.file("k.py", ROLES.format(bound=""))
        r = self.run_it("compile", script, "--emit", "cubin", "--arch", "sm_90a", "-o", self.path("k.cubin"))
        if r.status == 0 and "TW" in r.errors + r.text:
            self.assertIn("hint[TW7021]", r.errors + r.text)


if __name__ == "__main__":
    main()
