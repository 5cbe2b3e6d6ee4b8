"""The commands' answers as typed objects."""
import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
import unittest
import unittest.mock

from case import BINARY, Case, example, main

import tilewright
from tilewright import _types


class Answers(Case):
    def test_check(self):
        clean = tilewright.check(example("vector_add.py"))
        self.assertIsInstance(clean, _types.CheckReport)
        self.assertEqual(clean.diagnostics, [])
        path = self.script("""
            from tvm.script import tirx as T

            @T.prim_func
            def wrong(A: T.Buffer((8,), "int32")):
                T.device_entry()
                T.cta_id([1])
                lane = T.thread_id([8])
                A[lane] = undefined_name
        """, "wrong.py")
        report = tilewright.check([path])
        found = report.diagnostics[0]
        self.assertEqual((found.severity, found.range.file, found.range.start.line), ("error", path, 8))
        self.assertIn("undefined_name", found.message)

    def test_compile(self):
        made = tilewright.compile(example("gmem_smem_swizzle.py"), "make(3, 3, 3)", emit="cuda,plan", arch="sm_90a").kernels[0]
        self.assertIn("__global__", made.sources.cuda)
        self.assertEqual(made.plan.launch.grid, [1, 1, 1])
        self.assertEqual([g.name for g in made.call.signature], ["A", "B"])
        self.assertEqual(made.calls[0].active and type(made.calls[0]).__name__, "Call")

    def test_explain(self):
        calls = tilewright.explain(example("gmem_smem_swizzle.py"), entry="make(3, 3, 3)").kernels[0].calls
        self.assertTrue(all(c.variant for c in calls))
        self.assertEqual(tilewright.explain("TW3106").code, "TW3106")
        with self.assertRaises(tilewright.Error):
            tilewright.explain("nowhere.py")

    def test_run(self):
        report = tilewright.run(example("vector_add.py"), "vector_add", set={"n": 100}, inputs={"A": "arange", "B": "ones"})
        self.assertEqual((report.verdict, report.extents, report.device.name), ("verified", {"n": 100}, "simulator"))
        self.assertEqual([t.source for t in report.tensors], ["arange", "ones", "poison"])
        with self.assertRaisesRegex(tilewright.Error, "no kernel|yields"):
            tilewright.run(example("vector_add.py"), "nothing_here()")

    def test_references_are_computed_by_this_interpreter(self):
        with open(example("vector_add.py"), encoding="utf-8") as f:
            text = f.read().replace('reference plain("float32")', "reference python:reference").replace("run vector_add n=10000", "run vector_add n=100")
        with unittest.mock.patch.dict(os.environ, PATH="/nowhere"):
            report = tilewright.run(self.script(text, "python_reference.py"), "vector_add")
        if importlib.util.find_spec("numpy"):
            self.assertEqual(report.verdict, "verified")
        else:
            self.assertIn("needs numpy, which " + sys.executable, " ".join(report.notes))

    def test_a_kernel_is_exported(self):
        if subprocess.run([BINARY, "doctor"], capture_output=True, check=False).returncode:
            self.skipTest("no CUDA compiler here")
        kernel = tilewright.load(example("vector_add.py"))["vector_add"]
        path = os.path.join(self.scratch.name, "vector_add.cpp")
        kernel.export(path, arch="sm_80")
        with open(path, encoding="utf-8") as f:
            self.assertIn("__tvm_ffi_vector_add", f.read())
        with self.assertRaisesRegex(tilewright.CompileError, "vector_add: .*nowhere"):
            kernel.export(os.path.join(self.scratch.name, "nowhere", "x.cpp"))

    def test_an_answer_is_what_the_binary_said(self):
        said = json.loads(subprocess.run([BINARY, "compile", example("tma_boxes.py"), "--json"], capture_output=True, text=True, check=True).stdout)
        again = tilewright.compile(example("tma_boxes.py")).to_json()
        self.assertEqual(without_nothing(again), without_nothing(said))

    def test_notebooks_show_tables(self):
        page = tilewright.check(self.script("x = <&", "broken.py"))._repr_html_()
        self.assertIn("<table>", page)
        self.assertIn("broken.py:1:", page)
        self.assertNotIn("<&", page)

    def test_members_that_a_later_binary_adds_are_left_out(self):
        self.assertEqual(_types.Position._of({"line": 1, "column": 2, "offset": 3}), _types.Position(1, 2))
        self.assertTrue(all(dataclasses.is_dataclass(v) for v in vars(_types).values() if isinstance(v, type) and v.__module__ == _types.__name__))


def without_nothing(value):
    """Members that are null are not told apart from those that are missing."""
    if isinstance(value, dict):
        return {k: without_nothing(v) for k, v in value.items() if v is not None}
    return [without_nothing(v) for v in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main()
