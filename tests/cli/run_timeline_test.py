#!/usr/bin/env python3
"""run_timeline_test.py TILEWRIGHT: `tilewright run --on gpu --trace`, on a stand-in for the driver, whose kernels leave the marks that are given here."""
import json
import os
import re

from case import BINARY, Case, main

from support import schema
from support.language_server import Client
from support.trust import trust

PIPE = """\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


# tilewright: reference none
@T.prim_func
def kernel(A: T.Buffer((2, 64, 64), "float16"), B: T.Buffer((2, 64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    s = T.alloc_shared((64, 64), "float16")
    bars = T.alloc_shared((2,), "uint64")
    if t == 0:
        T.ptx.mbarrier.init(T.address_of(bars[0]), 128)
        T.ptx.mbarrier.init(T.address_of(bars[1]), 128)
    T.cuda.cta_sync()
    for i in T.serial(2):
        Tx.cta.copy(s[:, :], A[i, :, :])
        T.ptx.mbarrier.arrive(T.address_of(bars[i]))
        T.ptx.mbarrier.try_wait(T.address_of(bars[i]), 0)
        Tx.cta.copy(B[i, :, :], s[:, :])
        T.cuda.cta_sync()
"""
# Words of a warp's memory, and how many there are: 16 CTAs of 4 warps, as compiler/cuda/marks.h has it.
HEADER, EVENTS, MARKS, WARPS, CTAS = 8, 4096, 5, 4, 16
WORDS = HEADER + EVENTS + 2 * MARKS


class Timeline(Case):
    def setUp(self):
        super().setUp()
        self.fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(self.fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        self.script = self.file("k.py", PIPE)
        if self.run_it("compile", self.script, "--emit", "cubin", "--arch", "sm_90a", "-o", self.path("k.cubin")).status != 0:
            self.skipTest("no NVRTC here")

    def trace(self, words, *options, size=CTAS * WARPS * WORDS * 8):
        program = f"variable tilewright_marks {size}\n" + "".join(f"word tilewright_marks {at} {value}\n" for at, value in words)
        return self.run_it("run", self.script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, "--repeat", "1", "--trace", self.path("t.json"),
                           *options, env={"FAKE_CUDA_PROGRAM": self.file("program", program)})

    def warp(self, cta, warp, sm, timer, clock, end, marks, laps=()):
        """The memory of a warp that began at (timer, clock) and ended `end` nanoseconds later, at 2 clocks each. `laps`: after how many marks
        each filling ended."""
        base = (cta * WARPS + warp) * WORDS
        words = [(base, timer), (base + 1, clock), (base + 2, timer + end), (base + 3, clock + 2 * end),
                 (base + 4, sum(laps) << 32 | (laps[-1] if laps else 0) << 16 | len(marks) - sum(laps)),
                 (base + 5, cta << 32 | sm + 1)]
        begins = [sum(laps[:i]) for i in range(len(laps) + 1)]
        memory = {}
        for i, (word, at) in enumerate(marks):
            memory[i - max(b for b in begins if b <= i)] = word << 32 | (clock + 2 * at) % (1 << 32)
        return words + [(base + HEADER + i, value) for i, value in memory.items()]

    def read(self):
        with open(self.path("t.json"), encoding="utf-8") as f:
            return json.load(f)

    def spans(self, trace):
        """Of each track its stretches: name, begin and end in nanoseconds, line."""
        out, open_ = {}, {}
        for e in trace["traceEvents"]:
            key = e["pid"], e.get("tid")
            if e["ph"] == "B":
                open_[key] = e
            elif e["ph"] == "E":
                begin = open_.pop(key)
                line = int(re.search(r":(\d+)$", begin["args"]["line"])[1])
                out.setdefault(key, []).append((begin["name"], round(begin["ts"] * 1000), round(e["ts"] * 1000), line))
        return out

    def names(self, trace):
        return {(e["pid"], e.get("tid")): e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"}

    def test_marks_become_stretches_of_warps(self):
        # In the order of the text: sync, copy, wait, copy, sync; each begins with 2 * its place. The second copy ends the wait, too.
        words = self.warp(0, 1, 7, 1_000_000, 5_000_000_000, 1000, [
            (0, 10), (1, 40), (2, 50), (3, 150), (4 | 1 << 16, 200), (6 | 1 << 15, 300), (7, 900)])
        words += self.warp(0, 0, 7, 1_000_032, 4_999_999_990, 900, [(0, 20), (1, 45)])
        words += [(6, ~999_500 & (1 << 64) - 1), (7, 1_001_500)]  # of all CTAs
        r = self.trace(words, "--json")
        self.assertEqual(r.status, 0, r)
        self.fits(r.json, "run")
        trace = self.read()
        names, spans = self.names(trace), self.spans(trace)
        self.assertEqual(names[(0, None)], "CTA 0 on SM 7")
        self.assertEqual(names[(0, 1)], "warp 1: copy")
        self.assertEqual([s[0].split(" ->")[0] for s in spans[(0, 1)]], ["wait cta_sync", "copy", "wait bars[1]", "copy"], spans)
        self.assertEqual([s[3] for s in spans[(0, 1)]], [16, 18, 20, 21])
        first = spans[(0, 1)][0][1]
        self.assertEqual([(s[1] - first, s[2] - s[1]) for s in spans[(0, 1)]], [(0, 30), (40, 100), (190, 100), (290, 600)])
        # Warps of one SM stand beside each other by its clock, not by the coarser timer.
        self.assertEqual(first - spans[(0, 0)][0][1], 5 + 10 - 20)
        self.assertEqual(trace["otherData"], {"time": "measured on a GPU", "left_out": 0})
        told = r.json["timeline"]
        self.assertEqual((told["marks"], told["ctas"], told["left_out"]), (9, 1, 0))
        self.assertEqual(told["spanned_us"], 2)
        self.assertEqual((told["plain_us"], told["marked_us"]), (250, 250))

    def test_a_large_grid_has_the_kernel_twice(self):
        """With marks for the CTAs that record, and without for the others: it compiles, its shared memory is one, and its marks are read."""
        self.script = self.file("k.py", PIPE.replace("T.cta_id([1])", "T.cta_id([2048])"))
        r = self.trace(self.warp(3, 1, 7, 1_000_000, 5_000_000_000, 1000, [(0, 10), (1, 40), (2, 50), (3, 150)]), "--json")
        self.assertEqual(r.status, 0, r)
        self.assertEqual((r.json["timeline"]["marks"], r.json["timeline"]["ctas"]), (4, 1))
        self.assertEqual([s[3] for s in self.spans(self.read())[(3, 1)]], [16, 18])

    def test_a_kernel_that_faults_is_reported_without_a_timeline(self):
        r = self.run_it("run", self.script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, "--repeat", "1", "--trace", self.path("t.json"),
                        env={"FAKE_CUDA_PROGRAM": self.file("program", "fault 700\n")})
        self.assertEqual(r.status, 1, r)
        self.assertIn("t.json is not written: the run did not come to its end", r.errors)
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", r.text)
        self.assertFalse(os.path.exists(self.path("t.json")))

    def test_as_a_page(self):
        words = self.warp(0, 1, 7, 1_000_000, 5_000_000_000, 1000, [(0, 10), (1, 40), (2, 50), (3, 150)])
        program = f"variable tilewright_marks {CTAS * WARPS * WORDS * 8}\n" + "".join(f"word tilewright_marks {at} {value}\n" for at, value in words)
        r = self.run_it("run", self.script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, "--repeat", "1", "--trace", self.path("t.html"),
                        env={"FAKE_CUDA_PROGRAM": self.file("program", program)})
        self.assertEqual(r.status, 0, r)
        with open(self.path("t.html"), encoding="utf-8") as f:
            data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', f.read(), re.S)[1])
        self.assertEqual((data["timeline"]["unit"], len(data["timeline"]["spans"]), data["costs"]), ("ns", 2, None))
        self.assertIn("timeline", data["report"])

    def test_a_ring_keeps_the_last_marks(self):
        # Begun again after 4098 and after 4096 marks; 100 came then, and the last 3996 of the filling before are there.
        marks = [(2 + i % 2, 1 + i) for i in range(4098 + 4096 + 100)]
        r = self.trace(self.warp(0, 0, 0, 5, 100, len(marks) + 10, marks, laps=(4098, 4096)), "--json")
        self.assertEqual((r.json["timeline"]["left_out"], r.json["timeline"]["marks"]), (4198 // 2, 4096))
        spans = self.spans(self.read())[(0, 0)]
        self.assertEqual(len(spans), 4096 // 2)
        self.assertEqual([s[1] for s in spans], sorted(s[1] for s in spans))
        self.assertEqual((spans[0][1], spans[-1][2]), (4198 + 1, len(marks)))

    def test_counts_that_cannot_be_are_no_marks_beyond_their_memory(self):
        r = self.trace(self.warp(0, 0, 0, 5, 100, 50, [(2, 5), (3, 9)]) + [(4, (1 << 64) - 1)], "--json")
        self.assertEqual(r.status, 0, r)
        self.assertLessEqual(len(self.read()["traceEvents"]), 2 * (EVENTS + 2 * MARKS) + 10)

    def test_text_says_what_the_marks_cost(self):
        r = self.trace(self.warp(0, 0, 3, 10, 100, 50, [(2, 5), (3, 9)]))
        self.assertIn("timeline 2 marks of 1 CTA, measured in a build of its own: 250.00 us with marks, 250.00 us without (+0.0 %)", r.text)

    def test_a_mark_that_does_not_end_ends_with_its_warp(self):
        self.trace(self.warp(0, 0, 3, 10, 100, 50, [(2, 5), (999 << 1, 7)]))
        self.assertEqual([s[1:3] for s in self.spans(self.read())[(0, 0)]], [(5, 50)])

    def test_variables_of_another_size_are_no_marks(self):
        r = self.trace([], "--json", size=64)
        self.assertEqual(r.status, 2, r)
        self.assertIn("no timeline", r.errors)

    def test_editors_draw_it_in_nanoseconds(self):
        marks = [(2, 5), (3, 9), (4, 12), (5, 30)]
        words = self.warp(0, 0, 3, 10, 100, 50, marks) + self.warp(1, 2, 4, 10, 100, 50, marks)
        program = f"variable tilewright_marks {CTAS * WARPS * WORDS * 8}\n" + "".join(f"word tilewright_marks {at} {value}\n" for at, value in words)
        os.makedirs(self.path("driver"))
        os.symlink(self.fake, self.path("driver/libcuda.so.1"))
        client = Client(BINARY, environment=dict(os.environ, LD_LIBRARY_PATH=self.path("driver"), FAKE_CUDA_PROGRAM=self.file("program", program)))
        try:
            client.initialize(initializationOptions={"tilewright": {"toolchain": {"check": "off"}}})
            client.open("file://" + self.script, PIPE)
            asked = {"textDocument": {"uri": "file://" + self.script}, "entry": "kernel", "on": "gpu"}
            of = {}
            for events in (20000, 4):
                result = client.result("tilewright/run", {**asked, "timeline": events})
                self.assertEqual(schema.check(result, "lsp_run_result"), [])
                of[events] = result["timeline"]
        finally:
            client.close()
        self.assertEqual(of[20000]["unit"], "ns")
        self.assertEqual([p["name"] for p in of[20000]["processes"]], ["CTA 0 on SM 3", "CTA 1 on SM 4"])
        self.assertEqual([(s["begin"], s["end"], s["line"]) for s in of[20000]["spans"]], [(5, 9, 17), (5, 9, 17), (12, 30, 19), (12, 30, 19)])
        # The first CTA alone has room.
        self.assertEqual(([p["id"] for p in of[4]["processes"]], len(of[4]["spans"]), of[4]["left_out"]), ([0], 2, 2))

    def worker(self, on, *options):
        return f"exec:{BINARY} worker --stdio --on {on} --driver {self.fake} --nvml {self.fake} {' '.join(options)}"

    def test_a_worker_leaves_the_same_timeline(self):
        # More than one piece of 1 MiB comes back.
        words = self.warp(0, 1, 7, 1_000_000, 5_000_000_000, 1000, [(0, 10), (1, 40), (2, 50), (3, 150)]) + self.warp(15, 3, 9, 1_000_000, 7, 1000, [(2, 3), (3, 9)])
        here = self.trace(words, "--json")
        local = self.read()
        os.unlink(self.path("t.json"))
        environment = {"FAKE_CUDA_PROGRAM": self.path("program")}
        there = self.run_it("run", self.script, "--on", self.worker("gpu"), "--repeat", "1", "--trace", self.path("t.json"), "--json", env=environment)
        self.assertEqual(there.status, 0, there)
        self.assertEqual(self.fits(there.json, "run")["timeline"], here.json["timeline"])
        self.assertEqual(self.read(), local)
        # Of a pool: the worker that runs it.
        trust(BINARY, self.file("tilewright.toml", f'[remotes.one]\nat = "{self.worker("gpu")}"\n[pools]\nlab = ["one"]\n'))
        pool = self.run_it("run", self.script, "--on", "lab", "--repeat", "1", "--trace", self.path("p.json"), env=environment)
        self.assertEqual(pool.status, 0, pool)
        with open(self.path("p.json"), encoding="utf-8") as f:
            self.assertEqual(json.load(f), local)

    def test_a_worker_that_simulates_has_no_timeline(self):
        for what in (["--trace", self.path("t.json")], ["--profile"]):
            r = self.run_it("run", self.script, "--on", self.worker("sim"), *what)
            self.assertEqual(r.status, 2, r)
            self.assertIn("its worker simulates", r.errors)

    def test_other_results_are_of_the_kernel_without_marks(self):
        log = self.path("log")
        r = self.run_it("run", self.script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, "--repeat", "1", "--json",
                        env={"FAKE_CUDA_PROGRAM": self.file("program", "poke 1 0 0\n"), "FAKE_CUDA_LOG": log})
        self.assertNotIn("timeline", r.json)


if __name__ == "__main__":
    main()
