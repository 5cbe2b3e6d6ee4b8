# tilewright: arch sm_90a
# A thread that enters a loop reaches the call in it, however many rounds it makes.
# verdict make("cta", False): warning TW3107 at `Tx.copy_async(tile`
# verdict make("warp", False): warning TW3107 at `Tx.copy_async(tile`
# verdict make("while", False): warning TW3107 at `Tx.copy_async(tile`
# verdict make("cta", True): clean
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


def make(bound, one):
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
        T.device_entry()
        cta = T.cta_id([2])
        warp = T.warp_id([4])
        tid = T.thread_id([128])
        tile = T.alloc_shared((64, 64), "float16", align=128)
        bar = T.alloc_shared((1,), "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if one:
            if tid == 0:
                for r in range(2 - cta):
                    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 64 * 64 * 2)
                    Tx.copy_async(tile, A, dispatch="tma", mbar=bar.ptr_to([0]))
                    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), r % 2)
            T.cuda.cta_sync()
        elif bound == "while":
            if warp == 0:
                left: T.int32 = 2 - cta
                while left > 0:
                    Tx.copy_async(tile, A, dispatch="tma", mbar=bar.ptr_to([0]))
                    left = left - 1
        else:
            if warp == 0:
                for r in range(2 - cta if bound == "cta" else 3 - warp):
                    Tx.copy_async(tile, A, dispatch="tma", mbar=bar.ptr_to([0]))
        if cta == 0:
            Tx.cta.copy(B, tile)

    return k
