# What comments can silence, and what they cannot.
#--- an error stays, and the comment is a finding
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    B[tx] = A[t]  # tilewright: ignore[TW2002]
#             ^ error[TW2002]: name 't' is not defined
#                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW2302]: TW2002 is an error, which no comment silences
#   hint: fix what it says, and remove the comment
    B[tx] = A[u]  # tilewright: ignore
#             ^ error[TW2002]: name 'u' is not defined
#                 ^^^^^^^^^^^^^^^^^^^^ warning[TW2302]: TW2002 is an error, which no comment silences
#   hint: fix what it says, and remove the comment
    B[tx] = A[v]  # tilewright: ignore[TW3106]
#             ^ error[TW2002]: name 'v' is not defined

#--- a call that no variant serves  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def kernel(A: T.Buffer((8, 64), "float16"), B: T.Buffer((8, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    s = T.alloc_local((8, 64), "float16")
    Tx.cta.copy_async(s[:, :], A[:, :])  # tilewright: ignore[TW3104, TW2302]
#                     ^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope: source is global and destination local
#   hint: ldgsts moves global -> shared, dsmem moves shared -> shared of another CTA, smem->tmem moves shared -> tensor memory, tma moves global <-> shared, tmem<->local moves tensor memory <-> registers
#                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW2302]: TW3104 is an error, which no comment silences
#   hint: fix what it says, and remove the comment

#--- advice goes, and only that on the line  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def kernel(A: T.Buffer((6, 6), "float32"), B: T.Buffer((6, 6), "float32")):
    T.device_entry()
    tx = T.thread_id([32])
    s = T.alloc_shared((6, 6), "float32")  # tilewright: ignore
    r = T.alloc_local((4,), "float32")  # tilewright: ignore[TW2301]
    q = T.alloc_local((4,), "float32")  # tilewright: ignore[TW3106]
#   ^ warning[TW2301]: the buffer 'q' is never used
#   hint: remove it, or begin its name with '_'

#--- at the end of a call of several lines  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((10, 10), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    s = T.alloc_shared((10, 10), "float32")
    Tx.warp.copy(
        s[:, :],
        A[:, :],
    )  # tilewright: ignore[TW3106]
    Tx.warp.copy(  # tilewright: ignore[TW3106]
        A[:, :],
        s[:, :],
    )
    Tx.warp.copy(
# @1:5-4:6 warning[TW3106]: copy/fallback: shared -> global at warp scope goes element by element through one thread
#   hint: gmem_smem: region of 100 elements is not divisible by 32 threads; ldstmatrix, reg: source is shared and destination global
        A[:, :],  # tilewright: ignore[TW3106]
        s[:, :],
    )
