# What findings say and where they stand: in the script's own words, at the operand that causes them, with a way out.
#--- the ring of copies whose next stage is a number of the loop  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def annotated(A: T.Buffer((1024, 64), "float16"), B: T.Buffer((1024, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    ring = T.alloc_shared((2, 128, 64), "float16")
    Tx.cta.copy_async(ring[0, :, :], A[0:128, :])
    T.ptx.cp_async.commit_group()
    for k in range(8):
        nxt: T.int32 = k + 1
        if nxt < 8:
            Tx.cta.copy_async(ring[nxt % 2, :, :], A[nxt * 128 : nxt * 128 + 128, :])
        T.ptx.cp_async.commit_group()
        T.ptx.cp_async.wait_group(1)
        T.cuda.cta_sync()
        Tx.cta.copy(B[k * 128 : k * 128 + 128, :], ring[k % 2, :, :])
        T.cuda.cta_sync()

@T.prim_func
def assigned(A: T.Buffer((1024, 64), "float16"), B: T.Buffer((1024, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    ring = T.alloc_shared((2, 128, 64), "float16")
    stage = T.local_scalar("int32")
    nxt = T.local_scalar("int32")
    stage = 0
    for k in range(8):
        nxt = k + 1
        if nxt < 8:
            Tx.cta.copy_async(ring[1 - stage, :, :], A[nxt * 128 : nxt * 128 + 128, :])
        T.ptx.cp_async.commit_group()
        if stage == 1:
            Tx.cta.copy(B[k * 128 : k * 128 + 128, :], ring[1, :, :])
        T.cuda.cta_sync()
        stage = stage ^ 1

@T.prim_func
def counted(A: T.Buffer((1024, 64), "float16"), n: T.int32):
    T.device_entry()
    bx = T.cta_id([4])
    T.thread_id([128])
    ring = T.alloc_shared((2, 128, 64), "float16")
    k: T.int32 = 0
    tile: T.int32 = bx
    while k < n:
        if k + 1 < n and tile < 7:
            Tx.cta.copy_async(ring[(k + 1) % 2, :, :], A[tile * 128 : tile * 128 + 128, :])
        T.ptx.cp_async.commit_group()
        k = k + 1
        tile = tile + 4

#--- a number in memory that is not written is the same for all who read it  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((64, 64), "float16"), used: T.Buffer((4,), "int32"), written: T.Buffer((4,), "int32")):
    T.device_entry()
    bx = T.cta_id([4])
    tid = T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16")
    if used[bx] > 0:
        Tx.cta.copy(S[:, :], A[:, :])
    if used[tid % 4] > 0:
#      ^^^^^^^^^^^^^^^^^ information[TW3012]: `used[tid % 4] > 0` is taken to be the same in all threads of a cta, which copy inside relies on
        Tx.cta.copy(S[:, :], A[:, :])
    if tid == 0:
        written[bx] = 1
    if written[bx] > 0:
#      ^^^^^^^^^^^^^^^ information[TW3012]: `written[bx] > 0` is taken to be the same in all threads of a cta, which copy inside relies on
        Tx.cta.copy(S[:, :], A[:, :])

#--- scalars that differ between threads  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([4])
    tid = T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16")
    mine: T.int32 = B[tid % 64]
    here: T.int32 = 0
    if mine > 3:
        here = 1
    if here == 1:
#      ^^^^^^^^^ information[TW3012]: `here == 1` is taken to be the same in all threads of a cta, which copy inside relies on
        Tx.cta.copy(S[:, :], A[:, :])
    rounds: T.int32 = 0
    while rounds < 4:
        if mine == rounds:
            break
        rounds = rounds + 1
    if rounds == 3:
#      ^^^^^^^^^^^ information[TW3012]: `rounds == 3` is taken to be the same in all threads of a cta, which copy inside relies on
        Tx.cta.copy(S[:, :], A[:, :])
    of_warp: T.int32 = w
    if of_warp == 1:
        Tx.warp.copy(S[:, :], A[:, :])
    if of_warp == 1:
#      ^^^^^^^^^^^^ information[TW3012]: `of_warp == 1` is taken to be the same in all threads of a cta, which copy inside relies on
        Tx.cta.copy(S[:, :], A[:, :])

#--- scalars, attributes and items are called as the script calls them  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.meta_class
class State:
    def __init__(self):
        self.stage = T.local_scalar("int32")
        self.tiles = [T.alloc_local((4, 6), "float32") for _ in range(2)]

@T.prim_func
def k(A: T.Buffer((64, 64), "float16"), B: T.Buffer((4, 6), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    S = T.alloc_shared((2, 64, 64), "float16")
    st = State()
    st.stage = tid
    m: T.int32 = tid ^ 3
    if st.stage + (m & 7) < 5:
#      ^^^^^^^^^^^^^^^^^^^^^^ information[TW3012]: `st.stage + (m & 7) < 5` is taken to be the same in all threads of a cta, which copy inside relies on
        Tx.cta.copy(S[0, :, :], A[:, :])
    Tx.cta.copy_async(S[st.stage, 0:64, 1:6], A[0:64, m * 2 : m * 2 + 5], dispatch="ldgsts")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope
#|    ldgsts  rejected: region of 320 elements is not divisible by 128 threads
    Tx.copy(st.tiles[1][:, :], B[:, :])
#           ^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at thread scope: element types differ: float16 to float32
#   hint: both sides have one type: declare st.tiles[1] as float16, or convert with Tx.cast

#--- the operand that causes it, each reason once  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16"), C: T.Buffer((64, 32), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    S = T.alloc_shared((64, 64), "float32")
    R = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy(S[:, :], A[:, :])
#               ^^^^^^^ error[TW3104]: no variant of copy serves this call at cta scope: element types differ: float16 to float32
#   hint: both sides have one type: declare S as float16, or convert with Tx.cta.cast
    Tx.cta.copy(B[:, :], S[:, :])
    Tx.cta.copy(R[:, :], C[:, :])
#               ^^^^^^^ error[TW3104]: no variant of copy serves this call at cta scope: shapes differ: 64 x 32 to 64 x 64
    Tx.cta.copy(R[0:64, 0:64], A[0:32, 0:64])
#                              ^^^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at cta scope: shapes differ: 32 x 64 to 64 x 64
    Tx.cta.copy_async(R[:, :], A[0:64, 1:65])
#                              ^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope
#|    ldgsts                           declined: dimension 1 of A ends at 64, the slice at 65: cp.async does not clip
#|    tma                              rejected: one thread issues tensor copies, this is cta scope: guard with one elected lane
#|    dsmem, smem->tmem, tmem<->local  rejected: source is global and destination shared
    L = T.alloc_local((64, 64), "float16")
    Tx.cta.copy_async(L[:, :], A[:, :])
#                     ^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope: source is global and destination local
#   hint: ldgsts moves global -> shared, dsmem moves shared -> shared of another CTA, smem->tmem moves shared -> tensor memory, tma moves global <-> shared, tmem<->local moves tensor memory <-> registers

#--- who gets there, and what to call instead  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((256, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([2])
    w = T.warp_id([8])
    lane = T.lane_id([32])
    S = T.alloc_shared((256, 64), "float16")
    if w == 3:
        Tx.cta.copy(S[:, :], A[:, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3106]: copy/fallback: global -> shared at cta scope goes element by element through one thread
#   hint: only warp 3 gets here: use Tx.warp.copy
    if wg == 1:
        Tx.cta.copy(S[:, :], A[:, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3106]: copy/fallback: global -> shared at cta scope goes element by element through one thread
#   hint: only warps 4 to 7 get here: use Tx.warpgroup.copy
    if lane == 0:
        Tx.warp.copy_async(S[:, :], A[:, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at warp scope
#|    ldgsts                           rejected: only lane 0 of 32 gets here
#|    tma                              rejected: one thread issues tensor copies, this is warp scope: guard with one elected lane
#|    dsmem, smem->tmem, tmem<->local  rejected: source is global and destination shared
#   hint: only lane 0 gets here: use Tx.copy_async
    if w < 3:
        Tx.cta.copy_async(S[:, :], A[:, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope
#|    ldgsts                           rejected: only warps 0 to 2 of 8 get here
#|    tma                              rejected: one thread issues tensor copies, this is cta scope: guard with one elected lane
#|    dsmem, smem->tmem, tmem<->local  rejected: source is global and destination shared
#   hint: only warps 0 to 2 get here: let the whole cta reach the call
    if lane < 16:
        Tx.warp.copy(S[:, :], A[:, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3106]: copy/fallback: global -> shared at warp scope goes element by element through one thread
#   hint: only lanes 0 to 15 get here: let the whole warp reach the call

#--- one thread issues tensor copies  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16", align=1024)
    bar = T.alloc_shared((1,), "uint64")
    Tx.cta.copy_async(S[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope
#|    tma  rejected: one thread issues tensor copies, this is cta scope: guard with one elected lane
#   hint: one thread issues it: guard it with `if T.ptx.elect_sync():` in one warp and use Tx.copy_async
