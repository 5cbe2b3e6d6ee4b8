#!/usr/bin/env python3
"""unkind_test.py TILEWRIGHT: unkind input: bytes that are no text, cuts, huge lines, closed outputs."""
import os
import subprocess
import xml.etree.ElementTree as ElementTree

from case import BINARY, Case, main
from scripts import BAD, GOOD


class Unkind(Case):
    """Input that was not meant, and places that cannot be read or written."""

    def everywhere(self, path, statuses=(0, 1)):
        for arguments in (["check", path], ["check", path, "--json"], ["check", path, "--format", "sarif"],
                          ["check", path, "--format", "junit"], ["entries", path], ["entries", path, "--json"], ["explain", path],
                          ["compile", path, "--json"]):
            r = self.run_it(*arguments)
            self.assertIn(r.status, (*statuses, 2) if arguments[0] == "compile" else statuses, f"{arguments}: {r}")
            if r.status == 2:
                continue
            if "--json" in arguments or "sarif" in arguments:
                r.json  # well-formed UTF-8
            if "junit" in arguments:
                ElementTree.fromstring(r.out)

    def test_empty(self):
        self.everywhere(self.file("empty.py", b""))
        self.everywhere(self.file("space.py", b" \n\t\n"))

    def test_binary(self):
        import random
        random.seed(7)
        self.everywhere(self.file("noise.py", bytes(random.randrange(256) for _ in range(20000))))
        self.everywhere(self.file("zeros.py", bytes(5000)))
        with open(BINARY, "rb") as f:
            self.everywhere(self.file("program.py", f.read(200000)))

    def test_every_cut_of_a_script(self):
        for cut in range(0, len(GOOD), 37):
            path = self.file("half.py", GOOD[:cut])
            r = self.run_it("check", path, "--json")
            self.assertIn(r.status, (0, 1))
            self.fits(r.json, "check")

    def test_a_huge_line(self):
        self.everywhere(self.file("sum.py", "x = " + " + ".join(["1"] * 100000) + "\n"))
        self.everywhere(self.file("deep.py", "x = " + "(" * 50000 + "1" + ")" * 50000 + "\n"))
        self.everywhere(self.file("name.py", "x" * 2_000_000))

    def test_line_ends_and_marks(self):
        for change in (lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r"),
                       lambda t: t.rstrip("\n"), lambda t: "\ufeff" + t.replace("\n", "\r\n")):
            self.expect(0, "check", self.file("good.py", change(GOOD).encode()))
            report = self.expect(1, "check", self.file("bad.py", change(BAD).encode()), "--json").json
            self.assertEqual(report["diagnostics"][0]["range"]["start"],
                             {"line": 16, "column": BAD.split("\n")[15].index("nothing") + 1})

    def test_bytes_that_are_no_text(self):
        for content, message, place in (
            (BAD.encode().replace(b"nothing", b"noth\xffing"), "this byte is not UTF-8", (16, 31)),
            (b'name = "caf\xe9"\n' + GOOD.encode(), "this byte is not UTF-8", (1, 12)),
            (b"# -*- coding: klingon -*-\n" + GOOD.encode(), "unknown encoding: klingon", (1, 15)),
            (b"x = 1\0\n" + BAD.encode(), "a script cannot contain null bytes", (1, 6)),
            (GOOD.encode("utf-16"), None, None),
        ):
            r = self.expect(1, "check", self.file("odd.py", content), "--json")
            (only,) = r.json["diagnostics"]
            self.assertEqual(only["code"], "TW1001")
            if message:
                self.assertEqual(only["message"], message)
                self.assertEqual(only["range"]["start"], {"line": place[0], "column": place[1]})
            self.assertIn("TW1001", self.expect(1, "check", self.path("odd.py")).text)

    def test_other_encodings(self):
        script = '# coding: latin-1\nname = "caf\u00e9"; other = "\u00e9\u00e9"; import torch; B = torch.x\n' + BAD.replace(
            'Tx.warp.copy(B[', '"\u00e9"; Tx.warp.copy(B[')
        r = self.expect(1, "check", self.file("latin.py", script.encode("latin-1")), "--json")
        (only,) = r.json["diagnostics"]
        self.assertEqual((only["code"], only["range"]["start"]), ("TW2002", {"line": 18, "column": 32}))
        self.assertIn("\u00e9", self.expect(1, "check", self.path("latin.py")).text)

    def test_a_script_that_never_ends(self):
        """The limit ends the loop, and is said; Python would never come to the end of such a module, whatever its kernel needs."""
        loop = GOOD + "\nn = 0\nwhile True:\n    n += 1\n"
        self.assertIn("TW2009", self.expect(1, "check", self.file("loop.py", loop)).text)
        self.expect(1, "check", self.file("loop.py", loop + "\n" + GOOD.replace("(32, 32)", "(n, 32)")))

    def test_places(self):
        self.assertEqual(self.run_it("check", "/dev/null").status, 0)
        self.expect(2, "compile", self.folder)
        self.expect(2, "explain", self.folder)
        os.symlink("self.py", self.path("self.py"))
        self.expect(2, "check", self.path("self.py"))
        if os.geteuid() != 0:
            closed = self.file("closed.py", GOOD)
            os.chmod(closed, 0)
            self.expect(2, "check", closed)

    def test_one_missing_file_spoils_no_other(self):
        for order in (1, -1):
            r = self.expect(2, "check", *[self.file("bad.py", BAD), self.path("gone.py"), self.path("lost.py")][::order])
            self.assertIn("TW2002", r.text)
            self.assertIn("no such file: " + self.path("gone.py"), r.errors)
            self.assertIn("no such file: " + self.path("lost.py"), r.errors)
            self.assertIn("1 error, 0 warnings in 1 file", r.errors)

    def test_control_characters_do_not_reach_the_terminal(self):
        script = BAD.replace("nothing[:, :])", 'nothing[:, :])  # \x1b[2J\x07').replace('"float32"', '"float\x1b[31m"', 1)
        r = self.expect(1, "check", self.file("escape.py", script))
        self.assertIn("TW2004", r.text)
        self.assertNotIn("\x1b", r.text)
        self.assertNotIn("\x07", r.text)
        self.assertIn(r"# \x1b[2J\x07", r.text)

    def test_closed_standard_output(self):
        good = self.file("good.py", GOOD)
        for command in (["compile", good, "--emit", "cuda"], ["compile", good, "--json"], ["check", good, "--json"], ["explain", good],
                        ["layout", "S[64, 64]"], ["entries", good], ["doctor"], ["completions", "bash"]):
            read, write = os.pipe()
            os.close(read)
            with os.fdopen(write, "wb") as out:
                done = subprocess.run([BINARY, *command], stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60)
            self.assertIn(done.returncode, (0, 1, 2), command)

    def test_a_full_device(self):
        good = self.file("good.py", GOOD)
        with open("/dev/full", "wb") as full:
            for command in (["compile", good, "--emit", "cuda"], ["compile", good, "--json"], ["check", good, "--json"],
                            ["layout", "S[64, 64]"], ["explain", good], ["entries", good]):
                done = subprocess.run([BINARY, *command], stdout=full, stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(done.returncode, 2, (command, done.stderr))
                self.assertIn(b"standard output", done.stderr)


if __name__ == "__main__":
    main()
