# tilewright: arch sm_90a sm_100a
# tilewright: entry swizzled(0)
# tilewright: entry swizzled(1)
# tilewright: entry swizzled(2)
# tilewright: entry swizzled(3)
# tilewright: entry blocks("uint8", (64, 24))
# tilewright: entry blocks("uint8", (16, 8, 32))
# tilewright: entry blocks("float32", (512, 16))
"""What decides the box of a tensor copy: the swizzle of shared memory, the extents, the element type.

A swizzled tile is cut into columns of atoms, which become a dimension of the tensor map. Dense dimensions merge where a
stride could not be encoded otherwise, bytes are then counted in wider elements, and a box ends at 256 in any dimension:
what is longer takes several copies. `tilewright explain examples/tma_boxes.py` shows the maps.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.tirx.layout import S, TileLayout


def round_trip(shape, dtype, layout, size):
    region = tuple(slice(0, extent) for extent in shape)

    @T.prim_func
    def through_shared(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, shape, dtype, layout=TileLayout(S[shape]))
        B = T.match_buffer(B_ptr, shape, dtype, layout=TileLayout(S[shape]))
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        tile = T.alloc_shared(shape, dtype, align=1024, layout=layout)
        arrived = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
            T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), size)
            Tx.copy_async(tile[region], A[region], dispatch="tma", mbar=arrived.ptr_to([0]))
            T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
            # From the engine to the engine: no proxy fence is needed.
            Tx.copy_async(B[region], tile[region], dispatch="tma")
            T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0, read=True)

    return through_shared


def swizzled(mode):
    """64 rows of 256 bytes: without a swizzle one box of two dimensions, with one a column of atoms for each 32, 64 or 128 bytes."""
    return round_trip((64, 128), "float16", mma_shared_layout("float16", mode, (64, 128)), 64 * 128 * 2)


def blocks(dtype, shape):
    size = 4 if dtype == "float32" else 1
    for extent in shape:
        size = size * extent
    return round_trip(shape, dtype, TileLayout(S[shape]), size)


# tilewright: reference python:reference
def reference(A):
    return {"B": A}
