#!/usr/bin/env python3
"""equal_functions.py: what counts as equal, and what does not."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BODY = "{ int sum = 0; for (int i = 0; i < n; ++i) sum += weight(values[i]) * i; /* all */ return sum; }\n"


def count(*texts, options=()):
    """How the tool answers on a tree with these sources."""
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "compiler", "a"))
        for i, text in enumerate(texts):
            with open(os.path.join(root, "compiler", "a", f"f{i}.cpp"), "w", encoding="utf-8") as out:
                out.write(text)
        subprocess.run(["git", "-C", root, "init", "-q"], check=True)
        subprocess.run(["git", "-C", root, "add", "."], check=True)
        return subprocess.run([sys.executable, os.path.join(HERE, "equal_functions.py"), root, *options], capture_output=True,
                              text=True)


class Equal(unittest.TestCase):
    def pairs(self, *texts):
        return int(count(*texts).stdout.split()[0])

    def test_names_of_its_own_do_not_matter(self):
        other = BODY.replace("sum", "total").replace("values", "xs").replace("/* all */", "// of them\n")
        self.assertEqual(self.pairs("int f(int n) " + BODY, "int g(int n) " + other), 1)
        self.assertEqual(self.pairs("int f(int n) " + BODY, "int g(int n) " + other, "int h(int n) " + BODY), 2)

    def test_what_is_called_and_literals_do(self):
        self.assertEqual(self.pairs("int f(int n) " + BODY, "int g(int n) " + BODY.replace("weight", "height")), 0)
        self.assertEqual(self.pairs("int f(int n) " + BODY, "int g(int n) " + BODY.replace("= 0", "= 1")), 0)
        self.assertEqual(self.pairs('auto f() { return say("a", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13); }\n',
                                    'auto g() { return say("b", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13); }\n'), 0)

    def test_short_bodies_do_not_count(self):
        self.assertEqual(self.pairs("int f() { return g(1); }\n", "int h() { return g(1); }\n"), 0)

    def test_more_than_allowed_fails_and_names_them(self):
        both = ("int f(int n) " + BODY, "int g(int n) " + BODY)
        self.assertEqual(count(*both, options=["--most", "1"]).returncode, 0)
        failed = count(*both, options=["--most", "0"])
        self.assertEqual(failed.returncode, 1)
        self.assertIn("compiler/a/f0.cpp:1: f\ncompiler/a/f1.cpp:1: g\n", failed.stdout)


if __name__ == "__main__":
    unittest.main()
