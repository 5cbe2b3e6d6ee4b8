#!/usr/bin/env python3
"""speed.py SERVER: what hovers say of a kernel's speed once the server had a pause, and that it moves with the text."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import mcp  # noqa: E402
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

    def test_every_door_says_the_same(self):
        """Hovers, two commands, the page and the tool of coding agents; editors draw the server's words and the page."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write(SCRIPT)

            def said(*arguments):
                return subprocess.run([SERVER, *arguments], stdout=subprocess.PIPE, check=True, cwd=folder).stdout.decode()

            shown = {"hover": self.hover_with(SCRIPT, "def kernel", "modelled"), "explain": said("explain", path, "--time", "--as-written"),
                     "run": said("run", path, "--on", "sim", "--profile", "--as-written")}
            said("view", path, "--emit", "tirx", "--html", "page.html")
            with open(os.path.join(folder, "page.html"), encoding="utf-8") as f:
                speed = json.loads(re.search(r"<script[^>]*>(.*?)</script>", f.read(), re.S)[1])["kernels"][0]["time"]
            shown["page"] = "\n".join(speed["head"])
            tools = mcp.Client(SERVER, folder=folder)
            self.addCleanup(tools.close)
            shown["mcp"] = tools.call("profile", {"path": "kernel.py"})["structuredContent"]["report"]
            heads = {door: re.findall(r"^ *(?:time|grid|path|bounds) {3,}.*$", text, re.M) for door, text in shown.items()}
            for door, head in heads.items():
                self.assertEqual([line.strip() for line in head], [line.strip() for line in heads["explain"]], door)
            self.assertEqual(len(heads["explain"]), 4, shown["explain"])
            words = "reads of global memory: 512 sectors, counted as written"
            self.assertIn(words, self.hover_with(SCRIPT, "Tx.cta.copy", "of the path"))
            self.assertIn(words, [w for line in speed["lines"] if line["line"] == 12 for w in line["words"]])
            self.assertRegex(shown["run"], r"(?m)^ +13 +\d+ % +512 ")

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
