# tilewright: arch sm_90a sm_100a
# tilewright: entry tma_ring(3, 4, 65536)
# tilewright: entry ldgsts(1)
# tilewright: entry registers(1)
"""From A to B in three ways: the tensor copy engine through a ring of tiles, cp.async through shared memory, registers.

    tilewright run tests/bench/scripts/copies.py --on gpu --input A=arange --expect B=arange --entry 'registers(1)' --set n=262144

copies a gigabyte and says how near it comes to the driver's own copy; a ring has rows of a quarter of that length (n=1048576).
Memory likes to be read and written in its order, in parts of a few kilobytes: many small CTAs beat a few that stay.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

COLUMNS = 1024


def tma_ring(stages, rows, ctas):
    """One thread of a CTA loads tiles and stores them. A slot is loaded again when the store before the newest has read it."""
    ahead = stages - 2

    @T.prim_func
    def through_ring(A_ptr: T.handle, B_ptr: T.handle):
        n = T.int32()
        A = T.match_buffer(A_ptr, (n, 256), "float32")
        B = T.match_buffer(B_ptr, (n, 256), "float32")
        T.device_entry()
        block = T.cta_id([ctas])
        tid = T.thread_id([32])
        pool = T.SMEMPool()
        tiles = pool.alloc((stages, rows, 256), "float32", align=128, layout=TileLayout(S[stages, rows, 256]))
        full = pool.alloc((stages,), "uint64", align=8)
        pool.commit()
        if tid == 0:
            for s in T.unroll(stages):
                T.ptx.mbarrier.init(full.ptr_to([s]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        mine: T.let = T.ceildiv(T.ceildiv(n, rows) - block, ctas)
        if tid == 0:
            for step in T.serial(mine + ahead):
                if step < mine:
                    if step >= stages:
                        T.ptx.cp_async.bulk.wait_group(1, read=True)
                    row: T.let = (block + step * ctas) * rows
                    T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([step % stages]), rows * 256 * 4)
                    Tx.copy_async(
                        tiles[step % stages, :, :], A[row : row + rows, :], dispatch="tma", mbar=full.ptr_to([step % stages])
                    )
                if step >= ahead:
                    done: T.let = step - ahead
                    to: T.let = (block + done * ctas) * rows
                    T.ptx.mbarrier.try_wait(full.ptr_to([done % stages]), done // stages % 2)
                    Tx.copy_async(B[to : to + rows, :], tiles[done % stages, :, :], dispatch="tma")
                    T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0, read=True)

    return through_ring


def ldgsts(rows):
    """cp.async into shared memory, vectors from there: many small CTAs hide each other's waits."""

    @T.prim_func
    def through_shared(A_ptr: T.handle, B_ptr: T.handle):
        n = T.int32()
        A = T.match_buffer(A_ptr, (n, COLUMNS), "float32")
        B = T.match_buffer(B_ptr, (n, COLUMNS), "float32")
        T.device_entry()
        block = T.cta_id([n // rows])
        tid = T.thread_id([256])
        tile = T.alloc_shared([rows, COLUMNS], "float32")
        Tx.cta.copy_async(tile[:, :], A[block * rows : block * rows + rows, :], dispatch="ldgsts")
        T.ptx.cp_async.commit_group()
        T.ptx.cp_async.wait_group(0)
        T.cuda.cta_sync()
        Tx.cta.copy(B[block * rows : block * rows + rows, :], tile[:, :])

    return through_shared


def registers(vectors):
    """Each thread holds some vectors: all loads are on their way before the first store."""

    @T.prim_func
    def through_registers(A_ptr: T.handle, B_ptr: T.handle):
        n = T.int32()
        A = T.match_buffer(A_ptr, (n, vectors, 256, 4), "float32")
        B = T.match_buffer(B_ptr, (n, vectors, 256, 4), "float32")
        T.device_entry()
        block = T.cta_id([n])
        tid = T.thread_id([256])
        held = T.alloc_local((vectors, 4), "float32")
        for v in T.unroll(vectors):
            Tx.copy(held[v, :], A[block, v, tid, :])
        for v in T.unroll(vectors):
            Tx.copy(B[block, v, tid, :], held[v, :])

    return through_registers
