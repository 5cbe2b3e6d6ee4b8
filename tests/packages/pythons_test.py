#!/usr/bin/env python3
"""The wheel under every Python from 3.9 on that this machine has, with and without numpy, and its stable ABI by abi3audit.

    pythons_test.py BINARY BUILD

Fetches numpy and abi3audit from the package index.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BINARY, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
PROGRAM = """
import sys, time
begin = time.perf_counter()
import tilewright
spent = time.perf_counter() - begin
sys.path.insert(0, sys.argv[1])
from tensors import Tensor
a, b, c = (Tensor([8], values=range(8)) for _ in range(3))
add = tilewright.load(sys.argv[2])["vector_add"]
add(a, b, c)
assert c.get() == [2.0 * i for i in range(8)], c.get()
assert spent < 0.03, spent
try:
    add(a, b, a)
except tilewright.ArgumentError as error:
    assert error.argument == "C"
else:
    raise SystemExit("an overlap was not named")
if sys.argv[3] == "numpy":
    import numpy
    x, y = numpy.arange(8, dtype="float32"), numpy.zeros(8, "float32")
    add(x, x.copy(), y)
    assert (y == 2 * x).all()
print("good")
"""


def pythons():
    """{"3.11": path} of what this machine has."""
    found = {}
    for path in [*glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python")),
                 *filter(None, (shutil.which(f"python3.{minor}") for minor in range(9, 20))), sys.executable]:
        said = subprocess.run([path, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True, check=False)
        version = said.stdout.strip()
        if said.returncode == 0 and tuple(map(int, version.split("."))) >= (3, 9):
            found.setdefault(version, path)
    return found


class Pythons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        subprocess.run([sys.executable, os.path.join(ROOT, "packaging", "package.py"), BINARY, cls.scratch.name, "--build", BUILD, "--without",
                        "vsix,deb,tarball"], check=True)
        cls.wheel, = glob.glob(os.path.join(cls.scratch.name, "*.whl"))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def in_environment(self, python, name):
        where = os.path.join(self.scratch.name, name)
        subprocess.run([python, "-m", "venv", where], check=True)
        return os.path.join(where, "bin")

    def pip(self, bin_folder, *words):
        subprocess.run([os.path.join(bin_folder, "python"), "-m", "pip", "-q", "--disable-pip-version-check", "install", *words], check=True)

    def test_each(self):
        self.assertIn("-cp39-abi3-", self.wheel)
        for version, python in sorted(pythons().items(), key=lambda p: int(p[0].split(".")[1])):
            folder = self.in_environment(python, version)
            self.pip(folder, self.wheel)
            for with_numpy in ("alone", "numpy"):
                with self.subTest(version, numpy=with_numpy):
                    if with_numpy == "numpy":
                        self.pip(folder, "numpy")
                    said = subprocess.run([os.path.join(folder, "python"), "-B", "-c", PROGRAM, os.path.join(ROOT, "tests", "python"),
                                           os.path.join(ROOT, "examples", "vector_add.py"), with_numpy], capture_output=True, text=True,
                                          cwd=self.scratch.name, check=False)
                    self.assertEqual(said.stdout, "good\n", said.stderr)
            print(version, "good")

    def test_the_stable_abi(self):
        folder = self.in_environment(sys.executable, "audit")
        self.pip(folder, "abi3audit")
        said = subprocess.run([os.path.join(folder, "abi3audit"), "--strict", self.wheel], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
