# tilewright: arch sm_90a
# A variable index into an extent of one is 0: it moves nothing, and no alignment is lost with it.
# verdict make(1, "tma"): clean
# verdict make(2, "tma"): clean
# verdict make(1, "cta"): clean
# verdict product(1): clean
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import wgmma_accumulator_layout


def make(stages, how):
    dtype = "float16"

    @T.prim_func
    def kernel(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (256, 64), dtype)
        B = T.match_buffer(b, (256, 64), dtype)
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        pool = T.SMEMPool()
        tiles = pool.alloc_mma((stages, 64, 64), dtype)
        full = pool.alloc((stages,), "uint64", align=8)
        pool.commit()
        if tid == 0:
            for i in T.unroll(stages):
                T.ptx.mbarrier.init(full.ptr_to([i]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        stage: T.int32 = 0
        for i in T.serial(4):
            if how == "cta":
                Tx.cta.copy(tiles[stage, :, :], A[i * 64 : i * 64 + 64, :])
                T.cuda.cta_sync()
            else:
                if tid == 0:
                    T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([stage]), 8192)
                    Tx.copy_async(tiles[stage, :, :], A[i * 64 : i * 64 + 64, :], dispatch="tma", mbar=full.ptr_to([stage]))
                T.ptx.mbarrier.try_wait(full.ptr_to([stage]), i // stages % 2)
            Tx.cta.copy(B[i * 64 : i * 64 + 64, :], tiles[stage, :, :])
            T.cuda.cta_sync()
            stage = (stage + 1) % stages

    return kernel


def product(stages):
    @T.prim_func
    def kernel(A: T.Buffer((64, 256), "float16"), B: T.Buffer((128, 256), "float16"), C: T.Buffer((64, 128), "float16")):
        T.device_entry()
        T.cta_id([1])
        T.warpgroup_id([1])
        tid = T.thread_id([128])
        pool = T.SMEMPool()
        As = pool.alloc_mma((stages, 64, 64), "float16")
        Bs = pool.alloc_mma((stages, 128, 64), "float16")
        Cs = pool.alloc_mma((64, 128), "float16")
        full = pool.alloc((stages,), "uint64", align=8)
        pool.commit()
        if tid == 0:
            for i in T.unroll(stages):
                T.ptx.mbarrier.init(full.ptr_to([i]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        acc = T.alloc_local((64, 128), "float32", layout=wgmma_accumulator_layout(128))
        half = T.alloc_cast_frag(acc, "float16")
        for k in T.serial(4):
            s: T.let = k % stages
            if tid == 0:
                T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([s]), 24576)
                Tx.copy_async(As[s, :, :], A[:, k * 64 : k * 64 + 64], dispatch="tma", mbar=full.ptr_to([s]))
                Tx.copy_async(Bs[s, :, :], B[:, k * 64 : k * 64 + 64], dispatch="tma", mbar=full.ptr_to([s]))
            T.ptx.mbarrier.try_wait(full.ptr_to([s]), k // stages % 2)
            Tx.wg.gemm_async(acc, As[s], Bs[s], accum=k > 0)
            T.ptx.wgmma.commit_group()
            T.ptx.wgmma.wait_group(0)
            T.cuda.cta_sync()
        Tx.wg.cast(half, acc)
        Tx.wg.copy(Cs, half)
        T.cuda.cta_sync()
        Tx.cta.copy(C[:, :], Cs)

    return kernel
