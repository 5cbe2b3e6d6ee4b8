#!/usr/bin/env python3
"""kept_tests_test.py TILEWRIGHT: what tests on the simulator came to is kept as builds are, and dropped with what it rests on."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
SCRIPT = """from tvm.script import tirx as T
from extents import BY


# tilewright: reference plain()
@T.prim_func
def add(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([64])
    B[i] = A[i] + T.float32(BY)


def plain():
    @T.prim_func
    def scalar(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(64):
            B[i] = A[i] + T.float32(1)

    return scalar
"""


class KeptTests(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="tilewright-kept-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.write("add.py", SCRIPT)
        self.write("extents.py", "BY = 1\n")

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as f:
            f.write(text)

    def outcomes(self, status, *words, on="sim"):
        place = ["--on", on] if on else ["--test"]
        done = subprocess.run([BINARY, "build", "add.py", *place, "--json", *words], cwd=self.root, capture_output=True, text=True,
                              timeout=600, env={**os.environ, "XDG_CACHE_HOME": os.path.join(self.root, ".store")})
        self.assertIn(done.returncode, (status, 2), done.stderr)  # 2: no CUDA here, so that kernels are not compiled
        return [(t["entry"], t["status"], t["seconds"]) for t in json.loads(done.stdout)["tests"]]

    def test_a_test_is_run_once(self):
        [first] = self.outcomes(0)
        self.assertEqual(first[:2], ("add", "passed"))
        self.assertEqual(self.outcomes(0), [first])  # the same seconds: it was not run again
        if not os.path.exists("/dev/nvidiactl"):
            self.assertEqual(self.outcomes(0, on=None), [first])  # the simulator without being named
        # What it rests on.
        self.write("extents.py", "BY = 2\n")
        [failed] = self.outcomes(1)
        self.assertEqual(failed[1], "failed")
        self.assertNotEqual(self.outcomes(1), [failed])  # what failed is run again
        self.write("extents.py", "BY = 1\n")
        self.assertEqual(self.outcomes(0), [first])
        self.write("add.py", SCRIPT + "# another\n")
        self.assertNotEqual(self.outcomes(0), [first])

    def test_what_else_decides(self):
        [first] = self.outcomes(0)
        self.assertNotEqual(self.outcomes(0, "--deadline", "100"), [first])

    def test_files_of_contents_are_not_known(self):
        self.write("add.py", SCRIPT + "# x.npy\n")
        [first] = self.outcomes(0)
        self.assertNotEqual(self.outcomes(0), [first])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
