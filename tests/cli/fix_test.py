#!/usr/bin/env python3
"""fix_test.py TILEWRIGHT: fixes in `check --json`, and `tilewright fix`."""
import os

from case import ROOT, Case, main

KERNEL = """\
from tvm.script import tirx as T


@T.prim_func
def add(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    B[tx] = A[tx] + T.float32(1)
"""
TWO = KERNEL.replace("T.thread_id", "T.tread_id").replace("A[tx] + T.float32(1)", "AA[tx] + T.floot32(1)")

RACE = """\
from tvm.script import tirx as T


@T.prim_func
def turned(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    tile = T.alloc_shared((64,), "float32")
    tile[tx] = A[tx]
    B[tx] = tile[63 - tx]
"""
# A column beyond the row: no barrier is missing.
BEYOND = """\
from tvm.script import tirx as T


@T.prim_func
def shifted(A: T.Buffer((2, 96), "float32"), B: T.Buffer((2, 96), "float32")):
    T.device_entry()
    row, part = T.cta_id([2, 2])
    tx = T.thread_id([64])
    col: T.let = part * 64 + tx
    if col <= 96:
        B[row, col] = A[row, col] + T.float32(1)
"""
# Sums of all CTAs by ordinary stores.
GRID = """\
from tvm.script import tirx as T


@T.prim_func
def counts(X: T.Buffer((4, 128), "int32"), H: T.Buffer((64,), "int32")):
    T.device_entry()
    row = T.cta_id([4])
    tx = T.thread_id([128])
    local = T.alloc_shared((64,), "int32")
    if tx < 64:
        local[tx] = 0
    T.cuda.cta_sync()
    T.cuda.atomic_add(local.ptr_to([X[row, tx] & 63]), 1)
    T.cuda.cta_sync()
    if tx < 64:
        H[tx] = H[tx] + local[tx]
"""
# A barrier of the CTA that one half of it comes to.
HALF = """\
from tvm.script import tirx as T


@T.prim_func
def halves(A: T.Buffer((2, 128), "float32"), B: T.Buffer((2, 128), "float32")):
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([2])
    tid = T.thread_id_in_wg([128])
    s = T.alloc_shared((2, 128), "float32")
    s[wg, tid] = A[wg, tid]
    if wg == 0:
        T.cuda.warpgroup_sync(3)
    B[wg, tid] = s[wg, 127 - tid]
    T.cuda.cta_sync()
    B[wg, tid] = B[wg, tid] + s[1 - wg, tid]
"""
STAGED = """\
# tilewright: dialect {release}
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def staged(A: T.Buffer((4, 32, 64), "float16"), B: T.Buffer((4, 32, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    stage = T.alloc_shared((32, 64), "float16")
    for i in T.serial(4):
        Tx.cta.copy_async(stage[:, :], A[i, :, :])
        T.cuda.cta_sync()
        for j in T.serial(16):
            B[i, 2 * j + tid // 64, tid % 64] = stage[31 - 2 * j - tid // 64, tid % 64]
        T.cuda.cta_sync()
"""


def applied(text, edits):
    lines = text.splitlines(keepends=True)

    def offset(at):
        return sum(len(line) for line in lines[: at["line"] - 1]) + at["column"] - 1

    for e in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        text = text[: offset(e["range"]["start"])] + e["text"] + text[offset(e["range"]["end"]) :]
    return text


class Fix(Case):
    def read(self, path):
        with open(path, encoding="utf-8", newline="") as f:
            return f.read()

    def fixed(self, status, *arguments):
        return self.fits(self.expect(status, "fix", *arguments, "--json").json, "fix")

    def test_findings_carry_their_fixes_as_edits(self):
        path = self.file("a.py", KERNEL.replace("T.thread_id", "T.tread_id"))
        [finding] = self.fits(self.expect(1, "check", path, "--json").json, "check")["diagnostics"]
        [fix] = finding["fixes"]
        self.assertEqual(fix["title"], "Replace by thread_id")
        self.assertEqual(applied(self.read(path), fix["edits"]), KERNEL)

    def test_a_finding_without_a_fix_has_none(self):
        path = self.file("a.py", KERNEL.replace("A[tx] +", "A[tx, 0, 0] +"))
        [finding] = self.fits(self.expect(1, "check", path, "--json").json, "check")["diagnostics"]
        self.assertNotIn("fixes", finding)

    def test_fixes_that_there_was_no_time_for_are_counted(self):
        path = self.file("race.py", RACE)
        answer = self.fits(self.expect(1, "check", path, "--simulate", "--json").json, "check")
        self.assertEqual((answer["counts"]["fixable"], answer["counts"]["fixes_not_tried"]), (1, 0))
        self.assertNotIn("fixes_not_tried", answer["diagnostics"][0])
        answer = self.fits(self.expect(1, "check", path, "--simulate", "--json", "--fix-seconds", "0").json, "check")
        self.assertEqual((answer["counts"]["fixable"], answer["counts"]["fixes_not_tried"]), (0, 1))
        self.assertTrue(answer["diagnostics"][0]["fixes_not_tried"])
        log = self.expect(1, "check", path, "--simulate", "--format", "sarif", "--fix-seconds", "0").json
        notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        self.assertIn("fixes of 1 finding not tried for lack of time", [n["message"]["text"] for n in notes])

    def test_a_dtype_that_the_library_looks_up(self):
        text = KERNEL.replace("    B[tx]", '    pool = T.SMEMPool()\n    tile = pool.alloc_mma((32, 64), "float61")\n    pool.commit()\n    B[tx]')
        path = self.file("a.py", text)
        self.expect(0, "fix", path, "--code", "TW2003")
        self.assertEqual(self.read(path), text.replace("float61", "float16"))

    def test_a_wait_goes_before_the_barrier_in_the_words_of_the_release(self):
        for release, path_of in (("0.25", "T.ptx.cp_async"), ("0.27", "T.ptx.cp.async_")):
            text = STAGED.format(release=release)
            path = self.file("staged.py", text)
            self.expect(0, "fix", path, "--simulate")
            wait = f"        {path_of}.commit_group()\n        {path_of}.wait_group(0)\n"
            self.assertEqual(self.read(path), text.replace("A[i, :, :])\n", "A[i, :, :])\n" + wait))

    def test_an_arrival_goes_to_the_end_of_the_others_work(self):
        arrival = "            T.ptx.mbarrier.arrive(filled.ptr_to([i % 2]))\n"
        begin = "            fetch(filled, buffers, A, i, lane)\n"
        text = self.read(os.path.join(ROOT, "examples", "ldgsts_producer.py"))
        self.assertIn(begin + arrival, text)
        path = self.file("producer.py", text.replace(begin + arrival, begin, 1))
        self.assertIn("Insert T.ptx.mbarrier.arrive(filled", self.expect(0, "fix", path, "--simulate").text)
        self.assertEqual(self.read(path), text)

    def test_all_fixes_are_applied_one_after_the_other(self):
        path = self.file("a.py", TWO)
        r = self.expect(0, "fix", path)
        self.assertIn("a.py: 3 fixes; 0 errors and 0 warnings left", r.text)
        self.assertIn(":8: TW2003: Replace by thread_id", r.text)
        self.assertEqual(self.read(path), KERNEL)
        self.assertIn("a.py: 0 fixes; 0 errors and 0 warnings", self.expect(0, "fix", path).text)

    def test_a_diff_changes_nothing(self):
        path = self.file("a.py", TWO)
        r = self.expect(0, "fix", path, "--diff")
        self.assertIn("-    tx = T.tread_id([32])\n", r.text)
        self.assertIn("+    tx = T.thread_id([32])\n", r.text)
        self.assertEqual(self.read(path), TWO)

    def test_codes_say_what_is_fixed(self):
        path = self.file("a.py", TWO)
        [file] = self.fixed(1, path, "--code", "TW2002")["files"]
        self.assertEqual([a["code"] for a in file["applied"]], ["TW2002"])
        self.assertEqual(file["text"], TWO.replace("AA[", "A["))
        self.assertEqual(file["after"]["errors"], file["before"]["errors"] - 1)
        self.assertIn("there is no diagnostic TW9999", self.expect(2, "fix", path, "--code", "TW9999").errors)

    def test_what_has_no_fix_stays(self):
        text = KERNEL.replace("A[tx] +", "A[tx, 0, 0] +")
        path = self.file("a.py", text)
        [file] = self.fixed(1, path)["files"]
        self.assertEqual((file["applied"], file["text"]), ([], text))

    def test_line_ends_stay(self):
        path = self.file("a.py", TWO.replace("\n", "\r\n"))
        self.expect(0, "fix", path)
        self.assertEqual(self.read(path), KERNEL.replace("\n", "\r\n"))

    def test_what_cannot_be_read_is_said(self):
        self.assertIn("no such file", self.expect(2, "fix", self.path("none.py")).errors)
        self.assertIn("not standard input", self.expect(2, "fix", "-", stdin=TWO).errors)
        bad = self.file("bad.py", b"\xff\xfe\xfa")
        self.expect(2, "fix", bad)
        self.assertEqual(self.read(self.file("good.py", KERNEL)), KERNEL)

    def test_missing_synchronisation(self):
        path = self.file("race.py", RACE)
        [finding] = self.fits(self.expect(1, "check", path, "--json", "--simulate").json, "check")["diagnostics"]
        self.assertEqual((finding["code"], finding["fixes"][0]["title"]), ("TW5020", "Insert T.cuda.cta_sync()"))
        self.assertEqual(applied(RACE, finding["fixes"][0]["edits"]), RACE.replace("    B[tx]", "    T.cuda.cta_sync()\n    B[tx]"))
        [file] = self.fixed(0, path, "--simulate")["files"]
        self.assertEqual((len(file["applied"]), file["after"]), (1, {"errors": 0, "warnings": 0}))
        self.expect(0, "check", path, "--simulate")

    def test_what_is_put_in_has_no_finding_of_its_own(self):
        for text in (BEYOND, GRID):
            answer = self.expect(1, "check", "--simulate", "--json", self.file("kernel.py", text)).json
            self.assertTrue(answer["diagnostics"])
            for finding in answer["diagnostics"]:
                self.assertNotIn("fixes", finding)

    def test_no_barrier_of_clusters_without_clusters(self):
        answer = self.expect(1, "check", "--simulate", "--json", self.file("kernel.py", HALF)).json
        self.assertTrue(any(finding["code"] == "TW5020" for finding in answer["diagnostics"]))
        titles = [fix["title"] for finding in answer["diagnostics"] for fix in finding.get("fixes", [])]
        self.assertFalse([title for title in titles if "cluster" in title])

    def test_the_severity_of_the_project_holds(self):
        self.file("tilewright.toml", '[severity]\nTW2301 = "off"\n')
        path = self.file("a.py", KERNEL.replace("    T.cta_id([1])\n", "    T.cta_id([1])\n    unused = 1\n"))
        [file] = self.fixed(0, path)["files"]
        self.assertEqual(file["before"], {"errors": 0, "warnings": 0})


if __name__ == "__main__":
    main()
