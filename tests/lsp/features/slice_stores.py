# A slice that is assigned: the tile primitive that does what is meant, at the scope whose threads get there.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def kernel(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    T.lane_id([32])
    T.thread_id([128])
    tile = T.alloc_shared((64, 64), "float16")
    other = T.alloc_shared((64, 64), "float16")
    tile[:, :] = 0
    # @5 fixes:
#| TW2108 at 15:5 tile[:, :]
#| * Write Tx.cta.fill
#|         Tx.cta.fill(tile[:, :], 0)
    tile[0:64, :] = A[:, :]
    # @5 fixes:
#| TW2108 at 17:5 tile[0:64, :]
#| * Write Tx.cta.copy
#|         Tx.cta.copy(tile[0:64, :], A[:, :])
    B[:, :] = tile[:, :]
    # @5 fixes:
#| TW2108 at 19:5 B[:, :]
#| * Write Tx.cta.copy
#|         Tx.cta.copy(B[:, :], tile[:, :])
    if warp == 0:
        other[:, 0:8] = T.float16(1)
        # @9 fixes:
#| TW2108 at 22:9 other[:, 0:8]
#| * Write Tx.warp.fill
#|             Tx.warp.fill(other[:, 0:8], T.float16(1))
    tile[0, 0:4] = other[0:4, 0:4]
    #              ^ fixes: TW2108 at 24:20 other[0:4, 0:4]
    B[:, :] = 0
    # @5 fixes: TW2108 at 26:5 B[:, :]
