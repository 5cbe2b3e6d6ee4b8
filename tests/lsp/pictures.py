#!/usr/bin/env python3
"""What editors draw: layouts under the cursor, the pipeline of a kernel, links of a whole view, timelines of runs.

    pictures.py SERVER [PATTERN]
"""
import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support import schema  # noqa: E402
from support.language_server import Client  # noqa: E402

SERVER = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "tilewright"
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
# A layout in shared memory whose rows meet in the same banks, one that a swizzle fixes, and a fragment over lanes.
BANKS = os.path.join(HERE, "features", "banks.py")


class Session(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None
        self.client = Client(SERVER)
        self.client.initialize(initializationOptions={"tilewright": {"dialect": "0.25", "toolchain": {"check": "off"}}})

    def tearDown(self):
        self.client.close()

    def open(self, path, text=None):
        if text is None:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        self.uri, self.lines = "file://" + os.path.realpath(path), text.split("\n")
        self.client.open(self.uri, text)

    def change(self, version, text):
        self.lines = text.split("\n")
        self.client.change(self.uri, version, text)

    def ask(self, name, **params):
        params = {"textDocument": {"uri": self.uri}, **params}
        self.assertEqual(schema.check(params, f"lsp_{name}_params"), [])
        result = self.client.result("tilewright/" + name, params)
        self.assertEqual(schema.check(result, f"lsp_{name}_result"), [])
        return result

    def layout(self, needle, word=None, **more):
        """At the first letter of `word` in the first line that holds `needle`."""
        line = next(i for i, text in enumerate(self.lines) if needle in text)
        return self.ask("layout", position={"line": line, "character": self.lines[line].index(word or needle)}, **more)

    def place(self, location):
        self.assertEqual(location["uri"], self.uri)
        return self.lines[location["range"]["start"]["line"]].strip()


class Layouts(Session):
    def test_buffers_with_the_conflicts_of_their_accesses(self):
        self.open(BANKS)
        plain = self.layout("tile = T.alloc_buffer", rows=2, columns=4)
        self.assertEqual((plain["name"], plain["kind"], plain["layout"], plain["dtype"], plain["scope"], plain["bytes"]),
                         ("tile", "buffer", "S[(16,64):(64,1)]", "float16", "shared", 2048))
        self.assertEqual(plain["shard"], [{"extent": 16, "stride": 64, "axis": "m"}, {"extent": 64, "stride": 1, "axis": "m"}])
        self.assertEqual((plain["entry"], plain["version"], plain["swizzle"]), ("plain", 1, None))
        grid = plain["grid"]
        self.assertEqual((grid["rows"], grid["columns"], grid["shown_rows"], grid["shown_columns"]), (16, 64, 2, 4))
        self.assertEqual(grid["left_out"], "showing 2 of 16 rows, 4 of 64 columns")
        self.assertEqual((grid["coloured_by"], grid["address"], grid["bank"]),
                         ("bank", [0, 1, 2, 3, 64, 65, 66, 67], [0, 0, 1, 1, 0, 0, 1, 1]))
        self.assertNotIn("thread", grid)
        (access,) = plain["accesses"]
        self.assertEqual((access["call"], access["degree"], access["reads"], access["writes"]),
                         ("copy → ldstmatrix", 8, True, False))
        self.assertTrue(self.place(access["location"]).startswith("Tx.warp.copy(fragment"))
        worst = access["worst"]
        self.assertEqual((worst["bits"], worst["wavefronts"], worst["ideal"], len(worst["phases"])), (128, 32, 4, 4))
        self.assertEqual(worst["phases"][0]["words"][:5], [8, 8, 8, 8, 0])
        self.assertEqual(worst["address"][:3], [0, 128, 256])  # a row of 64 elements each
        self.assertIn("8-way bank conflict: 32 wavefronts, 4 without", plain["text"])
        line = next(i for i, text in enumerate(self.lines) if "def swizzled" in text)
        at = next(i for i, text in enumerate(self.lines) if i > line and "tile = " in text)
        mended = self.ask("layout", position={"line": at, "character": 5})
        self.assertEqual(mended["swizzle"], {"per_element": 3, "swizzle_len": 3, "atom_len": 3, "inner": True})
        self.assertEqual([a["degree"] for a in mended["accesses"]], [1])
        self.assertIn("no bank conflict", mended["text"])

    def test_owners(self):
        self.open(BANKS)
        fragment = self.layout("fragment = T.alloc_buffer", svg=True)
        grid = fragment["grid"]
        self.assertEqual(grid["coloured_by"], "thread")
        # Two neighbours belong to a lane, the next row to the lane four further.
        self.assertEqual([grid["thread"][i] for i in (0, 1, 2, 16)], [0, 0, 1, 4])
        self.assertEqual([grid["address"][i] for i in (0, 1, 8, 128)], [0, 1, 2, 4])
        self.assertEqual([grid["label"][i] for i in (0, 17)], ["T0:r0", "T4:r1"])
        self.assertEqual(fragment["owners"], [0])
        self.assertTrue(fragment["svg"].startswith("<svg"))
        self.assertEqual(fragment["accesses"][0]["why"], "banks are those of shared memory")
        text = "\n".join(self.lines).replace(
            "\n\n\n", "\n\nHELD = TileLayout(S[(8, 2) : (1 @ laneid, 1)] + R[4 : 8 @ laneid])\n\n\n", 1)
        self.change(2, text.replace("import ComposeLayout, S", "import ComposeLayout, R, S"))
        held = self.layout("HELD = ")
        self.assertEqual((held["kind"], held["owners"], held["version"]), ("layout", [0, 8, 16, 24], 2))
        self.assertEqual(held["replica"], [{"extent": 4, "stride": 8, "axis": "laneid"}])
        self.assertIn("held also by 3 other threads", held["text"])

    def test_regions_layouts_and_what_has_none(self):
        self.open(BANKS)
        call = "Tx.warp.copy(fragment"
        region = self.layout(call, "0:16")
        self.assertEqual((region["kind"], region["name"]), ("region", "tile"))
        self.assertEqual(region["region"], [{"begin": 0, "extent": 16}, {"begin": 0, "extent": 16}])
        self.assertEqual(self.layout("SWIZZLED = ")["layout"], "Z(3,3,3) o S[(16,64):(64,1)]")
        for needle, word in (("# What an access", "What"), ("T.warp_id", "T.warp_id"), ("lane = ", "lane"), ("def plain", "plain")):
            self.assertIsNone(self.layout(needle, word), needle)
        # Colours that it cannot have are no crash: why not is said.
        self.assertIn("no thread owns an element", self.layout("tile = T.alloc", by="thread")["grid_problem"])

    def test_large_and_symbolic_ones_stay_small(self):
        with open(BANKS, encoding="utf-8") as f:
            text = f.read()
        self.open(BANKS, text + '\n\n@T.prim_func\ndef large(A_ptr: T.handle, n: T.int32):\n'
                  '    big = T.match_buffer(A_ptr, (65536, 65536), "float16")\n'
                  '    T.device_entry()\n    T.cta_id([1])\n    T.thread_id([32])\n    big[0, 0] = T.float16(0)\n')
        large = self.layout("big = T.match", rows=100000, columns=100000)
        self.assertEqual((large["grid"]["shown_rows"], large["grid"]["shown_columns"], large["grid"]["rows"]), (256, 256, 65536))
        self.assertLess(len(json.dumps(large)), 4_000_000)
        self.change(2, "\n".join(self.lines).replace("(65536, 65536)", "(n, 16)"))
        symbolic = self.layout("big = T.match")
        self.assertEqual((symbolic["grid"], symbolic["shape"]), (None, ["n", 16]))
        self.assertIn("a picture needs a shape of numbers", symbolic["grid_problem"])

    def test_what_comes_back_by_an_edit(self):
        self.open(BANKS)
        text = "\n".join(self.lines)
        before = self.layout("tile = T.alloc_buffer")
        self.change(2, text.replace("fragment[:, :], tile", "fragment[:, :], tlie"))
        self.change(3, text)
        again = self.layout("tile = T.alloc_buffer")
        self.assertEqual(again["version"], 3)
        self.assertEqual({**again, "version": 1}, before)

    def test_half_typed(self):
        self.open(BANKS)
        whole = "\n".join(self.lines)
        line = next(i for i, text in enumerate(self.lines) if "Tx.warp.copy(fragment" in text)
        for i, end in enumerate(range(4, len(self.lines[line]), 3)):
            lines = whole.split("\n")
            lines[line] = lines[line][:end]
            self.change(i + 2, "\n".join(lines))
            self.ask("layout", position={"line": line, "character": end})
            self.assertEqual(self.layout("tile = T.alloc_buffer")["layout"], "S[(16,64):(64,1)]", end)


class Pipelines(Session):
    def test_who_fills_and_who_drains(self):
        self.open(os.path.join(EXAMPLES, "tma_pipeline.py"))
        p = self.ask("pipeline")
        self.assertEqual((p["entry"], p["kernel"], p["architecture"], p["version"]), ("column_sums", "column_sums", "sm_90a", 1))
        tiles = next(b for b in p["buffers"] if b["name"] == "tiles")
        self.assertEqual((tiles["scope"], tiles["shape"], tiles["bytes"]), ("shared.dyn", "(3, 32, 128)", 49152))
        (fill,), (drain,) = tiles["fills"], tiles["drains"]
        self.assertEqual((fill["what"], fill["kind"], fill["who"], fill["bytes"], fill["barrier"]),
                         ("copy_async → tma", "fill", "one elected thread", 16384, "pipe.full"))
        self.assertEqual(fill["under"], ["if warp == 4", "if T.ptx.elect_sync()", "for step in range(8)"])
        self.assertEqual(self.place(fill["location"]), "Tx.copy_async(")
        self.assertEqual((drain["what"], drain["kind"]), ("element by element", "drain"))
        full, empty = p["barriers"]
        self.assertEqual((full["name"], full["count"], full["arrivals"]), ("pipe.full", 3, "1"))
        self.assertEqual([(u["kind"], u["what"]) for u in full["uses"]],
                         [("init", "initialised for 1 arrivals a phase"), ("arrive", "arrivals that expect 16,384 bytes"),
                          ("complete", "completed by copy_async → tma"), ("wait", "waits for parity use.phase")])
        self.assertEqual((empty["name"], empty["arrivals"]), ("pipe.empty", "4"))
        self.assertEqual([u["kind"] for u in empty["uses"]], ["init", "wait", "arrive"])
        self.assertEqual(self.place(empty["uses"][2]["location"]), "pipe.empty.arrive(use.stage)")
        self.assertIn("cuda.cta_sync", [s["what"] for s in p["syncs"]])
        self.assertIn("  waits       waits for parity use.phase  [line 47]\n", p["text"])

    def test_every_example_has_one(self):
        for name in sorted(os.listdir(EXAMPLES)):
            if not name.endswith(".py"):
                continue
            with self.subTest(name):
                self.open(os.path.join(EXAMPLES, name))
                for entry in self.ask("entries"):
                    p = self.ask("pipeline", entry=entry["entry"], architecture=entry["architecture"])
                    # What is written or read is there, and each use stands somewhere.
                    self.assertTrue(p["buffers"], entry)
                    uses = [u for b in p["buffers"] for u in b["fills"] + b["drains"]] + [u for b in p["barriers"] for u in b["uses"]]
                    self.assertTrue(uses)
                    self.assertEqual([u for u in uses if u["location"] is None], [])

    def test_refusals(self):
        self.open(os.path.join(EXAMPLES, "tma_pipeline.py"))
        params = {"textDocument": {"uri": self.uri}, "entry": "unknown"}
        self.assertEqual(self.client.error("tilewright/pipeline", params), -32803)
        self.change(2, "x = 1\n")
        self.assertEqual(self.client.error("tilewright/pipeline", {"textDocument": {"uri": self.uri}}), -32803)


class Links(Session):
    def test_a_whole_view_at_once(self):
        self.open(os.path.join(EXAMPLES, "tma_pipeline.py"))
        for kind in ("tirx", "lowered", "cuda"):
            view = self.ask("view", kind=kind, map=True)
            self.assertEqual(view["version"], 1)
            text = view["text"].split("\n")
            kernel = view["kernel"]
            self.assertTrue(self.lines[kernel["start"]].startswith("@T.prim_func"), self.lines[kernel["start"]])
            self.assertEqual(self.lines[kernel["end"] - 1].strip(), "use.advance()")
            starts = [m["lines"]["start"] for m in view["map"]]
            self.assertEqual(starts, sorted(starts))
            # Each link says what `tilewright/mapping` says of its first line: the innermost place of this script.
            for link in view["map"]:
                self.assertLess(link["lines"]["start"], len(text))
                found = self.client.result("tilewright/mapping", {"uri": view["uri"], "line": link["lines"]["start"]})
                self.assertEqual(found["version"], 1)
                lines = [at["range"]["start"]["line"] for at in found["locations"] if at["uri"] == self.uri]
                self.assertIn(link["source"]["start"], lines)
            stores = [m for m in view["map"] if any("B" in t and "total" in t and "=" in t for t in text[m["lines"]["start"]:m["lines"]["end"]])]
            self.assertIn("B[step, tid] = total", [self.lines[m["source"]["start"]].strip() for m in stores], kind)

    def test_versions_follow_edits(self):
        self.open(os.path.join(EXAMPLES, "tma_pipeline.py"))
        uri = self.ask("view", kind="cuda")["uri"]
        text = "\n".join(self.lines)
        for version in range(2, 6):
            self.change(version, text.replace("STEPS, ROWS, COLS = 3, 8, 32, 128", f"STEPS, ROWS, COLS = 3, {version}, 32, 128"))
            view = self.client.result("tilewright/view", {"uri": uri, "map": True})
            self.assertEqual(view["version"], version)
            self.assertIn(f"< {version}; ++step", view["text"])
        with_file = Client(SERVER)
        try:
            with_file.initialize()
            self.assertIsNone(with_file.result("tilewright/view", {"uri": uri})["version"])  # read from the file
        finally:
            with_file.close()


class Timelines(Session):
    def run_it(self, **more):
        return self.ask("run", entry="column_sums", on="sim", **more)

    def test_copies_barriers_and_warps(self):
        self.open(os.path.join(EXAMPLES, "tma_pipeline.py"))
        self.assertIsNone(self.run_it()["timeline"])
        result = self.run_it(timeline=20000)
        self.assertEqual((result["status"], result["report"]["verdict"]), (0, "unverified"))
        timeline = result["timeline"]
        self.assertEqual(timeline["unit"], "step")
        self.assertEqual(timeline["processes"], [{"id": 0, "name": "CTA (0, 0, 0)"}])
        names = {t["id"]: t["name"] for t in timeline["tracks"]}
        self.assertEqual([names[i] for i in range(5)], [f"warp {i}" for i in range(5)])
        copies = [s for s in timeline["spans"] if s["name"] == "copy that a barrier counts"]
        self.assertEqual(len(copies), 8)  # one a step
        self.assertEqual({self.lines[s["line"]].strip() for s in copies}, {"Tx.copy_async("})
        waits = [s for s in timeline["spans"] if s["track"] == 0 and "mbarrier" in s["name"]]
        self.assertTrue(waits)
        for s in timeline["spans"]:
            self.assertLessEqual(s["begin"], s["end"])
        # Copies let warps go on: each arrow leads from an operation to a warp.
        self.assertTrue(timeline["arrows"])
        for a in timeline["arrows"]:
            self.assertGreaterEqual(a["from"]["track"], 1000)
            self.assertLess(a["to"]["track"], 5)
        self.assertEqual(timeline["left_out"], 0)

    def test_no_room(self):
        self.open(os.path.join(EXAMPLES, "tma_pipeline.py"))
        timeline = self.run_it(timeline=10)["timeline"]
        self.assertLessEqual(len(timeline["spans"]), 10)
        self.assertGreater(timeline["left_out"], 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + (["-k", sys.argv[1]] if len(sys.argv) > 1 else []))
