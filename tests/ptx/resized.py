# tilewright: dialect 0.27
# tilewright: arch sm_107a
# tilewright: entry copies
# tilewright: run copies reference=expected A=arange D=arange U=zeros
"""Copies of a map's box that say themselves where the tensor is, what it extends to and how far its rows are apart."""
from tvm.script import tirx as T

WIDTH = 64
ROWS = 1024  # behind an address that is overridden there are 128 KiB


@T.prim_func
def copies(A_ptr: T.handle, D_ptr: T.handle, U: T.Buffer((4, 64), "uint32")):
    A = T.match_buffer(A_ptr, (ROWS, WIDTH), "uint32")
    D = T.match_buffer(D_ptr, (ROWS, WIDTH), "uint32")
    line: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    box: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    solid: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed("runtime.cuTensorMapEncodeTiled", line, "uint32", 1, A.data, WIDTH, WIDTH, 1, 0, 0, 0, 0)
    T.call_packed("runtime.cuTensorMapEncodeTiled", box, "uint32", 2, A.data, WIDTH, 2, WIDTH * 4, 16, 4, 1, 1, 0, 0, 0, 0)
    T.call_packed("runtime.cuTensorMapEncodeTiled", solid, "uint32", 3, A.data, WIDTH, 2, 2, WIDTH * 4, WIDTH * 8, 16, 2, 2, 1, 1, 1, 0, 0, 0, 0)
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    S = T.alloc_shared([4, 64], "uint32", align=128)
    bar = T.alloc_shared([1], "uint64")
    done: T.uint32
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init.release.cluster()
    T.ptx.bar.sync(0)
    if tx == 0:
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 4 * 64 * 4)
        # Of 64 elements 50 are there.
        T.ptx["cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address.override::global_dim"](
            S.ptr_to([0, 0]), T.address_of(line), T.reinterpret("uint64", A.ptr_to([3, 0])), T.uint8(50), 0, bar.ptr_to([0]))
        # Of four rows of 16 three rows of 13, two rows of the tensor apart.
        T.ptx["cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address.override::global_dim_stride"](
            S.ptr_to([1, 0]), T.address_of(box), T.reinterpret("uint64", A.ptr_to([5, 4])), T.uint16(13), T.uint16(3), T.uint32(2 * WIDTH // 4),
            T.uint16(0), 0, 0, bar.ptr_to([0]))
        T.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled.override::global_address.override::global_dim_stride"](
            S.ptr_to([2, 0]), T.address_of(box), T.reinterpret("uint64", A.ptr_to([9, 0])), T.uint8(200), T.uint8(200), T.uint32(4), T.uint16(0),
            0, 0, bar.ptr_to([0]))
        T.ptx["cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes.override::global_address.override::global_dim_stride"](
            S.ptr_to([3, 0]), T.address_of(solid), T.reinterpret("uint64", A.ptr_to([0, 0])), T.uint8(16), T.uint8(2), T.uint8(2),
            T.uint32(5 * WIDTH // 4), T.uint32(7 * WIDTH // 4), T.uint16(0), 0, 0, 0, bar.ptr_to([0]))
    done = T.uint32(0)
    while done == 0:
        T.ptx.mbarrier.try_wait.parity.shared.b64(done, bar.ptr_to([0]), 0)
    for i in T.unroll(4):
        U[i, tx] = S[i, tx]
    T.ptx.bar.sync(0)
    for i in T.unroll(4):
        S[i, tx] = T.Cast("uint32", 100 * i + tx)
    T.ptx.fence.proxy.async_.shared__cta()
    T.ptx.bar.sync(0)
    if tx == 0:
        T.ptx["cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.override::global_address.override::global_dim"](
            T.address_of(line), T.reinterpret("uint64", D.ptr_to([0, 0])), T.uint16(40), 0, S.ptr_to([0, 0]))
        T.ptx["cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.override::global_address.override::global_dim_stride"](
            T.address_of(box), T.reinterpret("uint64", D.ptr_to([1, 0])), T.uint8(16), T.uint8(3), T.uint32(WIDTH // 4), T.uint16(0), 0, 0,
            S.ptr_to([1, 0]))
        T.ptx["cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group.override::global_address.override::global_dim"](
            T.address_of(line), T.reinterpret("uint64", D.ptr_to([4, 0])), T.uint8(60), 0, S.ptr_to([2, 0]))
        T.ptx["cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group.override::global_address.override::global_dim_stride"](
            T.address_of(box), T.reinterpret("uint64", D.ptr_to([5, 0])), T.uint16(10), T.uint16(4), T.uint32(WIDTH // 4), T.uint16(0), 0, 0,
            S.ptr_to([3, 0]))
        T.ptx.cp.async_.bulk.commit_group()
        T.ptx.cp.async_.bulk.wait_group(0)


@T.prim_func
def expected(A_ptr: T.handle, D_ptr: T.handle, U: T.Buffer((4, 64), "uint32")):
    A = T.match_buffer(A_ptr, (ROWS, WIDTH), "uint32")
    D = T.match_buffer(D_ptr, (ROWS, WIDTH), "uint32")
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    y: T.let[T.int32] = tx // 16
    x: T.let[T.int32] = tx % 16
    if tx < 50:
        U[0, tx] = A[3, tx]
    if x < 13:
        if y < 3:
            U[1, tx] = A[5 + 2 * y, 4 + x]
    U[2, tx] = A[9, 4 * y * 4 + x]
    U[3, tx] = A[y % 2 * 5 + y // 2 * 7, x]
    if tx < 40:
        D[0, tx] = T.Cast("uint32", tx)
    if y < 3:
        D[1 + y, x] = T.Cast("uint32", 100 + tx)
    if tx < 60:
        D[4, tx] = D[4, tx] + T.Cast("uint32", 200 + tx)
    if x < 10:
        D[5 + y, x] = D[5 + y, x] + T.Cast("uint32", 300 + tx)
