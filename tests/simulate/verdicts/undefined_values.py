# tilewright: arch sm_90a
# Values that nothing has defined matter where they decide a branch, are an address, or reach an output or a product.
# verdict dead("max"): clean
# verdict dead("used"): TW5002 at `old = best[0]`
# verdict dead("select"): clean
# verdict dead("scalar"): TW5002 at `B[tid] = total`
# verdict dead("branch"): TW5002 at `if best[0] > T.float32(0)`
# verdict dead("address"): TW5002 at `B[tid] = A[where[0], tid]`
# verdict through_shared(96, 96): clean
# verdict through_shared(64, 64): clean
# verdict through_shared(128, 128): TW5002
# verdict through_shared(96, 128): TW5002
# verdict shuffled(False): clean
# verdict shuffled(True): TW5002
# verdict copied("cta"): TW5002 at `Tx.cta.copy(B`
# verdict copied("bulk"): TW5002 at `cp_async_bulk_s2g`
# verdict copied("tma"): TW5002 at `Tx.copy_async(B`
# verdict copied("written"): clean
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


def dead(kind):
    @T.prim_func
    def k(A: T.Buffer((4, 32), "float32"), B: T.Buffer((32,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        best: T.f32[1]
        where = T.alloc_local([1], "int32")
        total: T.f32

        @T.inline
        def step(i, first):
            old: T.f32
            old = best[0]
            new: T.f32
            new = A[i, tid]
            if first and kind != "used":
                best[0] = new
            else:
                best[0] = T.max(old, new)

        if kind == "select":
            best[0] = T.Select(tid < 0, best[0], A[0, tid])
            B[tid] = best[0]
        elif kind == "scalar":
            B[tid] = total
        elif kind == "branch":
            if best[0] > T.float32(0):
                B[tid] = T.float32(1)
        elif kind == "address":
            B[tid] = A[where[0], tid]
        else:
            step(0, True)
            step(1, False)
            B[tid] = best[0]

    return k


def through_shared(written, rows):
    @T.prim_func
    def k(A: T.Buffer((128,), "uint32"), B: T.Buffer((128,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        T.warp_id([1])
        lane = T.lane_id([32])
        scales = T.alloc_shared([128], "uint32", align=1024)
        post = T.alloc_shared([128], "uint32", align=1024)
        mine = T.alloc_local([4], "uint32")
        for i in T.unroll(T.min(written, 96) // 32):
            scales[i * 32 + lane] = A[i * 32 + lane]
        T.cuda.warp_sync()
        for i in T.unroll(4):
            mine[i] = scales[i * 32 + lane] + T.uint32(1)
        for i in T.unroll(4):
            post[i * 32 + 31 - lane] = mine[i]
        T.cuda.warp_sync()
        for i in T.unroll(rows // 32):
            B[i * 32 + lane] = post[i * 32 + lane]

    return k


def shuffled(used):
    @T.prim_func
    def k(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        T.device_entry()
        T.cta_id([1])
        lane = T.lane_id([32])
        T.warp_id([1])
        v: T.f32
        if lane < 16:
            v = A[lane]
        got: T.f32
        got = T.cuda.__shfl_sync(T.uint32(0xFFFFFFFF), v, lane if used else lane % 16, 32)
        B[lane] = got

    return k


def copied(how):
    @T.prim_func
    def k(B: T.Buffer((64, 64), "float16")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        smem = T.alloc_shared([64, 64], "float16", align=128)
        if how == "written":
            Tx.cta.fill(smem[:, :], T.float16(1))
            T.cuda.cta_sync()
        if how == "bulk":
            if tid == 0:
                T.ptx.cp_async_bulk_s2g(B.ptr_to([0, 0]), smem.ptr_to([0, 0]), 8192)
        elif how == "tma":
            if tid == 0:
                Tx.copy_async(B[:, :], smem[:, :], dispatch="tma")
        else:
            Tx.cta.copy(B[:, :], smem[:, :])
        if tid == 0:
            T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0)

    return k
