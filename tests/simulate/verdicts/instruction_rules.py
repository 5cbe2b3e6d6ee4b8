# tilewright: dialect 0.27
# tilewright: arch sm_90a
# Rules of instructions of 0.27 that the simulator alone can see broken, each beside a kernel that keeps it.
# verdict incomplete_arrival(31): clean
# verdict incomplete_arrival(32): TW5013 at `mbarrier.arrive.noComplete`
# verdict mixed(True): clean
# verdict mixed(False): TW5005 at `T.ptx.bar.sync(1)`
# verdict part(8): clean
# verdict part(20): TW5015 at `cp.async.cg.shared.global`
# verdict sparse(0x44444444): clean
# verdict sparse(0x44444440): TW5015 at `mma.sp`
# verdict sparse(0x44444441): clean
# verdict ordered(0x44444444): clean
# verdict ordered(0x44444441): TW5015 at `mma.sp::ordered_metadata`
# verdict halves(4): clean
# verdict halves(2): TW5003 at `ld.shared.b128`
# verdict discarded(False): clean
# verdict discarded(True): TW5002
# verdict relaxed(False): clean
# verdict relaxed(True): TW5020
from tvm.script import tirx as T


# .noComplete must not end a phase.
def incomplete_arrival(arrivals):
    @T.prim_func
    def k(B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([32])
        bar = T.alloc_shared([1], "uint64")
        done: T.uint32
        state: T.int64
        if tx == 0:
            T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 32)
            T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.bar.sync(0)
        if tx == 0:
            T.ptx["mbarrier.arrive.noComplete.release.cta.shared::cta.b64"](state, bar.ptr_to([0]), T.uint32(arrivals))
        if tx == 1:
            T.ptx.mbarrier.arrive.shared.b64(bar.ptr_to([0]))
        done = T.uint32(0)
        while done == 0:
            T.ptx.mbarrier.try_wait.parity.shared.b64(done, bar.ptr_to([0]), 0)
        B[tx] = done

    return k


# A barrier that reduces is the same for all of its threads.
def mixed(all_of_them):
    @T.prim_func
    def k(B: T.Buffer((64,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([64])
        x: T.uint32
        x = T.uint32(0)
        if all_of_them:
            T.ptx["bar.red.popc.u32"](x, 1, tx < 7)
        else:
            if tx < 32:
                T.ptx["bar.red.popc.u32"](x, 1, tx < 7)
            else:
                T.ptx.bar.sync(1)
        B[tx] = x

    return k


def part(given):
    @T.prim_func
    def k(A: T.Buffer((256,), "uint32"), B: T.Buffer((32, 4), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([32])
        S = T.alloc_shared([128], "uint32", align=128)
        T.ptx["cp.async.cg.shared.global"](S.ptr_to([4 * tx]), A.ptr_to([4 * tx]), 16, T.uint32(given))
        T.ptx.cp.async_.wait_all()
        for i in T.unroll(4):
            B[tx, i] = S[4 * tx + i]

    return k


# The two indices of a group differ; in ordered metadata they grow.
def sparse(metadata):
    @T.prim_func
    def k(B: T.Buffer((32, 4), "float32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([32])
        d = T.alloc_local([4], "float32")
        a = T.alloc_local([2], "uint32")
        c = T.alloc_local([4], "float32")
        for i in T.unroll(2):
            a[i] = T.uint32(0x3c003c00)
        for i in T.unroll(4):
            c[i] = T.float32(0)
        T.ptx["mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"](
            d[0], d[1], d[2], d[3], a[0], a[1], a[0], a[1], c[0], c[1], c[2], c[3], T.uint32(metadata), 0)
        for i in T.unroll(4):
            B[tx, i] = d[i]

    return k


def ordered(metadata):
    @T.prim_func
    def k(B: T.Buffer((32, 4), "float32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([32])
        d = T.alloc_local([4], "float32")
        a = T.alloc_local([2], "uint32")
        c = T.alloc_local([4], "float32")
        for i in T.unroll(2):
            a[i] = T.uint32(0x3c003c00)
        for i in T.unroll(4):
            c[i] = T.float32(0)
        T.ptx["mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"](
            d[0], d[1], d[2], d[3], a[0], a[1], a[0], a[1], c[0], c[1], c[2], c[3], T.uint32(metadata), 0)
        for i in T.unroll(4):
            B[tx, i] = d[i]

    return k


def halves(step):
    @T.prim_func
    def k(B: T.Buffer((16, 4), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([16])
        S = T.alloc_shared([128], "uint32", align=128)
        v: T.uint128
        x = T.alloc_local([4], "uint32")
        for i in T.unroll(8):
            S[8 * tx + i] = T.Cast("uint32", tx)
        T.ptx.bar.sync(0)
        T.ptx["ld.shared.b128"](v, S.ptr_to([step * tx]))
        T.ptx["mov.b128"](x[0], x[1], x[2], x[3], v)
        for i in T.unroll(4):
            B[tx, i] = x[i]

    return k


def discarded(at_once):
    @T.prim_func
    def k(A: T.Buffer((32,), "uint32"), B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([32])
        A[tx] = T.uint32(3)
        T.ptx.bar.sync(0)
        if tx == 0:
            if at_once:
                T.ptx["discard.global.L2"](A.ptr_to([0]))
        T.ptx.bar.sync(0)
        B[tx] = A[tx]

    return k


# An arrival without an order says nothing of what was written before it.
def relaxed(orders_nothing):
    @T.prim_func
    def k(B: T.Buffer((64,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([64])
        S = T.alloc_shared([64], "uint32")
        bar = T.alloc_shared([1], "uint64")
        done: T.uint32
        if tx == 0:
            T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 64)
            T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.bar.sync(0)
        S[tx] = T.Cast("uint32", tx)
        if orders_nothing:
            T.ptx["mbarrier.arrive.relaxed.cta.shared::cta.b64"](bar.ptr_to([0]))
        else:
            T.ptx["mbarrier.arrive.release.cta.shared::cta.b64"](bar.ptr_to([0]))
        done = T.uint32(0)
        while done == 0:
            T.ptx.mbarrier.try_wait.parity.shared.b64(done, bar.ptr_to([0]), 0)
        B[tx] = S[63 - tx]

    return k
