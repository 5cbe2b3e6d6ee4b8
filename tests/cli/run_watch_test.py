#!/usr/bin/env python3
"""run_watch_test.py TILEWRIGHT: `tilewright run --watch`."""

from case import Case, main
from scripts import STAGED

WATCHED = """from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def stage(A: T.Buffer((4, 64), "float16"), B: T.Buffer((4, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    smem = T.alloc_buffer((4, 64), "float16", scope="shared")
    mine = T.alloc_buffer((4,), "float32", scope="local")
    total: T.float32 = T.float32(0.0)
    for k in range(4):
        smem[k, tx] = A[k, tx]
        mine[k] = T.cast(A[k, tx], "float32")
        total = total + mine[k]
    T.cuda.cta_sync()
    for k in range(4):
        B[k, tx] = smem[k, 63 - tx]
"""


class Watches(Case):
    """What threads see of a buffer or a number where they come past a line."""

    def watched(self, *watches, text=WATCHED, options=("--input", "A=arange")):
        options = [*options, *(x for w in watches for x in ("--watch", w))]
        r = self.expect(0, "run", self.file("kernel.py", text), "--on", "sim", "--json", *options)
        return self.fits(r.json, "run")

    def test_shared_memory(self):
        (watch,) = self.watched("smem[3, 0:4]@18")["watches"]
        self.assertEqual((watch["expression"], watch["line"], watch["dtype"]), ("smem[3, 0:4]", 18, "float16"))
        self.assertEqual(watch["elements"], ["[3, 0]", "[3, 1]", "[3, 2]", "[3, 3]"])
        self.assertEqual([r["thread"] for r in watch["rows"]], list(range(64)))
        self.assertTrue(all(r["values"] == [192, 193, 194, 195] for r in watch["rows"]))
        # Before all have written: the first thread is past the line, the others are not.
        (early,) = self.watched("smem[0, 0:3]@15")["watches"]
        self.assertEqual(early["rows"][0]["values"], [0, "unwritten", "unwritten"])
        self.assertEqual(early["rows"][1]["values"], [0, 1, "unwritten"])

    def test_registers_numbers_and_global_memory(self):
        report = self.watched("mine[k]@16", "total@17", "tx * 2 + k@15", "B[k, tx]@20")
        mine, total, number, out = report["watches"]
        row = [r for r in mine["rows"] if r["thread"] == 5]
        self.assertEqual([(r["loops"], r["values"]) for r in row], [([k], [64 * k + 5]) for k in range(4)])
        self.assertEqual([r["values"] for r in total["rows"] if r["thread"] == 1], [[1], [66], [195], [388]])
        self.assertEqual([r["values"] for r in number["rows"] if r["thread"] == 7], [[14], [15], [16], [17]])
        self.assertEqual((number["elements"], mine["loops"]), ([], ["k"]))
        self.assertEqual([r["values"] for r in out["rows"] if r["thread"] == 0], [[63], [127], [191], [255]])
        # Looking changes nothing.
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["tensors"][1]["sha256"], self.watched()["tensors"][1]["sha256"])

    def test_layouts_narrow_types_and_calls_of_primitives(self):
        swizzled = "layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[64, 64]))"
        text = STAGED.replace('scope="shared"', 'scope="shared", ' + swizzled).replace(
            "from tvm.script.tirx", "from tvm.tirx.layout import ComposeLayout, S, SwizzleLayout, TileLayout\nfrom tvm.script.tirx", 1)
        line = 1 + [i for i, l in enumerate(text.split("\n")) if "cta_sync" in l][0]
        (watch,) = self.watched(f"smem[1, 0:3]@{line}", text=text)["watches"]
        self.assertEqual(watch["rows"][0]["values"], [64, 65, 66])
        packed = WATCHED.replace('"float16"', '"float4_e2m1fn"').replace("smem[k, tx] = A[k, tx]", "pass") \
            .replace("mine[k] = T.cast(A[k, tx], \"float32\")", "mine[k] = T.float32(1.0)").replace(
            "B[k, tx] = smem[k, 63 - tx]",
            "if tx < 2:\n            T.cuda.copy_128b(T.address_of(B[k, tx * 32]), T.address_of(A[k, tx * 32]))")
        (watch,) = self.watched("A[0, 0:5]@17", text=packed)["watches"]
        self.assertEqual(watch["rows"][0]["values"], [0, 1, 2, 3, 0])
        unused = WATCHED.replace("A[k, tx]", "1.0")
        r = self.run_it("run", self.file("unused.py", unused), "--on", "sim", "--watch", "A[0, 0]@17")
        self.assertEqual(r.status, 2, r)
        self.assertIn("the kernel makes no use of `A`", r.errors)

    def test_a_table(self):
        r = self.expect(0, "run", self.file("kernel.py", WATCHED), "--on", "sim", "--input", "A=arange", "--watch", "smem[3, 0:2]@18",
                        "--watch", "tx@18")
        self.assertIn("  watch    smem[3, 0:2] where line 18 was executed\n"
                      "    CTA        thread  [3, 0]  [3, 1]\n"
                      "    (0, 0, 0)  0..63   192     193\n", r.text)
        self.assertIn("    (0, 0, 0)  62      62\n", r.text)
        many = WATCHED.replace("[64]", "[256]").replace("[k, tx]", "[k, tx % 64]").replace("63 - tx", "63 - tx % 64")
        r = self.expect(0, "run", self.file("many.py", many), "--on", "sim", "--watch", "tx@18")
        self.assertIn("    and 192 more; --json has them\n", r.text)

    def test_words_that_mean_nothing(self):
        for watch, words in (("smem[3, 0:4]", "write EXPRESSION@LINE"), ("nothing[3]@18", "there is no `nothing` at that line"),
                             ("smem[3]@18", "`smem` has 2 dimensions, not 1"), ("smem[3, 0]@4", "no statement of the kernel stands at that line"),
                             ("smem[3, 0@18", "a bracket is not closed"), ("smem[0, 0:k]@15", "a slice needs a length that is known"),
                             ("A@18", None), ("mine[q]@18", "there is no `q`"), ("tx tx@18", "'tx' is too much")):
            with self.subTest(watch):
                r = self.run_it("run", self.file("kernel.py", WATCHED), "--on", "sim", "--watch", watch)
                self.assertEqual(r.status, 2 if words else 0, r)
                self.assertIn(words or "", r.errors)


if __name__ == "__main__":
    main()
