# Arithmetic on tiles: the variant, how many elements it takes at a time, and why not.
#--- rows of a warp: two at a time, and a cast  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid

@T.prim_func
def k(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 8), "float32")
    B = T.match_buffer(B_ptr, (32, 8), "float16")
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    a = T.alloc_buffer((32, 8), "float32", scope="local", layout=TileLayout(S[(32, 8) : (1 @ laneid, 1)]))
    b = T.alloc_buffer((32, 8), "float16", scope="local", layout=TileLayout(S[(32, 8) : (1 @ laneid, 1)]))
    Tx.warp.copy(a[:, :], A[:, :])
    Tx.warp.add(a[:, :], a[:, :], 2.0)
    Tx.warp.cast(b[:, :], a[:, :])
    Tx.warp.copy(B[:, :], b[:, :])
#| 15 copy -> reg: vec_bits 128, per_thread 8
#|   gmem_smem rejected: source is global and destination local; gmem_smem moves global <-> shared
#|   ldstmatrix rejected: source is global and destination local; ldstmatrix moves registers <-> shared
#|   fallback not_tried: a is spread over the registers of several threads, and the fallback runs in one
#| 16 add -> reg: vec_elems 2, per_thread 8, outer 4, packed add.rz.ftz.f32x2
#| 17 cast -> reg: vec_elems 2, per_thread 8, outer 4, packed float32x2 to float16x2
#| 18 copy -> reg: vec_bits 128, per_thread 8
#|   gmem_smem rejected: source is local and destination global; gmem_smem moves global <-> shared
#|   ldstmatrix rejected: source is local and destination global; ldstmatrix moves registers <-> shared
#|   fallback not_tried: b is spread over the registers of several threads, and the fallback runs in one

