#!/usr/bin/env python3
"""settings_test.py TILEWRIGHT: settings that extend others, [tool.tilewright] of pyproject.toml, check without paths, reports for CI."""
import os
import xml.etree.ElementTree as xml

from case import Case, main

PLAIN = """\
from tvm.script import tirx as T


@T.prim_func
def add(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    unused = 1
    B[tx] = A[tx] + T.float32(1)
"""


class Settings(Case):
    def severities(self, *paths):
        return [d["severity"] for d in self.run_it("check", *paths, "--json").json["diagnostics"]]

    def test_extend(self):
        path = self.file("kernels/a.py", PLAIN)
        self.assertEqual(self.severities(path), ["warning"])
        self.file("shared.toml", '[severity]\nTW2301 = "error"\nTW3106 = "error"\n')
        own = self.file("kernels/tilewright.toml", 'extend = "../shared.toml"\n')
        self.assertEqual(self.severities(path), ["error"])
        self.file("kernels/tilewright.toml", 'extend = "../shared.toml"\n[severity]\nTW2301 = "off"\n')
        self.assertEqual(self.severities(path), [])
        self.file("kernels/tilewright.toml", 'extend = "../nothing.toml"\n')
        self.assertIn(f"{own}:1: there is no file ../nothing.toml", self.expect(2, "check", path).errors)
        self.file("kernels/tilewright.toml", 'extend = "tilewright.toml"\n')
        self.assertIn("extend each other", self.expect(2, "check", path).errors)
        self.file("kernels/tilewright.toml", "extend = 3\n")
        self.assertIn("extend is a text", self.expect(2, "check", path).errors)
        os.makedirs(self.path("kernels/.git"))
        self.file("kernels/tilewright.toml", 'extend = "../shared.toml"\n')
        self.assertIn("lies outside of the checkout", self.expect(2, "check", path).errors)

    def test_settings_that_are_no_file(self):
        path = self.file("a.py", PLAIN)
        own = self.path("tilewright.toml")
        for make, why in ((lambda: os.mkfifo(own), "it is a pipe"), (lambda: os.symlink("/dev/zero", own), "it is a device"),
                          (lambda: os.symlink("nothing.toml", own), "o such file"), (lambda: os.symlink("tilewright.toml", own), "ymbolic links")):
            make()
            self.assertIn(why, self.expect(2, "check", path).errors)
            os.unlink(own)

    def test_pyproject(self):
        path = self.file("a.py", PLAIN)
        self.file("pyproject.toml", '[project]\nname = "x"\n')
        self.assertEqual(self.severities(path), ["warning"])
        own = self.file("pyproject.toml", '[project]\nname = "x"\n[tool.tilewright.severity]\nTW2301 = "error"\n')
        self.assertEqual(self.severities(path), ["error"])
        self.file("pyproject.toml", "[tool.tilewright]\nstrange = 1\n")
        self.assertIn(f"{own}:2: unknown setting 'strange'", self.expect(2, "check", path).errors)
        self.file("tilewright.toml", "")  # comes first
        self.assertEqual(self.severities(path), ["warning"])

    def test_check_without_paths(self):
        self.file("tilewright.toml", "")
        self.file("a.py", PLAIN)
        inner = self.file("sub/b.py", PLAIN)
        answer = self.fits(self.expect(0, "check", "--json").json, "check")
        self.assertEqual(answer["files"], ["a.py", "sub/b.py"])
        self.assertEqual(len(self.expect(0, "check", "--json", cwd=os.path.dirname(inner)).json["files"]), 2)

    def test_counts(self):
        self.file("a.py", PLAIN)
        self.file("b.py", PLAIN.replace("thread_id", "tread_id"))
        counts = self.run_it("check", ".", "--json").json["counts"]
        self.assertEqual((counts["files"], counts["kernels"], counts["errors"], counts["warnings"], counts["fixable"]), (2, 2, 1, 1, 2))

    def test_sarif(self):
        self.file("b.py", PLAIN.replace("thread_id", "tread_id"))
        [run] = self.run_it("check", "./b.py", "--format", "sarif").json["runs"]
        [rule] = run["tool"]["driver"]["rules"]
        self.assertEqual(rule["defaultConfiguration"], {"level": "error"})
        self.assertTrue(rule["helpUri"].startswith("urn:tilewright:"))
        [result] = run["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "b.py")
        [fix] = result["fixes"]
        [replacement] = fix["artifactChanges"][0]["replacements"]
        self.assertEqual(replacement["insertedContent"]["text"], "thread_id")
        self.assertEqual(replacement["deletedRegion"], {"startLine": 8, "startColumn": 12, "endLine": 8, "endColumn": 20})

    def test_names_of_test_cases(self):
        text = PLAIN.replace("@T.prim_func", "# tilewright: entry add\n@T.prim_func").replace("    unused = 1\n", "")
        path = self.file("a.py", text + "\n\ndef pair():\n    return [add, add]\n\n\n# tilewright: entry pair()\n")
        suite = xml.fromstring(self.run_it("check", path, "--format", "junit").out)
        names = [(c.get("classname"), c.get("name")) for c in suite.iter("testcase")]
        self.assertEqual(len(names), len(set(names)), names)

    def test_dependencies_of_what_is_compiled(self):
        self.file("extents.py", "N = 32\n")
        path = self.file("a b.py", "from extents import N\n" + PLAIN.replace("    unused = 1\n", "").replace("(32,)", "(N,)"))
        self.file("tilewright.toml", "")
        self.expect(0, "compile", path, "--emit", "cuda", "-o", self.path("out"), "--depfile", self.path("a.d"))
        with open(self.path("a.d"), encoding="utf-8") as f:
            targets, read = f.read().split(":", 1)
        self.assertEqual(targets, self.path("out/add.cu"))
        for name in ("a\\ b.py", "extents.py", "tilewright.toml"):
            self.assertIn(self.path(name), read)
        self.assertIn("requires --output", self.expect(2, "compile", path, "--depfile", "x.d").errors)


if __name__ == "__main__":
    main()
