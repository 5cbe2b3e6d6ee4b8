"""What tests of the Python package share: the package of this checkout with the extension and the binary of a build.

    NAME_test.py TILEWRIGHT EXTENSION [TEST ...]
"""
import os
import sys
import tempfile
import textwrap
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.dirname(os.path.abspath(__file__))]
sys.dont_write_bytecode = True
BINARY, EXTENSION = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.environ["TILEWRIGHT_BIN"] = BINARY

import tilewright  # noqa: E402

tilewright.__path__.append(os.path.dirname(EXTENSION))


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def script(self, text, name="kernels.py"):
        path = os.path.join(self.scratch.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(textwrap.dedent(text).lstrip())
        return path


def example(name):
    return os.path.join(ROOT, "examples", name)


def main():
    if not os.path.exists(EXTENSION):
        print(f"{EXTENSION} was not built: there are no headers of Python here")
        sys.exit(77)
    del sys.argv[1:3]
    unittest.main()
