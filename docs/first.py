# tilewright: arch sm_80 sm_90a
"""A first kernel: a tile goes to shared memory, is doubled there, and goes back."""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


# tilewright: reference plain
@T.prim_func
def doubled(A: T.Buffer((256, 64), "float16"), B: T.Buffer((256, 64), "float16")):
    T.device_entry()
    cta = T.cta_id([4])
    T.thread_id([128])
    tile = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy(tile[:, :], A[cta * 64 : cta * 64 + 64, :])
    T.cuda.cta_sync()
    Tx.cta.mul(tile[:, :], tile[:, :], T.float16(2))
    Tx.cta.copy(B[cta * 64 : cta * 64 + 64, :], tile[:, :])


@T.prim_func
def plain(A: T.Buffer((256, 64), "float16"), B: T.Buffer((256, 64), "float16")):
    T.device_entry()
    row = T.cta_id([256])
    column = T.thread_id([64])
    B[row, column] = A[row, column] * T.float16(2)
