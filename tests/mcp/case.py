"""What the tests of the Model Context Protocol server share: the binary, the sources, a workspace of their own."""
import os
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))

from support import release  # noqa: E402,F401
from support.mcp import Client, written  # noqa: E402

COPY = '''\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def copy(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (64, 64), "float16")
    B = T.match_buffer(b, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    tile = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy(tile[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], tile[:, :])


def reference(A):
    return {"B": A}
'''


class Case(unittest.TestCase):
    """A client of a server over a workspace with the script copy.py."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.workspace = os.path.realpath(self.folder.name)
        self.write("copy.py", COPY)
        self.client = self.started()

    def started(self, *arguments, **more):
        client = Client(BINARY, arguments, more.pop("folder", self.workspace), **more)
        self.addCleanup(client.stop)
        return client

    def write(self, name, text):
        return written(self.workspace, name, text)


def main():
    del sys.argv[1:2]
    unittest.main()
