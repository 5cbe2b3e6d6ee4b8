"""The plugin of pytest: each run comment is a test. Needs pytest, and says so where there is none."""
import os
import re
import subprocess
import sys
import unittest

from case import BINARY, EXTENSION, ROOT, Case, example, main

PLUGIN = """
import sys
sys.path.insert(0, {python!r})
import tilewright
tilewright.__path__.append({extension!r})
from tilewright.pytest_plugin import *
"""
SCRIPT = """
from tvm.script import tirx as T


# tilewright: run make(8) reference=plain(...)
# tilewright: run make(16) A=arange
# tilewright: run plain(8) reference=wrong(...)
def make(n):
    @T.prim_func
    def doubled(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        lane = T.thread_id([n])
        B[lane] = A[lane] * T.float32(2)
    return doubled


def plain(n):
    return make(n)


def wrong(n):
    @T.prim_func
    def tripled(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        lane = T.thread_id([n])
        B[lane] = A[lane] * T.float32(3)
    return tripled
"""


class Plugin(Case):
    def setUp(self):
        if subprocess.run([sys.executable, "-c", "import pytest"], capture_output=True, check=False).returncode:
            self.skipTest("there is no pytest here")

    def run_it(self, *words):
        with open(os.path.join(self.scratch.name, "conftest.py"), "w", encoding="utf-8") as f:
            f.write(PLUGIN.format(python=os.path.join(ROOT, "python"), extension=os.path.dirname(EXTENSION)))
        return subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-rA", *words], cwd=self.scratch.name,
                              env={**os.environ, "TILEWRIGHT_BIN": BINARY}, capture_output=True, text=True, check=False)

    def test_each_run_comment_is_a_test(self):
        self.script(SCRIPT, "kernels.py")
        said = self.run_it("kernels.py")
        self.assertIn("1 failed, 1 passed, 1 skipped", said.stdout, said.stderr)
        self.assertIn("PASSED kernels.py::make(8):4", said.stdout)
        self.assertRegex(said.stdout, r"FAILED kernels.py::plain\(8\):6")
        self.assertIn("are not as expected", said.stdout)
        self.assertIn("nothing says what the outputs should be", said.stdout)

    def test_it_can_be_left_out(self):
        self.script(SCRIPT, "kernels.py")
        self.assertNotIn("passed", self.run_it("kernels.py", "--no-tilewright").stdout)

    def test_the_words_that_begin_a_comment(self):
        from tilewright.pytest_plugin import _entry

        for rest, entry in ((" make(128, 64) reference=plain(...) A=arange", "make(128, 64)"), (" copy n=100", "copy"), (" n=100", ""), ("", ""),
                            (" encode then consume A=zeros", "encode then consume A=zeros"), (" make([1, 2]) x=1", "make([1, 2])"), (" # remark", "")):
            self.assertEqual(_entry(rest), entry)


if __name__ == "__main__":
    main()
