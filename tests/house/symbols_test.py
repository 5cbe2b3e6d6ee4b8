#!/usr/bin/env python3
"""Breaks the rule of symbols.py with libraries of one function each."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import symbols  # noqa: E402

LISTS = {
    "CMakeLists.txt": "room(text)\nroom(expr USES text)\nroom(ir USES expr)\n",
    "server/CMakeLists.txt": "server_room(cli USES ir)\nserver_room(lsp USES ir)\n",
}
GOOD = {
    "text": "int text() { return 1; }\ninline int shared() { return 2; }\nint (*kept)() = shared;\n",
    "expr": "int text();\nint expr() { return text(); }\ninline int shared() { return 2; }\nint (*own)() = shared;\n",
    "ir": "int text();\nint expr();\nint ir() { return text() + expr(); }\n",
    "cli": "int text();\nint cli() { return text(); }\n",
    "lsp": "int ir();\nint lsp() { return ir(); }\n",
}


def said(changed, standing=()):
    with tempfile.TemporaryDirectory() as root:
        for name, text in LISTS.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        build = os.path.join(root, "build")
        os.makedirs(os.path.join(build, "server"))
        for room, text in {**GOOD, **changed}.items():
            source, object_ = os.path.join(build, room + ".cpp"), os.path.join(build, room + ".o")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run(["c++", "-c", source, "-o", object_], check=True)
            folder = os.path.join(build, "server") if room in ("cli", "lsp") else build
            subprocess.run(["ar", "rcs", os.path.join(folder, f"libtw_{room}.a"), object_], check=True)
        return symbols.check(build, root, standing)


class Symbols(unittest.TestCase):
    def test_declared_edges_and_inline_functions_are_allowed(self):
        self.assertEqual(said({}), ([], 5))

    def test_a_function_of_a_room_above_is_found(self):
        self.assertEqual(said({"expr": "int ir();\nint expr() { return ir(); }\n"})[0],
                         ["expr takes from ir, which it may not include: ir()"])

    def test_a_function_of_another_speaker_is_found(self):
        self.assertEqual(said({"cli": "int lsp();\nint cli() { return lsp(); }\n"})[0],
                         ["cli takes from lsp, which it may not include: lsp()"])

    def test_an_arrow_that_stands_is_allowed_while_it_is_needed(self):
        standing = {("expr", "ir", "ir()"): "why"}
        self.assertEqual(said({"expr": "int ir();\nint expr() { return ir(); }\n"}, standing)[0], [])
        self.assertEqual(said({}, standing)[0], ["expr no longer takes from ir: take it out of STANDING in symbols.py: ir()"])


if __name__ == "__main__":
    unittest.main()
