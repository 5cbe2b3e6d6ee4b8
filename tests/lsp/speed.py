#!/usr/bin/env python3
"""speed.py SERVER: what hovers say of a kernel's speed once the server had a pause, and that it moves with the text."""
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.language_server import Client  # noqa: E402

SERVER = sys.argv.pop(1)
SCRIPT = """# tilewright: arch sm_90a
# tilewright: dialect 0.25
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def kernel(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    tile = T.alloc_shared((64, 64), "float32")
    Tx.cta.copy(tile[0:64, 0:64], A[0:64, 0:64])
    T.cuda.cta_sync()
    Tx.cta.copy(B[0:64, 0:64], tile[0:64, 0:64])
"""
PATIENCE = 60 * float(os.environ.get("TILEWRIGHT_PATIENCE", "1"))
URI = "file:///nowhere/kernel.py"


class Speed(unittest.TestCase):
    def setUp(self):
        self.client = Client(SERVER)
        self.addCleanup(self.client.close)
        self.client.initialize()
        self.client.open(URI, SCRIPT)

    def hover(self, text, word):
        lines = text.split("\n")
        line = next(i for i, l in enumerate(lines) if word in l)
        place = {"line": line, "character": lines[line].index(word) + len(word) - 1}
        answer = self.client.result("textDocument/hover", {"textDocument": {"uri": URI}, "position": place})
        return answer["contents"]["value"]

    def hover_with(self, text, word, said):
        end = time.monotonic() + PATIENCE
        while said not in (found := self.hover(text, word)):
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.1)
        return found

    def test_a_kernel_and_its_calls(self):
        kernel = self.hover_with(SCRIPT, "def kernel", "modelled")
        for words in ("occupancy  ", "of the path", "90 % of kernels between"):
            self.assertIn(words, kernel)
        call = self.hover_with(SCRIPT, "Tx.cta.copy", "of the path")
        self.assertIn("reads of global memory: 512 sectors, counted as written", call)

    def test_what_is_advised_stands_at_the_line(self):
        later = SCRIPT.replace("alloc_shared((64, 64)", "alloc_shared((64, 65)").replace("float32", "float16").replace("[128]", "[32]")
        self.client.change(URI, 2, later)
        call = self.hover_with(later, "Tx.cta.copy", "(TW7003)")
        self.assertIn("the copy moves 2 bytes: the rows of tile are 65 elements apart, and 16 bytes need a multiple of 8; 72 gives 16 bytes", call)
        kernel = self.hover_with(later, "def kernel", "(TW7003)")
        self.assertRegex(kernel, "line 13: reads of global memory move 2 bytes a lane and instruction here")
        self.client.change(URI, 3, later.replace("65", "72"))
        self.assertNotIn("TW70", self.hover_with(later.replace("65", "72"), "def kernel", "of the path"))

    def test_lines_move_with_the_text(self):
        self.hover_with(SCRIPT, "def kernel", "line 13")
        later = SCRIPT.replace("\n\n\n@T", "\n\n\n\n\n@T")
        self.client.change(URI, 2, later)
        self.hover_with(later, "def kernel", "line 15")
        self.assertNotIn("line 13", self.hover(later, "def kernel"))

    def test_none_where_the_simulator_is_not_asked(self):
        other = Client(SERVER)
        self.addCleanup(other.close)
        other.initialize(initializationOptions={"tilewright": {"simulate": False}})
        other.open(URI, SCRIPT)
        time.sleep(1)
        self.client = other
        self.assertNotIn("Speed", self.hover(SCRIPT, "def kernel"))


if __name__ == "__main__":
    unittest.main()
