#!/usr/bin/env python3
"""Tests of the command line: exit statuses, formats, JSON against its schemas, and unkind input.

    cli_test.py BINARY [unittest arguments]
"""
import ast
import base64
import concurrent.futures
import glob
import hashlib
import html
import html.parser
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
import tomllib
import unittest
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, os.path.dirname(HERE)]
sys.dont_write_bytecode = True
import schema  # noqa: E402
import trust  # noqa: E402,F401: settings of the user of this test's own

BINARY = None

GOOD = '''\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float32")
    B = T.match_buffer(B_ptr, (32, 32), "float32")
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((32, 32), "float32", scope="shared", layout=TileLayout(S[32, 32]))
    Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], A_smem[:, :])
'''
TENSOR_MEMORY = """\
from tvm.script import tirx as T
@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    address = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(address[0]), n_cols=512, cta_group=1)
    T.ptx.tcgen05.dealloc(address[0], n_cols=512, cta_group=1)
"""
CONFIGS = """\
from tvm.script import tirx as T
def get_kernel(n):
    @T.prim_func
    def kernel(A: T.Buffer((n,), "float32")):
        T.device_entry()
        t = T.thread_id([n])
        A[t] = 1.0
    return kernel
CONFIGS = [{"label": "small", "n": 32}, {"label": "large", "n": 64}]
"""
FALLBACK = GOOD.replace("32, 32", "10, 10")
BAD = GOOD.replace("Tx.warp.copy(B[:, :], A_smem[:, :])", "Tx.warp.copy(B[:, :], nothing[:, :])")
SYNTAX = GOOD.replace("Tx.warp.copy(B[:, :], A_smem[:, :])", "Tx.warp.copy(B[:, :], A_smem[:, ")
FACTORY = '''\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

def make(rows, columns, dtype="float16"):
    @T.prim_func
    def tile(A_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, columns), dtype)
        T.device_entry()
        T.cta_id([1])
        T.thread_id([128])
        A_smem = T.alloc_buffer((rows, columns), dtype, scope="shared", layout=TileLayout(S[rows, columns]))
        Tx.cta.copy(A_smem[:, :], A[:, :])
    return tile
'''


def minds_interrupts(pid):
    """Has the process begun to look after SIGINT, by a handler or by a thread that waits for it?"""
    with open(f"/proc/{pid}/status") as f:
        masks = dict(line.split(":\t") for line in f if line.startswith(("SigBlk", "SigCgt")))
    return any(int(mask, 16) >> (signal.SIGINT - 1) & 1 for mask in masks.values())


class Result:
    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.text, self.errors = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.out.decode("utf-8"))

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.text[:2000]}\n--- stderr\n{self.errors[:2000]}"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tilewright-cli-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def cache(self):
        return os.environ.get("TILEWRIGHT_TEST_CACHE", self.path("cache"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def run_it(self, *arguments, stdin=b"", cwd=None, env=None):
        stdin = stdin if isinstance(stdin, bytes) else stdin.encode("utf-8")
        environment = dict(os.environ, XDG_CACHE_HOME=self.cache()) | (env or {})
        done = subprocess.run([BINARY, *arguments], input=stdin, capture_output=True, cwd=cwd or self.folder,
                              env=environment, timeout=120)
        result = Result(done)
        self.assertIn(done.returncode, (0, 1, 2), f"{arguments}: {result}")  # never a signal
        return result

    def expect(self, status, *arguments, **more):
        result = self.run_it(*arguments, **more)
        self.assertEqual(result.status, status, f"{arguments}: {result}")
        return result

    def fits(self, value, name):
        self.assertEqual(schema.check(value, name), [])
        return value


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
        self.expect(2, "check")
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


class Check(Case):
    def test_text_names_place_and_rule(self):
        r = self.expect(1, "check", self.file("bad.py", BAD))
        self.assertRegex(r.text, r"bad\.py:16:\d+: error\[TW2\d\d\d\]: .*nothing")
        self.assertIn("1 error", r.errors)

    def test_no_colours_when_not_a_terminal(self):
        bad = self.file("bad.py", BAD)
        for command in (["check", bad], ["compile", bad], ["explain", bad], ["doctor"]):
            r = self.run_it(*command, env={"TERM": "xterm-256color"})
            self.assertNotIn(b"\x1b", r.out + r.err)

    def test_standard_input(self):
        r = self.expect(1, "check", "-", "--stdin-filename", "shown.py", stdin=BAD)
        self.assertIn("shown.py:16:", r.text)
        self.assertIn("<stdin>:16:", self.expect(1, "check", "-", stdin=BAD).text)
        self.assertEqual(self.expect(0, "check", "-", stdin=GOOD).text, "")

    def test_standard_input_imports_beside_its_name(self):
        self.file("pkg/sizes.py", "ROWS = 32\n")
        text = GOOD.replace("(32, 32)", "(ROWS, 32)").replace("@T.prim_func", "from sizes import ROWS\n\n@T.prim_func", 1)
        self.expect(0, "check", "-", "--stdin-filename", self.path("pkg/kernel.py"), stdin=text)

    def test_what_is_imported_and_cannot_be_read(self):
        self.file("half/sizes.py", "ROWS = 64\ndef half(:\n    pass\n")
        importing = GOOD.replace("(32, 32)", "(ROWS, 32)").replace("@T.prim_func", "from sizes import ROWS\n\n@T.prim_func", 1)
        script = self.file("half/kernel.py", importing)
        r = self.expect(1, "check", script)
        self.assertRegex(r.text, r"kernel.py:\d+:1: error\[TW1001\]: .*sizes.py cannot be read: unclosed")
        self.assertIn("sizes.py:2:9: here", r.text)
        # Where the script is ready for that, nothing of the file counts, as in Python.
        ready = "try:\n    from sizes import ROWS\nexcept SyntaxError:\n    ROWS = 32\n"
        self.expect(0, "check", self.file("half/ready.py", importing.replace("from sizes import ROWS\n", ready)))
        plan = self.fits(self.expect(0, "compile", self.path("half/ready.py"), "--emit", "plan", "--json").json, "compile")
        self.assertIn('"shape": [32, 32]', json.dumps(plan["kernels"][0]["plan"]))
        self.assertEqual([os.path.basename(f) for f in plan["files"]], ["ready.py"])
        # What was read is told: for those who watch files.
        self.file("half/sizes.py", "ROWS = 32\n")
        self.file("half/tilewright.toml", "")
        read = self.fits(self.expect(0, "compile", script, "--json").json, "compile")["files"]
        self.assertEqual([os.path.basename(f) for f in read], ["kernel.py", "sizes.py", "tilewright.toml"])

    def test_folder(self):
        self.file("tree/a.py", GOOD)
        self.file("tree/deep/b.py", BAD)
        self.file("tree/notes.txt", "no script")
        self.file("tree/.hidden/c.py", BAD)
        r = self.expect(1, "check", self.path("tree"))
        self.assertIn("in 2 files with 2 kernels", r.errors)
        report = self.fits(self.expect(1, "check", self.path("tree"), "--json").json, "check")
        self.assertEqual([os.path.relpath(f, self.folder) for f in report["files"]], ["tree/a.py", "tree/deep/b.py"])
        self.expect(0, "check", self.path("tree/.hidden/..") + "/a.py")

    def test_folder_of_other_python(self):
        """Only tile scripts count: what speaks of tvm, and what imports it from its own root."""
        self.file("tree/pkg/__init__.py", "")
        self.file("tree/pkg/factory.py", GOOD)
        self.file("tree/pkg/uses.py", "import os\nif os:\n    from .factory import (\n        kernel)\n")
        self.file("tree/pkg/indirect.py", "from pkg import uses\n")
        self.file("tree/pkg/loop_a.py", "import pkg.loop_b\n")
        self.file("tree/pkg/loop_b.py", "import pkg.loop_a\n")
        self.file("tree/tool.py", "while True:\n    print 'another Python'\n")
        report = self.fits(self.expect(0, "check", self.path("tree"), "--json").json, "check")
        self.assertEqual([os.path.basename(f) for f in report["files"]], ["factory.py", "indirect.py", "uses.py"])
        self.assertIn("4 other Python files without tile scripts", self.expect(0, "check", self.path("tree")).errors)
        self.expect(1, "check", self.path("tree/tool.py"))  # what is named is looked at

    def test_errors_cannot_be_silenced(self):
        """Neither a comment nor a setting makes a failed kernel fine, whatever the command and its format."""
        undefined = self.file("silent/undefined.py", BAD.replace("nothing[:, :])", "nothing[:, :])  # tilewright: ignore[TW2002]"))
        refused = self.file("silent/refused.py", GOOD.replace("Tx.warp.copy(B[:, :], A_smem[:, :])",
                                                              "Tx.warp.copy_async(B[:, :], A_smem[0:1, :])  # tilewright: ignore"))
        self.file("silent/tilewright.toml", '[severity]\nTW2002 = "off"\nTW3104 = "hint"\n')
        for script in (undefined, refused):
            for command in (["check"], ["check", "--json"], ["check", "--format", "sarif"], ["check", "--format", "github"],
                            ["check", "--format", "junit"], ["compile"], ["compile", "--json"], ["compile", "--emit", "cuda"]):
                self.expect(1, command[0], script, *command[1:])
            found = self.fits(self.expect(1, "check", script, "--json").json, "check")["diagnostics"]
            self.assertEqual([d["severity"] for d in found if d["code"] != "TW2302"], ["error"])
            self.assertEqual([d["severity"] for d in found if d["code"] == "TW2302"], ["warning"])
        # The setting that does not hold is told.
        self.assertIn("[severity] of tilewright.toml does not hold", self.expect(1, "check", undefined).text)

    def test_called_from(self):
        """An error in a function that host code calls names the calls on the way, innermost first."""
        script = self.file("called.py", FACTORY.replace("def make(", "def checked(rows):\n    return rows * tile_rows\n\ndef make(")
                           .replace("    @T.prim_func", "    rows = checked(rows)\n    @T.prim_func", 1) + "\nk = make(4, 4)\n")
        report = self.fits(self.expect(1, "check", script, "--json").json, "check")
        (found,) = [d for d in report["diagnostics"] if d["severity"] == "error"]
        lines = open(script).read().split("\n")
        at = lambda r: lines[r["start"]["line"] - 1][r["start"]["column"] - 1:r["end"]["column"] - 1]
        self.assertEqual((found["code"], at(found["range"])), ("TW2002", "tile_rows"))
        self.assertEqual([(r["message"], at(r["range"])) for r in found["related"]],
                         [("called from here", "checked(rows)"), ("called from here", "make(4, 4)")])

    def test_neighbours(self):
        """A misspelt neighbour is found in the folder; what is not here and near to nothing is somebody else's package."""
        self.file("near/helpers.py", "ROWS = 32\n")
        self.file("near/pkg/__init__.py", "")
        for line, token in (("from helprs import ROWS", "helprs"), ("from helpers import ROSW as ROWS", "ROSW"),
                            ("from .helper import ROWS", "helper"), ("from numpyy import ROWS", "numpyy")):
            script = self.file("near/kernel.py", GOOD.replace("(32, 32)", "(ROWS, 32)").replace("@T.prim_func", line + "\n\n@T.prim_func", 1))
            found = self.fits(self.expect(1, "check", script, "--json").json, "check")["diagnostics"]
            self.assertEqual(len(found), 1, found)
            at = found[0]["range"]
            text = open(script).read().split("\n")[at["start"]["line"] - 1]
            self.assertEqual(text[at["start"]["column"] - 1:at["end"]["column"] - 1], token)
        for line in ("import somebodys_package", "from pkg_of_mine.sub import x", "import torch, triton.language as tl"):
            script = self.file("near/kernel.py", GOOD.replace("@T.prim_func", line + "\n\n@T.prim_func", 1))
            self.expect(0, "check", script)

    def test_empty_folder(self):
        os.mkdir(self.path("empty"))
        self.expect(0, "check", self.path("empty"))

    def test_deny(self):
        path = self.file("fallback.py", FALLBACK)
        self.assertIn("warning[TW3106]", self.expect(0, "check", path).text)
        self.assertIn("error[TW3106]", self.expect(1, "check", path, "--deny", "fallback").text)
        self.assertIn("error[TW3106]", self.expect(1, "check", path, "--deny", "TW3106").text)
        self.expect(2, "check", path, "--deny", "TW0000")
        ignored = self.file("ignored.py", FALLBACK.replace("[:, :])\n", "[:, :])  # tilewright: ignore[TW3106]\n"))
        self.assertEqual(self.expect(0, "check", ignored, "--deny", "fallback").text, "")

    def test_settings(self):
        path = self.file("project/deep/fallback.py", FALLBACK)
        settings = lambda text: self.file("project/tilewright.toml", text)  # noqa: E731
        settings('[severity]\nTW3106 = "error"\n')
        self.assertIn("error[TW3106]", self.expect(1, "check", path).text)
        settings('[severity]\nTW3106 = "off"\n')
        self.assertEqual(self.expect(0, "check", path).text, "")
        settings("[limits]\nsteps = 50\n")
        self.expect(1, "check", path)
        for wrong in ("[severity]\nTW3106 = 'loud'\n", "[severity]\nTW0000 = 'off'\n", "[limits]\nsteps = -1\n", "[limit]\n",
                      "[limits]\nsteps = 'many'\n", "[limits]\nwidth = 3\n", "not toml", "[limits]\ndepth = 1000000\n"):
            settings(wrong)
            r = self.expect(2, "check", path)
            self.assertRegex(r.errors, r"tilewright\.toml:\d+: ", wrong)

    def test_dialect(self):
        path = self.file("project/release.py", GOOD)
        for command in (["check"], ["compile"], ["explain"], ["entries"]):
            self.expect(0, *command, path, "--dialect", "0.25")
            for release in ("0.26", "0.27"):
                r = self.expect(2, *command, path, "--dialect", release)
                self.assertIn(f"release {release} of the dialect is not built in; this version reads 0.25", r.errors)
            self.assertIn("there is no release '9'", self.expect(2, *command, path, "--dialect", "9").errors)
        r = self.expect(2, "run", path, "--on", "gpu", "--dialect", "0.27")
        self.assertIn("release 0.27 of the dialect is not built in", r.errors)
        later = self.file("project/later.py", "# tilewright: dialect 0.27\n" + GOOD)
        r = self.expect(1, "check", later)
        self.assertIn("later.py:1:1: error[TW2204]: release 0.27 of the dialect is not built in", r.text)
        self.assertIn("TW2204", self.expect(1, "entries", later).errors)
        self.expect(0, "check", later, "--dialect", "0.25")  # said outright
        self.expect(0, "check", self.file("project/same.py", "# tilewright: tvm=0.25\n" + GOOD))
        self.file("project/tilewright.toml", 'dialect = "0.27"\n')
        r = self.expect(2, "check", path)
        self.assertRegex(r.errors, r"tilewright\.toml:1: release 0\.27 of the dialect is not built in")
        self.file("project/tilewright.toml", 'dialect = "0.25"\n')
        self.expect(0, "check", path)

    def test_entry(self):
        path = self.file("factory.py", FACTORY)
        self.expect(0, "check", path, "--entry", "make(64, 64)")
        self.assertIn("with 2 kernels", self.expect(0, "check", path, "--entry", "make(64, 64)", "--entry", "make(8, 16)").errors)
        r = self.expect(1, "check", path, "--entry", "make(1")
        self.assertIn("error[", r.text)
        self.expect(1, "check", path, "--entry", "no_such(1)")

    def test_a_factory_without_arguments_is_mentioned(self):
        r = self.expect(0, "check", self.file("factory.py", FACTORY))
        self.assertIn("make(rows, columns", r.text)

    def test_an_entry_in_brackets(self):
        r = self.expect(0, "check", self.file("make.py", FACTORY), "--entry", "[make(n, 64) for n in (64, 128)][1]")
        self.assertIn("1 kernel", r.errors)
        r = self.expect(0, "check", self.path("make.py"), "--entry", "[make(n, 64) for n in (64, 128)]")
        self.assertIn("2 kernels", r.errors)

    def test_architectures_of_the_file(self):
        text = "# tilewright: arch sm_80 sm_90a\n" + GOOD
        path = self.file("good.py", text)
        self.expect(0, "check", path)
        cases = ElementTree.fromstring(self.expect(0, "check", path, "--format", "junit").out).iter("testcase")
        self.assertEqual(sorted(c.get("name") for c in cases), sorted([path, "kernel [sm_80]", "kernel [sm_90a]"]))
        # The same finding for both is said once.
        bad = self.file("bad.py", "# tilewright: arch sm_80 sm_90a\n" + BAD)
        self.assertEqual(len(self.expect(1, "check", bad, "--json").json["diagnostics"]), 1)
        # One that does not exist is a finding where it stands, and the others are looked at.
        odd = self.expect(1, "check", self.file("odd.py", "# tilewright: arch sm_80 sm_zz\n" + GOOD), "--json").json
        self.assertEqual([(d["code"], d["range"]["start"]) for d in odd["diagnostics"]],
                         [("TW2313", {"line": 1, "column": 26})])

    def test_an_entry_of_configs(self):
        path = self.file("configs.py", CONFIGS)
        listed = self.fits(self.expect(0, "entries", path, "--json").json, "entries")["entries"]
        self.assertEqual([(e["entry"], e["kind"]) for e in listed],
                         [(f"get_kernel(**CONFIGS[{i}])", "configs") for i in range(2)])
        # As it is listed it can be asked for, although Python would not take the label.
        for e in listed:
            self.assertIn("1 kernel", self.expect(0, "check", path, "--entry", e["entry"]).errors)
        self.assertIn("2 kernels", self.expect(0, "check", path).errors)

    def test_who_says_the_architecture(self):
        def made(text, *options):
            answer = self.expect(0, "compile", self.file("project/k.py", text), "--json", *options).json
            (kernel,) = self.fits(answer, "compile")["kernels"]
            return kernel["arch"], kernel["arch_from"]

        meta = GOOD + 'KERNEL_META = {"name": "kernel", "compute_capability": 10}\n'
        comment = "# tilewright: arch sm_80\n" + meta
        self.assertEqual(made(GOOD), ("sm_90a", {"source": "default"}))
        for capability, arch in (("10", "sm_100a"), ("9", "sm_90a"), ("8.9", "sm_89"), ('"10.3"', "sm_103a"), ("(12, 0)", "sm_120a"),
                                 ("[10]", "sm_100a"), ('"sm_80"', "sm_80")):
            text = meta.replace('"compute_capability": 10', f'"compute_capability": {capability}')
            self.assertEqual(made(text), (arch, {"source": "kernel_meta"}), capability)
        self.assertEqual(made(GOOD + "KERNEL_META: dict = dict(compute_capability=10)\n")[0], "sm_100a")
        self.assertEqual(made(GOOD + 'import torch\nKERNEL_META = {"compute_capability": torch.x}\n')[0], "sm_90a")
        settings = self.file("project/tilewright.toml", 'arch = ["sm_120a", "sm_80"]\n')
        self.assertEqual(made(meta), ("sm_120a", {"source": "settings"}))
        self.assertEqual(made(comment), ("sm_80", {"source": "comment"}))
        self.assertEqual(made(comment, "--arch", "sm_89"), ("sm_89", {"source": "option"}))
        for wrong in ('arch = "sm_1"', "arch = 90", "arch = [[]]"):
            self.file("project/tilewright.toml", wrong + "\n")
            self.assertIn("arch", self.expect(2, "check", self.path("project/k.py")).errors)
        os.remove(settings)

    def test_the_architecture_is_found_out(self):
        path = self.file("memory.py", TENSOR_MEMORY)
        r = self.expect(0, "check", path)
        self.assertIn("memory.py:8:5: information[TW2311]: compiled for sm_100a, from tcgen05.alloc in line 8", r.text)
        self.assertEqual(r.text.count("TW2311"), 1)
        answer = self.fits(self.expect(0, "compile", path, "--json").json, "compile")
        (kernel,) = answer["kernels"]
        self.assertEqual(kernel["arch"], "sm_100a")
        self.assertEqual({k: kernel["arch_from"][k] for k in ("source", "call")}, {"source": "calls", "call": "tcgen05.alloc"})
        self.assertEqual(kernel["arch_from"]["range"]["start"], {"line": 8, "column": 5})
        # Said once and for all by the comment that the finding offers, and against an option that does not fit.
        self.assertEqual(self.expect(0, "check", self.file("said.py", "# tilewright: arch sm_100a\n" + TENSOR_MEMORY)).text, "")
        self.assertIn("TW2111", self.expect(1, "check", path, "--arch", "sm_90a").text)

    def test_json(self):
        report = self.fits(self.expect(1, "check", self.file("bad.py", BAD), "--format", "json").json, "check")
        (d,) = report["diagnostics"]
        self.assertEqual(d["range"]["start"]["line"], 16)
        self.assertEqual(d["range"]["start"]["column"], BAD.split("\n")[15].index("nothing") + 1)
        self.assertEqual(d["range"]["end"]["column"], d["range"]["start"]["column"] + len("nothing"))

    def test_columns_count_code_points(self):
        line = "Tx.warp.copy(B[:, :], nothing[:, :])"
        report = self.expect(1, "check", self.file("wide.py", BAD.replace(line, 'x = "é𝄞"; ' + line)), "--json").json
        starts = [d["range"]["start"]["column"] for d in report["diagnostics"] if "nothing" in d["message"]]
        self.assertEqual(starts, [5 + len('x = "é𝄞"; ') + line.index("nothing")])

    def test_sarif(self):
        for text, status, count in ((BAD, 1, 1), (GOOD, 0, 0), (FALLBACK, 0, 2)):
            log = self.expect(status, "check", self.file("kernel.py", text), "--format", "sarif").json
            self.assertEqual(log["version"], "2.1.0")
            (run,) = log["runs"]
            driver = run["tool"]["driver"]
            self.assertEqual(driver["name"], "tilewright")
            rules = [rule["id"] for rule in driver["rules"]]
            self.assertEqual(len(rules), len(set(rules)))
            self.assertEqual(len(run["results"]), count)
            for result in run["results"]:
                self.assertIn(result["ruleId"], rules)
                self.assertIn(result["level"], ("error", "warning", "note"))
                self.assertTrue(result["message"]["text"])
                (location,) = result["locations"]
                physical = location["physicalLocation"]
                self.assertTrue(physical["artifactLocation"]["uri"])
                region = physical["region"]
                self.assertGreaterEqual(region["startLine"], 1)
                self.assertGreaterEqual((region["endLine"], region["endColumn"]), (region["startLine"], region["startColumn"]))

    def test_sarif_uris_are_escaped(self):
        log = self.expect(1, "check", self.file("a b#ü%.py", BAD), "--format", "sarif").json
        uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertTrue(uri.endswith("a%20b%23%C3%BC%25.py"), uri)

    def test_github(self):
        r = self.expect(1, "check", self.file("bad,name.py", BAD), "--format", "github")
        (line,) = r.text.splitlines()
        self.assertRegex(line, r"^::error file=.*bad%2Cname\.py,line=16,endLine=16,col=\d+,.*title=TW\d{4}::.+")
        self.assertEqual(self.expect(0, "check", self.file("good.py", GOOD), "--format", "github").text, "")

    def test_junit(self):
        root = ElementTree.fromstring(self.expect(1, "check", self.file("<&>.py", BAD), "--format", "junit").out)
        self.assertEqual(root.tag, "testsuites")
        self.assertEqual(root.get("tests"), str(len(list(root.iter("testcase")))))
        self.assertEqual(root.get("failures"), str(len(list(root.iter("failure")))))
        self.assertNotEqual(root.get("failures"), "0")
        root = ElementTree.fromstring(self.expect(0, "check", self.file("good.py", GOOD), "--format", "junit").out)
        self.assertEqual((root.get("tests"), root.get("failures")), ("2", "0"))


class Compile(Case):
    def test_json(self):
        made = self.fits(self.expect(0, "compile", self.file("good.py", GOOD), "--json").json, "compile")
        (kernel,) = made["kernels"]
        self.assertEqual(kernel["name"], "kernel")
        self.assertEqual(kernel["arch"], "sm_90a")
        self.assertEqual(kernel["launch"]["grid"], [1, 1, 1])
        self.assertEqual(kernel["launch"]["block"], [32, 1, 1])
        self.assertEqual([c["variant"] for c in kernel["calls"]], ["gmem_smem", "gmem_smem"])
        self.assertEqual(kernel["calls"][0]["facts"], {"vec_elems": 4, "vec_bits": 128, "threads": 32, "outer": 8})
        self.assertEqual(kernel["calls"][0]["range"]["start"], {"line": 14, "column": 5})
        self.assertIn("kernel_kernel", kernel["sources"]["cuda"])

    def test_json_with_errors(self):
        made = self.fits(self.expect(1, "compile", self.file("bad.py", BAD), "--json").json, "compile")
        self.assertTrue(made["diagnostics"])
        made = self.fits(self.expect(1, "compile", self.file("syntax.py", SYNTAX), "--json").json, "compile")
        self.assertTrue(made["diagnostics"])

    def test_plan(self):
        good = self.file("good.py", GOOD)
        plan = self.fits(self.expect(0, "compile", good, "--emit", "plan").json, "plan")
        self.assertEqual([p["kind"] for p in plan["params"]], ["pointer", "pointer"])
        self.assertEqual(plan["static_shared_bytes"], 4096)
        made = self.fits(self.expect(0, "compile", good, "--emit", "plan", "--json").json, "compile")
        self.assertEqual(made["kernels"][0]["plan"], plan)

    def test_strides_in_the_plan_and_in_what_a_run_says(self):
        text = STRIDED.replace("LAYOUT", "T.TileLayout(T.S[(4, 8) : (16, 2)])")
        plan = self.fits(self.expect(0, "compile", self.file("strided.py", text), "--entry", "copy", "--emit", "plan").json, "plan")
        self.assertEqual([(p["name"], p["shape"], p["strides"]) for p in plan["params"]], [("A", [4, 8], [16, 2]), ("B", [4, 8], [8, 1])])
        plan = self.expect(0, "compile", self.file("symbolic.py", COPY), "--entry", "kernel", "--emit", "plan").json
        self.assertEqual([p["strides"] for p in plan["params"] if p["shape"]], [[1], [1]])
        # A mismatch in a tensor with gaps is told by its index.
        path = self.file("wrong.py", text.replace("B: T.Buffer((4, 8), \"float32\")", "B: T.Buffer((4, 8), \"float32\", layout=T.TileLayout(T.S[(4, 8) : (16, 2)]))")
                         .replace("B[r, c] = A[r, c]", "B[r, c] = A[r, c] + T.if_then_else(T.And(r == 2, c == 3), T.float32(1), T.float32(0))"))
        r = self.run_it("run", path, "--entry", "copy", "--on", "sim", "--reference", "plain", "--json")
        first = self.fits(r.json, "run")["tensors"][1]["comparison"]["first"]
        self.assertEqual((first["element"], first["index"]), (38, [2, 3]))
        self.assertIn("the first, [2, 3], is", r.json["problems"][0])

    def test_several_architectures_and_kinds(self):
        good = self.file("good.py", GOOD)
        made = self.fits(self.expect(0, "compile", good, "--arch", "sm_80", "--arch", "sm_100a", "--emit", "cuda,lowered,tirx", "--json").json,
                         "compile")
        self.assertEqual([k["arch"] for k in made["kernels"]], ["sm_80", "sm_100a"])
        for kernel in made["kernels"]:
            self.assertEqual(sorted(kernel["sources"]), ["cuda", "lowered", "tirx"])
        r = self.expect(0, "compile", good, "--arch", "sm_80", "--arch", "sm_90a", "--emit", "cuda,tirx", "-o", self.path("out/deep"))
        self.assertEqual(sorted(os.listdir(self.path("out/deep"))),
                         ["kernel.sm_80.cu", "kernel.sm_80.py", "kernel.sm_90a.cu", "kernel.sm_90a.py"])
        self.assertEqual(len(r.text.splitlines()), 4)

    def test_entries_with_arguments(self):
        path = self.file("factory.py", FACTORY)
        made = self.expect(0, "compile", path, "--entry", "make(64, 64)", "--entry", 'make(32, 128, dtype="float32")', "--json").json
        self.assertEqual([k["entry"] for k in made["kernels"]], ["make(64, 64)", 'make(32, 128, dtype="float32")'])
        self.assertEqual([k["calls"][0]["facts"]["vec_elems"] for k in made["kernels"]], [8, 4])
        self.expect(0, "compile", path, "--entry", "make(64, 64)", "--entry", "make(64, 32)", "--emit", "cuda", "-o", self.path("out"))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["tile.make_64_32.cu", "tile.make_64_64.cu"])

    def test_folders_that_cannot_be_written(self):
        good = self.file("good.py", GOOD)
        self.file("taken", "a file")
        self.expect(2, "compile", good, "--emit", "cuda", "-o", self.path("taken"))
        self.expect(2, "compile", good, "--emit", "cuda", "-o", self.path("taken/below"))
        if os.geteuid() != 0:
            os.mkdir(self.path("closed"))
            os.chmod(self.path("closed"), stat.S_IRUSR | stat.S_IXUSR)
            self.expect(2, "compile", good, "--emit", "cuda", "-o", self.path("closed"))
        os.makedirs(self.path("out/kernel.cu"))
        self.expect(2, "compile", good, "--emit", "cuda", "-o", self.path("out"))
        self.assertEqual(os.listdir(self.path("out")), ["kernel.cu"])  # nothing half-written beside it

    def test_a_cubin_is_no_text(self):
        good = self.file("good.py", GOOD)
        r = self.run_it("compile", good, "--emit", "cubin")
        self.assertEqual(r.status, 2, r)

    def test_toolchain(self):
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        good = self.file("good.py", GOOD)
        made = self.fits(self.expect(0, "compile", good, "--emit", "ptx,cubin,sass", "--json").json, "compile")
        sources = made["kernels"][0]["sources"]
        self.assertIn(".target sm_90a", sources["ptx"])
        self.assertIn("resources", made["kernels"][0])
        import base64
        self.assertEqual(base64.b64decode(sources["cubin"])[:4], b"\x7fELF")

    def test_is_deterministic(self):
        good = self.file("good.py", GOOD)
        first = self.expect(0, "compile", good, "--emit", "cuda,lowered,tirx,plan,report", "--json").out
        self.assertEqual(first, self.expect(0, "compile", good, "--emit", "cuda,lowered,tirx,plan,report", "--json").out)


class Cores(Case):
    """Files and programs on all cores: the same answers as on one, and a stop that leaves nothing half done."""
    ENDLESS = GOOD + "\nn = 0\nwhile True:\n    n += 1\n"

    def tree(self):
        for n in range(24):
            text = (GOOD, BAD, FALLBACK, SYNTAX, GOOD + f"\n# tilewright: arch sm_80 sm_1{n}\n")[n % 5]
            # Some take long, so that others overtake them.
            self.file(f"tree/{n:02}.py", text.replace("def kernel", f"def kernel{n}") + "x = 0\nfor i in range(30000):\n    x += i\n" * (n % 3 == 0))
        return self.path("tree")

    def files_below(self, folder):
        found = {}
        for place, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(place, name), "rb") as f:
                    found[os.path.relpath(os.path.join(place, name), folder)] = f.read()
        return found

    def test_check_says_the_same(self):
        tree = self.tree()
        for form in ("text", "json", "sarif", "github", "junit"):
            one = self.run_it("check", tree, self.path("gone.py"), "--format", form, "--jobs", "1")
            for jobs in (["--jobs", "4"], ["--jobs", "100"], []):
                many = self.run_it("check", tree, self.path("gone.py"), "--format", form, *jobs)
                self.assertEqual((many.status, many.out, many.errors), (one.status, one.out, one.errors), f"{form} {jobs}")
            self.assertEqual(one.status, 2)
            self.assertIn("there is no architecture 'sm_1" if form != "junit" else "TW2313", html.unescape(one.text))
        self.assertIn("in 24 files", self.run_it("check", tree).errors)

    def test_compile_of_folders_says_the_same(self):
        tree = self.tree()
        for options in (["--json"], ["--emit", "cuda,report"], ["--arch", "sm_80", "--arch", "sm_100a", "--emit", "tirx,plan"]):
            one = self.run_it("compile", tree, *options, "--jobs", "1")
            many = self.run_it("compile", tree, *options, "--jobs", "4")
            self.assertEqual((many.status, many.out, many.errors), (one.status, one.out, one.errors), options)
            self.assertEqual(one.status, 1)
        made = self.fits(self.run_it("compile", tree, "--json").json, "compile")
        names = [k["name"] for k in made["kernels"]]
        self.assertEqual(names, sorted(names, key=lambda name: int(name[6:])))
        self.assertIn(self.path("tree/00.py") + ": kernel0  sm_90a  report", self.run_it("compile", tree).text)

    def test_compile_of_folders_writes_the_same(self):
        tree = self.tree()
        self.run_it("compile", tree, "--emit", "cuda,plan", "-o", self.path("one"), "--jobs", "1")
        self.run_it("compile", "tree", self.file("alone.py", GOOD), "--emit", "cuda,plan", "-o", self.path("many"), "--jobs", "4")
        one, many = self.files_below(self.path("one")), self.files_below(self.path("many"))
        self.assertGreater(len(one), 30)
        # Each script has a folder of its own name, so that kernels of one name do not meet.
        self.assertIn("tree/02/kernel2.cu", many)
        self.assertEqual({name.split("tree/")[1]: text for name, text in one.items()},
                         {name.split("tree/")[1]: text for name, text in many.items() if "tree/" in name})
        self.assertEqual(sum(name.endswith("alone/kernel.cu") for name in many), 1)

    def test_programs_of_one_file_are_compiled_side_by_side(self):
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        path = self.file("factory.py", FACTORY)
        entries = [word for n in (32, 48, 64, 96) for word in ("--entry", f"make({n}, 64)")]
        texts = []
        for jobs in ("1", "4"):
            self.expect(0, "compile", path, *entries, "--emit", "ptx,cubin", "-o", self.path("out" + jobs), "--jobs", jobs,
                        env={"XDG_CACHE_HOME": self.path("cache" + jobs)})
            texts.append(self.files_below(self.path("out" + jobs)))
        self.assertEqual(len(texts[0]), 8)
        self.assertEqual(texts[0], texts[1])

    def test_usage(self):
        good = self.file("good.py", GOOD)
        for jobs in ("0", "-1", "many", "1.5", "100000"):
            self.expect(2, "check", good, "--jobs", jobs)
        self.expect(0, "check", good, "-j", "3")
        self.expect(2, "compile", good, self.path("gone.py"))

    def interrupt(self, *command, ready, terminal=False):
        """Runs until `ready` is seen on standard error (a terminal or a pipe) or says so itself, then Ctrl-C."""
        read, write = pty.openpty() if terminal else os.pipe()
        try:
            with subprocess.Popen([BINARY, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=write) as p:
                os.close(write)
                write = -1
                seen = b""
                while not (ready(seen) and minds_interrupts(p.pid)):
                    if select.select([read], [], [], 0.02)[0]:
                        more = os.read(read, 4096)
                        self.assertTrue(more, f"it ended by itself: {seen!r}")
                        seen += more
                p.send_signal(signal.SIGINT)
                while True:
                    try:
                        more = os.read(read, 4096)
                    except OSError:  # a terminal whose other side is closed
                        break
                    if not more:
                        break
                    seen += more
                p.wait(timeout=60)
        finally:
            os.close(read)
            if write >= 0:
                os.close(write)
        return p.returncode, seen.decode()

    def test_interrupted_check_shows_progress_and_stops(self):
        for n in range(200):  # minutes of work
            self.file(f"tree/{n:03}.py", self.ENDLESS)
        status, seen = self.interrupt("check", self.path("tree"), "--jobs", "2", terminal=True, ready=lambda s: b"of 200 files" in s)
        self.assertEqual(status, 130, seen)
        self.assertRegex(seen, r"checked \d+ of 200 files")
        self.assertTrue(seen.rstrip().endswith("tilewright: interrupted"), seen)
        # Where nobody looks there is no progress.
        began = time.monotonic()
        status, seen = self.interrupt("check", self.path("tree"), ready=lambda s: time.monotonic() - began > 1.5)
        self.assertEqual((status, seen), (130, "tilewright: interrupted\n"))

    def test_interrupted_on_one_thread(self):
        # With the usual limit a fast machine is done before the interruption comes.
        more = ["--limit", "steps=1000000000000"]
        endless = self.file("endless.py", self.ENDLESS)
        for command in (["check", endless, *more], ["check", self.path("."), "--jobs", "1", *more], ["compile", endless, *more]):
            for terminal in (False, True):
                began = time.monotonic()
                status, seen = self.interrupt(*command, terminal=terminal, ready=lambda s: time.monotonic() - began > 0.3)
                self.assertEqual(status, 130, command)
                self.assertEqual(seen.replace("\r\x1b[K", "").strip(), "tilewright: interrupted", command)

    def test_interrupted_compile_leaves_whole_files(self):
        for n in range(40):
            self.file(f"tree/{n:03}.py", GOOD if n < 4 else self.ENDLESS)
        out = self.path("out")
        status, seen = self.interrupt("compile", self.path("tree"), "--emit", "cuda,plan", "-o", out, "--jobs", "2",
                                      ready=lambda s: len(self.files_below(out)) >= 8)
        self.assertEqual(status, 130, seen)
        self.expect(0, "compile", self.path("tree/000.py"), "--emit", "cuda,plan", "-o", self.path("whole"))
        whole = set(self.files_below(self.path("whole")).values())
        written = self.files_below(out)
        self.assertEqual({os.path.basename(name) for name in written}, {"kernel.cu", "kernel.json"})
        for name, text in written.items():
            if any(f"/{n:03}/" in name for n in range(4)):
                self.assertIn(text, whole, name)


class Explain(Case):
    def test_whole_file_and_line(self):
        good = self.file("good.py", GOOD)
        r = self.expect(0, "explain", good)
        self.assertIn("kernel kernel", r.text)
        self.assertEqual(r.text.count("→ gmem_smem"), 2)
        r = self.expect(0, "explain", good + ":14")
        self.assertEqual(r.text.count("→ gmem_smem"), 1)
        self.assertIn("outer 8", r.text)
        self.assertEqual(self.expect(0, "explain", good + ":14:8").text.count("→ gmem_smem"), 1)
        r = self.expect(0, "explain", good + ":1")
        self.assertEqual(r.text, "")
        self.assertIn("no tile primitive", r.errors)
        self.expect(0, "explain", good + ":99999999")
        self.assertIn("lines count from 1", self.expect(2, "explain", good + ":0").errors)

    def test_operands_have_the_names_of_their_primitive(self):
        script = "\n".join(line for line in GOOD.split("\n") if ".copy(" not in line)
        calls = ["Tx.cta.gemm(A_smem, A_smem, A_smem, A_smem, alpha=2.0)",
                 "Tx.warp.sum(A_smem, A_smem[:, 0:8], accum=True)",
                 "Tx.warp.binary_reduce(A_smem, A_smem, A_smem, 1.0, 'add', 'sum')"]
        path = self.file("names.py", script.rstrip() + "".join("\n    " + call for call in calls) + "\n")
        r = self.expect(1, "explain", path)
        operands = [line.split("[")[0].split() for line in r.text.split("\n") if re.match(r"  \w", line)]
        names = [words for words in operands if words[0] not in ("threads", "facts", "assumed")]
        tile = "A_smem"
        self.assertEqual(names, [["D", tile], ["A", tile], ["B", tile], ["C", tile], ["transpose_A", "False"],
                                 ["transpose_B", "False"], ["alpha", "T.float32(2.0)"],
                                 ["dst", tile], ["src", tile], ["axes", "-1"], ["accum", "T.bool(True)"],
                                 ["binary_output", tile], ["reduce_output", tile], ["in1", tile], ["in2", "T.float32(1.0)"],
                                 ["binary_op", '"add"'], ["reduce_op", '"sum"']])

    def test_json(self):
        good = self.file("good.py", GOOD)
        for what in (good, good + ":14", good + ":1"):
            self.fits(self.expect(0, "explain", what, "--json").json, "explain")
        report = self.expect(0, "explain", good + ":14", "--json").json
        self.assertEqual(report["kernels"][0]["calls"][0]["trials"][0]["outcome"], "chosen")

    def test_code(self):
        self.assertIn("TW3104", self.expect(0, "explain", "TW3104").text)
        self.fits(self.expect(0, "explain", "TW3104", "--json").json, "explain")

    def test_every_code_that_is_used_is_explained(self):
        import re
        codes = set()
        for folder, _, files in os.walk(os.path.join(ROOT, "compiler")):
            for name in files:
                if name.startswith("codes"):
                    with open(os.path.join(folder, name), encoding="utf-8") as f:
                        codes |= set(re.findall(r'"(TW\d{4})"', f.read()))
        self.assertGreater(len(codes), 30)
        missing = [c for c in sorted(codes) if self.run_it("explain", c).status != 0]
        self.assertEqual(missing, [])

    def test_a_colon_in_a_name(self):
        path = self.file("a:12", GOOD)
        self.assertEqual(self.expect(0, "explain", path).text.count("→ gmem_smem"), 2)
        self.expect(2, "explain", self.path("b:12"))  # line 12 of a file "b", which is not there
        self.expect(0, "explain", path + ":14")


class Entries(Case):
    def test_text_and_json(self):
        path = self.file("factory.py", FACTORY + "\nsmall = make(8, 16)\n# tilewright: entry make(64, 64)\n")
        r = self.expect(0, "entries", path)
        self.assertIn("small", r.text)
        self.assertIn("make(64, 64)", r.text)
        listed = self.fits(self.expect(0, "entries", path, "--json").json, "entries")
        self.assertEqual({e["entry"] for e in listed["entries"]}, {"small", "make(64, 64)"})
        self.assertEqual([e["kernels"] for e in listed["entries"]], [["tile"], ["tile"]])

    def test_needs_arguments(self):
        listed = self.fits(self.expect(0, "entries", self.file("factory.py", FACTORY), "--json").json, "entries")
        self.assertEqual(listed["entries"], [])
        self.assertTrue(listed["needs_arguments"][0]["factory"].startswith("make(rows, columns"))


class Layout(Case):
    FRAGMENT = "TileLayout(S[(8, 4, 2) : (4 @ laneid, 1 @ laneid, 1)])"

    def test_words_and_table(self):
        r = self.expect(0, "layout", self.FRAGMENT, "--shape", "8,8")
        self.assertIn("S[(8,4,2):(4@laneid,1@laneid,1)]", r.text)
        self.assertIn("T31:r1", r.text)
        self.assertIn("size       64 elements, span 2, axes laneid, m", r.text)
        self.assertIn("shape      (2, 4)", self.expect(0, "layout", "S[2, 4]").text)
        self.assertIn("65:b0", self.expect(0, "layout", "SwizzleLayout(3, 3, 3)", "--shape", "8,64", "--by", "bank").text)

    def test_picture(self):
        for by in (["--by", "thread"], ["--by", "bank"], []):
            r = self.expect(0, "layout", self.FRAGMENT, "--shape", "8,8", "--svg", *by)
            root = ElementTree.fromstring(r.out)
            self.assertTrue(root.tag.endswith("svg"))
        self.expect(0, "layout", "S[8, 8]", "--svg", self.path("tile.svg"))
        ElementTree.parse(self.path("tile.svg"))
        self.expect(2, "layout", "S[8, 8]", "--svg", self.path("no/such/folder/tile.svg"))
        self.assertIn("no thread", self.expect(2, "layout", "S[8, 8]", "--by", "thread").errors)
        self.assertIn("no address", self.expect(2, "layout", "S[8 : 1 @ TCol]", "--by", "bank").errors)

    def test_access(self):
        r = self.expect(0, "layout", "S[32, 64]", "--access", "lane -> (lane, 0)", "--bits", "32")
        self.assertIn("32-way conflict", r.text)
        r = self.expect(0, "layout", "S[8, 8]", "--access", "lane -> (lane//4, lane%4*2)", "--bits", "32")
        self.assertIn("no bank conflict", r.text)
        # ldmatrix of the 128-byte swizzle: eight lanes read one column of 16-byte chunks, and never meet.
        swizzled = ["layout", 'mma_shared_layout("float16", 3, (64, 64))', "--shape", "64,64", "--bits", "128"]
        self.assertIn("no bank conflict", self.expect(0, *swizzled, "--access", "lane -> (lane % 8, lane // 8 * 8)").text)
        plain = self.expect(0, "layout", "S[64, 64]", "--bits", "128", "--access", "lane -> (lane % 8, lane // 8 * 8)")
        self.assertIn("8-way conflict", plain.text)
        self.assertIn("no bank conflict", self.expect(0, "layout", "S[32, 32]", "--access", "i -> i").text)
        self.expect(2, "layout", "S[8, 8]", "--access", "lane")
        self.expect(1, "layout", "S[8, 8]", "--access", "lane -> (lane, oops)")
        self.expect(2, "layout", "S[8, 8]", "--access", "lane -> (lane, lane)")  # outside of the shape
        self.expect(2, "layout", "S[8, 8]", "--access", "lane -> 'x'")
        self.expect(2, "layout", self.FRAGMENT, "--access", "lane -> (0, 0, 0)")  # registers have no banks
        self.expect(2, "layout", "S[8, 8]", "--access", "lane -> (0, lane % 8)", "--bits", "24")
        self.expect(2, "layout", "S[8, 8]", "--access", "lane -> (0, lane % 8)", "--bits", "32")  # not aligned

    def test_json(self):
        for arguments in (["S[2, 4]"], ["1 + 2"], ["1 +"], [self.FRAGMENT, "--shape", "8,8"], ["SwizzleLayout(3, 3, 3)"],
                          ["S[32, 64]", "--access", "lane -> (lane, 0)", "--bits", "32"]):
            r = self.run_it("layout", *arguments, "--json")
            self.assertEqual(r.status, 1 if arguments == ["1 +"] else 0, r)
            self.fits(r.json, "layout")
        element = self.expect(0, "layout", self.FRAGMENT, "--shape", "8,8", "--json").json["elements"][9]
        self.assertEqual(element, {"coordinate": [1, 1], "laneid": 4, "m": 1})

    def test_values_that_are_no_layout(self):
        self.assertEqual(self.expect(0, "layout", "1 + 2").text, "3\n")
        self.assertEqual(self.expect(0, "layout", "S[2, 4].size if False else (1, 'a')").text, "(1, 'a')\n")

    def test_errors(self):
        self.expect(1, "layout", "1 +")
        self.expect(1, "layout", "nothing(3)")
        self.expect(1, "layout", "")
        self.expect(2, "layout", "S[2, 4]", "--shape", "3,3")
        self.expect(2, "layout", "S[2, 4]", "--shape", "zwei")
        self.expect(2, "layout", "S[2, 4]", "--dtype", "float17")
        self.expect(1, "layout", "(" * 5000 + ")" * 5000)
        self.expect(0, "layout", "S[1 << 40, 1 << 20]", "--rows", "2", "--columns", "2")


class View(Case):
    """The page is read as a browser reads it: the frame as HTML, the texts and links as the JSON that it holds."""

    def page(self, *arguments, status=0, **more):
        out = self.path("page.html")
        result = self.expect(status, "view", *arguments, "--html", out, **more)
        with open(out, encoding="utf-8") as f:
            return result, f.read()

    def parts(self, html_text):
        """What stands in the page's elements: {tag: [content]}, and the data."""
        found = {"style": [], "script": []}

        class Reader(html.parser.HTMLParser):
            inside = None

            def handle_starttag(self, tag, attributes):
                attributes = dict(attributes)
                if tag in found:
                    self.inside = found[tag]
                    self.inside.append("")
                if attributes.get("http-equiv") == "Content-Security-Policy":
                    found["policy"] = attributes["content"]
                for name in attributes:
                    assert not name.startswith("on"), (tag, name)
                assert not attributes.get("src") and attributes.get("href", "data:,") == "data:,", (tag, attributes)

            def handle_data(self, data):
                if self.inside is not None:
                    self.inside[-1] += data

            def handle_endtag(self, tag):
                if tag in found:
                    self.inside = None

        Reader().feed(html_text)
        self.assertEqual((len(found["style"]), len(found["script"])), (1, 2))
        return found, json.loads(found["script"][0])

    def lines_of(self, data, kernel, kind, line):
        """The lines of a view, as texts, that came from a line of the script (from 1)."""
        shown = kernel["views"][kind]
        texts, links = data["texts"][shown["text"]].split("\n"), data["texts"][shown["links"]]
        out = []
        for begin, end, first, last in zip(*[iter(links)] * 4):
            if first <= line - 1 < last:
                out += texts[begin:end]
        return "\n".join(out)

    def test_the_page_shows_what_check_finds_on_the_simulator(self):
        _, text = self.page(self.file("racy.py", RACY), "--emit", "cuda")
        _, data = self.parts(text)
        self.assertIn(("TW5020", 20), [(f["code"], f["line"]) for f in data["findings"]])
        self.assertIn("1 error", data["checked"])
        self.assertTrue(data["checked"].endswith("synchronisation checked"), data["checked"])
        lines = TURNED.split("\n")
        entry = max(i for i, line in enumerate(lines) if "device_entry" in line)
        _, text = self.page(self.file("many.py", "\n".join([*lines[: entry + 1], "    T.cta_id([8000000])", *lines[entry + 1 :]])), "--emit", "cuda")
        _, data = self.parts(text)
        self.assertIn("synchronisation not wholly checked in 1 of 2 kernels", data["checked"])
        self.assertIn("TW5025", [f["code"] for f in data["findings"]])

    def test_lines_of_both_sides_are_linked(self):
        result, text = self.page(self.file("kernel.py", GOOD))
        _, data = self.parts(text)
        self.assertEqual((data["source"], data["dialect"]), (GOOD, "0.25"))
        kernel, = data["kernels"]
        self.assertEqual((kernel["entry"], kernel["arch"]), ("kernel", "sm_90a"))
        copy = 1 + GOOD.splitlines().index("    Tx.warp.copy(A_smem[:, :], A[:, :])")
        self.assertIn("// copy -> gmem_smem: A[0:32, 0:32] -> A_smem", self.lines_of(data, kernel, "cuda", copy))
        self.assertIn("copy → gmem_smem", self.lines_of(data, kernel, "report", copy))
        self.assertIn("T.warp.copy(A_smem", self.lines_of(data, kernel, "tirx", copy))
        self.assertEqual(self.lines_of(data, kernel, "cuda", copy + 1).strip(), "__syncthreads();")
        self.assertEqual(self.lines_of(data, kernel, "cuda", 1), "")  # an import becomes nothing
        (buffer,) = [data["layouts"][i] for i in kernel["layouts"]]
        self.assertEqual((buffer["name"], buffer["scope"], buffer["grid"]["by"]), ("A_smem", "shared", "bank"))
        self.assertEqual(buffer["grid"]["labels"][32:34], ["32", "33"])
        self.assertEqual([a["line"] + 1 for a in buffer["accesses"]], [copy, copy + 2])
        self.assertRegex(result.text, r"page.html  1 kernels, \d+ KB\n$")

    @unittest.skipUnless(os.environ.get("CUDA_HOME"), "no CUDA")
    def test_instructions_are_linked(self):
        _, text = self.page(self.file("kernel.py", GOOD), "--emit", "ptx,sass", "--arch", "sm_80", "--arch", "sm_90a")
        _, data = self.parts(text)
        self.assertEqual([k["arch"] for k in data["kernels"]], ["sm_80", "sm_90a"])
        store = len(GOOD.splitlines())
        for kernel in data["kernels"]:
            self.assertEqual(set(kernel["views"]), {"ptx", "sass"})
            self.assertIn("st.global", self.lines_of(data, kernel, "ptx", store))
            self.assertIn("STG.E", self.lines_of(data, kernel, "sass", store))
            self.assertIn("registers", kernel["resources"])

    def test_a_hostile_script_stays_text(self):
        evil = '</script><script>alert(1)</script><!--<script>\u2028"&\'@DATA@@SCRIPT@'
        script = GOOD + f"# {evil}\nname = {evil!r}\nunknown_{'x' * 10}(name)\n"
        _, text = self.page("-", "--stdin-filename", "a<b>&\"c@STYLE@.py", stdin=script, status=1)
        found, data = self.parts(text)
        self.assertEqual(data["source"], script)
        self.assertEqual(data["file"], 'a<b>&"c@STYLE@.py')
        self.assertNotIn("alert", found["script"][1])
        self.assertEqual(text.count("<script"), 2)
        self.assertIn("<title>a&lt;b&gt;&amp;&quot;c@STYLE@.py", text)

    def test_bytes_that_are_no_text(self):
        _, text = self.page(self.file("kernel.py", GOOD.encode() + b"# \xff\n"), status=1)
        _, data = self.parts(text)
        self.assertEqual([f["code"] for f in data["findings"]], ["TW1001"])

    def test_the_policy_admits_its_own_script_and_style_alone(self):
        _, text = self.page(self.file("kernel.py", GOOD))
        found, _ = self.parts(text)
        policy = dict(part.strip().split(" ", 1) for part in found["policy"].split(";"))
        digest = lambda words: f"'sha256-{base64.b64encode(hashlib.sha256(words.encode()).digest()).decode()}'"  # noqa: E731
        self.assertEqual(policy["default-src"], "'none'")
        self.assertEqual(policy["script-src"], digest(found["script"][1]))
        self.assertEqual(policy["style-src"], digest(found["style"][0]))

    def test_nothing_is_fetched(self):
        _, text = self.page(self.file("kernel.py", GOOD))
        found, _ = self.parts(text)
        for words in (found["style"][0], found["script"][1]):
            self.assertNotRegex(words, r"https?://|@import|url\(|fetch\(|XMLHttpRequest|import\(|innerHTML|eval\(")

    def test_errors_are_shown_with_what_there_is(self):
        result, text = self.page(self.file("kernel.py", BAD), status=1)
        _, data = self.parts(text)
        finding, = data["findings"]
        self.assertEqual((finding["code"], finding["severity"]), ("TW2002", "error"))
        self.assertIn("error[TW2002]", result.errors)
        kernel, = data["kernels"]
        self.assertIn("text", kernel["views"]["tirx"])
        self.assertIn("errors", kernel["views"]["cuda"]["problem"])
        self.assertNotIn("not in the page", result.errors)

    def test_without_nvidias_tools(self):
        # A copy in an empty folder finds none beside itself.
        alone = os.path.join(self.folder, "alone", "tilewright")
        os.mkdir(os.path.dirname(alone))
        shutil.copy(BINARY, alone)
        if os.path.exists("/usr/local/cuda"):
            self.skipTest("/usr/local/cuda is found from everywhere")
        environment = {"PATH": "/nowhere", "HOME": self.folder}
        out = self.path("page.html")
        done = Result(subprocess.run([alone, "view", self.file("kernel.py", GOOD), "--html", out], capture_output=True, env=environment))
        self.assertEqual(done.status, 0, done)
        self.assertIn("not in the page: ptx: no CUDA compiler (NVRTC) found", done.errors)
        self.assertIn("tilewright doctor", done.errors)
        with open(out, encoding="utf-8") as f:
            _, data = self.parts(f.read())
        views = data["kernels"][0]["views"]
        self.assertIn("no CUDA compiler", views["sass"]["problem"])
        self.assertIn("text", views["cuda"])

    def test_entries_and_their_texts_once(self):
        _, text = self.page(self.file("kernel.py", CONFIGS), "--emit", "cuda,plan")
        _, data = self.parts(text)
        self.assertEqual([k["entry"] for k in data["kernels"]], ["get_kernel(**CONFIGS[0])", "get_kernel(**CONFIGS[1])"])
        _, one = self.page(self.file("kernel.py", CONFIGS), "--emit", "cuda", "--entry", "get_kernel(n=7)")
        self.assertEqual([k["entry"] for k in self.parts(one)[1]["kernels"]], ["get_kernel(n=7)"])
        # Two architectures of the same text hold it once.
        _, two = self.page(self.file("kernel.py", GOOD), "--emit", "cuda", "--arch", "sm_80", "--arch", "sm_86")
        _, data = self.parts(two)
        first, second = (k["views"]["cuda"] for k in data["kernels"])
        self.assertEqual(first, second)

    def test_says_what_is_in_it(self):
        path, out = self.file("kernel.py", GOOD), self.path("page.html")
        value = self.fits(self.expect(0, "view", path, "--emit", "cuda,report", "-o", out, "--json").json, "view")
        self.assertEqual((value["file"], value["html"], value["bytes"]), (path, out, os.path.getsize(out)))
        kernel, = value["kernels"]
        self.assertEqual((kernel["views"], kernel["missing"], kernel["layouts"]), (["report", "cuda"], {}, 1))
        broken = self.fits(self.expect(1, "view", self.file("bad.py", BAD), "-o", out, "--json").json, "view")
        self.assertIn("cuda", broken["kernels"][0]["missing"])
        self.assertEqual(broken["diagnostics"][0]["code"], "TW2002")

    def test_standard_streams(self):
        r = self.expect(0, "view", "-", "--stdin-filename", "copy.py", "--emit", "cuda", "--html", "-", stdin=GOOD)
        _, data = self.parts(r.text)
        self.assertEqual(data["file"], "copy.py")

    def test_usage(self):
        good = self.file("good.py", GOOD)
        self.assertIn("--html", self.expect(2, "view", good).errors)
        self.expect(2, "view", good, "--html", "-", "--json")
        self.expect(2, "view", good, "--html", self.path("no/such/folder.html"))
        self.expect(2, "view", self.path("nowhere.py"), "--html", self.path("page.html"))
        self.expect(2, "view", good, "--html", self.path("page.html"), "--emit", "jpeg")
        self.assertIn("unknown architecture", self.expect(2, "view", good, "--html", "x.html", "--arch", "sm_1").errors)
        self.assertIn("no kernel", self.expect(2, "view", self.file("none.py", "x = 1\n"), "--html", self.path("page.html")).errors)
        self.assertFalse(os.path.exists(self.path("page.html")))

    def test_a_large_script_makes_a_page_that_opens(self):
        made = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "bench", "large_script.py"), "--lines", "2000",
                               "--kernels", "40"], capture_output=True, check=True).stdout
        _, text = self.page(self.file("large.py", made), "--emit", "report,tirx,lowered,cuda,plan")
        self.assertEqual(len(self.parts(text)[1]["kernels"]), 40)
        self.assertLess(len(text), 3_000_000)


class Program(Case):
    def test_needs_nothing_but_the_c_library(self):
        table = subprocess.run(["readelf", "--dynamic", BINARY], capture_output=True, text=True, check=True).stdout
        needed = {line.split("[")[1].rstrip("]") for line in table.splitlines() if "(NEEDED)" in line}
        if any("san.so" in name for name in needed):
            self.skipTest("a sanitizer brings libraries of its own")
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})


class Doctor(Case):
    def test_json(self):
        r = self.run_it("doctor", "--json")
        report = self.fits(r.json, "doctor")
        states = {f["what"]: f["state"] for f in report["findings"]}
        self.assertEqual(states["tilewright"], "ok")
        self.assertEqual(r.status, 0 if states["NVRTC"] == "ok" else 2)

    def test_a_relative_cache_is_ignored(self):
        r = self.run_it("doctor", "--json", env={"XDG_CACHE_HOME": "here", "HOME": self.path("home")})
        said = json.dumps(r.json)
        self.assertIn(self.path("home"), said)
        self.assertNotIn("here/tilewright", said)

    def test_a_cache_that_cannot_be_made(self):
        self.file("taken", "a file")
        r = self.run_it("doctor", env={"XDG_CACHE_HOME": self.path("taken")})
        self.assertIn("XDG_CACHE_HOME", r.text)


class Cache(Case):
    """Entries are files whose time of change is their last use; what is in them does not matter here."""

    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": self.path("own")}
        for i in range(4):
            path = self.file(f"own/tilewright/artifacts/entries/a{i}/{i:060}", bytes(1 << 20))
            os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))
        self.file("own/tilewright/artifacts/corrupt/x", "what was wrong")

    def show(self, *arguments):
        return self.fits(self.expect(0, "cache", *arguments, "--json", env=self.env).json, "cache")

    def test_show_trim_and_clear(self):
        shown = self.show()
        self.assertEqual((shown["entries"], shown["bytes"], shown["corrupt"]), (4, 4 << 20, 1))
        text = self.expect(0, "cache", env=self.env).text
        self.assertIn("4 entries, 4.0 MB of at most 2048.0 MB", text)
        trimmed = self.show("trim", "--to", "2MB")
        self.assertEqual((trimmed["removed_entries"], trimmed["entries"], trimmed["bytes"]), (2, 2, 2 << 20))
        # Those that were used last are left.
        self.assertEqual(sorted(f for _, _, files in os.walk(self.path("own/tilewright/artifacts/entries")) for f in files),
                         [f"{i:060}" for i in (2, 3)])
        self.assertIn("removed 2 entries, 2.0 MB; 0 entries left", self.expect(0, "cache", "clear", env=self.env).text)
        self.assertEqual((self.show()["entries"], self.show()["corrupt"]), (0, 0))

    def test_what_is_not_there_or_makes_no_sense(self):
        empty = {"XDG_CACHE_HOME": self.path("nothing")}
        self.assertIn("0 entries", self.expect(0, "cache", env=empty).text)
        self.expect(0, "cache", "clear", env=empty)
        self.assertFalse(os.path.exists(self.path("nothing")))
        self.expect(2, "cache", "trim")
        self.expect(2, "cache", "trim", "--to", "much")
        self.expect(2, "cache", "burn")
        self.assertIn("XDG_CACHE_HOME", self.expect(2, "cache", env={"XDG_CACHE_HOME": "", "HOME": ""}).errors)


class Completions(Case):
    def test_bash(self):
        script = self.expect(0, "completions", "bash").text
        path = self.file("completions.sh", script)
        self.assertEqual(subprocess.run(["bash", "-n", path]).returncode, 0)
        answer = subprocess.run(["bash", "-c", f'source {path}; COMP_WORDS=(tilewright ch); COMP_CWORD=1; _tilewright; echo "${{COMPREPLY[@]}}"'],
                                capture_output=True, text=True).stdout
        self.assertEqual(answer.strip(), "check")

    def test_bash_completes_values(self):
        path = self.file("completions.sh", self.expect(0, "completions", "bash").text)
        self.file("file one.py", "")
        for words, expected in (("check --format j", "json junit"), ("compile --emit p", "ptx plan"), ("completions f", "fish"),
                                ("view --stdin", "--stdin-filename"), ("check file", "file one.py")):
            ask = f"source {path}; COMP_WORDS=(tilewright {words}); COMP_CWORD={len(words.split())}; _tilewright; echo \"${{COMPREPLY[@]}}\""
            answer = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(answer.stdout.strip(), expected, answer.stderr)

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish(self):
        path = self.file("tilewright.fish", self.expect(0, "completions", "fish").text)
        for words, expected in (("tilewright expl", ["explain"]), ("tilewright check --format j", ["json", "junit"]),
                                ("tilewright completions z", ["zsh"]), ("tilewright view --ht", ["--html"])):
            said = subprocess.run(["fish", "--no-config", "-c", f"source {path}; complete -C'{words}'"], capture_output=True, text=True,
                                  env=dict(os.environ, HOME=self.folder))
            self.assertEqual(sorted(line.split("\t")[0] for line in said.stdout.splitlines()), expected, said.stderr)

    def test_zsh(self):
        script = self.expect(0, "completions", "zsh").text
        self.assertTrue(script.startswith("#compdef tilewright\n"))
        self.assertRegex(script, r"'\*--format\[How to report\]:value:\(text json sarif github junit\)'")
        if shutil.which("zsh"):
            path = self.file("_tilewright", script)
            self.assertEqual(subprocess.run(["zsh", "-f", "-n", path]).returncode, 0)


class FirstHour(Case):
    """What newcomers try, and what went wrong before."""

    def test_what_cannot_be_read_is_in_json(self):
        for command in ("check", "compile", "explain", "entries"):
            r = self.expect(2, command, self.path("gone.py"), "--json")
            (failure,) = self.fits(r.json, command)["failures"]
            self.assertEqual(failure["file"], self.path("gone.py"))
            self.assertIn("o such file", failure["message"])
            self.assertIn("o such file", r.errors)
        r = self.expect(2, "check", self.file("good.py", GOOD), self.path("gone.py"), "--format", "sarif")
        (invocation,) = r.json["runs"][0]["invocations"]
        self.assertFalse(invocation["executionSuccessful"])
        made = self.fits(self.expect(2, "compile", self.file("empty.py", "x = 1\n"), "--json").json, "compile")
        self.assertIn("no kernel", made["failures"][0]["message"])

    def test_a_named_pipe_is_refused(self):
        os.mkfifo(self.path("pipe.py"))
        os.symlink("pipe.py", self.path("link.py"))
        for name in ("pipe.py", "link.py"):
            for command in ("check", "compile", "explain"):
                self.assertIn("it is a pipe", self.expect(2, command, self.path(name)).errors)
        # One that the shell made is as good as standard input.
        done = subprocess.run(["bash", "-c", f"{BINARY} check <(cat {self.file('good.py', GOOD)})"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done)

    def test_places_that_are_none(self):
        good = self.file("good.py", GOOD)
        self.assertIn("lines count from 1", self.expect(2, "explain", good + ":-1").errors)
        self.assertIn("'x' is no line", self.expect(2, "explain", good + ":x").errors)
        self.assertIn("lines count from 1", self.expect(2, "explain", good + ":-1", "--json").json["failures"][0]["message"])

    def test_host_is_one_file(self):
        path = self.file("factory.py", FACTORY)
        text = self.expect(0, "compile", path, "--entry", "make(64, 64)", "--emit", "host").text
        self.assertNotIn("──", text)
        self.assertIn("__global__", text)
        self.assertIn("<<<", text.replace("cudaLaunchKernelExC", "<<<"))
        self.expect(0, "compile", path, "--entry", "make(64, 64)", "--emit", "host", "-o", self.path("out"))
        self.assertEqual(os.listdir(self.path("out")), ["tile.make_64_64.host.cu"])
        sources = self.expect(0, "compile", path, "--entry", "make(64, 64)", "--emit", "host", "--json").json["kernels"][0]["sources"]
        self.assertEqual(sources["host_runtime"].strip(), text.strip())

    def test_what_the_tools_make_names_the_script(self):
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        good = self.file("good.py", GOOD)
        made = self.fits(self.expect(0, "compile", good, "--emit", "ptx,sass", "--json").json, "compile")["kernels"][0]
        self.assertNotIn("cuda", made["sources"])
        copy = GOOD.split("\n").index("    Tx.warp.copy(A_smem[:, :], A[:, :])") + 1
        lines = [m for m in made["source_map"] if m["range"]["start"]["line"] == copy]
        for kind in ("ptx", "sass"):
            text = made["sources"][kind].split("\n")
            here = {n for m in lines for n in m[kind]}
            named = {n + 1 for n, line in enumerate(text) if f"// good.py:{copy}" in line}
            self.assertTrue(named)
            self.assertLessEqual(named, here)
        for kind in ("ptx", "sass"):
            first = self.expect(0, "compile", good, "--emit", kind).text.split("\n")[0]
            self.assertRegex(first, r"^// kernel: \d+ registers · no spills · 4,096 B shared · \d+ CTAs a multiprocessor \(bound by .*\), \d+ %")
        said = self.expect(0, "compile", good, "--emit", "ptx", "-o", self.path("out")).text.split("\n")
        self.assertEqual(said[0], self.path("out/kernel.ptx"))
        self.assertRegex(said[1], r"^kernel  \d+ registers · ")

    def test_a_wrong_cuda_home_is_said(self):
        nowhere = {"CUDA_HOME": self.path("nowhere")}
        r = self.run_it("doctor", "--json", env=nowhere)
        found = {f["what"]: f for f in self.fits(r.json, "doctor")["findings"]}
        self.assertIn("no such folder", found["CUDA_HOME"]["detail"])
        self.assertIn("CUDA_HOME is set", self.run_it("compile", self.file("good.py", GOOD), "--emit", "ptx", env=nowhere).errors)
        self.assertNotIn("CUDA_HOME is set", self.run_it("compile", self.file("good.py", GOOD), "--emit", "cuda", env=nowhere).errors)

    def test_no_cache_without_a_home(self):
        r = self.run_it("doctor", "--json", env={"HOME": "", "XDG_CACHE_HOME": ""})
        (cache,) = [f for f in r.json["findings"] if f["what"] == "cache"]
        self.assertEqual(cache["state"], "missing")
        self.assertIn("nothing is kept", cache["detail"])
        self.assertNotIn("/tmp", cache["detail"])

    def test_a_full_disk(self):
        os.mkdir(self.path("disk"))
        script = f"mount -t tmpfs -o size=256k none {self.path('disk')} && XDG_CACHE_HOME={self.path('disk')} {BINARY} doctor --json"
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True)
        if not done.stdout:
            self.skipTest("no file system of our own can be mounted here: " + done.stderr)
        (cache,) = [f for f in json.loads(done.stdout)["findings"] if f["what"] == "cache"]
        self.assertEqual(cache["state"], "missing")
        self.assertIn("No space left", cache["detail"])

    def test_a_layout_made_for_a_shape_is_shown_in_it(self):
        told = self.expect(0, "layout", 'mma_shared_layout("float16", 3, (64, 64))', "--json").json
        self.assertEqual(told["shape"], [64, 64])
        self.assertEqual(self.expect(0, "layout", 'mma_shared_layout("float16", 3, (64, 64))', "--shape", "8,64", "--json").json["shape"], [8, 64])

    def test_deep_nests_take_time_as_their_size(self):
        lines = [GOOD, "def deep(n):\n"]
        lines += [" " * (n + 1) + f"if n > {n}:\n" for n in range(1500)]
        path = self.file("deep.py", "".join(lines) + " " * 1501 + "pass\n")
        r = self.expect(1, "check", path)  # quadratic work would meet the patience for one command
        self.assertIn("nested too deeply", r.text)


class Documents(unittest.TestCase):
    """README.md and docs/: every command that they show is run and says what stands there, every block is what it claims to be."""

    @classmethod
    def setUpClass(cls):
        paths = [os.path.join(ROOT, "README.md")]
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, "docs"))):
            paths += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".md")]
        cls.texts = {}
        for path in paths:
            with open(path, encoding="utf-8") as f:
                cls.texts[os.path.relpath(path, ROOT)] = f.read()

    def blocks(self, language):
        """(document, the last line above it that is not empty, the block) of each in this language."""
        for name, text in self.texts.items():
            above, inside, block = "", None, []
            for line in text.splitlines(keepends=True):
                if inside is None and line.startswith("```"):
                    inside, block = line.strip("`\n"), []
                elif line == "```\n":
                    if inside == language:
                        yield name, above, "".join(block)
                    inside, above = None, ""
                elif inside is not None:
                    block.append(line)
                elif line.strip():
                    above = line.strip()

    def test_console(self):
        found, waiting = set(), []
        for name, _, block in self.blocks("console"):
            if block.startswith("$ ./bootstrap"):
                continue
            self.assertTrue(block.startswith("$ tilewright "), f"{name}: a block that is not run is no console: {block[:60]}")
            command, _, shown = block.removeprefix("$ tilewright ").partition("\n")
            words = shlex.split(command)
            for word in words:
                path = word.split(":")[0]
                if path.endswith((".py", ".toml")):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)), f"{name}: {path}")
            if "gpu" not in words and block not in found:
                found.add(block)
                waiting.append((name, command, words, shown))
        self.assertGreater(len(waiting), 15)

        def said(words):
            return subprocess.run([BINARY, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (name, command, _, shown), out in zip(waiting, pool.map(lambda w: said(w[2]), waiting)):
                with self.subTest(document=name, command=command):
                    self.assertEqual(out, shown)

    def test_shell(self):
        """Lines of a shell name commands and options that there are, and files of this project that exist."""
        helps = {}
        with open(os.path.join(ROOT, "bootstrap"), encoding="utf-8") as f:
            doors = set(re.findall(r"^\./bootstrap (\w+)", f.read(), re.M))  # of its usage
        with open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8") as f:
            presets = {p["name"] for p in json.load(f)["configurePresets"]}
        for name, _, block in [*self.blocks("sh"), *self.blocks("console")]:
            for line in block.replace("\\\n", " ").splitlines():
                for door in re.findall(r"^(?:\$ )?\./bootstrap (\w+)", line):
                    self.assertIn(door, doors, f"{name}: {line}")
                for preset in re.findall(r"cmake --preset (\w+)", line):
                    self.assertIn(preset, presets, f"{name}: {line}")
                m = re.match(r"(?:\w+=\S+ )*tilewright (\w+)(.*)", line)
                if not m:
                    continue
                command, rest = m.group(1), shlex.split(m.group(2), comments=True)
                if command not in helps:
                    helps[command] = subprocess.run([BINARY, command, "--help"], stdout=subprocess.PIPE, text=True)
                self.assertEqual(helps[command].returncode, 0, f"{name}: {line}")
                for word in rest:
                    if word.startswith("--"):
                        self.assertIn(word.split("=")[0], re.findall(r"--[\w-]+", helps[command].stdout), f"{name}: {line}")
                    elif word.startswith(("examples", "docs/")):
                        self.assertTrue(os.path.exists(os.path.join(ROOT, word.split(":")[0])), f"{name}: {word}")

    def test_python(self):
        """Python parses; a whole script has no errors; what a line above calls a file's is that file, or stands in it."""
        whole = 0
        for name, above, block in self.blocks("python"):
            with self.subTest(document=name, block=block[:60]):
                ast.parse(textwrap.dedent(block))
                excerpt = re.fullmatch(r"From `(\S+\.py)`:", above)
                if excerpt:
                    with open(os.path.join(ROOT, excerpt.group(1)), encoding="utf-8") as f:
                        self.assertIn(block, f.read())
                named = re.fullmatch(r"`(\S+\.py)`:", above)
                if named:
                    with open(os.path.join(ROOT, named.group(1)), encoding="utf-8") as f:
                        self.assertEqual(f.read(), block)
                if "from tvm.script import tirx" in block:
                    whole += 1
                    done = subprocess.run([BINARY, "check", "-"], input=block, stdout=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreater(whole, 0)

    def test_settings(self):
        """Of TOML, what is no editor's is taken by tilewright."""
        for name, _, block in self.blocks("toml"):
            tomllib.loads(block)
            if "language-server" in block:
                continue
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "tilewright.toml"), "w", encoding="utf-8") as f:
                    f.write(block)
                shutil.copy(os.path.join(ROOT, "examples", "vector_add.py"), folder)
                done = subprocess.run([BINARY, "check", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, 0, f"{name}: {done.stdout}")

    def test_names(self):
        """Names of T and Tx are those that a script has, but for placeholders."""
        names = {}
        for name, text in self.texts.items():
            if name not in ("docs/language/dialects.md", "docs/diagnostics.md"):  # other releases; names with escaped underscores
                names.update((n, name) for n in re.findall(r"(?<![\w.])(Tx?(?:\.[A-Za-z_]\w*)+)", text) if not n.endswith((".op", ".X")))
        lines = ["from tvm.script import tirx as T", "from tvm.script.tirx import tile as Tx", *(f"x{i} = {n}" for i, n in enumerate(sorted(names)))]
        done = subprocess.run([BINARY, "check", "-", "--json"], input="\n".join(lines), stdout=subprocess.PIPE, text=True)
        self.assertGreater(len(names), 200)
        for found in json.loads(done.stdout)["diagnostics"]:
            missing = lines[found["range"]["start"]["line"] - 1].split(" = ")[1]
            self.fail(f"{names[missing]}: {found['message']} ({missing})")

    def test_paths(self):
        """Paths of this project that stand between backticks exist."""
        folders = tuple(f"{d}/" for d in ("compiler", "server", "tests", "docs", "examples", "editors", "protocol", "grammar", "cmake", "packaging"))
        for name, text in self.texts.items():
            for path in re.findall(r"`([\w./*-]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):  # not within blocks
                if path.startswith(folders):
                    self.assertTrue(glob.glob(os.path.join(ROOT, path)), f"{name}: there is no {path}")


class Unkind(Case):
    """Input that nobody meant, and places that nobody can read or write."""

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


# The kernel of the fake driver's "cubin" does what the script's does: B becomes A.
STRIDED = """\
from tvm.script import tirx as T

@T.prim_func
def copy(A: T.Buffer((4, 8), "float32", layout=LAYOUT), B: T.Buffer((4, 8), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    r: T.let = tid // 8
    c: T.let = tid % 8
    B[r, c] = A[r, c]

@T.prim_func
def plain(A: T.Buffer((4, 8), "float32", layout=LAYOUT), B: T.Buffer((4, 8), "float32", layout=LAYOUT)):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    B[tid // 8, tid % 8] = A[tid // 8, tid % 8]
"""
BLACKWELL = """\
from tvm.script import tirx as T

@T.prim_func
def one(A: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    address = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(address), n_cols=32, cta_group=1)
    A[tid] = 1.0
    T.ptx.tcgen05.dealloc(address[0], n_cols=32, cta_group=1)

@T.prim_func
def two(A: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    address = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(address), n_cols=32, cta_group=1)
    A[tid] = 2.0
    T.ptx.tcgen05.dealloc(address[0], n_cols=32, cta_group=1)
"""
COPY = """\
from tvm.script import tirx as T

@T.prim_func
def plain(A_ptr: T.handle, B_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n,), "float32")
    B = T.match_buffer(B_ptr, (n,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(n):
        B[i] = A[i]

# tilewright: reference plain
@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n,), "float32")
    B = T.match_buffer(B_ptr, (n,), "float32")
    T.device_entry()
    block = T.cta_id([(n + 63) // 64])
    thread = T.thread_id([64])
    i: T.let = block * 64 + thread
    if i < n:
        B[i] = A[i]
"""

MADE = """\
from tvm.script import tirx as T

def plain(n):
    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (n,), "float32")
        B = T.match_buffer(B_ptr, (n,), "float32")
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(n):
            B[i] = A[i]

    return scalar

# tilewright: entry make(4)
# tilewright: entry make(8)
# tilewright: reference plain(...)
def make(n):
    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (n,), "float32")
        B = T.match_buffer(B_ptr, (n,), "float32")
        T.device_entry()
        T.cta_id([1])
        i = T.thread_id([n])
        B[i] = A[i]

    return kernel
"""


TURNS = """\
from tvm.script import tirx as T


# tilewright: sequence first then second
@T.prim_func
def first(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([4])
    B[i] = A[i]


# tilewright: reference expected
@T.prim_func
def second(B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    T.device_entry()
    half = T.cta_id([2])
    i = T.thread_id([2])
    C[half * 2 + i] = B[half * 2 + i]


@T.prim_func
def expected(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([4])
    B[i] = A[i]
    C[i] = A[i]
"""


def npy(descr, shape, data):
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(11 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


class Gpu(Case):
    """`run` on a driver of our own making: a machine without a GPU sees everything but the GPU."""

    def setUp(self):
        super().setUp()
        self.fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(self.fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        self.script = self.file("copy.py", COPY)

    def run_gpu(self, program, *options, script=None):
        cubin = self.file("kernel.cubin", "kernel kernel_kernel\n" + program)
        nvml = [] if "--nvml" in options else ["--nvml", self.fake]
        return self.run_it("run", script or self.script, "--on", "gpu", "--driver", self.fake, *nvml, "--cubin", cubin,
                           *options)

    def report(self, status, program, *options):
        r = self.run_gpu(program, "--set", "n=100", "--json", *options)
        self.assertEqual(r.status, status, r)
        self.fits(r.json, "run")
        return r.json

    def test_without_a_gpu(self):
        r = self.expect(2, "run", self.script, "--on", "gpu", "--driver", self.path("libnone.so"))
        self.assertIn("there is no GPU to run on", r.errors)
        self.assertIn("run this on a machine with an NVIDIA GPU", r.errors)

    def test_why_nothing_ran_is_json_too(self):
        r = self.expect(2, "run", self.script, "--on", "gpu", "--driver", self.path("libnone.so"), "--json")
        self.fits(r.json, "run")
        self.assertEqual(r.json["status"], "no_device")
        self.assertIn("there is no GPU to run on", r.json["error"])
        self.assertIn("there is no GPU to run on", r.errors)
        for status, word, options in (
            (2, "refused", ["--set", "n"]),
            (2, "refused", ["--set", "n=4", "--input", "A=" + self.path("gone.npy")]),
            (2, "refused", ["--set", "n=1000000", "--memory-limit", "0.001"]),
            (1, "errors", ["--set", "n=4", "--entry", "nothing"]),
        ):
            with self.subTest(options[-1]):
                r = self.run_gpu("copy 1 0 16\n", "--json", *options)
                self.assertEqual(r.status, status, r)
                self.fits(r.json, "run")
                self.assertEqual(r.json["status"], word)

    def test_entries_of_another_architecture_are_skipped(self):
        """The stand-in for the driver is a Hopper: what needs Blackwell is one line and no failure."""
        self.file("all/needs.py", BLACKWELL)
        self.file("all/says.py", "# tilewright: arch sm_100a\n" + BLACKWELL)
        gpu = ["run", self.path("all"), "--entry", "all", "--on", "gpu", "--driver", self.fake, "--nvml", self.fake]
        r = self.expect(0, *gpu)
        self.assertEqual(len([line for line in r.text.split("\n") if ": skipped: needs sm_100a" in line]), 4, r.text)
        self.assertIn("says.py  one: skipped: needs sm_100a, as its comment says; the device has sm_90a", r.text)
        self.assertRegex(r.text, r"needs.py  one: skipped: needs sm_100a, from tcgen05.alloc in line \d+; the device has sm_90a")
        self.assertIn("4 entries: 4 skipped", r.text)
        self.assertNotIn("TW", r.text + r.errors)
        done = self.fits(self.expect(0, *gpu, "--format", "json").json, "run")
        self.assertEqual([x["status"] for x in done["runs"]], ["skipped"] * 4)
        self.assertEqual(done["summary"], {"skipped": 4})
        root = ElementTree.fromstring(self.expect(0, *gpu, "--format", "junit").out)
        self.assertEqual([s.text[:13] for s in root.iter("skipped")], ["needs sm_100a"] * 4)
        self.assertIn("4 skipped", self.expect(1, *gpu, "--require-all").text)
        self.assertEqual(len(ElementTree.fromstring(self.expect(1, *gpu, "--require-all", "--format", "junit").out).findall(".//error")), 4)
        r = self.expect(2, "run", self.path("all/says.py"), "--entry", "one", "--on", "gpu", "--driver", self.fake, "--nvml", self.fake)
        self.assertIn("needs sm_100a", r.errors)
        # One that is wrong everywhere stays wrong, and its errors are shown once for all of its entries.
        wrong = self.file("wrong.py", BLACKWELL.replace("n_cols=32", "n_cols=nothing"))
        r = self.expect(1, "run", wrong, "--entry", "all", "--on", "gpu", "--driver", self.fake, "--nvml", self.fake)
        self.assertNotIn("skipped", r.text)
        self.assertEqual(r.errors.count("TW2002"), 2, r.errors)  # one a kernel

    def test_kernels_in_turn(self):
        script = self.file("turns.py", TURNS)
        first = self.file("first.cubin", "kernel first_kernel\ncopy 1 0 16\n")
        second = self.file("second.cubin", "kernel second_kernel\ncopy 1 0 16\n")
        cubins = ["--cubin", first, "--cubin", second]
        # As the comment says, as one entry, and as two.
        for entries in ([], ["--entry", "first then second"], ["--entry", "first", "--entry", "second"]):
            with self.subTest(entries):
                r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, *cubins, "--json", *entries)
                self.assertEqual(r.status, 0, r)
                self.fits(r.json, "run")
                self.assertEqual(r.json["kernel"], "first then second")
                self.assertEqual([t["role"] for t in r.json["tensors"]], ["input", "output", "output"])
                self.assertEqual([x["grid"][0] for x in r.json["launches"]], [1, 2])
                self.assertEqual(r.json["tensors"][2]["comparison"]["mismatches"], 0)
                self.assertEqual(r.json["tensors"][0]["sha256"], r.json["tensors"][2]["sha256"])
        r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, *cubins)
        self.assertEqual(r.text.count("launch   grid"), 2)
        r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, "--cubin", first)
        self.assertEqual(r.status, 2)
        self.assertIn("1 compiled kernels are given for 2", r.errors)
        r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, "--entry", "first then third")
        self.assertNotEqual(r.status, 0)

    def test_usage(self):
        self.expect(2, "run", self.script)
        self.expect(2, "run", self.script, "--on", "moon")
        for options, words in (
            ([], "symbolic extent `n` has no value: give it with --set n=128"),
            (["--set", "n"], "write NAME=VALUE"),
            (["--set", "n=many"], "many is no number"),
            (["--set", "n=4", "--input", "Z=" + self.file("z.npy", npy("<f4", (4,), bytes(16)))], "has no tensor Z"),
            (["--input", "A=" + self.path("gone.npy")], "cannot read"),
            (["--input", "A=" + self.file("bad.npy", "no array")], "not a .npy file"),
            (["--input", "A=" + self.file("f2.npy", npy("<f2", (4,), bytes(8)))], "it holds float16, float32 is wanted"),
            (["--set", "n=8", "--input", "A=" + self.file("a.npy", npy("<f4", (4,), bytes(16)))], "`n` is 8, but tensor A has 4"),
            (["--set", "n=4", "--entry", "nothing"], "nothing"),
            (["--set", "n=4", "--device", "3"], "there is no device 3"),
        ):
            with self.subTest(words):
                r = self.run_gpu("copy 1 0 16\n", *options)
                self.assertNotEqual(r.status, 0, r)
                self.assertIn(words, r.errors)

    def test_verified_by_the_reference_kernel(self):
        report = self.report(0, "copy 1 0 400\n")
        self.assertEqual(report["verdict"], "verified")
        self.assertEqual(report["launch"]["grid"], [2, 1, 1])
        self.assertEqual(report["arch"], "sm_90a")
        b = report["tensors"][1]
        self.assertEqual(b["comparison"]["expected_from"], "reference plain on the host")
        self.assertEqual((b["role"], b["comparison"]["elements"], b["bytes_unwritten"]), ("output", 100, 0))
        self.assertEqual(len(report["timing"]["launches"]), 10)
        self.assertEqual(report["timing"]["median_us"], 250)
        again = self.report(0, "copy 1 0 400\n")
        self.assertEqual(again["tensors"][1]["sha256"], b["sha256"])
        other = self.report(0, "copy 1 0 400\n", "--seed", "2")
        self.assertNotEqual(other["tensors"][1]["sha256"], b["sha256"])

    def test_times(self):
        timing = self.report(0, "copy 1 0 400\ntakes 100 2\n")["timing"]
        self.assertEqual((len(timing["hot"]["launches"]), timing["stable"], timing["checked_rounds"]), (10, True, 2))
        self.assertLessEqual(100, timing["p20_us"])
        self.assertLessEqual(timing["p20_us"], timing["p80_us"])
        # 800 bytes in about 101 us; the pretended copy moves a byte in a nanosecond, and each of 400 twice.
        self.assertEqual((timing["bytes"], timing["copy"]["bytes"]), (800, 400))
        self.assertAlmostEqual(timing["copy"]["fraction"], 0.4 / timing["median_us"], places=6)
        self.assertIsNone(timing["against"])
        conditions = timing["conditions"]
        self.assertEqual((conditions["driver"], conditions["sm_limit_mhz"], conditions["memory_mhz"]), ("580.99", 1980, 3201))
        self.assertEqual((conditions["celsius"], conditions["watts"], conditions["throttled"]), ([35, 41], 321.5, False))
        text = self.run_gpu("copy 1 0 400\ntakes 100 2\n", "--set", "n=100").text
        self.assertRegex(text, r"time     10\d\.\d\d us, median of 10 \(10\d\.\d\d to 10\d\.\d\d\), L2 emptied")
        self.assertIn("not throttled, driver 580.99", text)

    def test_times_that_are_worth_little(self):
        report = self.report(0, "copy 1 0 400\ntakes 100 90\n")
        self.assertFalse(report["timing"]["stable"])
        self.assertIn("the times scatter or drift", " ".join(report["notes"]))
        os.environ["FAKE_NVML"] = "0x24"
        self.addCleanup(os.environ.pop, "FAKE_NVML")
        report = self.report(0, "copy 1 0 400\n")
        self.assertEqual(report["timing"]["conditions"]["reasons"], ["power limit", "temperature"])
        self.assertIn("slowed down while it was measured: power limit, temperature", " ".join(report["notes"]))
        os.environ["FAKE_NVML"] = "none"
        self.assertIn("does not start: Driver Not Loaded", self.report(0, "copy 1 0 400\n")["timing"]["conditions"]["absent"])
        self.assertIn("there is no libnone.so", self.report(0, "copy 1 0 400\n", "--nvml", "libnone.so")["timing"]["conditions"]["absent"])

    def test_results_are_looked_at_again_after_timing(self):
        report = self.report(1, "copy 1 0 400\nfrom_launch 20 poke 1 3 77\n")
        self.assertIn("after timed launches 1 of 100 elements of B are not as expected", " ".join(report["problems"]))

    def test_two_compiled_forms(self):
        def against(program, other, *options):
            cubin = self.file("other.cubin", "kernel kernel_kernel\n" + other)
            return self.run_gpu(program, "--set", "n=100", "--against", cubin, *options)
        r = against("copy 1 0 400\ntakes 100 3\n", "copy 1 0 400\ntakes 110 3\n", "--json")
        self.fits(r.json, "run")
        found = r.json["timing"]["against"]
        self.assertEqual(len(found["cold"]["launches"]), 30)
        self.assertTrue(found["compared_cold"]["significant"])
        self.assertLess(1.07, found["compared_cold"]["interval"][0])
        self.assertLess(found["compared_cold"]["interval"][1], 1.13)
        r = against("copy 1 0 400\ntakes 110 3\n", "copy 1 0 400\ntakes 100 3\n")
        self.assertRegex(r.text, r"L2 emptied: \S*other.cubin is faster: kernel takes (9|10)\.\d % longer")
        r = against("copy 1 0 400\ntakes 100 9\n", "copy 1 0 400\ntakes 100 9\n")
        self.assertIn("no difference seen", r.text)
        r = against("copy 1 0 400\n", "copy 1 0 400\n", "--repeat", "3")
        self.assertIn("too few rounds to compare", r.text)
        # One that is fast and wrong is not compared in silence.
        r = against("copy 1 0 400\n", "copy 1 0 200\ntakes 10 0\n")
        self.assertEqual(r.status, 1)
        self.assertIn("other.cubin: 50 of 100 elements of B are not as expected", r.text)
        self.assertIn("does not measure times", self.run_it("run", self.script, "--on", "sim", "--set", "n=4", "--against", "plain").errors)

    def test_wrong_values(self):
        report = self.report(1, "copy 1 0 396\n")
        self.assertEqual(report["verdict"], "failed")
        self.assertEqual(report["tensors"][1]["bytes_unwritten"], 4)
        self.assertEqual(report["tensors"][1]["comparison"]["first"]["element"], 99)
        self.assertIsNone(report["tensors"][1]["comparison"]["first"]["got"])  # poison is NaN
        r = self.run_gpu("copy 1 0 396\n", "--set", "n=100")
        self.assertEqual(r.status, 1)
        self.assertIn("1 of 100 elements of B are not as expected", r.text)
        self.assertIn("[99]", r.text)

    def test_tolerances(self):
        x = self.file("x.npy", npy("<f4", (1,), bytes.fromhex("0000803f")))
        near = self.file("near.npy", npy("<f4", (1,), bytes.fromhex("0001803f")))
        options = ["--input", "A=" + x, "--expect", "B=" + near]
        self.assertEqual(self.run_gpu("copy 1 0 4\n", *options).status, 1)
        self.assertEqual(self.run_gpu("copy 1 0 4\n", *options, "--rtol", "1e-3").status, 0)
        self.assertEqual(self.run_gpu("copy 1 0 4\n", *options, "--rtol", "-1").status, 2)

    def test_stray_writes_and_changed_inputs(self):
        report = self.report(1, "copy 1 0 400\npoke 1 404 7\npoke 0 3 1\n")
        words = " ".join(report["problems"])
        self.assertIn("1 bytes were written outside of B, the first 4 bytes behind its end", words)
        self.assertIn("1 bytes of A changed, which is only read", words)

    def test_faults_and_deadlines(self):
        report = self.report(1, "fault 700\n")
        self.assertEqual((report["status"], report["error"]), ("fault", "CUDA_ERROR_ILLEGAL_ADDRESS"))
        report = self.report(1, "hang\n", "--deadline", "1")
        self.assertEqual(report["status"], "timeout")
        report = self.report(1, "crash\n")
        self.assertEqual(report["status"], "lost")
        report = self.report(1, "refuse 1\n")
        self.assertEqual(report["status"], "not_launched")

    def test_a_fault_is_led_back_to_its_line(self):
        stray = COPY.replace("if i < n:\n        B[i]", "if i < n:\n        B[i + n]")
        r = self.run_gpu("fault 700\n", "--set", "n=100", "--json", script=self.file("stray.py", stray))
        self.assertEqual(r.status, 1)
        self.fits(r.json, "run")
        line = stray[:stray.index("B[i + n]")].count("\n") + 1
        self.assertEqual(r.json["fault"]["range"]["start"]["line"], line)

    def test_arrays_in_and_out(self):
        data = bytes(range(16))
        a = self.file("a.npy", npy("<f4", (4,), data))
        r = self.run_gpu("copy 1 0 16\n", "--input", "A=" + a, "-o", self.path("out"), "--repeat", "0")
        self.assertEqual(r.status, 0, r)
        with open(self.path("out/B.npy"), "rb") as f:
            self.assertEqual(f.read()[-16:], data)
        expected = self.file("b.npy", npy("<f4", (4,), data))
        r = self.run_gpu("copy 1 0 16\n", "--input", "A=" + a, "--expect", "B=" + expected, "--json")
        self.assertEqual(r.json["tensors"][1]["comparison"]["expected_from"], expected)
        self.assertEqual(r.json["verdict"], "verified")

    def test_a_reference_of_the_entrys_arguments(self):
        script = self.file("made.py", MADE)
        for n in (4, 8):
            r = self.run_gpu(f"copy 1 0 {4 * n}\n", "--entry", f"make({n})", "--json", script=script)
            self.assertEqual((r.status, r.json["verdict"]), (0, "verified"), r)
            self.assertEqual(r.json["tensors"][1]["comparison"]["expected_from"], f"reference plain({n}) on the host")
        # The factory of what is expected needs no entry, and nobody asks for one.
        r = self.expect(0, "check", script)
        self.assertNotIn("needs arguments", r.text + r.errors)
        self.assertNotIn("plain", self.expect(0, "entries", script).text)

    def test_nothing_to_compare_with(self):
        script = self.file("alone.py", COPY.replace("# tilewright: reference plain\n", ""))
        r = self.run_gpu("copy 1 0 400\n", "--set", "n=100", "--entry", "kernel", "--json", script=script)
        self.assertEqual(r.status, 0, r)
        self.assertEqual(r.json["verdict"], "unverified")
        self.assertIn("# tilewright: reference EXPR", r.json["notes"][0])

    def test_what_the_kernel_prints(self):
        self.assertIn("seven\n", self.report(0, "copy 1 0 400\nprint seven\n")["printed"])

    def batch(self, status, program, *options, devices="2", scripts=6):
        """Compiled kernels of several scripts, of which each does on the device what the program says."""
        if self.run_it("doctor").status != 0:
            self.skipTest("no NVRTC on this machine")
        for i in range(scripts):
            self.file(f"kernels/{i}.py", STAGED.replace("def staged", f"def staged{i}"))
        environment = {"FAKE_CUDA_DEVICES": devices, "FAKE_CUDA_PROGRAM": self.file("program", program)}
        r = self.run_it("run", "kernels", "--entry", "all", "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, *options,
                        env=environment)
        self.assertEqual(r.status, status, r)
        return r

    def test_batches_take_every_device(self):
        answer = self.fits(self.batch(0, "copy 1 0 8192\n", "--json").json, "run")
        self.assertEqual(answer["summary"], {"verified": 6})
        self.assertLessEqual({x["where"] for x in answer["runs"]}, {"gpu 0", "gpu 1"})
        answer = self.fits(self.batch(0, "copy 1 0 8192\n", "--json", "--device", "1").json, "run")
        self.assertEqual({x["where"] for x in answer["runs"]}, {"gpu 1"})
        r = self.batch(0, "copy 1 0 8192\ntakes 100 0\n")
        row = next(line.split() for line in r.text.splitlines() if line.startswith("  staged5"))
        self.assertEqual((row[1], row[3:6], row[-1]), ("gpu", ["verified", "100.00", "us"], "0"))
        self.assertIn("of copy", r.text)
        self.assertIn("there is no device 7", self.batch(2, "", "--device", "7").errors)

    def test_batches_go_on_without_a_device(self):
        r = self.batch(0, "copy 1 0 8192\n", "--json", "--device", "0,7", "--jobs", "4", scripts=12)
        self.assertEqual({x["where"] for x in r.json["runs"]}, {"gpu 0"})

    def test_what_a_kernel_breaks_costs_its_run(self):
        for program, status, words, attempt in (("fault 700\n", "fault", "CUDA_ERROR_ILLEGAL_ADDRESS", 1),
                                                ("crash\n", "lost", "tried 3 times", 3),
                                                ("hang\n", "timeout", "", 1)):
            with self.subTest(program):
                deadline = "0.5" if status == "timeout" else "60"
                answer = self.fits(self.batch(1, program, "--json", "--deadline", deadline, scripts=3).json, "run")
                self.assertEqual([x["status"] for x in answer["runs"]], [status] * 3)
                self.assertEqual([x["attempt"] for x in answer["runs"]], [attempt] * 3)
                for x in answer["runs"]:
                    self.assertIn(words, x["error"] + " ".join(x["problems"]))
                self.assertNotIn("stopped", answer)

    def test_interrupted(self):
        cubin = self.file("kernel.cubin", "kernel kernel_kernel\nhang\n")
        log = self.path("log")
        command = [BINARY, "run", self.script, "--on", "gpu", "--driver", self.fake, "--cubin", cubin, "--set", "n=100"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, FAKE_CUDA_LOG=log)) as p:
            for _ in range(600):  # until the kernel runs
                if os.path.exists(log):
                    with open(log, encoding="utf-8") as f:
                        if "launch" in f.read():
                            break
                time.sleep(0.05)
            p.send_signal(signal.SIGINT)
            _, errors = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 130)
        self.assertIn(b"interrupted", errors)


STAGED = """\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def plain(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    for i in range(32):
        B[tx // 2, tx % 2 * 32 + i] = A[tx // 2, tx % 2 * 32 + i]

# tilewright: reference plain
@T.prim_func
def staged(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    smem = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy_async(smem[:, :], A[:, :], dispatch="ldgsts")
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], smem[:, :])
"""


# Each thread reads what others have copied.
TURNED = STAGED.replace("    Tx.cta.copy(B[:, :], smem[:, :])\n",
                        "    for i in range(32):\n        B[tx % 64, tx // 64 * 32 + i] = smem[tx % 64, tx // 64 * 32 + i]\n")
RACY = TURNED.replace("    T.cuda.cta_sync()\n", "")


# The elements of jenkins-junit.xsd, with their attributes and what stands in them, in order.
JUNIT = {
    "testsuites": ({"name", "time", "tests", "failures", "disabled", "errors"}, ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"},
                  ["properties", "testcase", "system-out", "system-err"]),
    "testcase": ({"name", "assertions", "time", "classname", "status"}, ["skipped", "error", "failure", "system-out", "system-err"]),
    "failure": ({"type", "message"}, []), "error": ({"type", "message"}, []),
    "skipped": (set(), []), "system-out": (set(), []), "system-err": (set(), []),
}
SEVERAL = {"testsuite", "testcase", "error", "failure"}


class Batch(Case):
    """`run --entry all` of files and folders."""

    def setUp(self):
        super().setUp()
        unordered = STAGED.replace("    T.ptx.cp_async.wait_group(0)\n", "")
        self.file("kernels/a.py", STAGED)
        self.file("kernels/b.py", STAGED.split("# tilewright")[0])
        self.file("kernels/sub/b.py", unordered)
        self.file("kernels/sub/c.py", STAGED.replace("B[:, :], smem", "B[:, :], smen"))
        self.file("kernels/d.py", "from tvm.script import tirx as T\ndef f(:\n")
        self.file("kernels/e.py", "import tvm\nX = 1\n")
        self.file("kernels/f.py", STAGED.replace("    Tx.cta.copy(B", '    T.cuda.printf("%d\\n", tx)\n    Tx.cta.copy(B'))
        self.verdicts = [("kernels/a.py", "staged", "verified"), ("kernels/b.py", "plain", "unverified"),
                         ("kernels/d.py", "", "errors"), ("kernels/f.py", "staged", "verified"),
                         ("kernels/sub/b.py", "staged", "failed"), ("kernels/sub/c.py", "staged", "errors")]

    def batch(self, status, *options, paths=("kernels",)):
        return self.expect(status, "run", *paths, "--entry", "all", "--on", "sim", *options)

    def junit(self, status, *options, **more):
        root = ElementTree.fromstring(self.batch(status, "--format", "junit", *options, **more).out)
        self.assertEqual(root.tag, "testsuites")
        for element in root.iter():
            attributes, children = JUNIT[element.tag]
            self.assertLessEqual(set(element.keys()), attributes, element.tag)
            tags = [child.tag for child in element]
            self.assertEqual(tags, sorted(tags, key=children.index), element.tag)
            for tag in set(tags) - SEVERAL:
                self.assertEqual(tags.count(tag), 1, tag)
        for element in [root, *root.iter("testsuite")]:
            for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                if element.tag == "testsuites" and name == "skipped":
                    continue
                self.assertEqual(element.get(name), str(len(list(element.iter(tag)))), name)
        return root

    def test_json(self):
        for jobs in ("1", "2", "7"):
            with self.subTest(jobs):
                answer = self.fits(self.batch(1, "--json", "--jobs", jobs).json, "run")
                self.assertEqual([(x["file"], x["entry"], x.get("verdict", x["status"])) for x in answer["runs"]], self.verdicts)
                self.assertEqual(answer["summary"], {"verified": 2, "unverified": 1, "errors": 2, "failed": 1})
                self.assertEqual([x["where"] for x in answer["runs"]], ["sim", "sim", "", "sim", "sim", ""])
                self.assertEqual([x["attempt"] for x in answer["runs"]], [1, 1, 0, 1, 1, 0])
                self.assertNotIn("stopped", answer)

    def test_text(self):
        r = self.batch(1)
        for line in ("kernels/a.py\n", "kernels/sub/b.py  staged: failed\n", "1 script has nothing to run\n"):
            self.assertIn(line, r.text)
        self.assertTrue(r.text.endswith("6 entries: 2 errors, 1 failed, 1 unverified, 2 verified\n"), r)
        self.assertNotIn("  as expected", r.text)  # of those that went well only a line of the table
        self.assertEqual(r.text.count("on simulator"), 1)
        self.assertEqual(self.batch(1, "--verbose").text.count("on simulator"), 4)
        self.assertIn("c.py:21:26: error[TW2002]", r.errors)
        self.assertNotIn("\x1b", r.text + r.errors)
        self.assertEqual([self.batch(1, "--jobs", jobs).out for jobs in ("1", "5")], [r.out, r.out])
        rows = [line.split() for line in r.text.splitlines() if line.startswith("  plain") or line.startswith("  staged")]
        self.assertIn(["staged", "sim", "verified", "0"], rows)
        self.assertIn(["plain", "sim", "unverified"], rows)

    def test_the_table_is_narrow(self):
        long = "make(%s)" % ", ".join(["1"] * 60)
        text = "from tvm.script import tirx as T\n# tilewright: entry " + long + """
# tilewright: entry make(7)
def make(*sizes):
    @T.prim_func
    def kernel(A: T.Buffer((32,), "float32")):
        T.device_entry()
        t = T.thread_id([32])
        A[t] = 1.0
    return kernel
"""
        r = self.batch(0, paths=[self.file("long.py", text)])
        table = r.text[r.text.index("  where"):].splitlines()
        rows = [line for line in r.text.splitlines() if line.startswith("make(")]
        self.assertEqual(len(rows), 2, r)
        self.assertLessEqual(max(map(len, table + rows)), 100)
        self.assertIn("…", r.text)
        self.assertIn(long + " ", self.batch(0, "--verbose", paths=[self.path("long.py")]).text)

    def test_junit(self):
        root = self.junit(1)
        cases = {(c.get("classname"), c.get("name")): c for c in root.iter("testcase")}
        self.assertEqual(list(cases), [(f, e or f) for f, e, _ in self.verdicts])
        self.assertEqual([s.get("name") for s in root.iter("testsuite")],
                         ["kernels/a.py", "kernels/b.py", "kernels/d.py", "kernels/f.py", "kernels/sub/b.py", "kernels/sub/c.py"])
        failure = cases["kernels/sub/b.py", "staged"].find("failure")
        self.assertIn("kernels/sub/b.py:20: thread 0 reads 16 bytes", failure.get("message"))
        self.assertIn("TW5021", failure.text)
        self.assertIn("nothing says", cases["kernels/b.py", "plain"].find("skipped").text)
        self.assertIn("kernels/d.py:2: the script has errors", cases["kernels/d.py", "kernels/d.py"].find("error").get("message"))
        self.assertIn("TW2002", cases["kernels/sub/c.py", "staged"].find("error").text)
        self.assertEqual(cases["kernels/f.py", "staged"].find("system-out").text.split(), [str(i) for i in range(128)])
        self.assertEqual(len(cases["kernels/a.py", "staged"]), 0)

    def test_what_cannot_be_judged_is_an_error(self):
        root = self.junit(1, "--steps", "1000", paths=[self.file("slow.py", STAGED)])
        self.assertEqual(root.find(".//error").get("type"), "incomplete")

    def test_what_cannot_be_read_costs_itself(self):
        paths = ["kernels/a.py", "kernels/b.py", "gone.py", self.file("bytes.py", b"\xff\xfe\x00")]
        answer = self.fits(self.batch(2, "--json", paths=paths).json, "run")
        self.assertEqual([(x["file"], x.get("verdict", x["status"])) for x in answer["runs"]],
                         [("kernels/a.py", "verified"), ("kernels/b.py", "unverified"), (paths[3], "errors"), ("gone.py", "refused")])
        self.assertEqual(len(list(self.junit(2, paths=paths).iter("error"))), 2)
        self.assertIn("cannot read gone.py", self.batch(2, paths=paths).errors)

    def test_fail_fast(self):
        answer = self.fits(self.batch(1, "--json", "--fail-fast", "--jobs", "1").json, "run")
        self.assertEqual([x["file"] for x in answer["runs"]], ["kernels/a.py", "kernels/b.py", "kernels/d.py"])
        self.assertEqual(answer["stopped"], "fail_fast")
        self.assertEqual([x["file"] for x in answer["not_run"]],
                         ["kernels/e.py", "kernels/f.py", "kernels/sub/b.py", "kernels/sub/c.py"])
        self.assertIn("not run:\n  kernels/e.py\n", self.batch(1, "--fail-fast", "--jobs", "1").text)
        skipped = self.junit(1, "--fail-fast", "--jobs", "1").findall(".//skipped")
        self.assertEqual([s.text for s in skipped][1:], ["not run: fail_fast"] * 4)

    def test_outputs(self):
        twice = STAGED.replace("# tilewright: reference plain\n",
                               "# tilewright: run staged reference=plain A=arange\n# tilewright: run staged reference=plain A=ones\n")
        self.file("twice.py", twice)
        self.batch(0, "-o", "out", paths=["twice.py", "kernels/f.py"])
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["kernels", "twice.staged", "twice.staged-2"])
        self.assertEqual(os.listdir(self.path("out/kernels/f.staged")), ["B.npy"])
        with open(self.path("out/twice.staged/B.npy"), "rb") as one, open(self.path("out/twice.staged-2/B.npy"), "rb") as two:
            self.assertNotEqual(one.read(), two.read())
        self.batch(0, "-o", "alone", paths=["kernels/f.py"])
        self.assertEqual(os.listdir(self.path("alone")), ["f.staged"])

    def test_what_makes_no_sense(self):
        for words, *arguments in (
            ("--cubin and --trace are for one entry", "kernels", "--entry", "all", "--trace", "t.json"),
            ("speak of one script", "kernels", "--entry", "all", "--watch", "A[0]@3"),
            ("is a folder", "kernels"),
            ("several scripts", "kernels/a.py", "kernels/f.py", "--entry", "staged"),
            ("for many entries", "kernels/f.py", "--format", "junit"),
            ("one entry runs on one device", "kernels/f.py", "--device", "0,1"),
            ("standard input is one script", "kernels/f.py", "-", "--entry", "all"),
            ("has no kernel to run", "kernels/e.py", "--entry", "all"),
        ):
            with self.subTest(words):
                self.assertIn(words, self.expect(2, "run", *arguments, "--on", "sim").errors)
        os.mkdir(self.path("empty"))
        r = self.expect(2, "run", "empty", "--entry", "all", "--on", "sim", "--json")
        self.assertEqual(self.fits(r.json, "run")["status"], "refused")

    def test_kernels_without_a_name(self):
        """What a factory makes beside its answer is no entry; a script that has nothing else says what is missing."""
        text = CONFIGS.replace("    return kernel", "    @T.prim_func\n    def beside(A: T.Buffer((n,), \"float32\")):\n"
                               "        T.device_entry()\n        t = T.thread_id([n])\n        A[t] = 2.0\n    return kernel")
        answer = self.fits(self.batch(0, "--json", paths=[self.file("beside.py", text)]).json, "run")
        self.assertEqual([x["entry"] for x in answer["runs"]], ["get_kernel(**CONFIGS[0])", "get_kernel(**CONFIGS[1])"])
        r = self.batch(2, paths=[self.file("unnamed.py", text.split("CONFIGS")[0] + "get_kernel(32)\n")])
        self.assertIn("keeps its kernels under no name", r.errors)

    def test_standard_input(self):
        r = self.expect(0, "run", "-", "--entry", "all", "--on", "sim", "--json", stdin=STAGED)
        self.assertEqual([x["verdict"] for x in self.fits(r.json, "run")["runs"]], ["verified"])

    def test_interrupted(self):
        """What is there is told, and what was not run; the status is that of an interrupt."""
        endless = STAGED.replace("    T.device_entry()\n    tx = T.thread_id([128])\n    smem",
                                 "    T.device_entry()\n    cta = T.cta_id([100000])\n    tx = T.thread_id([128])\n    smem")
        self.file("long/a.py", STAGED)
        self.file("long/b.py", endless)
        self.file("long/c.py", STAGED)
        for form in ("text", "json", "junit"):
            with self.subTest(form), subprocess.Popen(
                    [BINARY, "run", "long", "--entry", "all", "--on", "sim", "--jobs", "1", "--format", form, "-o", self.path(form)],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder) as p:
                while not os.path.exists(self.path(form + "/long/a.staged/B.npy")):
                    time.sleep(0.02)
                p.send_signal(signal.SIGINT)
                out, errors = p.communicate(timeout=60)
                self.assertEqual(p.returncode, 130)
                self.assertIn(b"interrupted", errors)
                if form == "text":
                    self.assertIn(b"not run:\n  long/b.py", out)
                    self.assertTrue(out.endswith(b"1 verified\n"), out)
                elif form == "json":
                    answer = self.fits(json.loads(out), "run")
                    self.assertEqual((answer["stopped"], [x["file"] for x in answer["not_run"]]), ("interrupted", ["long/b.py", "long/c.py"]))
                else:
                    self.assertEqual(len(ElementTree.fromstring(out).findall(".//skipped")), 2)

    def elsewhere(self, options=""):
        """Settings with a remote of two slots that is this binary, and its command line."""
        command = f"{BINARY} worker --stdio --on sim {options}".split()
        self.file("tilewright.toml", f'[remotes.two]\nat = "exec:{" ".join(command)}"\nslots = 2\n'
                                     '[remotes.gone]\nat = "exec:false"\n[pools]\nall = ["gone", "two"]\n')
        self.expect(0, "trust", "--yes")
        return command

    def test_on_a_remote(self):
        self.elsewhere()
        here = self.fits(self.batch(1, "--json").json, "run")
        there = self.fits(self.expect(1, "run", "kernels", "--entry", "all", "--on", "two", "--json").json, "run")
        self.assertEqual(there["summary"], here["summary"])
        for one, other in zip(here["runs"], there["runs"]):
            self.assertEqual([t.get("sha256") for t in one.get("tensors", [])], [t.get("sha256") for t in other.get("tensors", [])])
            self.assertEqual(one.get("findings"), other.get("findings"))
            self.assertIn(other["where"], ("two 0", "two 1", ""))
        r = self.expect(1, "run", "kernels", "--entry", "all", "--on", "all")
        self.assertIn("left out: gone", r.errors)
        self.assertTrue(r.text.endswith("6 entries: 2 errors, 1 failed, 1 unverified, 2 verified\n"), r)
        r = self.expect(2, "run", "kernels", "--entry", "all", "--on", "gone", "--json")
        self.assertEqual(self.fits(r.json, "run")["status"], "no_device")

    def test_a_killed_worker_costs_no_run(self):
        command = self.elsewhere("--queue 4321")
        for i in range(60):
            self.file(f"many/{i:02d}.py", STAGED)

        def workers():
            found = []
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as f:
                        if f.read().decode("utf-8", "replace").split("\0")[:-1] == command:
                            found.append(int(pid))
                except OSError:
                    pass
            return found
        arguments = [BINARY, "run", "many", "--entry", "all", "--on", "two", "--json", "--schedules", "100"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder) as p:
            killed = set()
            while len(killed) < 2 and p.poll() is None:
                for pid in set(workers()) - killed:
                    time.sleep(0.8)  # so that it has begun its work
                    try:
                        os.kill(pid, signal.SIGKILL)
                        killed.add(pid)
                    except ProcessLookupError:
                        pass
                time.sleep(0.05)
            out, errors = p.communicate(timeout=100)
        self.assertEqual(p.returncode, 0, errors)
        self.assertGreaterEqual(len(killed), 2)  # of workers, and of the processes that they keep for jobs
        answer = self.fits(json.loads(out), "run")
        self.assertEqual([x["file"] for x in answer["runs"]], [f"many/{i:02d}.py" for i in range(60)])
        self.assertEqual(answer["summary"], {"verified": 60})

    def test_progress_is_for_terminals(self):
        """One line that is gone in the end, and nothing of it elsewhere."""
        master, terminal = pty.openpty()
        with subprocess.Popen([BINARY, "run", "kernels", "--entry", "all", "--on", "sim", "--schedules", "200"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=terminal, env=dict(os.environ, NO_COLOR="1")) as p:
            os.close(terminal)
            seen = b""
            try:
                while piece := os.read(master, 65536):
                    seen += piece
            except OSError:
                pass
            out = p.stdout.read()
        os.close(master)
        self.assertRegex(seen.decode(), r"\r\x1b\[K\d+ of \d+ runs( \(\d of 7 scripts\))?")
        self.assertNotIn(b"runs", out)
        for line in re.findall(r"\r\x1b\[K(\d+ of [^\r\n]*)", seen.decode()):
            self.assertLess(len(line), 80)


class Simulator(Case):
    def simulated(self, status, text, *options, name="kernel.py"):
        return self.expect(status, "run", self.file(name, text), "--on", "sim", *options)

    def test_verified(self):
        r = self.simulated(0, STAGED, "--json")
        report = self.fits(r.json, "run")
        self.assertEqual((report["verdict"], report["status"], report["device"]["name"]), ("verified", "done", "simulator"))
        self.assertEqual((report["arch"], report["timing"], report["findings"]), ("sm_90a", None, []))
        self.assertEqual(self.simulated(0, STAGED, "--arch", "sm_80", "--json").json["arch"], "sm_80")
        self.assertIn("staged on simulator (sm_90a)", self.simulated(0, STAGED).text)

    def test_all_entries(self):
        script = self.file("two.py", STAGED.replace("def staged", "def broken").replace("    T.ptx.cp_async.wait_group(0)\n", "")
                           + "\n" + STAGED.split("\n\n")[1].replace("plain", "other") + "\n")
        r = self.expect(1, "run", script, "--on", "sim", "--entry", "all", "--json")
        runs = self.fits(r.json, "run")["runs"]
        self.assertEqual([(x["entry"], x["verdict"]) for x in runs], [("broken", "failed"), ("other", "verified")])
        r = self.expect(1, "run", script, "--on", "sim", "--entry", "all")
        self.assertTrue(r.text.endswith("2 entries: 1 failed, 1 verified\n"), r)

    def test_without_a_gpu(self):
        """Where there is none, nobody has to say so."""
        r = self.expect(0, "run", self.file("kernel.py", STAGED), "--driver", "libdoes-not-exist.so.1")
        self.assertTrue(r.text.endswith("verified\n"), r)

    def test_a_missing_wait(self):
        broken = STAGED.replace("    T.ptx.cp_async.wait_group(0)\n", "")
        report = self.fits(self.simulated(1, broken, "--json").json, "run")
        self.assertEqual(report["verdict"], "failed")
        self.assertEqual(report["tensors"][1]["comparison"]["mismatches"], 4096)
        # Copies that come early hide it; that the orders differ is said.
        self.assertIn("B is not the same after each launch", report["notes"][0])

    def test_races(self):
        self.simulated(0, TURNED)
        report = self.fits(self.simulated(1, RACY, "--json").json, "run")
        self.assertEqual((report["verdict"], report["status"]), ("failed", "done"))
        (found,) = report["findings"]
        self.assertEqual((found["code"], found["range"]["start"]["line"]), ("TW5020", 21))
        self.assertEqual(found["related"][0]["range"]["start"]["line"], 17)

    def test_check_tries_kernels_out(self):
        racy = self.file("racy.py", RACY)
        good = self.file("good.py", TURNED)
        self.expect(0, "check", racy)
        r = self.expect(1, "check", racy, "--simulate")
        self.assertRegex(r.text, r"racy.py:21:9: error\[TW5020\]")
        self.assertIn("synchronisation checked", self.expect(0, "check", good, "--simulate").errors)
        told = self.fits(self.expect(1, "check", racy, "--simulate", "--json").json, "check")
        self.assertNotIn("not_checked", told)
        self.assertEqual([d["code"] for d in told["diagnostics"]], ["TW5020"])
        for format in ("sarif", "github", "junit"):
            self.assertIn("TW5020", self.expect(1, "check", racy, "--simulate", "--format", format).text)
        # A part only, and said.
        lines = TURNED.split("\n")
        entry = max(i for i, line in enumerate(lines) if "device_entry" in line)
        many = self.file("many.py", "\n".join([*lines[: entry + 1], "    T.cta_id([1 << 20])", *lines[entry + 1 :]]))
        r = self.expect(0, "check", many, "--simulate")
        self.assertIn("only CTA 0, 1, 2, 3, 524288, 1048574 and 1048575 of 1048576 were tried", r.text)
        self.assertIn("synchronisation not wholly checked in 1 of 2 kernels", r.errors)
        told = self.fits(self.expect(0, "check", many, "--simulate", "--json").json, "check")
        self.assertEqual(told["not_checked"][0]["what"], "synchronisation")

    def test_findings_are_silenced_with_a_reason(self):
        at = RACY.split("\n")[20]
        silenced = self.file("silenced.py", RACY.replace(at, at + "  # tilewright: ignore[TW5020: each row, [0], is its lane's, TW3106]"))
        r = self.expect(0, "check", silenced, "--simulate")
        self.assertEqual(r.text, "")
        self.assertIn("; 1 finding silenced\n", r.errors)
        self.assertNotIn("synchronisation checked", r.errors)
        told = self.fits(self.expect(0, "check", silenced, "--simulate", "--json").json, "check")
        self.assertEqual([(s["code"], s["reason"], s["range"]["start"]["line"]) for s in told["silenced"]],
                         [("TW5020", "each row, [0], is its lane's", 21)])
        self.assertEqual(told["diagnostics"], [])
        (run,) = self.expect(0, "check", silenced, "--simulate", "--format", "sarif").json["runs"]
        self.assertEqual([x["suppressions"] for x in run["results"]],
                         [[{"kind": "inSource", "justification": "each row, [0], is its lane's"}]])
        self.assertIn("1 finding silenced", self.expect(0, "check", silenced, "--simulate", "--format", "junit").text)
        r = self.expect(1, "check", silenced, "--simulate", "--deny", "silenced")
        self.assertRegex(r.text, r"silenced.py:21:9: error\[TW5020\]")
        self.assertIn("--deny silenced does not accept", r.text)
        # Without a reason, and without a code, it stays.
        for comment, said in (("ignore[TW5020]", True), ("ignore[TW5020: ]", True), ("ignore", False), ("ignore[TW5021: other]", False)):
            with self.subTest(comment):
                path = self.file("stays.py", RACY.replace(at, at + "  # tilewright: " + comment))
                r = self.expect(1, "check", path, "--simulate")
                self.assertIn("error[TW5020]", r.text)
                self.assertEqual("TW5020 is a finding of the simulator and is silenced with a reason only" in r.text, said, r.text)
                self.assertNotIn("silenced\n", r.errors)

    def test_a_run_whose_findings_are_silenced(self):
        at = RACY.split("\n")[20]
        path = self.file("silenced.py", RACY.replace(at, at + "  # tilewright: ignore[TW5020: meant]"))
        entry = ["--entry", "kernel"] if "def kernel" in RACY else []
        r = self.run_it("run", path, "--on", "sim", "--json", *entry)
        report = self.fits(r.json, "run")
        self.assertEqual((report["findings"], [s["reason"] for s in report["silenced"]]), ([], ["meant"]))
        self.assertIn(report["verdict"], ("silenced", "failed"))  # its outputs may be wrong, too
        self.assertNotIn("TW5020", "".join(report["problems"]))

    def test_severity_of_findings(self):
        path = self.file("project/racy.py", RACY)
        self.file("project/tilewright.toml", '[severity]\nTW5020 = "warning"\n')
        self.assertIn("warning[TW5020]", self.expect(0, "check", path, "--simulate").text)
        self.file("project/tilewright.toml", '[severity]\nTW5020 = "off"\n')
        r = self.expect(0, "check", path, "--simulate", "--json")
        told = self.fits(r.json, "check")
        self.assertEqual(([s["reason"] for s in told["silenced"]], told["diagnostics"]), (["[severity] of tilewright.toml"], []))
        self.assertIn("; 1 finding silenced\n", self.expect(0, "check", path, "--simulate").errors)
        (run,) = self.expect(0, "check", path, "--simulate", "--format", "sarif").json["runs"]
        self.assertEqual(run["results"][0]["suppressions"][0]["kind"], "external")
        self.expect(1, "check", path, "--simulate", "--deny", "silenced")

    def test_tensors_of_any_size_are_tried(self):
        """A gigabyte each: only what the trial touches takes memory."""
        large = RACY.replace('T.Buffer((64, 64)', 'T.Buffer((65536, 8192)').replace("A[:, :]", "A[:64, :64]").replace("B[:, :]", "B[:64, :64]")
        self.assertNotEqual(large, RACY)
        with open(self.path("told"), "w+", encoding="utf-8") as told:
            command = [BINARY, "check", self.file("large.py", large), "--simulate"]
            process = subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            told.seek(0)
            self.assertIn("TW5020", told.read())
        self.assertEqual(process.returncode, 1)
        self.assertLess(usage.ru_maxrss, 512 << 10)  # kilobytes

    def test_bytes_that_nobody_writes(self):
        half = STAGED.replace("range(32)", "range(16)")
        report = self.simulated(0, half, "--entry", "plain", "--json").json
        self.assertEqual(report["tensors"][1]["bytes_unwritten"], 4096)

    def test_findings_stand_in_the_script(self):
        outside = STAGED.replace("Tx.cta.copy(B[:, :], smem[:, :])", "B[tx, 0] = smem[tx, 0]")
        r = self.simulated(1, outside)
        self.assertRegex(r.errors, r"kernel.py:21:5: error\[TW5001\]")
        self.assertIn("thread 64 of CTA (0, 0, 0)", r.errors)
        report = self.fits(self.simulated(1, outside, "--json").json, "run")
        self.assertEqual((report["verdict"], report["status"]), ("failed", "fault"))
        self.assertEqual(report["findings"][0]["range"]["start"]["line"], 21)

    def test_a_limit_is_no_pass(self):
        report = self.fits(self.simulated(1, STAGED, "--steps", "1000", "--json").json, "run")
        self.assertEqual((report["verdict"], report["status"]), ("incomplete", "incomplete"))
        self.assertIn("stopped after 1000 steps", report["notes"][0])
        self.assertIn("--steps", report["findings"][0]["hint"])

    def test_usage(self):
        self.simulated(2, STAGED, "--schedules", "0")
        r = self.simulated(2, STAGED, "--cubin", self.file("a.cubin", "x"))
        self.assertIn("leave out --cubin", r.errors)

    def test_a_part_of_the_grid(self):
        tiles = STAGED.replace("(64, 64)", "(256, 64)").replace("range(32):\n        B", "range(128):\n        B")
        tiles = tiles.replace("tx // 2, tx % 2 * 32 + i", "tx * 2 + i // 64, i % 64")
        tiles = tiles.replace("    smem = ", "    bx = T.cta_id([4])\n    smem = ").replace("alloc_shared((256", "alloc_shared((64")
        tiles = tiles.replace("A[:, :]", "A[bx * 64 : bx * 64 + 64, :]").replace("B[:, :]", "B[bx * 64 : bx * 64 + 64, :]")
        self.assertTrue(self.simulated(0, tiles).text.endswith("\nverified\n"))
        for part, words in {"0:2": "CTAs 0 to 1 of 4", "3": "CTA 3 of 4", "0:9:2": "CTAs 0 to 2 of 4 in steps of 2"}.items():
            r = self.simulated(0, tiles, "--clusters", part)
            self.assertIn("only " + words + " ran; what others would write is not checked", r.text)
            self.assertTrue(r.text.endswith("\nverified for " + words + " only\n"), r)
            report = self.fits(self.simulated(0, tiles, "--clusters", part, "--json").json, "run")
            self.assertEqual((report["verdict"], report["part"]), ("partial", words))
        # What those write has to be right.
        wrong = tiles.replace("Tx.cta.copy(B[bx * 64 : bx * 64 + 64, :]", "Tx.cta.copy(B[(bx + bx % 2) % 4 * 64 : "
                              "(bx + bx % 2) % 4 * 64 + 64, :]")
        self.simulated(0, wrong, "--clusters", "0:4:2")
        self.assertIn("are not as expected", self.simulated(1, wrong, "--clusters", "1").text)
        self.assertIn("there is no CTA 7 of 4", self.simulated(1, tiles, "--clusters", "7").text)
        for part in ("2:1", "x", "0:4:0", "1:2:3:4", ":3"):
            self.assertIn("write 5 for one cluster", self.simulated(2, tiles, "--clusters", part).errors)

    def test_cores_change_no_answer(self):
        text = STAGED.replace("tx = T.thread_id([128])\n    smem", "T.cta_id([6])\n    tx = T.thread_id([128])\n    smem")
        for script in (text, text.replace("wait_group(0)", "wait_group(1)")):
            status = 0 if script is text else 1
            one = self.simulated(status, script, "--jobs", "1", "--json").json
            for jobs in ("2", "5"):
                self.assertEqual(self.simulated(status, script, "--jobs", jobs, "--json").json, one)

    def test_interrupted(self):
        with subprocess.Popen([BINARY, "run", self.file("kernel.py", STAGED), "--on", "sim", "--schedules", "10000"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            while p.poll() is None and not minds_interrupts(p.pid):
                time.sleep(0.01)
            p.send_signal(signal.SIGINT)
            _, errors = p.communicate(timeout=60)
        self.assertEqual((p.returncode, errors), (130, b"tilewright: interrupted\n"))

WISHES = """from tvm.script import tirx as T


# tilewright: run scale reference=plain A=random(seed=7) B=poison n=100
# tilewright: run scale A=arange expected.B=doubled.npy n=4
@T.prim_func
def scale(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    T.device_entry()
    bx = T.cta_id([(n + 127) // 128])
    t = T.thread_id([128])
    if bx * 128 + t < n:
        B[bx * 128 + t] = A[bx * 128 + t] * T.float32(2.0)


@T.prim_func
def plain(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in range(n):
        B[i] = A[i] + A[i]
"""


class RunComments(Case):
    """What a script says of its runs, and what the command line says instead."""

    def setUp(self):
        super().setUp()
        self.script = self.file("wishes.py", WISHES)
        self.file("doubled.npy", npy("<f4", (4,), struct.pack("<4f", 0, 2, 4, 6)))

    def report(self, status, *options, script=None):
        return self.fits(self.expect(status, "run", script or self.script, "--on", "sim", "--json", *options).json, "run")

    def test_are_followed(self):
        report = self.report(0)
        self.assertEqual((report["entry"], report["extents"], report["verdict"]), ("scale", {"n": 100}, "verified"))
        self.assertEqual([t["source"] for t in report["tensors"]], ["random(seed=7)", "poison"])
        self.assertIn("2 comments speak of this entry", report["notes"][0])

    def test_all_of_them(self):
        runs = self.report(0, "--entry", "all")["runs"]
        self.assertEqual([(x["entry"], x["extents"]["n"], x["verdict"]) for x in runs],
                         [("scale", 100, "verified"), ("scale", 4, "verified")])
        self.assertEqual(runs[1]["tensors"][0]["source"], "arange")
        self.assertTrue(runs[1]["tensors"][1]["comparison"]["expected_from"].endswith("doubled.npy"))

    def test_the_command_line_wins(self):
        report = self.report(1, "--set", "n=3", "--input", "A=ones", "--expect", "B=zeros", "--rtol", "0.5")
        self.assertEqual((report["extents"], report["tensors"][0]["source"]), ({"n": 3}, "ones"))
        comparison = report["tensors"][1]["comparison"]
        self.assertEqual((comparison["mismatches"], comparison["expected_from"], comparison["rtol"]), (3, "zeros", 0.5))
        self.assertIn("did you mean zeros?", self.expect(2, "run", self.script, "--input", "A=zeroes").errors)

    def test_a_secret_seed_is_told_at_the_end(self):
        secret = WISHES.replace("A=random(seed=7) B=poison", "seed=secret")
        first = self.report(0, script=self.file("secret.py", secret))
        self.assertTrue(first["secret_seed"])
        self.assertNotEqual(first["seed"], self.report(0, "--seed", "secret")["seed"])
        again = self.report(0, "--seed", str(first["seed"]), script=self.file("secret.py", secret))
        self.assertNotIn("secret_seed", again)
        self.assertEqual(first["tensors"][0]["sha256"], again["tensors"][0]["sha256"])
        self.assertIn("repeats it", self.expect(0, "run", self.script, "--on", "sim", "--seed", "secret").text)

    def test_words_that_mean_nothing_are_not_passed_over(self):
        script = self.file("wrong.py", WISHES.replace("B=poison", "B=poisn"))
        r = self.expect(1, "check", script)
        self.assertRegex(r.text, r"wrong.py:4:60: error\[TW2313\]: 'poisn' is nothing")
        r = self.expect(2, "run", script, "--on", "sim")
        self.assertIn("did you mean poison?", r.errors)


SUMS = """from tvm.script import tirx as T


# tilewright: run forwards reference=backwards
@T.prim_func
def forwards(A: T.Buffer((4096,), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.thread_id([1])
    total: T.float32 = T.float32(0.0)
    for i in range(4096):
        total = total + A[i]
    B[0] = total


@T.prim_func
def backwards(A: T.Buffer((4096,), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.thread_id([1])
    total: T.float32 = T.float32(0.0)
    for i in range(4096):
        total = total + A[4095 - i]
    B[0] = total
"""


class Differences(Case):
    """What a report says where results are not what was expected."""

    def report(self, status, text, *options):
        script = self.file("kernel.py", text)
        return self.fits(self.expect(status, "run", script, "--on", "sim", "--json", *options).json, "run")

    def test_the_first_and_who_wrote_it(self):
        wrong = WISHES.replace("        B[bx * 128 + t] = A[bx * 128 + t] * T.float32(2.0)\n",
                               "        if t < 30:\n            B[bx * 128 + t] = A[bx * 128 + t] * T.float32(2.0)\n"
                               "        else:\n            B[bx * 128 + t] = A[bx * 128 + t] * T.float32(2.001)\n")
        c = self.report(1, wrong)["tensors"][1]["comparison"]
        self.assertEqual((c["mismatches"], c["first"]["element"]), (70, 30))
        self.assertEqual((c["producer"]["range"]["start"]["line"], c["producer"]["thread"]), (18, 30))
        self.assertEqual(sum(b["elements"] for b in c["ulps"]), 100)
        self.assertEqual(c["ulps"][0], {"least": 0, "most": 0, "elements": 30})
        text = self.expect(1, "run", self.path("kernel.py"), "--on", "sim").text
        self.assertIn("[30] was written at %s:18, thread 30 of CTA (0, 0, 0)" % self.path("kernel.py"), text)
        self.assertIn("units in the last place: 0 in 30, ", text)

    def test_asynchronous_copies_have_an_issuer(self):
        wrong = STAGED.replace("B[:, :], smem[:, :]", "B[:, :], smem[:, :]").replace("    T.ptx.cp_async.wait_group(0)\n", "")
        c = self.report(1, wrong)["tensors"][1]["comparison"]
        self.assertEqual(c["producer"]["range"]["start"]["line"],
                         1 + [i for i, l in enumerate(wrong.split("\n")) if "Tx.cta.copy(B" in l][0])

    def test_what_nobody_wrote_has_no_line(self):
        half = WISHES.replace("if bx * 128 + t < n:", "if bx * 128 + t < 50:")
        c = self.report(1, half)["tensors"][1]["comparison"]
        self.assertEqual((c["mismatches"], c["first"]["element"]), (50, 50))
        self.assertNotIn("producer", c)

    def test_sums_may_differ_by_their_length(self):
        c = self.report(0, SUMS)["tensors"][1]["comparison"]
        self.assertGreater(c["max_absolute"], 0)
        self.assertGreater(c["atol"], 1e-5)
        self.assertLess(c["atol"], 1e-3)
        # Not so much that a term could be missing.
        self.report(1, SUMS.replace("range(4096)", "range(4095)", 1))
        self.report(1, SUMS, "--atol", "0", "--rtol", "0")
        self.assertEqual(self.report(0, WISHES)["tensors"][1]["comparison"]["atol"], 1e-5)


WATCHED = """from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def stage(A: T.Buffer((4, 64), "float16"), B: T.Buffer((4, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    smem = T.alloc_buffer((4, 64), "float16", scope="shared")
    mine = T.alloc_buffer((4,), "float32", scope="local")
    total: T.float32 = T.float32(0.0)
    for k in range(4):
        smem[k, tx] = A[k, tx]
        mine[k] = T.cast(A[k, tx], "float32")
        total = total + mine[k]
    T.cuda.cta_sync()
    for k in range(4):
        B[k, tx] = smem[k, 63 - tx]
"""


class Watches(Case):
    """What threads see of a buffer or a number where they come past a line."""

    def watched(self, *watches, text=WATCHED, options=("--input", "A=arange")):
        options = [*options, *(x for w in watches for x in ("--watch", w))]
        r = self.expect(0, "run", self.file("kernel.py", text), "--on", "sim", "--json", *options)
        return self.fits(r.json, "run")

    def test_shared_memory(self):
        (watch,) = self.watched("smem[3, 0:4]@18")["watches"]
        self.assertEqual((watch["expression"], watch["line"], watch["dtype"]), ("smem[3, 0:4]", 18, "float16"))
        self.assertEqual(watch["elements"], ["[3, 0]", "[3, 1]", "[3, 2]", "[3, 3]"])
        self.assertEqual([r["thread"] for r in watch["rows"]], list(range(64)))
        self.assertTrue(all(r["values"] == [192, 193, 194, 195] for r in watch["rows"]))
        # Before everybody has written: the first thread is past the line, the others are not.
        (early,) = self.watched("smem[0, 0:3]@15")["watches"]
        self.assertEqual(early["rows"][0]["values"], [0, "unwritten", "unwritten"])
        self.assertEqual(early["rows"][1]["values"], [0, 1, "unwritten"])

    def test_registers_numbers_and_global_memory(self):
        report = self.watched("mine[k]@16", "total@17", "tx * 2 + k@15", "B[k, tx]@20")
        mine, total, number, out = report["watches"]
        row = [r for r in mine["rows"] if r["thread"] == 5]
        self.assertEqual([(r["loops"], r["values"]) for r in row], [([k], [64 * k + 5]) for k in range(4)])
        self.assertEqual([r["values"] for r in total["rows"] if r["thread"] == 1], [[1], [66], [195], [388]])
        self.assertEqual([r["values"] for r in number["rows"] if r["thread"] == 7], [[14], [15], [16], [17]])
        self.assertEqual((number["elements"], mine["loops"]), ([], ["k"]))
        self.assertEqual([r["values"] for r in out["rows"] if r["thread"] == 0], [[63], [127], [191], [255]])
        # Looking changes nothing.
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["tensors"][1]["sha256"], self.watched()["tensors"][1]["sha256"])

    def test_layouts_narrow_types_and_calls_of_primitives(self):
        swizzled = "layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[64, 64]))"
        text = STAGED.replace('scope="shared"', 'scope="shared", ' + swizzled).replace(
            "from tvm.script.tirx", "from tvm.tirx.layout import ComposeLayout, S, SwizzleLayout, TileLayout\nfrom tvm.script.tirx", 1)
        line = 1 + [i for i, l in enumerate(text.split("\n")) if "cta_sync" in l][0]
        (watch,) = self.watched(f"smem[1, 0:3]@{line}", text=text)["watches"]
        self.assertEqual(watch["rows"][0]["values"], [64, 65, 66])
        packed = WATCHED.replace('"float16"', '"float4_e2m1fn"').replace("smem[k, tx] = A[k, tx]", "pass") \
            .replace("mine[k] = T.cast(A[k, tx], \"float32\")", "mine[k] = T.float32(1.0)").replace(
            "B[k, tx] = smem[k, 63 - tx]",
            "if tx < 2:\n            T.cuda.copy_128b(T.address_of(B[k, tx * 32]), T.address_of(A[k, tx * 32]))")
        (watch,) = self.watched("A[0, 0:5]@17", text=packed)["watches"]
        self.assertEqual(watch["rows"][0]["values"], [0, 1, 2, 3, 0])
        unused = WATCHED.replace("A[k, tx]", "1.0")
        r = self.run_it("run", self.file("unused.py", unused), "--on", "sim", "--watch", "A[0, 0]@17")
        self.assertEqual(r.status, 2, r)
        self.assertIn("the kernel makes no use of `A`", r.errors)

    def test_a_table(self):
        r = self.expect(0, "run", self.file("kernel.py", WATCHED), "--on", "sim", "--input", "A=arange", "--watch", "smem[3, 0:2]@18",
                        "--watch", "tx@18")
        self.assertIn("  watch    smem[3, 0:2] where line 18 was executed\n"
                      "    CTA        thread  [3, 0]  [3, 1]\n"
                      "    (0, 0, 0)  0..63   192     193\n", r.text)
        self.assertIn("    (0, 0, 0)  62      62\n", r.text)
        many = WATCHED.replace("[64]", "[256]").replace("[k, tx]", "[k, tx % 64]").replace("63 - tx", "63 - tx % 64")
        r = self.expect(0, "run", self.file("many.py", many), "--on", "sim", "--watch", "tx@18")
        self.assertIn("    and 192 more; --json has them\n", r.text)

    def test_words_that_mean_nothing(self):
        for watch, words in (("smem[3, 0:4]", "write EXPRESSION@LINE"), ("nothing[3]@18", "there is no `nothing` at that line"),
                             ("smem[3]@18", "`smem` has 2 dimensions, not 1"), ("smem[3, 0]@4", "no statement of the kernel stands at that line"),
                             ("smem[3, 0@18", "a bracket is not closed"), ("smem[0, 0:k]@15", "a slice needs a length that is known"),
                             ("A@18", None), ("mine[q]@18", "there is no `q`"), ("tx tx@18", "'tx' is too much")):
            with self.subTest(watch):
                r = self.run_it("run", self.file("kernel.py", WATCHED), "--on", "sim", "--watch", watch)
                self.assertEqual(r.status, 2 if words else 0, r)
                self.assertIn(words or "", r.errors)


class Traces(Case):
    """Timelines of simulated runs, as viewers of Chrome's trace format read them."""

    def trace(self, script, *options):
        path = self.path("trace.json")
        self.expect(0, "run", script, "--on", "sim", "--trace", path, *options)
        with open(path) as f:
            trace = json.load(f)
        self.check(trace["traceEvents"])
        return trace

    def check(self, events):
        """Every stretch that begins ends, time goes forward, arrows begin and end within stretches."""
        named = {(e["pid"], e.get("tid")) for e in events if e["ph"] == "M"}
        open_stretches, arrows, now = {}, {}, 0
        for e in events:
            if e["ph"] == "M":
                continue
            self.assertGreaterEqual(e["ts"], now, e)
            now, track = e["ts"], (e["pid"], e["tid"])
            self.assertIn(track, named)
            if e["ph"] == "B":
                self.assertNotIn(track, open_stretches, e)
                open_stretches[track] = e
            elif e["ph"] == "E":
                self.assertIn(track, open_stretches, e)
                del open_stretches[track]
            elif e["ph"] == "s":
                self.assertIn(track, open_stretches, e)
                self.assertNotIn(e["id"], arrows)
                arrows[e["id"]] = open_stretches[track]
            elif e["ph"] == "f":
                self.assertEqual((e["id"] in arrows, e["bp"]), (True, "e"), e)
                self.assertIn(track, open_stretches, e)
                arrows[e["id"]] = (arrows[e["id"]], open_stretches[track])
            else:
                self.fail(e)
        self.assertEqual(open_stretches, {})
        self.assertTrue(all(isinstance(a, tuple) for a in arrows.values()))
        return list(arrows.values())

    def test_warps_wait_and_copies_release_them(self):
        script = os.path.join(os.path.dirname(__file__), "../../examples/tma_pipeline.py")
        events = self.trace(script)["traceEvents"]
        names = {e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertLessEqual({"CTA (0, 0, 0)", "warp 0", "warp 4", "operations 1"}, names)
        waits = [e for e in events if e["ph"] == "B" and e["name"].startswith("waits on mbarrier")]
        self.assertTrue(waits)
        self.assertRegex(waits[0]["args"]["detail"], r"phase \d+, byte \d+ of ")
        self.assertRegex(waits[0]["args"]["line"], r"tma_pipeline.py:\d+$")
        arrows = self.check(events)
        self.assertTrue(arrows)
        for operation, wait in arrows:
            self.assertEqual(operation["name"], "copy that a barrier counts")
            self.assertTrue(wait["name"].startswith("waits on mbarrier"), wait)

    def test_groups_and_barriers_of_the_cta(self):
        events = self.trace(self.file("kernel.py", STAGED))["traceEvents"]
        copies = [e for e in events if e["ph"] == "B" and e["name"] == "cp.async"]
        self.assertTrue(copies)
        line = 1 + [i for i, l in enumerate(STAGED.split("\n")) if "copy_async" in l][0]
        self.assertTrue(copies[0]["args"]["line"].endswith(f"kernel.py:{line}"))
        self.assertTrue(any(e["ph"] == "B" and e["name"] == "waits at cta_sync" for e in events))
        arrows = self.check(events)
        self.assertTrue(arrows)
        self.assertTrue(all(to["name"] == "runs" for _, to in arrows))  # each waits for its own

    def test_every_cluster_has_its_own_tracks(self):
        script = self.file("many.py", WISHES)
        events = self.trace(script)["traceEvents"]
        self.assertEqual({e["pid"] for e in events}, {0})
        events = self.trace(script, "--set", "n=400")["traceEvents"]
        self.assertEqual({e["pid"] for e in events}, {0, 1, 2, 3})

    def test_clusters_that_wait_for_one_another(self):
        script = os.path.join(os.path.dirname(__file__), "../gpu/waiting.py")
        events = self.trace(script, "--entry", "together")["traceEvents"]
        ctas = {e["pid"] for e in events}
        self.assertGreater(len(ctas), 1)
        self.assertEqual({e["pid"] for e in events if e["ph"] == "B"}, ctas)
        # And what any of them wrote has its line.
        r = self.expect(1, "run", script, "--on", "sim", "--entry", "together", "--expect", "B=7", "--json")
        self.assertIn("producer", r.json["tensors"][-1]["comparison"])

    def test_kernels_in_turn_follow_each_other(self):
        self.trace(self.file("turns.py", TURNS))

    def test_usage(self):
        script = self.file("kernel.py", STAGED)
        self.assertIn("for one entry", self.expect(2, "run", script, "--on", "sim", "--entry", "all", "--trace", "t.json").errors)
        self.assertIn("cannot", self.expect(2, "run", script, "--on", "sim", "--trace", self.path("no/such/t.json")).errors)


class Schemas(unittest.TestCase):
    def test_are_schemas(self):
        names = [n[:-5] for n in sorted(os.listdir(schema.FOLDER)) if n.endswith(".json")]
        for name in ("check", "compile", "doctor", "entries", "explain", "layout", "plan", "run"):
            self.assertIn(name, names)
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed: only our own validator reads the schemas")
        for name in names:
            jsonschema.Draft202012Validator.check_schema(schema.load(name))

    def test_the_validator_sees_violations(self):
        self.assertEqual(schema.check({"files": [], "diagnostics": []}, "check"), [])
        self.assertTrue(schema.check({"files": []}, "check"))
        self.assertTrue(schema.check({"files": [1], "diagnostics": []}, "check"))
        self.assertTrue(schema.check({"files": [], "diagnostics": [], "more": 1}, "check"))


class Examples(Case):
    def test_examples_are_clean(self):
        folder = os.path.join(ROOT, "examples")
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".py"):
                continue
            with self.subTest(name):
                path = os.path.join(folder, name)
                self.expect(0, "check", path)

    # All of them, for every architecture, are compiled by tests/examples.
    def test_demo_compiles_a_folder_and_says_where_the_results_are(self):
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        folder = self.path("scripts")
        os.makedirs(folder)
        for name in ("gmem_smem_scopes.py", "gmem_smem_dtypes.py", "async_dsmem.py"):
            shutil.copy(os.path.join(ROOT, "examples", name), folder)
        done = subprocess.run([BINARY, "demo", folder, "-o", self.path("demo")], capture_output=True, timeout=500,
                              env=dict(os.environ, XDG_CACHE_HOME=self.cache()))
        self.assertEqual(done.returncode, 0, done.stdout.decode()[-3000:] + done.stderr.decode()[-3000:])
        cuda = [os.path.join(f, n) for f, _, names in os.walk(self.path("demo")) for n in names if n.endswith(".cu")]
        self.assertGreater(len(cuda), 20)
        for path in cuda:
            self.assertTrue(os.path.exists(path[:-3] + ".cubin"), path)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
