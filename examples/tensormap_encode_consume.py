# tilewright: arch sm_90a sm_100a
# tilewright: sequence encode then consume
# tilewright: reference expected
"""Encode, then consume: one kernel makes a tensor map in global memory, the next one copies through it.

The guide's pattern of 4.11.2.2.1: `encode` copies a template to shared memory, changes what is another for this tensor,
and publishes the map in `maps` (release); `consume` runs behind it in the same stream and acquires the map before the
copy engine reads it: the order of the stream alone does not reach the proxy that maps are read through. The comment
`sequence` says that they run in turn, on the same tensors; `tilewright run examples/tensormap_encode_consume.py --on gpu`
does it. The map is wiped in the end, so that everything that the kernels leave is known.
"""
from tvm.script import tirx as T

HEIGHT, WIDTH, ROWS = 48, 32, 20
BYTES = ROWS * WIDTH * 4


@T.prim_func
def encode(A_ptr: T.handle, maps_ptr: T.handle):
    A = T.match_buffer(A_ptr, (HEIGHT, WIDTH), "int32")
    maps = T.match_buffer(maps_ptr, (1, 32), "uint32")
    template: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed(
        "runtime.cuTensorMapEncodeTiled",
        template, "int32", 2, A.data, WIDTH, HEIGHT, WIDTH * 4, WIDTH, 1, 1, 1, 0, 0, 2, 0,
    )
    T.device_entry()
    T.cta_id([1])
    lane = T.lane_id([32])
    T.thread_id([32])
    edited = T.alloc_shared([32], "uint32", align=128)
    T.ptx.tensormap.copy_to_shared(edited.ptr_to([0]), T.address_of(template))
    if lane == 0:
        T.ptx.tensormap.replace(edited.ptr_to([0]), "box_dim", ROWS, 1)
        T.ptx.tensormap.replace(edited.ptr_to([0]), "global_dim", ROWS - 2, 1)
    T.cuda.warp_sync()
    T.ptx.tensormap.cp_fenceproxy(maps.ptr_to([0, 0]), edited.ptr_to([0]), scope="gpu")


@T.prim_func
def consume(A_ptr: T.handle, maps_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (HEIGHT, WIDTH), "int32")
    maps = T.match_buffer(maps_ptr, (1, 32), "uint32")
    B = T.match_buffer(B_ptr, (ROWS, WIDTH), "int32")
    T.device_entry()
    T.cta_id([1])
    lane = T.lane_id([32])
    T.thread_id([32])
    tile = T.alloc_shared([ROWS, WIDTH], "int32", align=128)
    arrived = T.alloc_shared([1], "uint64")
    if lane == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.fence.proxy_tensormap_acquire(maps.ptr_to([0, 0]), scope="gpu")
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), BYTES)
        T.ptx.cp_async.bulk.tensor.g2c(
            2, tile.ptr_to([0, 0]), arrived.ptr_to([0]), T.reinterpret("uint64", maps.ptr_to([0, 0])), 0, 1, "", 0, 0
        )
    T.cuda.warp_sync()
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    for row in T.serial(ROWS):
        B[row, lane] = tile[row, lane]
    maps[0, lane] = T.uint32(0)


@T.prim_func
def expected(A_ptr: T.handle, maps_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (HEIGHT, WIDTH), "int32")
    maps = T.match_buffer(maps_ptr, (1, 32), "uint32")
    B = T.match_buffer(B_ptr, (ROWS, WIDTH), "int32")
    T.device_entry()
    row = T.cta_id([ROWS])
    lane = T.thread_id([WIDTH])
    B[row, lane] = T.if_then_else(row < ROWS - 2, A[row, lane], 0)
    if row == 0:
        maps[0, lane] = T.uint32(0)


def reference(A):
    B = A[:ROWS].copy()
    B[ROWS - 2 :] = 0
    return {"B": B, "maps": (A[:1] * 0).astype("uint32")}
