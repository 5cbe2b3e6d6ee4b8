# tilewright: arch sm_90a
# What the prelude does is told at the author's call.
# verdict make(128, False): TW5004 at `full.wait(0, 0)`
# verdict make(1, False): clean
# verdict make(1, True): TW5013 at `full.init(1)  # again`
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier


def make(count, again):
    @T.prim_func
    def k(B: T.Buffer((128,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        pool = T.SMEMPool()
        full = MBarrier(pool, 1)
        pool.commit()
        full.init(count)
        if again:
            full.init(1)  # again
        T.cuda.cta_sync()
        if tid == 0:
            full.arrive(0)
        full.wait(0, 0)
        B[tid] = tid

    return k
