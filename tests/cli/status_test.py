#!/usr/bin/env python3
"""status_test.py TILEWRIGHT: Exit statuses, usage, help and version."""
import os
import subprocess
import xml.etree.ElementTree as ElementTree

from case import BINARY, Case, main
from scripts import BAD, GOOD, SYNTAX


class Status(Case):
    def test_fine(self):
        r = self.expect(0, "check", self.file("good.py", GOOD))
        self.assertEqual(r.text, "")
        self.assertIn("0 errors, 0 warnings in 1 file with 1 kernel", r.errors)

    def test_findings_come_before_the_summary(self):
        for command in (("check",), ("explain",)):
            done = subprocess.run([BINARY, *command, self.file("bad.py", BAD)], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=dict(os.environ))
            text = done.stdout.decode()
            first, last = ("TW", "1 error, ") if command == ("check",) else ("gmem_smem", "TW")
            self.assertIn(last, text)
            self.assertLess(text.index(first), text.index(last), text)

    def test_what_was_not_looked_at(self):
        words = "synchronisation not checked"
        for text, status in ((GOOD, 0), (BAD, 1)):
            path = self.file("kernel.py", text)
            self.assertTrue(self.expect(status, "check", path).errors.endswith(f"{words}\n"))
            told = self.fits(self.expect(status, "check", path, "--json").json, "check")["not_checked"]
            self.assertEqual(told, [{"what": "synchronisation", "message": words}])
            (run,) = self.expect(status, "check", path, "--format", "sarif").json["runs"]
            (invocation,) = run["invocations"]
            self.assertEqual([(n["level"], n["message"]["text"]) for n in invocation["toolExecutionNotifications"]],
                             [("note", words)])
            root = ElementTree.fromstring(self.expect(status, "check", path, "--format", "junit").out)
            self.assertEqual([s.text.strip() for s in root.iter("system-out")], [words])
            self.assertTrue(self.expect(status, "check", path, "--format", "github").errors.endswith(f"{words}\n"))
        # Where there is no kernel nothing was left out.
        path = self.file("empty.py", "x = 1\n")
        self.assertNotIn(words, self.expect(0, "check", path).errors)
        self.assertNotIn("not_checked", self.expect(0, "check", path, "--json").json)
        self.assertNotIn(words, self.expect(0, "check", path, "--format", "sarif").text)

    def test_functions_that_were_not_looked_at(self):
        header = "import tvm\nfrom tvm.script import tirx as T\n"
        cases = {
            "another package": ("import txl\n@txl.kernel\ndef f(A):\n    pass\n", "txl.kernel is not known here"),
            "with arguments": ("from lib import kernel\n@kernel(num_threads=128)\ndef f(A):\n    pass\n",
                               "kernel is not known here"),
            "by its parameters": ("from lib import wrap\n@wrap\ndef f(A: T.Buffer((32,), 'float32')):\n    pass\n",
                                  "wrap is not known here"),
            "the dialect by another name": ("from tvm_tirx import tirx as U\n@U.prim_func\ndef f():\n    pass\n",
                                            "U.prim_func is not known here"),
            "Trainium": ("import neuronxcc.nki as nki\n@nki.jit\ndef f(a, b):\n    return a\n",
                         "nki.jit is not known here"),
            "a builder": ("from tvm.script.ir_builder import IRBuilder\ndef f():\n    with IRBuilder() as b:\n"
                          "        pass\n    return b.get()\nmade = f()\n", "IRBuilder is not followed"),
        }
        for name, (text, why) in cases.items():
            with self.subTest(name):
                path = self.file("surface.py", header + text)
                r = self.expect(0, "check", path)
                self.assertIn("; 1 function not checked\n", r.errors)
                self.assertIn("information[TW2119]: f is not checked: " + why, r.text)
                answer = self.fits(self.expect(0, "check", path, "--json").json, "check")
                (left_out,) = answer["not_checked"]
                self.assertEqual(left_out["what"], "function")
                self.assertTrue(left_out["message"].startswith("f: " + why), left_out)
                (found,) = answer["diagnostics"]
                self.assertEqual((found["code"], found["severity"]), ("TW2119", "information"))
                r = self.expect(1, "check", path, "--deny", "unchecked")
                self.assertIn("error[TW2119]: f is not checked", r.text)
                self.assertIn("1 error, 0 warnings", r.errors)
                (run,) = self.expect(0, "check", path, "--format", "sarif").json["runs"]
                words = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
                self.assertIn("1 function not checked", words)
        # Decorators that make no kernels, and those of other packages whose functions are no tile scripts.
        for text in ("import functools\n@functools.lru_cache\ndef f(a):\n    return a\n",
                     "import torch\n@torch.no_grad()\ndef f(a):\n    return a\n",
                     "import numba\n@numba.jit\ndef f(a):\n    return a\n", GOOD):
            path = self.file("surface.py", header + text)
            self.assertNotIn("function not checked", self.expect(0, "check", path, "--deny", "unchecked").errors)

    def test_what_differs_between_schedules_is_not_verified(self):
        body = """\
from tvm.script import tirx as T
# tilewright: run slots reference=expected out=zeros count=zeros {}
@T.prim_func
def slots(out: T.Buffer((256,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    b = T.cta_id([4])
    t = T.thread_id([64])
    s: T.let = T.cuda.atomic_add(count.ptr_to([0]), 1)
    out[s] = b * 64 + t

@T.prim_func
def expected(out: T.Buffer((256,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in range(256):
        out[i] = i
    count[0] = 256
"""
        r = self.expect(1, "run", "--on", "sim", self.file("slots.py", body.format("")))
        self.assertIn("in another schedule", r.text)
        self.assertIn("\nfailed", r.text)
        r = self.expect(0, "run", "--on", "sim", self.file("slots.py", body.format("expected=unordered(out)")))
        self.assertIn("\nverified", r.text)

    def test_what_tests_of_a_build_checked(self):
        folder = os.path.join(os.path.dirname(self.file("tilewright.toml", "")), "built")
        os.makedirs(folder)
        with open(os.path.join(folder, "kernel.py"), "w") as out:
            out.write("from tvm.script import tirx as T\n# tilewright: run k out=random\n@T.prim_func\n"
                      "def k(out: T.Buffer((32,), 'float32')):\n    T.device_entry()\n    T.cta_id([1])\n"
                      "    t = T.thread_id([32])\n    out[t] = 1.0\n")
        self.assertIn("synchronisation not checked", self.run_it("build", folder).errors)
        self.assertNotIn("synchronisation not checked", self.run_it("build", "--test", "--on", "sim", folder).errors)

    def test_errors_of_the_script(self):
        for name, text in (("bad.py", BAD), ("syntax.py", SYNTAX)):
            path = self.file(name, text)
            self.expect(1, "check", path)
            self.expect(1, "compile", path, "--emit", "cuda")
            self.expect(1, "explain", path)

    def test_usage(self):
        good = self.file("good.py", GOOD)
        self.expect(2)
        self.assertIn("no command 'frobnicate'", self.expect(2, "frobnicate").errors)
        self.expect(2, "explain")
        self.expect(2, "check", good, "--format", "yaml")
        self.expect(2, "compile", good, "--emit", "jpeg")
        self.expect(2, "compile", good, "--no-such-option")
        self.expect(2, "completions", "tcsh")
        self.expect(2, "explain", "TW9999")

    def test_unknown_architecture(self):
        good = self.file("good.py", GOOD)
        for arch in ("sm_1", "gfx942", "sm_90q", "", "sm_", "sm_999", "sm_85", "sm_80a", "sm_90f"):
            for command in ("check", "compile", "explain"):
                r = self.expect(2, command, good, "--arch", arch)
                self.assertIn("unknown architecture", r.errors)

    def test_missing_file(self):
        for command in ("check", "compile", "explain", "entries"):
            r = self.expect(2, command, "nowhere.py")
            self.assertIn("nowhere.py", r.errors)

    def test_no_kernel(self):
        path = self.file("plain.py", "x = 1\n")
        self.expect(0, "check", path)
        self.expect(0, "entries", path)
        self.assertIn("no kernel", self.expect(2, "compile", path).errors)

    def test_help_and_version(self):
        self.assertIn("check", self.expect(0, "--help").text)
        self.assertRegex(self.expect(0, "--version").text, r"^\d+\.\d+")
        for command in ("check", "compile", "explain", "entries", "layout", "doctor", "completions"):
            self.assertIn("--", self.expect(0, command, "--help").text)


if __name__ == "__main__":
    main()
