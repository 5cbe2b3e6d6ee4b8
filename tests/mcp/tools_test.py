#!/usr/bin/env python3
"""tools_test.py TILEWRIGHT: what each tool answers, over a script of the workspace and over the examples."""
import os

from case import COPY, ROOT, Case, main

WRONG = COPY.replace("Tx.cta.copy(tile[:, :], A[:, :])", "Tx.cta.copy(tile[:, :], A[:, 0:32])")
# Rows are read by other threads than those that wrote them.
NO_BARRIER = COPY.replace("    T.cuda.cta_sync()\n", "").replace("    T.thread_id", "    tx = T.thread_id").replace(
    "    Tx.cta.copy(B[:, :], tile[:, :])\n",
    "    for i in T.serial(32):\n        B[i * 2 + tx // 64, tx % 64] = tile[63 - i * 2 - tx // 64, tx % 64]\n")

# Rows of shared memory that are 129 elements apart.
NARROW = """\
# tilewright: dialect 0.25
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def copy(A: T.Buffer((64, 128), "float16"), B: T.Buffer((64, 128), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    tile = T.alloc_shared((64, 129), "float16", align=16)
    Tx.cta.copy(tile[:, 0:128], A[:, :])
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], tile[:, 0:128])
"""


class Tools(Case):
    def test_check(self):
        answer = self.client.answer_of("check", {"path": "copy.py"})
        self.assertEqual((answer["errors"], answer["warnings"], answer["kernels"]), (0, 0, 1))
        self.assertEqual(answer["not_checked"], "synchronisation")
        self.assertEqual(answer["next"]["tool"], "simulate")
        self.write("wrong.py", WRONG)
        answer = self.client.answer_of("check", {"path": "wrong.py"})
        self.assertGreaterEqual(answer["errors"], 1)
        [first, *_] = answer["findings"]
        self.assertEqual((first["severity"], first["line"]), ("error", 13))
        self.assertIn("findings", answer["quotes"])
        text = self.client.call("check", {"path": "wrong.py"})["content"][0]["text"]
        self.assertIn("\n| error " + first["code"], text)

    def test_a_hint_that_says_what_to_write_leads_to_fix(self):
        self.write("habit.py", COPY.replace("T.cuda.cta_sync()", "T.syncthreads()"))
        next_step = self.client.answer_of("check", {"path": "habit.py"})["next"]
        self.assertEqual((next_step["tool"], next_step["arguments"]), ("fix", {"path": "habit.py"}))
        self.assertEqual(self.client.answer_of("fix", next_step["arguments"])["errors_after"], 0)

    def test_errors_come_first(self):
        self.write("many.py", COPY + "\n\nunused = [\n" + "    undefined_name,\n" * 3 + "]\n")
        severities = [f["severity"] for f in self.client.answer_of("check", {"path": "many.py"})["findings"]]
        self.assertEqual(severities, sorted(severities, key=["error", "warning", "information", "hint"].index))

    def test_explain(self):
        answer = self.client.answer_of("explain", {"path": "copy.py"})
        self.assertEqual([(c["line"], c["primitive"], c["variant"]) for c in answer["calls"]],
                         [(13, "copy", "gmem_smem"), (15, "copy", "gmem_smem")])
        [call] = self.client.answer_of("explain", {"path": "copy.py", "line": 13})["calls"]
        self.assertEqual(call["facts"]["vec_bits"], 128)
        self.assertEqual(call["width"], "16 bytes, the widest access")
        self.assertIn("float16 shared", call["operands"]["dst"])
        self.assertIn("fallback", [other["variant"] for other in call["others"]])
        none = self.client.call("explain", {"path": "copy.py", "line": 3})
        self.assertIn("there are some on lines 13, 15", none["content"][0]["text"])
        self.assertIn("TW3104", self.client.answer_of("explain", {"code": "TW3104"})["code"])
        self.assertIn("no diagnostic", self.client.refusal("explain", {"code": "TW9999"}))
        self.assertIn("give path", self.client.refusal("explain"))

    def test_why_not(self):
        answer = self.client.answer_of("why_not", {"path": "copy.py", "line": 13, "variant": "fallback"})
        self.assertEqual(answer["served_by"], "gmem_smem")
        self.assertIn("priority", answer["reasons"][0]["reason"])
        self.assertIn("it has", self.client.refusal("why_not", {"path": "copy.py", "line": 13, "variant": "none"}))
        self.assertIn("no tile primitive", self.client.refusal("why_not", {"path": "copy.py", "line": 1}))

    def test_fix(self):
        misspelt = COPY.replace("T.alloc_shared", "T.alloc_shred")
        path = self.write("misspelt.py", misspelt)
        shown = self.client.answer_of("fix", {"path": "misspelt.py"})
        self.assertEqual((shown["fixes"], shown["written"], shown["errors_after"]), (1, False, 0))
        self.assertIn("+    tile = T.alloc_shared(", shown["diff"])
        self.assertEqual(shown["next"]["arguments"], {"path": "misspelt.py", "apply": True})
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), misspelt)
        self.assertTrue(self.client.answer_of("fix", shown["next"]["arguments"])["written"])
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), COPY)
        self.assertEqual(self.client.answer_of("fix", {"path": "misspelt.py"})["fixes"], 0)
        self.assertIn("no diagnostic", self.client.refusal("fix", {"path": "copy.py", "codes": ["TW9"]}))

    def test_simulate(self):
        self.assertEqual(self.client.answer_of("simulate", {"path": "copy.py"})["verdict"], "clean")
        self.write("race.py", NO_BARRIER)
        answer = self.client.answer_of("simulate", {"path": "race.py"})
        self.assertEqual(answer["verdict"], "findings")
        self.assertEqual(answer["findings"][0]["code"], "TW5020")
        self.assertEqual(answer["next"]["tool"], "fix")

    def test_run(self):
        answer = self.client.answer_of("run", {"path": "example:vector_add"})
        self.assertEqual((answer["verdict"], answer["on"]), ("verified", "sim"))
        answer = self.client.answer_of("run", {"path": "copy.py"})
        self.assertEqual((answer["verdict"], answer["next"]["tool"]), ("unverified", "docs"))
        # A reference in Python is executed on a command line alone.
        self.write("python.py", COPY.replace("@T.prim_func", "# tilewright: reference python:plain\n@T.prim_func")
                   + "\n\ndef plain(A):\n    return {'B': A}\n")
        answer = self.client.answer_of("run", {"path": "python.py"})
        self.assertEqual((answer["verdict"], answer["next"]["tool"]), ("unverified", "simulate"))
        self.assertIn("`tilewright run python.py`", answer["next"]["why"])
        self.write("wrong.py", WRONG)
        self.assertIn("call check", self.client.refusal("run", {"path": "wrong.py"}))
        self.assertIn("none", self.client.refusal("run", {"path": "copy.py", "entry": "none()"}))
        self.assertIn("one of sim, gpu", self.client.refusal("run", {"path": "copy.py", "on": "ssh:elsewhere"}))

    def test_watch(self):
        answer = self.client.answer_of("watch", {"path": "copy.py", "watch": ["tile[0, 0:2]@15"]})
        self.assertIn("tile[0, 0:2]", answer["seen"])
        self.assertIn("watch is missing", self.client.refusal("watch", {"path": "copy.py"}))
        self.assertIn("@", self.client.refusal("watch", {"path": "copy.py", "watch": ["tile"]}))

    def test_layout(self):
        answer = self.client.answer_of("layout", {"expression": "TileLayout(S[8, 8])"})
        self.assertEqual((answer["shape"], answer["size"]), ("(8, 8)", "64"))
        self.assertIn("63", answer["table"])
        rows = self.client.answer_of("layout", {"expression": "TileLayout(S[32, 64])", "access": ["lane -> (lane, 0)"], "bits": 32})
        self.assertEqual(rows["accesses"], [{"wavefronts": 32, "ideal": 1, "degree": 32}])
        self.assertEqual(rows["next"]["tool"], "find_layout")
        buffer = self.client.answer_of("layout", {"path": "copy.py", "line": 12, "name": "tile"})
        self.assertEqual((buffer["dtype"], buffer["scope"], buffer["worst_degree"]), ("float16", "shared", 1))
        for wrong, words in (({"expression": "1 +"}, ""), ({"expression": "3"}, "no layout"), ({}, "give an expression"),
                             ({"path": "copy.py", "line": 12, "name": "none"}, "has no name"),
                             ({"expression": "TileLayout(S[8, 8])", "access": ["lane"]}, "->"),
                             ({"expression": "TileLayout(S[8, 8])", "access": ["lane -> (99, 0)"]}, "outside"),
                             ({"expression": "TileLayout(S[8, 8])", "dtype": "thing"}, "element type")):
            self.assertIn(words, self.client.refusal("layout", wrong))

    def test_find_layout(self):
        answer = self.client.answer_of("find_layout", {"shape": "32,32", "dtype": "float32",
                                                       "access": ["lane -> (lane, 0)", "lane -> (0, lane)"]})
        self.assertTrue(answer["free_of_conflicts"])
        self.assertEqual(answer["layouts"][0]["degree"], 1)
        best = self.client.answer_of(answer["next"]["tool"], answer["next"]["arguments"])
        self.assertEqual([a["degree"] for a in best["accesses"]], [1, 1])
        self.assertIn("two dimensions", self.client.refusal("find_layout", {"shape": "32", "access": ["lane -> lane"]}))

    def test_lower(self):
        whole = self.client.all_pages("lower", {"path": "copy.py", "to": "cuda"}, "text")
        self.assertIn("__global__", whole)
        part = self.client.answer_of("lower", {"path": "copy.py", "to": "cuda", "lines": "13"})
        self.assertIn("copy", part["text"])
        self.assertLess(len(part["text"]), len(whole))
        for line in part["text"].splitlines():
            self.assertIn(line, whole)
        self.assertIn("def copy", self.client.answer_of("lower", {"path": "copy.py", "to": "tirx"})["text"])
        self.assertIn("20:30", self.client.refusal("lower", {"path": "copy.py", "lines": "x"}))
        self.assertIn("it has copy for sm_90a", self.client.refusal("lower", {"path": "copy.py", "arch": "sm_80"}))

    def test_pipeline(self):
        answer = self.client.answer_of("pipeline", {"path": "copy.py"})
        self.assertIn("buffer tile", answer["pipeline"])
        self.assertEqual(answer["buffers"], 3)

    def test_profile(self):
        answer = self.client.answer_of("profile", {"path": "copy.py", "arch": "sm_90a"})
        self.assertEqual((answer["time_is"], answer["arch"]), ("modelled", "sm_90a"))
        self.assertLess(answer["low_us"], answer["us"])
        for words in ("occupancy", "of the path", "global sectors"):
            self.assertIn(words, answer["report"])
        other = self.client.answer_of("profile", {"path": "copy.py", "arch": "sm_80"})
        self.assertEqual((other["time_is"], other["next"]["tool"], other["next"]["arguments"]["arch"]), ("not available", "profile", "sm_90a"))
        self.assertNotIn("us", other)
        # What it says next can be asked, of a script that names another architecture, too.
        again = self.client.answer_of("profile", other["next"]["arguments"])
        self.assertEqual((again["time_is"], again["arch"]), ("modelled", "sm_90a"))
        # The rows of its tile are too far apart for wide accesses.
        self.write("narrow.py", NARROW)
        answer = self.client.answer_of("profile", {"path": "narrow.py", "arch": "sm_90a"})
        report = answer["report"] + self.client.answer_of("profile", {"path": "narrow.py", "arch": "sm_90a", "cursor": answer["cursor"]})["report"]
        self.assertIn("the copy moves 2 bytes: the rows of tile are 129 elements apart", report)
        self.assertIn("'n' is none", self.client.refusal("profile", {"path": "copy.py", "set": ["n"]}))

    def test_compare(self):
        self.write("other.py", COPY.replace("(64, 64)", "(32, 64)"))
        answer = self.client.answer_of("compare", {"path": "copy.py", "with": "other.py"})
        numbers = {n["what"]: (n["left"], n["right"]) for n in answer["numbers"]}
        self.assertEqual(numbers["shared bytes"], (8192, 4096))
        self.assertEqual(numbers["threads"], (128, 128))
        diff = self.client.answer_of("compare", {"path": "copy.py", "with": "other.py", "diff": "tirx"})["diff"]
        self.assertTrue(any(d["line"].startswith("-") for d in diff))

    def test_entries_and_scripts(self):
        [entry] = self.client.answer_of("entries", {"path": "copy.py"})["entries"]
        self.assertEqual((entry["entry"], entry["arch"], entry["failed"]), ("copy", "sm_90a", False))
        self.write("below/plain.py", "x = 1\n")
        self.write("below/more.py", COPY)
        answer = self.client.answer_of("scripts")
        self.assertEqual(answer["scripts"], ["below/more.py", "copy.py"])
        self.assertEqual(self.client.answer_of("scripts", {"folder": "below"})["scripts"], ["below/more.py"])
        self.assertIn("no ..", self.client.refusal("scripts", {"folder": ".."}))

    def test_lookup(self):
        for name, here in (("copy_async", "Starts copying"), ("T.ptx.mbarrier.init", "mbarrier"), ("TileLayout", ""),
                           ("TW3104", ""), ("__syncthreads", "T.cuda.cta_sync"), ("tl.dot", "Tx.warp.gemm"), ("fp16", "float16"),
                           ("atomicAdd", "T.cuda.atomic_add"), ("ClusterTransactionBarrier", "T.TMABar"), ("shfl_xor_sync", "shfl_xor_sync"),
                           ("T.Pipelined", "ring of stages"), ("axis=", "axes="), ("relu", "Tx.maximum"), (".to()", "Tx.cast")):
            with self.subTest(name):
                meanings = self.client.answer_of("lookup", {"name": name})["meanings"]
                self.assertTrue(meanings)
                self.assertIn(here, " ".join(m["words"] + m["name"] for m in meanings))
        self.assertEqual(self.client.answer_of("lookup", {"name": "no_such_thing_at_all"})["meanings"], [])
        self.assertIn("no release", self.client.refusal("lookup", {"name": "copy", "dialect": "9"}))

    def test_docs(self):
        topics = [t["topic"] for t in self.client.answer_of("docs")["topics"]]
        self.assertIn("checking", topics)
        page = self.client.answer_of("docs", {"topic": "checking"})
        self.assertIn("# Checking", page["text"])
        section = self.client.answer_of("docs", {"topic": "patterns", "section": "in registers"})
        self.assertIn("## In registers", section["text"])
        found = self.client.answer_of("docs", {"search": "bank conflict"})["topics"]
        self.assertIn("layouts", [t["topic"] for t in found])
        # The name of an example, and whole words before parts of longer ones (wgmma_gemm).
        self.assertEqual(self.client.answer_of("docs", {"topic": "mma_gemm"})["topic"], "example:mma_gemm")
        first, second = self.client.answer_of("docs", {"search": "mma_gemm"})["topics"][:2]
        self.assertEqual((first["topic"], second["topic"]), ("example:mma_gemm", "patterns"))
        self.assertIn("no topic", self.client.refusal("docs", {"topic": "none"}))
        self.assertIn("no section", self.client.refusal("docs", {"topic": "checking", "section": "none"}))
        whole = self.client.all_pages("docs", {"topic": "example:vector_add"}, "text")
        with open(os.path.join(ROOT, "examples", "vector_add.py"), encoding="utf-8") as f:
            self.assertEqual(whole, f.read() + "# tilewright: dialect 0.25\n")

    def test_run_says_where_the_time_goes(self):
        self.assertNotIn("counted by", self.client.answer_of("run", {"path": "copy.py"})["report"])
        self.assertIn("profile  counted by the simulator", self.client.answer_of("run", {"path": "copy.py", "profile": True})["report"])


if __name__ == "__main__":
    main()
