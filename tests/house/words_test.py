#!/usr/bin/env python3
"""tests/house/words.py: what it finds, and what it passes over."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import words  # noqa: E402

CASES = (  # path, text, lines with a banned word
    ("docs/a.md", "Whoever reads.\n", [1]),
    ("docs/a.md", "`server/ide/mends.h` [a](mends.md)\n\n```\nnobody\n```\nThe reader.\n", []),
    ("docs/a.md", "a\n\n```\nnobody\n```\nmade anew\n", [6]),
    ("compiler/text/a.h", "// nobody\nint mends = anew(1);\n", [1]),
    ("compiler/text/a.h", '#include "server/ide/mends.h"\nconst char* a = "mend it";\n', [2]),
    ("compiler/text/a.h", "/* one\n   somebody */\nchar c = '\"'; int him;  // fine\n", [2]),
    ("compiler/text/a.cpp", 'auto a = R"(by now)";\n', [1]),
    ("compiler/text/a.cpp", 'say("put it behind the wait" + behind + "x");  // behind the door\n', [1]),
    ("compiler/text/a.cpp", 'say("what stands behind `p`, or behind a pointer, is left behind");\n', []),
    ("tests/lsp/a.py", '"""Nobody."""\nmends = 1  # anew\n', [1, 2]),
    ("editors/vscode/src/a.ts", "import { mend } from './mend';\nconst a = 'fine'; // his\n", [2]),
    ("editors/neovim/a.lua", "-- whoever\nlocal anew = 'fine'\n", [1]),
    ("cmake/a.cmake", "# nobody\nset(anew 1)\n", [1]),
    ("docs/a.md", "The other half of this: thehim, shimmed, anewer.\n", []),
)


class Words(unittest.TestCase):
    def test_cases(self):
        for path, text, lines in CASES:
            with self.subTest(path=path, text=text), tempfile.TemporaryDirectory() as root:
                os.makedirs(os.path.join(root, os.path.dirname(path)))
                with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                    f.write(text)
                self.assertEqual([line for _, line, _ in words.found(root)], lines)

    def test_places(self):
        self.assertEqual(words.place("compiler/text/a.h"), "compiler/text")
        self.assertEqual(words.place("docs/manual/a.md"), "docs")
        self.assertEqual(words.place("tests/trust.py"), "tests")


if __name__ == "__main__":
    unittest.main()
