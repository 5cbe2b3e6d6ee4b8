# tilewright: arch sm_90a sm_100a
"""Tensor maps that the device makes: one template from the host, edited by each CTA for the matrix it works on.

GROUPS matrices of different heights lie one after the other. Each CTA copies the template to shared memory, puts its
matrix's address and height in, publishes the map in global memory (release) and acquires it before the copy engine reads
it: maps are read through a proxy of their own, and no barrier orders that one. A load of the full height then fills what
the matrix lacks with zeros. The maps are wiped afterwards.
"""
from tvm.script import tirx as T

GROUPS, HEIGHT, WIDTH = 6, 64, 32
BYTES = HEIGHT * WIDTH * 4


def height(group):
    return 10 * group + 7


def first_row(group):
    return 5 * group * group + 2 * group


@T.prim_func
def grouped(A_ptr: T.handle, B_ptr: T.handle, maps_ptr: T.handle):
    A = T.match_buffer(A_ptr, (first_row(GROUPS), WIDTH), "int32")
    B = T.match_buffer(B_ptr, (GROUPS, HEIGHT, WIDTH), "int32")
    maps = T.match_buffer(maps_ptr, (GROUPS, 32), "uint32")
    template: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed(
        "runtime.cuTensorMapEncodeTiled",
        template, "int32", 2, A.data, WIDTH, HEIGHT, WIDTH * 4, WIDTH, HEIGHT, 1, 1, 0, 0, 2, 0,
    )
    T.device_entry()
    group = T.cta_id([GROUPS])
    lane = T.lane_id([32])
    T.thread_id([32])
    edited = T.alloc_shared([32], "uint32", align=128)
    tile = T.alloc_shared([HEIGHT, WIDTH], "int32", align=128)
    arrived = T.alloc_shared([1], "uint64")
    T.ptx.tensormap.copy_to_shared(edited.ptr_to([0]), T.address_of(template))
    if lane == 0:
        T.ptx.tensormap.replace(
            edited.ptr_to([0]), "global_address", T.reinterpret("uint64", A.ptr_to([first_row(group), 0]))
        )
        T.ptx.tensormap.replace(edited.ptr_to([0]), "global_dim", height(group), 1)
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.warp_sync()
    T.ptx.tensormap.cp_fenceproxy(maps.ptr_to([group, 0]), edited.ptr_to([0]), scope="gpu")
    if lane == 0:
        T.ptx.fence.proxy_tensormap_acquire(maps.ptr_to([group, 0]), scope="gpu")
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), BYTES)
        T.ptx.cp_async.bulk.tensor.g2c(
            2, tile.ptr_to([0, 0]), arrived.ptr_to([0]), T.reinterpret("uint64", maps.ptr_to([group, 0])), 0, 1, "", 0, 0
        )
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    for row in T.serial(HEIGHT):
        B[group, row, lane] = tile[row, lane]
    maps[group, lane] = T.uint32(0)


# tilewright: reference python:reference
def reference(A):
    B = (A[:HEIGHT] * 0)[None].repeat(GROUPS, axis=0)
    for group in range(GROUPS):
        B[group, : height(group)] = A[first_row(group) : first_row(group + 1)]
    return {"A": A, "B": B, "maps": (A[:GROUPS] * 0).astype("uint32")}
