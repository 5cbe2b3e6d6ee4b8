#!/usr/bin/env python3
"""explain_time_test.py TILEWRIGHT: `tilewright explain FILE --time`: counted instructions, waits and who they are for, the parts of the
model, and what it does not say. What the model is worth is in tests/gpu/timing."""
import os

from case import Case, main
from planted_test import HEAD, RING

CHAIN = HEAD + """@T.prim_func
def kernel(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    x: T.float32 = A[t]
    y: T.float32 = A[0]
    for i in T.serial({steps}):
        x = x * y + y
    B[t] = x
"""
AXPY = HEAD + """@T.prim_func
def kernel(X: T.Buffer(({n},), "float32"), Y: T.Buffer(({n},), "float32")):
    T.device_entry()
    cta = T.cta_id([{n} // 256])
    t = T.thread_id([256])
    Y[cta * 256 + t] = X[cta * 256 + t] * T.float32(2) + Y[cta * 256 + t]
"""
LATE = HEAD + """@T.prim_func
def kernel(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    x: T.float32 = A[t]
    if t < 32:
        for i in T.serial(1000):
            x = x * x
    T.cuda.cta_sync()
    B[t] = x
"""
SYMBOLIC = HEAD + """@T.prim_func
def kernel(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    T.device_entry()
    cta = T.cta_id([n // 128])
    t = T.thread_id([128])
    B[cta * 128 + t] = A[cta * 128 + t]
"""

GRID = HEAD + """@T.prim_func
def kernel(A: T.Buffer(({ctas}, 1024), "float32"), B: T.Buffer(({ctas}, 1024), "float32")):
    T.device_entry()
    cta = T.cta_id([{ctas}])
    t = T.thread_id([1024])
    B[cta, t] = A[cta, t]
"""


class Time(Case):
    def time(self, text, *options):
        answer = self.expect(0, "explain", self.file("k.py", text), "--time", "--json", *options).json
        self.fits(answer, "explain")
        (kernel,) = answer["time"]
        return kernel

    def line(self, kernel, text):
        (found,) = [line for line in kernel["lines"] if text in line["text"]]
        return found

    def test_instructions_are_counted_and_fused(self):
        line = self.line(self.time(CHAIN.format(steps=100)), "x = x * y + y")
        self.assertEqual((line["instructions"]["float"], line["fused"]), (2 * 100 * 32, 100 * 32))

    def test_a_chain_is_the_path(self):
        short, long = (self.time(CHAIN.format(steps=n)) for n in (1000, 2000))
        self.assertEqual(long["lines"][0]["text"].strip(), "x = x * y + y")
        # A product and sum every 4 cycles.
        self.assertAlmostEqual(long["path_cycles"] - short["path_cycles"], 4000, delta=100)
        self.assertEqual((long["bound"], long["time_is"]), ("path", "modelled"))
        self.assertLess(long["low_us"], long["us"])
        self.assertGreater(long["high_us"], long["us"])

    def test_what_a_grid_leaves_without_work(self):
        for ctas, words in ((16, "1 wave on 132 SMs, 116 of them without a CTA"), (264, "1 wave on 132 SMs"), (500, "2 waves on 132 SMs"),
                            (265, "2 waves on 132 SMs; the last one has 1 CTA where 264 fit")):
            script = self.file("g.py", GRID.format(ctas=ctas))
            self.assertRegex(self.expect(0, "explain", script, "--time").text, f"(?m)^  grid     .*; {words}$")

    def test_who_waits_for_whom_at_a_barrier(self):
        kernel = self.time(LATE)
        wait = kernel["waits"][0]
        self.assertEqual((wait["what"], wait["times"]), ("meeting", 1))
        self.assertIn("cta_sync", wait["at"]["text"])
        self.assertGreater(wait["cycles"], 3000)

    def test_a_ring_of_one_stage_starves(self):
        for rows in (8, 64):
            shallow, deep = (self.time(HEAD + RING.format(stages=n, rows=rows)) for n in (1, 8))
            (wait,) = [w for w in shallow["waits"] if "# starves" in w["at"]["text"] and w["what"] == "copy"]
            self.assertIn("# planted", wait["for"]["text"])
            self.assertEqual(len([c for c in wait["steps"] if c >= 1]), 16)
            self.assertIn("TW7004", [d["code"] for d in shallow["advice"]])
            self.assertNotIn("TW7004", [d["code"] for d in deep["advice"]])
            self.assertLess(deep["path_cycles"], 0.6 * shallow["path_cycles"])
            # The copy is the line that bounds it.
            self.assertIn("# planted", "".join(line["text"] for line in shallow["lines"][:2]))

    def test_rings_are_too_shallow_as_long_as_a_stage_more_helps(self):
        for rows in (8, 64):
            path = {}
            for stages in (2, 3, 4, 5):
                kernel = self.time(HEAD + RING.format(stages=stages, rows=rows))
                path[stages] = kernel["path_cycles"], "TW7004" in [d["code"] for d in kernel["advice"]]
            for stages in (2, 3, 4):
                # What one stage more would save, and what is said.
                saved = 1 - path[stages + 1][0] / path[stages][0]
                self.assertEqual(path[stages][1], saved > 0.15, (rows, path))

    def test_the_path_names_what_bounds_it(self):
        shallow = self.time(HEAD + RING.format(stages=1, rows=64))
        path = shallow["path"]
        self.assertIn("# planted", path["bounded_by"]["text"])
        self.assertEqual((path["what"], path["starved_steps"], path["share"]["from"]), ("copy", "0 to 15", "modelled"))
        self.assertIn("# starves", path["waited_for_at"]["text"])
        self.assertEqual((shallow["lines"][0]["primitive"], shallow["lines"][0]["variant"]), ("copy_async", "tma"))
        self.assertRegex(path["words"], r"the copy of line \d+ \(copy_async, tma\) is \d+ % of the path; line \d+ waits for it in steps 0 to 15")
        chain = self.time(CHAIN.format(steps=1000))["path"]
        self.assertEqual((chain["what"], chain["waited_for_at"], chain["bounded_by"]["text"].strip()), ("instructions", None, "x = x * y + y"))

    def test_occupancy_says_what_bounds_it_and_what_is_not_known(self):
        fits = self.time(HEAD + RING.format(stages=4, rows=64))["occupied"]
        # 4 stages of 64 rows of 128 bytes, and barriers.
        self.assertEqual((fits["threads"], fits["bound"]), (96, "shared memory"))
        self.assertGreater(fits["shared_bytes"], 4 * 64 * 128)
        self.assertEqual(fits["ctas_per_sm"], (228 << 10) // (fits["shared_bytes"] + 1024))
        self.assertEqual(fits["registers"], {"value": 0, "from": "not available"})

    def test_roofline_of_the_named_device(self):
        few = self.time(AXPY.format(n=1 << 16))["roofline"]
        # A product and a sum for each two elements read and one written.
        self.assertEqual(few["operations"], {"value": 2 << 16, "from": "counted"})
        self.assertEqual(few["bytes"], {"value": 12 << 16, "from": "counted"})
        self.assertAlmostEqual(few["operations_per_byte"]["value"], 1 / 6)
        self.assertEqual((few["bound"], few["bytes_of"], few["operations_of"]), ("bytes", "L2 cache", "floating numbers"))
        self.assertIn("H100", few["device"])
        self.assertEqual([few[k]["from"] for k in ("ridge", "roof_per_second", "reached_per_second")], ["measured", "measured", "modelled"])
        self.assertLess(few["reached_per_second"]["value"], few["roof_per_second"]["value"])
        self.assertEqual(self.time(AXPY.format(n=1 << 26))["roofline"]["bytes_of"], "device memory")

    def example(self, name, *options):
        script = os.path.join(os.path.dirname(__file__), "../../examples", name)
        return self.expect(0, "explain", script, "--time", "--json", "--arch", "sm_90a", *options).json["time"][0]

    def test_no_ring_is_called_shallow_where_stages_would_not_help(self):
        # The engine has as much to do as the path is long; and what a CTA passes on waits for what it got.
        for name in ("traced_ring.py", "st_async_ring.py"):
            self.assertEqual(self.example(name)["advice"], [], name)
        # A ring that cp.async fills is one.
        self.assertEqual([d["code"] for d in self.example("ldgsts_producer.py", "--entry", "by_parity")["advice"]], ["TW7004"])

    def test_stores_into_another_cta_are_no_copies_of_the_engine(self):
        kernel = self.example("st_async_ring.py")
        self.assertLess(kernel["path_cycles"], 20_000)

    def test_the_ridge_is_of_the_device(self):
        ridges = {self.example(name, "--entry", entry)["roofline"]["ridge"]["value"] for name, entry in
                  (("wgmma_gemm.py", "gemm(128, 128, 256)"), ("attention_hopper.py", "attention(1, 512, 64)"))}
        self.assertEqual(len(ridges), 1)

    def test_extents_are_given_or_asked_for(self):
        kernel = self.time(SYMBOLIC)
        self.assertEqual((kernel["time_is"], "--set n=N" in kernel["why"]), ("not available", True))
        few, many = (self.time(SYMBOLIC, "--set", f"n={n}") for n in (1 << 14, 1 << 26))
        self.assertEqual((few["ctas"], many["ctas"]), (128, 1 << 19))
        # Reads and writes 256 MB each, at no more than 3.35 TB/s.
        self.assertGreater(many["parts_us"]["device_dram"], 160)
        self.assertGreater(many["us"], 20 * few["us"])
        self.assertEqual(self.run_it("explain", self.file("k.py", SYMBOLIC), "--time", "--set", "n").status, 2)

    def test_other_architectures_are_not_measured(self):
        text = self.expect(0, "explain", self.file("k.py", CHAIN.format(steps=4).replace("sm_90a", "sm_100a")), "--time").text
        self.assertIn("not measured", text)
        self.assertNotIn("modelled", text)

    def test_text_says_where_numbers_come_from(self):
        text = self.expect(0, "explain", self.file("k.py", HEAD + RING.format(stages=1, rows=64)), "--time").text
        for words in ("modelled", "constants measured on NVIDIA H100", "counted; cycles are modelled", "registers are not available"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()
