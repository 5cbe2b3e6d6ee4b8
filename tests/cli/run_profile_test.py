#!/usr/bin/env python3
"""run_profile_test.py TILEWRIGHT: `tilewright run --on sim --profile`. The figures are those of the addresses, worked out by hand."""
import os

from case import Case, main

HEAD = "from tvm.script import tirx as T\n\n\n"
# 32 warps transpose a tile of 32 by 32 through shared memory, whose rows have {row} elements.
TRANSPOSE = HEAD + """@T.prim_func
def transpose(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([1024])
    tile = T.alloc_shared((32, {row}), "float32")
    x: T.let = t % 32
    y: T.let = t // 32
    tile[y, x] = A[y, x]
    T.cuda.cta_sync()
    B[y, x] = tile[x, y]
"""
# One warp reads a column of a matrix and writes a row; the twin reads a row.
COLUMN = HEAD + """@T.prim_func
def column(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    B[t] = A[{index}]
"""
HELPER = HEAD + """@T.inline
def put(tile, t, v):
    tile[t * 32] = v


@T.prim_func
def kernel(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    tile = T.alloc_shared((1024,), "float32")
    put(tile, t, A[t])
    B[t] = tile[t * 32]
"""
DIVERGED = HEAD + """@T.prim_func
def kernel(A: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    if t < 8:
        A[t] = T.float32(1)
    for i in T.serial(t):
        A[t] = A[t] + T.float32(1)
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
WIDTHS = HEAD.replace("from", "# tilewright: dialect 0.25\nfrom", 1) + """@T.prim_func
def kernel(A: T.Buffer((1024,), "float16"), B: T.Buffer((1024,), "float16"), C: T.Buffer((1024,), "float16")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    for i in T.serial(8):
        B[i * 128 + t] = A[i * 128 + t]  # narrow
    T.cuda.copy_128b(C.ptr_to([t * 8]), A.ptr_to([t * 8]))  # wide
"""
ATOMIC = HEAD + """@T.prim_func
def kernel(A: T.Buffer((1,), "float32")):
    T.device_entry()
    T.cta_id([2])
    t = T.thread_id([64])
    T.cuda.atomic_add(A.ptr_to([0]), T.float32(1))
"""
BOX = """from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout


@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    tile = T.alloc_shared((64, 64), "float16", align=1024, layout=mma_shared_layout("float16", {mode}, (64, 64)))
    arrived = T.alloc_shared([1], "uint64")
    if t == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), 8192)
        Tx.copy_async(tile[:, :], A[:, :], dispatch="tma", mbar=arrived.ptr_to([0]))
    T.cuda.cta_sync()
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    for i in T.serial(64):
        B[i, t] = tile[i, t]
"""

NEIGHBOURS = HEAD + """@T.prim_func
def kernel(A: T.Buffer((128,), "float32"), B: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    tile = T.alloc_shared((128,), "float32", align=16)
    for i in T.serial(4):
        tile[i * 32 + t] = A[i * 32 + t]
    T.cuda.cta_sync()
    x: T.float32 = 0.0
    for j in T.unroll(4):
        x = x + tile[t * 4 + j]  # joined
    B[t] = x
"""
TWICE = HEAD + """@T.prim_func
def kernel(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    B[t] = A[t]  # first
    C[t] = A[t] * 2.0  # second
"""
PHASES = HEAD + """@T.prim_func
def kernel(A: T.Buffer((4, 4, 128), "float32"), B: T.Buffer((4, 4, 128), "float32")):
    T.device_entry()
    cta = T.cta_id([4])
    t = T.thread_id([128])
    tile = T.alloc_shared((2, 128), "float32")
    for i in T.serial(4):
        tile[i % 2, t] = A[cta, i, t]
        T.cuda.cta_sync()  # between
        B[cta, i, t] = tile[i % 2, {index}]
        {rest}
"""
TREE = HEAD + """@T.prim_func
def kernel(A: T.Buffer((8, 256), "float32"), B: T.Buffer((8,), "float32")):
    T.device_entry()
    cta = T.cta_id([8])
    t = T.thread_id([256])
    s = T.alloc_shared((256,), "float32")
    s[t] = A[cta, t]
    T.cuda.cta_sync()
    for k in T.serial(8):
        if {condition}:
            s[t] = s[t] + s[t + ({other})]  # sum
        T.cuda.cta_sync()
    if t == 0:
        B[cta] = s[0]
"""
SUMS = HEAD + """@T.prim_func
def kernel(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    x: T.float32 = 0.0
    for i in T.serial(64):
        {inside}
    {after}
"""
GATHER = HEAD + """@T.prim_func
def kernel(A: T.Buffer((8192,), "float32"), B: T.Buffer((1024,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([1024])
    B[t] = A[(t * t * 7919 + t * 31) % 8192]
"""

# Each CTA of a pair sends its tile to the other one.
EXCHANGE = """from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (2, 32, 64), "float16")
    B = T.match_buffer(B_ptr, (2, 32, 64), "float16")
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tid = T.thread_id([128])
    mine = T.alloc_shared([32, 64], "float16", align=128, layout=TileLayout(S[(32, 64) : ({pitch}, 1)]))
    theirs = T.alloc_shared([32, 64], "float16", align=128, layout=TileLayout(S[(32, 64) : ({pitch}, 1)]))
    arrived = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), 32 * 64 * 2)
    Tx.cta.copy(mine[:, :], A[rank, :, :])
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cluster_sync()
    if tid == 0:
        Tx.copy_async(theirs[:, :], mine[:, :], dispatch="dsmem", mbar=arrived.ptr_to([0]), remote_cta_id=1 - rank)  # sent
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    Tx.cta.copy(B[rank, :, :], theirs[:, :])
    T.cuda.cluster_sync()
"""


class Profiles(Case):
    def profile(self, text, *options):
        script = self.file("k.py", text)
        answer = self.expect(0, "run", script, "--on", "sim", "--profile", "--as-written", "--json", *options).json
        self.fits(answer, "run")
        return answer["profile"]

    def compiled(self, text, *options):
        """As NVIDIA's compiler makes the accesses; skips where it is not there."""
        script = self.file("k.py", text)
        answer = self.expect(0, "run", script, "--on", "sim", "--profile", "--arch", "sm_90a", "--json", *options).json
        self.fits(answer, "run")
        profile = answer["profile"]
        if profile["accesses"]["counted_as"] != "compiled":
            self.assertTrue(profile["accesses"]["why"])
            self.skipTest("no NVRTC here")
        return profile

    def line(self, profile, text):
        found = [l for l in profile["lines"] if text in l["text"]]
        self.assertEqual(len(found), 1, profile["lines"])
        return found[0]

    def codes(self, profile):
        return [(d["code"], d["range"]["start"]["line"]) for d in profile["advice"]]

    def test_conflicts_and_their_twin(self):
        wrong = self.profile(TRANSPOSE.format(row=32))
        reads = self.line(wrong, "B[y, x]")
        # Each of 32 warps reads a column: 32 words of one bank, where one wavefront would do.
        self.assertEqual(reads["shared_read"], {"requests": 32, "wavefronts": 1024, "ideal": 32, "bytes": 4096, "worst": 32})
        self.assertEqual(reads["global_write"], {"requests": 32, "sectors": 128, "ideal": 128, "bytes": 4096, "worst": 4})
        writes = self.line(wrong, "tile[y, x]")
        self.assertEqual(writes["shared_write"], {"requests": 32, "wavefronts": 32, "ideal": 32, "bytes": 4096, "worst": 1})
        self.assertEqual(wrong["lines"][0]["line"], reads["line"])
        self.assertEqual(self.codes(wrong), [("TW7001", reads["line"])])
        # What it advises, counted on the same accesses, is what the twin then takes.
        (buffer,) = wrong["buffers"]
        self.assertEqual((buffer["name"], buffer["wavefronts"], buffer["ideal"]), ("tile", 32 + 1024, 64))
        self.assertEqual(buffer["advised"], "rows of 33 elements instead of 32 (128 bytes more)")
        self.assertIn({"layout": buffer["advised"], "wavefronts": 64}, buffer["others"])
        self.assertIn("lay tile out with rows of 33 elements", wrong["advice"][0]["hint"])
        right = self.profile(TRANSPOSE.format(row=33))
        self.assertEqual(right["buffers"], [])
        self.assertEqual(self.line(right, "B[y, x]")["shared_read"]["wavefronts"], 32)
        self.assertEqual(self.codes(right), [])

    def test_scattered_accesses_and_their_twin(self):
        wrong = self.profile(COLUMN.format(index="t, 0"))
        line = self.line(wrong, "B[t] =")
        self.assertEqual(line["global_read"], {"requests": 2, "sectors": 64, "ideal": 8, "bytes": 256, "worst": 32})
        self.assertEqual(self.codes(wrong), [("TW7002", line["line"])])
        right = self.profile(COLUMN.format(index="0, t"))
        self.assertEqual(self.line(right, "B[t] =")["global_read"]["sectors"], 8)
        self.assertEqual(self.codes(right), [])
        # All lanes read one element: one sector, which is as few as there can be.
        same = self.profile(COLUMN.format(index="0, 0"))
        self.assertEqual(self.line(same, "B[t] =")["global_read"], {"requests": 2, "sectors": 2, "ideal": 2, "bytes": 256, "worst": 1})

    def test_what_a_helper_does_counts_at_its_line(self):
        profile = self.profile(HELPER)
        self.assertEqual(self.line(profile, "tile[t * 32] = v")["shared_write"]["wavefronts"], 32)
        self.assertEqual(self.line(profile, "B[t] =")["shared_read"]["wavefronts"], 32)
        self.assertEqual(sorted(code for code, _ in self.codes(profile)), ["TW7001", "TW7001"])

    def test_diverged_lanes_are_requests_of_those_that_came(self):
        profile = self.profile(DIVERGED)
        self.assertEqual(self.line(profile, "A[t] = T.float32(1)")["global_write"],
                         {"requests": 1, "sectors": 1, "ideal": 1, "bytes": 32, "worst": 1})
        loop = self.line(profile, "A[t] = A[t] +")
        # The n-th round has the lanes beyond n.
        self.assertEqual(loop["global_write"]["requests"], 31)
        self.assertEqual(loop["global_write"]["bytes"], 4 * sum(range(32)))

    def test_atomic_accesses_are_no_traffic(self):
        profile = self.profile(ATOMIC)
        self.assertEqual((profile["total"]["atomics"], profile["total"]["atomic_requests"], profile["total"]["atomic_turns"]), (128, 4, 128))
        self.assertEqual(profile["total"]["global_write"]["requests"], 0)

    def test_tensor_cores_and_copies(self):
        script = os.path.join(os.path.dirname(__file__), "../../examples/wgmma_gemm.py")
        entry = self.expect(0, "entries", script, "--json").json["entries"][0]["entry"]
        profile = self.expect(0, "run", script, "--entry", entry, "--on", "sim", "--profile", "--json").json["profile"]
        self.assertGreater(profile["total"]["tensor_operations"], 0)
        self.assertGreater(profile["total"]["copied_shared_bytes"] + profile["total"]["shared_write"]["bytes"], 0)
        self.assertGreater(profile["operations_per_byte"], 0)

    def test_wavefronts_of_copies_and_operands_are_modelled(self):
        """A box of 64 rows of 128 bytes is 64 wavefronts with and without a swizzle: it fills its lines. The operands of wgmma are read
        through the descriptor's swizzle, so that a core matrix of 8 rows of 16 bytes is one."""
        for mode in (0, 3):
            line = self.line(self.profile(BOX.format(mode=mode), "--arch", "sm_90a"), "copy_async")
            self.assertEqual((line["copied_shared_bytes"], line["copied_shared_wavefronts"]), (8192, {"from": "modelled", "needed": 64, "ideal": 64}))
        for arch, example in (("sm_90a", "wgmma_gemm.py"), ("sm_100a", "tcgen05_gemm.py")):
            script = os.path.join(os.path.dirname(__file__), "../../examples", example)
            answer = self.expect(0, "run", script, "--entry", self.first_entry(example), "--on", "sim", "--schedules", "1", "--profile", "--arch", arch, "--json").json
            product = max(answer["profile"]["lines"], key=lambda l: l["tensor_operations"])
            self.assertEqual(product["copied_shared_wavefronts"], {"from": "modelled", "needed": product["copied_shared_bytes"] // 128,
                                                                   "ideal": product["copied_shared_bytes"] // 128})
        plain = self.profile(TRANSPOSE.format(row=33))["total"]["copied_shared_wavefronts"]
        self.assertEqual(plain, {"from": "not available", "why": "no operation beside the threads uses shared memory here"})
        text = self.expect(0, "run", self.file("box.py", BOX.format(mode=3)), "--arch", "sm_90a", "--on", "sim", "--profile").text
        self.assertIn("shared memory of copies and tensor cores: at least 64 wavefronts for 8,192 bytes, modelled from their addresses", text)
        # Lanes that store into another CTA, 4 bytes each.
        stored = self.expect(0, "run", script.replace("tcgen05_gemm", "st_async_ring"), "--on", "sim", "--schedules", "1", "--profile", "--arch", "sm_90a", "--json").json
        self.assertEqual(stored["profile"]["total"]["copied_shared_wavefronts"]["from"], "not available")
        self.assertIn("how shared memory serves them is not published", stored["profile"]["total"]["copied_shared_wavefronts"]["why"])

    def hints_of(self, example, entry, code):
        script = os.path.join(os.path.dirname(__file__), "../../examples", example)
        profile = self.expect(0, "run", script, "--entry", entry, "--on", "sim", "--schedules", "1", "--profile", "--json").json["profile"]
        return [d["hint"] for d in profile["advice"] if d["code"] == code]

    def test_advice_is_for_what_stands_there(self):
        # Which lane holds what of a tile in registers says its layout, no index of the script.
        for hint in self.hints_of("register_tiles.py", self.first_entry("register_tiles.py"), "TW7002"):
            self.assertIn("the layout of the tile decides", hint)
        # A box fills this tile: its rows follow each other, and no swizzle helps.
        (hint,) = self.hints_of("tma_out_of_bounds.py", self.first_entry("tma_out_of_bounds.py"), "TW7001")
        self.assertIn("none of the layouts that fit window (swizzles of 32 to 128 bytes) takes fewer wavefronts on the same accesses", hint)
        (hint,) = self.hints_of("traced_ring.py", self.first_entry("traced_ring.py"), "TW7005")
        self.assertIn("a bulk copy takes all bytes that follow each other", hint)

    def first_entry(self, example):
        script = os.path.join(os.path.dirname(__file__), "../../examples", example)
        return self.expect(0, "entries", script, "--json").json["entries"][0]["entry"]

    def test_requests_cost_beside_their_sectors(self):
        """Two copies of as many bytes: by 2 bytes of a lane and by 16."""
        profile = self.profile(WIDTHS, "--arch", "sm_90a")
        narrow, wide = self.line(profile, "# narrow"), self.line(profile, "# wide")
        self.assertEqual(narrow["global_read"]["sectors"], wide["global_read"]["sectors"])
        self.assertEqual((narrow["global_read"]["requests"], wide["global_read"]["requests"]), (32, 4))
        self.assertEqual(profile["lines"][0]["line"], narrow["line"])

    def test_time_of_each_kernel_stands_beside_the_counts(self):
        profile = self.profile(TRANSPOSE.format(row=32), "--arch", "sm_90a")
        (kernel,) = profile["kernels"]
        self.assertEqual((kernel["name"], kernel["time_is"], kernel["ctas"]), ("transpose", "modelled", 1))
        self.assertEqual((kernel["occupied"]["bound"], kernel["occupied"]["threads"]), ("warps", 1024))
        self.assertIn("of the path", kernel["path"]["words"])
        text = self.expect(0, "run", self.path("k.py"), "--arch", "sm_90a", "--on", "sim", "--profile", "--as-written").text
        self.assertRegex(text, r"(?m)^  path     .* of the path.*, modelled$")
        self.assertIn("  occupancy  2 CTAs per SM, 100 % of its warps, bound by warps; registers are not available", text)
        (other,) = self.profile(TRANSPOSE.format(row=32), "--arch", "sm_80")["kernels"]
        self.assertEqual((other["time_is"], other["occupied"]["ctas_per_sm"]), ("not available", 2))
        self.assertIn("not measured", other["why"])

    def test_extents_are_those_of_the_run(self):
        (kernel,) = self.profile(SYMBOLIC, "--arch", "sm_90a", "--set", "n=512")["kernels"]
        self.assertEqual((kernel["time_is"], kernel["ctas"]), ("modelled", 4))

    def test_text_says_what_is_counted_and_what_is_modelled(self):
        script = self.file("k.py", TRANSPOSE.format(row=32))
        out = self.expect(0, "run", script, "--on", "sim", "--profile").text
        self.assertIn("profile  counted by the simulator", out)
        self.assertRegex(out, r"1,024 \(32\.0 × ideal\)")
        self.assertIn("no time was measured", out)
        self.assertIn("TW7001", out)
        self.assertNotIn("profile", self.expect(0, "run", script, "--on", "sim").text)

    def test_small_copies_between_ctas(self):
        slow, fast = (self.profile(EXCHANGE.format(pitch=pitch)) for pitch in (72, 64))
        (found,) = [d for d in slow["advice"] if d["code"] == "TW7005"]
        self.assertEqual(found["range"]["start"]["line"], self.line(slow, "# sent")["line"])
        self.assertIn("64 copies of 128 bytes each start here, where 8 of 1,024 bytes would do", found["message"])
        self.assertIn("without a gap", found["hint"])
        self.assertEqual(fast["advice"], [])

    def test_a_part_of_a_run_says_so(self):
        script = self.file("k.py", ATOMIC)
        self.assertTrue(self.profile(ATOMIC)["complete"])
        part = self.run_it("run", script, "--on", "sim", "--profile", "--clusters", "0", "--json").json["profile"]
        self.assertFalse(part["complete"])
        self.assertIn("of what ran alone", self.run_it("run", script, "--on", "sim", "--profile", "--clusters", "0").text)

    def test_elements_that_are_read_one_by_one_are_joined_as_the_compiler_does(self):
        written = self.line(self.profile(NEIGHBOURS, "--arch", "sm_90a"), "# joined")
        # Of each lane four words that follow each other: 32 lanes 4 words apart are 4 wavefronts, four times.
        self.assertEqual(written["shared_read"], {"requests": 4, "wavefronts": 16, "ideal": 4, "bytes": 512, "worst": 4})
        profile = self.compiled(NEIGHBOURS)
        made = self.line(profile, "# joined")
        self.assertEqual(made["shared_read"], {"requests": 1, "wavefronts": 4, "ideal": 4, "bytes": 512, "worst": 4})
        self.assertEqual(profile["accesses"]["changed"], [{"line": made["line"], "kind": "shared_read", "written": 4, "made": 1}])
        self.assertEqual(self.codes(profile), [])
        text = self.expect(0, "run", self.path("k.py"), "--arch", "sm_90a", "--on", "sim", "--profile").text
        self.assertIn(f"counted as NVIDIA's compiler makes them: in line {made['line']} 4 reads of shared memory become 1", text)
        self.assertNotIn("registers are not available", text)

    def test_elements_that_the_compiler_has_already_are_no_access(self):
        profile = self.compiled(TWICE)
        self.assertEqual(self.line(profile, "# first")["global_read"]["requests"], 1)
        self.assertEqual(self.line(profile, "# second")["global_read"]["requests"], 0)
        self.assertEqual(profile["total"]["global_write"]["requests"], 2)

    def test_without_the_compiler_accesses_count_as_they_are_written(self):
        script = self.file("k.py", NEIGHBOURS)
        empty = self.path("empty")
        os.makedirs(empty, exist_ok=True)
        r = self.run_it("run", script, "--arch", "sm_90a", "--on", "sim", "--profile", "--json", env={"CUDA_HOME": empty, "TILEWRIGHT_CUDA_HOME": empty})
        accesses = r.json["profile"]["accesses"]
        if accesses["counted_as"] == "written":
            self.assertTrue(accesses["why"])
            self.assertEqual(self.line(r.json["profile"], "# joined")["shared_read"]["requests"], 4)

    def test_barriers_that_order_nothing(self):
        """Each warp reads what it has written itself; or what another one has; or each lane what its neighbours have."""
        own = self.profile(PHASES.format(index="t", rest=""))
        barrier = self.line(own, "# between")
        self.assertEqual(self.codes(own), [("TW7007", barrier["line"])])
        self.assertIn("CTAs passed it 16 times", own["advice"][0]["message"])
        self.assertEqual(self.codes(self.profile(PHASES.format(index="127 - t", rest=""))), [])
        (advice,) = self.profile(PHASES.format(index="t // 32 * 32 + 31 - t % 32", rest=""))["advice"]
        self.assertIn("lanes of one warp alone", advice["hint"])
        # A second one in the round, where two tiles are used in turn, is spare; with one tile it is not.
        second = self.profile(PHASES.format(index="127 - t", rest="T.cuda.cta_sync()  # after"))
        self.assertEqual(self.codes(second), [("TW7007", self.line(second, "# after")["line"])])
        needed = PHASES.replace("i % 2", "0").format(index="127 - t", rest="T.cuda.cta_sync()  # after")
        self.assertEqual(self.codes(self.profile(needed)), [])
        # What other CTAs are told after a fence is not visible in this one: nothing is said.
        self.assertEqual(self.codes(self.profile(PHASES.format(index="t", rest="T.cuda.thread_fence()"))), [])

    def test_barriers_in_a_row_are_named_once(self):
        both = self.profile(PHASES.format(index="127 - t", rest="T.cuda.cta_sync()  # after").replace("# between", "# between\n        T.cuda.cta_sync()"))
        self.assertEqual(len([c for c, _ in self.codes(both) if c == "TW7007"]), 1, both["advice"])

    def test_lanes_that_stand_idle_between_others(self):
        slow = self.profile(TREE.format(condition="t % (2 << k) == 0", other="1 << k"))
        line = self.line(slow, "# sum")
        self.assertIn(("TW7008", line["line"]), self.codes(slow))
        fast = self.profile(TREE.format(condition="t < (128 >> k)", other="128 >> k"))
        self.assertEqual([c for c, _ in self.codes(fast) if c == "TW7008"], [])

    def test_sums_in_memory_that_fit_a_register(self):
        slow = self.profile(SUMS.format(inside="T.cuda.atomic_add(B.ptr_to([t]), A[i, t])", after=""))
        (advice,) = [d for d in slow["advice"] if d["code"] == "TW7009"]
        self.assertIn("add up in a register", advice["hint"])
        fast = self.profile(SUMS.format(inside="x = x + A[i, t]", after="T.cuda.atomic_add(B.ptr_to([t]), x)"))
        self.assertEqual(self.codes(fast), [])

    def test_a_gather_is_told_from_a_stride(self):
        (advice,) = self.profile(GATHER)["advice"]
        self.assertEqual(advice["code"], "TW7002")
        self.assertIn("follow no pattern", advice["hint"])

    def test_only_of_one_entry_and_the_simulator_here(self):
        script = self.file("k.py", TRANSPOSE.format(row=32))
        self.assertIn("--profile are for one entry", self.expect(2, "run", script, "--entry", "all", "--profile").errors)


if __name__ == "__main__":
    main()
