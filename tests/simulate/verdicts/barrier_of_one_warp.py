# tilewright: arch sm_90a
# A named barrier of 32 threads is for one warp, and each warp meets itself. One of more threads is for so many warps.
# verdict make(32, 4, 1): clean
# verdict make(32, 8, 3): clean
# verdict make(128, 4, 1): clean
# verdict make(64, 4, 1): TW5040
# verdict data(True): clean
# verdict data(False): TW5020
from tvm.script import tirx as T


def make(count, warps, rounds):
    @T.prim_func
    def k(B: T.Buffer((warps * 32,), "int32")):
        T.device_entry()
        T.cta_id([1])
        T.warp_id([warps])
        tid = T.thread_id([warps * 32])
        for i in T.serial(rounds):
            T.ptx.bar.sync(1, count)
        B[tid] = tid

    return k


def data(own):
    @T.prim_func
    def k(B: T.Buffer((64,), "int32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([2])
        lane = T.lane_id([32])
        s = T.alloc_shared([2, 32], "int32")
        s[warp, lane] = lane
        T.ptx.bar.sync(2, 32)
        B[warp * 32 + lane] = s[warp if own else 1 - warp, 31 - lane]

    return k
