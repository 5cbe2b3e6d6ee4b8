#!/usr/bin/env python3
"""tune_searched_test.py TILEWRIGHT: 40 candidates that race, hang or read what was never written, and leave the right result on the
device nevertheless (the pretended driver copies whatever the kernel says): the search for hazards alone can refuse them, and does."""
import os

from case import Case, main

# Four ways to copy. Each numbered fault is one slip in one of them; 0 is none.
SCRIPT = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T

N, THREADS, STAGES = 1024, 128, 2
STEPS = N // THREADS


@T.prim_func
def plain(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(N):
        B[i] = A[i]


# Through shared memory, each element by another thread.
# tilewright: reference plain
def mirrored(FAULT=0):
    @T.prim_func
    def kernel(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([THREADS])
        tile = T.alloc_shared((THREADS,), "float32")
        for i in T.serial(STEPS):
            if FAULT == 5:
                if t != 5:
                    tile[t] = A[i * THREADS + t]
            elif FAULT == 4:
                tile[t + 1] = A[i * THREADS + t]
            elif FAULT == 7:
                tile[t] = A[(i + 1) * THREADS + t]
            elif FAULT == 8:
                tile[t // 2 * 2] = A[i * THREADS + t]
            else:
                tile[t] = A[i * THREADS + t]
            if FAULT == 3:
                if t < 64:
                    T.cuda.cta_sync()
            elif FAULT == 9:
                T.cuda.warp_sync()
            elif FAULT != 1:
                T.cuda.cta_sync()
            if FAULT == 6:
                B[i * THREADS + THREADS - t] = tile[THREADS - 1 - t]
            elif FAULT == 10:
                B[i * THREADS + (THREADS - 1 - t) // 2 * 2] = tile[THREADS - 1 - t]
            else:
                B[i * THREADS + THREADS - 1 - t] = tile[THREADS - 1 - t]
            if FAULT != 2:
                T.cuda.cta_sync()

    return kernel


# By bulk copies into a ring, whose stages are given back.
# tilewright: reference plain
def ring(FAULT=0):
    @T.prim_func
    def kernel(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([THREADS])
        tiles = T.alloc_shared((STAGES, THREADS), "float32", align=128)
        full = T.alloc_shared([STAGES], "uint64")
        empty = T.alloc_shared([STAGES], "uint64")
        if t < (2 if FAULT == 14 else 1):
            for s in T.unroll(STAGES):
                if FAULT != 11:
                    T.ptx.mbarrier.init(full.ptr_to([s]), 2 if FAULT == 12 else 1)
                T.ptx.mbarrier.init(empty.ptr_to([s]), THREADS + 1 if FAULT == 13 else THREADS)
            T.ptx.fence.mbarrier_init()
        if FAULT != 15:
            T.cuda.cta_sync()
        for i in T.serial(STEPS):
            if t == 0:
                if i >= STAGES and FAULT != 16:
                    T.ptx.mbarrier.try_wait(empty.ptr_to([i % STAGES]), i // STAGES % 2 if FAULT == 17 else (i // STAGES + 1) % 2)
                if FAULT != 18:
                    T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([i % STAGES]), THREADS * 4 + (16 if FAULT == 19 else -16 if FAULT == 20 else 0))
                T.ptx.cp_async_bulk_g2s_cluster(tiles.ptr_to([i % STAGES, 0]), A.ptr_to([i * THREADS]), THREADS * 4, full.ptr_to([i % STAGES]))
            if FAULT != 21:
                T.ptx.mbarrier.try_wait(full.ptr_to([(i + 1) % STAGES if FAULT == 22 else i % STAGES]), (i // STAGES + 1) % 2 if FAULT == 23 else i // STAGES % 2)
            B[i * THREADS + t] = tiles[(i + 1) % STAGES if FAULT == 24 else i % STAGES, t]
            if FAULT == 25:
                if t != 7:
                    T.ptx.mbarrier.arrive(empty.ptr_to([i % STAGES]))
            elif FAULT != 26:
                T.ptx.mbarrier.arrive(empty.ptr_to([i % STAGES]))

    return kernel


# By cp.async, two steps ahead.
# tilewright: reference plain
def ahead(FAULT=0):
    @T.prim_func
    def kernel(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([THREADS])
        tiles = T.alloc_shared((STAGES, THREADS), "float32", align=16)
        for s in T.unroll(STAGES):
            if t < THREADS // 4:
                T.ptx.cp_async(tiles.ptr_to([s, t * 4]), A.ptr_to([s * THREADS + t * 4]), 16)
            if FAULT != 27:
                T.ptx.cp_async.commit_group()
        for i in T.serial(STEPS):
            if FAULT != 28:
                T.ptx.cp_async.wait_group(2 if FAULT == 29 else STAGES - 1)
            if FAULT != 30:
                T.cuda.cta_sync()
            B[i * THREADS + t] = tiles[i % STAGES, t]
            if FAULT != 31:
                T.cuda.cta_sync()
            if i + STAGES < STEPS:
                if t < THREADS // 4:
                    T.ptx.cp_async(tiles.ptr_to([i % STAGES, t * 4]), A.ptr_to([(i + STAGES) * THREADS + t * 4]), 16)
            T.ptx.cp_async.commit_group()

    return kernel


# Out of shared memory by bulk copies.
# tilewright: reference plain
def out(FAULT=0):
    @T.prim_func
    def kernel(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([THREADS])
        tile = T.alloc_shared((THREADS,), "float32", align=128)
        for i in T.serial(STEPS):
            if t == 0 and FAULT != 32:
                if FAULT != 33:
                    T.ptx.cp_async.bulk.wait_group(1 if FAULT == 34 else 0, read=True)
            if FAULT != 35:
                T.cuda.cta_sync()
            tile[t] = A[i * THREADS + t]
            if FAULT == 36:
                if t == 0:
                    T.ptx.fence.proxy_async("shared::cta")
            elif FAULT != 37:
                T.ptx.fence.proxy_async("shared::cta")
            if FAULT != 38:
                T.cuda.cta_sync()
            if t == 0:
                T.ptx.cp_async_bulk_s2g(B.ptr_to([i * THREADS]), tile.ptr_to([0]), THREADS * 4)
                if FAULT != 39:
                    T.ptx.cp_async.bulk.commit_group()
        if t == 0 and FAULT != 40:
            T.ptx.cp_async.bulk.wait_group(0)

    return kernel
"""
FAULTS = {"mirrored": range(1, 11), "ring": range(11, 27), "ahead": range(27, 32), "out": range(32, 41)}


class Searched(Case):
    def test_what_only_a_search_can_find_never_wins(self):
        fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        script, program = self.file("k.py", SCRIPT), self.file("program", "copy 1 0 4096\n")
        found = 0
        for factory, faults in FAULTS.items():
            space = "FAULT=0," + ",".join(map(str, faults))
            record = self.expect(0, "tune", script, "--entry", f"{factory}(*)", "--space", space, "--on", "gpu", "--driver", fake, "--nvml", fake,
                                 "--json", env={"FAKE_CUDA_PROGRAM": program}).json
            self.assertEqual(record["best"], f"{factory}(FAULT=0)", [(c["entry"], c["fate"], c["reason"]) for c in record["candidates"]])
            for c in record["candidates"]:
                with self.subTest(c["entry"]):
                    if c["entry"] == record["best"]:
                        self.assertEqual(c["notes"], [])
                        continue
                    self.assertIn(c["fate"], ("hazard", "refused"), c)
                    self.assertRegex(c["reason"], r"k.py:\d+: TW\d{4} ")
                    found += 1
        self.assertEqual(found, sum(map(len, FAULTS.values())))


if __name__ == "__main__":
    main()
