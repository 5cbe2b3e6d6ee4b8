# tilewright: arch sm_90a
# tilewright: dialect 0.25
# Rules of synchronisation, each broken beside kernels that come as near to it as they may (PTX ISA 9.7.9.25.3: groups of
# cp.async; 9.7.9.25.4: bulk copies; 9.7.13.1: bar; 9.7.13.15: mbarrier; 9.7.9.6: shfl.sync; 8.8 to 8.10: order of accesses).
# verdict ldgsts("self"): clean
# verdict ldgsts("not committed"): TW5021 at `B[tid, 0] = s[tid, 0]`
# verdict ldgsts("not waited"): TW5021 at `B[tid, 0] = s[tid, 0]`
# verdict ldgsts("barrier"): clean
# verdict ldgsts("other thread"): TW5020 at `B[tid, 0] = s[63 - tid, 0]`
# verdict ldgsts("older group"): clean
# verdict ldgsts("two groups"): TW5021 at `B[tid, 0] = s[tid + 64, 0]`
# verdict landed("by the copies"): clean
# verdict landed("by the thread"): TW5021 at `B[tid] = s[63 - tid, 0]`
# verdict bulk_store("read"): clean
# verdict bulk_store("no barrier"): TW5020 at `T.ptx.cp_async_bulk_s2g(`
# verdict bulk_store("one left"): TW5021 at `s[tid] = T.float32(i)`
# verdict bulk_store("all"): clean
# verdict bulk_store("none"): TW5021 at `s[tid] = T.float32(i)`
# verdict reads_back(False): clean
# verdict reads_back(True): TW5021 at `C[0] = B[3]`
# verdict ends(True): clean
# verdict ends(False): TW5018 at `T.ptx.cp_async_bulk_s2g(`
# verdict lanes("own"): clean
# verdict lanes("nothing"): TW5020 at `B[tid] = s[tid // 32`
# verdict lanes("other warp"): TW5020 at `B[tid] = s[63 - tid]`
# verdict reuse(True): clean
# verdict reuse(False): TW5020 at `B[i, tid] = s[63 - tid]`
# verdict in_turn(2): clean
# verdict in_turn(1): TW5020 at `B[i, tid] = s[i % buffers`
# verdict counted(False): clean
# verdict counted(True): TW5020 at `C[tid] = n[0]`
# verdict equal("one warp"): clean
# verdict equal("one"): clean
# verdict equal("two warps"): warning TW5023 at `B[0] = 7`
# verdict equal("differ"): TW5020 at `B[0] = tid`
# verdict parity(0): clean
# verdict parity(1): TW5040 at `T.ptx.mbarrier.try_wait(bar`
# verdict expects("before"): clean
# verdict expects("after"): clean
# verdict expects("too few"): TW5004 at `T.ptx.mbarrier.try_wait(bar`
# verdict expects("too many"): TW5004 at `T.ptx.mbarrier.try_wait(bar`
# verdict expects("arrives alone"): TW5014 at `T.ptx.mbarrier.init(bar`
# verdict ring("right"): clean
# verdict ring("half"): TW5013 at `T.ptx.mbarrier.arrive(empty`
# verdict ring("parity"): TW5004 at `T.ptx.mbarrier.try_wait(empty`
# verdict ring("early"): TW5020 at `B[i, lane] = s[i % 2`
# verdict aligned(0, 32): clean
# verdict aligned(4, 32): clean
# verdict aligned(2, 32): TW5003 at `T.ptx.cp_async_bulk_g2s_cluster(`
# verdict aligned(0, 30): TW2111 at `T.ptx.cp_async_bulk_g2s_cluster(`
# verdict wide(0): clean
# verdict wide(2): TW5003 at `v: T.let = A.vload`
# verdict flag("fence", "acquire"): clean
# verdict flag("", "acquire"): TW5020 at `C[tid] = B[tid]`
# verdict flag("fence", "fence"): clean
# verdict flag("fence", ""): TW5020 at `C[tid] = B[tid]`
# verdict halves("cta"): clean
# verdict halves("own"): clean
# verdict halves("other"): TW5020 at `B[tid] = s[255 - tid]`
# verdict halves("same id"): TW5040 at `T.ptx.bar.sync(1, 128)`
# verdict arrive("before"): clean
# verdict arrive("after"): TW5020 at `B[lane] = s[31 - lane]`
# verdict peer(""): clean
# verdict peer("no first"): TW5020 at `B[rank, tid] = T.ptx.ld(`
# verdict peer("no last"): TW5016 at `B[rank, tid] = T.ptx.ld(`
# verdict shuffle("all"): clean
# verdict shuffle("half"): clean
# verdict shuffle("waits elsewhere"): TW5006 at `x = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), x, 8, 16`
# verdict left("all"): clean
# verdict left("named"): clean
# verdict left("lanes"): TW5005 at `T.cuda.cta_sync()`
# verdict divides(True): clean
# verdict divides(False): TW5011 at `B[tid] = 100 // tid`
# verdict guarded("if"): clean
# verdict guarded("select"): clean
# verdict guarded("min"): clean
# verdict guarded("late"): TW5001 at `y: T.float32 = A[tid]`
from tvm.script import tirx as T


# cp.async: what is committed and waited for is there for the thread itself; for others behind a barrier.
def ldgsts(kind):
    @T.prim_func
    def k(A: T.Buffer((256, 4), "float32"), B: T.Buffer((256, 4), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((256, 4), "float32", align=128)
        T.ptx.cp_async(s.ptr_to([tid, 0]), A.ptr_to([tid, 0]), 16)
        if kind == "two groups" or kind == "older group":
            T.ptx.cp_async.commit_group()
            T.ptx.cp_async(s.ptr_to([tid + 64, 0]), A.ptr_to([tid + 64, 0]), 16)
        if kind != "not committed":
            T.ptx.cp_async.commit_group()
        if kind == "two groups" or kind == "older group":
            T.ptx.cp_async.wait_group(1)
        elif kind != "not waited":
            T.ptx.cp_async.wait_group(0)
        if kind == "other thread":
            B[tid, 0] = s[63 - tid, 0]
        elif kind == "barrier":
            T.cuda.cta_sync()
            B[tid, 0] = s[63 - tid, 0]
        elif kind == "two groups":
            B[tid, 0] = s[tid + 64, 0]
            T.ptx.cp_async.wait_group(0)
        elif kind == "older group":
            B[tid, 0] = s[tid, 0]
            T.ptx.cp_async.wait_group(0)
        else:
            B[tid, 0] = s[tid, 0]

    return k


# A tile that a bulk store reads may be written over once it was read, and not before.
def bulk_store(kind):
    @T.prim_func
    def k(B: T.Buffer((2, 64), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32", align=128)
        for i in T.unroll(2):
            s[tid] = T.float32(i)
            T.ptx.fence.proxy_async("shared::cta")
            T.cuda.cta_sync()
            if tid == 0:
                T.ptx.cp_async_bulk_s2g(B.ptr_to([i, 0]), s.ptr_to([0]), 256)
                T.ptx.cp_async.bulk.commit_group()
                if kind == "read" or kind == "no barrier":
                    T.ptx.cp_async.bulk.wait_group(0, True)
                elif kind == "one left":
                    T.ptx.cp_async.bulk.wait_group(1, True)
                elif kind == "all":
                    T.ptx.cp_async.bulk.wait_group(0)
            if kind != "no barrier":
                T.cuda.cta_sync()
        if tid == 0:
            T.ptx.cp_async.bulk.wait_group(0)

    return k


# What a bulk store has written is read again by the same thread behind wait_group; .read promises the source alone.
def reads_back(read_only):
    @T.prim_func
    def k(B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32", align=128)
        s[tid] = T.float32(1)
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), s.ptr_to([0]), 256)
            T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0, read_only)
            C[0] = B[3]
            T.ptx.cp_async.bulk.wait_group(0)

    return k


# Lanes of a warp see each other's stores behind __syncwarp, other warps behind a barrier.
def lanes(kind):
    @T.prim_func
    def k(B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        s[tid] = T.float32(1)
        if kind != "nothing":
            T.cuda.warp_sync()
        if kind == "other warp":
            B[tid] = s[63 - tid]
        else:
            B[tid] = s[tid // 32 * 32 + 31 - tid % 32]

    return k


# The second write needs a barrier as well: a reader may be late.
def reuse(second):
    @T.prim_func
    def k(A: T.Buffer((3, 64), "float32"), B: T.Buffer((3, 64), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        for i in T.serial(3):
            s[tid] = A[i, tid]
            T.cuda.cta_sync()
            B[i, tid] = s[63 - tid]
            if second:
                T.cuda.cta_sync()

    return k


# Two buffers in turn need one barrier a round, three rounds apart or two; one needs two.
def in_turn(buffers):
    @T.prim_func
    def k(A: T.Buffer((6, 64), "float32"), B: T.Buffer((6, 64), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((2, 64), "float32")
        for i in T.serial(6):
            s[i % buffers, tid] = A[i, tid]
            T.cuda.cta_sync()
            B[i, tid] = s[i % buffers, 63 - tid]

    return k


# Atomics on one address are no race, an ordinary access beside one is.
def counted(plain):
    @T.prim_func
    def k(B: T.Buffer((1,), "int32"), C: T.Buffer((64,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        n = T.alloc_shared((1,), "int32")
        if tid == 0:
            n[0] = 0
        T.cuda.cta_sync()
        T.cuda.atomic_add(n.ptr_to([0]), 1)
        if not plain:
            T.cuda.cta_sync()
        C[tid] = n[0]

    return k


# A wait by parity: 1 passes at once on a fresh barrier, 0 waits for the first phase.
def parity(first):
    @T.prim_func
    def k(B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 64)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        s[tid] = T.float32(2)
        T.ptx.mbarrier.arrive(bar.ptr_to([0]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), first)
        B[tid] = s[63 - tid]

    return k


# Expected bytes may be told before or after the copy begins, as long as the phase waits for the arrival that tells.
def expects(kind):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32", align=128)
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if tid == 0:
            if kind == "before":
                T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 256)
            T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([0]), A.ptr_to([0]), 256, bar.ptr_to([0]))
            if kind == "after":
                T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 256)
            if kind == "too few":
                T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 128)
            if kind == "too many":
                T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 512)
            if kind == "arrives alone":
                T.ptx.mbarrier.arrive(bar.ptr_to([0]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        B[tid] = s[tid]

    return k


# Alignment: 16 bytes for a bulk copy, and a multiple of 16.
def aligned(first, count):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32", align=128)
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), count * 4)
            T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([first]), A.ptr_to([first]), count * 4, bar.ptr_to([0]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        if tid < count:
            B[tid] = s[tid + first]

    return k


# A flag through global memory: release and acquire, of the scope of both sides.
def flag(store, load):
    @T.prim_func
    def k(B: T.Buffer((64,), "float32"), f: T.Buffer((1,), "int32"), C: T.Buffer((64,), "float32")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([64])
        if cta == 0:
            B[tid] = T.float32(3)
            T.cuda.cta_sync()
            if tid == 0:
                if store == "fence":
                    T.cuda.thread_fence()
                T.cuda.atomic_add(f.ptr_to([0]), 1)
        else:
            if tid == 0:
                if load == "acquire":
                    while T.ptx.ld_acquire(f.ptr_to([0]), "int32", "s32") < 1:
                        pass
                else:
                    while T.cuda.atomic_add(f.ptr_to([0]), 0) < 1:
                        pass
                    if load == "fence":
                        T.cuda.thread_fence()
            T.cuda.cta_sync()
            C[tid] = B[tid]

    return k


# The named barriers of two halves: data of the other half needs one that both come to.
def halves(kind):
    @T.prim_func
    def k(B: T.Buffer((256,), "float32")):
        T.device_entry()
        T.cta_id([1])
        wg = T.warpgroup_id([2])
        tid = T.thread_id([256])
        s = T.alloc_shared((256,), "float32")
        s[tid] = T.float32(1)
        if kind == "cta":
            T.cuda.cta_sync()
        elif kind == "same id":
            T.ptx.bar.sync(1, 128)
        else:
            T.ptx.bar.sync(wg + 1, 128)
        if kind == "cta":
            B[tid] = s[255 - tid]
        elif kind == "own":
            B[tid] = s[wg * 128 + 127 - tid % 128]
        elif kind == "other":
            B[tid] = s[255 - tid]
        else:
            B[tid] = s[wg * 128 + 127 - tid % 128]

    return k


# bar.arrive lets the producer go on; its own later writes are not ordered.
def arrive(kind):
    @T.prim_func
    def k(B: T.Buffer((32,), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([2])
        lane = T.lane_id([32])
        T.thread_id([64])
        s = T.alloc_shared((32,), "float32")
        if warp == 0:
            if kind == "before":
                s[lane] = T.float32(1)
            T.ptx.bar.arrive(1, 64)
            if kind == "after":
                s[lane] = T.float32(1)
        else:
            T.ptx.bar.sync(1, 64)
            B[lane] = s[31 - lane]

    return k


# A CTA's shared memory is read by others between the first barrier of the cluster and the last.
def peer(kind):
    @T.prim_func
    def k(B: T.Buffer((2, 64), "int32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "int32")
        s[tid] = rank + 5
        if kind != "no first":
            T.cuda.cluster_sync()
        B[rank, tid] = T.ptx.ld(T.ptx.map_shared_rank(s.ptr_to([tid]), 1 - rank), "int32", "s32", space="shared::cluster")
        if kind != "no last":
            T.cuda.cluster_sync()

    return k


# A shuffle is for the lanes that its mask names: those that ended are left out, others must not wait elsewhere.
def shuffle(kind):
    @T.prim_func
    def k(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        x: T.float32 = A[tid]
        if kind == "half":
            if tid < 16:
                x = T.tvm_warp_shuffle_xor(T.uint32(0xFFFF), x, 8, 16, 32)
        elif kind == "waits elsewhere":
            if tid < 16:
                x = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), x, 8, 16, 32)
            else:
                T.cuda.warp_sync()
        else:
            x = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), x, 8, 32, 32)
        B[tid] = x

    return k


# Lanes of a warp come to one barrier; whole warps may leave before where the barrier counts the others.
def left(kind):
    @T.prim_func
    def k(B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        if kind == "named":
            if tid < 32:
                T.ptx.bar.sync(1, 32)
        elif kind == "lanes":
            if tid < 16:
                T.cuda.cta_sync()
        else:
            T.cuda.cta_sync()
        B[tid] = T.float32(1)

    return k


# Division: a divisor of 0 where the branch keeps it away is none.
def divides(guard):
    @T.prim_func
    def k(B: T.Buffer((64,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        if guard:
            if tid > 0:
                B[tid] = 100 // tid
        else:
            B[tid] = 100 // tid

    return k


# Bounds: the guard is before the access.
def guarded(kind):
    @T.prim_func
    def k(A: T.Buffer((60,), "float32"), B: T.Buffer((60,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        if kind == "if":
            if tid < 60:
                B[tid] = A[tid]
        elif kind == "select":
            x: T.float32 = T.if_then_else(tid < 60, A[tid], T.float32(0))
            if tid < 60:
                B[tid] = x
        elif kind == "min":
            if tid < 60:
                B[tid] = A[T.min(tid + 1, 59)]
        else:
            y: T.float32 = A[tid]
            if tid < 60:
                B[tid] = y

    return k


# The CTA's shared memory must not end while a bulk store reads it.
def ends(waits):
    @T.prim_func
    def k(B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32", align=128)
        s[tid] = T.float32(1)
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), s.ptr_to([0]), 256)
            T.ptx.cp_async.bulk.commit_group()
            if waits:
                T.ptx.cp_async.bulk.wait_group(0, True)

    return k


# Unordered stores to one element: one thread of a warp's instruction is enough, two warps are not ordered.
def equal(kind):
    @T.prim_func
    def k(B: T.Buffer((1,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        if kind == "one warp":
            if tid < 32:
                B[0] = 7
        elif kind == "one":
            if tid == 0:
                B[0] = 7
        elif kind == "differ":
            B[0] = tid
        else:
            B[0] = 7

    return k


# An access of n bytes lies at a multiple of n.
def wide(first):
    @T.prim_func
    def k(A: T.Buffer((160,), "float32"), B: T.Buffer((32, 4), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        v: T.let = A.vload([tid * 4 + first], dtype="float32x4")
        B.vstore([tid, 0], v)

    return k


# cp.async by way of an mbarrier: the arrival comes when this thread's copies have landed.
def landed(kind):
    @T.prim_func
    def k(A: T.Buffer((64, 4), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64, 4), "float32", align=128)
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 64)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        T.ptx.cp_async(s.ptr_to([tid, 0]), A.ptr_to([tid, 0]), 16)
        if kind == "by the copies":
            T.ptx.cp_async.mbarrier.arrive(bar.ptr_to([0]), noinc=True)
        else:
            T.ptx.mbarrier.arrive(bar.ptr_to([0]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        B[tid] = s[63 - tid, 0]
        T.ptx.cp_async.wait_all()

    return k


# An mbarrier passed from consumer to producer and back: as many arrivals as it counts, one phase each.
def ring(kind):
    @T.prim_func
    def k(A: T.Buffer((6, 32), "float32"), B: T.Buffer((6, 32), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([2])
        lane = T.lane_id([32])
        T.thread_id([64])
        s = T.alloc_shared((2, 32), "float32")
        full = T.alloc_shared([2], "uint64")
        empty = T.alloc_shared([2], "uint64")
        if warp == 0:
            if lane == 0:
                for i in T.unroll(2):
                    T.ptx.mbarrier.init(full.ptr_to([i]), 32)
                    T.ptx.mbarrier.init(empty.ptr_to([i]), 16 if kind == "half" else 32)
                T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if warp == 0:
            for i in T.serial(6):
                T.ptx.mbarrier.try_wait(empty.ptr_to([i % 2]), (i // 2 + (0 if kind == "parity" else 1)) % 2)
                s[i % 2, lane] = A[i, lane]
                T.ptx.mbarrier.arrive(full.ptr_to([i % 2]))
        else:
            for i in T.serial(6):
                T.ptx.mbarrier.try_wait(full.ptr_to([i % 2]), i // 2 % 2)
                if kind == "early":
                    T.ptx.mbarrier.arrive(empty.ptr_to([i % 2]))
                B[i, lane] = s[i % 2, 31 - lane]
                if kind != "early":
                    T.ptx.mbarrier.arrive(empty.ptr_to([i % 2]))

    return k
