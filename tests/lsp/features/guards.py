# Guards and bounds: what fixes them is tried before it is offered.
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def neighbours(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    a = T.alloc_shared((64, 64), "float16", align=1024)
    b = T.alloc_shared((64, 64), "float16", align=1024)
    bar = T.alloc_shared([1], "uint64")
    Tx.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
    # @5 fixes:
#| TW3107 at 17:5 Tx.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
#| * Guard with one elected lane
#|         if T.ptx.elect_sync():
#|             Tx.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
#|             # @5 fixes
#|             Tx.copy_async(
#|                 b[:, :],
#|                 B[:, :],
#|   Silence TW3107 here
#|         Tx.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))  # tilewright: ignore[TW3107]
    Tx.copy_async(
        b[:, :],
        B[:, :],
        dispatch="tma",
        mbar=bar.ptr_to([0]),
    )


@T.prim_func
def apart(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_shared((64, 64), "float16", align=1024)
    bar = T.alloc_shared([1], "uint64")
    Tx.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
    # @5 fixes:
#| TW3107 at 38:5 Tx.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
#| * Guard with tid == 0
#|         if tid == 0:
#|             Tx.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
#|         # @5 fixes
#|         T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
#|         T.cuda.cta_sync()
#|         if tid == 0:
#|   Silence TW3107 here
#|         Tx.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))  # tilewright: ignore[TW3107]
    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
    T.cuda.cta_sync()
    Tx.copy_async(B[:, :], a[:, :], dispatch="tma")


@T.prim_func
def bounds(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (128, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    tile = T.alloc_shared((128, 64), "float16")
    Tx.cta.copy(tile[32:96, 0:64], A[0 : 64 + 1, 0:64])
    #                              ^ fixes:
#| TW2107 at 53:36 A[0 : 64 + 1, 0:64]
#| * Write 0:
#|         Tx.cta.copy(tile[32:96, 0:64], A[0:, 0:64])
    Tx.cta.copy(tile[0:64, :], A[0:64, 0 : 64 * 2])
    #                          ^ fixes:
#| TW2107 at 55:32 A[0:64, 0 : 64 * 2]
#| * Write 0:
#|         Tx.cta.copy(tile[0:64, :], A[0:64, 0:])
    Tx.cta.copy(tile[0:64, :], B[0 : 64 * 3, :])
    #                          ^ fixes:
#| TW2107 at 57:32 B[0 : 64 * 3, :]
#| * Write 0:64
#|         Tx.cta.copy(tile[0:64, :], B[0:64, :])


@T.prim_func
def unused(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(_ptr, (64, 64), "float16")
    #                  ^ fixes:
#| TW2002 at 64:24 _ptr
#| * Replace by B_ptr
#|         B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    Tx.cta.copy(B[:, :], A[:, :])
