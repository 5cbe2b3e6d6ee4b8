#!/usr/bin/env python3
"""foreign_test.py TILEWRIGHT: habits of CUDA, Triton, CuTe, TileLang, numba, numpy and torch (foreign_habits.txt) get the hint that is right.

Each line of the list stands in a kernel of its own. Whatever a hint says to write exists in each release of the dialect, and a fix that
is offered leaves a script without errors.
"""
import os
import re

from case import HERE, Case, main

HEAD = """\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def kernel(A: T.Buffer((128, 128), "float16"), B: T.Buffer((128, 128), "float32")):
    T.device_entry()
    bx = T.cta_id([1])
    tid = T.thread_id([128])
    s = T.alloc_shared((128, 128), "float16")
    r = T.alloc_local((64,), "float32")
    v = B[tid, 0]
    s[tid, 0] = A[tid, 0]
    r[0] = v
    {line}
    B[tid, 1] = v + r[0]
"""
LINE = HEAD[: HEAD.index("{line}")].count("\n") + 1


def habits():
    with open(os.path.join(HERE, "foreign_habits.txt"), encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if not line.startswith("#")]
    return [(lines[i], lines[i + 1].strip()) for i in range(0, len(lines), 2)]


class Foreign(Case):
    def checked(self, texts, *options):
        """Findings by number of the text; files are checked together."""
        for i, text in enumerate(texts):
            self.file(f"k/{i:03}.py", text)
        out = {i: [] for i in range(len(texts))}
        for d in self.run_it("check", "k", "--json", *options).json["diagnostics"]:
            if d["range"] and d["severity"] in ("error", "warning"):
                out[int(os.path.basename(d["range"]["file"])[:3])].append(d)
        return out

    def test_hints_and_fixes(self):
        all_of_them = habits()
        self.assertGreaterEqual(len(all_of_them), 178)
        found = self.checked([HEAD.format(line=line) for line, _ in all_of_them])
        fixed = 0
        for i, (line, hint) in enumerate(all_of_them):
            here = [d for d in found[i] if d["range"]["start"]["line"] == LINE]
            self.assertTrue(here, line)
            self.assertEqual(here[0]["hint"], hint, line)
            fixed += any(d.get("fixes") for d in here)
        self.assertGreaterEqual(fixed, 100)

    def test_what_hints_name_exists(self):
        lines = [HEAD.format(line=line) for line, _ in habits()]
        for release in ("0.25", "0.26", "0.27"):
            hints = [d["hint"] for found in self.checked(lines, "--dialect", release).values() for d in found]
            names = sorted({name.rstrip(".") for hint in hints for name in re.findall(r"\bTx?\.[A-Za-z_][\w.]*", hint)})
            self.assertGreater(len(names), 60)
            found = self.checked([HEAD.format(line=f"_x = {name}") for name in names] + ["\n"] * (len(lines) - len(names)), "--dialect", release)
            for i, name in enumerate(names):
                missing = [d["message"] for d in found[i] if "has no attribute" in d["message"] or "not defined" in d["message"]]
                self.assertEqual(missing, [], f"{name} in {release}")

    def test_another_meaning_is_not_suggested(self):
        for wrong, never in (("Tx.cta.relu(r, r)", "silu"), ("Tx.cta.gelu(r, r)", "silu"), ("Tx.cta.sin(r, r)", "min"), ("Tx.cta.rsqrt(r, r)", "sqrt?"),
                             ("Tx.cta.mean(r, r)", "did you mean"), ("T.copy(A, s)", "T.cos"), ("T.gemm(s, s, r)", "T.smem"), ("T.fill(r, 0)", "T.tile?"),
                             ("x = r.reshape(4, 16)", ".shape?"), ("x = r.numel()", ".name"), ("x = fmaf(v, v, v)", "map"), ("x = expf(v)", "exec"),
                             ('x = T.alloc_buffer((4,), "tf32", scope="local")', '"f32"'), ('x = T.alloc_buffer((4,), "f16", scope="smem")', "tmem")):
            path = self.file("one.py", HEAD.format(line=wrong))
            for d in self.run_it("check", path, "--json").json["diagnostics"]:
                self.assertNotIn(never, d["hint"], wrong)

    def test_of_a_package_that_is_imported(self):
        text = "import triton.language as tl\n" + HEAD.format(line="Tx.cta.copy(tl.load(A), s)")
        hints = [d["hint"] for d in self.run_it("check", self.file("one.py", text), "--json").json["diagnostics"]]
        self.assertTrue(any(h.startswith("copy a tile: Tx.cta.copy") for h in hints), hints)


if __name__ == "__main__":
    main()
