# tilewright: dialect 0.26
"""Calls of tile primitives, pools and wrappers in 0.26, right and wrong ones, as a reader of the documents writes them."""
from __future__ import annotations

from tvm.backend.cuda.tile_primitive.tma_utils import SwizzleMode, mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.alloc_pool import SMEMPool, TMEMPool
from tvm.tirx.lang.pipeline import MBarrier, Pipeline, PipelineState, TCGen05Bar, TMABar
from tvm.tirx.layout import ComposeLayout, R, S, TCol, TileLayout, TLane, laneid, tmem_datapath_layout, wg_local_layout


def _thread(body, n=64, dtype="float16", extra=()):
    @T.prim_func
    def k(A: T.Buffer((128, n), dtype), B: T.Buffer((128, n), dtype)):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        R0 = T.alloc_buffer((n,), dtype, scope="local")
        X = T.alloc_buffer((128, n), dtype, scope="shared", align=1024)
        body(A, B, R0, X, tx)

    return k


def vec_128_nc():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:8], A[t, 0:8], dispatch="vec_128b", cache="nc", l1_evict="no_allocate"))


def vec_128_evict_first():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:8], A[t, 0:8], dispatch="vec_128b", l1_evict="evict_first"))


def vec_128_l1_unknown():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:8], A[t, 0:8], dispatch="vec_128b", l1_evict="sometimes"))


def vec_256_l2():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:16], A[t, 0:16], dispatch="vec_256b", l2_evict="evict_last"))


def vec_128_l2():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:8], A[t, 0:8], dispatch="vec_128b", l2_evict="evict_last"))


def vec_64_prefetch():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:4], A[t, 0:4], dispatch="vec_64b", prefetch_size=128))


def vec_64_prefetch_odd():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:4], A[t, 0:4], dispatch="vec_64b", prefetch_size=100))


def vec_store_nc():
    return _thread(lambda A, B, r, X, t: Tx.copy(B[t, 0:8], r[0:8], dispatch="vec_128b", cache="nc"))


def vec_store_evict():
    return _thread(lambda A, B, r, X, t: Tx.copy(B[t, 0:8], r[0:8], dispatch="vec_128b", l1_evict="evict_last"))


def vec_auto_nc():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:8], A[t, 0:8], cache="nc"))


def vec_auto_to_shared_nc():
    return _thread(lambda A, B, r, X, t: Tx.cta.copy(X[:, :], A[:, :], cache="nc"))


def vec_16_two_elements():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:2], A[t, 0:2], dispatch="vec_16b"))


def vec_16_one():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[3:4], A[t, 3:4], dispatch="vec_16b"))


def vec_shared_to_shared():
    return _thread(lambda A, B, r, X, t: Tx.copy(X[t, 0:8], X[t, 8:16], dispatch="vec_128b"))


def vec_unaligned():
    return _thread(lambda A, B, r, X, t: Tx.copy(r[0:8], A[t, 1:9], dispatch="vec_128b"))


def vec_cast():
    @T.prim_func
    def k(A: T.Buffer((128, 8), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        r = T.alloc_buffer((8,), "float32", scope="local")
        Tx.copy(r[0:8], A[tx, 0:8], dispatch="vec_128b")

    return k


def unequal_regions():
    return _thread(lambda A, B, r, X, t: Tx.cta.copy(X[0:64, 0:64], A[0:32, 0:64]))


def unit_extents():
    return _thread(lambda A, B, r, X, t: Tx.cta.copy(X[3, 0:64], A[5:6, 0:64]))


def config_that_is_none():
    return _thread(lambda A, B, r, X, t: Tx.cta.copy(X[:, :], A[:, :], vec_len=4))


def gmem_smem_by_name():
    return _thread(lambda A, B, r, X, t: Tx.cta.copy(X[:, :], A[:, :], dispatch="gmem_smem"))


def maximum_thread():
    return _thread(lambda A, B, r, X, t: Tx.maximum(r[0:8], r[0:8], r[8:16]))


def minimum_thread():
    return _thread(lambda A, B, r, X, t: Tx.minimum(r[0:8], r[0:8], r[8:16]))


def log2_scaled():
    return _thread(lambda A, B, r, X, t: Tx.log2(r[0:8], r[8:16], None, 2.0), dtype="float32")


def cast_by_names():
    @T.prim_func
    def k(A: T.Buffer((128, 8), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        r = T.alloc_buffer((8,), "float32", scope="local")
        h = T.alloc_buffer((8,), "float16", scope="local")
        Tx.cast(h[0:8], r[0:8])
        A[tx, 0] = T.cast(r[0], "float16")

    return k


def cast_by_old_keyword():
    @T.prim_func
    def k(A: T.Buffer((128, 8), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        A[tx, 0] = T.cast(src=T.float32(1), dtype="float16")

    return k


def cast_by_new_keyword():
    @T.prim_func
    def k(A: T.Buffer((128, 8), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        A[tx, 0] = T.cast(value=T.float32(1), dtype="float16")

    return k


def _tma(body, shape=(256, 128), dtype="float16", tile=(64, 64), layout=None):
    if layout is None:
        layout = mma_shared_layout(dtype, 3, tile)

    @T.prim_func
    def k(A: T.Buffer(shape, dtype), B: T.Buffer(shape, dtype)):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([128])
        X = T.alloc_buffer(tile, dtype, scope="shared", align=1024, layout=layout)
        bar = T.alloc_shared([1], "uint64")
        if tx == 0:
            body(A, B, X, bar)

    return k


def tma_auto_load():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:64, 0:64], dispatch="tma_auto", mbar=bar.ptr_to([0])))


def tma_auto_store():
    return _tma(lambda A, B, X, bar: Tx.copy_async(A[0:64, 0:64], X[:, :], dispatch="tma_auto"))


def tma_by_old_name():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:64, 0:64], dispatch="tma", mbar=bar.ptr_to([0])))


def tma_without_barrier():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:64, 0:64], dispatch="tma_auto"))


def tma_store_with_barrier():
    return _tma(lambda A, B, X, bar: Tx.copy_async(A[0:64, 0:64], X[:, :], dispatch="tma_auto", mbar=bar.ptr_to([0])))


def tma_unknown_key():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:64, 0:64], dispatch="tma_auto", mbar=bar.ptr_to([0]), speed=2))


def tma_explicit_box():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[64:128, 64:128], dispatch="tma_explicit", mbar=bar.ptr_to([0])))


def tma_explicit_wide_box():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:64, 0:128], dispatch="tma_explicit", mbar=bar.ptr_to([0])), tile=(64, 128))


def tma_explicit_gather():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:1, 0:64], dispatch="tma_explicit", mbar=bar.ptr_to([0]), gather4=(3, 9, 1, 200)), tile=(4, 64), layout=TileLayout(S[(4, 64) : (64, 1)]))


def tma_explicit_gather_of_three():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:1, 0:64], dispatch="tma_explicit", mbar=bar.ptr_to([0]), gather4=(3, 9, 1)), tile=(4, 64), layout=TileLayout(S[(4, 64) : (64, 1)]))


def tma_auto_gather():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:1, 0:64], dispatch="tma_auto", mbar=bar.ptr_to([0]), gather4=(3, 9, 1, 200)), tile=(4, 64), layout=TileLayout(S[(4, 64) : (64, 1)]))


def tma_explicit_selector():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:64, 0:64], dispatch="tma_explicit", mbar=bar.ptr_to([0]), src_selector=[(T.bool(True), A), (T.bool(False), B)]))


def tma_promotion():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:64, 0:64], dispatch="tma_auto", mbar=bar.ptr_to([0]), tensormap_l2_promotion=3))


def tma_dtype_tf32():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:64, 0:32], dispatch="tma_auto", mbar=bar.ptr_to([0]), tma_dtype="tfloat32"), dtype="float32", tile=(64, 32))


def tma_of_another_size():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[0:32, 0:128], dispatch="tma_auto", mbar=bar.ptr_to([0])))


def tma_oob_nan():
    return _tma(lambda A, B, X, bar: Tx.copy_async(X[:, :], A[224:288, 0:64], dispatch="tma_auto", mbar=bar.ptr_to([0]), oob="nan"))


def tma_reduce():
    return _tma(lambda A, B, X, bar: Tx.copy_async(A[0:64, 0:64], X[:, :], dispatch="tma_auto", use_tma_reduce="add"))


def ldgsts_direct():
    return _thread(lambda A, B, r, X, t: Tx.copy_async(X[t, 0:8], A[t, 0:8], dispatch="ldgsts", direct=True))


def ldgsts_predicate():
    return _thread(lambda A, B, r, X, t: Tx.copy_async(X[t, 0:8], A[t, 0:8], dispatch="ldgsts", direct=True, predicate=t < 100, fill_mode="zero"))


def ldgsts_fill_alone():
    return _thread(lambda A, B, r, X, t: Tx.copy_async(X[t, 0:8], A[t, 0:8], dispatch="ldgsts", fill_mode="zero"))


def ld_by_dst():
    return _thread(lambda A, B, r, X, t: T.ptx.ld(A.ptr_to([t, 0]), "uint32", "b32", space="global", vec="v4", dst=r.ptr_to([0])))


def st_by_src():
    return _thread(lambda A, B, r, X, t: T.ptx.st(B.ptr_to([t, 0]), space="global", ptx_type="b32", vec="v4", src=r.ptr_to([0])))


def commit_noinc():
    return _tma(lambda A, B, X, bar: T.ptx.cp_async.mbarrier.arrive.noinc(bar.ptr_to([0])))


def pool_of_all_uses():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        warp = T.warp_id([4])
        tx = T.thread_id([128])
        pool = SMEMPool()
        a = pool.alloc_tcgen05_mma_AB((128, 64), "float16")
        b = pool.alloc_tcgen05_mma_AB((2, 64, 64), "float16", swizzle_mode=SwizzleMode.SWIZZLE_64B_ATOM)
        c = pool.alloc((64,), "float32")
        pool.commit()
        c[tx % 64] = T.float32(1)
        A[tx % 64] = c[tx % 64]

    return k


def remote_arrive():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        cta = T.cta_id_in_cluster([2])
        bx = T.cta_id([2])
        tx = T.thread_id([64])
        pool = SMEMPool()
        bar = MBarrier(pool, 2)
        pool.commit()
        bar.init(1)
        if tx == 0:
            bar.arrive(0, remote=1, pred=True)
            bar.arrive(1)

    return k


def arrive_by_cta_id():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        cta = T.cta_id_in_cluster([2])
        bx = T.cta_id([2])
        tx = T.thread_id([64])
        pool = SMEMPool()
        bar = MBarrier(pool, 2)
        pool.commit()
        bar.init(1)
        if tx == 0:
            bar.arrive(0, cta_id=1)

    return k


def chunk_of_rows():
    return _thread(lambda A, B, r, X, t: Tx.cta.copy(X.chunk((2, 1))[1, 0], A.chunk((2, 1))[0, 0]))


def chunk_that_does_not_divide():
    return _thread(lambda A, B, r, X, t: Tx.cta.copy(X.chunk((3, 1))[1, 0], A.chunk((3, 1))[0, 0]))


def shuffle_one():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([16])
        A[tx] = T.Shuffle([A.vload([tx * 4], "float32x4")], [2])

    return k


def shuffle_reversed():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([16])
        A.vstore([tx * 4], T.Shuffle([A.vload([tx * 4], "float32x4")], [3, 2, 1, 0]))

    return k


def return_in_branch():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        if tx > 32:
            T.Return(0)
        A[tx] = T.float32(1)

    return k


def ret_by_old_name():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        if tx > 32:
            T.ret(0)
        A[tx] = T.float32(1)

    return k


def f32x2_in_place():
    @T.prim_func
    def k(A: T.Buffer((64,), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([16])
        r = T.alloc_buffer((4,), "float32", scope="local")
        Tx.copy(r[0:4], A[tx * 4 : tx * 4 + 4])
        T.ptx.add_f32x2(r.ptr_to([0]), r.ptr_to([0]), r.ptr_to([2]))
        A[tx] = r[0]

    return k


def f32x2_by_value():
    @T.prim_func
    def k(A: T.Buffer((64,), "uint64")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([16])
        A[tx] = T.ptx.add_f32x2(A[tx], A[tx + 16], dps=False)

    return k
