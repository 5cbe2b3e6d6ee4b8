#!/usr/bin/env python3
"""migrate_test.py TILEWRIGHT: `tilewright migrate`, and how the release of a script is found."""
import os

from case import Case, main

KERNEL = """\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, ComposeLayout, SwizzleLayout, TileLayout

SWIZZLED = ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[64, 64]))


@T.prim_func
def through(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    tile = T.alloc_shared([64, 64], "float16", layout=SWIZZLED)
    Tx.cta.copy(tile[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], tile[:, :])
"""
PLAIN = """\
from tvm.script import tirx as T


@T.prim_func
def add(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    B[tx] = A[tx] + T.float32(1)
"""


WITHOUT_TILES = """\
from tvm.script import tirx as T


@T.prim_func
def sums(a: T.handle, S: T.Buffer((8,), "int32")):
    A = T.match_buffer(a, (8, 128), "int32", align=64)
    T.device_entry()
    T.attr({"tirx.launch_bounds_min_blocks_per_sm": 2})
    row = T.cta_id([8])
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    tx = T.thread_id([128])
    part = T.alloc_buffer((4,), "int32", scope="shared")
    total = A[row, tx]
    other = 0
    for step in T.unroll(5):
        other = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), total, 1 << step, 32, 32)
        total = total + other
    if lane == 0:
        part[warp] = total
    T.cuda.cta_sync()
    if tx == 0:
        S[row] = part[0] + part[1] + part[2] + part[3]
"""
OF_PACKAGE = """\
from tvm_tirx.script import tirx as T


@T.function
def sums(A: T.Tensor((8, 128), "int32", align=64), S: T.Tensor((8,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128), kernel_attrs=T.cuda.KernelAttributes(min_blocks_per_sm=2))
    row = T.cuda.block_idx("x")
    warp = T.cuda.warp_id()
    lane = T.cuda.lane_id()
    tx = T.cuda.thread_idx("x")
    part = T.alloc_shared((4,), "int32")
    total: T.int32 = A[row, tx]
    other: T.int32 = 0
"""


class Migrate(Case):
    def migrated(self, status, *arguments):
        return self.fits(self.expect(status, "migrate", *arguments, "--json").json, "migrate")

    def test_a_script_is_moved_and_proved(self):
        path = self.file("plain.py", PLAIN)
        r = self.expect(0, "migrate", path, "--to", "0.26")
        self.assertIn("+# tilewright: dialect 0.26", r.text)
        self.assertIn("add: the same bytes on the simulator", r.text)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), PLAIN)  # a diff changes nothing
        self.expect(0, "migrate", path, "--to", "0.26", "--write")
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), "# tilewright: dialect 0.26\n" + PLAIN)
        self.assertIn("nothing to do", self.expect(0, "migrate", path, "--to", "0.26").text)
        [file] = self.migrated(0, path, "--to", "0.27")["files"]
        self.assertEqual(file["from"]["source"], "comment")
        self.assertEqual([c["result"] for c in file["checks"]], ["same"])

    def test_a_script_without_tiles_is_moved_to_the_package(self):
        path = self.file("project/plain.py", "# tilewright: dialect 0.27\n" + PLAIN)
        r = self.expect(0, "migrate", path, "--to", "tvm_tirx", "--write")
        self.assertIn("to tvm_tirx", r.text)
        self.assertIn("add: the same bytes on the simulator", r.text)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.assertIn("T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    tx = T.cuda.thread_idx(\"x\")", text)
        self.assertIn("nothing to do", self.expect(0, "migrate", path, "--to", "tvm_tirx").text)
        path = self.file("project/sums.py", "# tilewright: dialect 0.27\n" + WITHOUT_TILES)
        [file] = self.migrated(1, path, "--to", "tvm_tirx")["files"]
        self.assertTrue(file["text"].startswith("# tilewright: dialect 0.27\n" + OF_PACKAGE), file["text"])
        self.assertIn("tvm_tirx has no T.tvm_warp_shuffle_xor", file["decisions"][0]["why"])

    def test_tiles_are_left_to_a_person(self):
        path = self.file("tiles.py", KERNEL)
        r = self.expect(1, "migrate", path, "--to", "tvm_tirx", "--no-check")
        self.assertIn("tvm_tirx has no tile primitives", r.text)
        self.assertIn("migrate the package tvm_tirx", self.expect(2, "migrate", path, "--to", "9").errors)

    def test_what_was_not_run_is_said(self):
        path = self.file("factory.py", "from tvm.script import tirx as T\n\n\ndef helper(x):\n    return T.ret(x)\n")
        r = self.expect(0, "migrate", path, "--to", "0.26")
        self.assertIn("not compared: no kernel of it is found that could be run", r.text)
        check, = self.migrated(0, path, "--to", "0.26")["files"][0]["checks"]
        self.assertEqual(check["result"], "not_run")

    def test_an_architecture_that_is_lost_is_said(self):
        text = PLAIN.replace("    tx = T.thread_id([32])\n", """\
    tx = T.thread_id([32])
    bar = T.alloc_shared([1], "uint64")
    if tx == 0:
        T.ptx.mbarrier.init(bar.ptr_to([0]), 32)
    T.cuda.cta_sync()
    T.ptx.mbarrier.arrive(bar.ptr_to([0]))
    T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)
""")
        path = self.file("waits.py", "# tilewright: dialect 0.26\n# tilewright: arch sm_80 sm_90a\n" + text)
        same, lost = self.migrated(1, path, "--to", "0.27")["files"][0]["checks"]
        self.assertEqual((same["entry"], same["result"]), ("add", "same"))
        self.assertEqual((lost["entry"], lost["result"]), ("", "differs"))
        self.assertIn("refused for sm_80, TW2111: T.cuda.mbarrier_wait: needs sm_90 and up", lost["message"])
        r = self.expect(1, "migrate", path, "--to", "0.27")
        self.assertIn("waits.py: not the same: refused for sm_80", r.text)

    def test_layouts_and_imports(self):
        self.file(".git/HEAD", "")  # the folders above it say nothing
        path = self.file("swizzled.py", KERNEL)
        [file] = self.migrated(0, path, "--to", "0.26", "--no-check")["files"]
        self.assertEqual(file["checks"], [])
        self.assertEqual(file["from"]["source"], "names")
        self.assertIn("SWIZZLED = ComposeLayout(3, 3, 3, TileLayout(S[64, 64]))", file["text"])
        self.assertIn("import S, ComposeLayout, TileLayout", file["text"])

    def test_comments_stay(self):
        text = KERNEL.replace(
            "ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[64, 64]))",
            """ComposeLayout(
    SwizzleLayout(3, 3, 3),  # of 128 bytes
    # rows of 64
    TileLayout(S[64, 64]),
)""",
        )
        path = self.file("said.py", text)
        [file] = self.migrated(0, path, "--to", "0.26", "--no-check")["files"]
        for said in ("# of 128 bytes\n", "# rows of 64\n"):
            self.assertEqual(file["text"].count(said), 1, file["text"])
        path = self.file("called.py", PLAIN.replace("    B[tx] =", """    bar = T.alloc_shared((1,), "uint64")
    if tx == 0:
        T.ptx.mbarrier.init(
            bar.ptr_to([0]),  # one round: no "#" of a string
            32,
        )
    B[tx] ="""))
        [file] = self.migrated(0, path, "--to", "0.27", "--no-check")["files"]
        self.assertEqual(file["text"].count('# one round: no "#" of a string\n'), 1, file["text"])

    def test_what_a_person_decides(self):
        path = self.file("open.py", PLAIN + "\nx = T.SizeVar(\"n\")\n")
        [file] = self.migrated(1, path, "--to", "0.26", "--no-check")["files"]
        [decision] = file["decisions"]
        self.assertEqual(decision["kind"], "decision")
        self.assertEqual(file["text"].splitlines()[decision["line"] - 1], 'x = T.SizeVar("n")')
        r = self.expect(1, "migrate", path, "--to", "0.26", "--no-check")
        self.assertIn(f"{path}:{decision['line']}:5: decide: T.SizeVar(\"n\")", r.text)

    def test_helpers_are_moved_with_their_callers(self):
        self.file("kernels/helper.py", "# tilewright: dialect 0.25\nfrom tvm.script import tirx as T\nSIZE = T.int32\n")
        self.file("kernels/main.py", "from helper import SIZE\n" + PLAIN)
        answer = self.migrated(0, self.path("kernels"), "--to", "0.26")
        checks = {os.path.basename(f["file"]): [c["result"] for c in f["checks"]] for f in answer["files"]}
        self.assertEqual(checks.get("main.py"), ["same"])

    def test_wrong_usage(self):
        path = self.file("plain.py", PLAIN)
        self.assertIn("there is no release '0.9'", self.expect(2, "migrate", path, "--to", "0.9").errors)
        self.assertIn("no such file", self.expect(2, "migrate", self.path("none.py"), "--to", "0.26").errors)


class Found(Case):
    """Which release, and what says so."""

    def dialect(self, path, *arguments):
        found = self.fits(self.expect(0, "entries", path, *arguments, "--json").json, "entries")["dialect"]
        return found["release"], found["source"], found["why"]

    def test_order(self):
        path = self.file("project/kernel.py", PLAIN)
        self.file("project/.git/HEAD", "")
        self.assertEqual(self.dialect(path), ("0.27", "assumed", "assumed, the newest release that has all names of the "
                                              "script; they fit 0.25, 0.26, 0.27"))
        os.makedirs(self.path("project/.venv/lib/python3.11/site-packages/apache_tvm-0.26.0.dist-info"))
        self.assertEqual(self.dialect(path), ("0.26", "installed", ".venv has apache-tvm 0.26.0"))
        self.file("project/requirements.txt", "apache-tvm==0.27.0.post1\n")
        self.assertEqual(self.dialect(path), ("0.27", "pin", "requirements.txt pins apache-tvm==0.27.0.post1"))
        self.file("project/tilewright.toml", 'dialect = "0.26"\n')
        self.assertEqual(self.dialect(path), ("0.26", "setting", 'tilewright.toml says dialect = "0.26"'))
        self.file("project/kernel.py", "# tilewright: dialect 0.25\n" + PLAIN)
        self.assertEqual(self.dialect(path), ("0.25", "comment", "the comment in line 1 says so"))
        self.assertEqual(self.dialect(path, "--dialect", "0.27")[:2], ("0.27", "asked"))

    def test_helpers_say_it(self):
        self.file("project/.git/HEAD", "")
        self.file("project/helper.py", "from tvm.script import tirx as T\n\n\ndef lead():\n    return T.ptx.elect_sync()\n")
        path = self.file("project/kernel.py", "from helper import lead\n" + PLAIN)
        self.assertEqual(self.dialect(path)[:2], ("0.26", "assumed"))
        self.file("project/helper.py", "# tilewright: dialect 0.25\nSIZE = 1\nlead = None\n")
        self.assertEqual(self.dialect(path), ("0.25", "names", "the comment in line 1 of helper.py says 0.25"))
        already = self.expect(0, "migrate", self.file("project/plain.py", PLAIN), "--to", "0.26", "--no-check").text
        self.assertIn("nothing to do (--dialect says that it is of an earlier one)", already)

    def test_every_report_says_it(self):
        path = self.file("kernel.py", "# tilewright: dialect 0.25\n" + PLAIN)
        [checked] = self.fits(self.expect(0, "check", path, "--json").json, "check")["dialects"]
        self.assertEqual((checked["file"], checked["release"], checked["source"]), (path, "0.25", "comment"))
        [kernel] = self.fits(self.expect(0, "compile", path, "--json").json, "compile")["kernels"]
        self.assertEqual(kernel["dialect"]["release"], "0.25")
        explained = self.fits(self.expect(0, "explain", path, "--json").json, "explain")
        self.assertEqual(explained["dialect"]["source"], "comment")
        self.assertIn("dialect 0.25: the comment in line 1 says so", self.expect(0, "explain", path).text)

    def test_pins_that_disagree(self):
        path = self.file("project/kernel.py", PLAIN)
        self.file("project/requirements.txt", "apache-tvm==0.25.0\n")
        self.file("project/requirements-dev.txt", "apache-tvm==0.26.0\n")
        r = self.expect(1, "check", path)
        self.assertIn("TW2204", r.text)
        self.assertIn("requirements-dev.txt pins apache-tvm==0.26.0, and requirements.txt pins apache-tvm==0.25.0", r.text)
        self.expect(0, "check", path, "--dialect", "0.25")

    def test_a_pin_and_a_name_of_another_release(self):
        self.file("project/requirements.txt", "apache-tvm==0.26.0\n")
        text = ("from tvm.script import tirx as T\n\n\n@T.prim_func\ndef k(A: T.Buffer((32,), \"float32\")):\n    T.device_entry()\n"
                "    T.cta_id([1])\n    t = T.thread_id([32])\n    T.ptx.st.global_.f32(A.ptr_to([t]), T.float32(1))\n")
        path = self.file("project/kernel.py", text)
        both = ("T.ptx.st.global_.f32 is a name of 0.27, and the script is read in 0.26: requirements.txt pins apache-tvm==0.26.0")
        self.assertIn(both, self.expect(1, "check", path).text)
        self.expect(0, "check", path, "--dialect", "0.27")

    def test_two_names_of_two_releases(self):
        self.file(".git/HEAD", "")
        path = self.file("kernel.py", PLAIN + "\ndef f():\n    T.ret(0)\n    T.cuda.elect_sync()\n")
        r = self.expect(1, "check", path)
        self.assertIn("T.cuda.elect_sync is a name of 0.27, and T.ret is a name of 0.25: no release has both", r.text)


if __name__ == "__main__":
    main()
