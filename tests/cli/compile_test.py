#!/usr/bin/env python3
"""compile_test.py TILEWRIGHT: `tilewright compile`: JSON, plans, kinds of output, toolchain options."""
import base64
import os
import stat

from case import Case, main
from scripts import BAD, COPY, FACTORY, GOOD, SYNTAX

# The kernel of the fake driver's "cubin" does what the script's does: B becomes A.
STRIDED = """\
from tvm.script import tirx as T

@T.prim_func
def copy(A: T.Buffer((4, 8), "float32", layout=LAYOUT), B: T.Buffer((4, 8), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    r: T.let = tid // 8
    c: T.let = tid % 8
    B[r, c] = A[r, c]

@T.prim_func
def plain(A: T.Buffer((4, 8), "float32", layout=LAYOUT), B: T.Buffer((4, 8), "float32", layout=LAYOUT)):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    B[tid // 8, tid % 8] = A[tid // 8, tid % 8]
"""


LOOP = """\
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((32,), "int32")):
    T.device_entry()
    tx = T.thread_id([32])
    i: T.int32 = 0
    while i < 4:
        A[tx] = A[tx] + i
        i = i + 1
"""


class Compile(Case):
    def test_numbers_of_printed_calls(self):
        """The reference prints a number of int32 without its type, and reads -1 as a word of b32 no more: it is one here."""
        printed = """\
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((32,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    t = T.lane_id([32])
    T.ptx.st(T.address_of(A[t]), VALUES"", "", "", "global", "", "", "", WORDS"b32", "")
"""
        for values, words, helper in (("-1, ", "", "st_global_b32_s32(&A[t], -1)"),
                                      ("-1, 0, 0, 4, ", '"v4", ', "b32_s32(&A[t], -1, 0, 0, 4)")):
            text = printed.replace("VALUES", values).replace("WORDS", words)
            if words:
                text = text.replace('4, "", "", ""', '4, "", ""')
            r = self.expect(0, "compile", self.file("printed.py", text), "--emit", "cuda")
            self.assertIn(helper, r.text.replace("threadIdx.x", "t"))
        direct = printed.replace('T.ptx.st(T.address_of(A[t]), VALUES"", "", "", "global", "", "", "", WORDS"b32", "")',
                                 "T.ptx.st.global_.b32(T.address_of(A[t]), -1)")
        self.assertIn("-1 does not fit uint32", self.expect(1, "check", self.file("direct.py", direct)).text)

    def test_text_by_release(self):
        for release, pragmas in (("0.25", 0), ("0.26", 1), ("0.27", 1)):
            made = self.expect(0, "compile", self.file("loop.py", LOOP), "--dialect", release, "--emit", "cuda").text
            self.assertEqual(made.count("#pragma unroll 1\n"), pragmas, release)

    def test_json(self):
        made = self.fits(self.expect(0, "compile", self.file("good.py", GOOD), "--json").json, "compile")
        (kernel,) = made["kernels"]
        self.assertEqual(kernel["name"], "kernel")
        self.assertEqual(kernel["arch"], "sm_90a")
        self.assertEqual(kernel["launch"]["grid"], [1, 1, 1])
        self.assertEqual(kernel["launch"]["block"], [32, 1, 1])
        self.assertEqual([c["variant"] for c in kernel["calls"]], ["gmem_smem", "gmem_smem"])
        self.assertEqual(kernel["calls"][0]["facts"], {"vec_elems": 4, "vec_bits": 128, "threads": 32, "outer": 8})
        self.assertEqual(kernel["calls"][0]["range"]["start"], {"line": 14, "column": 5})
        self.assertIn("kernel_kernel", kernel["sources"]["cuda"])

    def test_json_with_errors(self):
        made = self.fits(self.expect(1, "compile", self.file("bad.py", BAD), "--json").json, "compile")
        self.assertTrue(made["diagnostics"])
        made = self.fits(self.expect(1, "compile", self.file("syntax.py", SYNTAX), "--json").json, "compile")
        self.assertTrue(made["diagnostics"])

    def test_plan(self):
        good = self.file("good.py", GOOD)
        plan = self.fits(self.expect(0, "compile", good, "--emit", "plan").json, "plan")
        self.assertEqual([p["kind"] for p in plan["params"]], ["pointer", "pointer"])
        self.assertEqual(plan["static_shared_bytes"], 4096)
        made = self.fits(self.expect(0, "compile", good, "--emit", "plan", "--json").json, "compile")
        self.assertEqual(made["kernels"][0]["plan"], plan)

    def test_strides_in_the_plan_and_in_what_a_run_says(self):
        text = STRIDED.replace("LAYOUT", "T.TileLayout(T.S[(4, 8) : (16, 2)])")
        plan = self.fits(self.expect(0, "compile", self.file("strided.py", text), "--entry", "copy", "--emit", "plan").json, "plan")
        self.assertEqual([(p["name"], p["shape"], p["strides"]) for p in plan["params"]], [("A", [4, 8], [16, 2]), ("B", [4, 8], [8, 1])])
        plan = self.expect(0, "compile", self.file("symbolic.py", COPY), "--entry", "kernel", "--emit", "plan").json
        self.assertEqual([p["strides"] for p in plan["params"] if p["shape"]], [[1], [1]])
        # A mismatch in a tensor with gaps is told by its index.
        path = self.file("wrong.py", text.replace("B: T.Buffer((4, 8), \"float32\")", "B: T.Buffer((4, 8), \"float32\", layout=T.TileLayout(T.S[(4, 8) : (16, 2)]))")
                         .replace("B[r, c] = A[r, c]", "B[r, c] = A[r, c] + T.if_then_else(T.And(r == 2, c == 3), T.float32(1), T.float32(0))"))
        r = self.run_it("run", path, "--entry", "copy", "--on", "sim", "--reference", "plain", "--json")
        first = self.fits(r.json, "run")["tensors"][1]["comparison"]["first"]
        self.assertEqual((first["element"], first["index"]), (38, [2, 3]))
        self.assertIn("the first, [2, 3], is", r.json["problems"][0])

    def test_several_architectures_and_kinds(self):
        good = self.file("good.py", GOOD)
        made = self.fits(self.expect(0, "compile", good, "--arch", "sm_80", "--arch", "sm_100a", "--emit", "cuda,lowered,tirx", "--json").json,
                         "compile")
        self.assertEqual([k["arch"] for k in made["kernels"]], ["sm_80", "sm_100a"])
        for kernel in made["kernels"]:
            self.assertEqual(sorted(kernel["sources"]), ["cuda", "lowered", "tirx"])
        r = self.expect(0, "compile", good, "--arch", "sm_80", "--arch", "sm_90a", "--emit", "cuda,tirx", "-o", self.path("out/deep"))
        self.assertEqual(sorted(os.listdir(self.path("out/deep"))),
                         ["kernel.sm_80.cu", "kernel.sm_80.py", "kernel.sm_90a.cu", "kernel.sm_90a.py"])
        self.assertEqual(len(r.text.splitlines()), 4)

    def test_entries_with_arguments(self):
        path = self.file("factory.py", FACTORY)
        made = self.expect(0, "compile", path, "--entry", "make(64, 64)", "--entry", 'make(32, 128, dtype="float32")', "--json").json
        self.assertEqual([k["entry"] for k in made["kernels"]], ["make(64, 64)", 'make(32, 128, dtype="float32")'])
        self.assertEqual([k["calls"][0]["facts"]["vec_elems"] for k in made["kernels"]], [8, 4])
        self.expect(0, "compile", path, "--entry", "make(64, 64)", "--entry", "make(64, 32)", "--emit", "cuda", "-o", self.path("out"))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["tile.make_64_32.cu", "tile.make_64_64.cu"])

    def test_folders_that_cannot_be_written(self):
        good = self.file("good.py", GOOD)
        self.file("taken", "a file")
        self.expect(2, "compile", good, "--emit", "cuda", "-o", self.path("taken"))
        self.expect(2, "compile", good, "--emit", "cuda", "-o", self.path("taken/below"))
        if os.geteuid() != 0:
            os.mkdir(self.path("closed"))
            os.chmod(self.path("closed"), stat.S_IRUSR | stat.S_IXUSR)
            self.expect(2, "compile", good, "--emit", "cuda", "-o", self.path("closed"))
        os.makedirs(self.path("out/kernel.cu"))
        self.expect(2, "compile", good, "--emit", "cuda", "-o", self.path("out"))
        self.assertEqual(os.listdir(self.path("out")), ["kernel.cu"])  # nothing half-written beside it

    def test_a_cubin_is_no_text(self):
        good = self.file("good.py", GOOD)
        r = self.run_it("compile", good, "--emit", "cubin")
        self.assertEqual(r.status, 2, r)

    def test_toolchain(self):
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        good = self.file("good.py", GOOD)
        made = self.fits(self.expect(0, "compile", good, "--emit", "ptx,cubin,sass", "--json").json, "compile")
        sources = made["kernels"][0]["sources"]
        self.assertIn(".target sm_90a", sources["ptx"])
        self.assertIn("resources", made["kernels"][0])
        import base64
        self.assertEqual(base64.b64decode(sources["cubin"])[:4], b"\x7fELF")

    def test_is_deterministic(self):
        good = self.file("good.py", GOOD)
        first = self.expect(0, "compile", good, "--emit", "cuda,lowered,tirx,plan,report", "--json").out
        self.assertEqual(first, self.expect(0, "compile", good, "--emit", "cuda,lowered,tirx,plan,report", "--json").out)


if __name__ == "__main__":
    main()
