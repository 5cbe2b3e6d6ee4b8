# tilewright: arch sm_90a sm_100a
"""Dynamic shared memory from a pool: two tiles in one arena, the second in the 128-byte swizzle that MMA and TMA read.

`commit` fixes the arena's size; it becomes the launch's dynamic shared memory (`--emit plan` shows it).
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def pool_round_trip(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, 64), "float16")
    B = T.match_buffer(B_ptr, (128, 64), "float16")
    C = T.match_buffer(C_ptr, (128, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([256])
    pool = T.SMEMPool()
    swizzled = pool.alloc_mma((128, 64), "float16")
    plain = pool.alloc((128, 64), "float16", layout=TileLayout(S[128, 64]), align=128)
    pool.commit()
    Tx.cta.copy(swizzled[:, :], A[:, :])
    Tx.cta.copy(plain[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], swizzled[:, :])
    Tx.cta.copy(C[:, :], plain[:, :])


# tilewright: reference python:reference
def reference(A):
    return {"B": A, "C": A}
