# tilewright: dialect 0.27
# tilewright: arch sm_107a
# tilewright: entry newest
# tilewright: run newest reference=expected U=zeros
"""What PTX 9.3 and 9.4 add around barriers and tensor memory: layouts of barriers, all of tensor memory at once, arrivals behind
the reads of A."""
from tvm.script import tirx as T


@T.prim_func
def newest(U: T.Buffer((128, 6), "uint32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    tx = T.thread_id([128])
    bars = T.alloc_shared([3], "uint64")
    address = T.alloc_shared([2], "uint32")
    left = T.alloc_buffer((128 * 32,), "uint8", scope="shared", align=128)
    right = T.alloc_buffer((8 * 32,), "uint8", scope="shared", align=128)
    desc = T.alloc_local([2], "uint64")
    row = T.alloc_local([8], "uint32")
    is_first = T.alloc_local([1], "uint32")
    is_second = T.alloc_local([1], "uint32")
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([0]), 1)
        T.ptx["mbarrier.init.layout::v1.shared.b64"](bars.ptr_to([1]), 511)
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([2]), 1)
    T.ptx.fence.mbarrier_init.release.cluster()
    if warp == 0:
        T.ptx["tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32"](address.ptr_to([0]), 544)
    for i in T.unroll(32):
        left[tx // 8 * 256 + i // 16 * 128 + tx % 8 * 16 + i % 16] = T.Cast("uint8", T.if_then_else(i % 2 == 1, 0x3C, 0))  # 1.0
    if tx < 8:
        for i in T.unroll(32):
            right[i // 16 * 128 + tx * 16 + i % 16] = T.Cast("uint8", T.if_then_else(i % 2 == 1, 0x40, 0))  # 2.0
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    T.ptx["mbarrier.check_layout.layout::v0.shared::cta.b64"](is_first[0], bars.ptr_to([0]))
    T.ptx["mbarrier.check_layout.layout::v1.shared::cta.b64"](is_second[0], bars.ptr_to([1]))
    U[tx, 0] = is_first[0]
    U[tx, 1] = is_second[0]
    T.ptx["mbarrier.check_layout.layout::v1.shared::cta.b64"](is_first[0], bars.ptr_to([0]))
    T.ptx["mbarrier.check_layout.layout::v0.shared::cta.b64"](is_second[0], bars.ptr_to([1]))
    U[tx, 2] = is_first[0] + is_second[0]
    U[tx, 3] = address[0]
    if tx == 0:
        T.cuda.tcgen05.encode_matrix_descriptor(desc.ptr_to([0]), left.ptr_to([0]), 8, 16, 0)
        T.cuda.tcgen05.encode_matrix_descriptor(desc.ptr_to([1]), right.ptr_to([0]), 8, 16, 0)
        T.ptx["tcgen05.mma.cta_group::1.kind::f16"](
            address[0] + T.uint32(520), desc[0], desc[1], T.uint32(1 << 4 | 1 << 17 | 8 << 24),
            T.uint32(0), T.uint32(0), T.uint32(0), T.uint32(0), T.ptx.pred(0))
        T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.sync_restrict::shared::read::mma::a.shared::cluster.b64"](bars.ptr_to([0]))
        T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"](bars.ptr_to([2]))
    # A has been read, and serves something else; D is there behind the other commit alone.
    T.cuda.mbarrier_wait(bars.ptr_to([0]), 0)
    left[tx * 32 + 1] = T.uint8(0)
    is_first[0] = T.uint32(0)
    while is_first[0] == 0:
        T.ptx["mbarrier.try_wait.parity.phase_type::conditional.shared::cta.b64"](is_first[0], bars.ptr_to([2]), T.uint32(0))
    T.ptx.tcgen05.fence__after_thread_sync()
    T.ptx["tcgen05.ld.sync.aligned.32x32b.x8.b32"](
        *[row[i] for i in range(8)], address[0] + T.Cast("uint32", warp * 32 * 65536) + T.uint32(520))
    T.ptx.tcgen05.wait__ld.sync.aligned()
    U[tx, 4] = row[0]
    U[tx, 5] = row[7]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx["tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32"](address[0], 544)
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()


@T.prim_func
def expected(U: T.Buffer((128, 6), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([128])
    U[tx, 0] = T.uint32(1)
    U[tx, 1] = T.uint32(1)
    U[tx, 4] = T.uint32(0x42000000)  # 16 products of 2
    U[tx, 5] = T.uint32(0x42000000)
