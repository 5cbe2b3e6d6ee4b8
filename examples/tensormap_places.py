# tilewright: arch sm_90a sm_100a
# tilewright: entry through("parameter")
# tilewright: entry through("constant")
# tilewright: entry through("global")
# tilewright: reference expected(...)
"""The three ways in which a tensor map reaches a kernel (CUDA programming guide, 4.11.2.2), for one and the same copy.

The host part encodes a map. By default it becomes a `__grid_constant__` parameter, which the guide recommends. With the
attribute `tilewright.tensor_maps` it becomes a `__constant__` variable of the module, or lies in global memory behind a
pointer; each thread then acquires it by a fence before anything else. `tilewright compile examples/tensormap_places.py
--emit cuda,host` shows what the kernel and its launcher become; `tilewright run examples/tensormap_places.py --entry
'through("global")' --on gpu` passes the map that way. Other compilers pass the attribute over.
"""
from tvm.script import tirx as T

HEIGHT, WIDTH, BOX = 64, 32, 16
BYTES = BOX * WIDTH * 4


def through(place):
    @T.prim_func
    def add_one(A_ptr: T.handle, B_ptr: T.handle):
        T.func_attr({"tilewright.tensor_maps": place})
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
        if lane == 0:
            T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
            T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), BYTES)
            T.ptx.cp_async.bulk.tensor.g2c(
                2, tile.ptr_to([0, 0]), arrived.ptr_to([0]), T.address_of(A_map), 0, 1, "", 0, box * BOX
            )
        T.cuda.cta_sync()
        T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
        for row in T.serial(BOX):
            tile[row, lane] = tile[row, lane] + 1
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        if lane == 0:
            T.ptx.cp_async.bulk.tensor.s2g(2, tile.ptr_to([0, 0]), T.address_of(B_map), "", 0, box * BOX)
            T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0)

    return add_one


def expected(place):
    @T.prim_func
    def plus_one(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (HEIGHT, WIDTH), "int32")
        B = T.match_buffer(B_ptr, (HEIGHT, WIDTH), "int32")
        T.device_entry()
        row = T.cta_id([HEIGHT])
        lane = T.thread_id([WIDTH])
        B[row, lane] = A[row, lane] + 1

    return plus_one


def reference(A):
    return {"B": A + 1}
