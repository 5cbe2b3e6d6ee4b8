#!/usr/bin/env python3
"""run_differences_test.py TILEWRIGHT: What `tilewright run` reports about values that differ."""

from case import Case, main
from scripts import STAGED, WISHES

SUMS = """from tvm.script import tirx as T


# tilewright: run forwards reference=backwards
@T.prim_func
def forwards(A: T.Buffer((4096,), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.thread_id([1])
    total: T.float32 = T.float32(0.0)
    for i in range(4096):
        total = total + A[i]
    B[0] = total


@T.prim_func
def backwards(A: T.Buffer((4096,), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.thread_id([1])
    total: T.float32 = T.float32(0.0)
    for i in range(4096):
        total = total + A[4095 - i]
    B[0] = total
"""


class Differences(Case):
    """What a report says where results are not what was expected."""

    def report(self, status, text, *options):
        script = self.file("kernel.py", text)
        return self.fits(self.expect(status, "run", script, "--on", "sim", "--json", *options).json, "run")

    def test_the_first_and_who_wrote_it(self):
        wrong = WISHES.replace("        B[bx * 128 + t] = A[bx * 128 + t] * T.float32(2.0)\n",
                               "        if t < 30:\n            B[bx * 128 + t] = A[bx * 128 + t] * T.float32(2.0)\n"
                               "        else:\n            B[bx * 128 + t] = A[bx * 128 + t] * T.float32(2.001)\n")
        c = self.report(1, wrong)["tensors"][1]["comparison"]
        self.assertEqual((c["mismatches"], c["first"]["element"]), (70, 30))
        self.assertEqual((c["producer"]["range"]["start"]["line"], c["producer"]["thread"]), (18, 30))
        self.assertEqual(sum(b["elements"] for b in c["ulps"]), 100)
        self.assertEqual(c["ulps"][0], {"least": 0, "most": 0, "elements": 30})
        text = self.expect(1, "run", self.path("kernel.py"), "--on", "sim").text
        self.assertIn("[30] was written at %s:18, thread 30 of CTA (0, 0, 0)" % self.path("kernel.py"), text)
        self.assertIn("units in the last place: 0 in 30, ", text)

    def test_asynchronous_copies_have_an_issuer(self):
        wrong = STAGED.replace("B[:, :], smem[:, :]", "B[:, :], smem[:, :]").replace("    T.ptx.cp_async.wait_group(0)\n", "")
        c = self.report(1, wrong)["tensors"][1]["comparison"]
        self.assertEqual(c["producer"]["range"]["start"]["line"],
                         1 + [i for i, l in enumerate(wrong.split("\n")) if "Tx.cta.copy(B" in l][0])

    def test_what_nobody_wrote_has_no_line(self):
        half = WISHES.replace("if bx * 128 + t < n:", "if bx * 128 + t < 50:")
        c = self.report(1, half)["tensors"][1]["comparison"]
        self.assertEqual((c["mismatches"], c["first"]["element"]), (50, 50))
        self.assertNotIn("producer", c)

    def test_sums_may_differ_by_their_length(self):
        c = self.report(0, SUMS)["tensors"][1]["comparison"]
        self.assertGreater(c["max_absolute"], 0)
        self.assertGreater(c["atol"], 1e-5)
        self.assertLess(c["atol"], 1e-3)
        # Not so much that a term could be missing.
        self.report(1, SUMS.replace("range(4096)", "range(4095)", 1))
        self.report(1, SUMS, "--atol", "0", "--rtol", "0")
        self.assertEqual(self.report(0, WISHES)["tensors"][1]["comparison"]["atol"], 1e-5)


if __name__ == "__main__":
    main()
