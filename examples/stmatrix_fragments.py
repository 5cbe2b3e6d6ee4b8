# tilewright: arch sm_90a sm_100a
"""A fragment there and back: ldmatrix from one tile of shared memory, stmatrix (sm_90 and later) into another."""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, ComposeLayout, SwizzleLayout, TileLayout, laneid

FRAGMENT = TileLayout(S[(2, 8, 4, 2, 4, 2) : (2, 4 @ laneid, 8, 4, 1 @ laneid, 1)])
SWIZZLED = ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[16, 64]))


@T.prim_func
def there_and_back(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (16, 64), "float16")
    B = T.match_buffer(B_ptr, (16, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    source = T.alloc_buffer((16, 64), "float16", scope="shared", layout=SWIZZLED)
    target = T.alloc_buffer((16, 64), "float16", scope="shared", layout=SWIZZLED)
    fragment = T.alloc_buffer((16, 64), "float16", scope="local", layout=FRAGMENT)
    Tx.warp.copy(source[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(fragment[:, :], source[:, :])
    Tx.warp.copy(target[:, :], fragment[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], target[:, :])


# tilewright: reference python:reference
def reference(A):
    return {"B": A}
