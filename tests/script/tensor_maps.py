# Tensor copies of release 0.26: keywords, refusals and their stages, and what the tensor unit does otherwise.
#--- lists: four rows, and tensors to choose among  [cuda]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def lists(A: T.Buffer((64, 64), "float16"), C: T.Buffer((64, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([4])
    tid = T.thread_id([32])
    s = T.alloc_buffer((4, 64), "float16", scope="shared", align=128)
    bar = T.alloc_buffer((1,), "uint64", scope="shared")
    if tid == 0:
        mbar = T.meta_var(bar.ptr_to([0]))
        Tx.copy_async(s, A[0:1, 0:64], dispatch="tma_explicit", mbar=mbar, gather4=(bx, 1, 2, 3))
        Tx.copy_async(s, A[0:1, 0:64], dispatch="tma_explicit", mbar=mbar, gather4=(0, 1, 2))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_explicit  declined: tma_explicit gather4 must contain exactly four row coordinates
        Tx.copy_async(s, A[0:4, 0:64], dispatch="tma_explicit", mbar=mbar, src_selector=[(bx == 1, C)])
        Tx.copy_async(s, A[0:4, 0:64], dispatch="tma_explicit", mbar=mbar, src_selector=[(bx == 1, s)])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_explicit  declined: tma_explicit src_selector[0] candidate scope must be global, got shared
#   hint: without dispatch="tma_explicit" it is served by ldgsts
        Tx.copy_async(s, A[0:4, 0:64], dispatch="tma_explicit", mbar=mbar, src_selector=[bx == 1])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_explicit  declined: tma_explicit src_selector[0] must be a (condition, Buffer/view) pair
#   hint: without dispatch="tma_explicit" it is served by ldgsts
        Tx.copy_async(s, A[0:4, 0:64], dispatch="tma_explicit", mbar=mbar, src_selector=[(bx == 1, C, A)])
#                                                                                       ^^^^^^^^^^^^^^^^^ error[TW2006]: Tx.copy_async takes pairs in 'src_selector', one has 3 members
        Tx.copy_async(s, A[0:4, 0:64], dispatch="tma_explicit", mbar=mbar, src_selector=[(bx == 1, C)] * 65)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_explicit  declined: tma_explicit src_selector names 65 tensors; 64 is the most
#   hint: without dispatch="tma_explicit" it is served by ldgsts
#--- refusals name their stage, or the keyword  [cuda]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

@T.prim_func
def refused(A: T.Buffer((64, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([4])
    tid = T.thread_id([32])
    s = T.alloc_buffer((16, 64), "float16", scope="shared", align=128)
    p = T.alloc_buffer((16, 64), "float16", scope="shared", layout=TileLayout(S[(16, 64) : (72, 1)]))
    bar = T.alloc_buffer((1,), "uint64", scope="shared")
    if tid == 0:
        mbar = T.meta_var(bar.ptr_to([0]))
        Tx.copy_async(s, A[0:16, 0:64], dispatch="tma", mbar=mbar)
#                                                ^^^^^ error[TW3102]: no variant named 'tma' is registered for copy_async
#   hint: did you mean "tma_auto"? copy_async has ldgsts, dsmem, smem->tmem, tma_auto, tma_explicit, tmem<->local
        Tx.copy_async(s, A[0:16, 0:64], dispatch="tma_auto", mbar=mbar, oob="zero")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_auto  declined: tma_auto does not support non-default oob; use dispatch="tma_explicit"
#   hint: without dispatch="tma_auto" it is served by ldgsts
        Tx.copy_async(s, A[0:16, 0:64], dispatch="tma_auto")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_auto  declined: global-to-shared TMA requires mbar
#   hint: without dispatch="tma_auto" it is served by ldgsts
        Tx.copy_async(p, A[0:16, 0:64], dispatch="tma_auto", mbar=mbar)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_auto  declined: tma_auto stage=shared-chain: shared iter 0 at sorted position 1 has stride=72, expected 64 after extent=64 (disproven); use dispatch="tma_explicit" when the mapping or hardware legality is only known at runtime
#   hint: without dispatch="tma_auto" it is served by ldgsts
        Tx.copy_async(p, A[0:16, 0:64], dispatch="tma_explicit", mbar=mbar)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_explicit  declined: tma_explicit stage=shared-layout: sliced shared layout must canonicalize to trivial after extracting its pointer offset; got S[(16,64):(72,1)]
#   hint: without dispatch="tma_explicit" it is served by ldgsts
        Tx.copy_async(s[0:16, 0:12], A[0:16, 0:12], dispatch="tma_auto", mbar=mbar)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_auto  declined: tma_auto stage=shared-chain: shared iter 0 at sorted position 1 has stride=64, expected 12 after extent=12 (disproven); use dispatch="tma_explicit" when the mapping or hardware legality is only known at runtime
#   hint: without dispatch="tma_auto" it is served by ldgsts
        Tx.copy_async(A[0:16, 0:64], s, dispatch="tma_auto", cta_mask=3)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_auto  declined: cta_mask is only valid for global-to-shared TMA
    Tx.warp.copy_async(s, A[0:16, 0:64], dispatch="tma_auto", mbar=bar.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at warp scope
#|    tma_auto  rejected: unsupported exec_scope warp, expected single thread: guard with one elected lane
#   hint: one thread issues it: guard it with `if T.ptx.elect_sync():` and use Tx.copy_async
#--- what the tensor unit does otherwise  [cuda]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def otherwise(A: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([4])
    tid = T.thread_id([32])
    s = T.alloc_buffer((16, 8), "float16", scope="shared", align=128)
    bar = T.alloc_buffer((1,), "uint64", scope="shared")
    if tid == 0:
        Tx.copy_async(s[1:9, 0:8], A[0:8, 0:8], dispatch="tma_auto", mbar=bar.ptr_to([0]))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3113]: a box lies 16 bytes beyond a multiple of 128 bytes in s: the tensor unit takes multiples of 128 alone
#   hint: let the region, and each part that one instruction moves, start on 128 bytes
        Tx.copy_async(A[0:16, 0:8], s, dispatch="tma_auto", use_tma_reduce="inc")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3113]: the tensor unit has no `inc` of float16
#   hint: it adds, and takes the smaller or larger of, numbers of 16 bits or more and integers of 32 or 64
#--- extents of a box that the host alone knows, and what the device alone knows  [calls]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def boxes(A_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n, 64), "float16")
    T.device_entry()
    bx = T.cta_id([4])
    tid = T.thread_id([32])
    s = T.alloc_buffer((64, 64), "float16", scope="shared", align=128)
    bar = T.alloc_buffer((1,), "uint64", scope="shared")
    if tid == 0:
        Tx.copy_async(s[0:n, 0:64], A[0:n, 0:64], dispatch="tma_explicit", mbar=bar.ptr_to([0]))
        Tx.copy_async(s[0:bx, 0:64], A[0:bx, 0:64], dispatch="tma_explicit", mbar=bar.ptr_to([0]))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_explicit  declined: the host encodes the tensor map before the launch and cannot know bx in bx
        Tx.copy_async(s[0:16, 0:64], A[0:16, 0:64], dispatch="tma_auto", mbar=bar.ptr_to([0]), cta_mask=None)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma_auto  declined: cta_mask must be an integer or TIR expression
#   hint: without dispatch="tma_auto" it is served by ldgsts
#| 15 copy_async -> tma_explicit: direction g2s, rank 2, dims 64, n, strides [128], box 64, n, swizzle 0, issues 1
#| 16 copy_async -> nothing
#|   tma_explicit declined: the host encodes the tensor map before the launch and cannot know bx in bx
#| 17 copy_async -> nothing
#|   tma_auto declined: cta_mask must be an integer or TIR expression
