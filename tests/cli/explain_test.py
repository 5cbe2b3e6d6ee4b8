#!/usr/bin/env python3
"""explain_test.py TILEWRIGHT: `tilewright explain`: lines, files and codes."""
import os
import re

from case import ROOT, Case, main
from scripts import GOOD


class Explain(Case):
    def test_whole_file_and_line(self):
        good = self.file("good.py", GOOD)
        r = self.expect(0, "explain", good)
        self.assertIn("kernel kernel", r.text)
        self.assertEqual(r.text.count("→ gmem_smem"), 2)
        r = self.expect(0, "explain", good + ":14")
        self.assertEqual(r.text.count("→ gmem_smem"), 1)
        self.assertIn("outer 8", r.text)
        self.assertEqual(self.expect(0, "explain", good + ":14:8").text.count("→ gmem_smem"), 1)
        r = self.expect(0, "explain", good + ":1")
        self.assertEqual(r.text, "")
        self.assertIn("no tile primitive", r.errors)
        self.expect(0, "explain", good + ":99999999")
        self.assertIn("lines count from 1", self.expect(2, "explain", good + ":0").errors)

    def test_repetitions_of_an_instruction(self):
        path = os.path.join(ROOT, "tests/simulate/package/tiles.py")
        with open(path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        line = next(i for i, text in enumerate(lines, 1) if '"ld.global.v4.f32", r, A.view(32, 8, 4)' in text)
        r = self.expect(0, "explain", f"{path}:{line}", "--entry", "copy_warp")
        self.assertIn("apply → instruction", r.text)
        self.assertIn("repetition 1: 16 bytes a thread, ", r.text)
        self.assertIn("to registers 4, 5, 6, 7 of r", r.text)
        self.assertIn("layout S[(32,8,4):(1@laneid,4,1)]", r.text)
        self.assertIn("repetitions 8", r.text)

    def test_operands_have_the_names_of_their_primitive(self):
        script = "\n".join(line for line in GOOD.split("\n") if ".copy(" not in line)
        calls = ["Tx.cta.gemm(A_smem, A_smem, A_smem, A_smem, alpha=2.0)",
                 "Tx.warp.sum(A_smem, A_smem[:, 0:8], accum=True)",
                 "Tx.warp.binary_reduce(A_smem, A_smem, A_smem, 1.0, 'add', 'sum')"]
        path = self.file("names.py", script.rstrip() + "".join("\n    " + call for call in calls) + "\n")
        r = self.expect(1, "explain", path)
        operands = [line.split("[")[0].split() for line in r.text.split("\n") if re.match(r"  \w", line)]
        names = [words for words in operands if words[0] not in ("threads", "facts", "assumed")]
        tile = "A_smem"
        self.assertEqual(names, [["D", tile], ["A", tile], ["B", tile], ["C", tile], ["transpose_A", "False"],
                                 ["transpose_B", "False"], ["alpha", "T.float32(2.0)"],
                                 ["dst", tile], ["src", tile], ["axes", "-1"], ["accum", "T.bool(True)"],
                                 ["binary_output", tile], ["reduce_output", tile], ["in1", tile], ["in2", "T.float32(1.0)"],
                                 ["binary_op", '"add"'], ["reduce_op", '"sum"']])

    def test_json(self):
        good = self.file("good.py", GOOD)
        for what in (good, good + ":14", good + ":1"):
            self.fits(self.expect(0, "explain", what, "--json").json, "explain")
        report = self.expect(0, "explain", good + ":14", "--json").json
        self.assertEqual(report["kernels"][0]["calls"][0]["trials"][0]["outcome"], "chosen")

    def test_code(self):
        self.assertIn("TW3104", self.expect(0, "explain", "TW3104").text)
        self.fits(self.expect(0, "explain", "TW3104", "--json").json, "explain")

    def test_every_code_that_is_used_is_explained(self):
        import re
        codes = set()
        for folder, _, files in os.walk(os.path.join(ROOT, "compiler")):
            for name in files:
                if name.startswith("codes"):
                    with open(os.path.join(folder, name), encoding="utf-8") as f:
                        codes |= set(re.findall(r'"(TW\d{4})"', f.read()))
        self.assertGreater(len(codes), 30)
        missing = [c for c in sorted(codes) if self.run_it("explain", c).status != 0]
        self.assertEqual(missing, [])

    def test_a_colon_in_a_name(self):
        path = self.file("a:12", GOOD)
        self.assertEqual(self.expect(0, "explain", path).text.count("→ gmem_smem"), 2)
        self.expect(2, "explain", self.path("b:12"))  # line 12 of a file "b", which is not there
        self.expect(0, "explain", path + ":14")


if __name__ == "__main__":
    main()
