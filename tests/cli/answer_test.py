#!/usr/bin/env python3
"""answer_test.py TILEWRIGHT: parts of JSON answers (--fields, --summary, --lines, --call), and why copies are as wide as they are."""
import json

from case import Case, main

COPY = """\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def copy(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    tile = T.alloc_shared((32, {stride}), "float32")
    Tx.cta.copy(tile[:, 0:32], A[:, :])
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], tile[:, 0:32])
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


class Answers(Case):
    def explained(self, stride, *more):
        path = self.file("copy.py", COPY.format(stride=stride))
        return self.fits(self.expect(0, "explain", path, "--json", *more).json, "explain")

    def test_a_width_has_its_reason(self):
        [first, _] = self.explained(33)["kernels"][0]["calls"]
        self.assertEqual(first["width"], "4 bytes: the rows of tile are 33 elements apart, and 16 bytes need a multiple of 4; 36 gives 16 bytes")
        [first, _] = self.explained(36)["kernels"][0]["calls"]
        self.assertEqual(first["width"], "16 bytes, the widest access")

    def test_operands_layouts_and_occupancy(self):
        [kernel] = self.explained(36)["kernels"]
        dst, src = kernel["calls"][0]["operands"]
        self.assertEqual((dst["buffer"], dst["scope"], dst["dtype"], dst["shape"], dst["role"]), ("tile", "shared", "float32", [32, 36], "written"))
        self.assertEqual((src["buffer"], src["role"]), ("A", "read"))
        occupancy = kernel["occupancy"]
        self.assertEqual((occupancy["threads"], occupancy["shared_bytes"], occupancy["without"]), (128, 32 * 36 * 4, "registers"))
        self.assertGreater(occupancy["ctas_per_sm"], 1)

    def test_lines_and_calls(self):
        path = self.file("copy.py", COPY.format(stride=36))
        [kernel] = self.expect(0, "explain", path, "--json", "--lines", "12:14").json["kernels"]
        self.assertEqual([c["range"]["start"]["line"] for c in kernel["calls"]], [13])
        [kernel] = self.expect(0, "explain", path, "--json", "--call", "copy.py:11").json["kernels"]
        self.assertEqual([c["range"]["start"]["line"] for c in kernel["calls"]], [11])
        self.assertIn("count from 1", self.expect(2, "explain", path, "--lines", "9:3").errors)
        self.assertIn("write FILE:LINE", self.expect(2, "explain", path, "--call", "copy").errors)
        self.assertIn("excludes", self.expect(2, "explain", path, "--call", "copy.py:11", "--lines", "1:2").errors)

    def test_layouts_of_what_lines_touch(self):
        path = self.file("copy.py", COPY.format(stride=33))
        answer = self.fits(self.expect(0, "layout", "--call", "copy.py:13", "--json").json, "layout")
        self.assertEqual([(one["buffer"], one["scope"]) for one in answer["layouts"]], [("B", "global"), ("tile", "shared")])
        self.assertEqual(answer["layouts"][1]["shape"], [32, 33])
        same = self.expect(0, "layout", "copy.py", "--lines", "13:13", "--json").json
        self.assertEqual(same["layouts"], answer["layouts"])
        both = self.expect(0, "layout", path, "--lines", "11:13", "--fields", "layouts.buffer").json
        self.assertEqual([one["buffer"] for one in both["layouts"]], ["tile", "A", "B"])
        text = self.expect(0, "layout", "--call", "copy.py:13").text
        self.assertIn("tile  float32 (32, 33) shared", text)
        self.assertIn("touches a buffer at copy.py:8", self.expect(0, "layout", "--call", "copy.py:8").errors)
        self.assertIn("--call FILE:LINE", self.expect(2, "layout").errors)
        self.assertIn("are those of a script", self.expect(2, "layout", "--lines", "1:2").errors)
        self.assertIn("for a layout expression", self.expect(2, "layout", "--call", "copy.py:13", "--shape", "4").errors)

    def test_a_run_is_about_lines(self):
        race = PLAIN.replace("    B[tx] = A[tx] + T.float32(1)\n", "    tile = T.alloc_shared((64,), \"float32\")\n    tile[tx] = A[tx]\n    B[tx] = tile[63 - tx]\n")
        path = self.file("race.py", race.replace("32,)", "64,)").replace("[32]", "[64]"))
        whole = self.fits(self.run_it("run", path, "--on", "sim", "--json", "--profile").json, "run")
        at = whole["findings"][0]["range"]["start"]["line"]
        part = self.fits(self.run_it("run", path, "--on", "sim", "--call", f"race.py:{at}", "--profile").json, "run")
        self.assertEqual(part["findings"], whole["findings"])
        self.assertEqual({line["line"] for line in part["profile"]["lines"]}, {at})
        self.assertGreater(len(whole["profile"]["lines"]), len(part["profile"]["lines"]))
        elsewhere = self.run_it("run", path, "--on", "sim", "--lines", "1:4").json
        self.assertEqual((elsewhere["findings"], elsewhere["status"]), ([], whole["status"]))
        [one] = self.run_it("run", path, "--on", "sim", "--entry", "all", "--lines", "1:4").json["runs"]
        self.assertEqual(one["findings"], [])
        self.assertIn("count from 1", self.run_it("run", path, "--on", "sim", "--lines", "4:1").errors)

    def test_a_page_of_some_lines(self):
        path = self.file("two.py", COPY.format(stride=32) + PLAIN[PLAIN.index("\n\n@") :])
        view = ["view", path, "--html", self.path("page.html"), "--emit", "tirx,cuda", "--json"]
        self.assertEqual([k["name"] for k in self.expect(0, *view).json["kernels"]], ["copy", "add"])
        self.assertEqual([k["name"] for k in self.expect(0, *view, "--lines", "11:11").json["kernels"]], ["copy"])
        self.assertEqual([k["name"] for k in self.expect(0, *view, "--call", "two.py:21").json["kernels"]], ["add"])
        self.assertIn("no kernel", self.expect(2, *view, "--lines", "1:2").errors)

    def test_the_code_of_some_lines(self):
        path = self.file("add.py", PLAIN)
        whole = self.fits(self.expect(0, "compile", path, "--json").json, "compile")["kernels"][0]
        self.assertNotIn("source_map", whole)
        part = self.fits(self.expect(0, "compile", path, "--lines", "9:9").json, "compile")["kernels"][0]
        self.assertLess(len(part["sources"]["cuda"]), len(whole["sources"]["cuda"]) / 4)
        [line] = part["sources"]["cuda"].splitlines()
        number, text = line.split(": ", 1)
        self.assertEqual(whole["sources"]["cuda"].splitlines()[int(number) - 1], text)
        mapped = self.fits(self.expect(0, "compile", path, "--source-map").json, "compile")["kernels"][0]
        self.assertIn(9, [m["range"]["start"]["line"] for m in mapped["source_map"]])

    def test_fields_and_summaries(self):
        path = self.file("copy.py", COPY.format(stride=36))
        made = self.expect(0, "compile", path, "--fields", "kernels.name,kernels.calls.variant").json
        self.assertEqual(made, {"kernels": [{"name": "copy", "calls": [{"variant": c["variant"]} for c in made["kernels"][0]["calls"]]}]})
        self.assertIn("the answer has no 'kernels.nam'; there is", self.expect(2, "compile", path, "--fields", "kernels.nam").errors)
        for command in (["compile", path], ["explain", path], ["run", path, "--on", "sim"],
                        ["view", path, "--html", self.path("a.html"), "--emit", "cuda"],
                        ["layout", "TileLayout(S[64, 64])"]):
            summary = self.expect(0, *command, "--summary")
            whole = self.expect(0, *command, "--json")
            self.assertLess(len(summary.out), 1200, command)
            self.assertLess(len(summary.out), len(whole.out))
            self.assertNotIn("\n ", summary.text)
            self.assertTrue(summary.json)

    def test_one_line_where_it_is_no_terminal(self):
        path = self.file("add.py", PLAIN)
        for command in (["check", path], ["explain", path], ["compile", path], ["entries", path], ["doctor"], ["run", path, "--on", "sim"]):
            text = self.run_it(*command, "--json").text
            self.assertEqual(text.count("\n"), 1, command)
            json.loads(text)

    def test_a_run_carries_its_diagnostics(self):
        path = self.file("bad.py", PLAIN.replace("T.float32", "T.floot32"))
        refused = self.fits(self.expect(1, "run", path, "--on", "sim", "--json").json, "run")
        [finding] = refused["diagnostics"]
        self.assertEqual((refused["status"], finding["code"], finding["range"]["start"]["line"]), ("errors", "TW2003", 9))


if __name__ == "__main__":
    main()
