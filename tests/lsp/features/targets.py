# An architecture that does not exist becomes one that serves the script, not only the nearest.
# tilewright: arch sm_90b
#                  ^ fixes:
#| TW2313 at 2:20 sm_90b
#| * Change to sm_100a
#|     # tilewright: arch sm_100a
from tvm.script import tirx as T


@T.prim_func
def kernel(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128,), "float32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    if warp == 0:
        T.ptx.tcgen05.alloc(address.ptr_to([0]), n_cols=32)
    T.cuda.cta_sync()
    A[tid] = 1.0
