# Calls for another target than the chosen one: the error names both, on the call. Where none is chosen, the calls do.
#--- ldgsts before sm_80  [cuda] [arch sm_75]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def vectors(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    Tx.cta.copy_async(S[:, :], A[:, :], dispatch="ldgsts")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope
#|    ldgsts  rejected: cp.async needs sm_80 and up, the target is sm_75

#--- tma before sm_90  [cuda] [arch sm_80]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def store(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    if tid == 0:
        Tx.copy_async(A[:, :], S[:, :], dispatch="tma")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma  rejected: cp.async.bulk.tensor needs sm_90 and up, the target is sm_80

#--- dsmem before sm_90  [cuda] [arch sm_89]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def neighbours(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    D = T.alloc_shared((32, 32), "float16")
    bar = T.alloc_shared((1,), "uint64")
    if tid == 0:
        Tx.copy_async(D[:, :], S[:, :], dispatch="dsmem", mbar=bar.ptr_to([0]), remote_cta_id=1 - rank)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    dsmem  rejected: cp.async.bulk needs sm_90 and up, the target is sm_89

#--- tensor memory and registers on Hopper  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane, tid_in_wg

@T.prim_func
def rows(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, 8), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    cells = T.decl_buffer((128, 8), "float32", scope="tmem", allocated_addr=address[0],
                          layout=TileLayout(S[(128, 8) : (1 @ TLane, 1 @ TCol)]))
    row = T.alloc_buffer((128, 8), "float32", scope="local", layout=TileLayout(S[(128, 8) : (1 @ tid_in_wg, 1)]))
    Tx.wg.copy_async(cells[:, :], row[:, :], dispatch="tmem<->local")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at warpgroup scope
#|    tmem<->local  rejected: tcgen05.ld needs sm_100a, sm_100f or sm_103a, the target is sm_90a

#--- shared to tensor memory on Hopper  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TCol, TileLayout, TLane

@T.prim_func
def scales(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 16), "uint8")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    staged = T.alloc_shared((32, 16), "uint8")
    cells = T.decl_buffer((32, 16), "uint8", scope="tmem", allocated_addr=address[0],
                          layout=TileLayout(S[(32, 16) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))
    if tid == 0:
        Tx.copy_async(cells[:, :], staged[:, :], dispatch="smem->tmem")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    smem->tmem  rejected: tcgen05.cp needs sm_100a, sm_100f or sm_103a, the target is sm_90a

#--- the same on sm_120a  [cuda] [arch sm_120a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TCol, TileLayout, TLane

@T.prim_func
def scales(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 16), "uint8")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    staged = T.alloc_shared((32, 16), "uint8")
    cells = T.decl_buffer((32, 16), "uint8", scope="tmem", allocated_addr=address[0],
                          layout=TileLayout(S[(32, 16) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))
    if tid == 0:
        Tx.copy_async(cells[:, :], staged[:, :], dispatch="smem->tmem")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    smem->tmem  rejected: tcgen05.cp needs sm_100a, sm_100f or sm_103a, the target is sm_120a

#--- a pair of CTAs on Hopper  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def pair(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    bar = T.alloc_shared((1,), "uint64")
    if tid == 0:
        Tx.copy_async(S[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]), cta_group=2)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    tma  declined: cta_group=2 needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#   hint: without dispatch="tma" it is served by ldgsts

#--- instructions called by name before sm_80  [arch sm_75]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    S = T.alloc_shared((32,), "uint64")
    T.ptx.cp_async(S.ptr_to([0]), A.ptr_to([0]), 16)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async: needs sm_80 and up, this is sm_75
    T.ptx.cp_async.commit_group()
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async.commit_group: needs sm_80 and up, this is sm_75
    T.ptx.mbarrier.init(S.ptr_to([0]), 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.mbarrier.init: needs sm_80 and up, this is sm_75

#--- instructions called by name before sm_90  [arch sm_80]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    S = T.alloc_shared((32,), "uint64")
    T.ptx.fence.proxy_async("shared::cta")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.fence.proxy_async: needs sm_90 and up, this is sm_80
    T.ptx.mbarrier.arrive.expect_tx(S.ptr_to([0]), 16)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.mbarrier.arrive.expect_tx: needs sm_90 and up, this is sm_80
    T.ptx.cp_async.bulk.commit_group()
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async.bulk.commit_group: needs sm_90 and up, this is sm_80
    T.cuda.cluster_sync()
#   ^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.cuda.cluster_sync: needs sm_90 and up, this is sm_80
    if T.ptx.elect_sync():
#      ^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.elect_sync: needs sm_90 and up, this is sm_80
        T.ptx.mbarrier.try_wait(S.ptr_to([0]), 0)

#--- instructions called by name without tensor memory  [arch sm_90a]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    S = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(S), n_cols=32, cta_group=1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.alloc: needs sm_100a, sm_100f or sm_103a, this is sm_90a
    T.ptx.tcgen05.wait.ld()
#   ^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.wait.ld: needs sm_100a, sm_100f or sm_103a, this is sm_90a
    T.ptx.tcgen05.dealloc(S[0], n_cols=32, cta_group=1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.dealloc: needs sm_100a, sm_100f or sm_103a, this is sm_90a

#--- matrix instructions of Hopper on Blackwell  [arch sm_100a]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    T.ptx.wgmma.fence()
#   ^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.wgmma.fence: needs sm_90a, this is sm_100a
    T.ptx.wgmma.commit_group()
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.wgmma.commit_group: needs sm_90a, this is sm_100a

#--- found out: the default serves  [cuda] [arch found]
from tvm.script import tirx as T

@T.prim_func
def plain(A: T.Buffer((128,), "float32")):
    T.device_entry()
    t = T.thread_id([128])
    A[t] = 1.0

#--- found out: a row asks for another, and a comment can say so  [cuda] [arch found]
from tvm.script import tirx as T

@T.prim_func
def tensor_memory(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    addr = T.alloc_shared((1,), "uint32")
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(addr[0]), n_cols=512, cta_group=1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[TW2311]: compiled for sm_100a, from tcgen05.alloc in line 10
#   hint: say so in a comment: # tilewright: arch sm_100a
        T.ptx.tcgen05.dealloc(addr[0], n_cols=512, cta_group=1)

#--- found out: kernels of one file differ  [cuda] [arch found]
from tvm.script import tirx as T

@T.prim_func
def hopper(A: T.Buffer((128,), "float32")):
    T.device_entry()
    t = T.thread_id([128])
    T.ptx.wgmma.fence()
    A[t] = 1.0

@T.prim_func
def blackwell(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    addr = T.alloc_shared((1,), "uint32")
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(addr[0]), n_cols=512, cta_group=1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[TW2311]: compiled for sm_100a, from tcgen05.alloc in line 17
#   hint: no one architecture serves all kernels of this file, so a comment cannot say it

#--- found out: tensor memory asks for another  [cuda] [arch found]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane, tid_in_wg

@T.prim_func
def unload(O_ptr: T.handle, address: T.uint32):
    O = T.match_buffer(O_ptr, (128, 32), "float32")
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    tid = T.thread_id_in_wg([128])
    acc = T.decl_buffer((128, 32), "float32", scope="tmem", allocated_addr=address, layout=TileLayout(S[(128, 32):(1@TLane, 1@TCol)]))
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[TW2311]: compiled for sm_100a, from tensor memory in line 12
#   hint: say so in a comment: # tilewright: arch sm_100a
    regs = T.alloc_local((32,), "float32")
    frag = regs.view(128, 32, layout=TileLayout(S[(128, 32):(1@tid_in_wg, 1)]))
    Tx.wg.copy_async(frag[:, :], acc[:, :])

#--- found out: no architecture has both  [cuda] [arch found]
from tvm.script import tirx as T

@T.prim_func
def both(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    addr = T.alloc_shared((1,), "uint32")
    T.ptx.wgmma.fence()
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(addr[0]), n_cols=512, cta_group=1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2312]: no architecture serves this kernel: tcgen05.alloc needs sm_100a, sm_100f or sm_103a, and wgmma.fence needs sm_90a
#   hint: give each architecture a kernel of its own, or a branch that the script decides

#--- found out: what is wrong on every architecture is said for one that has the instruction  [cuda] [arch found]
from tvm.script import tirx as T

@T.prim_func
def columns(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    addr = T.alloc_shared((1,), "uint32")
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(addr[0]), n_cols=500, cta_group=1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.alloc: 'n_cols' is 500; it must be a power of two from 32 to 512

#--- found out: a branch that the script decides  [cuda] [arch found]
from tvm.script import tirx as T

def make(blackwell):
    @T.prim_func
    def kernel(A: T.Buffer((128,), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        addr = T.alloc_shared((1,), "uint32")
        if blackwell:
            T.ptx.tcgen05.alloc(T.address_of(addr[0]), n_cols=512, cta_group=1)
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[TW2311]: compiled for sm_100a, from tcgen05.alloc in line 11
#   hint: no one architecture serves all kernels of this file, so a comment cannot say it
        else:
            T.ptx.wgmma.fence()
    return kernel

old = make(False)
new = make(True)

#--- comments that say nothing  [cuda]
# tilewright: arch sm_100b
#                  ^^^^^^^ error[TW2313]: there is no architecture 'sm_100b'
#   hint: did you mean sm_100a?
# tilewright: arch sm_90a 100a  # where it runs
#                         ^^^^ error[TW2313]: there is no architecture '100a'
#   hint: did you mean sm_100a?
# tilewright: arhc sm_90a
#             ^^^^ warning[TW2313]: 'arhc' means nothing in a comment to Tilewright
#   hint: did you mean arch?
# tilewright: ignor[TW2301]
#             ^^^^^ warning[TW2313]: 'ignor' means nothing in a comment to Tilewright
#   hint: did you mean ignore?
# tilewright: entry
#             ^^^^^ warning[TW2313]: 'entry' says nothing without an expression
#   hint: for example # tilewright: entry make(128, 64)
# tilewright: frobnicate
#             ^^^^^^^^^^ warning[TW2313]: 'frobnicate' means nothing in a comment to Tilewright
#   hint: the first word is one of arch, dialect, entry, ignore, reference, run, sequence, tune, tvm
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((128,), "float32")):
    T.device_entry()
    t = T.thread_id([128])
    A[t] = 1.0  # tilewright: ignore[TW9999, tw2301, TW2301]
#                                    ^^^^^^ warning[TW2313]: there is no diagnostic TW9999
#   hint: `tilewright check` names the code of what it finds
#                                            ^^^^^^ warning[TW2313]: there is no diagnostic tw2301
#   hint: did you mean TW2301?
    A[t] = 2.0  # tilewright: ignore[TW2301
#                                   ^ warning[TW2313]: this bracket is not closed
#   hint: for example # tilewright: ignore[TW3106]
    A[t] = 3.0  # tilewright: ignore TW2301

#--- found out: tensor memory asks for a target that has it, also where what becomes of it is wrong  [cuda] [arch found]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane, mma_shared_layout

@T.prim_func
def product():
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    a = T.alloc_shared((128, 64), "float16", layout=mma_shared_layout("float16", 3, (128, 64)))
    c = T.decl_buffer((128, 64), "float32", scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[TW2311]: compiled for sm_100a, from tensor memory in line 11
#   hint: say so in a comment: # tilewright: arch sm_100a
    if tid == 0:
        Tx.gemm_async(c, a, a)
#       ^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: C has 64 columns, B has 128 rows
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
