# tilewright: dialect 0.27
# tilewright: arch sm_107a
# An arrival of tcgen05.commit with .sync_restrict::shared::read::mma::a says that A has been read, and nothing of B and of D
# (PTX ISA 9.4, tcgen05.commit).
# verdict make("write A", True): clean
# verdict make("write B", True): TW5021 at `right[tx`
# verdict make("read D", True): TW5021 at `T.ptx["tcgen05.ld`
# verdict make("write A", False): clean
# verdict make("write B", False): clean
# verdict make("read D", False): clean
# verdict make("write A unasked", True): TW5021 at `left[tx`
from tvm.script import tirx as T

COMMIT = "tcgen05.commit.cta_group::1.mbarrier::arrive::one{}.shared::cluster.b64"
RESTRICT = ".sync_restrict::shared::read::mma::a"


def make(use, restricted):
    commit = T.ptx[COMMIT.format(RESTRICT if restricted else "")]

    @T.prim_func
    def k(U: T.Buffer((128, 8), "uint32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        tx = T.thread_id([128])
        bars = T.alloc_shared([2], "uint64")
        address = T.alloc_shared([1], "uint32")
        left = T.alloc_buffer((128 * 32,), "uint8", scope="shared", align=128)
        right = T.alloc_buffer((8 * 32,), "uint8", scope="shared", align=128)
        desc = T.alloc_local([2], "uint64")
        row = T.alloc_local([8], "uint32")
        if tx == 0:
            T.ptx.mbarrier.init.shared.b64(bars.ptr_to([0]), 1)
            T.ptx.mbarrier.init.shared.b64(bars.ptr_to([1]), 1)
        T.ptx.fence.mbarrier_init.release.cluster()
        if warp == 0:
            T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](address.ptr_to([0]), 32)
        for i in T.unroll(32):
            left[tx // 8 * 256 + i // 16 * 128 + tx % 8 * 16 + i % 16] = T.uint8(0)
        for i in T.unroll(2):
            right[tx * 2 + i] = T.uint8(0)
        T.ptx.fence.proxy.async_.shared__cta()
        T.cuda.cta_sync()
        if tx == 0:
            T.cuda.tcgen05.encode_matrix_descriptor(desc.ptr_to([0]), left.ptr_to([0]), 8, 16, 0)
            T.cuda.tcgen05.encode_matrix_descriptor(desc.ptr_to([1]), right.ptr_to([0]), 8, 16, 0)
            T.ptx["tcgen05.mma.cta_group::1.kind::f16"](
                address[0], desc[0], desc[1], T.uint32(1 << 4 | 1 << 17 | 8 << 24),
                T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), T.ptx.pred(0))
            commit(bars.ptr_to([0]))
            T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"](bars.ptr_to([1]))
        if use != "write A unasked":
            T.cuda.mbarrier_wait(bars.ptr_to([0]), 0)
        if use == "write A" or use == "write A unasked":
            left[tx * 32] = T.uint8(1)
        if use == "write B":
            right[tx * 2] = T.uint8(1)
        if use != "read D":
            T.cuda.mbarrier_wait(bars.ptr_to([1]), 0)
        T.ptx.tcgen05.fence__after_thread_sync()
        T.ptx["tcgen05.ld.sync.aligned.32x32b.x8.b32"](
            *[row[i] for i in range(8)], address[0] + T.Cast("uint32", warp * 32 * 65536))
        T.ptx.tcgen05.wait__ld.sync.aligned()
        if use == "read D":
            T.cuda.mbarrier_wait(bars.ptr_to([1]), 0)
        for i in T.unroll(8):
            U[tx, i] = row[i]
        T.cuda.cta_sync()
        if warp == 0:
            T.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](address[0], 32)
            T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()

    return k
