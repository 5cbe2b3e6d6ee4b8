# tilewright: arch sm_90a
# Barriers of published kernels: set up by several threads, found by others, and data that all threads change in place.
# verdict init("one"): clean
# verdict init("two warpgroups"): TW5013
# verdict init("each warp elects"): TW5013
# verdict init("warps 0 and 4"): TW5013
# verdict peer("cluster"): clean
# verdict peer("cta"): TW5020
# verdict peer("nothing"): TW5013
# verdict peer("unfenced arrive"): TW5020
# verdict peer("fenced relaxed"): clean
# verdict inplace("own"): clean
# verdict inplace("all"): TW5020
# verdict inplace("all scalar"): TW5020
# verdict inplace("shared row"): TW5020
# verdict unordered("synced"): clean
# verdict unordered("no sync"): TW5020
# verdict unordered("warp sync"): TW5020
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


def init(kind):
    @T.prim_func
    def k(B: T.Buffer((256,), "int32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([8])
        wg = T.warpgroup_id([2])
        tid = T.thread_id([256])
        bar = T.alloc_shared([2], "uint64")
        if kind == "one":
            if tid == 0:
                for i in T.unroll(2):
                    T.ptx.mbarrier.init(bar.ptr_to([i]), 1)
        elif kind == "two warpgroups":
            if tid % 128 == 0:
                for i in T.unroll(2):
                    T.ptx.mbarrier.init(bar.ptr_to([i]), 1)
        elif kind == "each warp elects":
            if T.ptx.elect_sync():
                for i in T.unroll(2):
                    T.ptx.mbarrier.init(bar.ptr_to([i]), 1)
        else:
            if warp % 4 == 0:
                if T.ptx.elect_sync():
                    for i in T.unroll(2):
                        T.ptx.mbarrier.init(bar.ptr_to([i]), 1)
        T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.mbarrier.arrive(bar.ptr_to([0]))
        if tid == 128:
            T.ptx.mbarrier.arrive(bar.ptr_to([1]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([1 - wg]), 0)
        B[tid] = 1

    return k


def peer(kind):
    @T.prim_func
    def k(B: T.Buffer((2, 64), "int32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([64])
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
            if kind == "fenced relaxed":
                T.ptx.fence.mbarrier_init()
        if kind == "cluster":
            T.cuda.cluster_sync()
        elif kind == "cta":
            T.cuda.cta_sync()
        elif kind == "unfenced arrive" or kind == "fenced relaxed":
            T.ptx.barrier.cluster.arrive("relaxed")
            T.ptx.barrier.cluster.wait()
        if kind == "nothing":
            T.cuda.warp_sync()
        if tid == 0:
            T.ptx.mbarrier.arrive(bar.ptr_to([0]), 1 - rank, True)
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        B[rank, tid] = 1
        T.cuda.cluster_sync()

    return k


def inplace(kind):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        s[tid] = A[tid]
        T.cuda.cta_sync()
        if kind == "own":
            s[tid] = s[tid] * T.float32(2)
        elif kind == "all":
            for i in T.serial(64):
                s[i] = s[i] * T.float32(2)
        elif kind == "all scalar":
            s[0] = s[0] + T.float32(1)
        else:
            for i in T.serial(2):
                s[tid // 2 * 2 + i] = s[tid // 2 * 2 + i] + T.float32(1)
        T.cuda.cta_sync()
        B[tid] = s[63 - tid]

    return k


def unordered(kind):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32", align=128)
        full = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(full.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([0]), 256)
            T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([0]), A.ptr_to([0]), 256, full.ptr_to([0]))
        if kind == "synced":
            T.cuda.cta_sync()
        elif kind == "warp sync":
            T.cuda.warp_sync()
        T.ptx.mbarrier.try_wait(full.ptr_to([0]), 0)
        B[tid] = s[tid]

    return k
