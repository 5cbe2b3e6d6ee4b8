# Inlay hints: what the author did not write.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


def make(rows):
    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, 64), "float16")
        B = T.match_buffer(B_ptr, (rows, 64), A.dtype)
        T.device_entry()
        T.cta_id([rows // 8])
        T.warp_id([1])
        lane = T.lane_id([32])
        smem = T.alloc_buffer((rows, 64), A.dtype, scope="shared")
        Tx.warp.copy(smem[:, :], A[:, :])
        Tx.warp.copy(smem[0:rows, 0:8], A[0:rows, 0:8])
        T.cuda.cta_sync()
        x = smem[lane, 0]
        y: T.let = lane * 2
        B[0, y] = x

    return kernel


first = make(32)
second = make(8)

# inlayHint:
#| 10:10 : float16[32, 64]
#| 12:30 0..3
#| 15:13 : float16[32, 64] shared
#| 16:42 → gmem_smem · 128-bit · ×8 · 4,096 B (and 1 other)
#| 17:56 → gmem_smem · 128-bit · ×1 · 512 B (and 1 other)
#| 19:10 : float16
