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

# Four elements of a lane follow each other in shared memory.
QUADS = HEAD + """@T.prim_func
def kernel(A: T.Buffer((1024,), "float32"), B: T.Buffer((256,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([256])
    tile = T.alloc_shared((1024,), "float32", align=16)
    total: T.float32 = T.float32(0)
    for i in T.unroll(4):
        tile[i * 256 + t] = A[i * 256 + t]
    T.cuda.cta_sync()
    for i in T.unroll(4):
        total = total + tile[t * 4 + i]
    B[t] = total
"""
ARMS = HEAD + """@T.prim_func
def kernel(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([256])
    x: T.float32 = A[t]
    if {condition}:  # arms
        for i in T.serial(64):
            x = x * T.float32(0.5) + T.float32(1)
    else:
        {other}
    B[t] = x
"""
ARMS_LINE = ARMS[: ARMS.index("# arms")].count("\n")
SLOW_ARM = "for i in T.serial(64):\n            x = T.sqrt(x * x + T.float32(1))"
CHOICES = HEAD + """@T.prim_func
def kernel(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([256])
    x: T.float32 = A[t]
    if {of} == 0:
        for i in T.serial(64):
            x = x * T.float32(0.5) + T.float32(1)
    elif {of} == 1:
        for i in T.serial(64):
            x = x * x + T.float32(1)
    elif {of} == 2:
        for i in T.serial(64):
            x = x * x - T.float32(1)
    else:
        for i in T.serial(64):
            x = T.sqrt(x * x + T.float32(1))
    B[t] = x
"""
WIDE = HEAD + """@T.prim_func
def kernel(A: T.Buffer((256,), "{dtype}"), B: T.Buffer((256,), "{dtype}")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([256])
    x: T.{dtype} = A[t]
    for i in T.serial(16):
        {line}  # here
    B[t] = x
"""


class Time(Case):
    def time(self, text, *options, how=("--as-written",)):
        answer = self.expect(0, "explain", self.file("k.py", text), "--time", "--json", *how, *options).json
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
        self.assertEqual(few["operations"], {"value": 2 << 16, "from": "counted as written"})
        self.assertEqual(few["bytes"], {"value": 12 << 16, "from": "counted as written"})
        self.assertAlmostEqual(few["operations_per_byte"]["value"], 1 / 6)
        self.assertEqual((few["bound"], few["bytes_of"], few["operations_of"]), ("bytes", "L2 cache", "floating numbers"))
        self.assertIn("H100", few["device"])
        self.assertEqual([few[k]["from"] for k in ("ridge", "roof_per_second", "reached_per_second")], ["measured", "measured", "modelled"])
        self.assertLess(few["reached_per_second"]["value"], few["roof_per_second"]["value"])
        self.assertEqual(self.time(AXPY.format(n=1 << 26))["roofline"]["bytes_of"], "device memory")

    def example(self, name, *options):
        script = os.path.join(os.path.dirname(__file__), "../../examples", name)
        return self.expect(0, "explain", script, "--time", "--as-written", "--json", "--arch", "sm_90a", *options).json["time"][0]

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
        text = self.expect(0, "explain", self.file("k.py", HEAD + RING.format(stages=1, rows=64)), "--time", "--as-written").text
        for words in ("modelled", "constants measured on NVIDIA H100", "counted; cycles are modelled", "registers are not available",
                      "instructions as written", "accesses count as the script writes them"):
            self.assertIn(words, text)

    def test_accesses_count_as_the_compiler_makes_them(self):
        written, made = self.time(QUADS), self.time(QUADS, how=())
        self.assertEqual((written["accesses"]["counted_as"], written["accesses"]["why"]), ("written", None))
        if made["accesses"]["counted_as"] != "compiled":
            self.assertTrue(made["accesses"]["why"])
            self.skipTest("no NVRTC here")
        # Four reads of a lane that follow each other become one; the model's times stay, the counts and registers do not.
        self.assertEqual((made["us"], made["parts_us"]), (written["us"], written["parts_us"]))
        (changed,) = [c for c in made["accesses"]["changed"] if c["kind"] == "shared_read"]
        self.assertEqual((changed["written"], changed["made"]), (4 * 8, 8))
        self.assertEqual([k["occupied"]["registers"]["from"] for k in (written, made)], ["not available", "measured"])
        self.assertEqual([k["roofline"]["bytes"]["from"] for k in (written, made)], ["counted as written", "counted"])
        # The same counts as those of a profile.
        profile = self.expect(0, "run", self.path("k.py"), "--on", "sim", "--profile", "--json").json
        self.assertEqual(profile["profile"]["global_bytes"], 32 * made["sectors"])
        self.assertEqual(profile["profile"]["kernels"][0]["sectors"], made["sectors"])

    def advice(self, text, code):
        return [d for d in self.time(text)["advice"] if d["code"] == code]

    def test_branches_of_one_warp_that_both_compute(self):
        for condition in ("t % 2 == 0", "t % 32 < 16", "A[t] > T.float32(0.5)"):
            (found,) = self.advice(ARMS.format(condition=condition, other=SLOW_ARM), "TW7010")
            self.assertEqual(found["range"]["start"]["line"], 1 + ARMS_LINE)
            self.assertIn("of the 8 times", found["message"])
            self.assertEqual(found["severity"], "hint")
        # Whole warps take one arm; one arm is short; there is one arm.
        self.assertEqual(self.advice(ARMS.format(condition="t // 32 % 2 == 0", other=SLOW_ARM), "TW7010"), [])
        self.assertEqual(self.advice(ARMS.format(condition="t % 2 == 0", other="x = T.float32(0)"), "TW7010"), [])
        self.assertEqual(self.advice(ARMS.format(condition="t % 2 == 0", other="pass"), "TW7010"), [])

    def test_branches_in_a_row_are_told_once(self):
        (found,) = self.advice(CHOICES.format(of="t % 4"), "TW7010")
        self.assertEqual(self.advice(CHOICES.format(of="t // 32 % 4"), "TW7010"), [])
        self.assertIn("let whole warps take one arm", found["hint"])

    def test_float64_by_mistake(self):
        slow = ("x = T.cast(T.cast(x, 'float64') * T.float64(0.5), 'float32')", "x = x + T.cast(T.exp(T.cast(x, 'float64')), 'float32')")
        for line in slow:
            (found,) = self.advice(WIDE.format(dtype="float32", line=line), "TW7011")
            self.assertIn("no tensor or scalar of the kernel is float64", found["message"])
            self.assertIn("# here", WIDE.format(dtype="float32", line=line).split("\n")[found["range"]["start"]["line"] - 1])
        self.assertEqual(self.advice(WIDE.format(dtype="float32", line="x = x * T.float32(0.5)"), "TW7011"), [])
        # A kernel of float64 wants it.
        self.assertEqual(self.advice(WIDE.format(dtype="float64", line="x = x * T.float64(0.5)"), "TW7011"), [])


if __name__ == "__main__":
    main()
