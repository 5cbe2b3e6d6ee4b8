#!/usr/bin/env python3
"""apply.py held against patches that must fail, each for its reason, in a small house whose binary is a shell script."""
import os
import subprocess
import sys
import tempfile
import unittest

APPLY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apply.py")
BUILD = 'mkdir -p "$BUILD" && sh -n table.sh && cat table.sh extra/*.sh > "$BUILD/tilewright" 2>/dev/null; chmod +x "$BUILD/tilewright"; sh -n table.sh'
TABLE = "#!/bin/sh\necho one\n"


class Toys(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.root = self.home.name
        with open(APPLY, encoding="utf-8") as file:  # it takes the folder two above itself for the checkout
            program = file.read()
        for path, text in {"tests/toys/apply.py": program, "table.sh": TABLE, "other.sh": "echo\n", "extra/a.sh": "true\n",
                           ".gitignore": "build/\n"}.items():
            self.write(path, text)
        for command in (["init", "-q"], ["add", "."], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "house"]):
            subprocess.run(["git", *command], cwd=self.root, check=True)

    def tearDown(self):
        self.home.cleanup()

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def toy(self, name, changes, *expect):
        """A patch that makes `changes` (path to text) of the committed files."""
        for path, text in changes.items():
            self.write(path, text)
        subprocess.run(["git", "add", "-N", "."], cwd=self.root, check=True)
        diff = subprocess.run(["git", "diff"], cwd=self.root, capture_output=True, text=True, check=True).stdout
        for path in changes:
            subprocess.run(["git", "rm", "-q", "--cached", "-f", path], cwd=self.root, check=True)
            os.remove(os.path.join(self.root, path))
        subprocess.run(["git", "reset", "-q", "--hard"], cwd=self.root, check=True)
        patch = os.path.join(self.home.name, "build", name + ".patch")
        os.makedirs(os.path.dirname(patch), exist_ok=True)
        with open(patch, "w", encoding="utf-8") as file:
            file.write("".join(f"# expect: {e}\n" for e in expect) + diff)
        return patch

    def apply(self, *patches):
        done = subprocess.run([sys.executable, os.path.join(self.root, "tests", "toys", "apply.py"), "--build", BUILD, *patches],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_file_and_a_row_fit(self):
        good = self.toy("good", {"extra/b.sh": "echo two\n", "table.sh": TABLE + "echo row\n", "tests/b.txt": "x\n" * 100},
                        "tilewright => two", "tilewright | tail -n 2 => row")
        after = self.toy("after", {"extra/c.sh": "echo three\n"}, "tilewright => three")
        status, said = self.apply(good, after)
        self.assertEqual((status, "2 of 2 toys fit" in said), (0, True), said)
        # What one brought is gone before the next, and the checkout itself was never touched.
        clean = subprocess.run(["git", "status", "--porcelain"], cwd=self.root, capture_output=True, text=True, check=True).stdout
        self.assertEqual(clean, "")
        self.assertFalse(os.path.exists(os.path.join(self.root, "build", "toys", "checkout", "extra", "b.sh")))

    def test_what_does_not_fit(self):
        wrong = {
            "adds 2 files": self.toy("files", {"extra/b.sh": "echo two\n", "extra/c.sh": "echo three\n"}, "tilewright => two"),
            "changes 2 files": self.toy("places", {"table.sh": TABLE + "echo two\n", "other.sh": "echo\necho\n"}, "tilewright => two"),
            "13 lines of table.sh": self.toy("lines", {"table.sh": TABLE + "echo two\n" * 13}, "tilewright => two"),
            "no line `# expect": self.toy("silent", {"extra/b.sh": "echo two\n"}),
            "without it, too": self.toy("idle", {"extra/b.sh": "echo two\n"}, "tilewright => one"),
            "does not say `three`": self.toy("other", {"extra/b.sh": "echo two\n"}, "tilewright => three"),
            "does not build": self.toy("broken", {"table.sh": TABLE + "if\n"}, "tilewright => two"),
        }
        status, said = self.apply(*wrong.values())
        self.assertEqual(status, 1, said)
        for reason, patch in wrong.items():
            line = next((l for l in said.splitlines() if os.path.basename(patch) in l), "")
            self.assertTrue(line.startswith("FAIL") and reason in said.split(line, 1)[0] + line, f"{reason}: {said}")
            self.assertIn(reason.split("`")[0].strip(), line)
        self.assertIn("0 of 7 toys fit", said)

    def test_a_patch_of_another_house(self):
        patch = self.toy("old", {"table.sh": TABLE + "echo two\n"}, "tilewright => two")
        self.write("table.sh", "#!/bin/sh\necho other\n")
        status, said = self.apply(patch)
        self.assertEqual(status, 1, said)
        self.assertIn("git apply", said)


if __name__ == "__main__":
    unittest.main()
