# tilewright: arch sm_80 sm_90a sm_100a
"""A stencil whose loads hang on conditions: each thread issues none, one or two copies of 4 bytes.

With ordinary loads a compiler may put each load and its store under the condition, one after the other; cp.async needs
no register in between, so that all copies are on their way before anyone waits. Three ways to know that they arrived:
a group that each thread commits and waits for, a barrier on which the copies themselves arrive, and a tile primitive
that spreads the copies over the CTA.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

BLOCKS, CENTER, HALO = 16, 64, 8
SPAN = HALO + CENTER + HALO


@T.inline
def copies(window, A, first, tid):
    """Thread `tid` brings its element of the center, and those at the edges one of a halo as well."""
    if tid < HALO:
        T.ptx.cp_async(window.ptr_to([tid]), A.ptr_to([first + tid]), 4)
    elif tid >= CENTER - HALO:
        T.ptx.cp_async(window.ptr_to([tid + 2 * HALO]), A.ptr_to([first + tid + 2 * HALO]), 4)
    T.ptx.cp_async(window.ptr_to([tid + HALO]), A.ptr_to([first + tid + HALO]), 4)


@T.inline
def stencil(B, window, first, tid):
    """The sum of the 17 elements around each one."""
    total: T.int32 = 0
    for i in range(2 * HALO + 1):
        total = total + window[tid + i]
    B[first + tid] = total


@T.prim_func
def by_group(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (BLOCKS * CENTER + 2 * HALO,), "int32")
    B = T.match_buffer(B_ptr, (BLOCKS * CENTER,), "int32")
    T.device_entry()
    block = T.cta_id([BLOCKS])
    tid = T.thread_id([CENTER])
    window = T.alloc_shared([SPAN], "int32")
    copies(window, A, block * CENTER, tid)
    # The group holds what this thread issued; it is empty of halo copies in most threads, and that is fine.
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    # Each thread waited for its own copies only.
    T.cuda.cta_sync()
    stencil(B, window, block * CENTER, tid)


@T.prim_func
def by_barrier(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (BLOCKS * CENTER + 2 * HALO,), "int32")
    B = T.match_buffer(B_ptr, (BLOCKS * CENTER,), "int32")
    T.device_entry()
    block = T.cta_id([BLOCKS])
    tid = T.thread_id([CENTER])
    window = T.alloc_shared([SPAN], "int32")
    arrived = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), CENTER)
    T.cuda.cta_sync()
    copies(window, A, block * CENTER, tid)
    # One arrival a thread, when the copies that it issued before have landed: `noinc` takes it from the count of init.
    T.ptx.cp_async.mbarrier.arrive(arrived.ptr_to([0]), noinc=True)
    T.ptx.mbarrier.wait(arrived.ptr_to([0]), 0)
    stencil(B, window, block * CENTER, tid)


@T.prim_func
def by_tile(A_ptr: T.handle, B_ptr: T.handle):
    """As many elements as threads by the tile primitive, the 16 that are left by the first threads."""
    A = T.match_buffer(A_ptr, (BLOCKS * CENTER + 2 * HALO,), "int32")
    B = T.match_buffer(B_ptr, (BLOCKS * CENTER,), "int32")
    T.device_entry()
    block = T.cta_id([BLOCKS])
    tid = T.thread_id([CENTER])
    window = T.alloc_shared([SPAN], "int32")
    Tx.cta.copy_async(window[0:CENTER], A[block * CENTER : block * CENTER + CENTER])
    if tid < 2 * HALO:
        T.ptx.cp_async(window.ptr_to([tid + CENTER]), A.ptr_to([block * CENTER + tid + CENTER]), 4)
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    stencil(B, window, block * CENTER, tid)


# tilewright: reference python:reference
def reference(A):
    return {"B": sum(A[i : i + BLOCKS * CENTER] for i in range(2 * HALO + 1))}
