# tilewright: arch sm_90a
# A CTA has the named barriers 0 to 15 (PTX ISA 9.7.13.1).
# verdict groups(1): clean
# verdict groups(14): clean
# verdict groups(15): TW5015 at `T.cuda.warpgroup_sync(first + wg)`
# verdict groups(-1): TW5015 at `T.cuda.warpgroup_sync(first + wg)`
# verdict meetings(14): clean
# verdict meetings(15): TW5015 at `T.ptx.bar.sync(first + wg, 128)`
from tvm.script import tirx as T


def groups(first):
    @T.prim_func
    def k(A: T.Buffer((2, 128), "float32"), B: T.Buffer((2, 128), "float32")):
        T.device_entry()
        T.cta_id([1])
        wg = T.warpgroup_id([2])
        tid = T.thread_id_in_wg([128])
        s = T.alloc_shared((2, 128), "float32")
        s[wg, tid] = A[wg, tid]
        T.cuda.warpgroup_sync(first + wg)
        B[wg, tid] = s[wg, 127 - tid]

    return k


def meetings(first):
    @T.prim_func
    def k(A: T.Buffer((2, 128), "float32"), B: T.Buffer((2, 128), "float32")):
        T.device_entry()
        T.cta_id([1])
        wg = T.warpgroup_id([2])
        tid = T.thread_id_in_wg([128])
        s = T.alloc_shared((2, 128), "float32")
        s[wg, tid] = A[wg, tid]
        T.ptx.bar.sync(first + wg, 128)
        B[wg, tid] = s[wg, 127 - tid]

    return k
