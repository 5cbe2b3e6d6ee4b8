"""What `check --simulate` is for: a tile is read before all threads have written it."""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def turned(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (16, 16), "float32")
    B = T.match_buffer(B_ptr, (16, 16), "float32")
    T.device_entry()
    T.cta_id([1])
    row, column = T.thread_id([16, 16])
    tile = T.alloc_shared([16, 16], "float32")
    Tx.cta.copy(tile[:, :], A[:, :])
    B[column, row] = tile[row, column]
