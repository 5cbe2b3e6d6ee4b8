#!/usr/bin/env python3
"""planted_test.py TILEWRIGHT: kernels with one planted slow line, which has to be first or second in the profile, and kernels with
bank conflicts, whose advised layout has to have none when it is counted again."""
from case import Case, main

HEAD = """# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.lang.warp_role import WarpRole


"""
# A tile of rows x 32 goes through shared memory and is read by columns.
PADDING = """@T.prim_func
def kernel(A: T.Buffer(({rows}, 32), "{dtype}"), B: T.Buffer((32, {rows}), "{dtype}"), C: T.Buffer(({rows}, 32), "{dtype}")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([{threads}])
    tile = T.alloc_shared(({rows}, {row}), "{dtype}")
    for i in T.serial({rows} * 32 // {threads}):
        tile[(i * {threads} + t) // 32, (i * {threads} + t) % 32] = A[(i * {threads} + t) // 32, t % 32]
    T.cuda.cta_sync()
    for i in T.serial({rows} * 32 // {threads}):
        C[(i * {threads} + t) // 32, t % 32] = A[(i * {threads} + t) // 32, t % 32]
    for i in T.serial({rows} * 32 // {threads}):
        B[(i * {threads} + t) // {rows}, t % {rows}] = tile[(i * {threads} + t) % {rows}, (i * {threads} + t) // {rows}]  # planted
"""
STRIDE = """@T.prim_func
def kernel(A: T.Buffer(({n},), "{dtype}"), B: T.Buffer(({n},), "{dtype}"), C: T.Buffer(({n},), "{dtype}")):
    T.device_entry()
    cta = T.cta_id([{n} // 128])
    t = T.thread_id([128])
    i: T.let = cta * 128 + t
    C[i] = A[i]
    B[i] = A[i * {stride} % {n}]  # planted
"""
SCALAR = """@T.prim_func
def kernel(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32"), C: T.Buffer((4096,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([{threads}])
    mine = T.alloc_local((4,), "float32")
    for i in T.serial(1024 // {threads}):
        T.cuda.copy_128b(mine.ptr_to([0]), A.ptr_to([(i * {threads} + t) * 4]))
        T.cuda.copy_128b(C.ptr_to([(i * {threads} + t) * 4]), mine.ptr_to([0]))
        for j in T.unroll(4):
            {line}  # planted
"""
SWIZZLE = """@T.prim_func
def kernel(A: T.Buffer(({rows}, 64), "float16"), B: T.Buffer(({rows},), "float16")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([{rows}])
    tile = T.alloc_shared(({rows}, 64), "float16", align=1024, layout=mma_shared_layout("float16", {mode}, ({rows}, 64)))
    for i in T.serial(64):
        tile[i * {rows} // 64 + t // 64, t % 64] = A[i * {rows} // 64 + t // 64, t % 64]
    T.cuda.cta_sync()
    total: T.float16 = T.float16(0)
    for i in T.serial(64):
        total = total + tile[t, i]  # planted
    B[t] = total
"""
BOXES = """ROWS, EACH = 64, {each}


@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, {columns}), "float16")
    B = T.match_buffer(B_ptr, (ROWS, {columns}), "float16")
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    tile = T.alloc_shared((ROWS, {columns}), "float16", align=1024)
    arrived = T.alloc_shared([1], "uint64")
    if t == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), ROWS * {columns} * 2)
        for r in T.serial(ROWS // EACH):
            Tx.copy_async(tile[r * EACH : r * EACH + EACH, :], A[r * EACH : r * EACH + EACH, :], dispatch="tma", mbar=arrived.ptr_to([0]))  # planted
    T.cuda.cta_sync()
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    for i in T.serial(ROWS * {columns} // 128):
        B[(i * 128 + t) // {columns}, (i * 128 + t) % {columns}] = tile[(i * 128 + t) // {columns}, (i * 128 + t) % {columns}]
"""
RING = """STAGES, STEPS, ROWS = {stages}, 16, {rows}


@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (STEPS * ROWS, 64), "float16")
    B = T.match_buffer(B_ptr, (STEPS, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([3])
    lane = T.lane_id([32])
    tid = T.thread_id([96])
    pool = T.SMEMPool()
    tiles = pool.alloc_mma((STAGES, ROWS, 64), "float16")
    pipe = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=2)
    pool.commit()
    T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    with WarpRole(warp, 2):
        if T.ptx.elect_sync():
            fill = PipelineState(STAGES, phase=1)
            for step in T.serial(STEPS):
                pipe.empty.wait(fill.stage, fill.phase)
                pipe.full.arrive(fill.stage, ROWS * 128)
                Tx.copy_async(tiles[fill.stage, :, :], A[step * ROWS : step * ROWS + ROWS, :], dispatch="tma", mbar=pipe.full.ptr_to([fill.stage]))  # planted
                fill.advance()
    if warp < 2:
        use = PipelineState(STAGES, phase=0)
        for step in T.serial(STEPS):
            pipe.full.wait(use.stage, use.phase)  # starves
            B[step, tid] = tiles[use.stage, 0, tid]
            T.cuda.warp_sync()
            if lane == 0:
                pipe.empty.arrive(use.stage)
            use.advance()
"""
SCALAR_LINE = "B[(i * {threads} + t) * 4 + j] = A[(i * {threads} + t) * 4 + j]"

PLANTED = (
    [(f"padding {rows} {dtype}", PADDING.format(rows=rows, dtype=dtype, threads=threads, row=32))
     for rows, dtype, threads in ((32, "float32", 128), (64, "float32", 256), (32, "int32", 1024), (64, "float64", 128), (128, "float32", 128),
                                  (64, "uint32", 64), (32, "float64", 64), (64, "float16", 128))]
    + [(f"stride {stride} {dtype}", STRIDE.format(n=4096, dtype=dtype, stride=stride))
       for stride, dtype in ((9, "float32"), (33, "float32"), (5, "int32"), (17, "float64"), (129, "float16"), (3, "float64"))]
    + [(f"scalar {threads}", SCALAR.format(threads=threads, line=SCALAR_LINE.format(threads=threads))) for threads in (32, 64, 128, 256)]
    + [(f"swizzle {rows}", SWIZZLE.format(rows=rows, mode=0)) for rows in (64, 128, 256, 512)]
    + [(f"boxes of one row {columns}", BOXES.format(each=1, columns=columns)) for columns in (64, 128, 192, 256)]
)


class Planted(Case):
    def profile(self, text):
        script = self.file("k.py", HEAD + text)
        return self.expect(0, "run", script, "--on", "sim", "--schedules", "1", "--profile", "--as-written", "--json").json["profile"]

    def place(self, lines, mark):
        found = [n for n, line in enumerate(lines) if mark in line["text"]]
        self.assertTrue(found, [line["text"] for line in lines])
        return found[0]

    def test_planted_lines_are_first_or_second(self):
        for name, text in PLANTED:
            with self.subTest(name):
                profile = self.profile(text)
                self.assertLess(self.place(profile["lines"], "# planted"), 2, [(l["text"], l["cost"]) for l in profile["lines"]])
                self.assertTrue(any("# planted" in l["text"] for l in profile["lines"] for d in profile["advice"]
                                    if d["range"]["start"]["line"] == l["line"]), profile["advice"])

    def test_copies_of_a_ring_of_one_stage_are_first_or_second(self):
        for rows in (8, 32, 64, 128):
            with self.subTest(rows):
                script = self.file("k.py", HEAD + RING.format(stages=1, rows=rows))
                (kernel,) = self.expect(0, "explain", script, "--time", "--as-written", "--json").json["time"]
                self.assertLess(self.place(kernel["lines"], "# planted"), 2)
                self.assertIn("TW7004", [d["code"] for d in kernel["advice"]])

    def test_right_ones_get_no_advice_there(self):
        for text in (PADDING.format(rows=32, dtype="float32", threads=128, row=33), STRIDE.format(n=4096, dtype="float32", stride=1),
                     BOXES.format(each=64, columns=64)):
            profile = self.profile(text)
            planted = [l["line"] for l in profile["lines"] if "# planted" in l["text"]]
            self.assertEqual([d for d in profile["advice"] if d["range"]["start"]["line"] in planted], [])

    def test_advised_layouts_have_no_conflicts(self):
        """44 tiles whose columns are read: what is advised is written, and counted again."""
        for dtype, rows in (("float32", 32), ("float32", 64), ("int32", 128), ("float64", 32), ("uint32", 32), ("float32", 16)):
            for width in (32, 64, 96, 160) if rows < 128 else (32, 64):
                for threads in (64, 128) if rows < 64 else (128, 256):
                    text = COLUMNS.format(dtype=dtype, rows=rows, width=width, row=width, threads=threads)
                    with self.subTest(f"{dtype} {rows} {width} {threads}"):
                        (buffer,) = self.profile(text)["buffers"]
                        self.assertGreater(buffer["wavefronts"], buffer["ideal"])
                        self.assertRegex(buffer["advised"], r"rows of \d+ elements")
                        row = int(buffer["advised"].split("rows of ")[1].split()[0])
                        again = self.profile(COLUMNS.format(dtype=dtype, rows=rows, width=width, row=row, threads=threads))
                        self.assertEqual(again["buffers"], [])


# Every column of a tile is read by neighbouring lanes.
COLUMNS = """@T.prim_func
def kernel(A: T.Buffer(({rows}, {width}), "{dtype}"), B: T.Buffer(({width}, {rows}), "{dtype}")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([{threads}])
    tile = T.alloc_shared(({rows}, {row}), "{dtype}")
    for i in T.serial({rows} * {width} // {threads}):
        tile[(i * {threads} + t) // {width}, (i * {threads} + t) % {width}] = A[(i * {threads} + t) // {width}, (i * {threads} + t) % {width}]
    T.cuda.cta_sync()
    for i in T.serial({rows} * {width} // {threads}):
        B[(i * {threads} + t) // {rows}, (i * {threads} + t) % {rows}] = tile[(i * {threads} + t) % {rows}, (i * {threads} + t) // {rows}]
"""


if __name__ == "__main__":
    main()
