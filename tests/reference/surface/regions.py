"""Views, tensor memory and products of 0.26 and 0.27, right and wrong ones, as a reader of the documents writes them."""
from __future__ import annotations

from tvm.backend.cuda.tile_primitive.tma_utils import mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane, tmem_datapath_layout, wg_local_layout


def _tmem(body, cols=128, datapath=None, dtype="float32", rows=128):
    if datapath is None:
        datapath = tmem_datapath_layout("D", 128, cols)

    @T.prim_func
    def k(A: T.Buffer((128, 64), "float16"), B: T.Buffer((128, 64), "float16")):
        T.device_entry()
        bx = T.cta_id([1])
        wg = T.warpgroup_id([1])
        warp = T.warp_id([4])
        tx = T.thread_id([128])
        addr = T.alloc_shared([1], "uint32")
        bar = T.alloc_shared([1], "uint64")
        X = T.alloc_buffer((128, 64), "float16", scope="shared", align=1024, layout=mma_shared_layout("float16", 3, (128, 64)))
        Y = T.alloc_buffer((128, 64), "float16", scope="shared", align=1024, layout=mma_shared_layout("float16", 3, (128, 64)))
        D = T.decl_buffer((rows, cols), dtype, scope="tmem", allocated_addr=0, layout=datapath)
        r = T.alloc_buffer((128, cols), dtype, scope="local", layout=wg_local_layout(cols))
        body(A, B, X, Y, D, r, bar, tx)

    return k


def load_all():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warpgroup.copy_async(r[:, :], D[:, :]))


def load_a_window():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warpgroup.copy_async(r[:, 0:32], D[:, 64:96]))


def load_an_odd_window():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warpgroup.copy_async(r[:, 0:24], D[:, 8:32]))


def load_of_another_width():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warpgroup.copy_async(r[:, 0:32], D[:, 0:64]))


def load_rows():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warpgroup.copy_async(r[0:64, :], D[0:64, :]))


def store_a_window():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warpgroup.copy_async(D[:, 32:64], r[:, 96:128]))


def load_by_a_warp():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warp.copy_async(r[:, 0:32], D[:, 64:96]))


def load_by_a_copy():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warpgroup.copy(r[:, 0:32], D[:, 64:96]))


def load_datapath_f():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warpgroup.copy_async(r[0:64, :], D[:, :]), datapath=tmem_datapath_layout("F", 64, 128), rows=64)


def product():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], dispatch="tcgen05"))


def product_of_a_warp():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.warp.gemm_async(D[:, :], X[:, :], Y[:, :]))


def product_accumulating():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], accum=True))


def product_narrow():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, 0:64], X[:, :], Y[0:64, :]))


def product_of_other_extents():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, 0:64], X[:, :], Y[:, :]))


def product_of_half_k():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, 0:32], Y[:, 0:32]))


def product_of_a_bit_of_k():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, 0:8], Y[:, 0:8]))


def product_tile_m_alone():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], mma_m=128))


def product_tile_both():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], mma_m=128, mma_n=64))


def product_tile_that_does_not_divide():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], mma_m=128, mma_n=96))


def product_encode():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], smem_desc="encode"))


def product_desc_of_another_name():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], smem_desc="guess"))


def product_with_old_descriptor():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], descI=T.uint32(3)))


def product_stationary_by_flag():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], weight_stationary=True))


def product_of_64_rows():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[0:64, :], Y[:, :]), datapath=tmem_datapath_layout("F", 64, 128), rows=64)


def product_of_path_b():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[0:64, :], Y[:, :], weight_stationary=True), datapath=tmem_datapath_layout("B", 64, 128), rows=64)


def product_of_path_b_by_default():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[0:64, :], Y[:, :]), datapath=tmem_datapath_layout("B", 64, 128), rows=64)


def product_into_float16():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :]), dtype="float16")


def product_by_pair():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, :], X[:, :], Y[:, :], cta_group=2))


def product_transposed():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.gemm_async(D[:, 0:64], X[:, :], Y[0:64, :], transB=True))


def to_tensor_memory():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.copy_async(D[:, 0:32], X[:, :]), cols=64, dtype="float16", datapath=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))


def to_tensor_memory_by_shape():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.copy_async(D[:, :], X[:, :], shape="128x256b"), cols=64, dtype="float16", datapath=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))


def to_tensor_memory_by_wrong_shape():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.copy_async(D[:, :], X[:, :], shape="12x256b"), cols=64, dtype="float16", datapath=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))


def to_tensor_memory_decompressed():
    return _tmem(lambda A, B, X, Y, D, r, bar, t: Tx.copy_async(D[:, :], X[:, :], decompress="b4"), cols=64, dtype="float16", datapath=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))


def _views(body):
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float32")):
        T.device_entry()
        bx = T.cta_id([1])
        tx = T.thread_id([64])
        X = T.alloc_buffer((64, 64), "float32", scope="shared")
        v = body(X)
        T.buffer_store(v, T.float32(1), [0 for _ in v.shape])
        A[tx, 0] = X[tx, 0]

    return k


def sub_negative():
    return _views(lambda X: X.sub[-1])


def sub_open():
    return _views(lambda X: X.sub[8:])


def sub_beyond():
    return _views(lambda X: X.sub[60:70])


def sub_two():
    return _views(lambda X: X.sub[3, 4:12])


def sub_too_many():
    return _views(lambda X: X.sub[1, 2, 3])


def sub_empty():
    return _views(lambda X: X.sub[4:4])


def tile_all():
    return _views(lambda X: X.tile(0, (8, 8))[2, :])


def tile_two_unknown():
    return _views(lambda X: X.tile(0, (-1, -1))[2, :])


def tile_too_few_picks():
    return _views(lambda X: X.tile(0, (8, 8))[2])


def tile_beyond():
    return _views(lambda X: X.tile(0, (8, 8))[9, :])


def rearrange_merge():
    return _views(lambda X: X.rearrange("a b -> (a b)"))


def rearrange_split():
    return _views(lambda X: X.rearrange("(a b) c -> a b c", a=4))


def rearrange_transposed():
    return _views(lambda X: X.rearrange("a b -> b a"))


def rearrange_unequal():
    return _views(lambda X: X.rearrange("(a b) c -> a b c", a=5))


def rearrange_lost_axis():
    return _views(lambda X: X.rearrange("a b -> a"))


def rearrange_twice_named():
    return _views(lambda X: X.rearrange("a a -> a a"))


def rearrange_of_three():
    return _views(lambda X: X.rearrange("a b c -> c b a"))


def permute_wrong():
    return _views(lambda X: X.permute(0, 0))


def permute_right():
    return _views(lambda X: X.permute(1, 0))


def view_as_bytes():
    return _views(lambda X: X.view(64, 64).sub[0])
