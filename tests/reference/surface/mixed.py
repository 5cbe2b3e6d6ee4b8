"""Launches, pools, views, boxes, tensor memory and windows of 0.26 and 0.27, right and wrong ones, a third reader's."""
from __future__ import annotations

from tvm.backend.cuda.tile_primitive.tma_utils import mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.alloc_pool import SMEMPool
from tvm.tirx.layout import ComposeLayout, S, TCol, TileLayout, TLane, tmem_datapath_layout, wg_local_layout


def _launch(body, threads=128):
    @T.prim_func
    def k(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32")):
        T.device_entry()
        bx = T.cta_id([2])
        wg = T.warpgroup_id([threads // 128])
        warp = T.warp_id([threads // 32])
        lane = T.lane_id([32])
        tx = T.thread_id([threads])
        body(A, B, bx, wg, warp, lane, tx)

    return k


def _extents(**ids):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([ids.get("ctas", 1)])
        warp = T.warp_id([ids.get("warps", 2)])
        lane = T.lane_id([ids.get("lanes", 32)])
        tx = T.thread_id([ids.get("threads", 64)])
        A[tx] = T.Cast("float32", bx + warp + lane)

    return k


def extents_that_agree():
    return _extents()


def extents_that_disagree():
    return _extents(warps=4)


def extents_of_half_a_warp():
    return _extents(lanes=16, warps=4)


def extents_of_zero():
    return _extents(ctas=0)


def extents_too_many_threads():
    return _extents(warps=64, threads=2048)


def extents_in_three():
    @T.prim_func
    def k(A: T.Buffer((4, 3, 2), "float32")):
        T.device_entry()
        x, y, z = T.cta_id([4, 3, 2])
        tx = T.thread_id([32])
        if tx == 0:
            A[x, y, z] = 1.0

    return k


def extents_in_four():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        x, y, z, w = T.cta_id([4, 3, 2, 1])
        tx = T.thread_id([32])
        A[tx] = 1.0

    return k


def cluster_in_two():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([8])
        cx, cy = T.cta_id_in_cluster([2, 2])
        tx = T.thread_id([64])
        A[tx] = T.Cast("float32", cx + cy + bx)

    return k


def cluster_that_does_not_divide():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([6])
        cx = T.cta_id_in_cluster([4])
        tx = T.thread_id([64])
        A[tx] = T.Cast("float32", cx + bx)

    return k


def copy_of_a_quarter():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.cta.copy(B[0:32, :], A[32:64, :]))


def copy_of_a_column():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.cta.copy(B[:, 0:1], A[:, 5:6]))


def copy_beyond_the_end():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.cta.copy(B[0:32, :], A[112:144, :]))


def copy_of_another_rank():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.cta.copy(B[0, 0:128], A[0:1, 0:128]))


def copy_of_a_whole_buffer():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.cta.copy(B, A))


def copy_by_an_unknown_scope():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.grid.copy(B[:, :], A[:, :]))


def copy_with_an_unknown_variant():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.cta.copy(B[:, :], A[:, :], dispatch="vec_48b"))


def copy_by_a_warp_of_its_rows():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.warp.copy(B[warp * 32 : warp * 32 + 32, :], A[warp * 32 : warp * 32 + 32, :]))


def sum_of_rows():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.cta.add(B[:, :], A[:, :], T.float32(1.0)))


def sum_of_a_python_number():
    return _launch(lambda A, B, bx, wg, warp, lane, tx: Tx.cta.add(B[:, :], A[:, :], 1.0))


def _pool(body):
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        warp = T.warp_id([4])
        tx = T.thread_id([128])
        pool = SMEMPool()
        s = body(pool)
        pool.commit()
        Tx.cta.copy(s[:, :], A[:, :])
        T.cuda.cta_sync()
        Tx.cta.copy(A[:, :], s[:, :])

    return k


def pool_plain():
    return _pool(lambda p: p.alloc((64, 64), "float16", align=128))


def pool_by_layout():
    return _pool(lambda p: p.alloc((64, 64), "float16", layout=TileLayout(S[(64, 64) : (72, 1)])))


def pool_by_swizzle():
    return _pool(lambda p: p.alloc((64, 64), "float16", align=1024, layout=ComposeLayout(3, 3, 3, TileLayout(S[(64, 64) : (64, 1)]))))


def pool_of_an_odd_alignment():
    return _pool(lambda p: p.alloc((64, 64), "float16", align=48))


def pool_of_another_dtype():
    return _pool(lambda p: p.alloc((64, 64), "float17"))


def pool_moved():
    def body(p):
        p.alloc((64,), "float32")
        p.move_base_to(4096)
        return p.alloc((64, 64), "float16")

    return _pool(body)


def pool_moved_back():
    def body(p):
        p.alloc((2048,), "float32")
        p.move_base_to(0)
        return p.alloc((64, 64), "float16")

    return _pool(body)


def pool_with_an_unknown_word():
    return _pool(lambda p: p.alloc((64, 64), "float16", alignment=128))


def _views(body):
    @T.prim_func
    def k(A: T.Buffer((64,), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        s = T.alloc_shared((8, 64), "float16", layout=TileLayout(S[(8, 64) : (64, 1)]))
        v = body(s)
        v[1, 2] = T.float16(1)
        A[tx] = s[0, 0]

    return k


def view_in_chunks():
    return _views(lambda s: s.chunk(2, 0)[1])


def view_in_chunks_of_columns():
    return _views(lambda s: s.chunk(4, 1)[3])


def view_in_chunks_of_no_axis():
    return _views(lambda s: s.chunk(4, 2)[0])


def view_reshaped():
    return _views(lambda s: s.view(16, 32))


def view_reshaped_to_more():
    return _views(lambda s: s.view(16, 64))


def view_as_words():
    return _views(lambda s: s.view("uint32"))


def view_permuted():
    return _views(lambda s: s.permute(1, 0))


def view_sub_then_tile():
    return _views(lambda s: s.sub[2:6].tile(0, (2, -1))[1, :])


def _windows(body, cols=64):
    @T.prim_func
    def k(A: T.Buffer((128, cols), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        wg = T.warpgroup_id([1])
        warp = T.warp_id([4])
        tx = T.thread_id([128])
        D = T.decl_buffer((128, cols), "float32", scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, cols) : (1 @ TLane, 1 @ TCol)]))
        r = T.alloc_buffer((128, cols), "float32", scope="local", layout=wg_local_layout(cols))
        body(D, r)

    return k


def window_of_one_column():
    return _windows(lambda D, r: Tx.warpgroup.copy_async(r[:, 3:4], D[:, 7:8]))


def window_of_five_columns():
    return _windows(lambda D, r: Tx.warpgroup.copy_async(r[:, 0:5], D[:, 3:8]))


def window_out_of_the_registers():
    return _windows(lambda D, r: Tx.warpgroup.copy_async(r[:, 48:80], D[:, 0:32]))


def window_there_and_back():
    def body(D, r):
        Tx.warpgroup.copy_async(D[:, 0:16], r[:, 16:32])
        Tx.warpgroup.copy_async(r[:, 0:16], D[:, 0:16])

    return _windows(body)


def window_between_tensor_memories():
    return _windows(lambda D, r: Tx.warpgroup.copy_async(D[:, 0:16], D[:, 16:32]))


def window_by_a_cta():
    return _windows(lambda D, r: Tx.cta.copy_async(r[:, 0:16], D[:, 16:32]))


def window_by_a_datapath_of_64():
    def body(D, r):
        F = T.decl_buffer((64, 64), "float32", scope="tmem", allocated_addr=0, layout=tmem_datapath_layout("F", 64, 64))
        Tx.warpgroup.copy_async(r[0:64, :], F[:, :])

    return _windows(body)
