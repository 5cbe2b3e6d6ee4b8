# Hovers speak as the script does: scalars by their names, parts of a value by the way to them.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.meta_class
class State:
    def __init__(self):
        self.stage = T.local_scalar("int32")


@T.prim_func
def kernel(A: T.Buffer((1024, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    ring = T.alloc_shared((2, 128, 64), "float16")
    st = State()
    st.stage = 0
    m: T.int32 = 0
    while m < 8:
        Tx.cta.copy_async(ring[st.stage, :, :], A[m * 128 : m * 128 + 128, :])
        #      ^ hover:
#| 22:9 Tx.cta.copy_async
#| copy_async → ldgsts    cta, 128 threads
#|   A[m * 128:m * 128 + 128, 0:64] float16 global
#| → ring[st.stage, 0:128, 0:64] float16 shared
#| together laneid 0..31, warpid 0..3; instances cta_id 0
#| 128-bit, 8 elements a lane, 8 rounds, 16,384 bytes
#| not chosen: dsmem, smem->tmem, tmem<->local (source is global and destination shared) · tma (one thread issues tensor copies, this is cta scope: guard with one ...)
#| ── IR ──
#| for r in T.serial(8, unroll=True):
#|     s_offset: T.let[T.int32] = st_stage * 8192 + r * 1024 + tid * 8
#|     g_offset: T.let[T.int32] = m * 8192 + r * 1024 + tid * 8
#|     T.ptx.cp_async(T.address_of(ring[s_offset]), T.address_of(A[g_offset]), 16)
#| ── CUDA (lines 16–22) ──
#| #pragma unroll
#| for (int r = 0; r < 8; ++r) {
#|   int s_offset = st_stage * 8192 + r * 1024 + tid * 8;
#|   int g_offset = m * 8192 + r * 1024 + tid * 8;
#|   tvm_builtin_ptx_cp_async_16(&ring[s_offset], &A[g_offset]);
#| }
        T.evaluate(m * 128 + st.stage)
        #                  ^ hover:
#| 24:20 m * 128 + st.stage
#| expression    int32
#| m * 128 + st.stage
        T.evaluate(st.stage)
        #             ^ hover:
#| 26:23 stage
#| st.stage    scalar variable
#| int32, local
        st.stage = st.stage ^ 1
        m = m + 1
