# Wrappers that release 0.26 added or spells otherwise, and what became of those of 0.25.
#--- arrivals in words  [cuda] [arch sm_90a]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64,), "float32")):
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    bx = T.cta_id([2])
    tx = T.thread_id([64])
    bar = T.alloc_shared((1,), "uint64")
    T.ptx.mbarrier.init(bar.ptr_to([0]), 64)
    T.ptx.mbarrier.arrive(bar.ptr_to([0]))
    T.ptx.mbarrier.arrive(bar.ptr_to([0]), count=2, pred=tx == 0)
    T.ptx.mbarrier.arrive(bar.ptr_to([0]), remote=rank, sem="release", scope="cluster")
    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 128, remote=rank, pred=tx == 0)
    T.ptx.mbarrier.arrive.no_complete(bar.ptr_to([0]), 1)
    T.ptx.mbarrier.complete_tx(bar.ptr_to([0]), 128, space="shared::cta")
    T.ptx.cp_async.mbarrier.arrive.noinc(bar.ptr_to([0]))

#--- arrivals refused  [arch sm_90a]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    bar = T.alloc_shared((1,), "uint64")
    T.ptx.mbarrier.arrive(bar.ptr_to([0]), cta_id=1, pred=True)
#                                          ^^^^^^ error[TW2111]: T.ptx.mbarrier.arrive has no keyword 'cta_id' in 0.26
#   hint: 0.26 writes remote=, and pred= where only some threads arrive
    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 128, cta_id=1)
#                                                         ^^^^^^ error[TW2111]: T.ptx.mbarrier.arrive.expect_tx has no keyword 'cta_id' in 0.26
#   hint: 0.26 writes remote=, and pred= where only some threads arrive
    T.ptx.mbarrier.arrive(bar.ptr_to([0]), sem="release")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.mbarrier.arrive: 'sem' and 'scope' go together: give both or neither
    T.ptx.mbarrier.arrive(bar.ptr_to([0]), remote=1, space="shared::cta")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.mbarrier.arrive: 'space' is '' or 'shared::cluster', not "shared::cta"
    T.ptx.mbarrier.arrive.no_complete(bar.ptr_to([0]), 1, space="shared::cluster")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.mbarrier.arrive.no_complete: 'space' is 'shared' or 'shared::cta', not "shared::cluster"

#--- loads and stores behind pointers  [cuda] [arch sm_90a]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((256,), "uint32"), B: T.Buffer((256,), "uint32")):
    T.device_entry()
    tx = T.thread_id([32])
    four = T.alloc_local((4,), "uint32")
    T.ptx.ld(A.ptr_to([tx * 4]), "uint32", "u32", dst=four.ptr_to([0]), vec="v4", l1_evict="L1::no_allocate")
    T.ptx.ld(A.ptr_to([tx * 2]), "uint32", "u32", dst=(four.ptr_to([1]), four.ptr_to([0])), vec="v2")
    T.ptx.st(B.ptr_to([tx * 4]), src=four.ptr_to([0]), vec="v4", space="global", ptx_type="u32")
    T.ptx.st_release(B.ptr_to([tx]), four[0] + T.ptx.ld_relaxed(A.ptr_to([tx]), "uint32", "u32"), ptx_type="u32")
    T.cuda.ldg(A.ptr_to([tx * 2]), "uint32", dst=[four.ptr_to([0]), four.ptr_to([2])], vec="v2")

#--- loads and stores refused  [arch sm_90a]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((256,), "uint32"), B: T.Buffer((256,), "uint32")):
    T.device_entry()
    tx = T.thread_id([32])
    four = T.alloc_local((4,), "uint32")
    four[0] = T.ptx.ld(A.ptr_to([tx]), "uint32", "u32", vec="v4")
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.ld: a vector goes behind a pointer: name it with dst=
    T.ptx.ld(A.ptr_to([tx]), "uint32", "u32", dst=[four.ptr_to([0])] * 3, vec="v4")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.ld: 'dst' is one pointer, or 4 of them; 3 given
    four[0] = T.ptx.ld(T.uint32(16), "uint32", "u32")
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.ld: a 32-bit address is one in shared memory: name a shared space, or give a pointer
    T.ptx.st(B.ptr_to([tx]), src=four.ptr_to([0]), vec="v8", space="global", ptx_type="u32")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.st: 256 bits at once need sm_100 and up, this is sm_90a
    T.cuda.copy_128b(B.ptr_to([0]), A.ptr_to([0]))
#          ^^^^^^^^^ error[TW2003]: 'T.cuda' has no attribute 'copy_128b'
#   hint: T.cuda.copy_128b is 0.25; 0.26 writes T.ptx.ld

#--- packed arithmetic as a value, conversions, marks  [cuda] [arch sm_100a]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "uint64"), C: T.Buffer((64,), "uint32")):
    T.device_entry()
    tx = T.thread_id([32])
    T.cuda.iket.mark("a moment")
    token = T.cuda.iket.range_start("work")
    two = T.cuda.make_float2(A[tx], A[tx + 32])
    B[tx] = T.ptx.add_f32x2(two, two, dps=False)
    T.ptx.mul_f32x2(B.ptr_to([tx + 32]), two, two)
    C[tx] = T.ptx.cvt("bf16x2", A[tx], A[tx + 32], atype="f32", rounding="rn")
    A[tx] = T.cuda.fdividef(A[tx], A[tx + 32])
    T.cuda.iket.range_end(token)

#--- conversions refused  [arch sm_90a]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "uint32")):
    T.device_entry()
    tx = T.thread_id([32])
    C[tx] = T.ptx.cvt("u32", A[tx], atype="f32")
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cvt: a float becomes an integer by 'rni', 'rzi', 'rmi' or 'rpi'
    C[tx] = T.ptx.cvt("bf16x2", A[tx], atype="f32", rounding="rn")
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cvt: bf16x2 from f32 takes 2 values, 1 given
    C[tx] = T.ptx.cvt("f16x2", A[tx], A[tx], atype="f32", rounding="rs", rbits=C[tx])
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cvt: cvt to f16x2 from f32 needs sm_100a or sm_103a, this is sm_90a

#--- waits on a word of global memory  [print] [cuda] [arch sm_90a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def waits(A: T.Buffer((64,), "uint32"), B: T.Buffer((64,), "uint32")):
    T.device_entry()
    tx = T.thread_id([32])
    seen: T.uint32 = 0
    T.cuda.wait_until(seen, A.ptr_to([0]), lambda value: value >= T.uint32(4), scope="sys", backoff_ns=20)
    T.cuda.wait_until(seen, A.ptr_to([tx]), seen == T.uint32(7))
    B[tx] = seen
#| @T.prim_func
#| def waits(A: T.Buffer((64,), "uint32"), B: T.Buffer((64,), "uint32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     seen: T.uint32 = T.uint32(0)
#|     seen = T.ptx.ld_relaxed(T.address_of(A[0]), "uint32", "u32", scope="sys")
#|     while not seen >= T.uint32(4):
#|         T.cuda.nano_sleep(T.uint32(20))
#|         seen = T.ptx.ld_relaxed(T.address_of(A[0]), "uint32", "u32", scope="sys")
#|     T.ptx.ld_acquire(T.address_of(A[0]), "uint32", "u32", scope="sys")
#|     seen = T.ptx.ld_relaxed(T.address_of(A[tx]), "uint32", "u32")
#|     while not seen == T.uint32(7):
#|         seen = T.ptx.ld_relaxed(T.address_of(A[tx]), "uint32", "u32")
#|     T.ptx.ld_acquire(T.address_of(A[tx]), "uint32", "u32")
#|     B[tx] = seen

#--- waits refused  [arch sm_90a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def waits(A: T.Buffer((64,), "uint32")):
    T.device_entry()
    tx = T.thread_id([32])
    seen: T.uint32 = 0
    T.cuda.wait_until(seen, A.ptr_to([0]), seen == T.uint32(1), space="shared")
#                                                                     ^^^^^^^^ error[TW2111]: T.cuda.wait_until waits on global memory; within a CTA or a cluster wait on an mbarrier
    T.cuda.wait_until(seen, A.ptr_to([0]), seen == T.uint32(1), ptx_type="u64")
#                                                                        ^^^^^ error[TW2111]: 'ptx_type' is of 32 bits, as 'dst' is
    T.cuda.wait_until(T.uint32(1), A.ptr_to([0]), seen == T.uint32(1))
#                     ^^^^^^^^^^^ error[TW2111]: 'dst' of T.cuda.wait_until is a scalar of 32 or 64 bits of this thread
