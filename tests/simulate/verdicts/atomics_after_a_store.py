# tilewright: arch sm_90a
# tilewright: dialect 0.27
# Atomic accesses are not held against each other, but each comes after the ordinary store before them: the first lane's
# own atomic does, those of the others need a barrier.
# verdict make(True): clean
# verdict make(False): TW5020
from tvm.script import tirx as T


def make(ordered):
    @T.prim_func
    def k(B: T.Buffer((32,), "int32")):
        T.device_entry()
        T.cta_id([1])
        T.warp_id([1])
        lane = T.lane_id([32])
        s = T.alloc_shared([1], "int32")
        if lane == 0:
            s[0] = 0
        if ordered:
            T.cuda.warp_sync()
        T.ptx["red.relaxed.cta.shared.add.s32"](s.ptr_to([0]), T.int32(1))
        T.cuda.warp_sync()
        B[lane] = s[0]

    return k
