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

    def wgmma(self, old="", new=""):
        """The example with one of its lines replaced by others, which stand as deep."""
        with open(os.path.join(os.path.dirname(__file__), "../../examples/wgmma_gemm.py"), encoding="utf-8") as f:
            text = "# tilewright: dialect 0.25\n" + f.read()
        if old:
            line = next(l for l in text.splitlines(True) if l.strip() == old)
            text = text.replace(line, "".join(line[:len(line) - len(line.lstrip())] + l + "\n" for l in new.splitlines()))
        self.text = text.splitlines()
        return self.file("k.py", text)

    def newer(self):
        """Of CUDA 13.5 or a later one."""
        version = re.search(r"NVRTC .*\(CUDA (\d+)\.(\d+)\)", self.run_it("doctor").text)
        return bool(version) and (int(version[1]), int(version[2])) >= (13, 5)

    def test_waits_for_wgmma_that_the_compiler_adds(self):
        self.notes(self.wgmma())
        (note,) = self.notes(self.wgmma("T.ptx.wgmma.wait_group(0)", ""), "TW7022")
        self.assertIn("results of a wgmma are used before a wait that ends it (ptxas: (C7517)", note["message"])
        self.assertIn("T.ptx.wgmma.wait_group", note["hint"])
        # Where they are used.
        self.assertIn("C[", self.text[self.line(note) - 1])
        # The fix as a later release writes it.
        path = self.wgmma()
        self.expect(0, "migrate", path, "--to", "0.27", "--no-check", "--write")
        with open(path, encoding="utf-8") as f:
            lines = [l for l in f.read().splitlines() if "wgmma.wait_group" not in l]
        (note,) = self.notes(self.file("later.py", "\n".join(lines) + "\n"), "TW7022")
        self.assertIn("T.ptx.wgmma.wait_group.sync.aligned", note["hint"])

    def test_each_reason_why_wgmma_is_serialized(self):
        outside = ('T.cuda.func_call("outside", acc[0], source_code="__device__ __noinline__ void outside(float x) '
                   '{ if (x == 12345.f) __nanosleep(100); }")')
        fence, commit, wait = "T.ptx.wgmma.fence()", "T.ptx.wgmma.commit_group()", "T.ptx.wgmma.wait_group(0)"
        on_a_condition = "if A[0, tid] > T.float16(0):\n    "
        for old, new, said, fix in (
                (wait, "acc[0] = acc[0] + T.float32(1)\n" + wait, "not enough registers", "between the first wgmma and its wait out of there"),
                (wait, 'T.cuda.printf("%d\\n", step)\n' + wait, "still running where a function is called", "before the call"),
                (wait, on_a_condition + wait, "a wait for wgmma lies in a branch", "between wgmma and its wait"),
                (fence, on_a_condition + fence, "its fence or its commit lies in a branch", "from the fence (T.ptx.wgmma.fence) to the commit"),
                (commit, on_a_condition + commit, "its fence or its commit lies in a branch", "from the fence (T.ptx.wgmma.fence) to the commit"),
                (fence, fence + "\n" + outside, "its fence or its commit lies in a branch", "call no function there")):
            with self.subTest(new):
                r = self.run_it("compile", self.wgmma(old, new), "--emit", "cubin", "--arch", "sm_90a", "-o", self.path("k.cubin"), "--json")
                if "no NVRTC" in r.errors or "there is no CUDA" in r.errors:
                    self.skipTest("no NVRTC here")
                found = [d for d in r.json["diagnostics"] if d["code"] == "TW7022"]
                self.assertEqual([d for d in r.json["diagnostics"] if d["code"].startswith("TW6")], [])
                one = next((d for d in found if "lets each wgmma wait for the one before" in d["message"]), None)
                self.assertIsNotNone(one, r)
                self.assertIn(said, one["message"])
                self.assertIn(fix, one["hint"])
                # Each thing once a place.
                told = [(d["range"]["start"]["line"], d["message"].split(" (ptxas")[0]) for d in found]
                self.assertEqual(len(set(told)), len(told))

    def test_a_missing_fence(self):
        # CUDA 13.5 finds that it needs none here.
        notes = self.notes(self.wgmma("T.ptx.wgmma.fence()", ""), *([] if self.newer() else ["TW7022"]))
        for note in notes:
            self.assertIn("registers of a wgmma are written, and no fence follows", note["message"])
            self.assertIn("T.ptx.wgmma.fence", note["hint"])

    def test_recursion(self):
        script = self.file("k.py", HEAD + """@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    A[t] = T.cuda.func_call("rec", A[t], t, source_code="__device__ __noinline__ float rec(float x, int n) { return n <= 0 ? x : rec(x * 1.5f, n - 1) + 1.f; }", return_type="float32")
""")
        # ptxas of CUDA 13.0 says nothing.
        for note in self.notes(script, *(["TW7024"] if self.newer() else [])):
            self.assertIn("calls a function that calls itself", note["message"])
            self.assertIn("write the recursion as a loop", note["hint"])

    def test_spilled_registers(self):
        (note,) = self.notes(self.file("k.py", HELD.format(threads=1024)), "TW7023")
        self.assertIn("more registers than its 64 a thread", note["message"])
        self.assertRegex(note["message"], r"[1-9][0-9]* bytes are spilled to local memory and [1-9][0-9]* bytes read back")
        self.notes(self.file("k.py", HELD.format(threads=128)))

    def test_registers_that_a_role_lacks(self):
        held = """r = T.alloc_local((100,), "float32")
        for i in T.unroll(100):
            r[i] = A[(t + i) % 256]
        T.ptx.bar.sync(1, 128)
        for i in T.unroll(100):
            A[(t + i * 7) % 256] = r[i] * r[(i + 5) % 100]"""
        text = ROLES.format(bound='\n    T.attr({"tirx.launch_bounds_min_blocks_per_sm": 1})').replace("A[t] = 1.0", held)
        (note,) = self.notes(self.file("k.py", text), "TW7023")
        self.assertIn("or than the 24 that setmaxnreg leaves a role", note["message"])
        self.assertIn("leave that role more registers", note["hint"])

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
