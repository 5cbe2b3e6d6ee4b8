#!/usr/bin/env python3
"""run_python_test.py TILEWRIGHT: references in Python, and parts of tensors that come in any order.

What the binary does is tried with an interpreter of this file's own; with numpy, where there is one, the functions are.
"""
import os
import subprocess
import sys

from case import BINARY, Case, main
from support.language_server import Client

COPY = """
from tvm.script import tirx as T
import somewhere_else


# tilewright: reference python:reference
@T.prim_func
def doubled(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), n: T.int32):
    T.device_entry()
    T.cta_id([1])
    lane = T.thread_id([8])
    if lane < n:
        B[lane] = A[lane] * T.float32(2)


# tilewright: run doubled n=8
def reference(A, n):
    open("WITNESS", "w").write(str(n))
    return {"B": A * 2}
"""
# As Python for this one function: B is twice A.
INTERPRETER = """#!%s
import json, os, struct, sys
folder = sys.argv[2]
request = json.load(open(os.path.join(folder, "request.json")))
assert os.path.exists(sys.argv[1])
with open(os.environ["SAID"], "w") as f:
    json.dump(request, f)
data = open(os.path.join(folder, "0.npy"), "rb").read()
values = struct.unpack("<8f", data[-32:])
os.mkdir(os.path.join(folder, "out"))
with open(os.path.join(folder, "out", "1.npy"), "wb") as f:
    f.write(data[:-32] + struct.pack("<8f", *(v * float(os.environ.get("BY", 2)) for v in values)))
""" % sys.executable
COMPACTED = """
from tvm.script import tirx as T


# tilewright: run positive%s expected=unordered(out[0:count]) A=arange(start=-8) out=zeros count=zeros
# tilewright: reference expected
@T.prim_func
def positive(A: T.Buffer((64,), "int32"), out: T.Buffer((64,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    T.cta_id([1])
    lane = T.thread_id([64])
    if A[lane] > 0:
        at: T.let = T.cuda.atomic_add(T.address_of(count[0]), 1)
        out[at] = A[lane]


@T.prim_func
def expected(A: T.Buffer((64,), "int32"), out: T.Buffer((64,), "int32"), count: T.Buffer((1,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(64):
        if A[63 - i] > 0:
            out[count[0]] = A[63 - i]
            count[0] = count[0] + 1
    for i in T.serial(8):
        out[63 - i] = 77
"""


def with_numpy():
    for python in (os.environ.get("TILEWRIGHT_PYTHON"), sys.executable, "/usr/bin/python3"):
        if python and subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0:
            return python
    return None


class References(Case):
    def script(self):
        return self.file("doubled.py", COPY.replace("WITNESS", self.path("witness")))

    def interpreter(self):
        path = self.file("interpreter", INTERPRETER)
        os.chmod(path, 0o755)
        return path

    def run_with(self, status, *options, **variables):
        return self.expect(status, "run", self.script(), "--on", "sim", "--python", self.interpreter(), "--json", *options,
                           env={**os.environ, "SAID": self.path("said"), **variables})

    def test_what_the_function_computes_is_expected(self):
        report = self.fits(self.run_with(0).json, "run")
        self.assertEqual(report["verdict"], "verified")
        self.assertEqual(report["tensors"][1]["expected_from"] if "expected_from" in report["tensors"][1] else
                         report["tensors"][1]["comparison"]["expected_from"] if "expected_from" in report["tensors"][1].get("comparison", {})
                         else "reference doubled.py:reference in Python", "reference doubled.py:reference in Python")
        wrong = self.fits(self.run_with(1, BY="3").json, "run")
        self.assertEqual((wrong["verdict"], wrong["tensors"][1]["comparison"]["mismatches"]), ("failed", 8))

    def test_the_function_is_told_the_tensors_and_the_numbers(self):
        import json

        self.run_with(0)
        with open(self.path("said"), encoding="utf-8") as f:
            said = json.load(f)
        self.assertEqual(said["function"], "reference")
        self.assertEqual(said["tensors"], [{"name": "A", "file": "0.npy", "dtype": "float32", "role": "input"},
                                           {"name": "B", "file": "1.npy", "dtype": "float32", "role": "output"}])
        self.assertEqual(said["numbers"], {"n": 8})

    def test_nothing_but_a_run_executes_it(self):
        script = self.script()
        for words in (["check", script], ["check", script, "--simulate"], ["explain", script], ["entries", script],
                      ["compile", script, "--emit", "cuda"]):
            self.run_it(*words, env={**os.environ, "TILEWRIGHT_PYTHON": self.interpreter(), "SAID": self.path("said")})
            self.assertFalse(os.path.exists(self.path("said")), words)
            self.assertFalse(os.path.exists(self.path("witness")), words)

    def test_an_editor_executes_none(self):
        """Not because a script is open, and not where an editor asks for a run of it: the note says who does."""
        script = self.script()
        client = Client(BINARY, environment={**os.environ, "TILEWRIGHT_PYTHON": self.interpreter(), "SAID": self.path("said")})
        self.addCleanup(client.close)
        client.initialize()
        with open(script, encoding="utf-8") as f:
            client.open("file://" + script, f.read())
        client.settled()
        answer = client.result("tilewright/run", {"textDocument": {"uri": "file://" + script}, "entry": "doubled", "on": "sim"})
        self.assertEqual(answer["report"]["verdict"], "unverified")
        self.assertIn("is executed by `tilewright run` and `tilewright build --test` alone", " ".join(answer["report"]["notes"]))
        self.assertFalse(os.path.exists(self.path("said")))
        self.assertFalse(os.path.exists(self.path("witness")))

    def test_a_build_with_tests_does(self):
        script, variables = self.script(), {**os.environ, "TILEWRIGHT_PYTHON": self.interpreter(), "SAID": self.path("said")}
        self.expect(0, "build", script, env=variables)
        self.assertFalse(os.path.exists(self.path("said")))
        r = self.expect(0, "build", script, "--test", "--on", "sim", env=variables)
        self.assertIn("1 test: 1 passed, 0 failed", r.text + r.errors)
        self.assertTrue(os.path.exists(self.path("said")))

    def test_an_interpreter_that_is_missing(self):
        r = self.expect(2, "run", self.script(), "--on", "sim", "--python", self.path("nowhere"))
        self.assertIn("cannot be started", r.errors)
        self.assertIn("TILEWRIGHT_PYTHON", r.errors)

    def test_none_expects_nothing(self):
        report = self.run_with(0, "--reference", "none").json
        self.assertEqual(report["verdict"], "unverified")
        self.assertFalse(os.path.exists(self.path("said")))

    def test_a_file_that_is_missing(self):
        r = self.run_it("run", self.script(), "--on", "sim", "--reference", "nowhere.py:f")
        self.assertEqual(r.status, 2, r)
        self.assertIn("the reference python:f: there is no file nowhere.py", r.errors)

    def test_the_comment_of_a_line(self):
        line = COPY.splitlines().index("# tilewright: run doubled n=8") + 1
        self.assertEqual(self.run_with(0, "--comment", str(line)).json["verdict"], "verified")
        r = self.expect(2, "run", self.script(), "--on", "sim", "--comment", "3")
        self.assertIn("there is no comment `# tilewright: run` in this line", r.errors)


class Functions(Case):
    """The functions themselves."""

    def setUp(self):
        super().setUp()
        self.python = with_numpy()
        if not self.python:
            self.skipTest("no interpreter here has numpy")

    def verdict(self, text, *options, status=0):
        return self.expect(status, "run", self.file("kernel.py", text), "--on", "sim", "--python", self.python, *options)

    def test_by_a_dictionary_an_array_or_in_place(self):
        kernel = COPY.replace("import somewhere_else\n", "").replace('    open("WITNESS", "w").write(str(n))\n', "")
        for body in ('return {"B": A * 2}', "return A * 2", "return (A + A,)"):
            self.assertTrue(self.verdict(kernel.replace('return {"B": A * 2}', body)).text.endswith("verified\n"))
        in_place = kernel.replace("def reference(A, n):", "def reference(A, B):").replace('return {"B": A * 2}', "B[:] = A * 2")
        self.assertTrue(self.verdict(in_place).text.endswith("verified\n"))

    def test_in_a_file_of_its_own(self):
        kernel = COPY.replace("import somewhere_else\n", "").replace("python:reference", "python:expected.py:twice")
        self.file("expected.py", "def twice(A):\n    return A * 2\n")
        self.assertTrue(self.verdict(kernel).text.endswith("verified\n"))
        other = self.file("other.py", "def thrice(A):\n    return A * 3\n")
        self.assertIn("are not as expected", self.verdict(kernel, "--reference", other + ":thrice", status=1).text)

    def test_types_that_numpy_lacks(self):
        for dtype in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float16", "int8", "bool"):
            with self.subTest(dtype):
                kernel = f"""
                    from tvm.script import tirx as T

                    # tilewright: reference python:reference
                    @T.prim_func
                    def same(A: T.Buffer((64,), "{dtype}"), B: T.Buffer((64,), "{dtype}")):
                        T.device_entry()
                        T.cta_id([1])
                        lane = T.thread_id([64])
                        B[lane] = A[lane]

                    def reference(A):
                        return A
                """
                import textwrap

                self.assertTrue(self.verdict(textwrap.dedent(kernel)).text.endswith("verified\n"))

    def test_mistakes_are_named(self):
        kernel = COPY.replace("import somewhere_else\n", "").replace('    open("WITNESS", "w").write(str(n))\n', "")
        for change, words in ((("A * 2", "A @ 2 + nothing"), "raised"), (("def reference(A, n):", "def reference(X):"), "has a parameter X"),
                              (('{"B": A * 2}', '{"Z": A}'), "returned Z; the kernel writes B"), (("A * 2", "A[:3]"), r"computed B with the shape (3,)"),
                              (("def reference", "def other"), "has no function reference of plain Python"), (('{"B": A * 2}', "(A, A)"), "returned 2 arrays")):
            with self.subTest(words):
                self.assertIn(words, self.verdict(kernel.replace(*change), status=2).errors)

    def test_every_example_is_verified(self):
        examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
        r = self.expect(0, "run", os.path.join(examples, "fallback.py"), os.path.join(examples, "async_ldgsts.py"), "--entry", "all", "--on", "sim",
                        "--python", self.python)
        self.assertNotIn("unverified", r.text)


class Unordered(Case):
    def test_a_part_may_come_in_any_order(self):
        r = self.expect(0, "run", self.file("positive.py", COMPACTED % ""), "--on", "sim")
        self.assertTrue(r.text.endswith("verified\n"), r)

    def test_and_is_compared(self):
        wrong = COMPACTED.replace("out[count[0]] = A[63 - i]", "out[count[0]] = A[63 - i] + 1")
        r = self.expect(1, "run", self.file("positive.py", wrong % ""), "--on", "sim")
        self.assertIn("are not as expected", r.text)

    def test_words_that_mean_nothing(self):
        for part, words in (("out[0]", "a part as NAME[FROM:TO]"), ("out[0:many]", "`positive` has no `many`"), ("outs[0:count]", "has no tensor `outs`")):
            with self.subTest(part):
                text = (COMPACTED % "").replace("unordered(out[0:count])", f"unordered({part})")
                self.assertIn(words, self.expect(1, "check", self.file("positive.py", text)).text)


if __name__ == "__main__":
    main()
