# tilewright: dialect 0.27
# tilewright: arch sm_107a
# tilewright: entry copies
# tilewright: run copies reference=expected A=arange D=zeros U=zeros
"""What sm_107 adds to copies: masks of 16 and 32 CTAs, another tensor's address, reports that are off; and releases that are asynchronous."""
from tvm.script import tirx as T

WIDTH = 64
ROWS = 514  # behind an address that is overridden there are 128 KiB


@T.prim_func
def copies(A_ptr: T.handle, D_ptr: T.handle, U: T.Buffer((2, 8, WIDTH), "uint32")):
    A = T.match_buffer(A_ptr, (ROWS, WIDTH), "uint32")
    D = T.match_buffer(D_ptr, (2, WIDTH), "uint32")
    A_map: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed("runtime.cuTensorMapEncodeTiled", A_map, "uint32", 1, A.data, WIDTH, WIDTH, 1, 0, 0, 2, 0)
    T.device_entry()
    cta = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tx = T.thread_id([WIDTH])
    S = T.alloc_shared([6, WIDTH], "uint32", align=128)
    bar = T.alloc_shared([1], "uint64")
    done: T.uint32
    report: T.uint32
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init.release.cluster()
        # Of the six copies every CTA receives all.
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 6 * WIDTH * 4)
    T.ptx.barrier.cluster.arrive.release.aligned()
    T.ptx.barrier.cluster.wait.acquire.aligned()
    if tx == 0:
        if cta == 0:
            T.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::16b"](
                S.ptr_to([0, 0]), A.ptr_to([0, 0]), T.uint32(WIDTH * 4), bar.ptr_to([0]), T.uint16(3))
            T.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b"](
                S.ptr_to([1, 0]), A.ptr_to([1, 0]), T.uint32(WIDTH * 4), bar.ptr_to([0]), T.uint32(3))
            T.ptx["cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster::32b"](
                S.ptr_to([2, 0]), T.address_of(A_map), 0, bar.ptr_to([0]), T.uint32(3))
        T.ptx["cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address"](
            S.ptr_to([3, 0]), T.address_of(A_map), T.reinterpret("uint64", A.ptr_to([1, 0])), 0, bar.ptr_to([0]))
        T.ptx["cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled"](
            S.ptr_to([4, 0]), A.ptr_to([0, 0]), T.uint32(WIDTH * 4), bar.ptr_to([0]))
        T.ptx["cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.mbarrier::report::disabled"](
            S.ptr_to([5, 0]), T.address_of(A_map), 0, bar.ptr_to([0]))
    done = T.uint32(0)
    report = T.uint32(1)
    while done == 0:
        T.ptx["mbarrier.try_wait.parity.phase_type::primary.shared.b64"](done, report, bar.ptr_to([0]), 0)
    for i in T.unroll(6):
        U[cta, i, tx] = S[i, tx]
    U[cta, 6, tx] = report
    # What each thread leaves by itself, asynchronously.
    if cta == 0:
        T.ptx["st_async.release.gpu.global.u32"](D.ptr_to([0, tx]), T.Cast("uint32", tx * 3))
        T.ptx["red_async.release.gpu.global.add.u32"](D.ptr_to([1, tx]), T.Cast("uint32", tx + 1))
        T.ptx["multimem_st_async.release.gpu.global.u32"](U.ptr_to([0, 7, tx]), T.Cast("uint32", tx + 5))
    else:
        T.ptx["multimem_red_async.release.gpu.global.add.u32"](U.ptr_to([1, 7, tx]), T.Cast("uint32", tx + 7))
    T.ptx["fabric.submit"]()
    T.ptx["fabric.wait.sync_restrict::reads"]()
    T.ptx.barrier.cluster.arrive.release.aligned()
    T.ptx.barrier.cluster.wait.acquire.aligned()


@T.prim_func
def expected(A_ptr: T.handle, D_ptr: T.handle, U: T.Buffer((2, 8, WIDTH), "uint32")):
    A = T.match_buffer(A_ptr, (ROWS, WIDTH), "uint32")
    D = T.match_buffer(D_ptr, (2, WIDTH), "uint32")
    T.device_entry()
    cta = T.cta_id([2])
    tx = T.thread_id([WIDTH])
    for i in T.unroll(6):
        U[cta, i, tx] = A[T.if_then_else(i == 5, 0, i % 2), tx]
    U[cta, 6, tx] = T.uint32(0)
    U[cta, 7, tx] = T.Cast("uint32", tx + 5 + 2 * cta)
    D[cta, tx] = T.if_then_else(cta == 0, T.Cast("uint32", tx * 3), T.Cast("uint32", tx + 1))
