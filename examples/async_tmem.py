# Registers to tensor memory and back, and shared memory to tensor memory.
# tilewright: arch sm_100a sm_103a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg


def round_trip(width, dtype):
    """A row a thread: .32x32b."""

    @T.prim_func
    def rows(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (128, width), dtype)
        B = T.match_buffer(B_ptr, (128, width), dtype)
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        T.warpgroup_id([1])
        tid = T.thread_id([128])
        address = T.alloc_shared([1], "uint32")
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(address), n_cols=64, cta_group=1)
        T.cuda.cta_sync()
        tmem = T.decl_buffer(
            (128, width),
            dtype,
            scope="tmem",
            allocated_addr=address[0],
            layout=TileLayout(S[(128, width) : (1 @ TLane, 1 @ TCol)]),
        )
        row = T.alloc_local((width,), dtype)
        back = T.alloc_local((width,), dtype)
        by_thread = TileLayout(S[(128, width) : (1 @ axis_tid_in_wg, 1)])
        out = row.view(128, width, layout=by_thread)
        into = back.view(128, width, layout=by_thread)
        for c in T.unroll(width):
            row[c] = A[tid, c]
        Tx.wg.copy_async(tmem[:, :], out[:, :])
        T.ptx.tcgen05.wait.st()
        Tx.wg.copy_async(into[:, :], tmem[:, :])
        T.ptx.tcgen05.wait.ld()
        for c in T.unroll(width):
            B[tid, c] = back[c]
        T.cuda.cta_sync()
        if warp == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
            T.ptx.tcgen05.dealloc(address[0], n_cols=64, cta_group=1)

    return rows


def fragments(shape):
    """The fragments of tensor-core instructions: two issues, for the lower and the upper 16 lanes of each warp."""

    @T.prim_func
    def halves(A_ptr: T.handle, B_ptr: T.handle):
        # Row t holds the 32 elements of thread t.
        A = T.match_buffer(A_ptr, (128, 32), "float32")
        B = T.match_buffer(B_ptr, (128, 32), "float32")
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        T.warpgroup_id([1])
        tid = T.thread_id([128])
        address = T.alloc_shared([1], "uint32")
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(address), n_cols=64, cta_group=1)
        T.cuda.cta_sync()
        tmem = T.decl_buffer(
            (128, 64),
            "float32",
            scope="tmem",
            allocated_addr=address[0],
            layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]),
        )
        frag = T.alloc_tcgen05_ldst_frag(shape, (128, 32), "float32")
        back = T.alloc_tcgen05_ldst_frag(shape, (128, 32), "float32")
        mine = frag.local(32)
        for i in T.unroll(32):
            mine[i] = A[tid, i]
        Tx.wg.copy_async(tmem[:, 0:32], frag[:, :])
        T.ptx.tcgen05.wait.st()
        # The columns come back by halves.
        Tx.wg.copy_async(back[:, 16:32], tmem[:, 16:32])
        Tx.wg.copy_async(back[:, 0:16], tmem[:, 0:16])
        T.ptx.tcgen05.wait.ld()
        returned = back.local(32)
        for i in T.unroll(32):
            B[tid, i] = returned[i]
        T.cuda.cta_sync()
        if warp == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
            T.ptx.tcgen05.dealloc(address[0], n_cols=64, cta_group=1)

    return halves


def scale_factors():
    """Four tiles of block scale factors, through a descriptor: .32x128b.warpx4 writes all quarters of the lanes."""

    @T.prim_func
    def scales(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (4, 32, 16), "uint8")
        B = T.match_buffer(B_ptr, (128, 64), "uint8")
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        T.warpgroup_id([1])
        tid = T.thread_id([128])
        address = T.alloc_shared([1], "uint32")
        done = T.alloc_shared([1], "uint64")
        staged = T.alloc_shared([4, 32, 16], "uint8", align=128)
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(address), n_cols=32, cta_group=1)
        if tid == 0:
            T.ptx.mbarrier.init(done.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
        Tx.cta.copy(staged[:, :, :], A[:, :, :])
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        tmem = T.decl_buffer(
            (4, 32, 16),
            "uint8",
            scope="tmem",
            allocated_addr=address[0],
            layout=TileLayout(S[(4, 32, 16) : (16 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]),
        )
        if tid == 0:
            Tx.copy_async(tmem[:, :, :], staged[:, :, :])
            T.ptx.tcgen05.commit(done.ptr_to([0]), cta_group=1)
        T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
        # What the commit's barrier announced is ordered before what follows by a fence of its own.
        T.ptx.tcgen05.fence.after_thread_sync()
        # The same columns again, now as 64 bytes in each of 128 lanes.
        written = T.decl_buffer(
            (128, 64),
            "uint8",
            scope="tmem",
            allocated_addr=address[0],
            layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]),
        )
        lanes = T.alloc_local((64,), "uint8")
        into = lanes.view(128, 64, layout=TileLayout(S[(128, 64) : (1 @ axis_tid_in_wg, 1)]))
        Tx.wg.copy_async(into[:, :], written[:, :])
        T.ptx.tcgen05.wait.ld()
        for c in T.unroll(64):
            B[tid, c] = lanes[c]
        T.cuda.cta_sync()
        if warp == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
            T.ptx.tcgen05.dealloc(address[0], n_cols=32, cta_group=1)

    return scales


float_rows = round_trip(16, "float32")
half_rows = round_trip(32, "float16")
byte_rows = round_trip(64, "uint8")
frag_64b = fragments("16x64b")
frag_128b = fragments("16x128b")
frag_256b = fragments("16x256b")
scales = scale_factors()


# tilewright: reference python:reference
def reference(A):
    if A.ndim == 3:  # scales: tile after tile in the columns, the same 32 rows in each quarter of the lanes
        quarter = A.transpose(1, 0, 2).reshape(32, 64)
        return {"B": quarter[None].repeat(4, axis=0).reshape(128, 64)}
    return {"B": A}
