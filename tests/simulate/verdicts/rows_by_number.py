# tilewright: arch sm_100a
# tilewright: dialect 0.27
# Rows gathered and scattered by their numbers, a table that st.bulk clears, CTAs that take over others.
# verdict rows("right"): clean
# verdict rows("box"): only TW5015 at `T.ptx[GATHER](`
# verdict rows("store not read"): only TW5021 at `T.ptx[GATHER](`
# verdict rows("proxy"): only TW5022 at `T.ptx[SCATTER](`
# verdict rows("ends"): only TW5018 at `T.ptx[SCATTER](`
# verdict table("right"): clean
# verdict table("half cleared"): only TW5002 at `T.ptx["cp.reduce.async.bulk`
# verdict table("not cleared"): only TW5002 at `T.ptx["red.relaxed`
# verdict table("barrier"): only TW5020 at `T.ptx["cp.reduce.async.bulk`
# verdict steal("right"): clean
# verdict steal("no expect"): only TW5004 at `T.ptx["mbarrier.try_wait`
# verdict steal("no sync"): only TW5021 at `T.ptx["ld.shared.b128"]`
from tvm.script import tirx as T

GATHER = "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes"
SCATTER = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
TRY = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"


def rows(kind):
    TABLE, W, N = 32, 64, 16

    # tilewright: run gs Index=arange
    @T.prim_func
    def gs(A: T.Buffer((TABLE, W), "float32"), Index: T.Buffer((N,), "int32"), B: T.Buffer((N, W), "float32")):
        amap: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
        T.call_packed("runtime.cuTensorMapEncodeTiled", amap, "float32", 2, A.data, W, TABLE, W * 4, W, 1 if kind != "box" else 4, 1, 1, 0, 0, 0, 0)
        bmap: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
        T.call_packed("runtime.cuTensorMapEncodeTiled", bmap, "float32", 2, B.data, W, N, W * 4, W, 1, 1, 1, 0, 0, 0, 0)
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        tile = T.alloc_shared((2, 4, W), "float32", align=128)
        bar = T.alloc_shared((2,), "uint64")
        done: T.uint32
        if tid == 0:
            for s in T.unroll(2):
                T.ptx.mbarrier.init.shared.b64(bar.ptr_to([s]), 1)
            T.ptx.fence.mbarrier_init.release.cluster()
        T.cuda.cta_sync()
        for g in T.serial(N // 4):
            s: T.let = g % 2
            if tid == 0:
                if kind != "store not read":
                    T.ptx["cp.async.bulk.wait_group.read"](1)
                T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([s]), (4 if kind != "bytes" else 1) * W * 4)
                T.ptx[GATHER](tile.ptr_to([s, 0, 0]), T.address_of(amap), 0, Index[g * 4], Index[g * 4 + 1], Index[g * 4 + 2], Index[g * 4 + 3], bar.ptr_to([s]))
            done = T.uint32(0)
            while done == T.uint32(0):
                T.ptx["mbarrier.try_wait.parity.shared::cta.b64"](done, bar.ptr_to([s]), T.cast(g % 2 if kind == "parity" else g // 2 % 2, "uint32"))
            for r in T.unroll(4):
                tile[s, r, tid] = tile[s, r, tid] * T.float32(2)
            if kind != "proxy":
                T.ptx.fence.proxy.async_.shared__cta()
            if kind != "barrier":
                T.cuda.cta_sync()
            if tid == 0:
                T.ptx[SCATTER](T.address_of(bmap), 0, g * 4, g * 4 + 1, g * 4 + 2, g * 4 + 3, tile.ptr_to([s, 0, 0]))
                T.ptx["cp.async.bulk.commit_group"]()
        if kind != "ends":
            if tid == 0:
                T.ptx["cp.async.bulk.wait_group.read"](0)

    return gs


def table(kind):
    BINS, N = 64, 128

    # tilewright: run tb C=zeros
    @T.prim_func
    def tb(A: T.Buffer((2, N), "uint32"), C: T.Buffer((BINS,), "uint32")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([N])
        bins = T.alloc_shared((BINS,), "uint32", align=128)
        if tid == 0 and kind != "not cleared":
            T.ptx.st_bulk.weak.shared__cta(bins.ptr_to([0]), T.uint64(BINS * 4 if kind != "half cleared" else BINS * 2))
        if kind != "clear barrier":
            T.cuda.cta_sync()
        T.ptx["red.relaxed.cta.shared.add.u32"](bins.ptr_to([T.cast(A[cta, tid] % T.uint32(BINS + (8 if kind == "beyond" else 0)), "int32")]), T.uint32(1))
        if kind != "proxy":
            T.ptx.fence.proxy.async_.shared__cta()
        if kind != "barrier":
            T.cuda.cta_sync()
        if tid == 0:
            T.ptx["cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"](C.ptr_to([0]), bins.ptr_to([0]), BINS * 4)
            T.ptx["cp.async.bulk.commit_group"]()
            if kind != "leaves":
                T.ptx["cp.async.bulk.wait_group.read"](0)

    return tb


def steal(kind):
    N = 6

    @T.prim_func
    def st(A: T.Buffer((N, 32), "float32"), B: T.Buffer((N, 32), "float32")):
        T.device_entry()
        cta = T.cta_id([N])
        lane = T.thread_id([32])
        handle = T.alloc_shared([4], "uint32", align=16)
        bar = T.alloc_shared([1], "uint64")
        v: T.uint128
        done: T.uint32
        more: T.uint32 = T.uint32(1)
        at: T.uint32
        part: T.int32 = cta
        phase: T.uint32 = T.uint32(0)
        if lane == 0:
            T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init.release.cluster()
        if kind != "init":
            T.cuda.warp_sync()
        while more != T.uint32(0):
            if lane == 0:
                if kind != "no expect":
                    T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 16)
                T.ptx[TRY](handle.ptr_to([0]), bar.ptr_to([0]))
            B[part, lane] = A[part, lane] + 1.0
            done = T.uint32(0)
            while done == T.uint32(0):
                T.ptx["mbarrier.try_wait.parity.shared::cta.b64"](done, bar.ptr_to([0]), phase)
            if kind != "phase stays":
                phase = phase ^ T.uint32(1)
            T.ptx["ld.shared.b128"](v, handle.ptr_to([0]))
            T.ptx["clusterlaunchcontrol.query_cancel.is_canceled.pred.b128"](more, v)
            if more != T.uint32(0) or kind == "always asked":
                T.ptx["clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128"](at, v)
                part = T.cast(at, "int32")
            if kind != "proxy":
                T.ptx.fence.proxy.async_.shared__cta()
            if kind != "no sync":
                T.cuda.warp_sync()

    return st
