# tilewright: arch sm_90a sm_100a
"""Boxes that reach over the edges of a tensor: negative coordinates, and coordinates past the end.

A load fills what lies outside with zeros (and counts its bytes all the same), a store leaves it out, so that neither
needs a condition. Only loads may start at negative coordinates.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

ROWS, COLS = 50, 68
TILE = 16
# One more row above and below; four more columns left and right, for the inner extent has whole 16 bytes.
BOX_ROWS, BOX_COLS = TILE + 2, TILE + 8
BYTES = BOX_ROWS * BOX_COLS * 4


@T.inline
def five_points(out, window, tid):
    """Twice each element less its four neighbours, zero outside of the tensor."""
    for i in T.unroll(TILE * TILE // 128):
        r: T.let = i * (128 // TILE) + tid // TILE
        c: T.let = tid % TILE
        out[r, c] = (
            window[r + 1, c + 4] * 2
            - window[r, c + 4]
            - window[r + 2, c + 4]
            - window[r + 1, c + 3]
            - window[r + 1, c + 5]
        )


@T.prim_func
def by_tile(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, COLS), "int32")
    B = T.match_buffer(B_ptr, (ROWS, COLS), "int32")
    T.device_entry()
    bx, by = T.cta_id([(COLS + TILE - 1) // TILE, (ROWS + TILE - 1) // TILE])
    tid = T.thread_id([128])
    window = T.alloc_shared([BOX_ROWS, BOX_COLS], "int32", align=128, layout=TileLayout(S[BOX_ROWS, BOX_COLS]))
    out = T.alloc_shared([TILE, TILE], "int32", align=128, layout=TileLayout(S[TILE, TILE]))
    arrived = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    if tid == 0:
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), BYTES)
        Tx.copy_async(
            window[:, :],
            A[by * TILE - 1 : by * TILE - 1 + BOX_ROWS, bx * TILE - 4 : bx * TILE - 4 + BOX_COLS],
            dispatch="tma",
            mbar=arrived.ptr_to([0]),
        )
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    five_points(out, window, tid)
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    if tid == 0:
        Tx.copy_async(B[by * TILE : by * TILE + TILE, bx * TILE : bx * TILE + TILE], out[:, :])
        T.ptx.cp_async.bulk.commit_group()
        T.ptx.cp_async.bulk.wait_group(0, read=True)


@T.prim_func
def by_hand(A_ptr: T.handle, B_ptr: T.handle):
    """The same in single instructions: the host part encodes both tensor maps, coordinates go innermost first."""
    A = T.match_buffer(A_ptr, (ROWS, COLS), "int32")
    B = T.match_buffer(B_ptr, (ROWS, COLS), "int32")
    # data type, rank, address; extents, byte strides, box, element strides; interleave, swizzle, L2 promotion, fill
    source: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed(
        "runtime.cuTensorMapEncodeTiled",
        source, "int32", 2, A.data, COLS, ROWS, COLS * 4, BOX_COLS, BOX_ROWS, 1, 1, 0, 0, 2, 0,
    )
    target: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed(
        "runtime.cuTensorMapEncodeTiled", target, "int32", 2, B.data, COLS, ROWS, COLS * 4, TILE, TILE, 1, 1, 0, 0, 2, 0
    )
    T.device_entry()
    bx, by = T.cta_id([(COLS + TILE - 1) // TILE, (ROWS + TILE - 1) // TILE])
    tid = T.thread_id([128])
    window = T.alloc_shared([BOX_ROWS, BOX_COLS], "int32", align=128)
    out = T.alloc_shared([TILE, TILE], "int32", align=128)
    arrived = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.ptx.prefetch_tensormap(T.address_of(source))
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    if tid == 0:
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), BYTES)
        T.ptx.cp_async.bulk.tensor.g2c(
            2, window.ptr_to([0, 0]), arrived.ptr_to([0]), T.address_of(source), 0, 1, "", bx * TILE - 4, by * TILE - 1
        )
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    five_points(out, window, tid)
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    if tid == 0:
        T.ptx.cp_async.bulk.tensor.s2g(2, out.ptr_to([0, 0]), T.address_of(target), "", bx * TILE, by * TILE)
        T.ptx.cp_async.bulk.commit_group()
        T.ptx.cp_async.bulk.wait_group(0, read=True)


# tilewright: reference python:reference
def reference(A):
    B = A * 2
    B[1:] -= A[:-1]
    B[:-1] -= A[1:]
    B[:, 1:] -= A[:, :-1]
    B[:, :-1] -= A[:, 1:]
    return {"B": B}
