# tilewright: dialect 0.27
# tilewright: arch sm_90a
# tilewright: entry add_one
# tilewright: reference plus_one
"""Copies of tensors in 0.27, instruction by instruction, and the barrier that counts their bytes."""
from tvm.script import tirx as T

HEIGHT, WIDTH, BOX = 64, 32, 16
BYTES = BOX * WIDTH * 4

@T.prim_func
def add_one(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (HEIGHT, WIDTH), "int32")
    B = T.match_buffer(B_ptr, (HEIGHT, WIDTH), "int32")
    A_map: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed(
        "runtime.cuTensorMapEncodeTiled",
        A_map, "int32", 2, A.data, WIDTH, HEIGHT, WIDTH * 4, WIDTH, BOX, 1, 1, 0, 0, 2, 0,
    )
    B_map: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed(
        "runtime.cuTensorMapEncodeTiled",
        B_map, "int32", 2, B.data, WIDTH, HEIGHT, WIDTH * 4, WIDTH, BOX, 1, 1, 0, 0, 2, 0,
    )
    T.device_entry()
    box = T.cta_id([HEIGHT // BOX])
    lane = T.thread_id([WIDTH])
    tile = T.alloc_shared([BOX, WIDTH], "int32", align=128)
    arrived = T.alloc_shared([1], "uint64")
    done: T.uint32
    T.ptx.prefetch.tensormap(T.address_of(A_map))
    if lane == 0:
        T.ptx.mbarrier.init.shared.b64(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(arrived.ptr_to([0]), BYTES)
        T.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"](
            tile.ptr_to([0, 0]), T.address_of(A_map), 0, box * BOX, arrived.ptr_to([0])
        )
    T.ptx.bar.sync(0)
    done = T.uint32(0)
    while done == 0:
        T.ptx.mbarrier.try_wait.parity.shared.b64(done, arrived.ptr_to([0]), 0)
    for row in T.serial(BOX):
        tile[row, lane] = tile[row, lane] + 1
    T.ptx.fence.proxy.async_.shared__cta()
    T.ptx.bar.sync(0)
    if lane == 0:
        T.ptx["cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"](
            T.address_of(B_map), 0, box * BOX, tile.ptr_to([0, 0]))
        T.ptx.cp.async_.bulk.commit_group()
        T.ptx.cp.async_.bulk.wait_group(0)

@T.prim_func
def plus_one(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (HEIGHT, WIDTH), "int32")
    B = T.match_buffer(B_ptr, (HEIGHT, WIDTH), "int32")
    T.device_entry()
    row = T.cta_id([HEIGHT])
    lane = T.thread_id([WIDTH])
    B[row, lane] = A[row, lane] + 1
